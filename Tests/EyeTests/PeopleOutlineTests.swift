// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Testing

@testable import FocalEyes

/// Outlines of people, which a model gives coarsely.
@Suite struct PeopleOutlineTests {
  /// A mask that ends two pixels beside the picture's edge, inside or outside of it, and one that is soft.
  @Test(arguments: [-2, 2], [false, true])
  func liesOnThePicturesEdge(error: Int, isSoft: Bool) throws {
    let size = Dimensions(width: 64, height: 48)
    let edge = 32
    let guide = (0..<size.count).map { UInt8($0 % size.width < edge ? 30 : 220) }
    var shares = (0..<size.count).map { place -> Float in
      let beyond = Float(place % size.width - edge - error) + 0.5
      return isSoft ? max(0, min(1, 0.5 + beyond / 4)) : beyond > 0 ? 1 : 0
    }
    try PeopleProvider.refine(&shares, along: guide, size)
    for y in 0..<size.height {
      let row = shares[y * size.width..<(y + 1) * size.width]
      let first = row.firstIndex { $0 > 0.5 }.map { $0 - row.startIndex }
      #expect(first == edge, "row \(y)")
      #expect(row.allSatisfy { (0...1).contains($0) })
    }
  }
}
