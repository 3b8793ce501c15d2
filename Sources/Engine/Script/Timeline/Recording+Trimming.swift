// SPDX-License-Identifier: Apache-2.0

import FocalCore

extension Recording {
  /// The recording cut to a range, whose time then starts at zero, or at another time. The decisions in force at the
  /// range's start are moved to it; tracks keep their ids, also where nothing of them is left.
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
      disparityRange: index.spannedDisparities, look: recording.look)
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
    return result
      + Self.decisions(of: userDecisions, in: cut).map { $0.moved(to: $0.time + offset) }
  }

  /// The base decisions of a range, moved with its start, and before them the last one before it.
  fileprivate func baseDecisions(trimmedTo cut: TimeRange, startingAt start: Time) -> [Decision] {
    let offset = start - cut.start
    let next = Self.lowerBound(cut.start, in: baseDecisions)
    let startsAnew = next < baseDecisions.count && baseDecisions[next].time == cut.start
    let before = next > 0 && !startsAnew ? [baseDecisions[next - 1].moved(to: start)] : []
    return before
      + Self.decisions(of: baseDecisions, in: cut).map { $0.moved(to: $0.time + offset) }
  }

  fileprivate func transitions(
    trimmedTo cut: TimeRange, startingAt start: Time
  ) -> [Decision: Transition] {
    let offset = start - cut.start
    var moved: [Decision: Transition] = [:]
    for (decision, transition) in transitions where cut.contains(decision.time) {
      moved[decision.moved(to: decision.time + offset)] = transition
    }
    return moved
  }

  func changes(trimmedBy range: TimeRange) throws(CinematicError) -> Script.Changes {
    let cut = range.intersection(recording.timeRange)
    let trimmed = try Recording.trimmed(index, by: range, startingAt: .zero)
    return Script.Changes(
      identity: trimmed.identity, fNumber: fNumber, look: changedLook,
      userDecisions: userDecisions(trimmedTo: cut, startingAt: .zero),
      baseDecisions: editedBaseDecisions.map { _ in
        baseDecisions(trimmedTo: cut, startingAt: .zero)
      },
      addedDetectionTracks: addedTracks.map {
        $0.track.trimmed(
          to: cut, lastFrame: recording.lastFrameTime(in: cut), shift: -cut.start)
      }, transitions: transitions(trimmedTo: cut, startingAt: .zero))
  }
}
