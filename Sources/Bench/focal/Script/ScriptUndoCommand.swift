// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCommands
import FocalCore
import FocalScript
import Foundation

struct ScriptUndoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo", abstract: "Take decisions back.",
    discussion: """
      Decisions of the changes that are given, and those that the script itself holds: without --changes, \
      the changes that are written take back the latter. A base decision is removed where no user decision stands \
      at its time: the one before it stays in force.
      """)

  @Argument(help: "The script; it is not changed.")
  var script: String
  @Option(parsing: .unconditional, help: "The time of the decision to take back.")
  var at: TimeArgument?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("An added track to remove, with the decisions on it.", valueName: "id"))
  var detection: Int64?
  @Flag(
    help: """
      Take back all user decisions, taps made while recording too; base decisions that were moved or \
      removed are back where they were recorded.
      """)
  var all = false
  @OptionGroup var result: ChangesOptions

  func validate() throws {
    guard [at != nil, detection != nil, all].count(where: { $0 }) == 1 else {
      throw ValidationError("give one of --at, --detection and --all")
    }
  }

  func run() throws {
    let script = try ScriptFile.script(at: script, changes: result.changes)
    let before = script.userDecisions(in: script.timeRange).count
    let removed = script.removedBaseDecisions.count
    var done: String
    if let at {
      done = try undo(at: try script.time(at), in: script)
    } else if let detection {
      guard script.removeDetectionTrack(id: DetectionID(detection)) else {
        let added = script.addedDetectionTracks.compactMap { $0.detectionID.map { "\($0)" } }
        throw CinematicError(
          .invalidParameter, "detection \(detection) is no track that the changes added",
          remedy: added.isEmpty
            ? "they added none; a recorded track stays, and needs no decision"
            : "they added \(added.joined(separator: ", "))")
      }
      let count = before - script.userDecisions(in: script.timeRange).count
      done = "detection \(detection) removed, with \(counted(count, "decision"))"
    } else {
      script.takeBackAllUserDecisions()
      done = "\(counted(before, "user decision")) taken back"
      if removed > 0 { done += ", \(counted(removed, "base decision")) put back" }
    }
    try result.write(script, beside: self.script)
    printLine(done)
  }

  /// - Returns: what was done, in words.
  private func undo(at time: Time, in script: Script) throws -> String {
    let decision: Decision
    let user = script.userDecisions(in: script.timeRange)
    do throws(CinematicError) {
      decision = try script.decision(meantBy: time, of: user, "user decision")
    } catch {
      let all = script.baseDecisions(in: script.timeRange)
      guard let base = try? script.decision(meantBy: time, of: all, "base decision") else {
        // Of both kinds, those that there are.
        _ = try script.decision(
          meantBy: time, of: script.decisions(in: script.timeRange), "decision")
        throw error
      }
      script.removeBaseDecision(base)
      return String(format: "%.3f s: ", base.time.seconds)
        + "\(ScriptShowCommand.text(base)) removed"
    }
    script.takeBackUserDecision(decision)
    return String(format: "%.3f s: ", decision.time.seconds)
      + "\(ScriptShowCommand.text(decision)) taken back"
  }
}
