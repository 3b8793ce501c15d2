// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCommands
import FocalCore
import FocalScript
import Foundation

struct ScriptSetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Set the f-number, or how focus travels to a decision.",
    discussion: """
        focal script set s.json --f-number 2 -o changes.focus
        focal script set s.json --at 2.4 --rack 0.5 --curve linear -o changes.focus
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
    try FocusOptions.checkStored(fNumber)
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
    var done: [String] = []
    if let fNumber {
      script.fNumber = fNumber
      done.append("f/\(fNumber)")
    }
    let writer = try result.begin(beside: self.script)
    if let at {
      let decision = try script.decision(
        meantBy: try script.time(at), of: script.decisions(in: script.timeRange), "decision")
      try rack.apply(to: decision, of: script)
      script.tellOfAbsence(at: decision)
      done.append(Self.way(to: decision, of: script))
    }
    try writer.finish(script.changes().dataRepresentation)
    for line in done { printLine(line) }
  }

  /// How focus travels to a decision, in words.
  private static func way(to decision: Decision, of script: Script) -> String {
    let target = ScriptShowCommand.target(decision)
    let start = String(format: "%.3f s: ", decision.time.seconds)
    guard script.isInForce(decision) else { return start + "focus does not go to \(target)" }
    guard let range = script.timeRangeOfTransition(before: decision) else {
      return start + "focus cuts to \(target)"
    }
    let curve = script.transition(for: decision).map { ", \($0.curve)" } ?? ", automatic"
    return start
      + String(format: "focus travels for %.3f s to ", range.duration.seconds) + target + curve
  }
}
