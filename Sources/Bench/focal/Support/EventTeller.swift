// SPDX-License-Identifier: Apache-2.0

import FocalCommands
import FocalImport
import Synchronization

/// Tells what an import or an estimation does: notes as lines, and progress in a style.
final class EventTeller: Sendable {
  private struct State {
    /// Of the stage that goes on, from its first frame on.
    var progress: Progress?
    /// What the process had used when it began.
    var usage = ProcessUsage.current
  }

  private let style: Progress.Style
  private let state = Mutex(State())

  init(_ style: Progress.Style) { self.style = style }

  /// Processor time since the last stage began.
  var cpuSeconds: Double {
    ProcessUsage.current.cpuSeconds - state.withLock { $0.usage.cpuSeconds }
  }

  func tell(_ event: ImportEvent) {
    switch event {
    case .note(let text): note(text.told)
    case .progress(let progress): state.withLock { tell(progress, &$0) }
    }
  }

  private func tell(_ now: ImportProgress, _ state: inout State) {
    if now.completedFrames == 0, !now.isFinished {
      state = State()
    } else if now.isFinished {
      state.progress?.finish()
    } else {
      var progress =
        state.progress
        ?? Progress(total: now.frameCount, start: now.start, style, stage: now.stage.rawValue)
      progress.advance()
      state.progress = progress
    }
  }
}

extension ReportOptions {
  /// What is told of maps that a command estimates for itself.
  var events: ImportEvents {
    let teller = EventTeller(style)
    return ImportEvents { teller.tell($0) }
  }
}
