// SPDX-License-Identifier: Apache-2.0

import FocalSample
import Foundation
import SubjectKernels
import Testing

/// The least cut, against all cuts there are.
@Suite struct CutTests {
  /// The cost of a division, as the header says it.
  private static func cost(
    _ labels: [UInt8], _ codes: [Float], _ costs: [Float], _ width: Int, _ height: Int,
    _ smoothness: Float, _ beta: Float
  ) -> Float {
    var sum: Float = 0
    for y in 0..<height {
      for x in 0..<width {
        let place = y * width + x
        if labels[place] == 0 { sum += costs[place] }
        for (i, j) in [(1, 0), (1, 1), (0, 1), (-1, 1)] {
          let (u, v) = (x + i, y + j)
          guard (0..<width).contains(u), v < height else { continue }
          let other = v * width + u
          guard labels[place] != labels[other] else { continue }
          var square: Float = 0
          for part in 0..<3 {
            let gap = codes[3 * place + part] - codes[3 * other + part]
            square += gap * gap
          }
          let length: Float = i != 0 && j != 0 ? 0.70710678 : 1
          sum += smoothness * length * (0.02 + exp(-beta * square))
        }
      }
    }
    return sum
  }

  @Test func findsTheCheapestDivision() {
    var random = SeededGenerator(seed: 3)
    let (width, height) = (3, 3)
    for _ in 0..<150 {
      let codes = (0..<27).map { _ in Float.random(in: 0...1, using: &random) }
      let costs = (0..<9).map { _ in Float.random(in: -4...4, using: &random) }
      let fixed = (0..<9).map { _ in
        UInt8(max(0, Int.random(in: -3...2, using: &random)))
      }
      let smoothness = Float.random(in: 0...5, using: &random)
      var (gaps, pairs): (Float, Float) = (0, 0)
      for y in 0..<height {
        for x in 0..<width - 1 {
          for part in 0..<3 {
            let gap = codes[3 * (y * width + x) + part] - codes[3 * (y * width + x + 1) + part]
            gaps += gap * gap
          }
          pairs += 1
        }
      }
      let beta = 0.5 * pairs / gaps
      var labels = [UInt8](repeating: 9, count: 9)
      #expect(focal_cut(codes, costs, fixed, 3, 3, smoothness, &labels) == 0)
      for place in 0..<9 where fixed[place] != 0 {
        #expect(labels[place] == (fixed[place] == 1 ? 1 : 0))
      }
      var least = Float.infinity
      for code in 0..<512 {
        let all = (0..<9).map { UInt8(code >> $0 & 1) }
        let isAllowed = (0..<9).allSatisfy {
          fixed[$0] == 0 || all[$0] == (fixed[$0] == 1 ? 1 : 0)
        }
        guard isAllowed else { continue }
        least = min(least, Self.cost(all, codes, costs, width, height, smoothness, beta))
      }
      let found = Self.cost(labels, codes, costs, width, height, smoothness, beta)
      // Capacities are whole 1024ths.
      #expect(found <= least + 0.05, "\(found) \(least)")
    }
  }

  /// What is at the front's disparity is the front's, but for what may be the ground that it stands on.
  @Test func groundAtTheFrontsDisparityIsDoubted() {
    let (width, height) = (40, 30)
    var (map, labels): ([Float], [UInt8]) = ([], [])
    for place in 0..<width * height {
      map.append(place % width < 20 ? 0.7 : 0.2)
      labels.append(place % width < 20 ? 1 : 0)
    }
    let fixed = labels.indices.map { abs($0 % width - 20) < 8 ? UInt8(0) : labels[$0] == 1 ? 1 : 2 }
    func cost(_ prominence: Float, at column: Int) -> Float {
      var cost = [Float](repeating: 0, count: map.count)
      let failed = focal_subject_depths(
        map, [Float](repeating: prominence, count: map.count), labels, fixed, Int32(width),
        Int32(height), 5, 6, &cost)
      #expect(failed == 0)
      return cost[15 * width + column]
    }
    #expect(cost(0.5, at: 18) > 5.9)
    #expect(cost(0.1, at: 18) < 3.1 && cost(0.1, at: 18) > 2.9)
    #expect(cost(0.5, at: 21) == cost(0.1, at: 21) && cost(0.5, at: 21) < -2.9)
  }
}

/// Parts of a map.
@Suite struct LayerTests {
  /// Legs before a floor that comes nearer towards them belong to the body over them, down to where the floor is as
  /// near. The floor between and beside them does not.
  @Test func bodiesHaveLegs() {
    let (width, height) = (40, 60)
    var map = [Float](repeating: 0, count: width * height)
    var rise = map
    var labels = [UInt8](repeating: 0, count: width * height)
    func isLeg(_ x: Int, _ y: Int) -> Bool {
      (36..<56).contains(y) && ((14..<18).contains(x) || (22..<26).contains(x))
    }
    for y in 0..<height {
      let floor = max(0, Float(y) - 20) * 0.016
      for x in 0..<width {
        let isBody = (12..<28).contains(x) && (8..<36).contains(y)
        map[y * width + x] = isBody || isLeg(x, y) ? 0.6 : floor
        rise[y * width + x] = max(0, map[y * width + x] - floor)
        labels[y * width + x] = isBody ? 1 : 0
      }
    }
    let before = labels
    let failed = focal_subject_grow(
      map, rise, Int32(width), Int32(height), 0.14, 0.012, 1.12, 1, &labels)
    #expect(failed == 0)
    for y in 0..<height {
      for x in 0..<width {
        let place = y * width + x
        let isFound = before[place] == 1 || isLeg(x, y) && rise[place] >= 0.03
        #expect((labels[place] == 1) == isFound, "\(x),\(y)")
      }
    }
  }
}
