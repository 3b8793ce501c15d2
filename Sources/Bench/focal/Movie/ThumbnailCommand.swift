// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCinematic
import FocalCommands
import FocalCore
import FocalMedia
import FocalScript

struct ThumbnailCommand: ParsableCommand {
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
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The longer side at most, in pixels; the movie's own size by default.", valueName: "pixels"))
  var maximumSize: Int?
  @OptionGroup var stream: StreamOptions
  @OptionGroup var device: DeviceOptions
  @Flag(help: "Replace an existing output.")
  var force = false

  func validate() throws {
    guard at.exactTime.map({ $0 >= .zero }) ?? true else {
      throw ValidationError("--at takes seconds from the movie's start")
    }
    guard maximumSize.map({ (2...PixelBuffer.maximumDimension).contains($0) }) ?? true else {
      throw ValidationError("--maximum-size takes 2 to \(PixelBuffer.maximumDimension)")
    }
  }

  func run() throws {
    try interruptible(writing: [output]) { try render() }
  }

  private func render() throws {
    try KeptInputs.check(output, inputs: [movie] + decided.inputs)
    let stream = try stream.stream(to: output, default: .pictures(.png))
    let format = try OutputFormat(path: output, stream: stream)
    switch format {
    case .still, .stream(.pictures): break
    default:
      throw CinematicError(
        .invalidParameter,
        stream.map { "\($0.name) is for films, and a thumbnail is one picture" }
          ?? "\(output) is not the name of one picture",
        remedy: stream == nil ? "end it in \(StillKind.endings)" : "give --format png, say")
    }
    let asset = try ScriptFile.asset(movie)
    var settings = Thumbnails.Settings()
    settings.quality = quality.quality
    settings.maximumSize = maximumSize.map { Dimensions(width: $0, height: $0) }
    settings.outputFormat = format
    settings.overrides = try decided.overrides(of: [asset])
    settings.deviceChanged = { $0.tell(json: false) }
    let time = try at.exactTime ?? settings.overrides.timingScript(of: asset).time(at)
    let devices = try device.devices()
    let picture = try waiting { [settings] () async throws(CinematicError) -> PixelBuffer in
      let thumbnails = try await Thumbnails(asset: asset, devices: devices, settings: settings)
      thumbnails.movieFocuses.tell()
      return try await thumbnails.image(at: time).image
    }
    try decided.show.legend?.draw(over: picture)
    try PictureWriter.write(picture, to: output, stream: stream, overwrite: force)
  }
}
