// SPDX-License-Identifier: Apache-2.0

import FocalSample
import SubjectKernels
import Testing

@testable import FocalCore
@testable import FocalSubjects

/// What is asked of single pixels and of those that hang together.
struct PixelTests {
  /// Parts that hold a seed, also by their corners, stay: by the definition, one step after the other.
  @Test func partsWithSeedsAreKept() {
    var random = SeededGenerator(seed: 6)
    for width in 1...24 {
      let height = 1 + width * 5 % 13
      let labels = (0..<width * height).map { _ in UInt8(random.share() < 0.55 ? 1 : 0) }
      let seeds = labels.map { _ in UInt8(random.share() < 0.05 ? 1 : 0) }
      var expected = labels.indices.map { labels[$0] != 0 && seeds[$0] != 0 ? UInt8(1) : 0 }
      var before: [UInt8] = []
      while before != expected {
        before = expected
        for place in labels.indices where labels[place] != 0 && expected[place] == 0 {
          let (x, y) = (place % width, place / width)
          let isBeside = expected.indices.contains {
            expected[$0] != 0 && abs($0 % width - x) <= 1 && abs($0 / width - y) <= 1
          }
          if isBeside { expected[place] = 1 }
        }
      }
      var kept = labels
      #expect(focal_subject_keep(seeds, Int32(width), Int32(height), &kept) == 0)
      #expect(kept == expected)
    }
  }

  @Test func extentHoldsAllValuesAbove() {
    var random = SeededGenerator(seed: 7)
    for width in 1...20 {
      let size = Dimensions(width: width, height: 1 + width * 7 % 11)
      let values = (0..<size.count).map { _ in Float(random.share()) }
      for least in [0.5, 0.95, 1] as [Float] {
        let places = values.indices.filter { values[$0] > least }
        let rect = PixelRect(of: values, size, above: least)
        #expect((rect == nil) == places.isEmpty)
        guard let rect else { continue }
        let (columns, rows) = (places.map { $0 % width }, places.map { $0 / width })
        #expect(rect.columns == columns.min()!..<columns.max()! + 1)
        #expect(rect.rows == rows.min()!..<rows.max()! + 1)
      }
    }
  }

  /// Disparities beyond the largest one are none, as what is no number.
  @Test func sharesOfAMap() {
    let disparities: [Float] = [-1, 0, 0.5, 1, 3, .nan, .infinity, -.infinity, 7]
    var shares = [Float](repeating: -1, count: disparities.count)
    focal_map_shares(disparities, Int32(disparities.count), -0.5, 0.5, 6, &shares)
    #expect(shares == [0, 0.25, 0.5, 0.75, 1, 0, 0, 0, 0])
  }
}
