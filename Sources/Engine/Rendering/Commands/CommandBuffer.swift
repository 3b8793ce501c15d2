// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FocalCore
import Synchronization

/// A list of work for a device: encode into it, commit it once, then wait, `await` or be called.
///
/// What the encoded work uses (pictures, textures, the session's working memory) is kept alive until
/// the buffer has completed. Encoding into a committed buffer, or committing it twice, is a
/// programming error and stops the program with a message that says so.
public final class CommandBuffer: Sendable {
  /// How far a command buffer has come. Raw values are those of Metal.
  public enum Status: Int, Sendable, Comparable {
    /// Work is being encoded.
    case notEnqueued = 0
    /// Handed to the queue.
    case committed = 2
    /// All work is done.
    case completed = 4
    /// The work failed; see ``CommandBuffer/error``.
    case error = 5

    public static func < (a: Status, b: Status) -> Bool { a.rawValue < b.rawValue }
  }

  private struct State {
    var status = Status.notEnqueued
    var submissions: [[KernelDispatch]] = [[]]
    var handlers: [@Sendable (CommandBuffer) -> Void] = []
    var waiters: [CheckedContinuation<Void, Never>] = []
    var result = SubmissionResult()
    var isSettled = false

    var isFinished: Bool { status >= .completed }
  }

  public let commandQueue: CommandQueue
  private let state = Mutex(State())
  private let settled = DispatchGroup()

  init(queue: CommandQueue) { commandQueue = queue }

  public var status: Status { state.withLock { $0.status } }
  /// Why the work failed; `nil` unless ``status`` is `error`.
  public var error: CinematicError? { state.withLock { $0.isFinished ? $0.result.error : nil } }
  /// How long each kernel ran, in order: of a completed buffer of a profiling queue, else empty.
  public var kernelTimings: [KernelTiming] {
    state.withLock { $0.isFinished ? $0.result.timings : [] }
  }
  /// Seconds on the device that copying pictures to it and results from it took: of a completed
  /// buffer of a profiling queue, 0 where the device reads and writes the host's memory.
  public var transferSeconds: (upload: Double, download: Double) {
    state.withLock {
      $0.isFinished ? ($0.result.uploadSeconds, $0.result.downloadSeconds) : (0, 0)
    }
  }

  /// Adds work; a backend's queue sees it on commit, in pieces that it may run apart.
  package func encode(_ submissions: [[KernelDispatch]]) {
    state.withLock {
      precondition(
        $0.status == .notEnqueued, "a command buffer cannot be encoded into after its commit")
      // Work that needs no pieces of its own joins what is there.
      $0.submissions[$0.submissions.count - 1] += submissions.first ?? []
      $0.submissions += submissions.dropFirst()
    }
  }

  /// Adds a closure that is called once the work has completed or failed, before waiting calls
  /// return. Closures run in the order in which they were added, on a thread of the queue.
  ///
  /// - Precondition: The buffer has not been committed.
  public func addCompletedHandler(_ handler: @escaping @Sendable (CommandBuffer) -> Void) {
    state.withLock {
      precondition(
        $0.status == .notEnqueued, "a completion handler must be added before the commit")
      $0.handlers.append(handler)
    }
  }

  /// Hands the work to the queue and returns at once.
  ///
  /// - Precondition: The buffer has not been committed.
  public func commit() {
    settled.enter()
    let submissions = state.withLock { state in
      precondition(state.status == .notEnqueued, "a command buffer can be committed only once")
      state.status = .committed
      return exchange(&state.submissions, with: [])
    }
    // A queue completes them in order: with the last one all are done.
    for (index, dispatches) in submissions.enumerated() {
      let isLast = index == submissions.count - 1
      commandQueue.queue.submit(dispatches, profiling: commandQueue.isProfiling) { result in
        self.state.withLock { $0.result.add(result) }
        if isLast { self.settle() }
      }
    }
  }

  /// Blocks until the work has completed or failed and its handlers have run.
  ///
  /// - Precondition: The buffer has been committed.
  public func waitUntilCompleted() {
    precondition(
      status != .notEnqueued, "a command buffer must be committed before it is waited for")
    settled.wait()
  }

  /// Suspends until the work has completed and its handlers have run.
  ///
  /// - Throws: ``error``.
  /// - Precondition: The buffer has been committed.
  public func completed() async throws(CinematicError) {
    await withCheckedContinuation { continuation in
      let isSettled = state.withLock { state in
        precondition(
          state.status != .notEnqueued, "a command buffer must be committed before it is awaited")
        if !state.isSettled { state.waiters.append(continuation) }
        return state.isSettled
      }
      if isSettled { continuation.resume() }
    }
    if let error { throw error }
  }

  private func settle() {
    let handlers = state.withLock { state in
      state.status = state.result.error == nil ? .completed : .error
      return exchange(&state.handlers, with: [])
    }
    for handler in handlers { handler(self) }
    let waiters = state.withLock { state in
      state.isSettled = true
      return exchange(&state.waiters, with: [])
    }
    settled.leave()
    for waiter in waiters { waiter.resume() }
  }
}

private func exchange<Value>(_ value: inout Value, with new: Value) -> Value {
  let old = value
  value = new
  return old
}
