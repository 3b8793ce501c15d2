// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Synchronization
import Testing

/// Loads that several callers share.
struct SharedLoadTests {
  /// A load that ends when it is cancelled, or when it is let go.
  private final class Work: Sendable {
    struct State {
      var begun = 0
      var cancelled = 0
      var isLetGo = false
    }

    let state = Mutex(State())

    func run() async throws(CinematicError) -> Int {
      state.withLock { $0.begun += 1 }
      while !state.withLock({ $0.isLetGo }) {
        guard !Task.isCancelled else {
          state.withLock { $0.cancelled += 1 }
          throw CinematicError(.cancelled, "stopped")
        }
        await Task.yield()
      }
      return 7
    }
  }

  @Test func endsWithTheLastCaller() async throws {
    let work = Work()
    let load = SharedLoad<Int>(cancellation: "enough")
    let callers = (0..<3).map { _ in
      Task { () async -> Result<Int, CinematicError> in
        do throws(CinematicError) {
          return .success(
            try await load.value { () async throws(CinematicError) -> Int in try await work.run() })
        } catch {
          return .failure(error)
        }
      }
    }
    while work.state.withLock({ $0.begun }) == 0 { await Task.yield() }
    #expect(load.progress.isLoading)
    for caller in callers { caller.cancel() }
    for caller in callers {
      guard case .failure(let error) = await caller.value else {
        Issue.record("a cancelled caller got a value")
        continue
      }
      #expect(error.code == .cancelled && error.message == "enough")
    }
    #expect(!load.progress.isLoading)
    while work.state.withLock({ $0.cancelled < $0.begun }) { await Task.yield() }
    work.state.withLock { $0.isLetGo = true }
    let value = try await load.value { () async throws(CinematicError) -> Int in
      try await work.run()
    }
    #expect(value == 7)
  }
}
