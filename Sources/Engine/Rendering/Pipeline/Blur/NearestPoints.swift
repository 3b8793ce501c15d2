// SPDX-License-Identifier: Apache-2.0

/// Points of the square from -1 to 1 in buckets, so that the nearest to a place is found among a few of them.
struct NearestPoints {
  private let points: [SIMD2<Double>]
  /// The points' indices, bucket after bucket, and where each bucket begins.
  private let order: [Int]
  private let starts: [Int]
  /// Buckets along a side of the square, and how long one is.
  private let count: Int
  private let side: Double

  /// - Parameter points: at least one; one that lies outside the square counts among those at its border.
  init(_ points: [SIMD2<Double>]) {
    precondition(!points.isEmpty, "nothing is nearest where there are no points")
    self.points = points
    let count = max(Int(Double(points.count).squareRoot()), 1)
    self.count = count
    side = 2 / Double(count)
    var buckets = [[Int]](repeating: [], count: count * count)
    for (index, point) in points.enumerated() {
      let (column, row) = Self.bucket(of: point, side, count)
      buckets[row * count + column].append(index)
    }
    order = buckets.flatMap { $0 }
    starts = buckets.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.count) }
  }

  private static func bucket(
    of place: SIMD2<Double>, _ side: Double, _ count: Int
  ) -> (column: Int, row: Int) {
    let last = Double(count - 1)
    return (
      Int(max(min((place.x + 1) / side, last), 0)), Int(max(min((place.y + 1) / side, last), 0))
    )
  }

  /// The index of the point that is nearest to a place of the square; of several the first.
  func index(to place: SIMD2<Double>) -> Int {
    let (column, row) = Self.bucket(of: place, side, count)
    var nearest = Double.infinity
    var best = 0
    for ring in 0..<count {
      // What lies in this ring of buckets and beyond is at least so far away, but for rounding.
      let reach = Double(ring - 1) * side
      if ring > 1, nearest < reach * reach * (1 - 1e-9) { break }
      let columns = max(column - ring, 0)...min(column + ring, count - 1)
      for y in max(row - ring, 0)...min(row + ring, count - 1) {
        let isEdge = abs(y - row) == ring
        for x in columns where isEdge || abs(x - column) == ring {
          for slot in starts[y * count + x]..<starts[y * count + x + 1] {
            let index = order[slot]
            let dx = place.x - points[index].x
            let dy = place.y - points[index].y
            let distance = dx * dx + dy * dy
            if distance < nearest || (distance == nearest && index < best) {
              nearest = distance
              best = index
            }
          }
        }
      }
    }
    return best
  }
}
