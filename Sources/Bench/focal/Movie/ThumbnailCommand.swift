// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCinematic
import FocalCommands
import FocalCore
import FocalMedia
import FocalScript

struct ThumbnailCommand: ParsableCommand, ProgramUser {
  static let configuration = CommandConfiguration(
    commandName: "thumbnail",
    abstract: "Render one frame of a Cinematic movie as a picture.",
    discussion: """
      The picture is the frame that focal export renders with the same options: focus and f-number are \
      those of the movie's script and the changes to it, else of its metadata where it has some of this \
      program, or the given ones, else a focus on the largest and nearest part of the movie's first map. \
      It stands upright.
      """)

  @Argument(help: "The movie, or its address.")
  var movie: String
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("When, in seconds (2.5) or by the frame's number (75f).", valueName: "t"))
  var at: TimeArgument
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The picture to write; - for standard output.", valueName: "png"))
  var output: String
  @OptionGroup var decided: MovieFocusOptions
  @Option(help: ArgumentHelp("From fast to exact.", valueName: "quality"))
  var quality: QualityArgument = .export
  @OptionGroup var size: MaximumSizeOptions
  @OptionGroup var pictureQuality: PictureQualityOptions
  @Option(help: StreamArgument.help(usual: "png"))
  var format: PictureStreamArgument?
  @OptionGroup var device: DeviceOptions
  @OptionGroup var safety: SafetyOptions
  @OptionGroup var overwriting: OverwriteOptions
  @Flag(help: "Print one JSON object; notes and errors become objects, too, on standard error.")
  var json = false

  func validate() throws {
    guard at.exactTime.map({ $0 >= .zero }) ?? true else {
      throw ValidationError("--at takes seconds from the movie's start")
    }
  }

  func run() throws {
    if output == PipePath.standard { Results.moveToStandardError() }
    let done = try interruptible(writing: [output]) { try render() }
    if json { try printJSON(done) }
  }

  private func render() throws -> ExportReport {
    let start = ContinuousClock.now
    let usage = ProcessUsage.current
    try KeptInputs.check(output, inputs: [movie] + decided.inputs)
    let stream = try StreamArgument.stream(
      format?.stream, to: output, default: .pictures(.png))
    let written = try OutputFormat(path: output, stream: stream)
    switch written {
    case .still, .stream(.pictures): break
    default:
      throw CinematicError(
        .invalidParameter, "\(output) is not the name of one picture",
        remedy: "end it in \(StillKind.endings)")
    }
    try PictureQualityOptions.check(pictureQuality.pictureQuality, written, output)
    let asset = try ScriptFile.asset(movie)
    var settings = Thumbnails.Settings()
    settings.quality = quality.quality
    settings.maximumSize = size.maximumSize?.dimensions
    settings.outputFormat = written
    settings.overrides = try decided.overrides(of: [asset])
    settings.deviceChanged = { [json] change in change.tell(json: json) }
    let time = try at.exactTime ?? settings.overrides.timingScript(of: asset).time(at)
    let devices = try device.devices()
    return try waiting { [settings] () async throws(CinematicError) in
      let thumbnails = try await Thumbnails(asset: asset, devices: devices, settings: settings)
      var target = thumbnails.writerSettings
      target.overwrite = overwriting.force
      target.pictureQuality = pictureQuality.pictureQuality
      // Known before anything is rendered, or said.
      let writer = try FrameWriter.create(output, settings: target)
      defer { writer.cancel() }
      thumbnails.movieFocuses.tell()
      try OutputNotes(
        source: movie, output: output, settings: target, codingLoss: thumbnails.codingLoss,
        showsView: decided.show.show != nil,
        isToneMapped: thumbnails.isToneMapped, clipsLight: thumbnails.clipsLight,
        // Of a film, linear light that is not kept is both.
        codesLight: thumbnails.clipsLight
      ).tell()
      let (picture, shown) = try await thumbnails.image(at: time)
      OutputNotes.tellOfCircles(thumbnails.largestCircle ?? 0, "--maximum-size")
      try decided.show.legend?.draw(over: picture)
      try writer.append(picture, time: .zero, duration: Time(value: 1, timescale: 1))
      try writer.finish()
      return ExportReport(
        outcome: RenderOutcome(
          output, picture.dimensions, frames: 1, isToneMapped: thumbnails.isToneMapped,
          quality: settings.quality, device: thumbnails.device?.identifier ?? "", since: start,
          usage),
        movie: ExportReport.Movie(focus: thumbnails.movieFocuses, time: shown.seconds))
    }
  }
}
