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
      Focus and f-number are those of the movie's script and the changes to it, else of its metadata, \
      where it has some of this program, or the given ones; without any, the picture is sharp. It \
      stands upright.
      """)

  @Argument(help: "The movie, or its address.")
  var movie: String
  @Option(parsing: .unconditional, help: ArgumentHelp("When, in seconds.", valueName: "t"))
  var at: Double
  @Option(name: .shortAndLong, help: ArgumentHelp("The picture to write.", valueName: "png"))
  var output: String
  @OptionGroup var decided: MovieFocusOptions
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The disparity that is sharp, instead of the movie's.", valueName: "d"))
  var focus: Float?
  @Option(help: ArgumentHelp("From fast to exact.", valueName: "quality"))
  var quality: QualityArgument = .export
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The longer side at most, in pixels; the movie's own size by default.", valueName: "pixels"))
  var maximumSize: Int?
  @OptionGroup var device: DeviceOptions
  @Flag(help: "Replace an existing output.")
  var force = false

  func validate() throws {
    guard at.isFinite, at >= 0, at < 1e9 else {
      throw ValidationError("--at takes seconds from the movie's start")
    }
    guard focus?.isFinite ?? true else { throw ValidationError("--focus takes a finite number") }
    guard maximumSize.map({ (2...PixelBuffer.maximumDimension).contains($0) }) ?? true else {
      throw ValidationError("--maximum-size takes 2 to \(PixelBuffer.maximumDimension)")
    }
  }

  func run() throws {
    try interruptible { try render() }
  }

  private func render() throws {
    try KeptInputs.check(output, inputs: [movie, decided.changes])
    let format = try OutputFormat(path: output)
    guard case .still = format else {
      throw CinematicError(
        .invalidParameter, "\(output) is not the name of one picture",
        remedy: "end it in .png, .tif, .pfm or .exr")
    }
    let asset = try Asset.named(movie)
    var settings = Thumbnails.Settings()
    settings.quality = quality.quality
    settings.maximumSize = maximumSize.map { Dimensions(width: $0, height: $0) }
    settings.outputFormat = format
    settings.overrides.focusDisparity = focus
    settings.overrides.fNumber = decided.fNumber
    settings.overrides.drawsDetections = decided.overlay
    if let script = try decided.script(of: asset) {
      settings.overrides.script = { _ in script }
    }
    settings.deviceChanged = { $0.tell(json: false) }
    let time = Time(seconds: at, preferredTimescale: 1_000_000)
    let devices = try device.devices()
    let picture = try waiting { [settings] () async throws(CinematicError) -> PixelBuffer in
      let thumbnails = try await Thumbnails(asset: asset, devices: devices, settings: settings)
      return try await thumbnails.image(at: time).image
    }
    try PictureWriter.write(picture, to: output, overwrite: force)
  }
}
