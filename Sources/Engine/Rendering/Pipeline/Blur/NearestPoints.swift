// SPDX-License-Identifier: Apache-2.0

/// Finite points of the square from -1 to 1 in buckets, so that the nearest to a place is found among a few of them.
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
    // From the place to the nearest side of its bucket.
    let left = place.x + 1 - Double(column) * side, top = place.y + 1 - Double(row) * side
    let within = max(min(min(left, side - left), min(top, side - top)), 0)
    var nearest = Double.infinity
    var best = 0
    points.withUnsafeBufferPointer { points in
      order.withUnsafeBufferPointer { order in
        starts.withUnsafeBufferPointer { starts in
          func look(_ row: Int, _ columns: ClosedRange<Int>) {
            // Buckets of a row follow each other.
            let first = row * count + columns.lowerBound, last = row * count + columns.upperBound
            for slot in starts[first]..<starts[last + 1] {
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
          for ring in 0..<count {
            // This ring of buckets and those beyond are at least so far away, but for rounding.
            let reach = max(Double(ring - 1) * side + within - 1e-12, 0)
            if ring > 0, nearest < reach * reach * (1 - 1e-9) { break }
            let columns = max(column - ring, 0)...min(column + ring, count - 1)
            if ring == 0 {
              look(row, columns)
              continue
            }
            if row - ring >= 0 { look(row - ring, columns) }
            if row + ring < count { look(row + ring, columns) }
            for y in max(row - ring + 1, 0)...min(row + ring - 1, count - 1) {
              if column - ring >= 0 { look(y, column - ring...column - ring) }
              if column + ring < count { look(y, column + ring...column + ring) }
            }
          }
        }
      }
    }
    return best
  }
}
