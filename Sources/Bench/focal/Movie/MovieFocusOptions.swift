// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCore
import FocalMedia
import FocalScript

/// What decides the focus of a Cinematic movie beside its own script, and whether that is drawn.
struct MovieFocusOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Changes to the movie's script.", valueName: "changes"))
  var changes: String?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The f-number, at least 0.1, instead of the movie's; inf blurs nothing.", valueName: "n"))
  var fNumber: Float?
  @Flag(help: "Draw the script's detections into the pictures, the one in focus yellow.")
  var overlay = false

  func validate() throws {
    guard fNumber.map({ $0 >= 0.1 }) ?? true else {
      throw ValidationError("--f-number takes a number of at least 0.1")
    }
  }

  /// The movie's script with the changes; `nil` where the movie's own will do.
  func script(of movie: Asset) throws(CinematicError) -> Script? {
    guard changes != nil || overlay else { return nil }
    let script = try ScriptFile.script(of: movie, changes: changes)
    if overlay { script.tellOfNoPlaces(in: movie.name) }
    return script
  }
}
