// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Synchronization

/// The state of a writer of a file: used by one call at a time, and gone, with its unfinished file,
/// after the end, a cancellation or the first error.
// @unchecked Sendable: the mutable state is touched only inside `lock`.
final class WriterWork<Work>: @unchecked Sendable {
  /// The file's path as given.
  let path: String
  private let lock = Mutex(())
  private var work: Work?
  private var failure: CinematicError?
  private var isFinished = false

  init(_ work: Work, path: String) {
    self.work = work
    self.path = path
  }

  /// Runs `body` alone; an error ends the work.
  ///
  /// - Throws: what ended the work earlier, `invalidState` once it is finished.
  func use(_ body: (Work) throws(CinematicError) -> Void) throws(CinematicError) {
    try lock.withLock { _ throws(CinematicError) in try useLocked(body) }
  }

  /// Runs the last `body`.
  func finish<Value: Sendable>(
    _ body: (Work) throws(CinematicError) -> Value
  ) throws(CinematicError) -> Value {
    try lock.withLock { _ throws(CinematicError) -> Value in
      let value = try useLocked(body)
      isFinished = true
      work = nil
      return value
    }
  }

  /// Gives up, unless it is finished.
  ///
  /// - Parameter body: the last that is done with the work.
  func cancel(_ body: (Work) -> Void = { _ in }) {
    lock.withLock { _ in
      guard !isFinished else { return }
      if let work { body(work) }
      work = nil
      failure = failure ?? CinematicError(.cancelled, "writing \(path) was cancelled")
    }
  }

  private func useLocked<Value>(
    _ body: (Work) throws(CinematicError) -> Value
  ) throws(CinematicError) -> Value {
    if let failure { throw failure }
    guard let work else {
      throw CinematicError(.invalidState, "\(path) is finished and takes no more frames")
    }
    do throws(CinematicError) {
      return try body(work)
    } catch {
      failure = error
      self.work = nil
      throw error
    }
  }
}
