// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCommands
import FocalCore

/// `focal` without media files: for machines on which nothing but a driver is installed.
@main
struct PortableCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "focal",
    abstract: "The devices of a machine: what they are, whether they can be trusted, how fast.",
    discussion: exitCodeHelp, version: programVersion, subcommands: engineCommands)

  static func main() { runProgram(Self.self) }
}
