// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCinematic
import FocalCommands
import FocalCore
import FocalMedia
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
  @OptionGroup var safety: SafetyOptions
  @OptionGroup var overwriting: OverwriteOptions

  func validate() throws {
    guard changes != nil || !look.isEmpty else {
      throw ValidationError("give --changes, or a look, such as --blur-scale and --blades")
    }
  }

  func run() throws {
    try KeptInputs.check(output, inputs: [movie, changes] + look.inputs)
    try interruptible(writing: [output]) {
      let opened = try ScriptFile.open(ScriptFile.asset(movie), changes: changes)
      guard let own = opened.movie else { return }
      let focus = ScriptedFocus(opened.script, name: movie)
      try focus.checkStoredFNumber()
      if !own.hasRenderingAttributes {
        note(
          "nothing that can be read says what is sharp in \(movie): where the changes decide nothing,"
            + " \(output) holds the focus on the largest and nearest part of its first map")
      }
      let given = try look.look()
      try look.check(opened.script.look.overridden(by: given))
      try own.write(opened.script, to: output, look: given, overwrite: overwriting.force)
    }
  }
}
