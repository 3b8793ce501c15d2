// SPDX-License-Identifier: Apache-2.0

import FocalCore

extension Script {
  /// All frames lie inside it.
  public var timeRange: TimeRange { recording.timeRange }

  /// The frame nearest to a time; `nil` where it is further than `tolerance` away.
  public func frame(at time: Time, tolerance: Time = .zero) -> ScriptFrame? {
    current.frame(at: time, tolerance: tolerance)
  }

  /// The frame that is on the screen at a time; the first one before it, `nil` outside the time range.
  public func frame(shownAt time: Time) -> ScriptFrame? {
    let times = recording.frameTimes
    guard timeRange.contains(time), !times.isEmpty else { return nil }
    return current.frame(at: times.index(atOrBefore: time) ?? 0)
  }

  /// The frame that a movie's picture is of, found also where one of both has rounded times; `nil` where none is within
  /// half of what the picture lasts. Decisions at this frame's time come into force with the picture.
  ///
  /// - Parameter range: when the picture is shown.
  public func frame(ofPicture range: TimeRange) -> ScriptFrame? {
    recording.frameTimes.index(ofPicture: range).map { current.frame(at: $0) }
  }

  /// The first frame at or after a time; `nil` after the last one.
  public func frame(atOrAfter time: Time) -> ScriptFrame? {
    let position = recording.frameTimes.index(atOrAfter: time)
    return position < recording.frameTimes.count ? current.frame(at: position) : nil
  }

  /// Whether there is no decision that can take effect: focus is then held where the first subject is in the first frame.
  package var decidesNothing: Bool { current.decisions.isEmpty }

  /// Decisions of the recording that can never take effect, in words, with the reason: for a subject that the script does not
  /// have, outside its time range, or at the time of a later one of the same kind, which replaces it.
  public var decisionsWithoutEffect: [String] {
    func known(_ decisions: [Decision]) -> [Decision] {
      decisions.filter { timeRange.contains($0.time) && detectionTrack(for: $0) != nil }
    }
    let replaced =
      Self.replaced(known(recording.baseDecisions)) + Self.replaced(known(recording.userDecisions))
    return replaced
      + (recording.baseDecisions + recording.userDecisions).compactMap { decision in
        guard timeRange.contains(decision.time) else {
          return "\(decision.time.secondsText) s is not in \(timeRange.start.secondsText) to"
            + " \(timeRange.end.secondsText) s"
        }
        guard detectionTrack(for: decision) == nil else { return nil }
        let subject =
          switch decision.focusDetectionID {
          case .single(let id): "detection \(id.rawValue)"
          case .group(let id): "group \(id.rawValue)"
          }
        return "the script has no \(subject), for \(decision.time.secondsText) s"
      }
  }

  /// Of decisions in their order, those that another one at the same time follows.
  private static func replaced(_ decisions: [Decision]) -> [String] {
    zip(decisions, decisions.dropFirst()).filter { $0.0.time == $0.1.time }.map {
      "two decide at \($0.0.time.secondsText) s, and the last of them counts"
    }
  }

  /// Whether anything that is detected, or a fixed focus, lies at a place that can be drawn.
  public var hasPlaces: Bool {
    detectionTracks.contains { track in
      if let fixed = track as? FixedDetectionTrack {
        return fixed.originalDetection?.hasPlace == true
      }
      return track.isDiscrete && !track.detections(in: timeRange).isEmpty
    }
  }

  /// The frames at the times of a range, in order, all of one state of the script.
  public func frames(in range: TimeRange) -> [ScriptFrame] {
    let snapshot = current
    return recording.frameTimes.indices(in: range).map { snapshot.frame(at: $0) }
  }

  /// The frames that are on the screen within a range, in order, all of one state of the script: also
  /// the one that begins before it. Each is made when it is asked for, so that long ranges take no memory.
  public func frames(shownIn range: TimeRange) -> some RandomAccessCollection<ScriptFrame> {
    let snapshot = current
    return recording.frameTimes.indices(shownIn: range, until: timeRange.end).lazy
      .map { snapshot.frame(at: $0) }
  }

  /// The decision nearest to a time; `nil` where it is further than `tolerance` away.
  ///
  /// Decisions are those that can take effect: inside the time range, on ids that are in the
  /// script; a user decision hides a base decision at its own time.
  public func decision(at time: Time, tolerance: Time = .zero) -> Decision? {
    current.decision(at: time, tolerance: tolerance)
  }

  /// The decisions whose times lie in a range, in order.
  public func decisions(in range: TimeRange) -> [Decision] {
    Snapshot.decisions(of: current.decisions, in: range)
  }

  /// The next decision; one at the very time is not after it.
  public func decision(after time: Time) -> Decision? { current.decision(after: time) }

  /// The previous decision; one at the very time is not before it.
  public func decision(before time: Time) -> Decision? { current.decision(before: time) }

  /// The user decisions whose times lie in a range, in order.
  public func userDecisions(in range: TimeRange) -> [Decision] {
    Snapshot.decisions(of: current.userDecisions, in: range)
  }

  /// The base decisions whose times lie in a range, in order: the recording's, but for those that were moved or
  /// removed.
  public func baseDecisions(in range: TimeRange) -> [Decision] {
    Snapshot.decisions(of: current.baseDecisions, in: range)
  }

  /// The recording's base decisions that are no longer where they were recorded, in order: they were removed or
  /// moved.
  public var removedBaseDecisions: [Decision] {
    let snapshot = current
    guard let edited = snapshot.editedBaseDecisions else { return [] }
    return snapshot.index.baseDecisions.filter { Snapshot.position(of: $0, in: edited) == nil }
  }

  /// The decision in force; in a rack the one being left. `nil` outside the time range, and where
  /// nothing has been decided yet.
  public func primaryDecision(at time: Time) -> Decision? { current.primaryDecision(at: time) }

  /// The decisions in force, each from a time to the next one's; `nil` where none is.
  public var decisionsInForce: [(start: Time, decision: Decision?)] {
    current.segments.map { ($0.start, $0.decision) }
  }

  /// The decision being approached; `nil` when there is no rack at the time.
  public func secondaryDecision(at time: Time) -> Decision? { current.secondaryDecision(at: time) }

  /// The rack away from a decision; `nil` where there is none.
  public func timeRangeOfTransition(after decision: Decision) -> TimeRange? {
    current.rangeOfTransition(after: decision)
  }

  /// The rack toward a decision; it ends where the decision comes into force. `nil` where there is
  /// none.
  public func timeRangeOfTransition(before decision: Decision) -> TimeRange? {
    current.rangeOfTransition(before: decision)
  }

  /// Every rack of the script, in order; no two overlap.
  public var focusTransitions: [FocusTransition] { current.racks }

  /// The track of an id; an added track carries the id that it was given.
  public func detectionTrack(for id: DetectionID) -> DetectionTrack? {
    current.detectionTrack(for: id)
  }

  /// The detections that a decision would select over the whole script.
  public func detectionTrack(for decision: Decision) -> DetectionTrack? {
    current.detectionTrack(for: decision)
  }

  /// Every track: the recording's by id, then the added ones.
  public var detectionTracks: [DetectionTrack] {
    recording.detectionTracks + addedDetectionTracks
  }

  /// The tracks that were added, in the order of adding, with the ids they were given.
  public var addedDetectionTracks: [DetectionTrack] { current.addedTracks.map(\.track) }

  /// The transition that was set for a decision; `nil` for the automatic one.
  public func transition(for decision: Decision) -> Transition? {
    let snapshot = current
    return snapshot.listed(decision).flatMap { snapshot.transitions[$0] }
  }
}
