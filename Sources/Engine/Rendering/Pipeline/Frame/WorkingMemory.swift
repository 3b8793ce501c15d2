// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// A session's working buffers, kept from frame to frame.
///
/// The commands of a queue run in order, so one set of buffers serves any number of frames in
/// flight: a frame's passes start after the last of the frame before. Within a frame, buffers whose
/// uses do not overlap share memory.
struct WorkingMemory {
  private var slots: [any DeviceMemory] = []
  /// How many pieces of device memory have been allocated so far; constant once warm.
  private(set) var allocationCount = 0

  var byteCount: Int { slots.reduce(0) { $0 + $1.byteCount } }

  /// Which piece of memory each buffer of a list gets, and how large the pieces must be.
  struct Layout {
    fileprivate(set) var slotOfBuffer: [Int]
    fileprivate(set) var byteCounts: [Int]

    var total: Int { byteCounts.reduce(0, +) }
    var largest: Int { byteCounts.max() ?? 0 }
  }

  /// Buffers of `list` whose uses do not overlap share a piece of memory.
  static func layout(_ list: PassList) -> Layout {
    let lifetimes = list.lifetimes
    var slotOfBuffer = [Int](repeating: 0, count: list.byteCounts.count)
    var needed: [Int] = []
    var busyUntil: [Int] = []

    let order = lifetimes.indices.filter { lifetimes[$0] != nil }
      .sorted { (lifetimes[$0]!.lowerBound, $0) < (lifetimes[$1]!.lowerBound, $1) }
    for buffer in order {
      guard let lifetime = lifetimes[buffer] else { continue }
      let size = list.byteCounts[buffer]
      // Of the slots that are free by then, the smallest that is large enough, else the largest.
      let free = busyUntil.indices.filter { busyUntil[$0] < lifetime.lowerBound }
      let fitting = free.filter { needed[$0] >= size }.min { needed[$0] < needed[$1] }
      if let slot = fitting ?? free.max(by: { needed[$0] < needed[$1] }) {
        needed[slot] = max(needed[slot], size)
        busyUntil[slot] = lifetime.upperBound
        slotOfBuffer[buffer] = slot
      } else {
        slotOfBuffer[buffer] = needed.count
        needed.append(size)
        busyUntil.append(lifetime.upperBound)
      }
    }
    return Layout(slotOfBuffer: slotOfBuffer, byteCounts: needed)
  }

  /// Lets go of all memory; frames in flight keep theirs until they are done.
  mutating func release() { slots = [] }

  /// Gives each buffer of `list` its memory, allocating only what does not exist yet.
  ///
  /// - Throws: `outOfMemory`; the memory had so far is kept.
  mutating func bind(
    _ list: PassList, as layout: Layout, on backend: any DeviceBackend
  ) throws(CinematicError) -> [[KernelDispatch]] {
    for (slot, size) in layout.byteCounts.enumerated() {
      if slot < slots.count {
        guard slots[slot].byteCount < size else { continue }
        slots[slot] = try backend.makeMemory(byteCount: size)
      } else {
        slots.append(try backend.makeMemory(byteCount: size))
      }
      allocationCount += 1
    }
    return list.submissions { slots[layout.slotOfBuffer[$0]] }
  }
}
