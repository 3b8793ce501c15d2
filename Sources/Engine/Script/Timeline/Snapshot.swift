// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// A script at one moment: immutable, whole. Edits make a new one.
final class Snapshot: Sendable {
  struct AddedTrack: Sendable {
    let track: DetectionTrack
    let timeline: SubjectTimeline
  }

  let index: RecordingIndex
  let fNumber: Float
  /// Values in place of the recording's.
  let changedLook: Look
  /// In the order in which they were added.
  let addedTracks: [AddedTrack]
  /// The timelines of added tracks by the ids that these were given.
  private let addedTimelines: [DetectionID: SubjectTimeline]
  /// Those that can take effect, in the order of time, one at a time.
  let userDecisions: [Decision]
  /// Of decisions that can take effect.
  let transitions: [Decision: Transition]
  /// The base decisions in place of the recording's, in the order of time; `nil` where they are as recorded.
  let editedBaseDecisions: [Decision]?
  /// All that can take effect, in the order of time; a user decision hides a base decision at its
  /// own time.
  let decisions: [Decision]
  let segments: [Segment]
  /// Parallel to `segments`: what a look-up searches, close together in memory.
  let firstFrames: [Int]

  var recording: Recording { index.recording }

  /// The base decisions that can take effect, in the order of time, one at a time.
  var baseDecisions: [Decision] { editedBaseDecisions ?? index.baseDecisions }

  /// - Parameters:
  ///   - userDecisions: in the order of time; those that cannot take effect are left out.
  ///   - baseDecisions: in place of the recording's, likewise; `nil` for as recorded.
  init(
    index: RecordingIndex, fNumber: Float, changedLook: Look = Look(), addedTracks: [AddedTrack],
    userDecisions: [Decision], baseDecisions: [Decision]?, transitions: [Decision: Transition]
  ) {
    self.index = index
    self.fNumber = fNumber
    self.changedLook = changedLook
    self.addedTracks = addedTracks
    var timelines: [DetectionID: SubjectTimeline] = [:]
    timelines.reserveCapacity(addedTracks.count)
    for added in addedTracks {
      if let id = added.track.detectionID { timelines[id] = added.timeline }
    }
    let addedTimelines = timelines
    self.addedTimelines = addedTimelines
    func isKnown(_ decision: Decision) -> Bool {
      Self.subject(of: decision, index: index, added: addedTimelines) != nil
    }
    let user = RecordingIndex.effective(
      userDecisions, in: index.recording.timeRange, where: isKnown)
    self.userDecisions = user
    let edited = baseDecisions.map { decisions in
      RecordingIndex.effective(decisions, in: index.recording.timeRange, where: isKnown)
    }
    editedBaseDecisions = edited == index.baseDecisions ? nil : edited
    let base = edited ?? index.baseDecisions
    self.decisions = Self.merged(base: base, user: user)
    // A decision that is gone has no rack, and another may stand at its time.
    let transitions = transitions.filter { decision, _ in
      Self.position(of: decision, in: decision.isUserDecision ? user : base) != nil
    }
    self.transitions = transitions
    let segments = Self.segments(
      index: index, added: addedTracks, base: base, user: user, transitions: transitions
    ) { Self.subject(of: $0, index: index, added: addedTimelines) }
    self.segments = segments
    firstFrames = segments.map(\.firstFrame)
  }

  func subject(of decision: Decision) -> SubjectTimeline? {
    Self.subject(of: decision, index: index, added: addedTimelines)
  }

  /// The timeline of a track, whether recorded or added.
  func timeline(for id: DetectionID) -> SubjectTimeline? {
    index.timeline(for: id) ?? addedTimelines[id]
  }

  private static func subject(
    of decision: Decision, index: RecordingIndex, added: [DetectionID: SubjectTimeline]
  ) -> SubjectTimeline? {
    switch decision.focusDetectionID {
    case .single(let id): index.timeline(for: id) ?? added[id]
    case .group(let id): index.groups[id]
    }
  }

