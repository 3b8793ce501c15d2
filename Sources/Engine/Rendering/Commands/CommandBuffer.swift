// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FocalCore
import Synchronization

/// A list of work for a device: encode into it, commit it once, then wait, `await` or be called.
///
/// Everything that the encoded work uses (pictures, textures, the session's working memory) is kept
/// alive until the buffer has completed. Encoding into a committed buffer, or committing it twice,
/// is a programming error and stops the program with a message that says so.
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
    var plans: [Plan] = []
    var conclusions: [Conclusion] = []
    var handlers: [@Sendable (CommandBuffer) -> Void] = []
    var progressHandlers: [@Sendable (_ completed: Int, _ total: Int) -> Void] = []
    /// Calls of handlers that are due, in order.
    var calls: [@Sendable () -> Void] = []
    /// Whether handlers are being called.
    var isCalling = false
    /// Whether the buffer was committed with handlers.
    var isObserved = false
    var waiters: [CheckedContinuation<Void, Never>] = []
    var result = SubmissionResult()
    var isSettled = false

    var isFinished: Bool { status >= .completed }
  }

  public let commandQueue: CommandQueue
  private let state = Mutex(State())
  /// Until the work has ended.
  private let ended = DispatchGroup()
  /// Until the handlers have run, too.
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

  /// Work that is planned when the buffer is committed: returns the dispatches, in pieces that the
  /// queue may run apart. Called on the queue's planning thread.
  ///
  /// - Parameter run: runs dispatches after everything that was encoded or committed before, and
  ///   returns when they have completed: for plans that depend on what the device finds.
  package typealias Plan =
    @Sendable (_ run: ([KernelDispatch]) throws(CinematicError) -> Void) throws(CinematicError)
    -> [[KernelDispatch]]

  /// Adds work.
  package func encode(_ plan: @escaping Plan) {
    state.withLock {
      precondition(
        $0.status == .notEnqueued, "a command buffer cannot be encoded into after its commit")
      $0.plans.append(plan)
    }
  }

  /// Told how the work ended; returns why it was in vain all the same, because what it builds on failed.
  typealias Conclusion = @Sendable (_ error: CinematicError?) -> CinematicError?

  /// Adds a conclusion. They are drawn in the order of their encoding, before handlers are called, and
  /// the first failure is the buffer's.
  func addConclusion(_ conclusion: @escaping Conclusion) {
    state.withLock {
      precondition(
        $0.status == .notEnqueued, "a command buffer cannot be encoded into after its commit")
      $0.conclusions.append(conclusion)
    }
  }

  /// Adds a closure that is called once the work has completed or failed, before waiting calls
  /// return. Closures run in the order in which they were added, on a thread of the queue for handlers,
  /// one at a time. Meanwhile the device goes on with what is committed.
  ///
  /// A closure may commit other buffers of the queue and wait for them: see ``waitUntilCompleted()``.
  ///
  /// - Precondition: The buffer has not been committed.
  public func addCompletedHandler(_ handler: @escaping @Sendable (CommandBuffer) -> Void) {
    state.withLock {
      precondition(
        $0.status == .notEnqueued, "a completion handler must be added before the commit")
      $0.handlers.append(handler)
    }
  }

  /// Adds a closure that is told how many pieces of the work are done, on the thread of completion
  /// handlers, before these. Work is in pieces where a frame had to be cut; there is one otherwise.
  ///
  /// - Precondition: The buffer has not been committed.
  public func addProgressHandler(
    _ handler: @escaping @Sendable (_ completed: Int, _ total: Int) -> Void
  ) {
    state.withLock {
      precondition(
        $0.status == .notEnqueued, "a progress handler must be added before the commit")
      $0.progressHandlers.append(handler)
    }
  }

  /// Hands the work to the queue and returns at once.
  ///
  /// - Precondition: The buffer has not been committed.
  public func commit() {
    ended.enter()
    settled.enter()
    let plans = state.withLock { state in
      precondition(state.status == .notEnqueued, "a command buffer can be committed only once")
      state.status = .committed
      state.isObserved = !state.handlers.isEmpty || !state.progressHandlers.isEmpty
      return exchange(&state.plans, with: [])
    }
    commandQueue.planning.async { [self] in submit(plans) }
  }

  private func submit(_ plans: [Plan]) {
    // Work that needs no pieces of its own joins what stands before it.
    var pieces: [[KernelDispatch]] = [[]]
    do throws(CinematicError) {
      for plan in plans {
        let planned = try plan { (dispatches) throws(CinematicError) in
          for piece in pieces where !piece.isEmpty { submit(piece) }
          pieces = [[]]
          try runNow(dispatches)
        }
        pieces[pieces.count - 1] += planned.first ?? []
        pieces += planned.dropFirst()
      }
    } catch {
      state.withLock { $0.result.add(SubmissionResult(error: error)) }
      // Nothing of it runs, but the buffer keeps its place in the order.
      pieces = [[]]
    }
    // A queue completes them in order: with the last one all are done.
    let total = pieces.count
    let handlers = state.withLock { exchange(&$0.progressHandlers, with: []) }
    let report: @Sendable (Int) -> Void = { completed in
      for handler in handlers { self.call { handler(completed, total) } }
    }
    for (number, piece) in pieces.dropLast().enumerated() {
      submit(piece) { report(number + 1) }
    }
    submit(pieces[total - 1]) {
      report(total)
      self.settle()
    }
  }

  private func submit(_ dispatches: [KernelDispatch], then: @escaping @Sendable () -> Void = {}) {
    commandQueue.queue.submit(dispatches, profiling: commandQueue.isProfiling) { result in
      self.state.withLock { $0.result.add(result) }
      then()
    }
  }

  /// Submits dispatches and blocks until they have completed.
  private func runNow(_ dispatches: [KernelDispatch]) throws(CinematicError) {
    let done = DispatchSemaphore(value: 0)
    submit(dispatches) { done.signal() }
    done.wait()
    if let error = state.withLock({ $0.result.error }) { throw error }
  }

  /// Blocks until the work has completed or failed and its handlers have run.
  ///
  /// Within a handler of the same queue it may be called for any buffer. It calls the handlers of this
  /// one itself then, before those of buffers in between; of a buffer whose handlers are being called,
  /// such as the handler's own, it waits for the work alone. A handler that waits in another way, such
  /// as for a task that waits for a buffer with handlers, waits forever.
  ///
  /// - Precondition: The buffer has been committed.
  public func waitUntilCompleted() {
    precondition(
      status != .notEnqueued, "a command buffer must be committed before it is waited for")
    guard commandQueue.isCallingHandlers else { return settled.wait() }
    ended.wait()
    callHandlers()
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

  /// The work has ended: draws the conclusions, and has the handlers called.
  private func settle() {
    let (conclusions, result) = state.withLock {
      (exchange(&$0.conclusions, with: []), $0.result.error)
    }
    var error = result
    for conclusion in conclusions { error = conclusion(error) ?? error }
    let (handlers, isObserved) = state.withLock { state in
      if result == nil { state.result.error = error }
      state.status = state.result.error == nil ? .completed : .error
      return (exchange(&state.handlers, with: []), state.isObserved)
    }
    // Without handlers nothing is to be waited for, whatever those of other buffers do.
    guard isObserved else {
      ended.leave()
      return release()
    }
    for handler in handlers { call { handler(self) } }
    call { self.release() }
    ended.leave()
  }

  /// Has a closure called on the thread for handlers, after those before.
  private func call(_ closure: @escaping @Sendable () -> Void) {
    state.withLock { $0.calls.append(closure) }
    commandQueue.handling.async { self.callHandlers() }
  }

  /// Calls the handlers that are due, on the thread for handlers. Within one of them it does nothing: the
  /// others follow it.
  private func callHandlers() {
    guard !state.withLock({ exchange(&$0.isCalling, with: true) }) else { return }
    defer { state.withLock { $0.isCalling = false } }
    while true {
      let next = state.withLock { state -> (@Sendable () -> Void)? in
        state.calls.isEmpty ? nil : state.calls.removeFirst()
      }
      guard let next else { return }
      next()
    }
  }

  /// Lets waiting calls return.
  private func release() {
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
