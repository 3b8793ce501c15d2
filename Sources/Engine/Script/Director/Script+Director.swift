// SPDX-License-Identifier: Apache-2.0

import FocalCore

extension Script {
  /// Adds a director's decisions as strong user decisions, so that changes can carry them: in force where
  /// they would be if they were the base decisions, under the user decisions that there are.
  ///
  /// Where base decisions of the script would come between, all of them give way: to decisions of the director for where
  /// none of the user's is in force, as after the end of a track. ``restoreBaseDecision(_:)`` puts them back.
  ///
  /// - Returns: how many there are; 0 where nothing is detected, or user decisions are in force throughout, and nothing
  ///   is changed.
  /// - Throws: `invalidParameter` for a script whose parts do not fit each other.
  @discardableResult
  public func addDecisions(of director: Director) throws(CinematicError) -> Int {
    let directed = try director.directed(try flattened())
    guard !directed.baseDecisions.isEmpty else { return 0 }
    let model = try Script(recording: directed).decisionsInForce
    var count = 0
    _ = edit { old, _ in
      let taken = Set(old.userDecisions.map(\.time))
      let chosen = model.compactMap { start, decision -> Decision? in
        // At the time of one that cannot take effect, which stays: a base decision is in force there.
        guard let decision, !decision.isUserDecision, !taken.contains(start) else { return nil }
        return Decision(time: start, focus: decision.focusDetectionID, strong: true, user: true)
      }
      guard !chosen.isEmpty else { return nil }
      count = chosen.count
      let user = Recording.ordered(old.userDecisions + chosen)
      let plain = old.replacing(userDecisions: user)
      guard plain.subjectsInForce != Snapshot.subjects(of: model) else { return plain }
      let bare = old.replacing(userDecisions: user, baseDecisions: .edited([]))
      return old.replacing(
        userDecisions: user, baseDecisions: .edited(bare.missing(of: model)))
    }
    return count
  }

  /// Adds a director's decisions, as ``addDecisions(of:)``.
  ///
  /// - Returns: how many there are, at least one.
  /// - Throws: `incomplete` where nothing is detected, `invalidState` where user decisions are in force throughout.
  @discardableResult
  package func direct(by director: Director) throws(CinematicError) -> Int {
    let count = try addDecisions(of: director)
    guard count == 0 else { return count }
    guard try director.directed(try flattened()).baseDecisions.isEmpty else {
      throw CinematicError(
        .invalidState,
        "decisions of yours are in force from beginning to end, and leave the director none to take",
        remedy: "take one back, or make a strong one weak")
    }
    throw CinematicError(
      .incomplete, "nothing is detected that could be directed", remedy: "follow an object first")
  }
}

extension Snapshot {
  /// The subject of a decision in force, from a time to the next one's.
  fileprivate struct SubjectInForce: Equatable {
    var start: Time
    var subject: Decision.FocusDetectionID?
  }

  fileprivate var subjectsInForce: [SubjectInForce] {
    Self.subjects(of: segments.map { ($0.start, $0.decision) })
  }

  fileprivate static func subjects(
    of inForce: [(start: Time, decision: Decision?)]
  ) -> [SubjectInForce] {
    var result: [SubjectInForce] = []
    for (start, decision) in inForce
    where result.isEmpty || result.last?.subject != decision?.focusDetectionID {
      result.append(SubjectInForce(start: start, subject: decision?.focusDetectionID))
    }
    return result
  }

  /// Base decisions for where no decision is in force, and one is in a model, whose stretches are in the order of time.
  fileprivate func missing(of model: [(start: Time, decision: Decision?)]) -> [Decision] {
    var result: [Decision] = []
    var next = 0
    for (position, segment) in segments.enumerated() where segment.decision == nil {
      let end =
        position + 1 < segments.count ? segments[position + 1].start : recording.timeRange.end
      while next + 1 < model.count, model[next + 1].start <= segment.start { next += 1 }
      while next < model.count, model[next].start < end {
        if let decision = model[next].decision {
          result.append(
            Decision(
              time: max(segment.start, model[next].start), focus: decision.focusDetectionID,
              strong: false))
        }
        next += 1
      }
      // It may go on after the end.
      next = max(0, next - 1)
    }
    return result
  }
}
