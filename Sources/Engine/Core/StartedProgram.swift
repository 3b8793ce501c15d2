// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A program that was started, and the ends of its pipes.
///
/// It inherits nothing but its standard input, output and error. Foundation's `Process` makes sockets, which this
/// program may have given up, and learns of an end by one that other children inherit as well: it may hear of it only
/// when the last of those has ended.
package struct StartedProgram: Sendable {
  /// Its process, which is to be waited for.
  package let number: pid_t
  /// The pipe that it reads, to be written and closed; `nil` if it has nothing to read.
  package let input: Int32?
  /// The pipe that it writes, to be read and closed.
  package let output: Int32

  package struct Failure: Error {
    package let number: Int32
    /// In the system's words.
    package var reason: String { String(cString: strerror(number)) }
  }

  /// The way of a program's standard error.
  package enum Errors: Sendable {
    case thrownAway, withOutput
    /// To this program's.
    case shared
  }

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - takesInput: whether its standard input is a pipe, and not empty.
  ///   - ownGroup: whether it leads a group of processes, which its own children join: a signal can end them all,
  ///     and a terminal's does not reach them.
  package static func start(
    _ path: String, _ arguments: [String], takesInput: Bool = false, errors: Errors = .thrownAway,
    ownGroup: Bool = false
  ) -> Result<StartedProgram, Failure> {
    var output: [Int32] = [-1, -1]
    guard closedPipe(&output) == 0 else { return .failure(Failure(number: errno)) }
    var input: [Int32] = [-1, -1]
    if takesInput, closedPipe(&input) != 0 {
      let number = errno
      for end in output { close(end) }
      return .failure(Failure(number: number))
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if takesInput {
      posix_spawn_file_actions_adddup2(&actions, input[0], 0)
    } else {
      posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    }
    posix_spawn_file_actions_adddup2(&actions, output[1], 1)
    switch errors {
    case .thrownAway: posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    case .withOutput: posix_spawn_file_actions_adddup2(&actions, output[1], 2)
    case .shared: break
    }
    // Libraries open files that a child would inherit.
    _ = closeFrom?(&actions, 3)
    var number: pid_t = 0
    let failure = withAttributes(ownGroup: ownGroup) { attributes in
      var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) }
      defer { for word in words { free(word) } }
      words.append(nil)
      return posix_spawn(&number, path, &actions, &attributes, &words, environ)
    }
    close(output[1])
    if takesInput { close(input[0]) }
    guard failure == 0 else {
      close(output[0])
      if takesInput { close(input[1]) }
      return .failure(Failure(number: failure))
    }
    return .success(
      StartedProgram(number: number, input: takesInput ? input[1] : nil, output: output[0]))
  }

  /// Threads of this process may hold signals back or ignore them; the child must die of its own. A hang-up that is
  /// ignored stays so: nohup is meant for a program's children as well.
  private static func withAttributes(
    ownGroup: Bool, _ start: (inout posix_spawnattr_t) -> Int32
  ) -> Int32 {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    sigdelset(&signals, SIGHUP)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    var flags = Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF)
    if ownGroup { flags |= Int16(POSIX_SPAWN_SETPGROUP) }
    posix_spawnattr_setflags(&attributes, flags)
    return start(&attributes)
  }

  private typealias CloseFrom =
    @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>?, Int32) -> Int32

  /// Newer systems have it.
  private static let closeFrom = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np").map {
    unsafeBitCast($0, to: CloseFrom.self)
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
}
