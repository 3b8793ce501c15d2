// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Testing

/// Work on several threads.
@Suite struct ParallelTests {
  @Test func workIsDoneOnce() {
    for threads in [nil, 1, 3] as [Int?] {
      var done = [UInt8](repeating: 0, count: 50)
      done.withUnsafeMutableBufferPointer { done in
        let address = done.baseAddress!
        parallelFor(50, threads: threads) { address[$0] += 1 }
      }
      #expect(done.allSatisfy { $0 == 1 })
    }
  }
}
