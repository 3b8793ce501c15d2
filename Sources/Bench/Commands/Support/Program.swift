// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The release, as `--version` tells it.
package let programVersion = "0.1.0"

/// The exit codes, for the help of a program.
package let exitCodeHelp = """
  Exit codes: 0 done, 1 something is wrong with a file, a value or the device, 64 the command line \
  is not understood, 130 and 143 interrupted.
  """

/// The commands that need no media files.
package var engineCommands: [any ParsableCommand.Type] {
  [DevicesCommand.self, ConformCommand.self, BenchCommand.self, ProbeCommand.self]
}

/// A command that hands what follows its first argument on to commands of its own.
package protocol PassingCommand: ParsableCommand {
  /// The root of those commands.
  static var passedRoot: any ParsableCommand.Type { get }
  /// The argument before them, as help calls it: `<movie>`.
  static var leadingArgument: String { get }
}

/// Runs a program; an error is one line that names the thing and the remedy.
package func runProgram<Root: ParsableCommand>(_ root: Root.Type) {
  do {
    var command = try root.parseAsRoot(
      withPassedHelp(Array(CommandLine.arguments.dropFirst()), root))
    try command.run()
  } catch let error as CinematicError {
    note("error: \(error)")
    exit(1)
  } catch {
    let code = root.exitCode(for: error)
    // Asking for help or the version is no error, and some commands have said it all.
    if code == .success { root.exit(withError: error) }
    if error is ExitCode { exit(code.rawValue) }
    var text = root.message(for: error).split(whereSeparator: \.isNewline).joined(separator: " ")
    text = text.prefix(1).lowercased() + text.dropFirst()
    if text.hasSuffix(".") { text.removeLast() }
    if code == .validationFailure {
      if let name = CommandLine.arguments.last(where: isDashedName) {
        text += "; write ./\(name) for a file of the name \(name)"
      }
      text += "; see '\(invokedCommand(of: root)) --help'"
    }
    note("error: \(text)")
    exit(code.rawValue)
  }
}

/// `focal render` or `focal script show`, say: the command whose help explains the arguments.
private func invokedCommand(of root: any ParsableCommand.Type) -> String {
  var command = root
  var names = [root.configuration.commandName ?? "focal"]
  for argument in CommandLine.arguments.dropFirst() {
    let passing = command as? any PassingCommand.Type
    guard let next = (passing?.passedRoot ?? command).subcommand(argument) else { continue }
    command = next
    names += (passing.map { [$0.leadingArgument] } ?? []) + [argument]
  }
  return names.joined(separator: " ")
}

/// `help edit decide` as `edit <movie> decide --help`: the parser knows nothing of what is passed on.
private func withPassedHelp(
  _ arguments: [String], _ root: any ParsableCommand.Type
) -> [String] {
  guard arguments.count == 3, arguments[0] == "help",
    let passing = root.subcommand(arguments[1]) as? any PassingCommand.Type,
    passing.passedRoot.subcommand(arguments[2]) != nil
  else { return arguments }
  return [arguments[1], passing.leadingArgument, arguments[2], "--help"]
}

extension ParsableCommand {
  fileprivate static func subcommand(_ name: String) -> (any ParsableCommand.Type)? {
    configuration.subcommands.first { $0.configuration.commandName == name }
  }
}

/// Whether an argument that looks like options is meant as the name of a file.
private func isDashedName(_ argument: String) -> Bool {
  argument.hasPrefix("-") && !argument.hasPrefix("--") && argument.contains(".")
    && argument.dropFirst().contains(where: \.isLetter)
}

/// One line to standard error.
package func note(_ text: String) { writeToStandardError("focal: \(text)\n") }

/// Text to standard error. A closed stream does not stop the rendering.
package func writeToStandardError(_ text: String) {
  var rest = Array(text.utf8)[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    if count < 0, errno == EINTR { continue }
    guard count > 0 else { return }
    rest = rest.dropFirst(count)
  }
}
