// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCinematic
import FocalCommands
import FocalCore
import FocalMedia

struct EditCommand: PassingCommand, SocketOpener {
  static let configuration = CommandConfiguration(
    commandName: "edit",
    abstract: "Decide the focus of a Cinematic movie anew; the movie is not changed.",
    usage: """
      focal edit <movie> show|disparity|decide|track|direct|set|undo|plot [<options>]
             focal edit open <movie> ... [<options>]
      """,
    discussion: """
      The script is the one that the movie carries. show, decide, set, undo and plot are those of focal \
      script; track and direct write changes, not scripts; disparity and open need the movie's pictures. \
      The changes go to a file of their own, for focal export and focal apply. 'focal help edit decide' \
      explains one of them.

        focal edit open movie.mov      # in a browser: play, tap, turn the aperture, export
        focal edit movie.mov show --at 2.4
        focal edit movie.mov decide --at 2.4 --point 0.3,0.4 -o changes.focus
        focal edit movie.mov track --at 100f --point 0.7,0.5 --changes changes.focus -o changes.focus
        focal edit movie.mov set --f-number 2 --changes changes.focus -o changes.focus
        focal edit movie.mov undo --changes changes.focus --at 2.4 -o changes.focus
      """)

  /// The edits that make sense for a movie: the rest writes scripts. Each takes the movie where it would
  /// take a script.
  private struct Commands: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "focal edit <movie>",
      subcommands: [
        ScriptShowCommand.self, EditDisparityCommand.self, ScriptDecideCommand.self,
        EditTrackCommand.self, EditDirectCommand.self, ScriptSetCommand.self,
        ScriptUndoCommand.self, ScriptPlotCommand.self, EditOpenCommand.self,
      ])

    static var names: [String] {
      configuration.subcommands.compactMap { $0.configuration.commandName }
    }
  }

  static var passedRoot: any ParsableCommand.Type { Commands.self }
  static let leadingArgument = "<movie>"

  @Argument(help: "The Cinematic movie.")
  var movie: String
  @Argument(
    parsing: .captureForPassthrough,
    help: ArgumentHelp("One of the commands above, and its options.", valueName: "command"))
  var command: [String] = []

  /// The arguments of the browser's editor, whose movies come behind its name; `nil` where another command is
  /// meant.
  private var opening: [String]? {
    let name = EditOpenCommand.configuration.commandName
    if movie == name { return command }
    return command.first == name ? [movie] + command.dropFirst() : nil
  }

  /// The editor is a server.
  var opensSocket: Bool { opening != nil }

  func validate() throws {
    if opensSocket { return }
    if ["-h", "--help"].contains(command.first) { throw CleanExit.helpRequest(self) }
    guard let name = command.first, Commands.names.contains(name) else {
      if Commands.names.contains(movie) {
        let file = command.first { !$0.hasPrefix("-") } ?? Self.leadingArgument
        throw ValidationError(
          "the movie stands before the command: write focal edit \(file) \(movie) …")
      }
      throw ValidationError("give a command: \(Commands.names.joined(separator: ", "))")
    }
  }

  func run() throws {
    if let opening { return try Self.open(opening) }
    let arguments = [command[0], movie] + command.dropFirst()
    do {
      var parsed = try Commands.parseAsRoot(arguments)
      // Where help is asked for, the movie need not be there. Else it is looked at first: a script's own
      // commands would read text, and speak of a script.
      if Commands.configuration.subcommands.contains(where: { $0 == type(of: parsed) }) {
        _ = try waiting { [movie] () async throws(CinematicError) in
          try await AssetInfo(asset: ScriptFile.asset(movie))
        }
      }
      try parsed.run()
    } catch  where Commands.exitCode(for: error) == .success {
      if let mistake = mistakenHelp() { throw mistake }
      printLine(Self.help(Commands.fullMessage(for: error)))
    }
  }

  private static func open(_ arguments: [String]) throws {
    do {
      var parsed = try EditOpenCommand.parseAsRoot(arguments)
      try parsed.run()
    } catch  where EditOpenCommand.exitCode(for: error) == .success {
      if let mistake = mistakenHelp() { throw mistake }
      printLine(EditOpenCommand.fullMessage(for: error))
    }
  }

  /// A command's help as it is called here, examples included: the movie stands before it, not behind.
  private static func help(_ text: String) -> String {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    for index in lines.indices {
      let words = lines[index].split(separator: " ")
      guard words.count > 3, words[0] == "focal", words[1] == "script" else { continue }
      let rest = words.dropFirst(4).joined(separator: " ")
      lines[index] = "  focal edit movie.mov \(words[2]) \(rest)"
    }
    if let usage = lines.firstIndex(where: { $0.hasPrefix("USAGE: ") }) {
      lines[usage] = lines[usage].replacing(" <script>", with: "")
    }
    if let start = lines.firstIndex(of: "ARGUMENTS:"),
      let end = lines[start...].firstIndex(of: "")
    {
      lines.removeSubrange(start...end)
    }
    return lines.joined(separator: "\n")
  }
}
