// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCaptionRendering
import FocalCaptions
import FocalCinematic
import FocalCommands
import FocalCore
import FocalImport
import FocalMedia

struct CaptionsBurnCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "burn",
    abstract: "Draw captions into the pictures of a clip.",
    discussion: """
      Captions are drawn in linear light, white as bright as reference white: code 235 of standard range, HLG's 75 %, \
      PQ's 203 cd/m². Frame times, colours, sound and all else stay; pixels that are not drawn on are encoded from \
      the codes that they had. Times count from the clip's start.
      """)

  @OptionGroup var input: CaptionInput
  @Argument(help: "The clip: a movie, or numbered pictures (frames/%04d.png).")
  var clip: String
  @Option(
    name: .shortAndLong,
    help:
      "What to write: .mp4, .mov, .webm, numbered pictures (out/%04d.png), or - for standard output."
  )
  var output: String
  @OptionGroup var overwriting: OverwriteOptions
  @OptionGroup(title: "Look options") var look: CaptionLookOptions
  @OptionGroup var rate: PictureRateOptions
  @OptionGroup(title: "Coding options") var coding: CodingOptions
  @OptionGroup var pictureQuality: PictureQualityOptions
  @OptionGroup var fields: FieldOptions
  @Flag(help: "Leave the sound out.")
  var noSound = false
  @Option(help: StreamArgument.help(usual: "y4m"))
  var format: StreamArgument?
  @OptionGroup var safety: SafetyOptions
  @OptionGroup var report: ReportOptions

  private struct Report: Encodable {
    var event = "done"
    var output: String
    var width: Int
    var height: Int
    var frames: Int
    var captions: Int
    var isToneMapped: Bool
    var missingCharacters: [String]
    /// Whether a text was too long to be drawn whole.
    var isTextCut: Bool
    var issues: [CaptionReport.Issue]
    var seconds: Double
    var cpuSeconds: Double
  }

  func run() throws {
    try KeptInputs.check(output, inputs: [input.file, clip])
    if output == PipePath.standard { Results.moveToStandardError() }
    let document = try input.document()
    try input.checkChannel(document)
    if !report.json { input.tell(document.issues) }
    let done = try interruptible(writing: [output]) {
      try waiting { () async throws(CinematicError) in try await burn(document) }
    }
    if report.json {
      try printJSON(done)
    } else {
      printLine(
        "\(PipePath.outputName(done.output)): \(counted(done.frames, "frame")) of \(done.width)x\(done.height),"
          + " \(counted(done.captions, "caption"))")
    }
  }

  private func burn(_ document: CaptionDocument) async throws(CinematicError) -> Report {
    let start = ContinuousClock.now
    let usage = ProcessUsage.current
    var options = ReadOptions(stillDuration: rate.frameDuration)
    options.interlacing = fields.interlacing
    let pictures = try await FrameReader.open(clip, options: options)
    let source = pictures.properties
    try checkFields(fields.given, source, of: clip)
    guard source.kind != .still else {
      throw CinematicError(
        .invalidParameter, "\(clip) is one picture",
        remedy: "draw over it with focal captions preview --background \(clip)")
    }
    try checkPictureRate(
      isGiven: rate.frameRate != nil, hasSequence: pictures.isNumbered, clip)
    var film = FilmCoding()
    coding.apply(to: &film)
    let stream = try StreamArgument.stream(format?.stream, to: output, default: .y4m)
    try coding.check(output, codec: film.codec, noSound: noSound)
    try PictureQualityOptions.check(
      pictureQuality.pictureQuality, OutputFormat(path: output, stream: stream), output)
    let drawing = CaptionDrawing([document], look)
    try drawing.prepare(source.shownDimensions, source.shownPixelAspectRatio)
    let frames = try await OverlaidClip(
      pictures, output: output, stream: stream, coding: film, copiesSound: !noSound
    ) { picture, time throws(CinematicError) in try drawing.draw(over: picture, at: time) }
    var settings = frames.settings
    settings.overwrite = overwriting.force
    settings.constantRateFactor = coding.rateFactor
    settings.pictureQuality = pictureQuality.pictureQuality
    let rendering = ClipRenderer(frames, to: output, settings: settings)
    try rendering.open()
    try OutputNotes(
      source: clip, output: output, settings: settings, writtenSound: rendering.writtenSound,
      hasSound: source.hasAudio, isSteady: pictures.isSteady, codingLoss: frames.codingLoss,
      isToneMapped: frames.toneMapping != nil, clipsLight: source.clipsLight(as: settings.tags),
      codesLight: source.codesLight(as: settings.tags)
    ).tell()
    SourceNotes(input: clip, output: output, options: options)
      .tellAssumption(of: source, in: try OutputFormat(path: output, stream: settings.stream))
    await pictures.asset.tellDoubtfulEnd()
    let end = pictures.timeRange(ofFrame: pictures.frameNumbers.upperBound - 1).end
    let given = GivenCaptions(file: PipePath.inputName(input.file), document: document)
    given.tellOfEnd(end, of: clip)
    try await reporting(rendering.progress, rendering.frameCount, since: start, report.style) {
      () async throws(CinematicError) in try await rendering.render()
    }
    if !report.json { drawing.tell() }
    return Report(
      output: rendering.writtenPath, width: settings.dimensions.width,
      height: settings.dimensions.height,
      frames: rendering.completedFrames,
      captions: document.captions.count - given.lateCount(after: end),
      isToneMapped: frames.toneMapping != nil,
      missingCharacters: drawing.missingCharacters.map { String($0) },
      isTextCut: drawing.isTextCut,
      issues: document.issues.map(CaptionReport.Issue.init),
      seconds: (ContinuousClock.now - start) / .seconds(1),
      cpuSeconds: ProcessUsage.current.cpuSeconds - usage.cpuSeconds)
  }
}
