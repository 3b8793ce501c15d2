// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Testing

@testable import FocalMedia

/// The one frame rate that frame times stand for.
@Suite struct FrameRateTests {
  /// Frames of a rate, their times rounded to ticks.
  private static func ranges(
    _ count: Int, of duration: Time, timescale: Int32, dropping dropped: Int? = nil
  ) -> [TimeRange] {
    let numbers = (0...count).filter { $0 != dropped }
    let times = numbers.map { (duration * $0).converted(to: timescale) }
    return zip(times, times.dropFirst()).map { TimeRange(start: $0, end: $1) }
  }

  /// Matroska counts milliseconds: of short films and long ones, the rate is found again.
  @Test(
    arguments: [
      Time(value: 1, timescale: 24), Time(value: 1001, timescale: 24000),
      Time(value: 1, timescale: 25), Time(value: 1001, timescale: 30000),
      Time(value: 1, timescale: 30), Time(value: 1, timescale: 50),
      Time(value: 1001, timescale: 60000), Time(value: 1, timescale: 60),
      Time(value: 1, timescale: 120),
    ], [30, 301, 5000])
  func milliseconds(_ duration: Time, count: Int) {
    let ranges = Self.ranges(count, of: duration, timescale: 1000)
    #expect(ranges.nominalDuration == duration)
    #expect(ranges.isSteady)
  }

  /// What is always the same is the rate, usual or not; where the rate changes, most frames say it.
  @Test func others() {
    let odd = Time(value: 41, timescale: 1000)
    #expect(Self.ranges(40, of: odd, timescale: 1000).nominalDuration == odd)
    let exact = Time(value: 1001, timescale: 30000)
    #expect(Self.ranges(9, of: exact, timescale: 30000).nominalDuration == exact)
    let second = Time(value: 1, timescale: 25)
    let gap = Self.ranges(40, of: second, timescale: 25, dropping: 7)
    #expect(gap.nominalDuration == second && !gap.isSteady)
    let one = [TimeRange(start: .zero, duration: odd)]
    #expect(one.nominalDuration == odd && one.isSteady)
    let none: [TimeRange] = []
    #expect(none.nominalDuration == nil && none.isSteady)
  }
}
