// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCinematic
import FocalCommands
import FocalCore
import FocalMedia
import FocalScript
import Foundation

/// `focal edit <movie> track`.
struct EditTrackCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "track", abstract: "Follow the object at a point or in a box, and focus on it.",
    discussion: """
      The track ends where the object is lost for good, or at --until. An object that was lost is looked for in \
      the whole picture, and first among what is detected in the movie. The decision for it is weak: it \
      holds until the next one of any kind.
      """)

  @Argument(help: "The movie; it is not changed.")
  var script: String
  @OptionGroup var object: ObjectOptions
  @Option(
    parsing: .unconditional,
    help: "When the object lies at the point; it is in focus and followed from there on.")
  var at: TimeArgument = .start
  @Option(parsing: .unconditional, help: "The time before which to stop following.")
  var until: TimeArgument?
  @OptionGroup var rack: RackOptions
  @OptionGroup var safety: SafetyOptions
  @OptionGroup var result: ChangesOptions

  func run() throws {
    try interruptible { try track() }
  }

  private func track() throws {
    try object.check(output: result.output, inputs: [script], changes: result.changes)
    // Before the clip is followed to its end.
    let writer = try result.begin(beside: script)
    let table = try object.boxes.map {
      try ScriptFile.begin($0, overwrite: result.overwriting.force)
    }
    let truth = try object.truth.map(TrueBoxes.init(path:))
    let opened = try ScriptFile.open(script, changes: result.changes)
    let script = opened.script
    guard let movie = opened.movie else { throw noMovie(self.script) }
    let time = try script.time(at)
    guard script.timeRange.contains(time) else { throw script.lacks(time) }
    let end = try until.map { until throws(CinematicError) in try script.time(until) }
    if let end, end <= time {
      throw CinematicError(
        .invalidParameter,
        "--until \(end.secondsText) s does not come after --at \(time.secondsText) s",
        remedy: "name a later time")
    }
    let followed = try waiting { [object] () async throws(CinematicError) in
      try await movie.follow(
        { () throws(CinematicError) in
          try ObjectFollower(object, turn: movie.info.preferredTransform)
        }, among: script, from: time, until: end)
    }
    guard let followed else {
      throw CinematicError(
        .incomplete, "\(self.script) has no disparity from \(time.secondsText) s on",
        remedy: "give an earlier --at")
    }
    let id = script.addDetectionTrack(followed.track)
    let decision = Decision(
      time: max(followed.start, time), detectionID: id, strong: object.strong)
    guard script.addUserDecision(decision) else { throw script.lacks(followed.start) }
    try rack.apply(to: decision, of: script)
    try writer.finish(script.changes().dataRepresentation)
    try table?.finish(followed.table)
    followed.tell(id)
    truth?.compare(followed.boxes)
  }
}

/// `focal edit <movie> direct`.
struct EditDirectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "direct",
    abstract: "Let the automatic director decide, under the user's decisions.",
    discussion: """
      The director chooses among what is detected, tracks that were added included. Its decisions become \
      strong ones of the changes; those of yours stay, and go before. Where base decisions of the movie \
      would come between, they give way; undo --all puts them back.
      """)

  @Argument(help: "The movie; it is not changed.")
  var script: String
  @OptionGroup var result: ChangesOptions

  func run() throws {
    let script = try ScriptFile.script(at: script, changes: result.changes)
    let count: Int
    do throws(CinematicError) {
      count = try script.direct(by: Director())
    } catch {
      guard error.code == .incomplete else { throw error }
      throw CinematicError(
        .incomplete, "nothing is detected in \(self.script) that could be directed",
        remedy:
          "follow an object first: focal edit \(self.script) track --point X,Y -o changes.focus")
    }
    try result.write(script, beside: self.script)
    printLine("\(counted(count, "decision")) of the director")
  }
}

/// `focal edit <movie> disparity`.
struct EditDisparityCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "disparity",
    abstract: "Print the disparity at a point, and what is detected there.")

  @OptionGroup var input: ScriptInput
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("A point: \(PointArgument.corners).", valueName: "x,y"),
    transform: PointArgument.init(parsing:))
  var point: PointArgument
  @Option(parsing: .unconditional, help: "When: 2.4 s, or frame 72f.")
  var at: TimeArgument = .start
  @OptionGroup var safety: SafetyOptions
  @Flag(help: "Print one JSON object.")
  var json = false

  private struct Report: Encodable {
    var time: Double
    var point: [Double]
    var disparity: Float
    /// The frame's focus.
    var focusDisparity: Float?
    /// The detection that a tap there would choose.
    var detection: Int64?
    var group: Int64?
  }

  func run() throws {
    let opened = try input.open()
    guard let movie = opened.movie else { throw noMovie(input.script) }
    let time = try opened.script.time(at)
    let value = try waiting { [point] () async throws(CinematicError) in
      try await movie.disparity(at: time, point: point.point)
    }
    let frame = opened.script.frame(shownAt: time)
    let hit = frame?.detection(at: opened.turn.inverse.applied(to: point.point))
    if json {
      try printJSON(
        Report(
          time: time.seconds, point: [point.point.x, point.point.y], disparity: value,
          focusDisparity: frame?.focusDisparity, detection: hit?.detectionID?.rawValue,
          group: hit?.detectionGroupID?.rawValue))
      return
    }
    printLine("\(value)" + (hit.map { ": " + $0.label(turn: opened.turn) } ?? ""))
  }
}

/// The error for a script where pictures and maps are needed.
private func noMovie(_ name: String) -> CinematicError {
  CinematicError(
    .incompatible, "\(name) is a script, and has neither pictures nor disparity",
    remedy: "give the movie that carries it")
}
