// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

struct EditCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit",
    abstract: "Decide the focus of a Cinematic movie anew; the movie is not changed.",
    usage: """
      focal edit <movie> show|decide|undo|plot [<options>]
      """,
    discussion: """
      The commands and options are those of focal script, for the script that the movie carries. The \
      changes go to a file of their own, for focal export and focal apply.

        focal edit movie.mov decide --at 2.4 --group 2 -o changes.focus
        focal edit movie.mov undo --changes changes.focus --at 2.4 -o changes.focus
      """)

  /// What makes sense for a movie: the rest writes scripts.
  private static let commands = ["show", "decide", "undo", "plot"]

  @Argument(help: "The Cinematic movie.")
  var movie: String
  @Argument(
    parsing: .captureForPassthrough,
    help: ArgumentHelp("A command of focal script and its options.", valueName: "command"))
  var command: [String]

  func validate() throws {
    guard let name = command.first, Self.commands.contains(name) else {
      throw ValidationError("give a command: \(Self.commands.joined(separator: ", "))")
    }
  }

  func run() throws {
    var parsed = try ScriptCommand.parseAsRoot([command[0], movie] + command.dropFirst())
    try parsed.run()
  }
}
