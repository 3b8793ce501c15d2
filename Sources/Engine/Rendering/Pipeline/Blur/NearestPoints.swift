// SPDX-License-Identifier: Apache-2.0

/// Finite points of the square from -1 to 1 in buckets, so that the nearest to a place is found among a few of them.
struct NearestPoints {
  private let points: [SIMD2<Double>]
  /// The points and their indices, bucket after bucket, and where each bucket begins.
  private let ordered: [SIMD3<Double>]
  private let starts: [Int]
  /// Buckets along a side of the square.
  private let count: Int

  /// - Parameter points: at least one; one that lies outside the square counts among those at its border.
  init(_ points: [SIMD2<Double>]) {
    precondition(!points.isEmpty, "nothing is nearest where there are no points")
    self.points = points
    let count = max(Int(Double(points.count).squareRoot()), 1)
    self.count = count
    var buckets = [[SIMD3<Double>]](repeating: [], count: count * count)
    for (index, point) in points.enumerated() {
      let row = Self.bucket(point.y, of: count), column = Self.bucket(point.x, of: count)
      buckets[row * count + column].append(SIMD3(point, Double(index)))
    }
    ordered = buckets.flatMap { $0 }
    starts = buckets.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.count) }
  }

  /// Does not fall where the coordinate rises, so that what lies between two places is in the buckets between theirs.
  @inline(__always)
  private static func bucket(_ coordinate: Double, of count: Int) -> Int {
    Int(max(min((coordinate + 1) * (Double(count) / 2), Double(count - 1)), 0))
  }

  /// The indices of the points that are nearest to four places of the square; of several the first.
  ///
  /// - Parameter guess: the index of any point. The nearer it is to the places and these to each other, the fewer points are
  ///   looked at.
  func indices(
    to places: (x: SIMD4<Double>, y: SIMD4<Double>), near guess: Int
  ) -> SIMD4<Double> {
    let (x, y) = places
    var best = SIMD4(repeating: Double(guess))
    var nearest = Self.squaredDistance(x, y, points[guess].x, points[guess].y)
    // None that is nearer lies farther away, but for rounding.
    let reach = nearest.max().squareRoot() * (1 + 1e-9) + 1e-12
    let left = Self.bucket(x.min() - reach, of: count)
    let right = Self.bucket(x.max() + reach, of: count)
    let top = Self.bucket(y.min() - reach, of: count)
    let bottom = Self.bucket(y.max() + reach, of: count)
    ordered.withUnsafeBufferPointer { ordered in
      starts.withUnsafeBufferPointer { starts in
        for row in top...bottom {
          // Buckets of a row follow each other.
          for slot in starts[row * count + left]..<starts[row * count + right + 1] {
            let point = ordered[slot]
            let distance = Self.squaredDistance(x, y, point.x, point.y)
            let index = SIMD4(repeating: point.z)
            let isNearer = (distance .< nearest) .| ((distance .== nearest) .& (index .< best))
            nearest.replace(with: distance, where: isNearer)
            best.replace(with: index, where: isNearer)
          }
        }
      }
    }
    return best
  }

  @inline(__always)
  private static func squaredDistance(
    _ x: SIMD4<Double>, _ y: SIMD4<Double>, _ pointX: Double, _ pointY: Double
  ) -> SIMD4<Double> {
    let dx = x - pointX, dy = y - pointY
    return dx * dx + dy * dy
  }
}
