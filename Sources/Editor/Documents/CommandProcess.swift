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
final class CommandProcess: Sendable {
  /// How it ended.
  enum Ending: Equatable, Sendable {
    case exit(Int32)
    /// By a signal, which came from here, from elsewhere or from the system.
    case signal(Int32)

    /// - Parameter status: as `waitpid` has it.
    init(_ status: Int32) {
      let signal = status & 0x7F
      self = signal == 0 ? .exit(status >> 8 & 0xFF) : .signal(signal)
    }

    var isSuccess: Bool { self == .exit(0) }
  }

  private let process: Mutex<pid_t?>

  /// - Parameters:
  ///   - line: called for every line of both of its outputs, on a thread of its own.
  ///   - end: called last, with how it ended.
  /// - Throws: `unreadable` for a program that cannot be run.
  init(
    _ path: String, _ arguments: [String], line: @escaping @Sendable (Data) -> Void,
    end: @escaping @Sendable (Ending) -> Void
  ) throws(CinematicError) {
    let started: StartedProgram
    switch StartedProgram.start(path, arguments, errors: .withOutput) {
    case .failure(let failure):
      throw CinematicError(
        .unreadable, "\(path) cannot be run: \(failure.reason)", remedy: "start the editor anew")
    case .success(let program): started = program
    }
    process = Mutex(started.number)
    Thread.detachNewThread { [self] in
      Self.readLines(started.output, line)
      close(started.output)
      end(wait(for: started.number))
    }
  }

  /// Ends it as Ctrl-C does, or for good. One that has ended is left alone.
  func signal(_ signal: Int32) {
    process.withLock { if let number = $0 { _ = kill(number, signal) } }
  }

  private func wait(for number: pid_t) -> Ending {
    // Its number is its own until it is waited for, which happens under the lock.
    var information = siginfo_t()
    while waitid(P_PID, id_t(number), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    return process.withLock { process in
      var status: Int32 = 0
      waitpid(number, &status, 0)
      process = nil
      return Ending(status)
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
}
