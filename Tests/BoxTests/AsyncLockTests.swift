// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import Synchronization
import Testing

@Suite struct AsyncLockTests {
  /// Whether it has begun to wait or not, a cancelled task goes on before the lock is free, and those behind it get it.
  @Test(arguments: [0, 20]) func aCancelledTaskStopsWaiting(delay: Int) async throws {
    let lock = AsyncLock()
    try await lock.lock()
    let cancelled = Task {
      try await lock.lock()
      lock.unlock()
    }
    let other = Task {
      try await lock.lock()
      lock.unlock()
    }
    try await Task.sleep(for: .milliseconds(delay))
    cancelled.cancel()
    let error = await #expect(throws: CinematicError.self) { try await cancelled.value }
    #expect(error?.code == .cancelled)
    lock.unlock()
    try await other.value
    try await lock.lock()
    lock.unlock()
  }

  @Test func aFreeLockIsTakenByACancelledTask() async throws {
    let lock = AsyncLock()
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      try await lock.lock()
      lock.unlock()
    }
    task.cancel()
    try await task.value
  }

  /// With cancellations at any time, one task at most holds it, and nobody waits for ever.
  @Test func oneTaskHoldsIt() async throws {
    let lock = AsyncLock()
    let holders = Holders()
    let tasks = (0..<200).map { _ in
      Task {
        try await lock.lock()
        holders.enter()
        await Task.yield()
        holders.leave()
        lock.unlock()
      }
    }
    for number in tasks.indices where number % 3 == 0 { tasks[number].cancel() }
    for task in tasks { _ = await task.result }
    #expect(holders.most == 1)
    #expect(holders.count == 0)
  }
}

/// How many tasks hold a lock, and the most that ever did.
private final class Holders: Sendable {
  private let state = Mutex((count: 0, most: 0))

  var count: Int { state.withLock { $0.count } }
  var most: Int { state.withLock { $0.most } }

  func enter() {
    state.withLock { state in
      state.count += 1
      state.most = max(state.most, state.count)
    }
  }

  func leave() { state.withLock { $0.count -= 1 } }
}
