// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalEyes
import FocalSample

/// Pairs of the sample scene, whose disparity is known.
enum Pairs {
  static let size = Dimensions(width: 640, height: 360)

  /// The terrace from two eyes.
  static func terrace(
    _ size: Dimensions = size, at seconds: Int64 = 2, samples: Int = 2, eye: Double = 0.15
  ) throws -> (input: EstimationInput, truth: [Float]) {
    let scene = SampleScene()
    let time = Time(value: seconds, timescale: 1)
    let left = try scene.frame(at: time, dimensions: size, samplesPerPixel: samples)
    let right = try scene.frame(at: time, dimensions: size, samplesPerPixel: samples, eye: eye)
    return (
      EstimationInput(picture: try screen(left.image), otherEye: try screen(right.image)),
      left.disparity.cells
    )
  }

  /// Light as codes of a screen.
  static func screen(_ light: PixelBuffer) throws -> PixelBuffer {
    let picture = try PixelBuffer(dimensions: light.dimensions, format: .rgba8, tags: .sRGB)
    let packed = try PixelBuffer(
      dimensions: light.dimensions, format: .rgbaFloat, tags: .linearBT709,
      values: (0..<light.height).flatMap { y in
        light.withUnsafeBytes { bytes in
          (0..<4 * light.width).map { x in
            bytes.loadUnaligned(
              fromByteOffset: y * light.planes[0].bytesPerRow + 4 * x, as: Float.self)
          }
        }
      })
    let tight = try PixelBuffer(
      dimensions: light.dimensions, format: .rgbaFloat, tags: .linearBT709,
      bytesPerRowAlignment: 16)
    copy(packed, to: tight)
    try picture.store(linearRGBA: tight)
    return picture
  }

  /// Rows of one buffer into another of the same format and size.
  static func copy(_ source: PixelBuffer, to target: PixelBuffer, x: Int = 0, y: Int = 0) {
    let bytes = source.planes[0].bytesPerElement * source.width
    source.withUnsafeBytes { from in
      target.withUnsafeMutableBytes { to in
        for row in 0..<source.height {
          let start =
            (y + row) * target.planes[0].bytesPerRow + x * source.planes[0].bytesPerElement
          UnsafeMutableRawBufferPointer(rebasing: to[start...]).copyBytes(
            from: from[(row * source.planes[0].bytesPerRow)...].prefix(bytes))
        }
      }
    }
  }

  /// A picture of one colour.
  static func plain(_ size: Dimensions, _ code: UInt8) throws -> PixelBuffer {
    try PixelBuffer(
      dimensions: size, format: .rgba8,
      values: [UInt8](repeating: code, count: 4 * size.count))
  }

  /// The picture with its rows moved down, and one more for every so many columns.
  static func moved(_ picture: PixelBuffer, down rows: Int, turn columns: Int) throws -> PixelBuffer
  {
    let result = try PixelBuffer(dimensions: picture.dimensions, format: .rgba8)
    picture.withUnsafeBytes { from in
      result.withUnsafeMutableBytes { to in
        for y in 0..<picture.height {
          for x in 0..<picture.width {
            let shift = rows + (columns == 0 ? 0 : (x - picture.width / 2) / columns)
            let row = max(0, min(picture.height - 1, y - shift))
            for byte in 0..<4 {
              to[y * result.planes[0].bytesPerRow + 4 * x + byte] =
                from[row * picture.planes[0].bytesPerRow + 4 * x + byte]
            }
          }
        }
      }
    }
    return result
  }
}

/// How well a map agrees with the truth once scale and offset are fitted to it.
struct Agreement {
  var correlation: Double
  /// Of the truth's range.
  var meanError: Double

  /// - Parameters:
  ///   - map: of any size of the truth's shape; read at its nearest pixels.
  ///   - columns: the part that is looked at, as shares of the width.
  init(
    _ map: PixelBuffer, _ truth: [Float], _ size: Dimensions,
    columns: Range<Double> = 0.16..<0.85
  ) {
    let values = map.cells
    var pairs: [(Double, Double)] = []
    for y in 0..<size.height {
      for x in 0..<size.width where columns.contains(Double(x) / Double(size.width)) {
        let value =
          values[
            (y * map.height / size.height) * map.width + x * map.width / size.width]
        if value.isNaN { continue }
        pairs.append((Double(value), Double(truth[y * size.width + x])))
      }
    }
    let count = Double(pairs.count)
    let meanX = pairs.reduce(0) { $0 + $1.0 } / count
    let meanY = pairs.reduce(0) { $0 + $1.1 } / count
    var (xx, yy, xy) = (0.0, 0.0, 0.0)
    for (x, y) in pairs {
      xx += (x - meanX) * (x - meanX)
      yy += (y - meanY) * (y - meanY)
      xy += (x - meanX) * (y - meanY)
    }
    correlation = xy / (xx * yy).squareRoot()
    let slope = xy / xx
    let errors = pairs.reduce(0) { $0 + abs(slope * ($1.0 - meanX) + meanY - $1.1) }
    let range = Double(truth.max()! - truth.min()!)
    meanError = errors / count / range
  }
}
