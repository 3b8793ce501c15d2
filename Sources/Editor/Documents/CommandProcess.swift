// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A command that runs beside the editor, and what it says line by line.
///
/// Foundation's `Process` makes sockets, which this program has given up by then.
final class CommandProcess: Sendable {
  private let process: Mutex<pid_t?>

  /// - Parameters:
  ///   - line: called for every line of both of its outputs, on a thread of its own.
  ///   - end: called last, with whether it succeeded.
  /// - Throws: `unreadable` for a program that cannot be run.
  init(
    _ path: String, _ arguments: [String], line: @escaping @Sendable (Data) -> Void,
    end: @escaping @Sendable (Bool) -> Void
  ) throws(CinematicError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw Self.failure(path, errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    posix_spawn_file_actions_adddup2(&actions, ends[1], 2)
    // The editor ignores signals that it takes by other means; the command must end by them.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF))
    var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) }
    defer { for word in words { free(word) } }
    words.append(nil)
    var made: pid_t = 0
    let result = posix_spawn(&made, path, &actions, &attributes, &words, environ)
    close(ends[1])
    guard result == 0 else {
      close(ends[0])
      throw Self.failure(path, result)
    }
    process = Mutex(made)
    let (number, output) = (made, ends[0])
    Thread.detachNewThread { [self] in
      Self.readLines(output, line)
      close(output)
      end(wait(for: number))
    }
  }

  /// Ends it as Ctrl-C does, or for good. One that has ended is left alone.
  func signal(_ signal: Int32) {
    process.withLock { if let number = $0 { _ = kill(number, signal) } }
  }

  /// - Returns: whether it succeeded.
  private func wait(for number: pid_t) -> Bool {
    // Its number is its own until it is waited for, which happens under the lock.
    var information = siginfo_t()
    while waitid(P_PID, id_t(number), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    return process.withLock { process in
      var status: Int32 = 0
      waitpid(number, &status, 0)
      process = nil
      return status == 0
    }
  }

  private static func readLines(_ descriptor: Int32, _ line: (Data) -> Void) {
    var pending = Data()
    var chunk = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(descriptor, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      pending.append(contentsOf: chunk[..<count])
      while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
        line(Data(pending[..<end]))
        pending = Data(pending[pending.index(after: end)...])
      }
      // No line of a command is as long.
      if pending.count > 1 << 20 { pending = Data() }
    }
  }

  private static func failure(_ path: String, _ number: Int32) -> CinematicError {
    CinematicError(
      .unreadable, "\(path) cannot be run: \(String(cString: strerror(number)))",
      remedy: "start the editor anew")
  }
}
