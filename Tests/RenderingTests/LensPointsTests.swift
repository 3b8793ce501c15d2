// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Testing

@testable import FocalRendering

/// The points of an opening from which a scene is viewed.
@Suite struct LensPointsTests {
  /// Views are moved by whole cells, rounded away from zero: a picture stays where it is at every radius. Of a disc, and of
  /// polygons that are their own mirror image down.
  @Test(arguments: [8, 12, 24, 32, 48, 96, 128], [0, 6]) func movesNothing(
    _ count: Int, _ blades: Int
  ) {
    let shape = ApertureShape(bladeCount: blades)
    let lens = LensPoints.points(count: count, shape: shape)
    #expect(lens.points.count >= count / 2)
    for step in 1...200 {
      let radius = 0.2 * Float(step)
      var (across, down): (Float, Float) = (0, 0)
      for point in lens.points {
        across += (point.x * radius).rounded(.toNearestOrAwayFromZero)
        down += (point.y * radius).rounded(.toNearestOrAwayFromZero)
      }
      #expect(across == 0 && down == 0, "at a radius of \(radius)")
    }
  }

  /// Points lie apart from each other in the opening, also those that were brought opposite each other.
  @Test(arguments: [12, 24, 48, 96]) func coversTheOpening(_ count: Int) {
    let points = LensPoints.points(count: count, shape: .disc).points
    // About as many: those of the sequence that lie outside are left out.
    #expect((3 * count / 4...count).contains(points.count))
    // The side of a point's own part of the disc.
    let side = (Float.pi / Float(count)).squareRoot()
    for (index, point) in points.enumerated() {
      #expect((point * point).sum() < 1)
      let others = points.indices.filter { $0 != index }
      let squares: [Float] = others.map { other in
        let away = points[other] - point
        return (away * away).sum()
      }
      let nearest = (squares.min() ?? 0).squareRoot()
      #expect(nearest > 0.4 * side, "point \(index) of \(count)")
    }
  }
}
