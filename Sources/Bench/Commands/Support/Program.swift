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

/// The exit codes, for the help of a program.
package let exitCodeHelp = """
  Exit codes: 0 done, 1 something is wrong with a file, a value or the device, 64 the command line \
  is not understood, 130 and 143 interrupted, 141 nobody reads standard output any more. With --json, \
  notes and errors are objects, too, on standard error.

  Where the kernel has seccomp and Landlock, a command cannot make a network socket unless its arguments name an \
  address, nor open files elsewhere than in the folders that they name, the system's and those of caches, nor start \
  programs but the system's for drivers. Helpers are started before, and may do what their user may. \
  \(Lockdown.option) before the command leaves that out.
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

/// Runs a program, and ends it; an error is one line that names the thing and the remedy.
package func runProgram<Root: ParsableCommand>(_ root: Root.Type) -> Never {
  holdStandardStreams()
  do {
    let arguments = Lockdown.leaving(Array(CommandLine.arguments.dropFirst()))
    try checkHelp(arguments, root)
    var command = try root.parseAsRoot(withPassedHelp(arguments, root))
    if let opener = command as? any SocketOpener, opener.opensSocket {
      Lockdown.wait()
    } else {
      Lockdown.begin(arguments, usesPrograms: command is any ProgramUser)
    }
    try command.run()
    finish(0)
  } catch let error as CinematicError {
    fail(error, options: knownOptions(of: root))
  } catch {
    let mistake = root.exitCode(for: error) == .success ? mistakenHelp() : nil
    let failure: any Error = mistake ?? error
    let code = root.exitCode(for: failure)
    // Asking for help or the version is no error, and some commands have said it all.
    if code == .success {
      printLine(root.fullMessage(for: failure))
      finish(0)
    }
    if failure is ExitCode { finish(code.rawValue) }
    // The second line of a message is indented.
    var text = root.message(for: failure).split(whereSeparator: \.isNewline)
      .map { $0.drop(while: \.isWhitespace) }.joined(separator: " ")
    text = text.prefix(1).lowercased() + text.dropFirst()
    if text.hasSuffix(".") { text.removeLast() }
    var remedies: [String] = []
    if code == .validationFailure {
      // The parser names what is missing first.
      if text.hasPrefix("missing expected argument"), let name = unknownOption(of: root) {
        text = "unknown option '\(name)'"
      }
      let taken = mistake == nil ? nil : nameTakenForHelp()
      if let name = taken ?? CommandLine.arguments.last(where: isDashedName) {
        remedies.append("write ./\(name) for a file of the name \(name)")
      }
      remedies.append("see '\(invokedCommand(of: root).words) --help'")
    }
    tell(
      Failure(
        kind: code == .validationFailure ? "usage" : "unknown", message: text,
        remedy: remedies.isEmpty ? nil : remedies.joined(separator: "; "),
        exitCode: code.rawValue))
    endProgram(code.rawValue)
  }
}

/// Takes the places of standard streams that the program was started without. Files would get their numbers, and what is
/// printed would end in one of them.
private func holdStandardStreams() {
  let streams = [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
  for (descriptor, access) in streams where fcntl(descriptor, F_GETFD) < 0 {
    // A stream of the other direction: whatever asks for it is refused. It gets the lowest number that is free.
    _ = open("/dev/null", access)
  }
}

/// Ends the program when its command is done, with an error if the results did not arrive.
private func finish(_ code: Int32) -> Never {
  do throws(CinematicError) {
    try finishOutput()
  } catch {
    fail(error)
  }
  endProgram(code)
}

/// Ends the program once it has said everything and its helpers have ended.
///
/// Not by `exit`, which lets libraries take themselves apart while threads of theirs, of queues and of helpers are still
/// at work: rarely, that crashes.
private func endProgram(_ code: Int32) -> Never {
  Results.flush()
  HelperPrograms.finishAll()
  _exit(code)
}

/// Ends the program by an error.
///
/// - Parameter options: all of the command's; none where no option helps.
private func fail(_ error: CinematicError, options: Set<String> = []) -> Never {
  if error.code == .pipeClosed { endByClosedPipe() }
  let told = error.words(among: options)
  var remedies = told.remedy.map { [$0] } ?? []
  if error.message.contains(String(cString: strerror(EACCES))),
    !PlainPermissions.refuse(error.message), let remedy = Lockdown.remedy
  {
    remedies.append(remedy)
  }
  tell(
    Failure(
      kind: error.code.description, message: told.message,
      remedy: remedies.isEmpty ? nil : remedies.joined(separator: "; "), exitCode: 1))
  endProgram(1)
}

/// Brings what was printed to standard output.
///
/// - Throws: `pipeClosed` where the reader is gone; `unwritable` if any of it was lost, to a full disk, say.
private func finishOutput() throws(CinematicError) {
  switch Results.flush() {
  case nil: return
  case EPIPE: throw CinematicError(.pipeClosed, "nobody reads standard output any more")
  case EBADF:
    throw CinematicError(
      .unwritable, "standard output is closed, and takes nothing that is printed",
      remedy: "lead it somewhere, such as to /dev/null")
  case let failure?:
    throw CinematicError(
      .unwritable,
      "standard output does not take what is printed: \(String(cString: strerror(failure)))",
      remedy: "make room where it leads, or choose another place")
  }
}

/// The options of the command on the command line, by its help.
private func knownOptions<Root: ParsableCommand>(of root: Root.Type) -> Set<String> {
  let help = root.helpMessage(for: invokedCommand(of: root).command, includeHidden: true)
  let words = help.split { !$0.isLetter && !$0.isNumber && $0 != "-" }
  return Set(words.filter { $0.hasPrefix("--") }.map(String.init))
}

/// The first option on the command line that its command does not have.
private func unknownOption<Root: ParsableCommand>(of root: Root.Type) -> String? {
  let known = knownOptions(of: root)
  let options = CommandLine.arguments.dropFirst().prefix { $0 != "--" }
    .filter { $0.hasPrefix("--") }.map { $0.prefix { $0 != "=" } }
  return options.map(String.init).first { !known.contains($0) && $0 != Lockdown.option }
}

/// `focal render` or `focal script show`, say: the command whose help explains the arguments, in words and itself.
private func invokedCommand(
  of root: any ParsableCommand.Type
) -> (words: String, command: any ParsableCommand.Type) {
  var command = root
  var names = [root.configuration.commandName ?? "focal"]
  for argument in CommandLine.arguments.dropFirst() {
    let passing = command as? any PassingCommand.Type
    guard let next = (passing?.passedRoot ?? command).subcommand(argument) else { continue }
    command = next
    names += (passing.map { [$0.leadingArgument] } ?? []) + [argument]
  }
  return (names.joined(separator: " "), command)
}

/// Refuses names behind `help` that are no commands: the parser passes over them.
///
/// - Throws: `ValidationError`.
private func checkHelp(_ arguments: [String], _ root: any ParsableCommand.Type) throws {
  guard arguments.first == "help", arguments.dropFirst().first != "help" else { return }
  var command = root
  for name in arguments.dropFirst() where !name.hasPrefix("-") {
    let passing = command as? any PassingCommand.Type
    guard let next = (passing?.passedRoot ?? command).subcommand(name) else {
      throw ValidationError("there is no command '\(name)'")
    }
    command = next
  }
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

/// The error for a name that the parser took for a request for help; `nil` where help was asked for.
package func mistakenHelp() -> (any Error)? {
  nameTakenForHelp().map { ValidationError("unknown option '\($0)'") }
}

/// The argument that holds the h of `-h` though nobody asked for help: the parser takes a name that begins with a dash for
/// options of one letter.
private func nameTakenForHelp() -> String? {
  let arguments = CommandLine.arguments.dropFirst().prefix { $0 != "--" }
  let requests = ["-h", "-help", "--help", "--help-hidden", "--version"]
  let isAsked = arguments.contains { requests.contains($0) }
  guard !isAsked, arguments.first(where: { $0 != Lockdown.option }) != "help" else { return nil }
  return arguments.last { argument in
    argument.hasPrefix("-") && !argument.hasPrefix("--") && argument.contains("h")
  }
}

/// Ends the program as one that does not mind the signal: quietly, as `head` and pagers want it.
package func endByClosedPipe() -> Never {
  HelperPrograms.finishAll()
  signal(SIGPIPE, SIG_DFL)
  kill(getpid(), SIGPIPE)
  _exit(128 + SIGPIPE)
}

/// A failed run as programs read it.
package struct Failure: Encodable {
  var event = "error"
  /// A code of ``FocalCore/CinematicError``, `usage` for a command line that is not understood, or
  /// `interrupted`.
  var kind: String
  var message: String
  var remedy: String?
  var exitCode: Int32

  package init(kind: String, message: String, remedy: String?, exitCode: Int32) {
    self.kind = kind
    self.message = message
    self.remedy = remedy
    self.exitCode = exitCode
  }
}

/// A note as programs read it.
private struct Note: Encodable {
  var event = "note"
  var message: String
}

/// Whether `--json` is given: notes and errors are objects then, too.
private let speaksJSON = CommandLine.arguments.dropFirst().prefix { $0 != "--" }.contains("--json")

/// The error that ends a run: a line for people, or an object for programs.
package func tell(_ failure: Failure) {
  if speaksJSON, let line = try? jsonLine(failure) { return writeToStandardError(line + "\n") }
  let remedy = failure.remedy.map { "; \($0)" } ?? ""
  let head = failure.kind == "interrupted" ? "" : "error: "
  writeToStandardError("focal: \(head)\(printable(failure.message + remedy))\n")
}

/// One line to standard error.
package func note(_ text: String) {
  if speaksJSON, let line = try? jsonLine(Note(message: text)) {
    return writeToStandardError(line + "\n")
  }
  writeToStandardError("focal: \(printable(text))\n")
}

/// Text to standard error. A closed stream does not stop the rendering.
package func writeToStandardError(_ text: String) {
  _ = Array(text.utf8).withUnsafeBytes { DescriptorOutput.writeAll($0, to: STDERR_FILENO) }
}
