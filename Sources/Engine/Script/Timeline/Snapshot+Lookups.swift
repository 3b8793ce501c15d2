// SPDX-License-Identifier: Apache-2.0

import FocalCore

extension Snapshot {
  /// The position of the segment that a time lies in.
  func segment(at time: Time) -> Int? {
    guard recording.timeRange.contains(time) else { return nil }
    let next = segments.partitionPoint { $0.start <= time }
    return next > 0 ? next - 1 : nil
  }

  /// The position of the segment that a frame lies in.
  private func segment(ofFrame frame: Int) -> Int? {
    let next = firstFrames.partitionPoint { $0 <= frame }
    return next > 0 ? next - 1 : nil
  }

  /// The rack out of a segment, when it runs at a time of the segment.
  private func rack(outOf position: Int, at time: Time) -> Segment.Rack? {
    guard position + 1 < segments.count, let rack = segments[position + 1].rack,
      rack.range.contains(time)
    else { return nil }
    return rack
  }

  func frame(at position: Int) -> ScriptFrame {
    let time = recording.frameTimes[position]
    guard let current = segment(ofFrame: position) else {
      return ScriptFrame(
        time: time, focusDisparity: 0, fNumber: fNumber, focusDetection: nil, position: position,
        snapshot: self)
    }
    let segment = segments[current]
    var focus = segment.focus(atFrame: position)
    if let rack = rack(outOf: current, at: time) {
      let target = segments[current + 1].focus(atFrame: position)
      let blend = Float(
        Double(focus) + (Double(target) - Double(focus)) * rack.share(at: time))
      focus = max(min(focus, target), min(max(focus, target), blend))
    }
    return ScriptFrame(
      time: time, focusDisparity: focus, fNumber: fNumber,
      focusDetection: segment.decision == nil
        ? nil : segment.subject?.detection(atFrame: position, time: time),
      position: position, snapshot: self)
  }

  func frame(at time: Time, tolerance: Time) -> ScriptFrame? {
    let times = recording.frameTimes
    guard let position = times.index(nearest: time) else { return nil }
    let difference = times[position] - time
    guard max(difference, -difference) <= tolerance else { return nil }
    return frame(at: position)
  }

  func primaryDecision(at time: Time) -> Decision? {
    segment(at: time).flatMap { segments[$0].decision }
  }

  func secondaryDecision(at time: Time) -> Decision? {
    guard let position = segment(at: time), rack(outOf: position, at: time) != nil else {
      return nil
    }
    return segments[position + 1].decision
  }

  /// The first of ordered decisions at or after a time, or the count.
  static func lowerBound(_ time: Time, in decisions: [Decision]) -> Int {
    decisions.partitionPoint { $0.time < time }
  }

  static func position(of decision: Decision, in decisions: [Decision]) -> Int? {
    let position = lowerBound(decision.time, in: decisions)
    return position < decisions.count && decisions[position] == decision ? position : nil
  }

  /// A caller's decision as the script has it: one that was added became a user decision by that.
  /// `nil` for none of the script's.
  func listed(_ decision: Decision) -> Decision? {
    if !decision.isUserDecision,
      Self.position(of: decision, in: baseDecisions) != nil
    {
      return decision
    }
    let added = decision.with(user: true)
    return Self.position(of: added, in: userDecisions) != nil ? added : nil
  }

  static func decisions(of decisions: [Decision], in range: TimeRange) -> [Decision] {
    let first = lowerBound(range.start, in: decisions)
    return Array(decisions[first..<max(first, lowerBound(range.end, in: decisions))])
  }

  func decision(at time: Time, tolerance: Time) -> Decision? {
    let next = Self.lowerBound(time, in: decisions)
    var best: (decision: Decision, distance: Time)?
    for position in [next - 1, next] where decisions.indices.contains(position) {
      let difference = decisions[position].time - time
      let distance = max(difference, -difference)
      if distance <= tolerance, best.map({ distance < $0.distance }) ?? true {
        best = (decisions[position], distance)
      }
    }
    return best?.decision
  }

  func decision(after time: Time) -> Decision? {
    var next = Self.lowerBound(time, in: decisions)
    if next < decisions.count, decisions[next].time == time { next += 1 }
    return next < decisions.count ? decisions[next] : nil
  }

  func decision(before time: Time) -> Decision? {
    let next = Self.lowerBound(time, in: decisions)
    return next > 0 ? decisions[next - 1] : nil
  }

  /// The segment in which a decision first comes into force.
  private func segment(of decision: Decision) -> Int? {
    guard let decision = listed(decision) else { return nil }
    if let position = segment(at: decision.time), segments[position].decision == decision {
      return position
    }
    return segments.firstIndex { $0.decision == decision }
  }

  func rangeOfTransition(before decision: Decision) -> TimeRange? {
    segment(of: decision).flatMap { segments[$0].rack.map(shown) }
  }

  func rangeOfTransition(after decision: Decision) -> TimeRange? {
    guard let position = segment(of: decision), position + 1 < segments.count else { return nil }
    return segments[position + 1].rack.map(shown)
  }

  /// The part of a rack within the script, which may have been cut in it.
  private func shown(_ rack: Segment.Rack) -> TimeRange {
    let range = recording.timeRange
    return rack.range.start < range.start || rack.range.end > range.end
      ? rack.range.intersection(range) : rack.range
  }

  /// Every rack, in order, with the decisions that it leads from and to.
  var racks: [FocusTransition] {
    segments.indices.dropFirst().compactMap { position in
      guard let rack = segments[position].rack, let to = segments[position].decision else {
        return nil
      }
      return FocusTransition(
        timeRange: shown(rack), curve: rack.curve, from: segments[position - 1].decision, to: to)
    }
  }

  func detectionTrack(for id: DetectionID) -> DetectionTrack? {
    timeline(for: id)?.tracks.first
  }

  /// The detections that a decision would select over the whole script.
  func detectionTrack(for decision: Decision) -> DetectionTrack? {
    guard let subject = subject(of: decision), let first = subject.tracks.first else { return nil }
    guard subject.tracks.count > 1, let id = first.detectionID else { return first }
    return RecordedDetectionTrack(
      id: id, group: first.detectionGroupID, type: first.detectionType,
      samples: subject.selectedDetections())
  }
}
