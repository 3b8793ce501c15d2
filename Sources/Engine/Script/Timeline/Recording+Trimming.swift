// SPDX-License-Identifier: Apache-2.0

import FocalCore

extension Recording {
  /// The recording cut to a range, whose time then starts at zero, or at another time. The decisions in force at the
  /// range's start are moved to it; tracks keep their ids, also where nothing of them is left. Of a rack that is
  /// cut the frames that stay have the focus that they had (``Transition/elapsed``, ``Transition/remaining``); its length no
  /// longer changes with what is in focus. One that leads out of a strong user decision, whose subject's track ends behind
  /// the range, leads to a user decision. Of a base decision whose track ended before the range the focus is not known.
  ///
  /// Two things differ by a little. A subject whose disparity changes is smoothed without what the cut took away, so that its
  /// focus near the cut is another one. The length of an automatic rack that is cut is rounded to the script's ticks, where a
  /// second has 600 or more: disparities in it differ by a few 1e-5.
  ///
  /// - Throws: `unsupported` where times can no longer be expressed.
  public func trimmed(
    by range: TimeRange, startingAt start: Time = .zero
  ) throws(CinematicError) -> Recording {
    try Self.trimmed(RecordingIndex(self), by: range, startingAt: start)
  }

  fileprivate func lastFrameTime(in cut: TimeRange) -> Time? {
    frameTimes.indices(in: cut).last.map { frameTimes[$0] }
  }

  fileprivate static func trimmed(
    _ index: RecordingIndex, by range: TimeRange, startingAt start: Time
  ) throws(CinematicError) -> Recording {
    let recording = index.recording
    let cut = range.intersection(recording.timeRange)
    let offset = start - cut.start
    let recorded = Snapshot(
      index: index, fNumber: recording.fNumber, addedTracks: [],
      userDecisions: index.userDecisions, baseDecisions: nil, transitions: recording.transitions)
    let lastFrame = recording.lastFrameTime(in: cut)
    let tracks = recording.detectionTracks.map {
      $0.trimmed(to: cut, lastFrame: lastFrame, shift: offset)
    }
    let decisions =
      recorded.userDecisions(trimmedTo: cut, startingAt: start)
      + recorded.baseDecisions(trimmedTo: cut, startingAt: start)
    return try Recording(
      timeRange: TimeRange(start: start, duration: cut.duration),
      frameTimes: try recording.frameTimes.trimmed(to: cut, shift: offset),
      fNumber: recording.fNumber, detectionTracks: tracks, decisions: decisions,
      transitions: recorded.transitions(trimmedTo: cut, startingAt: start),
      // Tracks that are cut away keep measuring racks, as if all were there.
      disparityRange: index.spannedDisparities, cuts: recording.cuts.map { $0 + offset },
      look: recording.look)
  }
}

extension Snapshot {
  /// The user decisions of a range, moved with its start, and before them the one in force there.
  fileprivate func userDecisions(trimmedTo cut: TimeRange, startingAt start: Time) -> [Decision] {
    let offset = start - cut.start
    var result: [Decision] = []
    if let inForce = primaryDecision(at: cut.start), inForce.isUserDecision,
      inForce.time < cut.start
    {
      result.append(inForce.moved(to: start))
    }
    result += Self.decisions(of: userDecisions, in: cut).map { $0.moved(to: $0.time + offset) }
    putDecisions(behind: cut, startingAt: start, user: true, into: &result)
    return result
  }

  /// The base decisions of a range, moved with its start, and before them the last one before it.
  fileprivate func baseDecisions(trimmedTo cut: TimeRange, startingAt start: Time) -> [Decision] {
    let offset = start - cut.start
    var result = lastBaseDecision(before: cut.start).map { [$0.moved(to: start)] } ?? []
    result += Self.decisions(of: baseDecisions, in: cut).map { $0.moved(to: $0.time + offset) }
    for rack in racks(cutBy: cut, startingAt: start) {
      if let copy = rack.copy { Self.put(copy, into: &result) }
    }
    putDecisions(behind: cut, startingAt: start, user: false, into: &result)
    return result
  }

  /// The last base decision before a time, unless there is one at it.
  private func lastBaseDecision(before time: Time) -> Decision? {
    let next = Self.lowerBound(time, in: baseDecisions)
    let startsAnew = next < baseDecisions.count && baseDecisions[next].time == time
    return next > 0 && !startsAnew ? baseDecisions[next - 1] : nil
  }

  /// Puts those among the decisions of a layer that come after the cut and to which a rack leads in it.
  private func putDecisions(
    behind cut: TimeRange, startingAt start: Time, user isUser: Bool,
    into decisions: inout [Decision]
  ) {
    for rack in racks(cutBy: cut, startingAt: start)
    where rack.isBehind && rack.decision.isUserDecision == isUser {
      Self.put(rack.decision, into: &decisions)
    }
  }

