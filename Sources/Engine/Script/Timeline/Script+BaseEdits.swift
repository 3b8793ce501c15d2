// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Base decisions, moved and removed: the recording stays as it is, the changes hold what is in their place.
extension Script {
  /// Removes a base decision: the one before it stays in force.
  ///
  /// ``restoreBaseDecision(_:)`` puts one of the recording's back.
  ///
  /// - Returns: `false`, and nothing is changed, when it is none of the script's base decisions.
  @discardableResult
  public func removeBaseDecision(_ decision: Decision) -> Bool {
    let decision = decision.with(user: false)
    return edit { old, _ in
      guard let position = Snapshot.position(of: decision, in: old.baseDecisions) else {
        return nil
      }
      var decisions = old.baseDecisions
      decisions.remove(at: position)
      return old.replacing(baseDecisions: .edited(decisions))
    }
  }

  /// Moves a base decision, in place of another one at that time. It stays a base decision, and its transition goes
  /// with it.
  ///
  /// - Returns: `false`, and nothing is changed, when it is none of the script's base decisions or the time is
  ///   outside the time range.
  @discardableResult
  public func moveBaseDecision(_ decision: Decision, to time: Time) -> Bool {
    let decision = decision.with(user: false)
    return edit { old, _ in
      guard timeRange.contains(time),
        let position = Snapshot.position(of: decision, in: old.baseDecisions)
      else { return nil }
      var decisions = old.baseDecisions
      decisions.remove(at: position)
      let moved = decision.moved(to: time)
      var transitions = old.transitions
      transitions[moved] = transitions[decision]
      Snapshot.put(moved, into: &decisions)
      return old.replacing(baseDecisions: .edited(decisions), transitions: transitions)
    }
  }

  /// Puts a base decision of the recording back that was removed or moved, in place of another one at its time. Its
  /// transition is the recorded one.
  ///
  /// - Returns: `false`, and nothing is changed, when it is none of ``removedBaseDecisions``.
  @discardableResult
  public func restoreBaseDecision(_ decision: Decision) -> Bool {
    let decision = decision.with(user: false)
    return edit { old, _ in
      guard Snapshot.position(of: decision, in: old.index.baseDecisions) != nil,
        Snapshot.position(of: decision, in: old.baseDecisions) == nil
      else { return nil }
      var decisions = old.baseDecisions
      Snapshot.put(decision, into: &decisions)
      var transitions = old.transitions
      transitions[decision] = recording.transitions[decision]
      return old.replacing(baseDecisions: .edited(decisions), transitions: transitions)
    }
  }
}

extension Snapshot {
  /// Puts a decision among others of its layer, in place of one at its time.
  static func put(_ decision: Decision, into decisions: inout [Decision]) {
    let position = lowerBound(decision.time, in: decisions)
    if position < decisions.count, decisions[position].time == decision.time {
      decisions[position] = decision
    } else {
      decisions.insert(decision, at: position)
    }
  }
}
