// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCore
import FocalMedia
import FocalRendering
import FocalScript

/// The stage of rendering, as an export has it: with the look that the movie carries, and in light where its pictures are
/// codes of a camera's curve.
struct TimedRendering {
  let session: RenderingSession
  /// How the pictures are written.
  let settings: WriterSettings
  /// The time of the first picture.
  let startTime: Time
  private let curve: LogCurve?
  /// Whether the pictures' codes use the whole range.
  private let isFullRange: Bool

  /// - Throws: `malformed` for a damaged script, what a look outside its ranges throws, and what opening throws.
  init(
    _ movie: MovieScript, on device: Device, quality: RenderingQuality
  ) async throws(CinematicError) {
    let recording = try movie.recording()
    let look = recording?.look ?? Look()
    let info = movie.info
    let source = try await FrameReader(info.asset, track: info.cinematicVideoTrack).properties
    let pixels = try OutputFormat(path: "film.mov").pixelFormat(for: source)
    var settings = WriterSettings(
      keeping: source, dimensions: info.preferredTransform.applied(to: source.dimensions),
      pixelFormat: pixels.format, tags: pixels.tags)
    settings.codedPixels = pixels.coded
    settings.preferredTransform = .identity
    self.settings = settings
    startTime = source.startTime
    curve = try look.cameraCurve()
    isFullRange = try await info.cinematicVideoTrack.load(.videoFormat).codedPixels.isFullRange
    session = try RenderingSession(
      commandQueue: CommandQueue(device: device),
      sessionAttributes: RenderingSession.Attributes().with(look),
      preferredTransform: info.preferredTransform, quality: quality)
  }

  /// A frame in flight.
  private struct Flight {
    var buffer: CommandBuffer
    var pass: LightPass?

    func land() async throws(CinematicError) {
      try await buffer.completed()
      try pass?.finish()
    }
  }

  /// The frames rendered, a few at a time as an export does.
  ///
  /// - Throws: `unsupported` for a frame without disparity or this program's attributes, and what rendering throws.
  func pictures(
    of frames: ArraySlice<CinematicFrame>
  ) async throws(CinematicError) -> [PixelBuffer] {
    var pictures: [PixelBuffer] = []
    var flights: [Flight] = []
    for frame in frames {
      guard let map = frame.disparity, let stored = frame.metadata?.renderingAttributes else {
        throw CinematicError(
          .unsupported, "a frame has no disparity or no rendering attributes of this program",
          remedy: "time a movie that focal import made")
      }
      let picture = try PixelBuffer(
        dimensions: settings.dimensions, format: settings.pixelFormat, tags: settings.tags)
      var pass: LightPass?
      if let curve { pass = try LightPass(curve, isFullRange: isFullRange, to: picture) }
      let image = try pass?.light(of: frame.image) ?? frame.image
      let buffer = session.commandQueue.makeCommandBuffer()
      try session.encodeRender(
        to: buffer,
        frameAttributes: .init(focusDisparity: stored.focusDisparity, fNumber: stored.fNumber),
        sourceImage: image, sourceDisparity: map, destinationImage: pass?.light ?? picture)
      buffer.commit()
      pictures.append(picture)
      flights.append(Flight(buffer: buffer, pass: pass))
      if flights.count >= 3 { try await flights.removeFirst().land() }
    }
    for flight in flights { try await flight.land() }
    return pictures
  }
}
