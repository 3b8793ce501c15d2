// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Synchronization

/// Lets one task at a time through a piece of work that waits for other things, in the order in which
/// they came. (An actor would let another in whenever the first one waits.)
package final class AsyncLock: Sendable {
  private typealias Waiter = CheckedContinuation<Bool, Never>

  private struct State {
    var isHeld = false
    var waiting: [(number: Int, waiter: Waiter)] = []
    var nextNumber = 0
    /// Those that were cancelled before they began to wait.
    var cancelled: Set<Int> = []
  }

  private let state = Mutex(State())

  package init() {}

  /// Waits until no other task holds it.
  ///
  /// - Throws: `cancelled` where the calling task is cancelled while it waits. A lock that is free is taken all the same.
  package func lock() async throws(CinematicError) {
    let number = state.withLock { state -> Int? in
      guard state.isHeld else {
        state.isHeld = true
        return nil
      }
      state.nextNumber += 1
      return state.nextNumber
    }
    guard let number else { return }
    let isHeld = await withTaskCancellationHandler {
      await withCheckedContinuation { wait($0, number) }
    } onCancel: {
      giveUp(number)
    }
    state.withLock { _ = $0.cancelled.remove(number) }
    guard isHeld else { throw CinematicError(.cancelled, "waiting for another read was cancelled") }
  }

  private func wait(_ waiter: Waiter, _ number: Int) {
    let isHeld = state.withLock { state -> Bool? in
      if state.cancelled.contains(number) { return false }
      guard state.isHeld else {
        state.isHeld = true
        return true
      }
      state.waiting.append((number, waiter))
      return nil
    }
    if let isHeld { waiter.resume(returning: isHeld) }
  }

  private func giveUp(_ number: Int) {
    let waiter = state.withLock { state -> Waiter? in
      guard let place = state.waiting.firstIndex(where: { $0.number == number }) else {
        state.cancelled.insert(number)
        return nil
      }
      return state.waiting.remove(at: place).waiter
    }
    waiter?.resume(returning: false)
  }

  package func unlock() {
    let next = state.withLock { state -> Waiter? in
      if state.waiting.isEmpty {
        state.isHeld = false
        return nil
      }
      return state.waiting.removeFirst().waiter
    }
    next?.resume(returning: true)
  }
}
