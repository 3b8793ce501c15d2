// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCinematic
import FocalCommands
import FocalCore
import FocalScript
import Foundation

struct ScriptDecideCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decide", abstract: "Decide what is in focus from a time on.",
    discussion: """
      --point is a tap: it chooses what is detected there, a face before a head before a body, with its \
      group; where nothing is detected, or with --fixed, it holds the disparity of a movie at that point. \
      The decision is weak: it holds until the next one of any kind. A strong one holds until the next \
      user decision.
      """)

  @Argument(help: "The script; it is not changed.")
  var script: String
  @Option(parsing: .unconditional, help: "When the subject is in focus: 2.4 s, or frame 72f.")
  var at: TimeArgument
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "A point of the picture as shown: 0,0 is the top left corner, 1,1 the bottom right.",
      valueName: "x,y"), transform: PointArgument.init(parsing:))
  var point: PointArgument?
  @Flag(help: "Hold the disparity at the point, whatever is detected there.")
  var fixed = false
  @Option(parsing: .unconditional, help: ArgumentHelp("A track to focus on.", valueName: "id"))
  var detection: Int64?
  @Option(
    parsing: .unconditional, help: ArgumentHelp("A group of tracks to focus on.", valueName: "id"))
  var group: Int64?
  @Option(parsing: .unconditional, help: ArgumentHelp("A disparity to focus at.", valueName: "d"))
  var disparity: Float?
  @Flag(help: "Hold until the next user decision, not only until the next decision.")
  var strong = false
  @OptionGroup var rack: RackOptions
  @OptionGroup var result: ChangesOptions

  func validate() throws {
    let given = [detection != nil, group != nil, disparity != nil, point != nil].count { $0 }
    guard given == 1 else {
      throw ValidationError("give one of --point, --detection, --group and --disparity")
    }
    guard disparity?.isFinite ?? true else {
      throw ValidationError("--disparity takes a finite number")
    }
    guard !fixed || point != nil else { throw ValidationError("--fixed needs a --point") }
  }

  func run() throws {
    let opened = try ScriptFile.open(script, changes: result.changes)
    let script = opened.script
    let time = try script.time(at)
    guard script.timeRange.contains(time) else { throw script.lacks(time) }
    let decision = Decision(time: time, focus: try focus(in: opened, at: time), strong: strong)
    guard script.addUserDecision(decision) else {
      throw CinematicError(
        .invalidParameter, "the script has no \(ScriptShowCommand.target(decision))",
        remedy: "the command show prints what there is")
    }
    rack.apply(to: decision, of: script)
    try result.write(script, beside: self.script)
    let chosen = script.frame(at: time, tolerance: script.timeRange.duration)?.focusDetection
    print(
      String(format: "%.3f s: %@ decision on ", time.seconds, strong ? "strong" : "weak")
        + (decision.isGroupDecision ? ScriptShowCommand.target(decision) + ": " : "")
        + (chosen?.label(turn: opened.turn) ?? ScriptShowCommand.target(decision)))
  }

  /// What to decide for.
  private func focus(
    in opened: OpenedScript, at time: Time
  ) throws -> Decision.FocusDetectionID {
    if let detection { return .single(DetectionID(detection)) }
    if let group { return .group(DetectionGroupID(group)) }
    guard let point else {
      return .single(
        try opened.script.addDetectionTrack(FixedDetectionTrack(focusDisparity: disparity ?? 0)))
    }
    let place = opened.turn.inverse.applied(to: point.point)
    if !fixed,
      let hit = opened.script.frame(at: time, tolerance: opened.script.timeRange.duration)?
        .detection(at: place)
    {
      if let group = hit.detectionGroupID { return .group(group) }
      if let id = hit.detectionID { return .single(id) }
    }
    guard let movie = opened.movie else {
      throw CinematicError(
        .invalidParameter,
        "nothing is detected at \(point.point.x),\(point.point.y) at \(time.seconds) s",
        remedy: "give a --disparity, or the movie to focal edit, which has disparities")
    }
    let value = try waiting { [point] () async throws(CinematicError) in
      try await movie.disparity(at: time, point: point.point)
    }
    let original = Detection(
      time: time, detectionType: .fixedFocus, normalizedRect: .around(place),
      focusDisparity: value)
    return .single(
      opened.script.addDetectionTrack(try FixedDetectionTrack(originalDetection: original)))
  }
}

