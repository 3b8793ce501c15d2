// SPDX-License-Identifier: Apache-2.0

import FocalCommands
import Synchronization

/// Tells how far a large picture has come, strip by strip: a line for each twentieth, on standard error,
/// or as an object for programs.
final class StripProgress: Sendable {
  private static let steps = 20
  private let style: Progress.Style
  private let told = Mutex(0)

  init(_ style: Progress.Style) { self.style = style }

  func tell(_ completed: Int, _ total: Int) {
    guard total > 1 else { return }
    let step = Self.steps * completed / total
    let isNew = told.withLock { told in
      // A part of the same picture, or the same one on another device, begins anew.
      if completed == 1 { told = 0 }
      guard step > told else { return false }
      told = step
      return true
    }
    guard isNew else { return }
    let percent = 100 * completed / total
    let object = "{\"event\":\"strips\",\"completed\":\(completed),\"total\":\(total)}"
    switch style {
    case .json(amongResults: true): printLine(object)
    case .json(amongResults: false): writeToStandardError(object + "\n")
    case .bar, .lines: writeToStandardError("rendered \(percent) % of the picture\n")
    case .none: break
    }
  }
}
