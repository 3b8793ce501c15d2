// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// A first-in, first-out hand-over between two threads that holds few elements: who is ahead waits.
///
/// Either side may end it: the producer by `finish()`, the consumer by `cancel()`, after which the
/// producer's `put` returns false.
final class BoundedQueue<Element: Sendable>: Sendable {
  private struct State {
    var elements: [Element] = []
    var failure: (any Error)?
    var isFinished = false
    var isCancelled = false
  }

  private let state = Mutex(State())
  private let free = DispatchSemaphore(value: 0)
  private let filled = DispatchSemaphore(value: 0)

  init(capacity: Int) {
    // Not the semaphore's initial value: one that is let go of below that stops the program.
    for _ in 0..<capacity { free.signal() }
  }

  /// Waits for room and adds an element; false when the consumer is gone.
  func put(_ element: Element) -> Bool {
    free.wait()
    let accepted = state.withLock { state in
      guard !state.isCancelled else { return false }
      state.elements.append(element)
      return true
    }
    if accepted { filled.signal() }
    return accepted
  }

  /// Says that no more elements come, and why where something went wrong.
  func finish(throwing failure: (any Error)? = nil) {
    state.withLock {
      $0.isFinished = true
      $0.failure = failure
    }
    filled.signal()
  }

  /// Waits for the next element; `nil` after the last one.
  func next() throws -> Element? {
    filled.wait()
    let (element, failure) = state.withLock { state -> (Element?, (any Error)?) in
      guard state.elements.isEmpty else { return (state.elements.removeFirst(), nil) }
      return (nil, state.failure)
    }
    if element != nil {
      free.signal()
    } else {
      filled.signal()  // the end stays the end for every later call
      if let failure { throw failure }
    }
    return element
  }

  /// Says that no more elements are wanted; a waiting producer wakes.
  func cancel() {
    state.withLock {
      $0.isCancelled = true
      $0.elements.removeAll()
    }
    free.signal()
  }
}
