// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCore
import FocalScript

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
