// SPDX-License-Identifier: Apache-2.0

import Foundation
import ShaderTypes
import Testing

/// IEEE 754 binary16, by its definition in Double.
@Suite struct HalfTests {
  /// The value of a half's bits; `nil` for not-a-number.
  private func value(_ bits: UInt32) -> Double? {
    let sign: Double = bits & 0x8000 == 0 ? 1 : -1
    let exponent = Int(bits >> 10 & 31)
    let fraction = Double(bits & 1023) / 1024
    if exponent == 31 { return fraction == 0 ? sign * .infinity : nil }
    return exponent == 0
      ? sign * fraction * 0x1p-14 : sign * scalbn(1 + fraction, exponent - 15)
  }

  /// The bits of the nearest half, ties to even, beyond 65504 the largest finite one.
  private func nearest(_ x: Float) -> UInt32 {
    let sign: UInt32 = x.sign == .minus ? 0x8000 : 0
    let magnitude = abs(Double(x))
    guard magnitude < 65520 else { return sign | 0x7BFF }
    let exponent = magnitude < 0x1p-14 ? -14 : Int(logb(magnitude))
    let steps = scalbn(magnitude, 10 - exponent).rounded(.toNearestOrEven)
    return sign | UInt32(steps + 1024 * Double(exponent + 14))
  }

  @Test func everyHalfIsReadExactlyAndComesBack() {
    for bits in 0..<UInt32(65536) {
      let float = focal_half_to_float(bits)
      guard let expected = value(bits) else {
        #expect(float.isNaN)
        #expect(focal_float_to_half(float) & 0x7FFF == 0x7E00)
        continue
      }
      #expect(Double(float) == expected && (float.sign == .minus) == (bits & 0x8000 != 0))
      let finite = bits & 0x7FFF == 0x7C00 ? bits - 1 : bits
      #expect(focal_float_to_half(float) == finite)
    }
  }

  @Test func betweenTwoHalvesTheNearerIsTaken() {
    for bits in 0..<UInt32(0x7BFF) {
      let low = value(bits)!, high = value(bits + 1)!
      let middle = Float((low + high) / 2)  // exact: halves have 13 bits to spare
      #expect(focal_float_to_half(middle) == (bits & 1 == 0 ? bits : bits + 1))
      #expect(focal_float_to_half(middle.nextDown) == bits)
      #expect(focal_float_to_half(middle.nextUp) == bits + 1)
      #expect(focal_float_to_half(-middle.nextUp) == (bits + 1) | 0x8000)
    }
  }

  @Test func anyFloatRoundsToNearest() {
    var random = Seeded(1)
    for _ in 0..<200_000 {
      let x = Float(bitPattern: UInt32.random(in: 0...UInt32.max, using: &random))
      if x.isNaN {
        #expect(focal_float_to_half(x) & 0x7FFF == 0x7E00)
      } else {
        #expect(focal_float_to_half(x) == nearest(x), "\(x)")
      }
    }
  }

  @Test func lightBeyondTheRangeStaysFinite() {
    #expect(focal_float_to_half(65519.99) == 0x7BFF)
    #expect(focal_float_to_half(1e30) == 0x7BFF)
    #expect(focal_float_to_half(.infinity) == 0x7BFF)
    #expect(focal_float_to_half(-.infinity) == 0xFBFF)
    #expect(focal_float_to_half(-0.0) == 0x8000)
    #expect(focal_float_to_half(0x1p-25) == 0)  // a tie: to even
    #expect(focal_float_to_half(Float(0x1p-25).nextUp) == 1)
    #expect(focal_float_to_half(.leastNonzeroMagnitude) == 0)
  }
}
