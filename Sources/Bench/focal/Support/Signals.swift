// SPDX-License-Identifier: Apache-2.0

import CProcess
import FocalCore
import Foundation
import Synchronization

/// Signals, answered on a thread of their own that is made first: where no other can be made any more, and all work
/// stands still, Ctrl-C is answered nevertheless.
enum Signals {
  private static let body = Mutex<(@Sendable (Int32) -> Void)?>(nil)

  /// 0, or why there is no such thread.
  private static let thread: Int32 = focal_answer_signals { number in
    Signals.body.withLock { $0 }?(number)
  }

  /// Whether one has come whose answer is not done yet.
  static var areWaiting: Bool { focal_signals_are_waiting() != 0 }

  /// Answers signals from now on.
  ///
  /// - Parameter answer: given the signal's number; one call at a time.
  /// - Throws: `outOfMemory` where no thread can be made.
  static func answer(
    _ numbers: [Int32], _ answer: @escaping @Sendable (Int32) -> Void
  ) throws(CinematicError) {
    guard thread == 0 else { throw ThreadSupply.shortage(thread) }
    body.withLock { $0 = answer }
    for number in numbers where focal_take_signal(number) != 0 {
      throw CinematicError(.unknown, "the system does not let signal \(number) be answered")
    }
  }

  /// From now on, a full pipe and a limit of files' sizes are errors of the call that writes, not the program's end.
  static func makeErrorsOfOutput() {
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
  }
}

/// Threads, without which queues wait and say nothing.
enum ThreadSupply {
  /// As many as queues, decoders and encoders make for a small clip: an export of one takes 17 on two cores.
  private static let least = 4 * ProcessInfo.processInfo.activeProcessorCount + 10
  /// Below a limit that leaves less, libx265 crashes (measured from 0.7 to 1.1 GB in all).
  private static let leastMemory = 768 << 20
  /// Without the files that queues wait by, they trap.
  private static let leastFiles: Int32 = 4
  private static let failure: Int32 = focal_try_threads(Int32(least))

  /// - Throws: `outOfMemory` where the system allows fewer threads or open files than the work needs.
  static func check() throws(CinematicError) {
    guard failure == 0 else { throw shortage(failure) }
    let number = focal_try_descriptors(leastFiles)
    guard number == 0 else {
      throw CinematicError(
        .outOfMemory,
        "the system allows this program too few open files (\(String(cString: strerror(number))))",
        remedy: "raise the limit (ulimit -n), or end other programs")
    }
  }

  /// - Throws: `outOfMemory` where a limit leaves too little memory to write movies.
  static func checkMemory() throws(CinematicError) {
    if !MemoryBudget.isLeft(leastMemory) { throw shortage(ENOMEM) }
  }

  /// Whether the next thread that a queue asks for can be made.
  static var isExhausted: Bool { focal_try_threads(1) != 0 }

  static func shortage(_ number: Int32) -> CinematicError {
    CinematicError(
      .outOfMemory,
      "the system allows this program too few threads, or too little memory for them"
        + " (\(String(cString: strerror(number))))",
      remedy: "raise the limits (ulimit -u, ulimit -v), or end other programs")
  }
}
