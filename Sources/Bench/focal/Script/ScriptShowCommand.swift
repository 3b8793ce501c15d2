// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCommands
import FocalCore
import FocalScript
import Foundation

struct ScriptShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Print frames, decisions, focus and racks.")

  @Argument(help: "The script.")
  var script: String
  @Option(help: ArgumentHelp("Changes to apply.", valueName: "changes"))
  var changes: String?
  @Option(
    parsing: .unconditional, help: ArgumentHelp("Only the frame nearest to a time.", valueName: "t")
  )
  var at: TimeArgument?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Only the frames shown from A, the one on the screen then included, to before B.",
      valueName: "a-b"), transform: TimeRangeArgument.init(parsing:))
  var range: TimeRangeArgument?
  @Flag(help: "Print JSON, times in ticks of the script's timescale.")
  var json = false

  func validate() throws {
    guard at == nil || range == nil else {
      throw ValidationError("give --at or --range, not both")
    }
  }

  func run() throws {
    let script = try ScriptFile.script(at: script, changes: changes)
    var shown = script.timeRange
    var frames: [ScriptFrame]
    if let at {
      let time = try script.time(at)
      guard script.timeRange.contains(time),
        let frame = script.frame(at: time, tolerance: script.timeRange.duration)
      else { throw script.lacks(time) }
      shown = TimeRange(start: time, duration: Time(value: 1, timescale: .max))
      frames = [frame]
    } else {
      if let range {
        let wanted = try range.timeRange { () throws(CinematicError) in script }
        shown = wanted.intersection(script.timeRange)
        guard !shown.isEmpty else { throw script.lacks(wanted) }
        wanted.tellOfCut(to: shown, of: self.script)
      }
      frames = script.frames(shownIn: shown)
    }
    let transitions = script.focusTransitions.filter {
      $0.timeRange.end > shown.start && $0.timeRange.start < shown.end
    }
    if json {
      printJSON(script, frames, transitions)
    } else {
      printText(script, frames, transitions)
    }
  }

  // MARK: JSON

  private func printJSON(
    _ script: Script, _ frames: [ScriptFrame], _ transitions: [FocusTransition]
  ) {
    let scale = script.timescale
    let frameTexts = frames.map { frame in
      let id = frame.focusDetection?.detectionID.map { "\($0)" } ?? "null"
      return "  {\"time\": \(Self.ticks(frame.time, scale)), \"focusDisparity\":"
        + " \(frame.focusDisparity), \"focusDetection\": \(id), \"primary\":"
        + " \(Self.json(frame.primaryDecision, scale)), \"secondary\":"
        + " \(Self.json(frame.secondaryDecision, scale))}"
    }
    let transitionTexts = transitions.map { transition in
      "  {\"start\": \(Self.ticks(transition.timeRange.start, scale)), \"end\":"
        + " \(Self.ticks(transition.timeRange.end, scale)), \"from\":"
        + " \(Self.json(transition.from, scale)), \"to\": \(Self.json(transition.to, scale))}"
    }
    print(
      "{\"frames\": [\n\(frameTexts.joined(separator: ",\n"))\n ],\n \"transitions\": [\n"
        + "\(transitionTexts.joined(separator: ",\n"))\n ]}")
  }

  /// Whole where the time is a multiple of a tick.
  static func ticks(_ time: Time, _ scale: Int32) -> String {
    let whole = time.converted(to: scale)
    return whole == time ? "\(whole.value)" : "\(time.seconds * Double(scale))"
  }

  static func json(_ decision: Decision?, _ scale: Int32) -> String {
    guard let decision else { return "null" }
    let focus =
      decision.detectionID.map { "\"detection\": \($0)" }
      ?? "\"group\": \(decision.detectionGroupID?.rawValue ?? 0)"
    return "{\"time\": \(ticks(decision.time, scale)), \(focus), \"strong\":"
      + " \(decision.isStrongDecision), \"user\": \(decision.isUserDecision)}"
  }

  // MARK: Text

  private func printText(
    _ script: Script, _ frames: [ScriptFrame], _ transitions: [FocusTransition]
  ) {
    let range = script.timeRange
    print(
      String(
        format: "%.3f to %.3f s, %@, f/%g, %@, %@", range.start.seconds, range.end.seconds,
        counted(script.recording.frameTimes.count, "frame"), Double(script.fNumber),
        counted(script.detectionTracks.count, "track"),
        Self.decisions(
          base: script.baseDecisions(in: range).count, user: script.userDecisions(in: range).count)
      ))
    for decision in script.decisions(in: range) {
      print(String(format: "%9.3f s  %@", decision.time.seconds, Self.text(decision)))
    }
    for transition in transitions {
      print(
        String(
          format: "%9.3f s  rack to %.3f s, from %@ to %@", transition.timeRange.start.seconds,
          transition.timeRange.end.seconds, Self.target(transition.from),
          Self.target(transition.to)))
    }
    for frame in frames {
      let focus = frame.focusDetection.flatMap(\.detectionID).map { "detection \($0)" } ?? "nothing"
      var line = String(
        format: "%9.3f s  focus %.4f on %@", frame.time.seconds, Double(frame.focusDisparity), focus
      )
      if !frame.allDetections.isEmpty { line += " of \(frame.allDetections.count)" }
      if let next = frame.secondaryDecision { line += ", going to \(Self.target(next))" }
      print(line)
    }
  }

  /// How many decisions there are of either kind.
  static func decisions(base: Int, user: Int) -> String {
    "\(base) base and \(counted(user, "user decision"))"
  }

  static func target(_ decision: Decision?) -> String {
    guard let decision else { return "nothing" }
    return decision.detectionID.map { "detection \($0)" }
      ?? "group \(decision.detectionGroupID?.rawValue ?? 0)"
  }

  static func text(_ decision: Decision) -> String {
    let strength = decision.isStrongDecision ? "strong" : "weak"
    return decision.isUserDecision
      ? "\(strength) user decision on \(target(decision))" : "base decision on \(target(decision))"
  }
}
