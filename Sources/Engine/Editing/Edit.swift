// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalScript

/// A step of editing, as a person takes it.
public enum Edit: Equatable, Sendable {
  /// A user decision, in place of one at the same time and of a fixed focus that was added for that one alone.
  case decide(Decision)
  /// A fixed focus at a detection's disparity, from its time on.
  case fix(Detection, strong: Bool)
  /// A new track, and a decision for it. The track's id is the script's to give.
  case follow(DetectionTrack, at: Time, strong: Bool)
  /// A decision made strong or weak. Of a base decision a user decision at its time, which hides it.
  case setStrength(Decision, strong: Bool)
  /// A decision at another time; its rack goes with it. A base decision stays one.
  case move(Decision, to: Time)
  /// A user decision taken back, with a fixed focus that was added for it alone; an object that was followed stays among
  /// the tracks. A base decision removed, so that the one before it stays in force.
  case takeBack(Decision)
  /// A base decision of the recording put back that was removed or moved.
  case restore(Decision)
  /// An added track removed, with the decisions for it.
  case removeTrack(DetectionID)
  /// The way of focus to a decision; `nil` for the automatic one.
  case setRack(Decision, Transition?)
  /// The f-number of the whole film.
  case setFNumber(Float)
  /// The part that is played and exported; `nil` for all.
  case setRange(TimeRange?)
  /// Blur scale and aperture, value by value in place of those that the movie carries.
  case setLook(Look)
  /// The automatic director's decisions, under the user's.
  case direct
  /// Everything as it was recorded.
  case revert
}

/// The state of an edit, at one moment: the changes of a script, and the range.
public struct EditState: Equatable, Sendable {
  /// The script with the changes. It is never edited: a step makes another one, so that a renderer may look up
  /// frames in it meanwhile.
  public let script: Script
  /// The part that is played and exported; `nil` for all. Not part of the changes.
  public let range: TimeRange?
  /// Blur scale and aperture, value by value in place of those that the movie carries.
  public var look: Look { script.changedLook }

  /// - Parameter script: not edited from now on.
  public init(script: Script, range: TimeRange? = nil) {
    self.script = script
    self.range = range
  }

  /// The changes as a file holds them.
  public var changes: Script.Changes { script.changes() }

  public static func == (a: EditState, b: EditState) -> Bool {
    a.range == b.range && (a.script === b.script || a.changes == b.changes)
  }

  /// The state after a step.
  ///
  /// - Throws: `invalidParameter` for a step that the script does not allow, with the reason.
  public func after(_ edit: Edit) throws(CinematicError) -> EditState {
    switch edit {
    case .setRange(let range):
      return EditState(script: script, range: try range.map(checked))
    case .revert:
      let recorded = script.copy()
      try recorded.reload(changes: nil)
      return EditState(script: recorded)
    default:
      let next = script.copy()
      try next.perform(edit)
      return EditState(script: next, range: range)
    }
  }

  private func checked(_ range: TimeRange) throws(CinematicError) -> TimeRange {
    let part = range.intersection(script.timeRange)
    guard part.isEmpty else { return part }
    throw CinematicError(
      .invalidParameter,
      "nothing is shown from \(range.start.secondsText) to \(range.end.secondsText) s",
      remedy: "choose times from \(script.timeRange.start.secondsText) to"
        + " \(script.timeRange.end.secondsText) s")
  }
}

extension Script {
  /// Does a step that concerns the script.
  fileprivate func perform(_ edit: Edit) throws(CinematicError) {
    switch edit {
    case .decide(let decision): try add(decision)
    case .fix(let detection, let strong):
      let id = addDetectionTrack(try FixedDetectionTrack(originalDetection: detection))
      try add(Decision(time: detection.time, detectionID: id, strong: strong))
    case .follow(let track, let time, let strong):
      try add(Decision(time: time, detectionID: addDetectionTrack(track), strong: strong))
    case .setStrength(let decision, let strong):
      let rack = transition(for: decision)
      let changed = Decision(time: decision.time, focus: decision.focusDetectionID, strong: strong)
      try add(changed)
      if let rack { setTransition(rack, for: changed) }
    case .move(let decision, let time):
      guard timeRange.contains(time) else { throw lacks(decision.moved(to: time)) }
      guard let own = user(decision) else {
        guard moveBaseDecision(decision, to: time) else { throw lacks(decision) }
        return
      }
      let rack = transition(for: own)
      guard removeUserDecision(own) else { return }
      let moved = own.moved(to: time)
      try add(moved)
      // None as well: the rack of one that it took the place of is not its own.
      setTransition(rack, for: moved)
    case .takeBack(let decision):
      if let own = user(decision) {
        takeBackUserDecision(own)
      } else {
        guard removeBaseDecision(decision) else { throw lacks(decision) }
      }
    case .restore(let decision):
      guard restoreBaseDecision(decision) else { throw lacks(decision) }
    case .removeTrack(let id):
      guard removeDetectionTrack(id: id) else {
        throw CinematicError(
          .invalidParameter, "detection \(id) is no track that was added",
          remedy: "take its decisions back: a recorded track stays")
      }
    case .setRack(let decision, let transition):
      guard setTransition(transition, for: decision) else { throw lacks(decision) }
    case .setFNumber(let number):
      guard number.isFinite, number >= 0.1 else {
        throw CinematicError(
          .invalidParameter, "a film cannot have the f-number \(number)",
          remedy: "choose one of at least 0.1")
      }
      fNumber = number
    case .setLook(let look):
      if let name = look.unwritableNames.first {
        throw CinematicError(
          .invalidParameter, "a film cannot have the \(name) \(look[name] ?? "")",
          remedy: "choose a number that is finite")
      }
      changedLook = look
    case .direct: try direct(by: Director())
    case .setRange, .revert: break
    }
  }

  private func add(_ decision: Decision) throws(CinematicError) {
    guard addUserDecision(decision) else { throw lacks(decision) }
  }

  /// The user decision that a decision names; `nil` for a base decision and for none.
  private func user(_ decision: Decision) -> Decision? {
    let own = decision.with(user: true)
    return userDecisions(in: timeRange).contains(own) ? own : nil
  }

  private func lacks(_ decision: Decision) -> CinematicError {
    guard timeRange.contains(decision.time) else {
      return CinematicError(
        .invalidParameter, "nothing is shown at \(decision.time.secondsText) s",
        remedy:
          "choose a time from \(timeRange.start.secondsText) to before \(timeRange.end.secondsText) s"
      )
    }
    return CinematicError(
      .invalidParameter,
      "the script has no such decision or subject at \(decision.time.secondsText) s",
      remedy: "choose one that it has")
  }
}
