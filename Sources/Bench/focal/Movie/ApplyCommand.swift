// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCinematic
import FocalCore
import FocalMedia
import FocalScript

struct ApplyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "apply",
    abstract: "Make a new Cinematic movie with changes in its script.",
    discussion: """
      Pictures, disparity, sound and everything else in the movie are copied byte for byte; only this \
      program's metadata are new. The movie itself is not changed.
      """)

  @Argument(help: "The Cinematic movie.")
  var movie: String
  @Option(help: ArgumentHelp("The changes to its script.", valueName: "changes"))
  var changes: String
  @Option(name: .shortAndLong, help: ArgumentHelp("The movie to write.", valueName: "movie.mov"))
  var output: String
  @Flag(help: "Replace an existing output.")
  var force = false

  func run() throws {
    try KeptInputs.check(output, inputs: [movie, changes])
    try interruptible {
      let asset = Asset(path: movie)
      let focus = ScriptedFocus(
        try ScriptFile.script(of: asset, changes: changes), name: movie)
      let script = try focus.script.flattened().jsonRepresentation()
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
