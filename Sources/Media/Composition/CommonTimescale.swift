// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// The least timescale in which several times are whole numbers of ticks.
struct CommonTimescale {
  private var ticks: UInt64 = 1

  /// Whether there is no such number of 32 bits.
  var isTooFine: Bool { ticks > UInt64(Int32.max) }

  /// Ticks a second; a million where there is no such number of 32 bits.
  var timescale: Int32 { isTooFine ? 1_000_000 : Int32(ticks) }

  /// Takes in all times of a timescale.
  mutating func include(_ timescale: Int32) {
    let divisor = Time.greatestCommonDivisor(ticks, UInt64(timescale))
    let (product, overflow) = (ticks / divisor).multipliedReportingOverflow(by: UInt64(timescale))
    ticks = overflow ? .max : product
  }

  /// Takes in one time.
  mutating func include(_ time: Time) {
    guard time.converted(to: Int32(clamping: ticks)) != time else { return }
    include(time.timescale)
  }
}
