// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCommands
import FocalCore
import FocalMedia
import FocalScript

struct ScriptDirectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "direct", abstract: "Replace base decisions by the automatic director's.")

  @Argument(help: "The script; it is not changed.")
  var script: String
  @Option(name: .shortAndLong, help: "The script to write.")
  var output: String
  @OptionGroup var overwriting: OverwriteOptions

  func run() throws {
    try KeptInputs.check(output, inputs: [script])
    let script = try ScriptFile.script(at: script)
    let directed = try Director().directed(script.recording)
    guard !directed.baseDecisions.isEmpty else {
      guard script.detectionTracks.isEmpty else {
        throw CinematicError(
          .incomplete,
          "the script has only the subject of its own map (autoFocus), or nothing in its range: nobody to direct",
          remedy: "find people first, with focal script detect")
      }
      throw CinematicError(
        .incomplete, "the script has no subject: its range has no recorded or custom track",
        remedy: "add tracks first, with focal script track")
    }
    try ScriptFile.write(directed.jsonRepresentation(), to: output, overwrite: overwriting.force)
    printLine("\(output): \(counted(directed.baseDecisions.count, "base decision"))")
  }
}

struct ScriptPlotCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plot", abstract: "Draw tracks, decisions and the way of focus as SVG.")

  @OptionGroup var input: ScriptInput
  @Option(name: .shortAndLong, help: ArgumentHelp("The drawing to write.", valueName: "svg"))
  var output: String
  @OptionGroup var overwriting: OverwriteOptions

  func run() throws {
    try KeptInputs.check(output, inputs: [input.script, input.changes])
    let script = try input.open().script
    try ScriptFile.write(
      ScriptPlot(script).svg.data(using: .utf8) ?? .init(), to: output, overwrite: overwriting.force
    )
  }
}
