// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Floods a field from a point: every place is reached by the way along which the field's values
/// change least in sum (a geodesic; Bai and Sapiro 2007), so that a blurred edge is as high as a sharp
/// one.
struct GeodesicFlood {
  /// Places in the order in which they are reached, and the cost of each way.
  private(set) var order: [Int32] = []
  private(set) var costs: [Int32] = []

  /// A step costs at least this, and at most ``largestStep``.
  static let smallestStep = 1
  static let largestStep = 1023

  /// - Parameters:
  ///   - step: the cost of going from a place to a neighbour; what is outside of the bounds is
  ///     brought inside.
  ///   - limit: places to reach at most.
  init(
    from seed: (x: Int, y: Int), size: Dimensions, limit: Int, step: (Int, Int) -> Int
  ) {
    // costs are small whole numbers: a queue a cost, around a ring (Dial 1969)
    var ring = [[Int32]](repeating: [], count: Self.largestStep + 1)
    var best = [Int32](repeating: .max, count: size.count)
    let start = seed.y * size.width + seed.x
    best[start] = 0
    ring[0] = [Int32(start)]
    var (waiting, cost) = (1, 0)
    order.reserveCapacity(min(limit, size.count))
    while waiting > 0, order.count < limit {
      let slot = cost % ring.count
      // a place may join the queue that is being emptied only at a later cost
      for place in ring[slot] {
        waiting -= 1
        guard best[Int(place)] == Int32(cost), order.count < limit else { continue }
        order.append(place)
        costs.append(Int32(cost))
        let (x, y) = (Int(place) % size.width, Int(place) / size.width)
        for (nextX, nextY) in [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)]
        where nextX >= 0 && nextX < size.width && nextY >= 0 && nextY < size.height {
          let next = nextY * size.width + nextX
          let total =
            cost + max(Self.smallestStep, min(Self.largestStep, step(Int(place), next)))
          guard total < Int(best[next]) else { continue }
          best[next] = Int32(total)
          ring[total % ring.count].append(Int32(next))
          waiting += 1
        }
      }
      ring[slot] = []
      cost += 1
    }
  }
}
