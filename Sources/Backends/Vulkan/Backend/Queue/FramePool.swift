// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FocalCore
import Synchronization

/// The slots of a queue's submissions in flight.
final class FramePool: Sendable {
  private struct State {
    var free: [FrameSlot] = []
    var count = 0
    var limit: Int
    var isWaiting = false
  }

  private let programs: KernelPrograms
  private let state: Mutex<State>
  /// Wakes the one thread that waits: the queue's preparation.
  private let changed = DispatchSemaphore(value: 0)

  /// - Parameter limit: submissions in flight at most.
  init(_ programs: KernelPrograms, limit: Int) {
    self.programs = programs
    state = Mutex(State(limit: limit))
  }

  /// A slot that no submission uses; waits for one where all are in flight.
  ///
  /// - Throws: `outOfMemory` where there is not even memory for one, `deviceLost`.
  func acquire() throws(CinematicError) -> FrameSlot {
    while true {
      let slot = waitFor { state -> FrameSlot?? in
        if let slot = state.free.popLast() { return .some(slot) }
        guard state.count < state.limit else { return nil }
        state.count += 1
        return .some(nil)
      }
      if let slot { return slot }
      do throws(CinematicError) {
        return try FrameSlot(programs)
      } catch {
        let remaining = state.withLock { state in
          state.count -= 1
          if error.code == .outOfMemory { state.limit = max(state.count, 1) }
          return state.count
        }
        // Fewer in flight need less.
        guard error.code == .outOfMemory, remaining > 0 else { throw error }
      }
    }
  }

  /// Gives a slot back, once the device is done with it.
  func release(_ slot: FrameSlot) {
    change { state in state.free.append(slot) }
  }

  /// Takes a slot out of use for good: the device may not be done with it.
  func abandon(_ slot: FrameSlot) {
    change { state in state.count -= 1 }
  }

  /// Frees the memory of all other slots, when `slot` could not get enough; from then on there is
  /// one submission in flight.
  ///
  /// - Returns: whether there was any.
  func shrink(to slot: FrameSlot) -> Bool {
    let freed: [FrameSlot] = waitFor { state in
      guard state.free.count == state.count - 1 else { return nil }
      defer { state.free = [] }
      state.count = 1
      state.limit = 1
      return state.free
    }
    // Their last submissions may hold them for a moment yet: the memory must be free now.
    for slot in freed { slot.freeMemory() }
    return !freed.isEmpty
  }

  private func waitFor<Result: Sendable>(_ attempt: (inout State) -> Result?) -> Result {
    while true {
      let result = state.withLock { state in
        let result = attempt(&state)
        if result == nil { state.isWaiting = true }
        return result
      }
      if let result { return result }
      changed.wait()
    }
  }

  private func change(_ body: (inout State) -> Void) {
    let wakes = state.withLock { state in
      body(&state)
      defer { state.isWaiting = false }
      return state.isWaiting
    }
    if wakes { changed.signal() }
  }
}
