// SPDX-License-Identifier: Apache-2.0

/// The coarsest grid of steps 2⁻ᵏ that a column's numbers lie on, so that they are whole numbers of
/// steps, exactly.
struct BinaryGrid {
  /// The k of the step, 0 to ``finest``.
  let exponent: Int
  static let finest = 60

  /// - Precondition: `exponent` is 0 to ``finest``.
  init(exponent: Int) {
    precondition((0...Self.finest).contains(exponent), "a grid's exponent is 0 to 60")
    self.exponent = exponent
  }

  /// `nil` where the numbers' magnitudes are too far apart, or one is a negative zero.
  ///
  /// - Parameter column: finite numbers.
  init?(of column: [Double]) {
    var (finest, largest) = (0, 0)
    for value in column {
      if value == 0 {
        guard value.sign == .plus else { return nil }
        continue
      }
      let fraction = value.significandBitPattern
      // the weight of the last bit that is set
      let last = value.exponent - (fraction == 0 ? 0 : 52 - fraction.trailingZeroBitCount)
      finest = max(finest, -last)
      largest = max(largest, Int(value.exponent))
    }
    // below 2⁶⁰ steps, sums of a few do not overflow
    guard finest <= Self.finest, largest + finest < 60 else { return nil }
    exponent = finest
  }

  func steps(_ value: Double) -> Int64 { Int64(value * Double(UInt64(1) << UInt64(exponent))) }
  func value(_ steps: Int64) -> Double { Double(steps) / Double(UInt64(1) << UInt64(exponent)) }
}
