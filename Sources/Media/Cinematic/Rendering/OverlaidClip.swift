// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia

/// Draws over a finished picture, which stands upright, at a time of the film that it comes from.
public typealias FrameDrawing =
  @Sendable (_ picture: PixelBuffer, _ time: Time) throws(CinematicError) -> Void

/// The frames of a clip as they are, upright, with something drawn over each: captions, say.
///
/// Pixels that are not drawn on keep their codes, if the output holds pixels of the clip's kind.
public final class OverlaidClip: ClipFrames {
  /// How the frames are written: what the clip has, in the format that the output can hold.
  public let settings: WriterSettings
  /// How high dynamic range becomes standard; `nil` if the output holds the clip's own range.
  public let toneMapping: ToneMapping?
  /// The part of the clip's chroma, depth and alpha that the output does not hold, in words; `nil` where
  /// it holds all.
  public let codingLoss: String?
  public var frameCount: Int? { pictures.frameNumbers.count }

  private let pictures: FrameReader
  private let drawing: FrameDrawing
  /// Whether the output is a film without alpha, as the first frame is.
  private let isOpaqueFilm: Bool

  /// - Parameters:
  ///   - pictures: the clip, with the frames that were chosen.
  ///   - output: the name of what will be written, which decides the format.
  ///   - stream: what is written if the output is a pipe.
  ///   - coding: of a movie; H.264 of 8 bits has standard range.
  ///   - copiesSound: whether a movie gets the clip's sound.
  ///   - drawing: called for several frames at the same time.
  /// - Throws: `invalidParameter` for an output of another kind, `unsupported` for alpha that the output holds
  ///   otherwise, or for a movie's sound that can be neither copied nor decoded.
  public init(
    _ pictures: FrameReader, output: String, stream: StreamFormat? = nil,
    coding: FilmCoding = FilmCoding(), copiesSound: Bool = true, drawing: @escaping FrameDrawing
  ) async throws(CinematicError) {
    self.pictures = pictures
    self.drawing = drawing
    let source = pictures.properties
    let format = try OutputFormat(path: output, stream: stream)
    let pixels = try format.pixelFormat(for: source, coding: coding, drawsColors: true)
    if pixels.format == .rgbaFloat, source.pictureMetadata.hasPremultipliedAlpha {
      throw CinematicError(
        .unsupported, "nothing is drawn over pictures with premultiplied alpha (\(pictures.name))",
        remedy: "convert them to straight alpha first, or name a movie")
    }
    isOpaqueFilm = format.settlesAlpha(by: source)
    codingLoss = pixels.loss(of: source.codedPixels)
    toneMapping = ToneMapping(
      from: source.tags, to: pixels.tags, peakLuminance: source.hdrMetadata.peakLuminance)
    settings = WriterSettings(
      upright: source, pixels, in: format, codec: coding.codec,
      try await ClipExtras(pictures, for: format, copiesSound: copiesSound))
  }

  /// Numbered pictures keep their numbers, whichever they begin with.
  public func fileNumber(ofFrame number: Int) -> Int {
    pictures.fileNumber(ofChosen: number)
  }

  /// - Throws: `invalidParameter` for a frame that was not chosen, `incompatible` for a frame with alpha in a film whose first one
  ///   has none, and what reading and drawing throw.
  public func frame(_ number: Int) async throws(CinematicError) -> ClipFrame? {
    let chosen = try pictures.frameNumbers.number(ofChosen: number, in: pictures.name)
    let frame = try await pictures.frame(number: chosen)
    if isOpaqueFilm { try frame.checkIsOpaque(named: pictures.name(ofFrame: frame.index)) }
    return ClipFrame(
      timeRange: frame.timeRange,
      pictureMetadata: pictures.isNumbered ? frame.pictureMetadata : nil
    ) { [self] () async throws(CinematicError) in
      let picture = try upright(frame.pixelBuffer)
      try drawing(picture, frame.time)
      return picture
    }
  }

  /// A copy in the output's format.
  private func upright(_ source: PixelBuffer) throws(CinematicError) -> PixelBuffer {
    let turn = pictures.properties.preferredTransform
    let copy = try PixelBuffer(
      dimensions: settings.dimensions, format: settings.pixelFormat, tags: settings.tags)
    if turn == .identity, source.format == copy.format, source.tags == copy.tags {
      copy.copyPlanes(of: source)
      return copy
    }
    var light = try source.linearRGBA()
    if turn != .identity { light = try light.turnedPixels(by: turn) }
    try copy.store(linearRGBA: light, by: toneMapping)
    return copy
  }
}

extension PixelBuffer {
  /// Takes the values of a buffer of the same format and size.
  fileprivate func copyPlanes(of source: PixelBuffer) {
    for index in planes.indices {
      let (from, to) = (source.planes[index], planes[index])
      let count = to.dimensions.width * to.bytesPerElement
      source.withUnsafeBytes(ofPlane: index) { bytes in
        withUnsafeMutableBytes(ofPlane: index) { copy in
          for y in 0..<to.dimensions.height {
            (copy.baseAddress! + y * to.bytesPerRow).copyMemory(
              from: bytes.baseAddress! + y * from.bytesPerRow, byteCount: count)
          }
        }
      }
    }
  }
}
