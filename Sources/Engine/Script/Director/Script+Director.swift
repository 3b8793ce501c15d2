// SPDX-License-Identifier: Apache-2.0

import FocalCore

extension Script {
  /// Adds a director's decisions as strong user decisions, so that changes can carry them: in force where
  /// they would be if they were the base decisions, under the user decisions that there are. Where a
  /// decision's track ends before the next one, the script's own decisions return.
  ///
  /// - Returns: how many there are; 0 where nothing is detected, or user decisions are in force throughout, and nothing
  ///   is changed.
  /// - Throws: `invalidParameter` for a script whose parts do not fit each other.
  @discardableResult
  public func addDecisions(of director: Director) throws(CinematicError) -> Int {
    let directed = try director.directed(try flattened())
    guard !directed.baseDecisions.isEmpty else { return 0 }
    let model = try Script(recording: directed)
    let chosen = model.current.segments.compactMap { segment -> Decision? in
      guard let decision = segment.decision, !decision.isUserDecision else { return nil }
      return Decision(time: segment.start, focus: decision.focusDetectionID, strong: true)
    }
    return chosen.count { addUserDecision($0) }
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
