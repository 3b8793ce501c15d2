// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

/// A time on the composition's timeline, and the picture of the timing track that gave it.
struct CompositionMoment {
  let time: Time
  /// How much two times of one moment may differ: timescales that have no common one put it a little
  /// before or after.
  let tolerance: Time
  /// How long before its segment's part the picture began.
  let lead: Time
  let segment: CompositionSegment?
  let trackID: UInt32?
  let entry: Int?

  init(
    _ place: (run: CompositionFrames.Run, index: Int, entry: Int)?, _ range: TimeRange,
    _ trackID: UInt32?
  ) {
    time = range.start
    guard let (run, _, entry) = place else {
      tolerance = .zero
      lead = .zero
      segment = nil
      self.trackID = nil
      self.entry = nil
      return
    }
    let source = run.timeline[entry].timeRange
    tolerance = Time(value: source.duration.value / 4, timescale: source.duration.timescale)
    lead = max(run.segment.sourceTime(at: range.start) - source.start, .zero)
    segment = run.segment
    self.trackID = trackID
    self.entry = entry
  }

  /// Where a track's source is looked into.
  func place(in track: CompositionTrack) -> (source: AssetTrack, time: Time)? {
    var found = track.segment(at: time)
    if found?.sourceTrack == nil, let next = track.segment(at: time + tolerance) { found = next }
    guard let found, let source = found.sourceTrack else { return nil }
    var sourceTime = found.sourceTime(at: time)
    // Things cut together belong together: the map of a picture that is shown from its middle on
    // is that of the whole picture.
    if let segment, segment.timeRange.start == found.timeRange.start,
      segment.sourceTimeRange.start == found.sourceTimeRange.start
    {
      sourceTime -= lead
    }
    return (source, sourceTime)
  }
}
