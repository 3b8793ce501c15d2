// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCaptions
import FocalCommands
import FocalCore

struct CaptionsPreviewCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "preview",
    abstract: "Draw captions over time.",
    discussion: """
      The drawing shows when captions are on the screen, when a .scc file would send them, and where \
      that collides.
      """)

  @OptionGroup var input: CaptionInput
  @Flag(help: "Draw a timeline.")
  var timeline = false
  @Option(name: .shortAndLong, help: ArgumentHelp("The drawing to write.", valueName: "svg"))
  var output: String
  @Flag(help: "Replace an existing output.")
  var force = false

  func validate() throws {
    guard timeline else { throw ValidationError("give --timeline") }
  }

  func run() throws {
    try interruptible(writing: [output]) {
      try KeptInputs.check(output, inputs: [input.file])
      guard output.lowercased().hasSuffix(".svg") else {
        throw CinematicError(
          .invalidParameter, "\(output) is not the name of a drawing", remedy: "end it in .svg")
      }
      let document = try input.document()
      let settings = try CaptionConversionSettings(
        doublesControlCodes: document.doublesControlCodes)
      let svg = CaptionTimeline(document.captions, settings: settings).svg
      try CaptionOutput.write(Array(svg.utf8), to: output, force: force)
      input.tell(document.issues)
    }
  }
}
