// SPDX-License-Identifier: Apache-2.0

import FocalCore

extension Recording {
  /// The recording cut to a range, whose time then starts at zero. The decisions in force at the
  /// range's start are moved to it; tracks keep their ids, also where nothing of them is left.
  ///
  /// - Throws: `unsupported` where times can no longer be expressed.
  public func trimmed(by range: TimeRange) throws(CinematicError) -> Recording {
    try Self.trimmed(RecordingIndex(self), by: range)
  }

  fileprivate func lastFrameTime(in cut: TimeRange) -> Time? {
    frameTimes.indices(in: cut).last.map { frameTimes[$0] }
  }

  fileprivate static func trimmed(
    _ index: RecordingIndex, by range: TimeRange
  ) throws(CinematicError) -> Recording {
    let recording = index.recording
    let cut = range.intersection(recording.timeRange)
    let recorded = Snapshot(
      index: index, fNumber: recording.fNumber, addedTracks: [],
      userDecisions: index.userDecisions, baseDecisions: nil, transitions: recording.transitions)
    let lastFrame = recording.lastFrameTime(in: cut)
    let tracks = recording.detectionTracks.map { $0.trimmed(to: cut, lastFrame: lastFrame) }
    let decisions =
      recorded.userDecisions(trimmedTo: cut) + recorded.baseDecisions(trimmedTo: cut)
    return try Recording(
      timeRange: TimeRange(start: .zero, duration: cut.duration),
      frameTimes: try recording.frameTimes.trimmed(to: cut, shift: -cut.start),
      fNumber: recording.fNumber, detectionTracks: tracks, decisions: decisions,
      transitions: recorded.transitions(trimmedTo: cut),
      // Tracks that are cut away keep measuring racks, as if all were there.
      disparityRange: index.spannedDisparities, look: recording.look)
  }
}

extension Snapshot {
  /// The user decisions of a range, moved to start at zero, and before them the one in force at its
  /// start.
  fileprivate func userDecisions(trimmedTo cut: TimeRange) -> [Decision] {
    var result: [Decision] = []
    if let inForce = primaryDecision(at: cut.start), inForce.isUserDecision,
      inForce.time < cut.start
    {
      result.append(inForce.moved(to: .zero))
    }
    return result
      + Self.decisions(of: userDecisions, in: cut).map { $0.moved(to: $0.time - cut.start) }
  }

  /// The base decisions of a range, moved to start at zero, and before them the last one before its start.
  fileprivate func baseDecisions(trimmedTo cut: TimeRange) -> [Decision] {
    let next = Self.lowerBound(cut.start, in: baseDecisions)
    let startsAnew = next < baseDecisions.count && baseDecisions[next].time == cut.start
    let before = next > 0 && !startsAnew ? [baseDecisions[next - 1].moved(to: .zero)] : []
    return before
      + Self.decisions(of: baseDecisions, in: cut).map { $0.moved(to: $0.time - cut.start) }
  }

  fileprivate func transitions(trimmedTo cut: TimeRange) -> [Decision: Transition] {
    var moved: [Decision: Transition] = [:]
    for (decision, transition) in transitions where cut.contains(decision.time) {
      moved[decision.moved(to: decision.time - cut.start)] = transition
    }
    return moved
  }

  func changes(trimmedBy range: TimeRange) throws(CinematicError) -> Script.Changes {
    let cut = range.intersection(recording.timeRange)
    let trimmed = try Recording.trimmed(index, by: range)
    return Script.Changes(
      identity: trimmed.identity, fNumber: fNumber, look: changedLook,
      userDecisions: userDecisions(trimmedTo: cut),
      baseDecisions: editedBaseDecisions.map { _ in baseDecisions(trimmedTo: cut) },
      addedDetectionTracks: addedTracks.map {
        $0.track.trimmed(to: cut, lastFrame: recording.lastFrameTime(in: cut))
      }, transitions: transitions(trimmedTo: cut))
  }
}
