// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

/// The times of the frames that a reader delivers, counted from the container's start.
struct ReadTimes: Sendable {
  /// The entry of the timeline that is frame 0.
  let first: Int
  /// How many frames there are.
  let count: Int
  /// Ticks a second in which every frame's time is a whole number, if 32 bits hold such a number.
  let timescale: Int32

  private let timeline: Timeline
  /// Subtracted from the timeline's times.
  let startTime: Time
  private let end: Time

  /// - Parameters:
  ///   - first: the entry of the timeline that is frame 0.
  ///   - timescale: of the track.
  init(_ timeline: Timeline, from first: Int, startTime: Time, timescale: Int32) {
    self.timeline = timeline
    self.first = first
    self.startTime = startTime
    count = timeline.count - first
    let ticks = Self.timescale(timeline, first, startTime, timescale)
    self.timescale = ticks
    let last = timeline[timeline.count - 1].timeRange
    // The length of an edit is rounded to the movie's ticks; the sample's own is exact.
    let exact = last.start + timeline.mediaDuration(ofEntry: timeline.count - 1)
    let rest = max(exact, last.end) - min(exact, last.end)
    let isRounded = rest <= Time(value: 1, timescale: 600) && rest * 4 < last.duration
    end = ((isRounded ? exact : last.end) - startTime).converted(to: ticks)
  }

  private static func timescale(
    _ timeline: Timeline, _ first: Int, _ startTime: Time, _ timescale: Int32
  ) -> Int32 {
    var common = UInt64(timescale)
    for entry in first..<timeline.count {
      let time = timeline[entry].timeRange.start - startTime
      guard time.converted(to: Int32(common)) != time else { continue }
      // Reduced: a sum's own timescale is that of both its parts.
      let divisor = Time.greatestCommonDivisor(time.value.magnitude, UInt64(time.timescale))
      let needed = UInt64(time.timescale) / divisor
      let product = common / Time.greatestCommonDivisor(common, needed) * needed
      guard product <= UInt64(Int32.max) else { return max(timescale, 1_000_000) }
      common = product
    }
    return Int32(common)
  }

  /// - Precondition: `number` is below ``count``.
  func timeRange(_ number: Int) -> TimeRange {
    let time = start(number)
    // Until the next one appears: what lies between two edits shows the picture before.
    return TimeRange(start: time, end: number + 1 < count ? start(number + 1) : end)
  }

  private func start(_ number: Int) -> Time {
    (timeline[first + number].timeRange.start - startTime).converted(to: timescale)
  }

  /// The frame that is on the screen at a time; `nil` if there is none.
  func number(at time: Time) -> Int? {
    guard time < end, let entry = timeline.number(at: time + startTime), entry >= first else {
      return nil
    }
    return entry - first
  }

  /// The frame that appears nearest to a time; of two equally near, the earlier.
  func number(nearest time: Time) -> Int {
    guard let entry = timeline.number(at: time + startTime) else { return 0 }
    let number = min(max(entry - first, 0), count - 1)
    guard number + 1 < count, start(number + 1) - time < time - start(number) else { return number }
    return number + 1
  }

  /// As that of the time ranges.
  var nominalDuration: Time {
    (0..<count).lazy.map { timeRange($0) }.nominalDuration ?? timeRange(0).duration
  }
}

extension Collection<TimeRange> {
  /// Whether all but the last are about equally long, as at one frame rate whose times were rounded to ticks.
  package var isSteady: Bool {
    guard let first = first?.duration else { return true }
    let seconds = first.seconds
    let slack = Swift.max(seconds / 10, Swift.min(1.01 / Double(first.timescale), seconds / 3))
    return dropLast().allSatisfy { abs($0.duration.seconds - seconds) < slack }
  }
}

extension RandomAccessCollection where Element == TimeRange, Index == Int {
  /// The time from frame to frame: exact where it is always the same, else that of the usual rate whose times were
  /// rounded to ticks, as Matroska rounds to milliseconds, or of most frames. `nil` for none.
  package var nominalDuration: Time? {
    guard let head = self.first, let tail = self.last, count > 1 else { return first?.duration }
    let step = Swift.max((count - 1) / 100, 1)
    let numbers = Array(stride(from: 0, to: count - 1, by: step))
    let durations = numbers.map { self[startIndex + $0].duration }.sorted()
    let median = durations[durations.count / 2]
    let span = tail.start - head.start
    guard median > .zero, span != median * (count - 1) else { return median }
    let times = (numbers + [count - 1]).map { number in
      (number: number, seconds: (self[startIndex + number].start - head.start).seconds)
    }
    /// How far the frames' times are from those of one duration at most, whichever way they were rounded.
    func spread(_ duration: Double) -> Double {
      let gaps = times.map { $0.seconds - Double($0.number) * duration }
      return (gaps.max() ?? 0) - (gaps.min() ?? 0)
    }
    // A usual rate is meant where its times are about as near as those of the mean, and never far. Of every third
    // frame, times may not be rounded at all: so the hundredth of a millisecond.
    let mean = span.seconds / Double(count - 1)
    var least = Swift.min(2 * spread(mean) + 1e-5, median.seconds / 4)
    var nominal = median
    for duration in Time.durationsOfUsualRates(near: 1 / mean) {
      let gap = spread(duration.seconds)
      if gap < least { (least, nominal) = (gap, duration) }
    }
    return nominal
  }
}

extension Time {
  /// The frame durations of whole rates, and of NTSC's (24 and 30 over 1.001, and what is made of them), next to a rate.
  fileprivate static func durationsOfUsualRates(near rate: Double) -> [Time] {
    guard rate.isFinite, rate < 1e6 else { return [] }
    let whole = Int32(rate.rounded())
    let ofNTSC = Int32((rate * 1.001).rounded())
    return (whole > 0 ? [Time(value: 1, timescale: whole)] : [])
      + (ofNTSC > 0 && ofNTSC % 6 == 0 ? [Time(value: 1001, timescale: ofNTSC * 1000)] : [])
  }
}
