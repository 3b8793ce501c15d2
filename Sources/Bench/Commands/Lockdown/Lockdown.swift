// SPDX-License-Identifier: Apache-2.0

import CLockdown
import FocalCore
import FocalRendering
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A command that needs programs of the system: those that drivers call, compilers and linkers, or others to compare with.
package protocol ProgramUser {}

/// A command that may open a socket of its own first, start others of this program, and begin the lockdown itself.
package protocol SocketOpener {
  /// Whether it does so with its arguments.
  var opensSocket: Bool { get }
}

/// The acts that the kernel denies the program, so that no file, whatever it holds, can bring them about.
///
/// Landlock binds threads that are made later, and no others, so that all this happens before a command's work begins:
/// the arguments and the environment tell which files it may need.
package enum Lockdown {
  static let option = "--no-lockdown"

  private struct Outcome {
    var isLeftOut = false
    /// The restrictions that hold and those that do not, for people.
    var parts: [String] = []
    var confinesFiles = false
    /// Whether programs are started for as long as the command runs.
    var startsPrograms = false
  }

  private static let outcome = Mutex(Outcome())

  /// The restrictions that hold, for people: `no network`, or why nothing is kept from anything.
  static var state: String {
    outcome.withLock { outcome in
      outcome.isLeftOut ? "left out by \(option)" : outcome.parts.joined(separator: "; ")
    }
  }

  /// A remedy where a file may not be opened; `nil` where the kernel was not asked to refuse it.
  static var remedy: String? {
    outcome.withLock { $0.confinesFiles ? "try focal \(option) before the command" : nil }
  }

  /// Takes the option from the arguments.
  static func leaving(_ arguments: [String]) -> [String] {
    guard arguments.first == option else { return arguments }
    outcome.withLock { $0.isLeftOut = true }
    return Array(arguments.dropFirst())
  }

  /// What this program is given before a command that it starts, so that the command leaves out what this one does.
  package static var passedOn: [String] { outcome.withLock { $0.isLeftOut ? [option] : [] } }

  /// Gives up what a command does not need.
  ///
  /// - Parameters:
  ///   - arguments: of the command. Those that name addresses leave it the network; helpers that they name, which are
  ///     the user's own programs and may need anything, are started before.
  ///   - usesPrograms: whether programs of the system are needed, by drivers or otherwise.
  static func begin(_ arguments: [String], usesPrograms: Bool) {
    guard !outcome.withLock({ $0.isLeftOut }) else { return }
    for line in helpers(in: arguments) { HelperPrograms.startEarly(line) }
    let places = LockdownPlaces(arguments, usesPrograms: usesPrograms)
    let files = places.confine()
    let network = arguments.contains { $0.contains("://") } ? nil : focal_refuse_network()
    let programs = usesPrograms ? 0 : focal_refuse_programs()
    outcome.withLock { outcome in
      outcome.confinesFiles = files == 0
      outcome.parts = [
        network.map { text("no network", "network", $0) } ?? "network: left for an address",
        text("files of the command, the system and caches only", "files", files),
        // Of programs, Landlock allows the system's.
        usesPrograms
          ? text("the system's programs only", "programs", files)
          : text("no programs", "programs", programs),
      ]
    }
  }

  /// Leaves all to a ``SocketOpener`` at first.
  static func wait() {
    outcome.withLock { if !$0.isLeftOut { $0.parts = ["none yet: a socket is opened first"] } }
  }

  /// Gives up everything but some places, for a ``SocketOpener``, once its socket is there. Open descriptors stay open;
  /// programs of the system, and this one, can be started.
  ///
  /// - Parameter places: files that are read, with their folders, and folders that are written to.
  package static func begin(behindSocket places: [String]) {
    begin(places, usesPrograms: true)
    outcome.withLock { $0.startsPrograms = true }
  }

  /// Gives up starting programs, once drivers have been asked. Drivers of OpenCL may call a linker for each kernel.
  static func settle(on devices: [Device]) {
    guard outcome.withLock({ !$0.parts.isEmpty && $0.confinesFiles && !$0.startsPrograms }),
      !devices.contains(where: { $0.identifier.hasPrefix("opencl") })
    else { return }
    _ = focal_refuse_programs()
  }

  private static func text(_ success: String, _ name: String, _ failure: Int32) -> String {
    guard failure != 0 else { return success }
    return "\(name): the kernel cannot be asked (\(String(cString: strerror(failure))))"
  }

  /// The lines behind `--helper`, `--detect-helper` and other options that name a program.
  static func helpers(in arguments: [String]) -> [String] {
    arguments.indices.compactMap { index in
      let argument = arguments[index]
      let name = argument.prefix { $0 != "=" }
      guard name.hasPrefix("--"), name.hasSuffix("helper") else { return nil }
      if name.count < argument.count { return String(argument.dropFirst(name.count + 1)) }
      return index + 1 < arguments.count ? arguments[index + 1] : nil
    }
  }
}
