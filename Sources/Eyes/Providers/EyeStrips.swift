// SPDX-License-Identifier: Apache-2.0

import EyeKernels
import FocalCore

/// A picture at another size, made strip by strip: all of its light at once would be new memory for every picture.
struct EyeStrips {
  private let picture: PixelBuffer
  /// Of the result, as it is stored.
  private let size: Dimensions
  /// Light as floats of all pixels would cost more than most models: of a picture of twice the size and more the means of
  /// codes are taken, first of squares of so many rows and columns.
  private let factor: Int
  /// How much of the squares the picture covers: the last ones may reach beyond it.
  private let extent: [Double]
  /// How many rows of the result a strip has, at most.
  let stripRows: Int
  /// Of the result: the picture's own codes, or light.
  private let tags: ColorTags

  /// Rows of squares of a strip. Strips of fewer read more rows twice; those of more leave the processor's cache.
  private static let stripSquares = 32

  /// - Parameters:
  ///   - picture: in any format but those of disparity.
  ///   - size: as it is stored.
  init(_ picture: PixelBuffer, at size: Dimensions) {
    (self.picture, self.size) = (picture, size)
    let ratio = min(picture.width / size.width, picture.height / size.height)
    // Even: a square's chroma is whole.
    factor = ratio < 2 ? 1 : min(ratio, PixelBuffer.largestReduction) / 2 * 2
    extent = [picture.width, picture.height].map { [factor] in Double($0) / Double(factor) }
    let scale = extent[1] / Double(size.height)
    stripRows = max(1, min(size.height, Int(Double(Self.stripSquares) / scale)))
    var tags = picture.tags
    let isGray = picture.format == .gray8 || picture.format == .gray16
    if factor == 1 || isGray { tags.transfer = .linear }
    self.tags = tags
  }

  /// The rows of the result, strip by strip.
  var ranges: [Range<Int>] {
    stride(from: 0, to: size.height, by: stripRows).map { $0..<min(size.height, $0 + stripRows) }
  }

  /// New memory for rows of the result; its tags say whether they are light.
  ///
  /// - Throws: `outOfMemory`.
  func buffer(rows: Int) throws(CinematicError) -> PixelBuffer {
    try PixelBuffer(
      dimensions: Dimensions(width: size.width, height: rows), format: .rgbaFloat, tags: tags,
      bytesPerRowAlignment: 16)
  }

  /// Writes rows of the result.
  ///
  /// - Parameter target: has those rows and no others.
  /// - Throws: `unsupported` for a disparity format, `outOfMemory`.
  func write(_ rows: Range<Int>, to target: PixelBuffer) throws(CinematicError) {
    let scale = extent[1] / Double(size.height)
    let height = (picture.height + factor - 1) / factor
    // Chroma that is brought to luma's pixels needs a row more on either side.
    let first = max(0, Int(Double(rows.lowerBound) * scale) - 1) / 2 * 2
    let end = min(height, Int(Double(rows.upperBound) * scale) + (factor == 1 ? 3 : 1))
    let part = picture.part(
      columns: 0..<picture.width, rows: (first * factor)..<min(picture.height, end * factor))
    let squares = try factor == 1 ? part : part.reducedColors(by: factor)
    let strip = try tags.transfer == .linear ? squares.linearRGBA() : squares
    let failed = strip.withUnsafeBytes { source in
      target.withUnsafeMutableBytes { target in
        focal_resize_colors(
          source.bindMemory(to: Float.self).baseAddress, Int32(strip.width), Int32(height), extent,
          Int64(strip.planes[0].bytesPerRow), Int32(first),
          target.bindMemory(to: Float.self).baseAddress, Int32(size.width), Int32(size.height),
          Int32(rows.lowerBound), Int32(rows.upperBound))
      }
    }
    guard failed == 0 else { throw .noMemory(for: size) }
  }
}

extension PixelBuffer {
  /// The first rows.
  func top(_ rows: Int) -> PixelBuffer { part(columns: 0..<width, rows: 0..<rows) }

  /// Floats as light.
  ///
  /// - Throws: `outOfMemory`.
  func asLight() throws(CinematicError) -> PixelBuffer {
    try tags.transfer == .linear ? self : linearRGBA()
  }
}
