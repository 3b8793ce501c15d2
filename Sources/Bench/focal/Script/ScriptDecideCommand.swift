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
      user decision. One in place of another on the same subject keeps its rack, unless --rack gives one.
      """)

  @Argument(help: "The script; it is not changed.")
  var script: String
  @Option(parsing: .unconditional, help: "When the subject is in focus: 2.4 s, or frame 72f.")
  var at: TimeArgument
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("A point: \(PointArgument.corners).", valueName: "x,y"),
    transform: PointArgument.init(parsing:))
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
  @OptionGroup var safety: SafetyOptions
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
    // What is said of a decision is said of one that is written.
    let writer = try result.begin(beside: self.script)
    try rack.apply(to: decision, of: script)
    try writer.finish(script.changes().dataRepresentation)
    if let disparity, let movie = opened.movie {
      tellIfNothingIsSharp(at: disparity, in: movie.info.asset)
    }
    script.tellOfAbsence(at: decision)
    let frame = script.frame(atOrAfter: time)
    let isOnIt = frame?.primaryDecision == decision.with(user: true)
    let chosen = isOnIt ? frame?.focusDetection?.label(turn: opened.turn) : nil
    let target = ScriptShowCommand.target(decision)
    printLine(
      String(format: "%.3f s: %@ decision on ", time.seconds, strong ? "strong" : "weak")
        + (chosen.map { decision.isGroupDecision ? "\(target): \($0)" : $0 } ?? target))
  }

  /// The subject of the decision.
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
    if !fixed, let subject = opened.script.frame(shownAt: time)?.subject(at: place) {
      return subject
    }
    guard let movie = opened.movie else {
      throw CinematicError(
        .invalidParameter,
        "nothing is detected at \(point.point.x),\(point.point.y) at \(time.secondsText) s",
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
