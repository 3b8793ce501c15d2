// SPDX-License-Identifier: Apache-2.0

import EyeKernels
import FocalCore

/// A picture as providers look at it: upright, at a size of theirs, in the codes of an sRGB screen.
package struct EyePicture: Sendable {
  package let dimensions: Dimensions
  /// Red, green and blue of each pixel, 0 to 1, rows without padding. High dynamic range is mapped to standard.
  package let codes: [Float]

  /// - Parameters:
  ///   - picture: in any format but those of disparity.
  ///   - turn: from stored to shown.
  ///   - dimensions: as shown.
  /// - Throws: `unsupported` for a disparity format, `outOfMemory`.
  package init(
    _ picture: PixelBuffer, turn: QuarterTurn, dimensions: Dimensions
  ) throws(CinematicError) {
    let size = turn.inverse.applied(to: dimensions)
    let small = try Self.light(of: picture, at: size)
    var tags = ColorTags.sRGB
    let mapping = ToneMapping(from: picture.tags, to: tags)
    // Providers were made on pictures of every camera: primaries are not converted.
    if mapping == nil { tags.primaries = picture.tags.primaries }
    let screen = try PixelBuffer(
      dimensions: size, format: .rgbaFloat, tags: tags, bytesPerRowAlignment: 16)
    try screen.store(linearRGBA: small, by: mapping)
    self.dimensions = dimensions
    codes = screen.withUnsafeBytes { bytes in
      let pixels = bytes.bindMemory(to: Float.self)
      return [Float](unsafeUninitializedCapacity: 3 * dimensions.count) { codes, count in
        count = 3 * dimensions.count
        for y in 0..<dimensions.height {
          for x in 0..<dimensions.width {
            let from =
              switch turn {
              case .identity: y * size.width + x
              case .clockwise90: (size.height - 1 - x) * size.width + y
              case .clockwise180: (size.height - 1 - y) * size.width + size.width - 1 - x
              case .clockwise270: x * size.width + size.width - 1 - y
              }
            let to = 3 * (y * dimensions.width + x)
            for component in 0..<3 {
              codes[to + component] = max(0, min(1, pixels[4 * from + component]))
            }
          }
        }
      }
    }
  }

  /// A picture's light at another size, as it is stored, strip by strip: all of it at once would be new memory for
  /// every picture.
  package static func light(
    of picture: PixelBuffer, at size: Dimensions
  ) throws(CinematicError) -> PixelBuffer {
    // All pixels as light would cost more than most models: of a large picture the means of codes are taken.
    // Chroma at half the resolution still has as many places as the result.
    let sharing = picture.format.isBiPlanar ? 2 : 1
    let factor = max(
      1,
      min(
        min(picture.width / size.width, picture.height / size.height) / sharing,
        PixelBuffer.largestReduction))
    let source = try picture.reduced(by: factor)
    // The last squares may reach beyond the picture.
    let extent = [picture.width, picture.height].map { Double($0) / Double(factor) }
    var tags = picture.tags
    tags.transfer = .linear
    let small = try PixelBuffer(
      dimensions: size, format: .rgbaFloat, tags: tags, bytesPerRowAlignment: 16)
    let scale = extent[1] / Double(size.height)
    let count = max(1, Int(Double(Self.stripRows) / scale))
    for from in stride(from: 0, to: size.height, by: count) {
      let to = min(size.height, from + count)
      let first = max(0, Int(Double(from) * scale) - 1) / 2 * 2
      let end = min(source.height, Int((Double(to) * scale).rounded(.up)) + 2)
      let strip = try source.part(columns: 0..<source.width, rows: first..<end).linearRGBA()
      let height = source.height
      let failed = strip.withUnsafeBytes { source in
        small.withUnsafeMutableBytes { target in
          focal_resize_light(
            source.bindMemory(to: Float.self).baseAddress, Int32(strip.width),
            Int32(height), extent, Int64(strip.planes[0].bytesPerRow), Int32(first),
            target.bindMemory(to: Float.self).baseAddress, Int32(size.width), Int32(size.height),
            Int32(from), Int32(to))
        }
      }
      guard failed == 0 else { throw .noMemory(for: size) }
    }
    return small
  }

  /// Rows that are converted at once.
  private static let stripRows = 64

  /// Luma of 0 to 255, by BT.601's weights.
  package var luma: [UInt8] {
    [UInt8](unsafeUninitializedCapacity: dimensions.count) { luma, count in
      count = dimensions.count
      codes.withUnsafeBufferPointer { codes in
        for index in 0..<count {
          let red = codes[3 * index], green = codes[3 * index + 1], blue = codes[3 * index + 2]
          luma[index] = UInt8(255 * (0.299 * red + 0.587 * green + 0.114 * blue) + 0.5)
        }
      }
    }
  }
}

extension Dimensions {
  /// The size of the same shape whose longer side has at most so many pixels; it never grows.
  package func fitting(longerSide: Int) -> Dimensions {
    let longer = max(width, height)
    guard longer > longerSide else { return self }
    func scaled(_ side: Int) -> Int {
      max(1, Int((Double(side) * Double(longerSide) / Double(longer)).rounded()))
    }
    return Dimensions(width: scaled(width), height: scaled(height))
  }
}

extension CinematicError {
  static func noMemory(for dimensions: Dimensions) -> CinematicError {
    CinematicError(
      .outOfMemory, "no memory to estimate the disparity of a picture of \(dimensions)",
      remedy: "use a smaller picture")
  }
}

extension PixelBuffer {
  /// A map of floats in rows without padding.
  ///
  /// - Throws: `outOfMemory`.
  package static func map(
    _ values: [Float], _ dimensions: Dimensions
  ) throws(CinematicError) -> PixelBuffer {
    try PixelBuffer(
      dimensions: dimensions, format: .disparityFloat, tags: .linearBT709, values: values)
  }
}
