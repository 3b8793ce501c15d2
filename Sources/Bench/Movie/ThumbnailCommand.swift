// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalBoxes
import FocalCommands
import FocalCore
import FocalMedia
import FocalRendering

struct ThumbnailCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "thumbnail",
    abstract: "Render one frame of a Cinematic movie as a picture.",
    discussion: """
      Focus and f-number are those of the movie's metadata, where it has some of this program, or the \
      given ones; without any, the picture is sharp. It stands upright.
      """)

  @Argument(help: "The movie, or its address.")
  var movie: String
  @Option(parsing: .unconditional, help: ArgumentHelp("When, in seconds.", valueName: "t"))
  var at: Double
  @Option(name: .shortAndLong, help: ArgumentHelp("The picture to write.", valueName: "png"))
  var output: String
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The disparity that is sharp, instead of the movie's.", valueName: "d"))
  var focus: Float?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The f-number, instead of the movie's.", valueName: "n"))
  var fNumber: Float?
  @Option(help: ArgumentHelp("From fast to exact.", valueName: "quality"))
  var quality: QualityArgument = .export
  @OptionGroup var device: DeviceOptions
  @Flag(help: "Replace an existing output.")
  var force = false

  func validate() throws {
    guard at.isFinite, at >= 0, at < 1e9 else {
      throw ValidationError("--at takes seconds from the movie's start")
    }
  }

  func run() throws {
    try interruptible { try render() }
  }

  private func render() throws {
    let format = try OutputFormat(path: output)
    guard case .still = format else {
      throw CinematicError(
        .invalidParameter, "\(output) is not the name of one picture",
        remedy: "end it in .png, .tif, .pfm or .exr")
    }
    let asset = try Asset.named(movie)
    let time = Time(seconds: at, preferredTimescale: 1_000_000)
    let (reader, frame) = try waiting {
      () async throws(CinematicError) -> (CinematicReader, CinematicFrame) in
      let reader = try await CinematicReader(try await AssetInfo(asset: asset))
      guard let frame = try await reader.frame(at: time) else {
        throw CinematicError(
          .invalidParameter, "\(asset.name) shows nothing at \(time.seconds) s",
          remedy: "choose a time from \(reader.timeRange.start.seconds) to before"
            + " \(reader.timeRange.end.seconds) s")
      }
      return (reader, frame)
    }
    let (pixelFormat, tags) = format.pixelFormat(
      forSource: frame.image.format, tags: frame.image.tags)
    let picture = try PixelBuffer(
      dimensions: reader.preferredTransform.applied(to: frame.image.dimensions),
      format: pixelFormat, tags: tags)
    let session = try RenderingSession(
      commandQueue: CommandQueue(device: device.bestDevice()),
      preferredTransform: reader.preferredTransform, quality: quality.quality)
    let buffer = session.commandQueue.makeCommandBuffer()
    try session.encodeRender(
      to: buffer, frameAttributes: try attributes(frame), sourceImage: frame.image,
      sourceDisparity: try frame.disparity ?? Self.flat(), destinationImage: picture)
    buffer.commit()
    buffer.waitUntilCompleted()
    if let error = buffer.error { throw error }
    try PictureWriter.write(picture, to: output, overwrite: force)
  }

  private func attributes(
    _ frame: CinematicFrame
  ) throws(CinematicError) -> RenderingSession.FrameAttributes {
    func stored(_ key: String) -> Float? {
      guard case .number(let number) = frame.metadata?[key]?.value else { return nil }
      return Float(number)
    }
    let focus = focus ?? stored(CinematicKey.focusDisparity)
    let isSharp = focus == nil || frame.disparity == nil
    let attributes = RenderingSession.FrameAttributes(
      focusDisparity: focus ?? 0,
      fNumber: isSharp ? .infinity : fNumber ?? stored(CinematicKey.fNumber) ?? 2.8)
    try attributes.validate()
    return attributes
  }

  /// A map for a picture that stays sharp.
  private static func flat() throws(CinematicError) -> PixelBuffer {
    try PixelBuffer(dimensions: Dimensions(width: 16, height: 16), format: .disparityFloat)
  }
}
