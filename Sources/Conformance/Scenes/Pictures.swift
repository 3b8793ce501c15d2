// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalSample

public typealias SeededGenerator = FocalSample.SeededGenerator

extension PixelBuffer {
  /// A linear picture whose pixels `color` gives.
  public static func linear(
    _ width: Int, _ height: Int, color: (_ x: Int, _ y: Int) -> SIMD3<Float>
  ) throws -> PixelBuffer {
    let buffer = try PixelBuffer(
      dimensions: Dimensions(width: width, height: height), format: .rgbaFloat,
      tags: .linearBT709, bytesPerRowAlignment: 16)
    buffer.writeFloats(channels: 4) { x, y, channel in
      channel == 3 ? 1 : color(x, y)[channel]
    }
    return buffer
  }

  /// A map of floats.
  public static func disparity(
    _ width: Int, _ height: Int, value: (_ x: Int, _ y: Int) -> Float
  ) throws -> PixelBuffer {
    let buffer = try PixelBuffer(
      dimensions: Dimensions(width: width, height: height), format: .disparityFloat,
      bytesPerRowAlignment: 4)
    buffer.writeFloats(channels: 1) { x, y, _ in value(x, y) }
    return buffer
  }

  /// Random light in every pixel, 0 to `maximum`, repeatable.
  public static func noise(
    _ width: Int, _ height: Int, seed: UInt64, maximum: Float = 1
  ) throws -> PixelBuffer {
    var generator = SeededGenerator(seed: seed)
    return try linear(width, height) { _, _ in
      SIMD3(
        .random(in: 0...maximum, using: &generator), .random(in: 0...maximum, using: &generator),
        .random(in: 0...maximum, using: &generator))
    }
  }

  private func writeFloats(channels: Int, value: (Int, Int, Int) -> Float) {
    let stride = planes[0].bytesPerRow
    withUnsafeMutableBytes { bytes in
      for y in 0..<height {
        for x in 0..<width {
          for channel in 0..<channels {
            bytes.storeBytes(
              of: value(x, y, channel), toByteOffset: y * stride + (x * channels + channel) * 4,
              as: Float.self)
          }
        }
      }
    }
  }

  /// The picture as linear RGBA floats, row by row; of a map, its one channel.
  public func floats() throws -> [Float] {
    let linear = format.isDisparity ? self : try linearRGBA()
    let channels = format.isDisparity ? 1 : 4
    let stride = linear.planes[0].bytesPerRow
    return linear.withUnsafeBytes { bytes in
      var values: [Float] = []
      values.reserveCapacity(width * height * channels)
      for y in 0..<height {
        for i in 0..<width * channels {
          values.append(bytes.loadUnaligned(fromByteOffset: y * stride + i * 4, as: Float.self))
        }
      }
      return values
    }
  }

  /// The bytes of all planes' pixels, padding left out: for comparing buffers bit by bit.
  public func pixelBytes() -> [UInt8] {
    planes.indices.flatMap { index in
      let plane = planes[index]
      return withUnsafeBytes(ofPlane: index) { bytes in
        (0..<plane.dimensions.height).flatMap { y in
          Array(
            bytes[
              y * plane.bytesPerRow..<y * plane.bytesPerRow + plane.dimensions.width
                * plane.bytesPerElement])
        }
      }
    }
  }

  /// The picture with left and right exchanged; one plane only.
  public func mirrored() throws -> PixelBuffer {
    let result = try PixelBuffer(
      dimensions: dimensions, format: format, tags: tags, bytesPerRowAlignment: 4)
    let size = planes[0].bytesPerElement
    withUnsafeBytes { source in
      result.withUnsafeMutableBytes { destination in
        for y in 0..<height {
          for x in 0..<width {
            let from = y * planes[0].bytesPerRow + (width - 1 - x) * size
            let to = y * result.planes[0].bytesPerRow + x * size
            for byte in 0..<size { destination[to + byte] = source[from + byte] }
          }
        }
      }
    }
    return result
  }

  /// The same picture in another format, through linear light.
  public func converted(to format: PixelFormat, tags: ColorTags) throws -> PixelBuffer {
    let result = try PixelBuffer(dimensions: dimensions, format: format, tags: tags)
    try result.store(linearRGBA: linearRGBA())
    return result
  }
}
