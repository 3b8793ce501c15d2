// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

/// The frames of a video composition and their times: those of the pictures of a track, or steady ones.
struct CompositionFrames: Sendable {
  /// The pictures of a segment.
  struct Run: Sendable {
    let segment: CompositionSegment
    let timeline: Timeline
    /// The entries of the source's timeline that are shown.
    let entries: Range<Int>
    /// From the first one's appearance to the last one's end, on the source's timeline.
    let shownRange: TimeRange
    /// How many frames come before.
    let firstFrame: Int

    /// When an entry is shown, on the composition's timeline.
    func timeRange(_ entry: Int) -> TimeRange {
      let source = timeline[entry].timeRange
      let start = entry == entries.lowerBound ? shownRange.start : source.start
      let end = entry == entries.upperBound - 1 ? shownRange.end : source.end
      return TimeRange(start: compositionTime(start), end: compositionTime(end))
    }

    private func compositionTime(_ sourceTime: Time) -> Time {
      segment.timeRange.start + (sourceTime - segment.sourceTimeRange.start)
    }
  }

  private enum Kind: Sendable {
    case track([Run])
    case steady(step: Time, end: Time)
  }

  private let kind: Kind
  let count: Int

  /// Frames at steady steps.
  init(step: Time, end: Time) {
    kind = .steady(step: step, end: end)
    let exact = Int128(end.value) * Int128(step.timescale)
    let divisor = Int128(step.value) * Int128(end.timescale)
    count = Int(clamping: (exact + divisor - 1) / divisor)
  }

  /// The frames of a track.
  ///
  /// - Throws: what loading the sources throws.
  init(_ track: CompositionTrack) async throws(CinematicError) {
    var runs: [Run] = []
    var count = 0
    for segment in track.segments {
      guard let source = segment.sourceTrack else { continue }
      let timeline = try await source.load(.timeline)
      guard let shown = Self.shown(timeline, segment.sourceTimeRange) else { continue }
      runs.append(
        Run(
          segment: segment, timeline: timeline, entries: shown.entries,
          shownRange: shown.timeRange, firstFrame: count))
      count += shown.entries.count
    }
    kind = .track(runs)
    self.count = count
  }

  /// The part of a timeline that is on the screen within a range.
  private static func shown(
    _ timeline: Timeline, _ range: TimeRange
  ) -> (entries: Range<Int>, timeRange: TimeRange)? {
    guard timeline.count > 0, !range.isEmpty else { return nil }
    var first = timeline.number(at: range.start) ?? 0
    if timeline[first].timeRange.end <= range.start { first += 1 }
    var end = timeline.number(at: range.end).map { $0 + 1 } ?? 0
    if end > 0, timeline[end - 1].timeRange.start >= range.end { end -= 1 }
    guard first < end else { return nil }
    var start = max(timeline[first].timeRange.start, range.start)
    var stop = min(timeline[end - 1].timeRange.end, range.end)
    let head = timeline[first].timeRange
    if end - first > 1, start > head.start, head.isSliver(head.end - start) { first += 1 }
    let tail = timeline[end - 1].timeRange
    if end - first > 1, stop < tail.end, tail.isSliver(stop - tail.start) { end -= 1 }
    // The rest of a sliver is its neighbour's.
    start = min(start, timeline[first].timeRange.start)
    stop = max(stop, timeline[end - 1].timeRange.end)
    return (first..<end, TimeRange(start: max(start, range.start), end: min(stop, range.end)))
  }

  // MARK: - Looking up

  /// The run of a frame and its entry there; `nil` for steady frames.
  func place(of number: Int) -> (run: Run, index: Int, entry: Int)? {
    guard case .track(let runs) = kind else { return nil }
    let index = runs.partitionPoint { $0.firstFrame <= number } - 1
    let run = runs[index]
    return (run, index, run.entries.lowerBound + number - run.firstFrame)
  }

  /// The runs; none for steady frames.
  var runs: [Run] { if case .track(let runs) = kind { runs } else { [] } }

  /// - Precondition: `number` is below ``count``.
  func timeRange(of number: Int) -> TimeRange {
    precondition(number >= 0 && number < count, "the composition has no such frame")
    switch kind {
    case .track:
      guard let (run, _, entry) = place(of: number) else { return .zero }
      return run.timeRange(entry)
    case .steady(let step, let end):
      return TimeRange(start: step * number, end: min(step * (number + 1), end))
    }
  }

  /// The frame that is on the screen at a time, or the last one before it; `nil` before the first.
  func number(at time: Time) -> Int? {
    let next = (0..<count).partitionPoint { timeRange(of: $0).start <= time }
    return next > 0 ? next - 1 : nil
  }
}
