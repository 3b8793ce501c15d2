// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// The form of a video composition's pictures, and their source for a compositor.
///
/// The same for all frames of an export or of a row of thumbnails.
public final class RenderContext: Sendable {
  /// The size of every picture.
  public var size: Dimensions { pool.dimensions }
  /// The format of every picture.
  public var pixelFormat: PixelFormat { pool.format }
  /// The meaning of the pictures' values as colour.
  public var tags: ColorTags { pool.tags }
  /// Whether colours of pictures with alpha are multiplied by it, in linear light, as OpenEXR has them; else they are those
  /// of the surface. See ``StillKind/holdsPremultipliedAlpha``.
  public let holdsPremultipliedAlpha: Bool
  /// The pictures' width to the video composition's: below 1 for thumbnails.
  public let renderScale: Double

  private let pool: PixelBufferPool

  /// - Parameters:
  ///   - holdsPremultipliedAlpha: as the property of the same name.
  ///   - renderSize: the video composition's; that of the pictures by default.
  /// - Throws: `invalidParameter` for a size that no picture has, `unsupported` for a format of maps,
  ///   `outOfMemory`.
  public init(
    size: Dimensions, pixelFormat: PixelFormat, tags: ColorTags,
    holdsPremultipliedAlpha: Bool = false, renderSize: Dimensions? = nil
  ) throws(CinematicError) {
    guard !pixelFormat.isDisparity else {
      throw CinematicError(
        .unsupported, "a picture cannot have the format \(pixelFormat)",
        remedy: "choose one of a picture, such as 'RGBA'")
    }
    pool = try PixelBufferPool(dimensions: size, format: pixelFormat, tags: tags)
    self.holdsPremultipliedAlpha = holdsPremultipliedAlpha
    renderScale = Double(size.width) / Double(max(renderSize?.width ?? size.width, 1))
  }

  /// A picture to compose into, with whatever its memory holds. Memory goes round: once a few pictures
  /// have been made, none is allocated.
  ///
  /// - Throws: `outOfMemory`.
  public func newPixelBuffer() throws(CinematicError) -> PixelBuffer { try pool.makeBuffer() }

  /// - Throws: `incompatible` for a picture of another size or format, or of other colours.
  func check(_ picture: PixelBuffer) throws(CinematicError) {
    guard picture.dimensions != size || picture.format != pixelFormat || picture.tags != tags else {
      return
    }
    func form(_ size: Dimensions, _ format: PixelFormat, _ tags: ColorTags) -> String {
      "\(size) in \(format) (\(tags.primaries), \(tags.transfer), \(tags.matrix))"
    }
    throw CinematicError(
      .incompatible,
      "the compositor gave a picture of \(form(picture.dimensions, picture.format, picture.tags))"
        + " where \(form(size, pixelFormat, tags)) was wanted",
      remedy: "let it draw into renderContext.newPixelBuffer()")
  }

  /// How many pictures had to be allocated so far.
  var allocationCount: Int { pool.allocationCount }
}
