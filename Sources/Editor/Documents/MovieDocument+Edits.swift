// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCore
import FocalEditing
import FocalRendering
import FocalScript
import Foundation

/// Steps of editing, as clients ask for them.
extension MovieDocument {
  /// Does what a client asks for, and tells all clients.
  ///
  /// - Throws: `invalidState` where another movie is in the place of this one, and what the step throws.
  func perform(_ command: Command) async throws(CinematicError) {
    if command.name != .cancelFollowing { try file.check() }
    let told = session.notes.count
    switch command.name {
    case .tap: try await tap(command)
    case .fix: try await fix(command)
    case .follow: try follow(command)
    case .cancelFollowing: following?.work.cancel()
    case .undo: session.undo()
    case .redo: session.redo()
    case .save:
      try session.save(overwrite: command.replace ?? false)
      tellOfSaving(isNew: false)
    case .saveAs:
      try session.save(as: command.file ?? "")
      send(description(), "document")
      announce(
        "\(URL(fileURLWithPath: path).lastPathComponent): its changes are in \(session.changesPath) from now on"
      )
      tellOfSaving(isNew: true)
    default: try session.perform(try edit(command), gesture: command.gesture)
    }
    // Those of a file before went with another name.
    for note in session.notes.dropFirst(command.name == .saveAs ? 0 : told) {
      send(Message.data(Message.Notice(message: note)), nil)
    }
    tell()
  }

  /// Tells a page of the movie and its edits, with nothing of this document in between.
  ///
  /// - Parameter begin: from then on the page gets what all are told.
  func welcome(_ mailbox: Mailbox, _ begin: @Sendable () -> Void) {
    begin()
    mailbox.post(description())
    mailbox.post(stateDescription(), key: "state")
  }

  func tell() { send(stateDescription(), "state") }

  /// Tells all clients of the movie that it was opened anew.
  func tellOfOpening() {
    send(description(), "document")
    tell()
  }

  /// Says where the changes are from now on, and that a changes file has no place for in and out.
  private func tellOfSaving(isNew: Bool) {
    let name = URL(fileURLWithPath: session.changesPath).lastPathComponent
    var parts: [String] = []
    if isNew { parts.append("Saved as \(name), which opens the next time, too.") }
    if session.document.current.range != nil {
      parts.append(
        (isNew ? "It" : "Saved. \(name)")
          + " cannot hold in and out: the journal beside it keeps them, and exports made here have them."
      )
    }
    guard !parts.isEmpty else { return }
    send(Message.data(Message.Notice(message: parts.joined(separator: " "))), nil)
  }

  private func edit(_ command: Command) throws(CinematicError) -> Edit {
    let script = session.document.current.script
    func decision() throws(CinematicError) -> Decision {
      guard let key = command.decision else { throw Self.lacking("decision", command) }
      return try key.decision(in: script)
    }
    switch command.name {
    case .decide:
      let (time, strong) = (try decisionTime(command.frame), command.strong ?? false)
      if let group = command.group {
        return .decide(
          Decision(time: time, detectionGroupID: DetectionGroupID(group), strong: strong))
      }
      guard let track = command.track else { throw Self.lacking("track", command) }
      return .decide(Decision(time: time, detectionID: DetectionID(track), strong: strong))
    case .strength: return .setStrength(try decision(), strong: command.strong ?? false)
    case .move: return .move(try decision(), to: try decisionTime(command.frame))
    case .takeBack: return .takeBack(try decision())
    case .restore:
      guard let key = command.decision else { throw Self.lacking("decision", command) }
      return .restore(try key.decision(among: script.removedBaseDecisions))
    case .removeTrack:
      guard let track = command.track else { throw Self.lacking("track", command) }
      return .removeTrack(DetectionID(track))
    case .rack:
      guard let seconds = command.seconds else { return .setRack(try decision(), nil) }
      guard (0...Self.longestRack).contains(seconds) else {
        throw CinematicError(
          .invalidParameter, "a rack cannot last \(seconds) s",
          remedy: "choose 0 to \(Int(Self.longestRack)) s, or none for the automatic one")
      }
      var curve = Transition.Curve.minimumJerk
      if let name = command.curve {
        guard let named = Transition.Curve.allCases.first(where: { $0.description == name }) else {
          throw Self.incomplete
        }
        curve = named
      }
      return .setRack(
        try decision(),
        Transition(duration: Time(seconds: seconds, preferredTimescale: 1000), curve: curve))
    case .fNumber:
      guard let value = command.value else { throw Self.lacking("value", command) }
      return .setFNumber(value)
    case .range:
      guard let start = command.start, let end = command.end else { return .setRange(nil) }
      guard (0..<renderer.frameCount).contains(start), end > start, end <= renderer.frameCount
      else {
        throw Self.incomplete
      }
      return .setRange(
        TimeRange(
          start: renderer.timeRange(ofFrame: start).start,
          end: renderer.timeRange(ofFrame: end - 1).end))
    case .look:
      guard let values = command.look else { throw Self.lacking("look", command) }
      let look = try values.look(over: script.changedLook, recorded: script.recording.look)
      try RenderingSession.Attributes().with(look).validate()
      return .setLook(look)
    case .direct: return .direct
    case .revert: return .revert
    default: throw Self.incomplete
    }
  }

