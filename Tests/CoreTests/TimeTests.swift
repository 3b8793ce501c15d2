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

  @Test func durationsAreNeverNegative() {
    let second = Time(value: 1, timescale: 1)
    #expect(TimeRange(start: second, duration: -second).isEmpty)
    var range = TimeRange(start: second, duration: second)
    range.duration -= second * 2
    #expect(range.isEmpty && range.end == second)
    range.duration = -second
    #expect(range.isEmpty)
  }

  /// Times without a common timescale of 32 bits.
  @Test func rangesEndAtMostANanosecondEarly() {
    let scales: [Int32] = [1, 600, 30000, 44100, 1_000_000_000, .max - 1, .max]
    var random = Seeded(3)
    for number in 0..<5000 {
      let from = Double.random(in: -100...100, using: &random)
      // Ranges of a tick, too.
      let length = number % 2 == 0 ? 10 : 1e-9
      let to = from + Double.random(in: 0...length, using: &random)
      let first = scales[Int.random(in: 0..<scales.count, using: &random)]
      let second = scales[Int.random(in: 0..<scales.count, using: &random)]
      let start = Time(seconds: from, preferredTimescale: first)
      let end = max(start, Time(seconds: to, preferredTimescale: second))
      let range = TimeRange(start: start, end: end)
      #expect(range.end >= start && range.end <= end)
      #expect((end - range.end).seconds < 1e-9)
    }
  }

  @Test func rangesAreHalfOpen() {
    let range = TimeRange(
      start: Time(value: 1, timescale: 2), end: Time(value: 3, timescale: 2))
    #expect(range.contains(range.start))
    #expect(!range.contains(range.end))
    #expect(range.intersection(TimeRange(start: range.end, duration: range.duration)).isEmpty)
  }
}
