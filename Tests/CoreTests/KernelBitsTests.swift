// SPDX-License-Identifier: Apache-2.0

import FocalCore
import ShaderTypes
import Testing

/// The kernels, compiled for the widest instruction set of the machine, against the same scalar
/// functions called one by one: the same bits, so no clone contracts or reorders anything.
@Suite struct KernelBitsTests {
  private func tags(_ transfer: ColorTags.Transfer) -> ColorTags {
    ColorTags(primaries: .bt709, transfer: transfer, matrix: .bt709)
  }

  @Test(arguments: ColorTags.Transfer.allCases) func unpackFloats(_ transfer: ColorTags.Transfer)
    throws
  {
    var random = Seeded(21)
    let source = try PixelBuffer(77, 3, .rgbaFloat, tags(transfer))
    for y in 0..<3 {
      for i in 0..<77 * 4 { source.set(Float.random(in: -0.5...1.5, using: &random), i, y) }
    }
    let linear = try source.linearRGBA()
    for y in 0..<3 {
      for i in 0..<77 * 4 {
        let e: Float = source.get(i, y)
        let expected = i % 4 == 3 ? e : focal_decode(e, transfer.rawValue)
        #expect(linear.get(i, y, as: Float.self).bitPattern == expected.bitPattern)
      }
    }
  }

  @Test(arguments: ColorTags.Transfer.allCases) func packHalves(_ transfer: ColorTags.Transfer)
    throws
  {
    var random = Seeded(22)
    let linear = try PixelBuffer.linear(261, 3) { _, _ in
      SIMD4((0..<4).map { _ in Float.random(in: -0.1...12, using: &random) })
    }
    let destination = try PixelBuffer(261, 3, .rgbaHalf, tags(transfer))
    try destination.store(linearRGBA: linear)
    for y in 0..<3 {
      for i in 0..<261 * 4 {
        let light: Float = linear.get(i, y)
        let e = i % 4 == 3 ? light : focal_encode(light, transfer.rawValue)
        #expect(UInt32(destination.get(i, y, as: UInt16.self)) == focal_float_to_half(e))
      }
    }
  }

  @Test(arguments: ColorTags.Transfer.allCases) func unpackLumaAndChroma(
    _ transfer: ColorTags.Transfer
  ) throws {
    // Constant chroma, so that only the matrix and the curve are at work.
    let source = try noise(256, 2, .yuv420Video10, tags(transfer), seed: 23, chroma: 0.4...0.4)
    let m = focal_matrix(source.tags.matrix.rawValue)
    let unit: Float = 256
    let lumaScale = focal_reciprocal(219 * unit), chromaScale = focal_reciprocal(224 * unit)
    let stored = Float(source.get(0, 0, plane: 1, as: UInt16.self))
    let chroma = (stored - 128 * unit) * chromaScale
    let linear = try source.linearRGBA()
    for y in 0..<2 {
      for x in 0..<256 {
        let e = (Float(source.get(x, y, as: UInt16.self)) - 16 * unit) * lumaScale
        let red = e + m.redFromCr * chroma
        let green = e + m.greenFromCb * chroma + m.greenFromCr * chroma
        let blue = e + m.blueFromCb * chroma
        for (c, value) in [red, green, blue].enumerated() {
          let expected = focal_decode(value, transfer.rawValue)
          #expect(linear.color(x, y)[c].bitPattern == expected.bitPattern)
        }
      }
    }
  }

  @Test func packBytesWithDither() throws {
    var random = Seeded(24)
    let linear = try PixelBuffer.linear(300, 2) { _, _ in
      SIMD4((0..<4).map { _ in Float.random(in: 0...1, using: &random) })
    }
    let destination = try PixelBuffer(300, 2, .rgba8, tags(.srgb))
    try destination.store(linearRGBA: linear)
    for y in 0..<2 {
      for i in 0..<300 * 4 {
        let light: Float = linear.get(i, y)
        let value = i % 4 == 3 ? light : focal_encode(light, FOCAL_TRANSFER_SRGB)
        let code = value * 255 + focal_dither(UInt32(i / 4), UInt32(y), UInt32(i % 4))
        #expect(destination.get(i, y, as: UInt8.self) == UInt8(focal_clamp(code, 0, 255) + 0.5))
      }
    }
  }

  @Test func disparities() throws {
    let values: [Float] = [
      0, -0.0, 1, -3.5, 1e6, -1e6, Float(1e6).nextUp, .infinity, -.infinity, .nan,
      .leastNonzeroMagnitude,
    ]
    let map = try PixelBuffer(values.count, 2, .disparityFloat)
    for y in 0..<2 { for (x, value) in values.enumerated() { map.set(value, x, y) } }
    let expected = values.map { abs($0) <= 1e6 ? $0 : Float(-1e30) }
    #expect(unpackDisparity(map) == expected + expected)

    let halves = try PixelBuffer(256, 256, .disparityHalf)
    for y in 0..<256 { for x in 0..<256 { halves.set(UInt16(y * 256 + x), x, y) } }
    for (bits, value) in unpackDisparity(halves).enumerated() {
      let exact = focal_half_to_float(UInt32(bits))
      #expect(value == (exact.isFinite ? exact : -1e30))
    }
  }
}
