// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCore
import FocalMedia
import FocalScript
import Foundation

/// The recordings that a session left when it ended before its movies did.
public enum InterruptedCapture {
  /// Finishes a recording, as `InterruptedRecording` does, and gives an editable movie the detections and decisions up
  /// to its last frame. The movie gets its name when it has them: until then the same call goes on where this one ended.
  ///
  /// - Parameter temporaryFiles: where unfinished files are registered.
  /// - Returns: the movie; `nil` for a recording that held nothing yet, which is removed.
  /// - Throws: as `InterruptedRecording.recover`; `unsupported` and `malformed` for detections and decisions that cannot
  ///   become part of the movie, or not all of them. The movie then has its name, without them or with the others, and
  ///   the journal is kept beside it under another (`clip.recording.mov.1.focus`), which the error names.
  public static func recover(
    _ recording: String, temporaryFiles: TemporaryFiles = .shared
  ) async throws(CinematicError) -> String? {
    let recovered = try await finish(recording, leavesName: false, temporaryFiles)
    if let lack = recovered?.lack { throw lack }
    return recovered?.movie
  }

  /// A movie that has its name.
  struct Recovered: Sendable {
    var movie: String
    /// Why it has not all detections and decisions that there were.
    var lack: CinematicError?
  }

  /// - Parameter leavesName: whether the movie's name stays free for the one that is recorded next.
  static func finish(
    _ recording: String, leavesName: Bool, _ temporaryFiles: TemporaryFiles
  ) async throws(CinematicError) -> Recovered? {
    let journal = ScriptJournal.path(of: recording)
    guard let whole = try InterruptedRecording.finish(recording) else {
      try? FileManager.default.removeItem(atPath: journal)
      return nil
    }
    var lack: Lack?
    if FileManager.default.fileExists(atPath: journal) {
      do throws(CinematicError) {
        lack = try await add(journal, to: recording, temporaryFiles)
      } catch {
        // It would be the same the next time.
        guard [.unsupported, .malformed].contains(error.code) else { throw error }
        lack = Lack(error: error, kept: "no detections and decisions")
      }
      // The movie has what it says: without its name, it is finished the next time all the same.
      if lack == nil { try? FileManager.default.removeItem(atPath: journal) }
    }
    let movie = try whole.publish(leavesName: leavesName)
    return Recovered(
      movie: movie, lack: lack.map { $0.named(movie, journal: movedAside(recording)) })
  }

  /// What a movie lacks of its journal.
  private struct Lack {
    var error: CinematicError
    /// What it has.
    var kept: String

    func named(_ movie: String, journal: String) -> CinematicError {
      error.replacing(
        message: "\(error.message): \(movie) has \(kept), and its journal is kept as \(journal)")
    }
  }

  /// Where the journal of a recording is that has become a movie.
  private static func movedAside(_ recording: String) -> String {
    (try? ScriptJournal.moveAside(recording)) ?? ScriptJournal.path(of: recording)
  }

  /// Puts what a journal says into its movie.
  ///
  /// - Returns: what the movie lacks of it; `nil` for nothing.
  private static func add(
    _ journal: String, to recording: String, _ temporaryFiles: TemporaryFiles
  ) async throws(CinematicError) -> Lack? {
    let reader = try await MovieScript(asset: Asset(path: recording)).reader
    let count = reader.frameCount
    let contents = try ScriptJournal.read(journal, frames: count)
    var frames = contents.frames
    // Of the others the movie's own metadata say the same.
    if frames.count < count {
      let own = try await ownFrames(reader)
      if own.count > frames.count { frames = own }
    }
    try MovieReviser.write(
      recording, to: recording, frames: frames, script: contents.script, overwrite: true,
      temporaryFiles: temporaryFiles)
    let damaged = contents.damagedLineCount
    // A line is written before its frame: a journal that could be kept is as long as its movie.
    guard damaged > 0 || contents.frames.count < count else { return nil }
    return Lack(
      error: CinematicError(
        .malformed,
        damaged > 0
          ? "lines of \(journal) cannot be read (\(damaged))" : "\(journal) ends before its movie"),
      kept: "the detections and decisions of \(contents.frames.count) of its \(count) frames")
  }

  /// What a renderer needs of each frame, as it was recorded.
  private static func ownFrames(
    _ reader: CinematicReader
  ) async throws(CinematicError) -> [MovieReviser.Frame] {
    var frames: [MovieReviser.Frame] = []
    for number in 0..<reader.metadataGroupCount {
      let group = try await reader.metadataGroup(number)
      guard let attributes = group.renderingAttributes else { continue }
      frames.append(
        MovieReviser.Frame(
          timeRange: group.timeRange, focusDisparity: attributes.focusDisparity,
          fNumber: attributes.fNumber))
    }
    return frames
  }
}
