// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A value that is loaded once, however many ask for it.
///
/// A cancelled caller stops waiting; the others get the value. When the last one is gone, the load
/// itself is cancelled, and the next request begins it anew. The same happens after a failure,
/// which may have passed; until then the status tells it.
package final class SharedLoad<Value: Sendable>: Sendable {
  private typealias Outcome = Result<Value, CinematicError>
  private typealias Waiter = CheckedContinuation<Outcome, Never>

  private struct State {
    /// Of the last load that came to an end.
    var outcome: Outcome?
    var task: Task<Void, Never>?
    /// Tells a load from an earlier, cancelled one.
    var generation = 0
    var waiters: [Int: Waiter] = [:]
    /// Waiters that were cancelled before they began to wait.
    var cancelled: Set<Int> = []
    var nextWaiter = 0
  }

  private let state = Mutex(State())
  private let cancellation: String

  /// - Parameter cancellation: the message of a cancelled caller's error.
  package init(cancellation: String = "loading was cancelled") { self.cancellation = cancellation }

  /// The result of the last load that came to an end, and whether one is under way.
  package var progress: (outcome: Result<Value, CinematicError>?, isLoading: Bool) {
    state.withLock { ($0.outcome, $0.task != nil) }
  }

  /// The value, loaded by `load` unless it is there or on its way.
  ///
  /// - Throws: what `load` throws; `cancelled` where the calling task is cancelled meanwhile.
  package func value(
    _ load: @escaping @Sendable () async throws(CinematicError) -> Value
  ) async throws(CinematicError) -> Value {
    let number = state.withLock { state in
      state.nextWaiter += 1
      return state.nextWaiter
    }
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { wait($0, number, load) }
    } onCancel: {
      giveUp(number)
    }
    state.withLock { _ = $0.cancelled.remove(number) }
    return try outcome.get()
  }

  private func wait(
    _ waiter: Waiter, _ number: Int,
    _ load: @escaping @Sendable () async throws(CinematicError) -> Value
  ) {
    let known = state.withLock { state -> Outcome? in
      if case .success = state.outcome { return state.outcome }
      if state.cancelled.contains(number) { return .failure(cancelled) }
      state.waiters[number] = waiter
      if state.task == nil {
        state.generation += 1
        let generation = state.generation
        state.task = Task { [self] in
          let outcome: Outcome
          do throws(CinematicError) {
            outcome = .success(try await load())
          } catch {
            outcome = .failure(error)
          }
          finish(outcome, generation)
        }
      }
      return nil
    }
    if let known { waiter.resume(returning: known) }
  }

  private func finish(_ outcome: Outcome, _ generation: Int) {
    let waiters = state.withLock { state -> [Waiter] in
      guard state.generation == generation, state.task != nil else { return [] }
      state.task = nil
      // Being cancelled says nothing about the value.
      if case .failure(let error) = outcome, error.code == .cancelled {
      } else {
        state.outcome = outcome
      }
      defer { state.waiters = [:] }
      return Array(state.waiters.values)
    }
    for waiter in waiters { waiter.resume(returning: outcome) }
  }

  private func giveUp(_ number: Int) {
    let waiter = state.withLock { state -> Waiter? in
      guard let waiter = state.waiters.removeValue(forKey: number) else {
        state.cancelled.insert(number)
        return nil
      }
      if state.waiters.isEmpty {
        state.task?.cancel()
        state.task = nil
      }
      return waiter
    }
    waiter?.resume(returning: .failure(cancelled))
  }

  private var cancelled: CinematicError { CinematicError(.cancelled, cancellation) }
}
