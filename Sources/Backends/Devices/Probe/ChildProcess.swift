// SPDX-License-Identifier: Apache-2.0

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
    var ends: [Int32] = [-1, -1]
    guard closedPipe(&ends) == 0 else { return .notStarted(reason(errno)) }
    defer { close(ends[0]) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    // Threads of this process may hold signals back or ignore them; the child must die of its own. A
    // hang-up that is ignored stays so: nohup is meant for a program's children as well.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    sigdelset(&signals, SIGHUP)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF))
    var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) }
    defer { for word in words { free(word) } }
    words.append(nil)
    var process: pid_t = 0
    let result = posix_spawn(&process, path, &actions, &attributes, &words, environ)
    close(ends[1])
    guard result == 0 else { return .notStarted(reason(result)) }
    readLines(ends[0], silence, line)
    return ending(of: process, within: silence)
  }

  private typealias PipeWithFlags = @convention(c) (UnsafeMutablePointer<Int32>?, Int32) -> Int32

  /// A system's call that Swift's header of the C library leaves out.
  private static let pipe2 = dlsym(nil, "pipe2").map {
    unsafeBitCast($0, to: PipeWithFlags.self)
  }

  /// A pipe that no program inherits by itself: only the child's standard output may keep it open. Other threads may
  /// start programs between two calls, so that both happen in one where the system has it.
  private static func closedPipe(_ ends: inout [Int32]) -> Int32 {
    if let pipe2 { return pipe2(&ends, O_CLOEXEC) }
    guard pipe(&ends) == 0 else { return -1 }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return 0
  }

  private static func reason(_ number: Int32) -> String { String(cString: strerror(number)) }

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
