// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalBoxes
import FocalCinematic
import FocalCommands
import FocalCore
import FocalMedia
import FocalScript
import Foundation
import Synchronization

struct ScriptCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "script",
    abstract: "Look at a focus script, decide anew, and undo.",
    discussion: """
      SCRIPT.json says what was detected and decided; CHANGES holds edits, apart from it. Times are \
      seconds (4.2), exact fractions (2520/600), ticks of the script's timescale (2520t) or frame \
      numbers (126f).
      """,
    subcommands: [
      ScriptShowCommand.self, ScriptDecideCommand.self, ScriptSetCommand.self,
      ScriptUndoCommand.self, ScriptDirectCommand.self, ScriptTrackCommand.self,
      ScriptDetectCommand.self,
      ScriptPlotCommand.self,
    ])
}

/// A script, and the movie that carries it.
struct OpenedScript {
  var name: String
  var script: Script
  /// `nil` for a script in a file of its own.
  var movie: MovieScript?

  /// From detections, which lie as the movie is stored, to the picture as shown.
  var turn: QuarterTurn { movie?.info.preferredTransform ?? .identity }
}

/// The files of a script.
enum ScriptFile {
  /// A script of its own file, or the one that a Cinematic movie carries, in a file or on a server.
  ///
  /// - Throws: the library's error, with the file's name.
  static func open(_ path: String, changes: String? = nil) throws(CinematicError) -> OpenedScript {
    if let piped = try piped(path) {
      return OpenedScript(name: path, script: try script(piped, path, changes: changes))
    }
    let asset = try asset(path)
    let data = try waiting { () async throws(CinematicError) -> Data? in
      guard await !asset.beginsAsMovie() else { return nil }
      return Data(try await asset.source.read(0..<asset.source.byteCount()))
    }
    guard let data else { return try open(asset, changes: changes) }
    return OpenedScript(name: path, script: try script(data, path, changes: changes))
  }

  /// The script of ``open(_:changes:)``.
  static func script(at path: String, changes: String? = nil) throws(CinematicError) -> Script {
    try open(path, changes: changes).script
  }

