// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalBoxes
import FocalCaptions
import FocalCommands
import FocalCore
import FocalMedia
import Foundation

struct CaptionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "captions",
    abstract: "Look at caption files, convert, validate and shift them, draw them over pictures.",
    discussion: """
      Files are Scenarist captions (.scc), iTunes Timed Text (.itt), TTML and IMSC text (.ttml, .xml, \
      .dfxp), WebVTT (.vtt) and SubRip (.srt), or the tracks of a movie. Content that captions do not have is skipped and \
      named with its line; with --strict it is an error.
      """,
    subcommands: [
      CaptionsInfoCommand.self, CaptionsConvertCommand.self, CaptionsValidateCommand.self,
      CaptionsShiftCommand.self, CaptionsPreviewCommand.self, CaptionsBurnCommand.self,
    ])
}

/// A caption file to be read.
struct CaptionInput: ParsableArguments {
  @Argument(help: "The caption file, or a movie with captions.")
  var file: String
  @Flag(help: "Whatever would be skipped, mended or lost is an error.")
  var strict = false
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The channel of a .scc file's field: 1 or 2.", valueName: "channel"))
  var channel: Int = 1
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Of a movie: which of its tracks of captions, from 1.", valueName: "n"))
  var track: Int?

  func validate() throws {
    if let track, track < 1 || !MovieCaptions.isMovie(file) {
      throw ValidationError("--track takes a number from 1 on, and belongs to a movie")
    }
    guard CEA608.Channel(rawValue: channel) != nil else {
      throw ValidationError("--channel takes 1 or 2")
    }
  }

  func document() throws(CinematicError) -> CaptionDocument {
    guard !MovieCaptions.isMovie(file) else {
      let document = try MovieCaptions.document(of: file, track: track ?? 1)
      if strict, let issue = document.issues.first {
        throw CinematicError(
          .malformed, "\(file), \(issue)", remedy: "mend it, or read it without --strict")
      }
      return document
    }
    var options = CaptionReadingOptions()
    options.isStrict = strict
    options.channel = CEA608.Channel(rawValue: channel) ?? .one
    return try Self.document(file, options)
  }

  /// Reads a file; its name tells what the bytes leave open.
  static func document(
    _ file: String, _ options: CaptionReadingOptions = CaptionReadingOptions()
  ) throws(CinematicError) -> CaptionDocument {
    var options = options
    options.name = file
    let source = FileByteSource(path: file)
    let size = try source.fileSize()
    guard size <= CaptionDocument.maximumByteCount else {
      throw CinematicError(
        .unsupported, "\(file) has \(size) bytes, more than captions have",
        remedy: "name a caption file")
    }
    let bytes = [UInt8](try source.bytes(0..<size))
    let named = CaptionFormat(path: file)
    return try CaptionDocument(
      reading: bytes, format: named == .ttml ? nil : named, options: options)
  }

  /// Says what was skipped.
  func tell(_ issues: [CaptionIssue]) { for issue in issues { note("\(file), \(issue)") } }
}

/// How time codes count that are written.
struct CaptionRateOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Frames a second of the time codes in .scc, .itt and .ttml; as in the file by default.",
      valueName: "rate"), transform: FrameRateArgument.init(parsing:))
  var frameRate: FrameRateArgument?
  @Flag(help: "Count drop frame.")
  var dropFrame = false

  /// The rate; `nil` for the file's own.
  func rate(_ document: CaptionDocument) throws(CinematicError) -> TimeCodeRate? {
    guard frameRate != nil || dropFrame else { return nil }
    let duration =
      frameRate?.duration ?? document.timeCodeRate?.frameDuration ?? TimeCodeRate.ntsc.frameDuration
    return try TimeCodeRate(frameDuration: duration, dropFrame: dropFrame)
  }
}

/// A caption file to be written.
struct CaptionOutput: ParsableArguments {
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The file to write; its ending chooses the format.", valueName: "file"))
  var output: String
  @Flag(help: "Replace an existing output.")
  var force = false

  /// - Throws: `invalidParameter` for an ending of no caption format, or the file that is read.
  static func format(of output: String, input: String) throws(CinematicError) -> CaptionFormat {
    try KeptInputs.check(output, inputs: [input])
    guard let format = CaptionFormat(path: output) else {
      throw CinematicError(
        .invalidParameter, "\(output) is not the name of a caption file",
        remedy: "end it in .scc, .itt, .ttml, .vtt or .srt")
    }
    return format
  }

  /// Writes a file, which appears under its name only when it is whole.
  static func write(_ bytes: [UInt8], to path: String, force: Bool) throws(CinematicError) {
    let writer = try DataWriter(path: path, overwrite: force)
    defer { writer.cancel() }
    try writer.write(bytes)
    try writer.finish()
  }
}
