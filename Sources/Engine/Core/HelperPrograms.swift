// SPDX-License-Identifier: Apache-2.0

import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Programs of the user's that are asked picture by picture, started by a line for the shell.
///
/// They may need anything, and what a process has given up its children lack, too: a program that gives up rights starts
/// them before.
package enum HelperPrograms {
  package typealias Start = Result<StartedProgram, StartedProgram.Failure>

  private static let waiting = Mutex<[String: [Start]]>([:])
  /// The numbers of those that were not waited for.
  private static let running = Mutex<Set<pid_t>>([])

  /// Starts one now, to be taken later. If nobody takes it, its input ends with this program.
  package static func startEarly(_ line: String) {
    let start = started(line)
    waiting.withLock { $0[line, default: []].append(start) }
  }

  /// The one that was started early, or a new one.
  package static func take(_ line: String) -> Start {
    let early = waiting.withLock { waiting -> Start? in
      guard let first = waiting[line]?.first else { return nil }
      waiting[line]?.removeFirst()
      return first
    }
    return early ?? started(line)
  }

  private static func started(_ line: String) -> Start {
    // A group of its own: if it hangs, its children end with it.
    let start = StartedProgram.start(
      "/bin/sh", ["-c", line], takesInput: true, errors: .shared, ownGroup: true)
    if case .success(let program) = start {
      running.withLock { _ = $0.insert(program.number) }
    }
    return start
  }

  /// One was waited for: its number may be another program's from now on.
  package static func forget(_ number: pid_t) {
    running.withLock { _ = $0.remove(number) }
  }

  /// Ends all, with the programs that they have started, before this program ends without finishing its work.
  package static func endAll() {
    running.withLock { running in
      for number in running { kill(-number, SIGKILL) }
      running = []
    }
  }
}
