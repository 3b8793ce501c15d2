// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Foundation

/// SplitMix64: the same numbers on every run and every machine.
struct Seeded: RandomNumberGenerator {
  private var state: UInt64
  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

/// The distance of a float from the exact value, in steps of floats of that value's size.
func stepsOff(_ value: Float, _ exact: Double) -> Double {
  abs(Double(value) - exact) / Double(Float(exact).ulp)
}

/// Floats evenly spread over the bit patterns from `low` to `high`, so over all magnitudes.
func floats(from low: Float, to high: Float, count: Int) -> [Float] {
  let (a, b) = (UInt64(low.bitPattern), UInt64(high.bitPattern))
  return (0...count).map { Float(bitPattern: UInt32(a + (b - a) * UInt64($0) / UInt64(count))) }
}

extension PixelBuffer {
  convenience init(
    _ width: Int, _ height: Int, _ format: PixelFormat, _ tags: ColorTags = .bt709,
    alignment: Int = 64
  ) throws {
    try self.init(
      dimensions: Dimensions(width: width, height: height), format: format, tags: tags,
      bytesPerRowAlignment: alignment)
  }

  /// A linear picture from a function of column and row.
  static func linear(
    _ width: Int, _ height: Int, _ tags: ColorTags = .bt709,
    _ color: (Int, Int) -> SIMD4<Float>
  ) throws -> PixelBuffer {
    var tags = tags
    tags.transfer = .linear
    let buffer = try PixelBuffer(width, height, .rgbaFloat, tags, alignment: 16)
    for y in 0..<height {
      for x in 0..<width {
        let c = color(x, y)
        for k in 0..<4 { buffer.set(c[k], 4 * x + k, y) }
      }
    }
    return buffer
  }

  /// Element `column` (counted in values of `Value`) of a row.
  func get<Value: BitwiseCopyable>(
    _ column: Int, _ row: Int, plane: Int = 0, as type: Value.Type = Value.self
  ) -> Value {
    let offset = row * planes[plane].bytesPerRow + column * MemoryLayout<Value>.stride
    return withUnsafeBytes(ofPlane: plane) { $0.load(fromByteOffset: offset, as: Value.self) }
  }

  func set<Value: BitwiseCopyable>(_ value: Value, _ column: Int, _ row: Int, plane: Int = 0) {
    let offset = row * planes[plane].bytesPerRow + column * MemoryLayout<Value>.stride
    withUnsafeMutableBytes(ofPlane: plane) {
      $0.storeBytes(of: value, toByteOffset: offset, as: Value.self)
    }
  }

  func color(_ x: Int, _ y: Int) -> SIMD4<Float> {
    SIMD4(get(4 * x, y), get(4 * x + 1, y), get(4 * x + 2, y), get(4 * x + 3, y))
  }

  /// A luma or chroma code of a bi-planar format, whatever its width.
  func code(_ column: Int, _ row: Int, plane: Int = 0) -> Int {
    bitsPerCode == 8
      ? Int(get(column, row, plane: plane, as: UInt8.self))
      : Int(get(column, row, plane: plane, as: UInt16.self)) >> 6
  }

  func setCode(_ code: Int, _ column: Int, _ row: Int, plane: Int = 0) {
    if bitsPerCode == 8 {
      set(UInt8(code), column, row, plane: plane)
    } else {
      set(UInt16(code << 6), column, row, plane: plane)
    }
  }

  var bitsPerCode: Int { format.bitsPerComponent }

  /// All bytes of all rows without their padding.
  var pixelBytes: [[UInt8]] {
    planes.indices.flatMap { index in
      let plane = planes[index]
      let rowBytes = plane.dimensions.width * plane.bytesPerElement
      return withUnsafeBytes(ofPlane: index) { bytes in
        (0..<plane.dimensions.height).map { y in
          Array(bytes[(y * plane.bytesPerRow)..<(y * plane.bytesPerRow + rowBytes)])
        }
      }
    }
  }

  /// Unpacked to linear light and packed into a new buffer of the same format.
  func repacked() throws -> PixelBuffer {
    let result = try PixelBuffer(width, height, format, tags)
    try result.store(linearRGBA: linearRGBA())
    return result
  }
}
