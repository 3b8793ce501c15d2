// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCore
import FocalScript

struct ScriptDecideCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decide", abstract: "Decide what is in focus from a time on.")

  @Argument(help: "The script; it is not changed.")
  var script: String
  @Option(parsing: .unconditional, help: "When the subject is in focus.")
  var at: TimeArgument
  @Option(parsing: .unconditional, help: ArgumentHelp("A track to focus on.", valueName: "id"))
  var detection: Int64?
  @Option(
    parsing: .unconditional, help: ArgumentHelp("A group of tracks to focus on.", valueName: "id"))
  var group: Int64?
  @Option(parsing: .unconditional, help: ArgumentHelp("A disparity to focus at.", valueName: "d"))
  var disparity: Float?
  @Flag(help: "Hold until the next user decision, not only until the next decision.")
  var strong = false
  @Option(help: ArgumentHelp("Changes to go on from.", valueName: "changes"))
  var changes: String?
  @Option(name: .shortAndLong, help: "The changes to write.")
  var output: String
  @Flag(help: "Replace an existing output.")
  var force = false

  func validate() throws {
    let given = [detection != nil, group != nil, disparity != nil].count { $0 }
    guard given == 1 else {
      throw ValidationError("give one of --detection, --group and --disparity")
    }
    guard disparity?.isFinite ?? true else {
      throw ValidationError("--disparity takes a finite number")
    }
  }

  func run() throws {
    let script = try ScriptFile.script(at: script, changes: changes)
    let time = try script.time(at)
    let decision: Decision
    if let detection {
      decision = Decision(time: time, detectionID: DetectionID(detection), strong: strong)
    } else if let group {
      decision = Decision(time: time, detectionGroupID: DetectionGroupID(group), strong: strong)
    } else {
      let id = try script.addDetectionTrack(FixedDetectionTrack(focusDisparity: disparity ?? 0))
      decision = Decision(time: time, detectionID: id, strong: strong)
    }
    guard script.addUserDecision(decision) else {
      guard script.timeRange.contains(time) else { throw script.lacks(time) }
      throw CinematicError(
        .invalidParameter, "the script has no \(ScriptShowCommand.target(decision))",
        remedy: "the command show prints what there is")
    }
    try KeptInputs.check(output, inputs: [self.script])
    try ScriptFile.write(
      script.changes().dataRepresentation, to: output, replace: force || output == changes)
  }
}

struct ScriptUndoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo", abstract: "Take user decisions back.")

  @Argument(help: "The script; it is not changed.")
  var script: String
  @Option(help: "The changes to take decisions from.")
  var changes: String
  @Option(parsing: .unconditional, help: "The time of the decision to take back.")
  var at: TimeArgument?
  @Flag(help: "Take back all user decisions, taps made while recording too.")
  var all = false
  @Option(name: .shortAndLong, help: "The changes to write; may be those read.")
  var output: String
  @Flag(help: "Replace an existing output.")
  var force = false

  func validate() throws {
    guard (at != nil) != all else { throw ValidationError("give --at or --all") }
  }

  func run() throws {
    let script = try ScriptFile.script(at: script, changes: changes)
    if let at {
      let time = try script.time(at)
      // half a frame: people type times with few digits
      let frames = script.recording.frameTimes
      let tolerance = frames.frameDuration?.seconds ?? 0.04
      let decisions = script.userDecisions(in: script.timeRange)
      let nearest = decisions.min {
        abs(($0.time - time).seconds) < abs(($1.time - time).seconds)
      }
      guard let nearest, abs((nearest.time - time).seconds) <= tolerance / 2 else {
        throw CinematicError(
          .invalidParameter, "there is no user decision at \(time.seconds) s",
          remedy: "the command show prints what there is")
      }
      script.removeUserDecision(nearest)
      // a fixed focus that was added for this decision goes with it
      if let id = nearest.detectionID,
        script.addedDetectionTracks.contains(where: {
          $0.detectionID == id && $0.detectionType == .fixedFocus
        }), !script.userDecisions(in: script.timeRange).contains(where: { $0.detectionID == id })
      {
        script.removeDetectionTrack(id: id)
      }
    } else {
      script.removeAllUserDecisions()
      for track in script.addedDetectionTracks where track.detectionType == .fixedFocus {
        script.removeDetectionTrack(track)
      }
    }
    try KeptInputs.check(output, inputs: [self.script])
    try ScriptFile.write(
      script.changes().dataRepresentation, to: output, replace: force || output == changes)
  }
}

struct ScriptDirectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "direct", abstract: "Replace base decisions by the automatic director's.")

  @Argument(help: "The script; it is not changed.")
  var script: String
  @Option(name: .shortAndLong, help: "The script to write.")
  var output: String
  @Flag(help: "Replace an existing output.")
  var force = false

  func run() throws {
    try KeptInputs.check(output, inputs: [script])
    let script = try ScriptFile.script(at: script)
    let directed = try Director().directed(script.recording)
    guard !directed.baseDecisions.isEmpty else {
      throw CinematicError(
        .incomplete, "the script has no subject: its range has no recorded or custom track",
        remedy: "add tracks first, with focal script track")
    }
    try ScriptFile.write(directed.jsonRepresentation(), to: output, replace: force)
  }
}

struct ScriptPlotCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plot", abstract: "Draw tracks, decisions and the way of focus as SVG.")

  @Argument(help: "The script.")
  var script: String
  @Option(help: ArgumentHelp("Changes to apply.", valueName: "changes"))
  var changes: String?
  @Option(name: .shortAndLong, help: ArgumentHelp("The drawing to write.", valueName: "svg"))
  var output: String
  @Flag(help: "Replace an existing output.")
  var force = false

  func run() throws {
    try KeptInputs.check(output, inputs: [script, changes])
    let script = try ScriptFile.script(at: script, changes: changes)
    try ScriptFile.write(
      ScriptPlot(script).svg.data(using: .utf8) ?? .init(), to: output, replace: force)
  }
}
