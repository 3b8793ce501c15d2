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
    version: "0.1.0",
    subcommands: [
      RenderCommand.self, SampleCommand.self, CompareCommand.self, BenchCommand.self,
      ScriptCommand.self,
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
      exit(withError: error)
    }
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