  private static func script(
    _ data: Data, _ path: String, changes: String?
  ) throws(CinematicError) -> Script {
    var unknownKeys: [String] = []
    let recording = try named(path) { () throws(CinematicError) in
      try Recording(jsonRepresentation: data, unknownKeys: &unknownKeys)
    }
    if !unknownKeys.isEmpty {
      let (key, has) = unknownKeys.count == 1 ? ("key", "has") : ("keys", "have")
      note(
        "\(path): the \(key) \(unknownKeys.map { "\"\($0)\"" }.joined(separator: ", ")) \(has) no meaning in a"
          + " focus script, and \(unknownKeys.count == 1 ? "is" : "are") left out of what is written"
      )
    }
    let script = try changed(recording, of: path, by: changes)
    let lost = script.decisionsWithoutEffect
    if !lost.isEmpty {
      note(
        "\(path): \(counted(lost.count, "decision")) \(lost.count == 1 ? "has" : "have") no effect: "
          + lost.joined(separator: "; "))
    }
    return script
  }

  /// The script of a movie, else one that holds a focus: a file of another kind is an error.
  static func script(of movie: Asset, changes: String? = nil) throws(CinematicError) -> Script {
    try open(movie, changes: changes).script
  }

  /// As ``script(of:changes:)``, with the movie.
  static func open(
    _ asset: Asset, changes: String?
  ) throws(CinematicError) -> OpenedScript {
    let (movie, recording) = try waiting { () async throws(CinematicError) in
      let movie = try await MovieScript(asset: asset)
      return (movie, try await movie.recordingOrSteady())
    }
    return OpenedScript(
      name: asset.name, script: try changed(recording, of: asset.name, by: changes), movie: movie)
  }

  /// The asset of a path or an address: one a command, so that a file is opened once.
  static func asset(_ path: String) throws(CinematicError) -> Asset {
    if let known = assets.withLock({ $0[path] }) { return known }
    let asset = try Asset.named(path)
    assets.withLock { $0[path] = asset }
    return asset
  }

  private static let assets = Mutex<[String: Asset]>([:])

  private static func changed(
    _ recording: Recording, of name: String, by changes: String?
  ) throws(CinematicError) -> Script {
    guard let changes else { return try Script(recording: recording) }
    let data = try data(at: changes)
    return try named(changes) { () throws(CinematicError) in
      let known = try Script.Changes(dataRepresentation: data)
      guard known.identity == recording.identity else {
        throw CinematicError(
          .incompatible, "these changes were made to another script than that of \(name)",
          remedy: "apply them to the script or the movie that they were made to")
      }
      return try Script(recording: recording, changes: known)
    }
  }

  static func write(_ script: Script, to path: String, overwrite: Bool) throws(CinematicError) {
    try write(try script.flattened().jsonRepresentation(), to: path, overwrite: overwrite)
  }

  /// Appears under its name only when whole; an existing file stays unless `overwrite`.
  static func write(_ data: Data, to path: String, overwrite: Bool) throws(CinematicError) {
    try begin(path, overwrite: overwrite).finish(data)
  }

  /// Begins a file, in a folder that is made where there is none.
  static func begin(_ path: String, overwrite: Bool) throws(CinematicError) -> DataWriter {
    if path == PipePath.standard { Results.moveToStandardError() }
    try MadeFolders.shared.makeFolder(of: path)
    return try DataWriter(path: path, overwrite: overwrite)
  }

  private static func data(at path: String) throws(CinematicError) -> Data {
    if let piped = try piped(path) { return piped }
    let source = FileByteSource(path: path)
    try checkSize(Int(clamping: try source.fileSize()), path)
    return Data(try source.bytes(0..<source.fileSize()))
  }

  /// All that comes out of a pipe, such as `-` or `<(command)`; `nil` where there is none.
  private static func piped(_ path: String) throws(CinematicError) -> Data? {
    guard PipePath.isPipe(path) else { return nil }
    try PipePath.checkInput(path)
    do {
      let handle =
        path == PipePath.standard
        ? FileHandle.standardInput : try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      var data = Data()
      while let part = try handle.read(upToCount: 1 << 20), !part.isEmpty {
        data.append(part)
        // It may have no end.
        try checkSize(data.count, path)
      }
      return data
    } catch let error as CinematicError {
      throw error
    } catch {
      throw .cannotRead(path, EIO)
    }
  }

  /// A day of faces in every frame is less.
  private static let mostBytes = 1 << 30

  /// Refuses what is no script, and scripts that memory may not hold: what is in them takes several times as much as their
  /// text.
  private static func checkSize(_ byteCount: Int, _ path: String) throws(CinematicError) {
    let name = path == PipePath.standard ? "standard input" : path
    guard byteCount <= mostBytes else {
      throw CinematicError(
        .malformed, "\(name) has more than \(MemoryBudget.text(mostBytes)), and is no script",
        remedy: "use the file as focal script or focal sample wrote it")
    }
    try MemoryBudget.check(byteCount, share: 8, for: "the script \(name)")
  }

  private static func named<Result>(
    _ path: String, _ body: () throws(CinematicError) -> Result
  ) throws(CinematicError) -> Result {
    do throws(CinematicError) {
      return try body()
    } catch {
      throw CinematicError(
        error.code, "\(path): \(error.message)",
        remedy: error.toldRemedy ?? "use the file as focal script or focal sample wrote it")
    }
  }
}

extension DataWriter {
  /// Writes all that the file is to hold, and gives it its name.
  func finish(_ data: Data) throws(CinematicError) {
    defer { cancel() }
    try write([UInt8](data))
    try finish()
  }
}

extension Script {
  /// Ticks a second of the script's own file.
  var timescale: Int32 { max(timeRange.start.timescale, timeRange.duration.timescale) }

  func time(_ argument: TimeArgument) throws(CinematicError) -> Time {
    try argument.time(in: recording.frameTimes, timescale: timescale)
  }

  /// The error for a time outside of the script.
  func lacks(_ time: Time) -> CinematicError { lacks("\(time.secondsText) s lies") }

  /// The error for a range of which no part lies in the script.
  func lacks(_ range: TimeRange) -> CinematicError {
    lacks("all from \(range.start.secondsText) to \(range.end.secondsText) s lies")
  }

  private func lacks(_ subject: String) -> CinematicError {
    // Of the script's own, such as can be given.
    let times = recording.frameTimes
    let frame = times.count / 2
    let ticks = times.isEmpty ? 0 : times[frame].converted(to: timescale).value
    return CinematicError(
      .invalidParameter,
      "\(subject) outside of the script, which goes from \(timeRange.start.secondsText) to"
        + " before \(timeRange.end.secondsText) s",
      remedy: "give seconds, ticks such as \(ticks)t, or a frame such as \(frame)f")
  }
}