struct ScriptSetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Set the f-number, or how focus travels to a decision.",
    discussion: """
        focal edit movie.mov set --f-number 2 -o changes.focus
        focal edit movie.mov set --at 2.4 --rack 0.5 --curve linear -o changes.focus
      """)

  @Argument(help: "The script; it is not changed.")
  var script: String
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The f-number of the whole film, at least 0.1.", valueName: "n"))
  var fNumber: Float?
  @Option(parsing: .unconditional, help: "The time of the decision whose rack is meant.")
  var at: TimeArgument?
  @OptionGroup var rack: RackOptions
  @OptionGroup var result: ChangesOptions

  func validate() throws {
    guard fNumber.map({ $0.isFinite && $0 >= 0.1 }) ?? true else {
      throw ValidationError("--f-number takes a finite number of at least 0.1")
    }
    guard (at != nil) == rack.isGiven else {
      throw ValidationError(
        at == nil ? "--rack and --curve need --at" : "--at needs --rack or --curve")
    }
    guard fNumber != nil || at != nil else {
      throw ValidationError("give --f-number, or --at with --rack or --curve")
    }
  }

  func run() throws {
    let script = try ScriptFile.script(at: script, changes: result.changes)
    if let fNumber { script.fNumber = fNumber }
    if let at {
      let decision = try script.decision(
        meantBy: try script.time(at), of: script.decisions(in: script.timeRange), "decision")
      rack.apply(to: decision, of: script)
    }
    try result.write(script, beside: self.script)
  }
}

struct ScriptUndoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo", abstract: "Take user decisions back.",
    discussion: """
      Decisions of the changes that are given, and taps that the script itself holds: without --changes, \
      the changes that are written take back the latter.
      """)

  @Argument(help: "The script; it is not changed.")
  var script: String
  @Option(parsing: .unconditional, help: "The time of the decision to take back.")
  var at: TimeArgument?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("An added track to remove, with the decisions on it.", valueName: "id"))
  var detection: Int64?
  @Flag(help: "Take back all user decisions, taps made while recording too.")
  var all = false
  @OptionGroup var result: ChangesOptions

  func validate() throws {
    guard [at != nil, detection != nil, all].count(where: { $0 }) == 1 else {
      throw ValidationError("give one of --at, --detection and --all")
    }
  }

  func run() throws {
    let script = try ScriptFile.script(at: script, changes: result.changes)
    if let at {
      try undo(at: try script.time(at), in: script)
    } else if let detection {
      guard script.removeDetectionTrack(id: DetectionID(detection)) else {
        let added = script.addedDetectionTracks.compactMap { $0.detectionID.map { "\($0)" } }
        throw CinematicError(
          .invalidParameter, "detection \(detection) is no track that the changes added",
          remedy: added.isEmpty
            ? "they added none; a recorded track stays, and needs no decision"
            : "they added \(added.joined(separator: ", "))")
      }
    } else {
      script.removeAllUserDecisions()
      for track in script.addedDetectionTracks where track.detectionType == .fixedFocus {
        script.removeDetectionTrack(track)
      }
    }
    try result.write(script, beside: self.script)
  }

  private func undo(at time: Time, in script: Script) throws {
    let decision: Decision
    let user = script.userDecisions(in: script.timeRange)
    do throws(CinematicError) {
      decision = try script.decision(meantBy: time, of: user, "user decision")
    } catch {
      let base = script.baseDecisions(in: script.timeRange)
      guard (try? script.decision(meantBy: time, of: base, "")) != nil else { throw error }
      throw CinematicError(
        .invalidParameter,
        String(format: "the decision at %.3f s is the script's own", time.seconds),
        remedy: "decide anew at that time, which hides it, or make the script direct anew")
    }
    script.removeUserDecision(decision)
    // a fixed focus that was added for this decision goes with it
    if let id = decision.detectionID,
      script.addedDetectionTracks.contains(where: {
        $0.detectionID == id && $0.detectionType == .fixedFocus
      }), !script.userDecisions(in: script.timeRange).contains(where: { $0.detectionID == id })
    {
      script.removeDetectionTrack(id: id)
    }
  }
}
