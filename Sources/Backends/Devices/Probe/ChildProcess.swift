// SPDX-License-Identifier: Apache-2.0

import FocalCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A child process whose standard output is read line by line, and which may die or fall silent.
package struct ChildProcess {
  package enum Ending: Equatable {
    case exited(Int32)
    case signalled(Int32)
    /// It was ended by this signal from outside, such as Ctrl-C for a whole terminal.
    case interrupted(Int32)
    /// It wrote nothing for the time allowed, or did not end, and was killed.
    case silent
    /// It could not be started: the system's reason.
    case notStarted(String)
  }

  /// Runs a program to its end, or to the end of the caller's patience.
  ///
  /// - Parameters:
  ///   - silence: the longest time without a line.
  ///   - line: called for every line of its standard output.
  package static func run(
    _ path: String, _ arguments: [String], silence: Duration, line: (String) -> Void
  ) -> Ending {
    let started: StartedProgram
    switch StartedProgram.start(path, arguments) {
    case .failure(let failure): return .notStarted(failure.reason)
    case .success(let program): started = program
    }
    defer { close(started.output) }
    readLines(started.output, silence, line)
    return ending(of: started.number, within: silence)
  }

  /// Hands over lines until the end of the output, or until none comes.
  private static func readLines(_ descriptor: Int32, _ silence: Duration, _ line: (String) -> Void)
  {
    var pending: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    var deadline = ContinuousClock.now + silence
    while true {
      let left = (deadline - .now) / .milliseconds(1)
      guard left > 0 else { return }
      var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let ready = poll(&request, 1, Int32(min(left + 1, 60_000)))
      if ready < 0, errno != EINTR { return }
      guard ready > 0 else { continue }
      let count = read(descriptor, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      pending += chunk[..<count]
      while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
        line(String(decoding: pending[..<end], as: UTF8.self))
        pending.removeSubrange(...end)
        deadline = .now + silence
      }
    }
  }

  /// How a process ends by itself soon after its last word; otherwise it is killed.
  private static func ending(of process: pid_t, within silence: Duration) -> Ending {
    var status: Int32 = 0
    func waits(_ duration: Duration) -> Bool {
      let deadline = ContinuousClock.now + duration
      repeat {
        let result = waitpid(process, &status, WNOHANG)
        if result == process || (result < 0 && errno == ECHILD) { return true }
        usleep(2000)
      } while ContinuousClock.now < deadline
      return false
    }
    // A driver may hang while the process takes leave, too.
    if waits(min(silence, .seconds(5))) {
      let signal = status & 0x7F
      if [SIGHUP, SIGINT, SIGQUIT, SIGTERM].contains(signal) { return .interrupted(signal) }
      return signal == 0 ? .exited((status >> 8) & 0xFF) : .signalled(signal)
    }
    kill(process, SIGKILL)
    // One that hangs inside the system cannot even be killed: it is left behind.
    _ = waits(.seconds(2))
    return .silent
  }
}
