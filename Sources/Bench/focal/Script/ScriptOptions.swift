// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCinematic
import FocalCore

/// A script, or a movie that carries one, to look at.
struct ScriptInput: ParsableArguments {
  @Argument(help: "The script.")
  var script: String
  @Option(help: ArgumentHelp("Changes to apply.", valueName: "changes"))
  var changes: String?

  func open() throws(CinematicError) -> OpenedScript {
    try ScriptFile.open(script, changes: changes)
  }
}

/// An object to follow, and how it is decided for.
struct ObjectOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("A point on the object: \(PointArgument.corners).", valueName: "x,y"),
    transform: PointArgument.init(parsing:))
  var point: PointArgument
  @Flag(help: "Hold the object until the next user decision, not only until the next decision.")
  var strong = false
}

/// A script that decides instead of the lens options.
struct ScriptOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A focus script that decides focus and f-number frame by frame.", valueName: "script"))
  var script: String?
  @Option(help: ArgumentHelp("Changes to the script.", valueName: "changes"))
  var changes: String?
  @Flag(help: "Draw the script's detections into the output, the one in focus yellow.")
  var overlay = false

  func validate() throws {
    guard script != nil || (changes == nil && !overlay) else {
      throw ValidationError("--changes and --overlay need a --script")
    }
  }

  /// The script, read.
  ///
  /// - Parameter fNumber: instead of the script's own.
  func focus(fNumber: Float?) throws(CinematicError) -> ScriptedFocus? {
    guard let script else { return nil }
    return try ScriptedFocus(path: script, changes: changes, fNumber: fNumber, overlay: overlay)
  }
}
