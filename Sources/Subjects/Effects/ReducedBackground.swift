// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Backgrounds of many more pixels than their frame has.
///
/// A strip of the frame reads all of the background that lies behind it. A very large picture behind a very small one would
/// take more memory than the device has, strip by strip as well.
extension PixelBuffer {
  /// Pixels of a background that a pixel of the frame may have in each direction.
  private static let mostShare = 16
  /// Pixels that are left of those: the frame is drawn with a filter of this many, so that it stays what it was.
  private static let keptShare = 8
  /// Bytes of light that are looked at at once.
  private static let bandByteCount = 16 << 20

  /// The picture's light in means of squares, where the picture has many more pixels than a frame of a size; else the
  /// picture itself.
  ///
  /// - Throws: `unsupported` for a disparity format, `outOfMemory`.
  func reduced(behind size: Dimensions) throws(CinematicError) -> PixelBuffer {
    let ratio = min(width / size.width, height / size.height)
    guard ratio >= Self.mostShare else { return self }
    let side = ratio / Self.keptShare
    let small = Dimensions(width: width / side, height: height / side)
    var lightTags = tags
    lightTags.transfer = .linear
    let result = try PixelBuffer(
      dimensions: small, format: .rgbaFloat, tags: lightTags, bytesPerRowAlignment: 16)
    // Even, so that a band begins with whole chroma.
    let bandRows = max(2, Self.bandByteCount / (16 * width * side) / 2 * 2)
    for first in stride(from: 0, to: small.height, by: bandRows) {
      let rows = first..<min(first + bandRows, small.height)
      let band = part(columns: 0..<width, rows: rows.lowerBound * side..<rows.upperBound * side)
      try band.linearRGBA().storeMeans(ofSide: side, in: result, rows)
    }
    return result
  }

  /// Stores the means of squares of light, which is not multiplied by alpha, as rows of a smaller picture.
  private func storeMeans(ofSide side: Int, in result: PixelBuffer, _ rows: Range<Int>) {
    let fromStride = planes[0].bytesPerRow / MemoryLayout<SIMD4<Float>>.stride
    let toStride = result.planes[0].bytesPerRow / MemoryLayout<SIMD4<Float>>.stride
    let share = 1 / Float(side * side)
    withUnsafeBytes { source in
      result.withUnsafeMutableBytes { target in
        let pixels = source.bindMemory(to: SIMD4<Float>.self)
        let means = target.bindMemory(to: SIMD4<Float>.self)
        for row in rows {
          let top = (row - rows.lowerBound) * side
          for column in 0..<result.width {
            var sum = SIMD4<Float>(repeating: 0)
            for y in top..<top + side {
              let first = y * fromStride + column * side
              for place in first..<first + side {
                // Clear pixels have no colour to give.
                let pixel = pixels[place], alpha = pixel.w
                sum += SIMD4(pixel.x * alpha, pixel.y * alpha, pixel.z * alpha, alpha)
              }
            }
            let alpha = sum.w
            var mean = alpha > 0 ? sum / alpha : SIMD4<Float>(repeating: 0)
            mean.w = alpha * share
            means[row * toStride + column] = mean
          }
        }
      }
    }
  }
}
