// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Synchronization

/// Holds reads up until it is opened, or until the task that waits is cancelled.
public final class Gate: Sendable {
  private struct State {
    var passes: Int
    var isOpen = false
    var nextWaiter = 0
    var cancelled: Set<Int> = []
    var waiting: [Int: CheckedContinuation<Bool, Never>] = [:]
  }

  private let state: Mutex<State>

  /// - Parameter passes: how many may pass before it is opened.
  public init(passes: Int = 0) { state = Mutex(State(passes: passes)) }

  public var hasWaiter: Bool { state.withLock { !$0.waiting.isEmpty } }

  /// - Throws: `cancelled`.
  public func pass() async throws(CinematicError) {
    let number = state.withLock { state in
      state.nextWaiter += 1
      return state.nextWaiter
    }
    let isFree = await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
        let answer = state.withLock { state -> Bool? in
          if state.cancelled.contains(number) { return false }
          if state.isOpen { return true }
          if state.passes > 0 {
            state.passes -= 1
            return true
          }
          state.waiting[number] = continuation
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      let continuation = state.withLock { state in
        state.cancelled.insert(number)
        return state.waiting.removeValue(forKey: number)
      }
      continuation?.resume(returning: false)
    }
    guard isFree else { throw CinematicError(.cancelled, "reading was cancelled") }
  }

  public func open() {
    let waiting = state.withLock { state in
      state.isOpen = true
      defer { state.waiting = [:] }
      return Array(state.waiting.values)
    }
    for continuation in waiting { continuation.resume(returning: true) }
  }
}
