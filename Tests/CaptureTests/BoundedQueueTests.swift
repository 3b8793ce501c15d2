// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import FocalCapture

@Suite struct BoundedQueueTests {
  @Test func keepsTheNewestAndCountsTheRest() async {
    let queue = BoundedQueue<Int>(capacity: 2)
    for number in 0..<5 { queue.put(number) }
    #expect(queue.droppedCount == 3)
    #expect(queue.longest == 2)
    #expect(await queue.next() == 3)
    #expect(await queue.next() == 4)
    queue.finish()
    queue.put(9)
    #expect(await queue.next() == nil)
    #expect(queue.droppedCount == 3)
  }

  @Test func whatWaitsCanBeKept() async {
    let queue = BoundedQueue<Int>(capacity: 2)
    for number in 0..<5 { queue.put(number, keepsWaiting: number > 1) }
    #expect(queue.droppedCount == 3)
    #expect(await queue.next() == 0)
    queue.put(7, keepsWaiting: true)
    #expect(await queue.next() == 1)
    #expect(await queue.next() == 7)
  }
}
