// SPDX-License-Identifier: Apache-2.0

import FocalCore

extension Script {
  /// Adds a director's decisions as strong user decisions, so that changes can carry them: in force where
  /// they would be if they were the base decisions, under the user decisions that there are. Where a
  /// decision's track ends before the next one, the script's own decisions return.
  ///
  /// - Returns: how many there are; 0 where nothing is detected, and nothing is changed.
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
}
