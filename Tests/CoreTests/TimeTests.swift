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

  /// Messages have as many digits as people type.
  @Test func textOfSeconds() {
    let texts: [(Int64, Int32, String)] = [
      (0, 1, "0.0"), (12, 1, "12.0"), (1, 2, "0.5"), (-1, 2, "-0.5"), (64, 3000, "0.021333"),
      (2, 3, "0.666667"), (-1, 3, "-0.333333"), (1, 100_000, "0.00001"), (-1, .max, "0.0"),
      (2_999_999, 1_000_000, "2.999999"), (29_999_999, 10_000_000, "3.0"),
      (.max, 1, "9.223372036854776e+18"),
    ]
    for (value, timescale, text) in texts {
      #expect(Time(value: value, timescale: timescale).secondsText == text)
    }
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

  /// Where the common timescale leaves no room for the value, the finest one that does holds the sum.
  @Test func largeSumsAreRoundedToWhatFits() {
    let largest = Time(value: .max, timescale: 1)
    #expect(largest + Time(value: 1, timescale: 2) == largest)
    #expect(
      Time(value: .max / 2, timescale: 1) + Time(value: 1, timescale: 3)
        == Time(value: .max, timescale: 2))
    #expect((-Time(value: .min, timescale: 600)).timescale == 599)
    var random = Seeded(8)
    for _ in 0..<20_000 {
      func time() -> Time {
        let scale =
          Int32.random(in: 1 ... .max, using: &random) >> Int32.random(in: 0...30, using: &random)
        return Time(
          value: Int64.random(in: .min ... .max, using: &random)
            >> Int64.random(in: 0...62, using: &random), timescale: max(scale, 1))
      }
      let (a, b) = (time(), time())
      let sum = a + b
      // The exact sum, in parts that both times are whole numbers of.
      let part = Int128(a.timescale) * Int128(b.timescale)
      let exact =
        Int128(a.value) * Int128(b.timescale) + Int128(b.value) * Int128(a.timescale)
      guard abs(exact) <= Int128(Int64.max) * part else {
        #expect(sum.timescale == 1 && sum.value.magnitude >= UInt64(Int64.max), "\(a) + \(b)")
        continue
      }
      let error = abs(Int128(sum.value) * part - exact * Int128(sum.timescale))
      #expect(error <= part / 2, "\(a) + \(b) = \(sum)")
      guard error > 0, sum.timescale < .max else { continue }
      let finer = abs(exact) * Int128(sum.timescale + 1)
      #expect(finer > Int128(Int64.max) * part, "\(a) + \(b) = \(sum)")
    }
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
