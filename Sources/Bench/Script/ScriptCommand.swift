// SPDX-License-Identifier: Apache-2.0

import FocalCommands
import ArgumentParser
import FocalCinematic
import FocalCore
import FocalMedia
import FocalScript
import Foundation

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
      ScriptShowCommand.self, ScriptDecideCommand.self, ScriptUndoCommand.self,
      ScriptDirectCommand.self, ScriptTrackCommand.self, ScriptPlotCommand.self,
    ])
}

/// The files of a script.
enum ScriptFile {
  /// - Throws: the library's error, with the file's name.
  static func script(at path: String, changes: String? = nil) throws(CinematicError) -> Script {
    let recording = try recording(at: path)
    guard let changes else { return try Script(recording: recording) }
    return try named(changes) { () throws(CinematicError) in
      try Script(
        recording: recording,
        changes: try Script.Changes(dataRepresentation: try data(at: changes)))
    }
  }

  /// A script's own file, or a Cinematic movie that carries one, in a file or on a server.
  private static func recording(at path: String) throws(CinematicError) -> Recording {
    if HTTPByteSource.isAddress(path) || Asset.isMovieFile(path) {
      return try waiting { () async throws(CinematicError) in
        try await MovieScript(asset: Asset.named(path)).recordingOrSteady()
      }
    }
    return try named(path) { () throws(CinematicError) in
      try Recording(jsonRepresentation: try data(at: path))
    }
  }

  static func write(_ script: Script, to path: String, replace: Bool) throws(CinematicError) {
    try write(try script.flattened().jsonRepresentation(), to: path, replace: replace)
  }

  /// Appears under its name only when whole; an existing file stays unless `replace`.
  static func write(_ data: Data, to path: String, replace: Bool) throws(CinematicError) {
    let writer = try DataWriter(path: path, overwrite: replace)
    defer { writer.cancel() }
    try writer.write([UInt8](data))
    try writer.finish()
  }

  private static func data(at path: String) throws(CinematicError) -> Data {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue
    else {
      throw CinematicError(
        .unreadable, isFolder.boolValue ? "it is a folder" : "there is no such file",
        remedy: "check the name")
    }
    do {
      return try Data(contentsOf: URL(fileURLWithPath: path), options: .mappedIfSafe)
    } catch {
      throw CinematicError(.unreadable, "it cannot be read", remedy: "check its permissions")
    }
  }

  private static func named<Result>(
    _ path: String, _ body: () throws(CinematicError) -> Result
  ) throws(CinematicError) -> Result {
    do throws(CinematicError) {
      return try body()
    } catch {
      throw CinematicError(
        error.code, "\(path): \(error.message)",
        remedy: error.remedy ?? "use the file as focal script or focal sample wrote it")
    }
  }
}

extension Script {
  /// Ticks a second of the script's own file.
  var timescale: Int32 { max(timeRange.start.timescale, timeRange.duration.timescale) }

  func time(_ argument: TimeArgument) throws(CinematicError) -> Time {
    try argument.time(in: recording.frameTimes, timescale: timescale)
  }

  /// The error for a time outside of the script.
  func lacks(_ time: Time) -> CinematicError { lacks("\(time.seconds) s lies") }

  /// The error for a range of which no part lies in the script.
  func lacks(_ range: TimeRange) -> CinematicError {
    lacks("all from \(range.start.seconds) to \(range.end.seconds) s lies")
  }

  private func lacks(_ subject: String) -> CinematicError {
    CinematicError(
      .invalidParameter,
      "\(subject) outside of the script, which goes from \(timeRange.start.seconds) to"
        + " before \(timeRange.end.seconds) s",
      remedy: "give seconds, 2400t for ticks or 80f for a frame")
  }
}