  private static func merged(base: [Decision], user: [Decision]) -> [Decision] {
    var result: [Decision] = []
    result.reserveCapacity(base.count + user.count)
    var next = 0
    for decision in base {
      while next < user.count, user[next].time < decision.time {
        result.append(user[next])
        next += 1
      }
      if next < user.count, user[next].time == decision.time { continue }
      result.append(decision)
    }
    return result + user[next...]
  }

  private static func segments(
    index: RecordingIndex, added: [AddedTrack], base: [Decision], user: [Decision],
    transitions: [Decision: Transition], subject: (Decision) -> SubjectTimeline?
  ) -> [Segment] {
    let (range, frameTimes) = (index.recording.timeRange, index.recording.frameTimes)
    let inForce = Segment.inForce(range: range, base: base, user: user) { decision in
      let end = subject(decision)?.endFrame ?? 0
      return end < frameTimes.count ? frameTimes[end] : range.end
    }
    var segments = inForce.map { start, decision in
      let timeline = decision.flatMap(subject)
      return Segment(
        start: start, firstFrame: frameTimes.index(atOrAfter: start), decision: decision,
        subject: timeline?.isEmpty == false ? timeline : nil)
    }
    guard let first = segments.firstIndex(where: { $0.subject != nil }) else {
      // nothing was ever decided: the first subject there is, whether recorded or added
      let subject = (index.timelines + added.map(\.timeline)).filter { !$0.isEmpty }
        .min {
          ($0.tracks[0].detectionID?.rawValue ?? 0) < ($1.tracks[0].detectionID?.rawValue ?? 0)
        }
      let focus = subject?.focus(atFrame: 0) ?? 0
      for position in segments.indices { segments[position].heldFocus = focus }
      return segments
    }
    for position in segments.indices {
      if position < first {
        segments[position].heldFocus = segments[first].focus(atFrame: segments[first].firstFrame)
        continue
      }
      guard position > 0 else { continue }
      let (previous, frame) = (segments[position - 1], segments[position].firstFrame)
      if segments[position].subject == nil {
        segments[position].heldFocus = previous.focus(atFrame: frame)
        continue
      }
      segments[position].rack = rack(
        from: previous, to: segments[position], isFirst: position == first, index: index,
        custom: segments[position].decision.flatMap { transitions[$0] })
    }
    return segments
  }

  /// The rack between neighbouring segments; `nil` where there is no way to go.
  private static func rack(
    from previous: Segment, to next: Segment, isFirst: Bool, index: RecordingIndex,
    custom: Transition?
  ) -> Segment.Rack? {
    guard !isFirst, previous.decision?.focusDetectionID != next.decision?.focusDetectionID else {
      return nil
    }
    var duration: Time
    if let custom {
      duration = custom.duration
    } else {
      let difference =
        Double(next.focus(atFrame: next.firstFrame))
        - Double(previous.focus(atFrame: next.firstFrame))
      let seconds = FocusStyle.standard.rackDuration(
        difference: difference, range: index.disparityRange)
      // at least 600 ticks a second, and a multiple of the time's own ticks in lowest terms: a script
      // that was written and read has other timescales, and the same racks
      let divisor = Time.greatestCommonDivisor(
        next.start.value.magnitude, UInt64(next.start.timescale))
      let scale = next.start.timescale / Int32(divisor)
      duration = Time(
        seconds: seconds, preferredTimescale: scale >= 600 ? scale : scale * ((599 + scale) / scale)
      )
    }
    var (room, end) = (next.start - previous.start, next.start)
    // What a cut took away of it does not shorten what is left.
    if let custom, previous.start == index.recording.timeRange.start { room += custom.elapsed }
    if let custom, next.firstFrame == index.recording.frameTimes.count {
      room += custom.remaining
      end += custom.remaining
    }
    // Another shot is there at once; a rack of a length that was chosen goes where it was put.
    let shot = index.shotStart(ofFrame: next.firstFrame)
    if custom == nil, shot > 0 { room = min(room, next.start - index.recording.frameTimes[shot]) }
    duration = min(duration, room)
    guard duration > .zero else { return nil }
    return Segment.Rack(
      range: TimeRange(start: end - duration, end: end),
      curve: custom?.curve ?? .minimumJerk)
  }
}
