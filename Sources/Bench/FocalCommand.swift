// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCPU
import FocalCore
import FocalRendering
import Foundation

@main
struct FocalCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "focal",
    abstract: "Cinematic depth of field for pictures and clips with a disparity map.",
    discussion: """
      To try it: focal sample -o sample, then the command that it prints. Exit codes: 0 done, 1 \
      something is wrong with a file, a value or the device, 64 the command line is not understood, \
      130 and 143 interrupted.
      """,
    version: "0.1.0",
    subcommands: [
      RenderCommand.self, SampleCommand.self, CompareCommand.self, BenchCommand.self,
      ScriptCommand.self, ImportCommand.self, InfoCommand.self, ExtractCommand.self,
      ThumbnailCommand.self, ExportCommand.self, EditCommand.self, ApplyCommand.self,
    ])

  /// Runs the command; an error is one line that names the thing and the remedy.
  static func main() {
    do {
      var command = try parseAsRoot()
      try command.run()
    } catch let error as CinematicError {
      note("error: \(error)")
      Foundation.exit(1)
    } catch {
      let code = exitCode(for: error)
      // Asking for help or the version is no error.
      if code == .success { exit(withError: error) }
      var text = message(for: error).split(whereSeparator: \.isNewline).joined(separator: " ")
      text = text.prefix(1).lowercased() + text.dropFirst()
      if text.hasSuffix(".") { text.removeLast() }
      if code == .validationFailure { text += "; see '\(invokedCommand) --help'" }
      note("error: \(text)")
      Foundation.exit(code.rawValue)
    }
  }

  /// `focal render` or `focal script show`, say: the command whose help explains the arguments.
  private static var invokedCommand: String {
    var command: any ParsableCommand.Type = Self.self
    var names = ["focal"]
    for argument in CommandLine.arguments.dropFirst() {
      let subcommands = command.configuration.subcommands
      guard let next = subcommands.first(where: { $0.configuration.commandName == argument })
      else { continue }
      command = next
      names.append(argument)
    }
    return names.joined(separator: " ")
  }

  /// The device that `--device` names.
  ///
  /// - Throws: `deviceLost` for one that this machine does not have.
  static func device(named name: String, threads: Int? = nil) throws(CinematicError) -> Device {
    switch name.lowercased() {
    case "auto", "cpu": return .cpu(threadCount: threads)
    default:
      throw CinematicError(
        .deviceLost, "there is no device '\(name)' on this machine", remedy: "use auto or cpu")
    }
  }
}
