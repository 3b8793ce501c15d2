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

/// Runs a program; an error is one line that names the thing and the remedy.
package func runProgram<Root: ParsableCommand>(_ root: Root.Type) {
  do {
    var command = try root.parseAsRoot()
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
    if code == .validationFailure { text += "; see '\(invokedCommand(of: root)) --help'" }
    note("error: \(text)")
    exit(code.rawValue)
  }
}

/// `focal render` or `focal script show`, say: the command whose help explains the arguments.
private func invokedCommand(of root: any ParsableCommand.Type) -> String {
  var command = root
  var names = [root.configuration.commandName ?? "focal"]
  for argument in CommandLine.arguments.dropFirst() {
    let subcommands = command.configuration.subcommands
    guard let next = subcommands.first(where: { $0.configuration.commandName == argument })
    else { continue }
    command = next
    names.append(argument)
  }
  return names.joined(separator: " ")
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
