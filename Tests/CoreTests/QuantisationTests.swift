// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Foundation
import ShaderTypes
import Testing

/// Dither, and what the formats make of values that are no codes.
@Suite struct QuantisationTests {
  @Test func ditherIsEvenlySpread() {
    for channel in 0..<UInt32(4) {
      for (x0, y0) in [(0, 0), (1000, 3), (7, 4095)] as [(UInt32, UInt32)] {
        var histogram = [Int](repeating: 0, count: 10)
        var sum = 0.0, largest = 0.0
        for y in 0..<UInt32(64) {
          for x in 0..<UInt32(64) {
            let d = Double(focal_dither(x0 + x, y0 + y, channel))
            sum += d
            largest = max(largest, abs(d))
            histogram[min(9, Int((d + 0.49) / 0.098))] += 1
          }
        }
        #expect(abs(sum / 4096) < 0.005)
        #expect(largest < 0.4901)
        // 409.6 in each tenth; white noise would stray by 19, its square root.
        #expect(histogram.allSatisfy { abs($0 - 410) < 12 }, "\(histogram)")
      }
    }
  }

  /// The mean over an area is the value: within the 0.01 that the amplitude of 0.49 gives away,
  /// and the evenness of the pattern over 64 x 64 pixels.
  @Test(arguments: [PixelFormat.yuv420Video8, .yuv420Full8, .yuv420Video10, .yuv420Full10])
  func theMeanIsKept(_ format: PixelFormat) throws {
    let tenBit = format.bitsPerComponent == 10
    let full = format == .yuv420Full8 || format == .yuv420Full10
    let unit = tenBit ? 4.0 : 1.0
    let span = full ? 256 * unit - 1 : 219 * unit, offset = full ? 0 : 16 * unit
    for fraction in stride(from: 0.05, to: 1, by: 0.1) {
      let value = 100 * unit + fraction
      let gray = Float((value - offset) / span)
      let source = try PixelBuffer.linear(64, 64) { _, _ in SIMD4(gray, gray, gray, 1) }
      let destination = try PixelBuffer(64, 64, format, .linearBT709)
      try destination.store(linearRGBA: source)
      var sum = 0, neutral = true
      for y in 0..<64 { for x in 0..<64 { sum += destination.code(x, y) } }
      for y in 0..<32 {
        for x in 0..<64 where destination.code(x, y, plane: 1) != 128 * Int(unit) {
          neutral = false
        }
      }
      #expect(abs(Double(sum) / 4096 - value) < 0.02)
      #expect(neutral, "gray has no colour, dithered or not")
    }
  }

  /// Values that are codes stay what they are: every 8-bit code through every curve.
  @Test(arguments: ColorTags.Transfer.allCases) func codesStay(_ transfer: ColorTags.Transfer)
    throws
  {
    let tags = ColorTags(primaries: .bt709, transfer: transfer, matrix: .bt709)
    for format in [PixelFormat.rgba8, .gray8] {
      let source = try PixelBuffer(256, 6, format, tags)
      let components = format == .rgba8 ? 4 : 1
      for y in 0..<6 {
        for x in 0..<256 * components {
          source.set(UInt8(truncatingIfNeeded: x / components + 37 * (x % components) * y), x, y)
        }
      }
      #expect(try source.repacked().pixelBytes == source.pixelBytes)
    }
  }

  /// Rows of light of the default alignment are padded; what lies between them is not stored.
  @Test(arguments: PixelFormat.allCases.filter { !$0.isDisparity })
  func lightInPaddedRows(_ format: PixelFormat) throws {
    var random = Seeded(23)
    let tight = try PixelBuffer.linear(33, 17) { _, _ in
      SIMD4((0..<4).map { _ in Float.random(in: 0...1, using: &random) })
    }
    let padded = try PixelBuffer(33, 17, .rgbaFloat, tight.tags)
    #expect(padded.planes[0].bytesPerRow > 33 * 16)
    padded.withUnsafeMutableBytes { bytes in
      for index in bytes.indices { bytes[index] = 0x3F }
    }
    for y in 0..<17 {
      for x in 0..<4 * 33 { padded.set(tight.get(x, y, as: Float.self), x, y) }
    }
    let actual = try PixelBuffer(33, 17, format)
    let expected = try PixelBuffer(33, 17, format)
    try actual.store(linearRGBA: padded)
    try expected.store(linearRGBA: tight)
    #expect(actual.pixelBytes == expected.pixelBytes)
  }

  /// Every 16-bit gray, which is not dithered.
  @Test(arguments: ColorTags.Transfer.allCases) func gray16Stays(_ transfer: ColorTags.Transfer)
    throws
  {
    let tags = ColorTags(primaries: .bt709, transfer: transfer, matrix: .bt709)
    let source = try PixelBuffer(1024, 64, .gray16, tags)
    for y in 0..<64 { for x in 0..<1024 { source.set(UInt16(y * 1024 + x), x, y) } }
    #expect(try source.repacked().pixelBytes == source.pixelBytes)
  }

  /// Finite halves and floats pass a linear picture bit by bit; a negative zero loses its sign.
  @Test func linearFloatsAreExact() throws {
    let halves = try PixelBuffer(256, 64, .rgbaHalf, .linearBT709)
    for i in 0..<65536 {
      let bits = UInt16(i)
      let special = bits & 0x7C00 == 0x7C00 || bits == 0x8000
      halves.set(special ? 0 : bits, i % 1024, i / 1024)
    }
    #expect(try halves.repacked().pixelBytes == halves.pixelBytes)
    var random = Seeded(9)
    let floats = try PixelBuffer.linear(33, 5) { _, _ in
      SIMD4((0..<4).map { _ in Float.random(in: -65504...65504, using: &random) })
    }
    #expect(try floats.repacked().pixelBytes == floats.pixelBytes)
  }

  @Test(arguments: ColorTags.Transfer.allCases)
  func sourcesWithoutBoundsAreTamed(_ transfer: ColorTags.Transfer) throws {
    let tags = ColorTags(primaries: .bt709, transfer: transfer, matrix: .bt709)
    let source = try PixelBuffer(6, 1, .rgbaFloat, tags)
    let values: [Float] = [.nan, .infinity, -.infinity, 1e38, -1e38, -.nan]
    for (x, value) in values.enumerated() { for c in 0..<4 { source.set(value, 4 * x + c, 0) } }
    let linear = try source.linearRGBA()
    for (x, value) in values.enumerated() {
      for c in 0..<4 {
        let light = linear.color(x, 0)[c]
        if value.isNaN {
          #expect(light == 0)
        } else {
          #expect(light.sign == value.sign && abs(light) <= 65504 && abs(light) > 49)
        }
      }
    }
    // Not a number in the linear picture is stored as black by every format.
    let broken = try PixelBuffer.linear(4, 2) { _, _ in SIMD4(repeating: .nan) }
    let black = try PixelBuffer.linear(4, 2) { _, _ in .zero }
    for format in PixelFormat.allCases where !format.isDisparity {
      let actual = try PixelBuffer(4, 2, format, tags),
        expected = try PixelBuffer(4, 2, format, tags)
      try actual.store(linearRGBA: broken)
      try expected.store(linearRGBA: black)
      #expect(actual.pixelBytes == expected.pixelBytes, "\(format)")
    }
  }
}
