// SPDX-License-Identifier: Apache-2.0

import CLockdown
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What the kernel keeps the program from, so that no file, whatever it holds, can make it do so.
package enum Lockdown {
  static let option = "--no-lockdown"

  /// What holds, for people: `no network`, or why nothing is kept from anything.
  static var state: String { outcome.withLock { $0 } }

  private static let outcome = Mutex("none")

  /// Gives up the network, unless the arguments ask for it, and returns the arguments of the command.
  ///
  /// An address is read over the network, and a helper is the user's own program, which may need it.
  static func leaving(_ arguments: [String]) -> [String] {
    if arguments.first == option {
      outcome.withLock { $0 = "left out by \(option)" }
      return Array(arguments.dropFirst())
    }
    if arguments.first == "edit", arguments.dropFirst().prefix(2).contains("open") {
      outcome.withLock { $0 = "none yet: a socket is opened first" }
    } else if arguments.contains(where: { $0.contains("://") }) {
      outcome.withLock { $0 = "left out, since an address is read" }
    } else if arguments.contains(where: startsProgram) {
      outcome.withLock { $0 = "left out, since a program is run" }
    } else {
      refuseNetwork()
    }
    return arguments
  }

  /// Gives up the network now, for a command that opens a socket first. What is open stays so.
  ///
  /// - Parameter names: of files; an address among them needs the network.
  package static func refuseNetwork(reading names: [String] = []) {
    guard !CommandLine.arguments.dropFirst().prefix(1).contains(option),
      !names.contains(where: { $0.contains("://") })
    else { return }
    let failure = focal_refuse_network()
    let state =
      failure == 0
      ? "no network"
      : "none: the kernel has no filters for it (\(String(cString: strerror(failure))))"
    outcome.withLock { $0 = state }
  }

  /// Whether an argument is `--helper`, `--detect-helper` or another option that names a program.
  private static func startsProgram(_ argument: String) -> Bool {
    argument.hasPrefix("--") && argument.prefix { $0 != "=" }.hasSuffix("helper")
  }
}