  /// Of racks that a page asks for, in seconds; its field has the same bound.
  private static let longestRack = 3600.0

  private static let incomplete = CinematicError(
    .invalidParameter, "a command of the page is incomplete or outside its range",
    remedy: "load the page again")

  private static func lacking(_ field: String, _ command: Command) -> CinematicError {
    CinematicError(
      .invalidParameter, "the command \(command.name) of the page lacks '\(field)'",
      remedy: "load the page again")
  }

  func point(_ command: Command) throws(CinematicError) -> NormalizedPoint {
    guard let x = command.x, let y = command.y, (0...1).contains(x), (0...1).contains(y) else {
      throw Self.incomplete
    }
    return NormalizedPoint(x: x, y: y)
  }

  /// A tap: what is detected there comes into focus; the same once more, strongly. Where nothing is detected, an
  /// object is looked for and followed.
  private func tap(_ command: Command) async throws(CinematicError) {
    let time = try decisionTime(command.frame)
    let script = session.document.current.script
    guard let subject = try subject(of: command, at: time, in: script) else {
      return try follow(command)
    }
    // A subject that a user's decision has in focus already is held by the next tap.
    let inForce = script.primaryDecision(at: time)
    let isAgain = inForce?.focusDetectionID == subject && inForce?.isUserDecision == true
    if isAgain, inForce?.isStrongDecision == true { return }
    let decision = Decision(time: time, focus: subject, strong: command.strong ?? isAgain)
    if isAgain, inForce == decision.with(user: true) { return }
    try session.perform(.decide(decision))
  }

  /// What a tap means: a box that is named, whatever lies above it, or what is detected at a place.
  ///
  /// - Parameter time: of the script.
  private func subject(
    of command: Command, at time: Time, in script: Script
  ) throws(CinematicError) -> Decision.FocusDetectionID? {
    if let id = command.track.map({ DetectionID($0) }) {
      guard let track = script.detectionTrack(for: id) else { throw Self.incomplete }
      return track.detectionGroupID.map { .group($0) } ?? .single(id)
    }
    let place = renderer.movie.info.preferredTransform.inverse.applied(to: try point(command))
    return script.frame(at: time)?.subject(at: place)
  }

  /// Holds the disparity at a point.
  private func fix(_ command: Command) async throws(CinematicError) {
    let point = try point(command)
    let time = try decisionTime(command.frame)
    let value = try await renderer.movie.disparity(at: try self.time(command.frame), point: point)
    let place = renderer.movie.info.preferredTransform.inverse.applied(to: point)
    let detection = Detection(
      time: time, detectionType: .fixedFocus, normalizedRect: .around(place),
      focusDisparity: value)
    try session.perform(.fix(detection, strong: command.strong ?? true))
  }
}
