// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalDevices

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The command that the program runs as its own child to query a driver.
struct ProbeCommand: ParsableCommand, ProgramUser {
  static let name = "probe-devices"
  static let configuration = CommandConfiguration(
    commandName: name, abstract: "List and check the devices of one backend.",
    shouldDisplay: false)

  @Argument(parsing: .captureForPassthrough)
  var arguments: [String] = []

  // Some drivers hang or crash on the way out, when all has been said.
  func run() throws { _exit(DeviceProbe.serve(arguments)) }
}
