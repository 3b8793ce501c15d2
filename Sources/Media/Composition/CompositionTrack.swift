// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// A stretch of a composition's track: a time range of an asset's track, or nothing for a while.
public struct CompositionSegment: Sendable {
  /// The source that is shown or heard; `nil` for an empty stretch.
  public let sourceTrack: AssetTrack?
  /// The part of the source, on the timeline of its movie; of an empty stretch only the duration counts.
  public internal(set) var sourceTimeRange: TimeRange
  /// When it is shown, on the composition's timeline; as long as the source's part.
  public internal(set) var timeRange: TimeRange

  public var isEmpty: Bool { sourceTrack == nil }

  /// The source's time that is shown at a time of the composition.
  public func sourceTime(at time: Time) -> Time { sourceTimeRange.start + (time - timeRange.start) }

  /// The rest of the segment from a time within it on; `self` becomes what comes before.
  fileprivate mutating func split(at time: Time) -> CompositionSegment {
    var rest = self
    rest.timeRange = TimeRange(start: time, end: timeRange.end)
    rest.sourceTimeRange = TimeRange(start: sourceTime(at: time), end: sourceTimeRange.end)
    timeRange = TimeRange(start: timeRange.start, end: time)
    sourceTimeRange = TimeRange(start: sourceTimeRange.start, duration: timeRange.duration)
    return rest
  }

  /// Whether `next` goes on where this one ends.
  fileprivate func continues(in next: CompositionSegment) -> Bool {
    sourceTrack === next.sourceTrack
      && (isEmpty || sourceTimeRange.end == next.sourceTimeRange.start)
  }
}

/// A track of a composition at one moment of its editing.
public struct CompositionTrack: Sendable {
  public let trackID: UInt32
  public let mediaType: MediaType
  /// The segments, from zero on without gaps: empty stretches are segments, too.
  public private(set) var segments: [CompositionSegment] = []
  /// Of sound: whether players play it unasked; `nil` leaves it to its sources.
  package let isPlayed: Bool?

  init(trackID: UInt32, mediaType: MediaType, isPlayed: Bool? = nil) {
    self.trackID = trackID
    self.mediaType = mediaType
    self.isPlayed = isPlayed
  }

  /// From zero to the end of the last segment.
  public var timeRange: TimeRange {
    TimeRange(start: .zero, end: segments.last?.timeRange.end ?? .zero)
  }

  /// The segment that is shown at a time; `nil` beyond the end.
  public func segment(at time: Time) -> CompositionSegment? {
    let number = index(after: time) - 1
    guard segments.indices.contains(number), segments[number].timeRange.contains(time) else {
      return nil
    }
    return segments[number]
  }

  /// The first segment that begins after a time.
  private func index(after time: Time) -> Int {
    segments.partitionPoint { $0.timeRange.start <= time }
  }

  // MARK: - Editing

  /// Inserts a part of a source, or of nothing, and moves what follows. Where the track ends before
  /// `time`, nothing is shown until then.
  mutating func insert(_ source: AssetTrack?, _ range: TimeRange, at time: Time) {
    let end = timeRange.end
    if time > end { place(nil, TimeRange(start: .zero, duration: time - end), at: end) }
    guard !range.isEmpty else { return }
    place(source, range, at: time)
  }

  private mutating func place(_ source: AssetTrack?, _ range: TimeRange, at time: Time) {
    let position = cut(at: time)
    segments.insert(
      CompositionSegment(
        sourceTrack: source, sourceTimeRange: range,
        timeRange: TimeRange(start: time, duration: range.duration)), at: position)
    settle()
  }

  /// Takes a time range out; what follows closes the gap.
  mutating func remove(_ range: TimeRange) {
    let range = range.intersection(timeRange)
    guard !range.isEmpty else { return }
    let first = cut(at: range.start)
    let end = cut(at: range.end)
    segments.removeSubrange(first..<end)
    settle()
  }

  /// Makes a segment begin at a time, up to the track's end, and returns its place.
  private mutating func cut(at time: Time) -> Int {
    let number = index(after: time) - 1
    guard segments.indices.contains(number) else { return 0 }
    if segments[number].timeRange.start == time { return number }
    guard time < segments[number].timeRange.end else { return number + 1 }
    let rest = segments[number].split(at: time)
    segments.insert(rest, at: number + 1)
    return number + 1
  }

  /// Joins what goes on without a cut, and moves every segment to the end of the one before.
  private mutating func settle() {
    var settled: [CompositionSegment] = []
    settled.reserveCapacity(segments.count)
    var start = Time.zero
    for var segment in segments {
      segment.timeRange.start = start
      start = segment.timeRange.end
      if let last = settled.last, last.continues(in: segment) {
        let number = settled.count - 1
        settled[number].timeRange.duration += segment.timeRange.duration
        settled[number].sourceTimeRange.duration += segment.timeRange.duration
      } else {
        settled.append(segment)
      }
    }
    segments = settled
  }
}
