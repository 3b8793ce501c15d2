// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A queue for one reader that holds so many elements at most: where it is full, one goes and is counted, by default the oldest.
final class BoundedQueue<Element: Sendable>: Sendable {
  private struct State {
    var elements: [Element] = []
    var dropped = 0
    var longest = 0
    var isFinished = false
    /// Whether the reader has something in hand.
    var isBusy = false
    var waiter: CheckedContinuation<Element?, Never>?
  }

  private let state = Mutex(State())
  private let capacity: Int

  init(capacity: Int) { self.capacity = max(1, capacity) }

  /// How many were left out.
  var droppedCount: Int { state.withLock { $0.dropped } }
  /// The most that ever waited.
  var longest: Int { state.withLock { $0.longest } }
  /// Whether nothing waits, and the reader waits for something.
  var isIdle: Bool { state.withLock { $0.elements.isEmpty && (!$0.isBusy || $0.isFinished) } }

  /// - Parameter keepsWaiting: where the queue is full, this one goes, and not the oldest.
  func put(_ element: Element, keepsWaiting: Bool = false) {
    let waiter = state.withLock { state -> CheckedContinuation<Element?, Never>? in
      guard !state.isFinished else { return nil }
      if let waiter = state.waiter {
        state.waiter = nil
        state.isBusy = true
        return waiter
      }
      if state.elements.count >= capacity {
        state.dropped += 1
        guard !keepsWaiting else { return nil }
        state.elements.removeFirst()
      }
      state.elements.append(element)
      state.longest = max(state.longest, state.elements.count)
      return nil
    }
    waiter?.resume(returning: element)
  }

  /// The next one; `nil` after the last.
  func next() async -> Element? {
    await withCheckedContinuation { continuation in
      let (isReady, element) = state.withLock { state -> (Bool, Element?) in
        state.isBusy = false
        if !state.elements.isEmpty {
          state.isBusy = true
          return (true, state.elements.removeFirst())
        }
        if state.isFinished { return (true, nil) }
        state.waiter = continuation
        return (false, nil)
      }
      if isReady { continuation.resume(returning: element) }
    }
  }

  /// No more comes; what waits is still handed out.
  func finish() {
    let waiter = state.withLock { state -> CheckedContinuation<Element?, Never>? in
      state.isFinished = true
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume(returning: nil)
  }
}
