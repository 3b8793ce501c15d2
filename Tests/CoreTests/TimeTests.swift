// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Testing

@Suite struct TimeTests {
  @Test func equalTimesOnDifferentScalesAreEqual() {
    #expect(Time(value: 20, timescale: 600) == Time(value: 1, timescale: 30))
    #expect(
      Time(value: 20, timescale: 600).hashValue == Time(value: 1, timescale: 30).hashValue)
    #expect(Time(value: 1001, timescale: 30000) < Time(value: 1, timescale: 29))
  }

  @Test func sumsOfFractionalFrameDurationsAreExact() {
    let frame = Time(value: 1001, timescale: 30000)
    var sum = Time.zero
    for _ in 0..<30000 { sum += frame }
    #expect(sum == Time(value: 1001, timescale: 1))
    #expect(sum - frame * 30000 == .zero)
  }

  @Test func extremesSaturate() {
    let largest = Time(value: .max, timescale: 1)
    #expect(largest + largest == largest)
    #expect((-largest - largest).value == .min)
    #expect(Time(seconds: .infinity).value == .max)
    #expect(Time(seconds: .nan) == Time.zero)
    let odd = Time(value: 1, timescale: .max) + Time(value: 1, timescale: .max - 1)
    #expect(abs(odd.seconds - 2 / Double(Int32.max)) < 1e-9)
  }

  @Test func rangesAreHalfOpen() {
    let range = TimeRange(
      start: Time(value: 1, timescale: 2), end: Time(value: 3, timescale: 2))
    #expect(range.contains(range.start))
    #expect(!range.contains(range.end))
    #expect(range.intersection(TimeRange(start: range.end, duration: range.duration)).isEmpty)
  }
}
