// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCore

/// What an import or an estimation tells while it works.
public enum ImportEvent: Hashable, Sendable {
  /// What is done, what is assumed or what cannot be kept: a sentence for people, without a final full stop.
  /// Its description has the API's names of parameters; programs word it with their own, as errors.
  case note(CinematicError.Wording)
  /// How far a stage of the work has come.
  case progress(ImportProgress)
}

/// How far a stage of the work has come.
public struct ImportProgress: Hashable, Sendable {
  /// What is done with every frame, one stage after the other. A stage is left out if nothing is to do in it.
  public enum Stage: String, Hashable, Sendable, CaseIterable {
    /// Disparity is estimated.
    case maps
    /// People, pets and balls are looked for.
    case detections
    /// What is largest and nearest in the maps is looked for, and nothing else.
    case focus
    /// The movie is written.
    case movie
  }

  /// The stage.
  public var stage: Stage
  /// How many frames are done. A stage begins with a report of 0.
  public var completedFrames: Int
  /// How many there are; `nil` while that is not known.
  public var frameCount: Int?
  /// When the stage began.
  public var start: ContinuousClock.Instant
  /// Whether the stage has ended well; of one that fails there is no last report.
  public var isFinished = false
}

/// Where the work tells what it does.
package struct ImportEvents: Sendable {
  package let note: Notes
  private let handler: @Sendable (ImportEvent) -> Void

  /// - Parameter handler: is called on the thread that works, one call after the other.
  package init(_ handler: @escaping @Sendable (ImportEvent) -> Void) {
    self.handler = handler
    note = Notes { handler(.note($0)) }
  }

  /// Begins a stage.
  ///
  /// - Parameter frameCount: `nil` while that is not known.
  func begin(_ stage: ImportProgress.Stage, frameCount: Int? = nil) -> StageCounter {
    StageCounter(
      ImportProgress(
        stage: stage, completedFrames: 0, frameCount: frameCount, start: ContinuousClock.now),
      handler)
  }
}

/// Counts the frames of a stage, and tells each.
struct StageCounter: Sendable {
  private var progress: ImportProgress
  private let handler: @Sendable (ImportEvent) -> Void

  fileprivate init(_ progress: ImportProgress, _ handler: @escaping @Sendable (ImportEvent) -> Void)
  {
    (self.progress, self.handler) = (progress, handler)
    handler(.progress(progress))
  }

  var done: Int { progress.completedFrames }

  /// Says how many frames there will be.
  mutating func expect(_ frameCount: Int?) { progress.frameCount = frameCount }

  mutating func advance() {
    progress.completedFrames += 1
    handler(.progress(progress))
  }

  func finish() {
    var end = progress
    end.isFinished = true
    handler(.progress(end))
  }
}

/// Ends work whose task was cancelled.
///
/// - Throws: `cancelled`.
func checkCancellation(of name: String) throws(CinematicError) {
  guard !Task.isCancelled else {
    throw CinematicError(.cancelled, "the work on \(name) was cancelled")
  }
}
