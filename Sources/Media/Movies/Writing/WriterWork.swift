// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Synchronization

/// Whether an output takes frames. It is ended once, by its end, a cancellation or an error, and answers each later call
/// with what ended it.
struct WriterPhase {
  private var failure: CinematicError?
  private var isFinished = false

  /// - Parameter path: of the output, as given.
  /// - Throws: the error that ended the output, `cancelled` after a cancellation, `invalidState` once it is finished.
  func check(_ path: String) throws(CinematicError) {
    if let failure { throw failure }
    guard !isFinished else {
      throw CinematicError(.invalidState, "\(path) is finished and takes no more frames")
    }
  }

  mutating func finish() { isFinished = true }

  /// Ends the output by an error. The first one counts.
  mutating func fail(_ error: CinematicError) { failure = failure ?? error }

  /// Gives up, unless it is finished.
  mutating func cancel(_ path: String) {
    if !isFinished { fail(TemporaryFiles.cancelled(path)) }
  }
}

/// The state of a writer of a file: used by one call at a time, and gone, with its unfinished file,
/// after the end, a cancellation or the first error.
// @unchecked Sendable: the mutable state is touched only inside `lock`.
final class WriterWork<Work>: @unchecked Sendable {
  /// The file's path as given.
  let path: String
  private let lock = Mutex(())
  private var work: Work?
  private var phase = WriterPhase()

  init(_ work: Work, path: String) {
    self.work = work
    self.path = path
  }

  /// Runs `body` alone; an error ends the work.
  ///
  /// - Parameter refusal: the error of a call that the work cannot take, and that leaves it as it is.
  /// - Throws: what ended the work earlier, `invalidState` once it is finished.
  func use(
    unless refusal: (Work) -> CinematicError? = { _ in nil },
    _ body: (Work) throws(CinematicError) -> Void
  ) throws(CinematicError) {
    try lock.withLock { _ throws(CinematicError) in try useLocked(unless: refusal, body) }
  }

  /// Runs the last `body`.
  func finish<Value: Sendable>(
    _ body: (Work) throws(CinematicError) -> Value
  ) throws(CinematicError) -> Value {
    try lock.withLock { _ throws(CinematicError) -> Value in
      let value = try useLocked(body)
      phase.finish()
      work = nil
      return value
    }
  }

  /// Gives up, unless it is finished.
  ///
  /// - Parameter body: the last that is done with the work.
  func cancel(_ body: (Work) -> Void = { _ in }) {
    lock.withLock { _ in
      if let work { body(work) }
      work = nil
      phase.cancel(path)
    }
  }

  private func useLocked<Value>(
    unless refusal: (Work) -> CinematicError? = { _ in nil },
    _ body: (Work) throws(CinematicError) -> Value
  ) throws(CinematicError) -> Value {
    try phase.check(path)
    guard let work else { throw TemporaryFiles.cancelled(path) }
    if let error = refusal(work) { throw error }
    do throws(CinematicError) {
      return try body(work)
    } catch {
      phase.fail(error)
      self.work = nil
      throw error
    }
  }
}
