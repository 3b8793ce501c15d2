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

  /// The longest time in which a program may end by itself once its input has ended.
  private static let grace = Duration.seconds(1)
  /// Microseconds after which it is looked again whether one has ended.
  private static let step: UInt32 = 2000

  private struct Running {
    /// The pipe that it reads, until that is closed.
    var input: Int32?
  }

  private struct Table {
    /// Those that were not waited for, by their number. All of them are waited for here: a number that is in the table is
    /// no other program's.
    var programs: [pid_t: Running] = [:]
    /// Whether this program is about to end: then none is started.
    var isOver = false
  }

  private static let waiting = Mutex<[String: [Start]]>([:])
  private static let table = Mutex(Table())

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
    // In one step: one that is started and not in the table yet would outlive this program.
    table.withLock { table -> Start in
      guard !table.isOver else { return .failure(StartedProgram.Failure(number: ECANCELED)) }
      // A group of its own: if it hangs, its children end with it.
      let start = StartedProgram.start(
        "/bin/sh", ["-c", line], takesInput: true, errors: .shared, ownGroup: true)
      if case .success(let program) = start {
        table.programs[program.number] = Running(input: program.input)
      }
      return start
    }
  }

  /// Closes the pipe that a program reads, unless that has been done.
  package static func endInput(of number: pid_t) {
    table.withLock { table in
      guard let input = table.programs[number]?.input else { return }
      close(input)
      table.programs[number]?.input = nil
    }
  }

  /// How a program has ended, as `waitpid` tells it; `nil` while it runs. It is told once: of a program that was waited
  /// for, the answer is 0.
  package static func ending(of number: pid_t) -> Int32? {
    table.withLock { table -> Int32? in
      guard let program = table.programs[number] else { return 0 }
      var status: Int32 = 0
      let answer = waitpid(number, &status, WNOHANG)
      guard answer > 0 || answer < 0 && errno != EINTR else { return nil }
      if let input = program.input { close(input) }
      table.programs[number] = nil
      return status
    }
  }

  /// Ends a program at once, with those that it has started.
  ///
  /// - Returns: how it ended.
  package static func stop(_ number: pid_t) -> Int32 {
    endInput(of: number)
    table.withLock { table in
      guard table.programs[number] != nil else { return }
      kill(-number, SIGKILL)
    }
    while true {
      if let status = ending(of: number) { return status }
      usleep(step)
    }
  }

  /// Ends a program's input, and waits for its end. If it goes on for a second, it is ended, with those that it has
  /// started.
  package static func finish(_ number: pid_t) {
    endInput(of: number)
    let last = ContinuousClock.now + grace
    while ending(of: number) == nil {
      guard ContinuousClock.now < last else {
        _ = stop(number)
        return
      }
      usleep(step)
    }
  }

  /// Ends the input of all, and those that go on for a second, before this program ends: they would keep its standard
  /// error open. None can be started any more.
  package static func finishAll() {
    let nothing = open("/dev/null", O_WRONLY | O_CLOEXEC)
    let numbers = table.withLock { table -> [pid_t] in
      table.isOver = true
      // Another thread may still be writing: a descriptor that is only closed could become another file's.
      for case let input? in table.programs.values.map(\.input) { dup2(nothing, input) }
      return Array(table.programs.keys)
    }
    let last = ContinuousClock.now + grace
    for number in numbers {
      while ending(of: number) == nil, ContinuousClock.now < last { usleep(step) }
    }
    endAll()
  }

  /// Ends all, with the programs that they have started, before this program ends without finishing its work. None can be
  /// started any more.
  package static func endAll() {
    table.withLock { table in
      table.isOver = true
      for number in table.programs.keys { kill(-number, SIGKILL) }
      table.programs = [:]
    }
  }
}
