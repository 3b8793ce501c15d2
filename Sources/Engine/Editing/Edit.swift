// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalScript

/// A step of editing, as a person takes it.
public enum Edit: Equatable, Sendable {
  /// A user decision, in place of one at the same time.
  case decide(Decision)
  /// A fixed focus at a detection's disparity, from its time on.
  case fix(Detection, strong: Bool)
  /// A new track, and a decision for it. The track's id is the script's to give.
  case follow(DetectionTrack, at: Time, strong: Bool)
  /// A decision made strong or weak. Of a base decision a user decision at its time, which hides it.
  case setStrength(Decision, strong: Bool)
  /// A user decision at another time; its rack goes with it.
  case move(Decision, to: Time)
  /// A user decision taken back, with what was added for it alone.
  case takeBack(Decision)
  /// An added track removed, with the decisions for it.
  case removeTrack(DetectionID)
  /// The way of focus to a decision; `nil` for the automatic one.
  case setRack(Decision, Transition?)
  /// The f-number of the whole film.
  case setFNumber(Float)
  /// The part that is played and exported; `nil` for all.
  case setRange(TimeRange?)
  /// Blur scale and aperture beyond those that the movie carries.
  case setLook(Look)
  /// The automatic director's decisions, under the user's.
  case direct
  /// Everything as it was recorded.
  case revert
}

/// The state of an edit, at one moment: the changes of a script, the range and the look.
public struct EditState: Equatable, Sendable {
  /// The script with the changes. It is never edited: a step makes another one, so that a renderer may look up
  /// frames in it meanwhile.
  public let script: Script
  /// The part that is played and exported; `nil` for all. Not part of the changes.
  public let range: TimeRange?
  /// Blur scale and aperture beyond those that the movie carries. Not part of the changes.
  public let look: Look

  /// - Parameter script: not edited from now on.
  public init(script: Script, range: TimeRange? = nil, look: Look = Look()) {
    self.script = script
    self.range = range
    self.look = look
  }

  /// The changes as a file holds them.
  public var changes: Script.Changes { script.changes() }

  public static func == (a: EditState, b: EditState) -> Bool {
    a.range == b.range && a.look == b.look
      && (a.script === b.script || a.changes == b.changes)
  }

  /// The state after a step.
  ///
  /// - Throws: `invalidParameter` for a step that the script does not allow, with the reason.
  public func after(_ edit: Edit) throws(CinematicError) -> EditState {
    switch edit {
    case .setRange(let range):
      return EditState(script: script, range: try range.map(checked), look: look)
    case .setLook(let look):
      return EditState(script: script, range: range, look: look)
    case .revert:
      let recorded = script.copy()
      try recorded.reload(changes: nil)
      return EditState(script: recorded)
    default:
      let next = script.copy()
      try next.perform(edit)
      return EditState(script: next, range: range, look: look)
    }
  }

  private func checked(_ range: TimeRange) throws(CinematicError) -> TimeRange {
    let part = range.intersection(script.timeRange)
    guard part.isEmpty else { return part }
    throw CinematicError(
      .invalidParameter,
      "nothing is shown from \(range.start.seconds) to \(range.end.seconds) s",
      remedy: "choose times from \(script.timeRange.start.seconds) to"
        + " \(script.timeRange.end.seconds) s")
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
      let own = try user(decision, "moved")
      let rack = transition(for: own)
      guard removeUserDecision(own) else { return }
      let moved = own.moved(to: time)
      try add(moved)
      if let rack { setTransition(rack, for: moved) }
    case .takeBack(let decision): takeBackUserDecision(try user(decision, "taken back"))
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
    case .direct: try direct(by: Director())
    case .setRange, .setLook, .revert: break
    }
  }

  private func add(_ decision: Decision) throws(CinematicError) {
    guard addUserDecision(decision) else { throw lacks(decision) }
  }

  private func user(_ decision: Decision, _ what: String) throws(CinematicError) -> Decision {
    let own = decision.with(user: true)
    guard userDecisions(in: timeRange).contains(own) else {
      guard baseDecisions(in: timeRange).contains(decision.with(user: false)) else {
        throw lacks(decision)
      }
      throw CinematicError(
        .invalidParameter,
        "the decision at \(decision.time.seconds) s is the recording's own, and cannot be \(what)",
        remedy: "decide anew at that time, which hides it")
    }
    return own
  }

  private func lacks(_ decision: Decision) -> CinematicError {
    guard timeRange.contains(decision.time) else {
      return CinematicError(
        .invalidParameter, "nothing is shown at \(decision.time.seconds) s",
        remedy: "choose a time from \(timeRange.start.seconds) to before \(timeRange.end.seconds) s"
      )
    }
    return CinematicError(
      .invalidParameter, "the script has no such decision or subject at \(decision.time.seconds) s",
      remedy: "choose one that it has")
  }
}
