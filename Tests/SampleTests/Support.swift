// SPDX-License-Identifier: Apache-2.0

import FocalCore

@testable import FocalSample

/// A picture's or a map's floats without padding.
func floats(_ buffer: PixelBuffer) -> [Float] {
  let count = buffer.format == .rgbaFloat ? 4 : 1
  let stride = buffer.planes[0].bytesPerRow / 4
  return buffer.withUnsafeBytes { bytes in
    let source = bytes.bindMemory(to: Float.self)
    return (0..<buffer.height).flatMap { y in
      source[(y * stride)..<(y * stride + buffer.width * count)]
    }
  }
}

/// A picture from a closure of column, row and channel.
func picture(
  _ width: Int, _ height: Int, _ value: (Int, Int, Int) -> Float
) throws -> PixelBuffer {
  let buffer = try PixelBuffer(
    dimensions: Dimensions(width: width, height: height), format: .rgbaFloat)
  let stride = buffer.planes[0].bytesPerRow / 4
  buffer.withUnsafeMutableBytes { bytes in
    let target = bytes.bindMemory(to: Float.self)
    for y in 0..<height {
      for x in 0..<width {
        for c in 0..<4 { target[y * stride + x * 4 + c] = c == 3 ? 1 : value(x, y, c) }
      }
    }
  }
  return buffer
}

/// A stage with nothing on it but what a test adds.
func emptyStage() -> Stage {
  let noise = NoiseField(seed: 1)
  return Stage(
    camera: Camera(position: Vector(0, 0.86, 0), pitch: 0), noise: noise,
    backdrop: Backdrop(noise: noise))
}

/// Whether two numbers differ by less than a tolerance.
///
/// One type and no literals of another: `#expect` with the arithmetic spelled out takes the type
/// checker longer than it allows itself.
func near<Number: BinaryFloatingPoint>(
  _ a: Number, _ b: Number, within tolerance: Number
) -> Bool {
  abs(a - b) < tolerance
}
