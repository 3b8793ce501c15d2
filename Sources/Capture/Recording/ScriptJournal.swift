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
  /// Where a journal went that lay there, of a recording that is no longer there.
  let earlier: String?
  private var file: FileHandle?
  private let encoder = JSONEncoder()

  /// - Parameter movie: the name that the movie will have; its recording has begun, and is the only one of its name.
  /// - Throws: `unwritable`.
  init(for movie: String, fNumber: Float, look: Look) throws(CinematicError) {
    let recording = InterruptedRecording.path(for: movie)
    let path = Self.path(of: recording)
    self.path = path
    var (descriptor, number) = Self.create(path)
    if number == EEXIST {
      earlier = try Self.moveAside(recording)
      (descriptor, number) = Self.create(path)
    } else {
      earlier = nil
    }
    guard descriptor >= 0 else {
      throw CinematicError(
        .unwritable, "cannot write \(path): \(String(cString: strerror(number)))",
        remedy: "choose a folder that you may write to")
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

  /// - Returns: a descriptor, or a negative number and why there is none.
  private static func create(_ path: String) -> (descriptor: Int32, error: Int32) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    return (descriptor, descriptor >= 0 ? 0 : errno)
  }

  /// Gives the journal of a recording that is no longer there another name, which no file has:
  /// `clip.recording.mov.1.focus`.
  ///
  /// - Returns: the name.
  /// - Throws: `unwritable`.
  static func moveAside(_ recording: String) throws(CinematicError) -> String {
    let path = Self.path(of: recording)
    var number = EEXIST
    for place in 1..<1000 where number == EEXIST {
      let name = "\(recording).\(place).focus"
      number = TemporaryFiles.renameNew(path, name)
      if number == 0 { return name }
    }
    throw CinematicError(
      .unwritable, "cannot rename \(path): \(String(cString: strerror(number)))",
      remedy: "move it away")
  }

  /// Adds a frame.
  ///
  /// - Throws: `unwritable` for the first line that cannot be written, `invalidParameter` for one of which there is no
  ///   JSON: it ends the journal, not the movie.
  func add(_ entry: RecordingEntry) throws(CinematicError) { try add(entry as any Encodable) }

  private func add(_ line: any Encodable) throws(CinematicError) {
    guard let file else { return }
    let bytes: Data
    do {
      bytes = try encoder.encode(line) + [UInt8(ascii: "\n")]
    } catch {
      self.file = nil
      throw CinematicError(
        .invalidParameter, "\(path) cannot hold a number that is not finite")
    }
    do {
      try file.write(contentsOf: bytes)
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

  /// What a journal says of a movie.
  struct Contents {
    /// The script.
    var script: [UInt8]
    /// Those frames of which it says what a renderer needs, in order.
    var frames: [MovieReviser.Frame]
    /// Lines that cannot be read, but for the last one, amid which a program ended.
    var damagedLineCount: Int
  }

  /// Reads a journal.
  ///
  /// - Parameter frames: how many frames the movie has.
  /// - Throws: `malformed` for one without a frame that can be read, `unreadable`, `unsupported`.
  static func read(_ path: String, frames: Int) throws(CinematicError) -> Contents {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw CinematicError(
        .unreadable, "cannot read \(path)", remedy: "check that you may read it")
    }
    let lines = data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let decoder = JSONDecoder()
    guard lines.count > 1, let head = try? decoder.decode(Head.self, from: lines[0]) else {
      throw CinematicError(.malformed, "the first line of \(path) cannot be read")
    }
    var log = RecordingLog()
    var attributes: [MovieReviser.Frame] = []
    var damaged = 0
    for (number, line) in lines.enumerated().dropFirst().prefix(frames) {
      let entry = try? decoder.decode(RecordingEntry.self, from: line)
      guard let entry, attributes.last.map({ entry.time.time > $0.timeRange.start }) ?? true else {
        if number + 1 < lines.count { damaged += 1 }
        continue
      }
      log.add(entry)
      attributes.append(
        MovieReviser.Frame(
          timeRange: TimeRange(start: entry.time.time, end: log.duration),
          focusDisparity: entry.focusDisparity, fNumber: head.fNumber))
    }
    guard !attributes.isEmpty else {
      throw CinematicError(.malformed, "\(path) has no line of a frame that can be read")
    }
    var look = Look()
    for (name, json) in head.look { look[name] = json }
    do throws(CinematicError) {
      let recording = try log.recording(fNumber: head.fNumber, look: look)
      return Contents(
        script: [UInt8](try recording.jsonRepresentation()), frames: attributes,
        damagedLineCount: damaged)
    } catch {
      guard error.code == .invalidParameter else { throw error }
      throw CinematicError(.malformed, "what \(path) says is no script: \(error.message)")
    }
  }
}
