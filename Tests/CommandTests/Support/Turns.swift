// SPDX-License-Identifier: Apache-2.0

/// Lets few tasks at a time into a piece of work, in the order in which they came. The tests of a
/// suite start together; a hundred processes at once would only be in each other's way.
actor Turns {
  private var free: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(_ count: Int) { free = count }

  func take() async {
    if free > 0 {
      free -= 1
      return
    }
    await withCheckedContinuation { waiting.append($0) }
  }

  func giveBack() {
    if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
  }
}
