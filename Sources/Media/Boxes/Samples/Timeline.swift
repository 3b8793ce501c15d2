// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// The times at which a track's samples are shown: in the order of the screen, after edits.
///
/// Times are exact, on the movie's timeline.
public struct Timeline: Sendable {
  /// A sample on the screen.
  public struct Entry: Hashable, Sendable {
    /// The number of the sample in the ``SampleIndex``.
    public var sample: Int
    /// On the movie's clock.
    public var timeRange: TimeRange
  }

  /// A stretch of media without a cut.
  package struct Segment: Sendable {
    package var timeRange: TimeRange
    /// Ticks of the media's timescale.
    package var mediaStart: Int64
    /// 16.16; zero holds the first picture.
    package var rate: Int32
    /// Positions in `order` that are visible.
    var positions: Range<Int>
    /// How many entries come before.
    var firstEntry: Int
  }

  /// The samples that are shown, by the time they are.
  package let order: [Int32]
  let times: [Int64]
  let mediaEnd: Int64
  let mediaTimescale: Int32
  /// How many samples are left out because another one takes their place at once.
  package private(set) var unseenCount = 0
  package private(set) var segments: [Segment] = []

  /// How many samples are shown, those that edits show twice counted twice.
  public private(set) var count = 0
  /// From zero to where the last edit ends.
  public private(set) var timeRange = TimeRange.zero

  /// From the first picture's appearance to the last one's end; empty where nothing is shown.
  public var shownRange: TimeRange {
    guard let first = segments.first, let last = segments.last else { return .zero }
    return TimeRange(start: first.timeRange.start, end: last.timeRange.end)
  }

  /// - Parameters:
  ///   - edits: `nil` shows the whole media from its zero.
  ///   - isFragmented: whether an edit without a length goes on to the end.
  ///   - showsAll: whether samples count that last no time because the next one has the same time.
  public init(
    _ index: SampleIndex, mediaTimescale: Int32, movieTimescale: Int32, edits: EditList?,
    isFragmented: Bool, showsAll: Bool = true
  ) {
    self.mediaTimescale = mediaTimescale
    var sorted = Array(0..<Int32(index.count))
    // Only pictures that are shown in another order than they are decoded need sorting.
    if !index.compositionOffsets.isEmpty || !Self.isRising(index.decodeTimes) {
      let keys = (0..<index.count).map { index.compositionTime($0) }
      sorted.sort { (keys[Int($0)], $0) < (keys[Int($1)], $1) }
    }
    if !index.hiddenFlags.isEmpty { sorted.removeAll { index.hiddenFlags[Int($0)] } }
    if !showsAll {
      let all = sorted.map { index.compositionTime(Int($0)) }
      let seen = sorted.indices.filter { $0 + 1 == all.count || all[$0] != all[$0 + 1] }
      unseenCount = sorted.count - seen.count
      if unseenCount > 0 { sorted = seen.map { sorted[$0] } }
    }
    order = sorted
    times = sorted.map { index.compositionTime(Int($0)) }
    let last = sorted.last.map { index[Int($0)] }
    mediaEnd = max(last.map { $0.compositionTime + $0.duration } ?? 0, 0)
    let whole = [EditList.Edit(duration: 0, mediaTime: 0)]
    let list = edits.map { $0.edits.isEmpty ? whole : $0.edits } ?? whole
    var start = Time.zero
    for edit in list {
      let reachesEnd = edit.duration == 0 && (edits?.edits.isEmpty != false || isFragmented)
      var length = Time(value: edit.duration, timescale: movieTimescale)
      if reachesEnd, !edit.isEmpty {
        length = Time(
          value: max(0, mediaEnd.subtractingReportingOverflow(edit.mediaTime).partialValue),
          timescale: mediaTimescale)
      }
      let range = TimeRange(start: start, duration: length)
      if !edit.isEmpty, !range.isEmpty { show(edit, range, movieTimescale) }
      start = range.end
    }
    timeRange = TimeRange(start: .zero, end: start)
  }

  private static func isRising(_ times: [Int64]) -> Bool {
    zip(times, times.dropFirst()).allSatisfy { $0 <= $1 }
  }