  /// The transitions of the decisions that stay, also of the base decision that is moved to the start: it may come into force
  /// once more.
  fileprivate func transitions(
    trimmedTo cut: TimeRange, startingAt start: Time
  ) -> [Decision: Transition] {
    let offset = start - cut.start
    var moved: [Decision: Transition] = [:]
    if let before = lastBaseDecision(before: cut.start), let transition = transitions[before] {
      moved[before.moved(to: start)] = transition.cut()
    }
    for (decision, transition) in transitions where cut.contains(decision.time) {
      moved[decision.moved(to: decision.time + offset)] = transition.cut()
    }
    for rack in racks(cutBy: cut, startingAt: start) { moved[rack.decision] = rack.transition }
    return moved
  }

  /// A rack of which a cut leaves a part.
  private struct CutRack {
    /// In the times of what is left.
    var decision: Decision
    var transition: Transition
    /// Whether its decision comes after the cut: it stands between the last frame and the end then.
    var isBehind: Bool
    /// The same base decision once more, where a user decision hides it: it comes into force again in the cut, and that
    /// rack is as long as before, not as long as this one.
    var copy: Decision?
  }

  private func racks(cutBy cut: TimeRange, startingAt newStart: Time) -> [CutRack] {
    let offset = newStart - cut.start
    guard let lastFrame = recording.lastFrameTime(in: cut) else { return [] }
    return segments.indices.dropFirst().compactMap { position in
      let (previous, segment) = (segments[position - 1], segments[position])
      guard let rack = segment.rack, let decision = segment.decision,
        rack.range.start <= lastFrame, rack.range.end > cut.start
      else { return nil }
      var moved = decision.moved(to: max(decision.time + offset, newStart))
      var start = segment.start
      let isBehind = start >= cut.end
      if isBehind {
        guard let moment = Self.moment(from: lastFrame, to: cut.end) else { return nil }
        // A strong user decision lasts until the next user decision, since its track lasts as long as the cut.
        let isHeld = previous.decision.map { $0.isUserDecision && $0.isStrongDecision } ?? false
        moved = decision.with(user: decision.isUserDecision || isHeld).moved(to: moment + offset)
        start = moment
      }
      // An automatic one in the script's own ticks where they are fine enough, so that files find a common timescale.
      let (whole, scale) = (rack.range.duration, segment.start.timescale)
      let duration =
        transitions[decision] == nil && scale >= 600 ? whole.converted(to: scale) : whole
      let transition =
        transitions[decision] ?? Transition(duration: duration, curve: rack.curve)
      let isBegun = rack.range.start < cut.start
      let left = transition.cut(
        elapsed: isBegun ? cut.start - (rack.range.end - duration) : .zero,
        remaining: rack.range.end - start)
      guard left.isCut else { return nil }
      var cutRack = CutRack(decision: moved, transition: left, isBehind: isBehind)
      let rest = segments[(position + 1)...].prefix { $0.start < cut.end }
      if !isBehind, transitions[decision] == nil, let next = rest.first,
        rest.contains(where: { $0.decision == decision })
      {
        cutRack.copy = decision.moved(to: next.start + offset)
      }
      return cutRack
    }
  }

  /// A moment between two others; `nil` where no time expresses one.
  private static func moment(from start: Time, to end: Time) -> Time? {
    let rest = end - start
    let half: Time
    if rest.value > 1 {
      half = Time(value: rest.value / 2, timescale: rest.timescale)
    } else if rest.timescale <= .max / 2 {
      half = Time(value: 1, timescale: 2 * rest.timescale)
    } else {
      return nil
    }
    let moment = start + half
    return start < moment && moment < end ? moment : nil
  }

  func changes(trimmedBy range: TimeRange) throws(CinematicError) -> Script.Changes {
    let cut = range.intersection(recording.timeRange)
    let trimmed = try Recording.trimmed(index, by: range, startingAt: .zero)
    let base = baseDecisions(trimmedTo: cut, startingAt: .zero)
    return Script.Changes(
      identity: trimmed.identity, fNumber: fNumber, look: changedLook,
      userDecisions: userDecisions(trimmedTo: cut, startingAt: .zero),
      // Other racks may be cut than those of the recording.
      baseDecisions: base == trimmed.baseDecisions ? nil : base,
      addedDetectionTracks: addedTracks.map {
        $0.track.trimmed(
          to: cut, lastFrame: recording.lastFrameTime(in: cut), shift: -cut.start)
      }, transitions: transitions(trimmedTo: cut, startingAt: .zero))
  }
}
