// SPDX-License-Identifier: Apache-2.0

import Foundation
import ShaderTypes
import Testing

/// The shared scalar maths against Double. A float's step near the value is one ULP; exact
/// rounding would be 0.5.
@Suite struct ScalarMathTests {
  /// Largest error in steps over floats of every magnitude between the bounds.
  private func worst(
    _ low: Float, _ high: Float, count: Int = 200_000, _ function: (Float) -> Float,
    _ exact: (Double) -> Double
  ) -> Double {
    floats(from: low, to: high, count: count)
      .reduce(0) { max($0, stepsOff(function($1), exact(Double($1)))) }
  }

  // A Newton step y (2 - x y) rounds three times: 1.5 steps of the result.
  @Test func reciprocal() {
    #expect(worst(1.2e-38, 8e37, focal_reciprocal) { 1 / $0 } < 1.6)
    #expect(worst(1, 2, focal_reciprocal) { 1 / $0 } < 1.6)
    // Two steps instead of four, the last from 5e-8 off.
    #expect(worst(1.7, 2.42, focal_reciprocal_near_two) { 1 / $0 } < 3)
  }

  // y (1.5 - x/2 y y) rounds four times.
  @Test func squareRoots() {
    #expect(worst(1.2e-38, 3e38, focal_reciprocal_sqrt) { 1 / $0.squareRoot() } < 2.6)
    #expect(worst(8e-31, 3e38, focal_sqrt) { $0.squareRoot() } < 2)
    #expect(focal_sqrt(0) == 0)
    #expect(focal_sqrt(1e-37) == 0)
    #expect(focal_sqrt(-1) == 0)
  }

  // The polynomial is 2e-7 off; a result of magnitude 64 to 128 rounds by up to 3.9e-6.
  @Test func logarithm() {
    for x in floats(from: 1.2e-38, to: 3e38, count: 200_000) {
      let exact = log2(Double(x))
      #expect(abs(Double(focal_log2(x)) - exact) < 2e-7 + abs(exact) * 0x1p-24, "\(x)")
    }
    for exponent in -126...127 {
      #expect(focal_log2(Float(sign: .plus, exponent: exponent, significand: 1)) == Float(exponent))
    }
    #expect(worst(1e-7, 0.29, focal_log2_one_minus) { log1p(-$0) / log(2) } < 6)
    #expect(worst(1e-7, 0.29, { focal_log2_one_minus(-$0) }) { log1p($0) / log(2) } < 6)
  }

  // A Taylor remainder of 1e-8 and the rounding of seven steps.
  @Test func power() {
    for i in 0...300_000 {
      let x = Float(-126 + 253 * Double(i) / 300_000)
      let exact = exp2(Double(x))
      #expect(abs(Double(focal_exp2(x)) / exact - 1) < 1e-7, "\(x)")
    }
    for whole in -126...127 {
      #expect(focal_exp2(Float(whole)) == Float(sign: .plus, exponent: whole, significand: 1))
    }
    #expect(worst(1e-7, 0.5, focal_exp2_minus_one) { expm1($0 * log(2)) } < 3)
    #expect(worst(1e-7, 0.5, { focal_exp2_minus_one(-$0) }) { expm1(-$0 * log(2)) } < 3)
    // Out of range is clamped, never wrapped.
    #expect(focal_exp2(1000) == 0x1p127)
    #expect(focal_exp2(.infinity) == 0x1p127)
    #expect(focal_exp2(-1000) == 0x1p-126)
    #expect(focal_exp2(.nan) == 0x1p-126)
  }

  // The logarithm's error times the exponent and ln 2, and the power's own.
  @Test(arguments: [0.41666667, 0.45, 2.2222222, 2.4] as [Float])
  func anyPower(_ exponent: Float) {
    for x in floats(from: 1e-6, to: 100, count: 100_000) {
      let exact = pow(Double(x), Double(exponent))
      let logarithm = 2e-7 + abs(log2(Double(x))) * 0x1p-24
      let bound = 1e-7 + Double(exponent) * log(2) * 2 * logarithm
      #expect(abs(Double(focal_pow(x, exponent)) / exact - 1) < bound, "\(x)")
    }
    #expect(focal_pow(1, exponent) == 1)
    #expect(focal_pow(0, exponent) == 0)
    #expect(focal_pow(-1, exponent) == 0)
  }

  @Test func floor() {
    for i in -4000...4000 {
      let x = Float(i) / 16
      #expect(focal_floor_int(x) == Int32(x.rounded(.down)))
    }
    #expect(focal_floor_int(-0.0) == 0)
    #expect(focal_floor_int(-1e-30) == -1)
    #expect(focal_floor_int(2147483520) == 2147483520)
    #expect(focal_floor_int(-2147483648) == .min)
  }
}
