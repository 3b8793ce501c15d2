// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia

/// A picture that shows a frame sharp at the left and rendered at the right.
enum BeforeAfter {
  /// - Parameters:
  ///   - before: the source frame, as stored.
  ///   - turn: from the source as stored to the rendering as shown.
  static func write(
    _ before: PixelBuffer, turn: QuarterTurn, _ after: PixelBuffer, to path: String,
    overwrite: Bool
  ) throws(CinematicError) {
    let sharp = try before.linearRGBA()
    let rendered = try after.linearRGBA()
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
    let picture = try PixelBuffer(
      dimensions: size, format: .rgba8,
      tags: ColorTags(primaries: after.tags.primaries, transfer: .srgb, matrix: .bt709))
    try picture.store(linearRGBA: result)
    try PictureWriter.write(picture, to: path, overwrite: overwrite)
  }
}
