// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// The planes in host memory that submissions in flight have yet to write, and the wait for them.
///
/// One thread of a queue prepares submissions: it waits and begins. Any thread may end one.
package final class WritesInFlight: Sendable {
  /// A plane that a submission writes.
  package struct Write: Sendable {
    package let plane: HostPlane
    /// Whether the bytes arrive by a copy when the device is done, and not by its kernels.
    package let isCopied: Bool

    package init(plane: HostPlane, isCopied: Bool) {
      self.plane = plane
      self.isCopied = isCopied
    }

    /// Whether a later submission's use of memory must wait until this write has arrived. It need not
    /// if kernels of both work in that memory, in the device's order, or if only copies to the host
    /// follow each other, which keep their order too.
    func delays(_ use: PlanePlan.Use, isCopied isCopiedToo: Bool) -> Bool {
      guard plane.overlaps(use.plane) else { return false }
      return isCopied
        ? use.startsWithRead || !isCopiedToo : use.startsWithRead && isCopiedToo
    }
  }

  private struct State {
    var writes: [UInt64: [Write]] = [:]
    var isWaiting = false
  }

  private let state = Mutex(State())
  private let changed = DispatchSemaphore(value: 0)

  package init() {}

  /// Notes what a submission will write.
  package func begin(_ submission: UInt64, writing writes: [Write]) {
    state.withLock { $0.writes[submission] = writes }
  }

  /// The submission has written what it will.
  package func end(_ submission: UInt64) {
    let wakes = state.withLock { state in
      state.writes[submission] = nil
      defer { state.isWaiting = false }
      return state.isWaiting
    }
    if wakes { changed.signal() }
  }

  /// Blocks until nothing in flight stands in the way of a use.
  ///
  /// - Parameter isCopied: whether the plane is copied to and from the device.
  package func wait(for use: PlanePlan.Use, isCopied: Bool) {
    while true {
      let isFree = state.withLock { state in
        let isDelayed = state.writes.values.contains { writes in
          writes.contains { $0.delays(use, isCopied: isCopied) }
        }
        state.isWaiting = isDelayed
        return !isDelayed
      }
      if isFree { return }
      changed.wait()
    }
  }
}