  private mutating func show(_ edit: EditList.Edit, _ range: TimeRange, _ movieTimescale: Int32) {
    let begin = edit.mediaTime
    let ticks = mediaTicks(range.duration, rate: edit.rate)
    let end = begin.addingReportingOverflow(ticks).overflow ? .max : begin + ticks
    // Edits are rounded to ticks of the movie: a picture that would be seen for less than half a
    // tick, and less than a quarter of its time, is not meant.
    let halfTick = Int64(mediaTimescale) / (2 * Int64(movieTimescale))
    var lower = max(position(after: begin) - 1, 0)
    while lower < times.count, sampleEnd(lower) <= begin { lower += 1 }
    if lower < times.count, times[lower] < begin {
      let seen = sampleEnd(lower) - begin
      if seen <= min(halfTick, (sampleEnd(lower) - times[lower]) / 4) { lower += 1 }
    }
    var upper = edit.rate == 0 ? min(lower + 1, times.count) : position(after: end - 1)
    if edit.rate != 0, upper - 1 > lower {
      let seen = end - times[upper - 1]
      if seen <= min(halfTick, (sampleEnd(upper - 1) - times[upper - 1]) / 4) { upper -= 1 }
    }
    guard lower < upper else { return }
    segments.append(
      Segment(
        timeRange: range, mediaStart: begin, rate: edit.rate, positions: lower..<upper,
        firstEntry: count))
    count += upper - lower
  }

  /// Movie time as ticks of the media, at an edit's rate; saturates.
  private func mediaTicks(_ time: Time, rate: Int32) -> Int64 {
    let ticks =
      Int128(time.value) * Int128(mediaTimescale) * Int128(max(rate, 0))
      / (Int128(time.timescale) << 16)
    return Int64(clamping: ticks)
  }

  /// When the sample at a position stops being shown: where the next one is.
  private func sampleEnd(_ position: Int) -> Int64 {
    position + 1 < times.count ? times[position + 1] : mediaEnd
  }

  /// The first position whose sample is shown after a media time.
  private func position(after time: Int64) -> Int {
    times.partitionPoint { $0 <= time }
  }

  /// Whether an edit shows its media slower or faster than they are, or holds a picture.
  package var changesSpeed: Bool { segments.contains { $0.rate != 1 << 16 } }

  // MARK: - Looking up

  /// How long an entry's sample lasts on the media's clock, whatever an edit leaves of it.
  ///
  /// - Precondition: `number` is below ``count``.
  package func mediaDuration(ofEntry number: Int) -> Time {
    let segment = segments[segmentNumber(ofEntry: number)]
    let position = segment.positions.lowerBound + number - segment.firstEntry
    return Time(
      value: max(sampleEnd(position) - times[position], 0), timescale: mediaTimescale)
  }

  /// How much of an entry's sample an edit cuts off at its beginning, on the media's clock.
  ///
  /// - Precondition: `number` is below ``count``.
  package func mediaSkipped(ofEntry number: Int) -> Time {
    let segment = segments[segmentNumber(ofEntry: number)]
    let position = segment.positions.lowerBound + number - segment.firstEntry
    guard position == segment.positions.lowerBound else { return .zero }
    let (ticks, _) = segment.mediaStart.subtractingReportingOverflow(times[position])
    return Time(value: max(ticks, 0), timescale: mediaTimescale)
  }

  private func segmentNumber(ofEntry number: Int) -> Int {
    precondition(number >= 0 && number < count, "the timeline has no such entry")
    return segments.partitionPoint { $0.firstEntry <= number } - 1
  }

  /// The entry of a number, in the order of the screen.
  ///
  /// - Precondition: `number` is below ``count``.
  public subscript(_ number: Int) -> Entry {
    let segment = segments[segmentNumber(ofEntry: number)]
    let position = segment.positions.lowerBound + number - segment.firstEntry
    let start = time(of: times[position], in: segment)
    let end =
      position + 1 < segment.positions.upperBound
      ? time(of: times[position + 1], in: segment) : segment.timeRange.end
    return Entry(
      sample: Int(order[position]),
      timeRange: TimeRange(
        start: position == segment.positions.lowerBound
          ? max(start, segment.timeRange.start) : start,
        end: end))
  }

  /// Where a media time lies on the movie's timeline, not after the segment.
  private func time(of media: Int64, in segment: Segment) -> Time {
    guard segment.rate > 0 else { return segment.timeRange.start }
    let ticks = media.subtractingReportingOverflow(segment.mediaStart).partialValue
    let offset: Time
    if segment.rate == 1 << 16 {
      offset = Time(value: ticks, timescale: mediaTimescale)
    } else {
      let scaled = (Int128(ticks) << 16) / Int128(segment.rate)
      offset = Time(value: Int64(clamping: scaled), timescale: mediaTimescale)
    }
    return min(segment.timeRange.start + offset, segment.timeRange.end)
  }

  /// The entry that is on the screen at a time, or the last one before it; `nil` before the first.
  ///
  /// - Parameter tolerance: how much after `time` an entry may begin and still count.
  public func number(at time: Time, tolerance: Time = .zero) -> Int? {
    let limit = time + tolerance
    let next = (0..<count).partitionPoint { self[$0].timeRange.start <= limit }
    return next > 0 ? next - 1 : nil
  }
}
