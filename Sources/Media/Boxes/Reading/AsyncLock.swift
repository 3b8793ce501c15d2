// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Lets one task at a time through a piece of work that waits for other things, in the order in which
/// they came. (An actor would let another in whenever the first one waits.)
package final class AsyncLock: Sendable {
  private struct State {
    var isHeld = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  package init() {}

  package func lock() async {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        if state.isHeld {
          state.waiting.append(continuation)
          return false
        }
        state.isHeld = true
        return true
      }
      if isFree { continuation.resume() }
    }
  }

  package func unlock() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      if state.waiting.isEmpty {
        state.isHeld = false
        return nil
      }
      return state.waiting.removeFirst()
    }
    next?.resume()
  }
}
