// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Messages on their way to one client, in the order in which they were posted. One with the same key as a later one is
/// left out while it waits, so that a slow client gets the latest state, and a dead one costs little.
final class Mailbox: Sendable {
  private struct State {
    var waiting: [(key: String?, message: Data)] = []
    var reader: CheckedContinuation<Data?, Never>?
    var isClosed = false
  }

  private let state = Mutex(State())
  /// The most messages that wait; a client that is further behind is let go.
  private static let capacity = 256

  /// - Parameter key: of messages of which only the latest counts.
  func post(_ message: Data, key: String? = nil) {
    let reader = state.withLock { state -> CheckedContinuation<Data?, Never>? in
      guard !state.isClosed else { return nil }
      if let reader = state.reader {
        state.reader = nil
        return reader
      }
      // At the end, not in the older one's place: what was posted between may be what it is about.
      if let key { state.waiting.removeAll { $0.key == key } }
      state.waiting.append((key, message))
      if state.waiting.count > Self.capacity {
        state.isClosed = true
        state.waiting = []
      }
      return nil
    }
    reader?.resume(returning: message)
  }

  /// The next message; `nil` after the end. One caller at a time.
  func next() async -> Data? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let ready = state.withLock { state -> Data?? in
          if !state.waiting.isEmpty { return .some(state.waiting.removeFirst().message) }
          if state.isClosed { return .some(nil) }
          state.reader = continuation
          return nil
        }
        if let ready { continuation.resume(returning: ready) }
      }
    } onCancel: {
      close()
    }
  }

  func close() {
    let reader = state.withLock { state in
      state.isClosed = true
      state.waiting = []
      let reader = state.reader
      state.reader = nil
      return reader
    }
    reader?.resume(returning: nil)
  }
}

/// So many in a row, and so many a second.
struct RateLimit {
  private var left: Double
  private var last = ContinuousClock.now
  private let burst: Double
  private let perSecond: Double

  init(burst: Double, perSecond: Double) {
    (self.burst, self.perSecond) = (burst, perSecond)
    left = burst
  }

  mutating func take() -> Bool {
    let now = ContinuousClock.now
    let passed = now - last
    last = now
    left = min(burst, left + (passed / .seconds(1)) * perSecond)
    guard left >= 1 else { return false }
    left -= 1
    return true
  }
}
