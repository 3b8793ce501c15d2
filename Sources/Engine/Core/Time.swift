// SPDX-License-Identifier: Apache-2.0

/// An exact point in time, or a duration: `value / timescale` seconds.
///
/// Two times are equal when their seconds are, whatever their timescales: `20/600 == 1/30`.
/// Sums and differences are exact; where a common timescale would not fit 32 bits, or the value
/// 64 bits, the result is rounded to the finest timescale that fits. Beyond 64 bits of seconds, which are 292 billion years,
/// it is the nearest end of them.
public struct Time: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The number of ticks.
  public let value: Int64
  /// Ticks a second, at least 1.
  public let timescale: Int32

  /// Zero seconds.
  public static let zero = Time(value: 0, timescale: 1)

  /// - Precondition: `timescale` is at least 1.
  public init(value: Int64, timescale: Int32) {
    precondition(timescale >= 1, "a time's timescale is at least 1")
    self.value = value
    self.timescale = timescale
  }

  /// The time nearest to `seconds` on a timescale; not finite or too large becomes the nearest end
  /// of what 64 bits hold, not a number becomes zero.
  ///
  /// - Precondition: `preferredTimescale` is at least 1.
  public init(seconds: Double, preferredTimescale: Int32 = 600) {
    let ticks = (seconds * Double(preferredTimescale)).rounded()
    let clamped: Int64 =
      ticks.isNaN ? 0 : ticks >= 0x1p63 ? .max : ticks < -0x1p63 ? .min : Int64(ticks)
    self.init(value: clamped, timescale: preferredTimescale)
  }

  /// Seconds, rounded to the nearest double.
  public var seconds: Double { Double(value) / Double(timescale) }

  /// Seconds in messages: with one digit behind the point, and up to six, as times are typed.
  package var secondsText: String {
    // Beyond this, doubles have no more.
    guard abs(seconds) < 1e9 else { return "\(seconds)" }
    let microseconds = Int64((seconds * 1e6).rounded())
    let (whole, rest) = microseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000)
    var digits = String(1_000_000 + rest).dropFirst()
    while digits.count > 1, digits.last == "0" { digits.removeLast() }
    return "\(microseconds < 0 ? "-" : "")\(whole).\(digits)"
  }

  /// The same time on another timescale, rounded half away from zero; saturates at 64 bits.
  ///
  /// - Precondition: `newTimescale` is at least 1.
  public func converted(to newTimescale: Int32) -> Time {
    precondition(newTimescale >= 1, "a time's timescale is at least 1")
    if newTimescale == timescale { return self }
    return Time.rounded(
      numerator: Int128(value) * Int128(newTimescale), denominator: Int128(timescale),
      timescale: newTimescale)
  }

  public var description: String { "\(value)/\(timescale)" }

  public static func == (a: Time, b: Time) -> Bool { a.crossProduct(b) == b.crossProduct(a) }
  public static func < (a: Time, b: Time) -> Bool { a.crossProduct(b) < b.crossProduct(a) }

  public func hash(into hasher: inout Hasher) {
    let divisor = Int64(Time.greatestCommonDivisor(value.magnitude, UInt64(timescale)))
    hasher.combine(value / divisor)
    hasher.combine(Int64(timescale) / divisor)
  }

  public static func + (a: Time, b: Time) -> Time { sum(a, b, sign: 1) }
  public static func - (a: Time, b: Time) -> Time { sum(a, b, sign: -1) }
  public static prefix func - (a: Time) -> Time { sum(.zero, a, sign: -1) }
  public static func += (a: inout Time, b: Time) { a = a + b }
  public static func -= (a: inout Time, b: Time) { a = a - b }

  /// A multiple; saturates at 64 bits.
  public static func * (a: Time, factor: Int) -> Time {
    rounded(
      numerator: Int128(a.value) * Int128(factor), denominator: 1, timescale: a.timescale)
  }

  // MARK: - Arithmetic on 128 bits, where no product of a value and a timescale overflows

  private func crossProduct(_ other: Time) -> Int128 { Int128(value) * Int128(other.timescale) }

  private static func sum(_ a: Time, _ b: Time, sign: Int128) -> Time {
    let divisor = Int64(greatestCommonDivisor(UInt64(a.timescale), UInt64(b.timescale)))
    let common = Int64(a.timescale) / divisor * Int64(b.timescale)
    let numerator =
      Int128(a.value) * Int128(common / Int64(a.timescale))
      + sign * Int128(b.value) * Int128(common / Int64(b.timescale))
    if common <= Int64(Int32.max), let value = Int64(exactly: numerator) {
      return Time(value: value, timescale: Int32(common))
    }
    // Below 2¹²⁷: a numerator has 96 bits at most, a common timescale 62.
    let size = max(numerator >= 0 ? numerator : -numerator, 1)
    let fitting = Int128(Int64.max) * Int128(common) / size
    let timescale = max(min(fitting, Int128(common), Int128(Int32.max)), 1)
    return rounded(
      numerator: numerator * timescale, denominator: Int128(common), timescale: Int32(timescale))
  }

  private static func rounded(numerator: Int128, denominator: Int128, timescale: Int32) -> Time {
    let half = denominator / 2
    let quotient = (numerator >= 0 ? numerator + half : numerator - half) / denominator
    return Time(value: Int64(clamping: quotient), timescale: timescale)
  }

  /// At least 1.
  package static func greatestCommonDivisor(_ a: UInt64, _ b: UInt64) -> UInt64 {
    var (a, b) = (a, b)
    while b != 0 { (a, b) = (b, a % b) }
    return max(a, 1)
  }
}

/// A half-open range of time: `start` belongs to it, `end` does not.
public struct TimeRange: Hashable, Sendable, CustomStringConvertible {
  /// The first moment.
  public var start: Time
  /// Never negative: a negative one becomes zero.
  public var duration: Time { didSet { duration = max(duration, .zero) } }

  /// The empty range at zero.
  public static let zero = TimeRange(start: .zero, duration: .zero)

  /// A range; a negative duration becomes zero.
  public init(start: Time, duration: Time) {
    self.start = start
    self.duration = max(duration, .zero)
  }

  /// A range between two times; empty at `start` where `end` is not after it. Where no time holds the duration exactly, the
  /// range ends up to a nanosecond before `end`, never after it.
  public init(start: Time, end: Time) {
    let duration = end - start
    self.init(start: start, duration: duration)
    // Only such a duration was rounded. Its sum with the start is rounded once more: a tick too late at most.
    if duration.timescale == .max, self.end > end {
      self = TimeRange(start: start, duration: duration - Time(value: 1, timescale: .max))
    }
  }

  /// The first moment after the range.
  public var end: Time { start + duration }
  /// Whether no time belongs to the range.
  public var isEmpty: Bool { duration == .zero }

  /// Whether a time belongs to the range; its end does not.
  public func contains(_ time: Time) -> Bool { time >= start && time < end }

  /// The common part of two ranges; empty, at the later start, where there is none.
  public func intersection(_ other: TimeRange) -> TimeRange {
    TimeRange(start: max(start, other.start), end: min(end, other.end))
  }

  /// Whether what a cut leaves of a picture shown in this range is not meant: times that were rounded
  /// on their way put a cut a little beside the picture's edge.
  ///
  /// - Parameter rest: how long the picture is seen on the cut's other side.
  package func isSliver(_ rest: Time) -> Bool {
    rest < Time(value: 1, timescale: 1000) && rest * 4 < duration
  }

  public var description: String { "[\(start), \(end))" }
}
