// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCinematic
import FocalCore
import FocalMedia
import FocalRendering
import FocalScript

struct ApplyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "apply",
    abstract: "Make a new Cinematic movie with changes in its script, or with another look.",
    discussion: """
      The new movie is rendered as the old one is with the changes, bit for bit. \
      Pictures, disparity, sound and everything else in the movie are copied byte for byte; only this \
      program's metadata are new. The movie itself is not changed.
      """)

  @Argument(help: "The Cinematic movie.")
  var movie: String
  @Option(help: ArgumentHelp("The changes to its script.", valueName: "changes"))
  var changes: String?
  @OptionGroup(title: "Look options") var look: LookOptions
  @Option(name: .shortAndLong, help: ArgumentHelp("The movie to write.", valueName: "movie.mov"))
  var output: String
  @Flag(help: "Replace an existing output.")
  var force = false

  func validate() throws {
    guard changes != nil || !look.look.isEmpty else {
      throw ValidationError("give --changes, or a look: --blur-scale, --blades, --blade-rotation")
    }
  }

  func run() throws {
    try KeptInputs.check(output, inputs: [movie, changes])
    try interruptible(writing: [output]) {
      let asset = Asset(path: movie)
      let focus = ScriptedFocus(
        try ScriptFile.script(of: asset, changes: changes), name: movie)
      let recording = try focus.script.flattened()
      let carried = recording.look.overridden(by: look.look)
      try RenderingSession.Attributes().with(carried).validate()
      let script = try recording.with(look: carried).jsonRepresentation()
      let times = try waiting { () async throws(CinematicError) in
        let reader = try await MovieScript(asset: asset).reader
        return (0..<reader.frameCount).map { reader.timeRange(ofFrame: $0) }
      }
      let frames = try times.map { range in
        let attributes = try focus.attributes(at: range.start)
        return MovieReviser.Frame(
          timeRange: range, focusDisparity: attributes.focusDisparity, fNumber: attributes.fNumber)
      }
      try MovieReviser.write(
        movie, to: output, frames: frames, script: [UInt8](script), overwrite: force)
    }
  }
}
