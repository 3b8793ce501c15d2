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
      named with its line and as a note, a warning or an error; with --strict all but notes end the command. Exit codes: 0, \
      1 for what cannot be done and for what validate finds, 64 for a wrong command line.
      """,
    subcommands: [
      CaptionsInfoCommand.self, CaptionsConvertCommand.self, CaptionsValidateCommand.self,
      CaptionsShiftCommand.self, CaptionsPreviewCommand.self, CaptionsBurnCommand.self,
    ])
}

extension CaptionFormat: ExpressibleByArgument {}

/// A caption file to be read.
struct CaptionInput: ParsableArguments {
  @Argument(help: "The caption file, a movie with captions, or - for standard input.")
  var file: String
  @Option(
    help: ArgumentHelp(
      "The format that is read: by default what the name or the bytes say.", valueName: "format"))
  var inputFormat: CaptionFormat?
  @Option(
    help: ArgumentHelp(
      "The encoding of a SubRip or WebVTT file as iconv names it, such as windows-1251 or Shift_JIS."
        + " (default: UTF-8, or what the file's first bytes say)", valueName: "name"))
  var encoding: String?
  @Flag(
    help:
      "Whatever would be skipped, mended or lost is an error, but for notes: comments, identifiers and what else is not seen."
  )
  var strict = false
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The channel of CEA-608, in a .scc file or a movie: 1 or 2.", valueName: "channel"))
  var channel: Int?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The field of a movie's CEA-608: 1 or 2. (default: 1, or 2 where it alone has captions)",
      valueName: "field"))
  var field: Int?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Of a movie: which of its tracks of captions, from 1.", valueName: "n"))
  var track: Int?

  func validate() throws {
    if let track, track < 1 || !MovieCaptions.isMovie(file) {
      throw ValidationError("--track takes a number from 1 on, and belongs to a movie")
    }
    if let channel, CEA608.Channel(rawValue: channel) == nil {
      throw ValidationError("--channel takes 1 or 2")
    }
    if let field, CEA608.Field(rawValue: field) == nil || !MovieCaptions.isMovie(file) {
      throw ValidationError("--field takes 1 or 2, and belongs to a movie")
    }
    if inputFormat != nil, MovieCaptions.isMovie(file) {
      throw ValidationError("--input-format is for caption files, and \(file) is a movie")
    }
    if encoding != nil, MovieCaptions.isMovie(file) {
      throw ValidationError("--encoding is for caption files, and \(file) is a movie")
    }
  }

  /// The channel that is read, and written again.
  var fieldChannel: CEA608.Channel { channel.flatMap(CEA608.Channel.init) ?? .one }

  func document() throws(CinematicError) -> CaptionDocument {
    var options = CaptionReadingOptions()
    options.channel = fieldChannel
    options.field = field.flatMap(CEA608.Field.init)
    guard !MovieCaptions.isMovie(file) else {
      let document = try MovieCaptions.document(of: file, track: track ?? 1, options: options)
      if strict, let issue = document.issues.first(where: { $0.severity > .note }) {
        throw CinematicError(
          .malformed, "\(file), \(issue)", remedy: "mend it, or read it without --strict")
      }
      return document
    }
    options.isStrict = strict
    options.encoding = encoding
    return try Self.document(file, options, as: inputFormat)
  }

  /// - Throws: `invalidParameter` for a channel of captions that have none.
  func checkChannel(_ document: CaptionDocument) throws(CinematicError) {
    guard channel != nil || field != nil, document.format != .scc else { return }
    let option = channel != nil ? "--channel" : "--field"
    throw CinematicError(
      .invalidParameter,
      MovieCaptions.isMovie(file)
        ? "\(option) is for CEA-608, and track \(track ?? 1) of \(file) has other captions"
        : "\(option) is for .scc files, and \(file) is .\(document.format.rawValue)",
      remedy: "leave it out")
  }

  /// Reads a file; its name tells what the bytes leave open.
  static func document(
    _ file: String, _ options: CaptionReadingOptions = CaptionReadingOptions(),
    as format: CaptionFormat? = nil
  ) throws(CinematicError) -> CaptionDocument {
    var options = options
    options.name = PipePath.inputName(file)
    if PipePath.isPipe(file) {
      return try CaptionDocument(reading: piped(file), format: format, options: options)
    }
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
      reading: bytes, format: format ?? (named == .ttml ? nil : named), options: options)
  }

  /// All that comes through a pipe.
  private static func piped(_ path: String) throws(CinematicError) -> [UInt8] {
    try PipePath.checkInput(path)
    let handle =
      path == PipePath.standard ? FileHandle.standardInput : FileHandle(forReadingAtPath: path)
    var bytes: [UInt8] = []
    do {
      while let part = try handle?.read(upToCount: 1 << 16), !part.isEmpty,
        bytes.count <= CaptionDocument.maximumByteCount
      {
        bytes += part
      }
    } catch {
      throw CinematicError(.unreadable, "cannot read \(PipePath.inputName(path)): \(error)")
    }
    return bytes
  }

  /// Says what was skipped.
  func tell(_ issues: [CaptionIssue]) { note(issues, of: PipePath.inputName(file)) }
}

/// Says issues of captions in a line each, and of many that are alike how many there are.
///
/// - Parameter name: the file's, or what else they are of.
func note(_ issues: [CaptionIssue], of name: String) {
  for issue in CaptionIssue.shortened(issues) { note("\(name), \(issue)") }
}

/// How time codes count that are written.
struct CaptionRateOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Frames a second of the time codes in .scc, .itt and .ttml; as in the file by default.",
      valueName: "rate"), transform: FrameRateArgument.init(parsing:))
  var frameRate: FrameRateArgument?
  @Flag(help: "Count drop frame.")
  var dropFrame = false

  /// - Throws: `invalidParameter` for a rate of what has no time codes.
  func check(_ format: CaptionFormat) throws(CinematicError) {
    guard frameRate != nil || dropFrame, format == .webVTT || format == .subRip else { return }
    throw CinematicError(
      .invalidParameter,
      "\(frameRate == nil ? "--drop-frame" : "--frame-rate") is for time codes, and"
        + " .\(format.rawValue) has none",
      remedy: "leave it out, or write .scc, .itt or .ttml")
  }

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
    help: ArgumentHelp(
      "The file to write; its ending chooses the format. - for standard output.", valueName: "file")
  )
  var output: String
  @Option(
    help: ArgumentHelp(
      "The format that is written: by default what the ending says.", valueName: "format"))
  var format: CaptionFormat?
  @OptionGroup var overwriting: OverwriteOptions

  /// - Throws: `invalidParameter` for an ending of no caption format, or the file that is read.
  static func format(
    of output: String, input: String, named: CaptionFormat? = nil
  ) throws(CinematicError) -> CaptionFormat {
    try KeptInputs.check(output, inputs: [input])
    if let named { return named }
    if PipePath.isPipe(output) {
      throw CinematicError(
        .invalidParameter, "\(PipePath.outputName(output)) has no ending that says its format",
        remedy: "give --format scc, itt, ttml, vtt or srt")
    }
    guard let format = CaptionFormat(path: output) else {
      throw CinematicError(
        .invalidParameter, "\(output) is not the name of a caption file",
        remedy: "end it in .scc, .itt, .ttml, .vtt or .srt")
    }
    return format
  }

  /// Writes a file, which appears under its name only when it is whole.
  static func write(_ bytes: [UInt8], to path: String, overwrite: Bool) throws(CinematicError) {
    let writer = try DataWriter(path: path, overwrite: overwrite)
    defer { writer.cancel() }
    try writer.write(bytes)
    try writer.finish()
  }
}
