// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia

/// A picture that shows a frame sharp at the left and rendered at the right. It appears under its
/// name when the rendering it belongs to is done.
struct BeforeAfter: Sendable {
  private let writer: FrameWriter
  /// The picture's colours.
  private let tags: ColorTags
  /// How the source's high dynamic range comes into the picture; `nil` where nothing is mapped.
  private let toneMapping: ToneMapping?

  /// - Throws: `unwritable` for an existing file or a folder that cannot be written.
  init(path: String, overwrite: Bool, source: SourceProperties) throws(CinematicError) {
    // A single picture takes its size and format from what is appended.
    var settings = WriterSettings(
      dimensions: Dimensions(width: 1, height: 1), pixelFormat: .rgba8, tags: .sRGB)
    settings.overwrite = overwrite
    writer = try FrameWriter.create(path, settings: settings)
    tags = source.tags.standardRange
    toneMapping = ToneMapping(
      from: source.tags, to: tags,
      peakLuminance: source.hdrMetadata.peakLuminance)
  }

  /// Draws the picture.
  ///
  /// - Parameters:
  ///   - before: the source frame, as stored.
  ///   - turn: from the source as stored to the rendering as shown.
  func draw(
    _ before: PixelBuffer, turn: QuarterTurn, _ after: PixelBuffer
  ) throws(CinematicError) {
    let sharp = try light(before)
    let rendered = try light(after)
    let size = rendered.dimensions
    let divider = size.width / 2
    let width = max(1, size.width / 480)
    let result = try PixelBuffer(
      dimensions: size, format: .rgbaFloat, tags: rendered.tags, bytesPerRowAlignment: 16)
    sharp.withUnsafeBytes { sharpBytes in
      rendered.withUnsafeBytes { renderedBytes in
        result.withUnsafeMutableBytes { target in
          for y in 0..<size.height {
            for x in 0..<size.width {
              var pixel = SIMD4<Float>(repeating: 1)
              if x < divider {
                let shown = NormalizedPoint(
                  x: (Double(x) + 0.5) / Double(size.width),
                  y: (Double(y) + 0.5) / Double(size.height))
                let (sx, sy) = turn.inverse.applied(to: shown).pixel(in: sharp.dimensions)
                pixel = sharpBytes.loadUnaligned(
                  fromByteOffset: sy * sharp.planes[0].bytesPerRow + sx * 16,
                  as: SIMD4<Float>.self)
              } else if x >= divider + width {
                pixel = renderedBytes.loadUnaligned(
                  fromByteOffset: y * rendered.planes[0].bytesPerRow + x * 16,
                  as: SIMD4<Float>.self)
              }
              target.storeBytes(
                of: pixel, toByteOffset: y * result.planes[0].bytesPerRow + x * 16,
                as: SIMD4<Float>.self)
            }
          }
        }
      }
    }
    let picture = try PixelBuffer(dimensions: size, format: .rgba8, tags: tags)
    try picture.store(linearRGBA: result)
    try writer.append(picture, time: .zero, duration: .zero)
  }

  /// A picture's light as the picture to write has it.
  private func light(_ picture: PixelBuffer) throws(CinematicError) -> PixelBuffer {
    let light = try picture.linearRGBA()
    // A picture of standard range has been mapped already.
    guard let toneMapping, picture.tags.transfer.isHighDynamicRange else { return light }
    let mapped = try PixelBuffer(
      dimensions: picture.dimensions, format: .rgbaFloat, tags: tags, bytesPerRowAlignment: 16)
    try toneMapping.store(light, in: mapped)
    return try mapped.linearRGBA()
  }

  func finish() throws(CinematicError) { try writer.finish() }

  func cancel() { writer.cancel() }
}
