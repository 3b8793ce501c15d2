// SPDX-License-Identifier: Apache-2.0

import FocalSample
import Testing

@testable import FocalRendering

@Suite struct NearestPointsTests {
  /// The same point as of all of them the first that is nearest: for few and many, in a heap, on a line, on a grid whose
  /// places are as far from several, and outside the square.
  @Test(arguments: [1, 2, 3, 7, 50, 333])
  func isTheNearestOfAll(_ count: Int) {
    var generator = SeededGenerator(seed: UInt64(count))
    func unit() -> Double { .random(in: -1...1, using: &generator) }
    let sets: [[SIMD2<Double>]] = [
      (0..<count).map { _ in SIMD2(unit(), unit()) },
      (0..<count).map { _ in SIMD2(0.9 + 0.01 * unit(), -0.3 + 0.01 * unit()) },
      (0..<count).map { SIMD2(0, 2 * Double($0) / Double(count) - 1) },
      (0..<count).map { SIMD2(Double($0 % 7) / 4 - 0.75, Double($0 / 7 % 7) / 4 - 0.75) },
      (0..<count).map { _ in 1.5 * SIMD2(unit(), unit()) },
    ]
    for points in sets {
      let nearest = NearestPoints(points)
      for round in 0..<200 {
        // Near to each other and all over the square; two at halves of the grid's steps.
        let size = round % 2 == 0 ? 1 : 0.02
        var places = (0..<4).map { _ in size * SIMD2(unit(), unit()) }
        for lane in 2..<4 { places[lane] = (places[lane] * 8).rounded(.toNearestOrEven) / 8 }
        let expected = places.map { place in
          var (best, least) = (0, Double.infinity)
          for (index, point) in points.enumerated() {
            let away = place - point
            let distance = away.x * away.x + away.y * away.y
            if distance < least { (best, least) = (index, distance) }
          }
          return Double(best)
        }
        let found = nearest.indices(
          to: (SIMD4(places.map(\.x)), SIMD4(places.map(\.y))), near: round % count)
        #expect(found == SIMD4(expected))
      }
    }
  }
}
