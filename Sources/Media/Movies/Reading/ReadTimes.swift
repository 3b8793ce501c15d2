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

  /// The duration of most frames; `nil` for one frame.
  var typicalDuration: Time? {
    guard count > 1 else { return nil }
    let step = max((count - 1) / 100, 1)
    let durations = stride(from: 0, to: count - 1, by: step).map { timeRange($0).duration }.sorted()
    return durations[durations.count / 2]
  }
}

extension Collection<TimeRange> {
  /// Whether all but the last are about equally long, as at one frame rate.
  package var isSteady: Bool {
    guard let first = first?.duration.seconds else { return true }
    return dropLast().allSatisfy { abs($0.duration.seconds - first) < first / 10 }
  }
}
