// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Testing

@Suite struct MedianTests {
  @Test func ofAnEvenNumberTheMeanOfTheMiddleTwo() {
    #expect([4.0, 1].median == 2.5)
    #expect([9.0, 1, 3, 2].median == 2.5)
    #expect([Float.greatestFiniteMagnitude, .greatestFiniteMagnitude].median?.isFinite == true)
  }

  @Test func ofAnOddNumberTheMiddleOne() {
    #expect([7.0].median == 7)
    #expect([3.0, 1, 2].median == 2)
    #expect([5.0, 4, 3, 2, 1][1..<4].median == 3)
    #expect([Float](repeating: 0.1, count: 3)[...].median == Double(Float(0.1)))
  }

  @Test func ofNoValues() {
    #expect([Double]().median == nil)
  }

  /// As many values lie below it as above it, in whatever order they come.
  @Test func halfOfTheValuesLieBelow() throws {
    var random = Seeded(11)
    for count in 1...60 {
      let values = (0..<count).map { _ in Double.random(in: -1...1, using: &random) }
      let median = try #require(values.median)
      #expect(values.count { $0 < median } == count / 2)
      #expect(values.count { $0 > median } == count / 2)
      #expect(values.shuffled(using: &random).median == median)
    }
  }
}
