// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCore
import FocalMedia
import FocalScript
import Foundation

/// The focus script of a movie that is being recorded, a line a frame, beside the movie: a script becomes part of a movie
/// when that is whole, and a program that is killed comes not so far.
final class ScriptJournal {
  /// The values that all frames have in common: the first line.
  private struct Head: Codable {
    var fNumber: Float
    var look: [String: String]
  }

  /// Where the journal of a recording lies: `clip.recording.mov.focus`.
  static func path(of recording: String) -> String { recording + ".focus" }

  let path: String
  private var file: FileHandle?
  private let encoder = JSONEncoder()

  /// - Parameter movie: the name that the movie will have.
  /// - Throws: `unwritable`, also where another recording's journal is there, which stays.
  init(for movie: String, fNumber: Float, look: Look) throws(CinematicError) {
    path = Self.path(of: InterruptedRecording.path(for: movie))
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else {
      guard errno == EEXIST else {
        throw CinematicError(
          .unwritable, "cannot write \(path)", remedy: "choose a folder that you may write to")
      }
      throw CinematicError(
        .unwritable, "\(path) is there, and another recording's", remedy: "move it away")
    }
    file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    let head = Head(
      fNumber: fNumber,
      look: Dictionary(uniqueKeysWithValues: look.fields.map { ($0.name, $0.json) }))
    do throws(CinematicError) {
      try add(head as any Encodable)
    } catch {
      remove()
      throw error
    }
  }

  /// Adds a frame.
  ///
  /// - Throws: `unwritable` for the first line that cannot be written: it ends the journal, not the movie.
  func add(_ entry: RecordingEntry) throws(CinematicError) { try add(entry as any Encodable) }

  private func add(_ line: any Encodable) throws(CinematicError) {
    guard let file else { return }
    do {
      try file.write(contentsOf: try encoder.encode(line) + [UInt8(ascii: "\n")])
    } catch {
      self.file = nil
      throw CinematicError(
        .unwritable, "cannot write \(path): \(error.localizedDescription)", remedy: "make room")
    }
  }

  /// The movie has its script.
  func remove() {
    file = nil
    try? FileManager.default.removeItem(atPath: path)
  }

  /// Reads a journal up to its last whole line.
  ///
  /// - Parameter frames: how many frames the movie has.
  /// - Returns: the script, and what a renderer needs of each frame; `nil` for a journal without frames.
  static func read(
    _ path: String, frames: Int
  ) throws(CinematicError) -> (script: [UInt8], frames: [MovieReviser.Frame])? {
    guard let data = FileManager.default.contents(atPath: path) else { return nil }
    var lines = data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: true)[...]
    let decoder = JSONDecoder()
    guard let first = lines.popFirst(), let head = try? decoder.decode(Head.self, from: first)
    else { return nil }
    var log = RecordingLog()
    var attributes: [MovieReviser.Frame] = []
    for line in lines.prefix(frames) {
      guard let entry = try? decoder.decode(RecordingEntry.self, from: line) else { break }
      log.add(entry)
      attributes.append(
        MovieReviser.Frame(
          timeRange: TimeRange(start: entry.time.time, duration: entry.duration.time),
          focusDisparity: entry.focusDisparity, fNumber: head.fNumber))
    }
    guard !attributes.isEmpty else { return nil }
    var look = Look()
    for (name, json) in head.look { look[name] = json }
    let recording = try log.recording(fNumber: head.fNumber, look: look)
    return ([UInt8](try recording.jsonRepresentation()), attributes)
  }
}

/// The recordings that a session left when it ended before its movies did.
public enum InterruptedCapture {
  /// Finishes a recording, as `InterruptedRecording` does, and gives an editable movie the detections and decisions up
  /// to its last frame. The movie gets its name when it has them: until then the same call goes on where this one ended.
  ///
  /// - Parameter temporaryFiles: where unfinished files are registered.
  /// - Returns: the movie; `nil` for a recording that held nothing yet, which is removed.
  /// - Throws: as `InterruptedRecording.recover`; `unsupported` and `malformed` for detections and decisions that cannot
  ///   become part of the movie, which then has its name without them.
  public static func recover(
    _ recording: String, temporaryFiles: TemporaryFiles = .shared
  ) async throws(CinematicError) -> String? {
    try await recover(recording, leavesName: false, temporaryFiles)
  }

  /// - Parameter leavesName: whether the movie's name stays free for the one that is recorded next.
  static func recover(
    _ recording: String, leavesName: Bool, _ temporaryFiles: TemporaryFiles
  ) async throws(CinematicError) -> String? {
    let journal = ScriptJournal.path(of: recording)
    guard let whole = try InterruptedRecording.finish(recording) else {
      try? FileManager.default.removeItem(atPath: journal)
      return nil
    }
    if FileManager.default.fileExists(atPath: journal) {
      do throws(CinematicError) {
        try await add(journal, to: recording, temporaryFiles)
      } catch {
        // It would be the same the next time.
        if [.unsupported, .malformed].contains(error.code) {
          _ = try whole.publish(leavesName: leavesName)
        }
        throw error
      }
    }
    let movie = try whole.publish(leavesName: leavesName)
    try? FileManager.default.removeItem(atPath: journal)
    return movie
  }

  private static func add(
    _ journal: String, to recording: String, _ temporaryFiles: TemporaryFiles
  ) async throws(CinematicError) {
    let count = try await MovieScript(asset: Asset(path: recording)).reader.frameCount
    guard let (script, frames) = try ScriptJournal.read(journal, frames: count) else { return }
    try MovieReviser.write(
      recording, to: recording, frames: frames, script: script, overwrite: true,
      temporaryFiles: temporaryFiles)
  }
}
