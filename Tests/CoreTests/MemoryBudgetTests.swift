// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Testing

@Suite struct MemoryBudgetTests {
  /// What takes more than its share is refused; no share is smaller than one.
  @Test func sharesOfTheBudget() throws {
    let budget = MemoryBudget.byteCount
    for share in [1, 0, -3, .min] {
      try MemoryBudget.check(budget, share: share, for: "a picture")
      let error = #expect(throws: CinematicError.self) {
        try MemoryBudget.check(budget + 1, share: share, for: "a picture")
      }
      #expect(error?.code == .outOfMemory)
    }
    #expect(throws: CinematicError.self) {
      try MemoryBudget.check(budget / 3 + 1, share: 3, for: "a picture")
    }
    try MemoryBudget.check(budget / 3, share: 3, for: "a picture")
  }
}
