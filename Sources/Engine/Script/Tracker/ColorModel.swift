// SPDX-License-Identifier: Apache-2.0

import TrackingKernels

/// Tells an object's colours from those around it by two histograms (Bertinetto et al., Staple, 2016).
struct ColorModel {
  private var object = [Float](repeating: 0, count: Int(FOCAL_TRACK_BINS))
  private var surroundings = [Float](repeating: 0, count: Int(FOCAL_TRACK_BINS))
  private var isTrained = false

  /// Learns from a window of samples, `side` squared, the object in its middle.
  mutating func train(bins: [UInt16], side: Int, width: Double, height: Double, rate: Float) {
    var inside = [Float](repeating: 0, count: object.count)
    var outside = inside
    let middle = Double(side) / 2
    func range(_ extent: Double) -> Range<Int> {
      let low = max(0, Int((middle - extent / 2).rounded()))
      return low..<min(side, max(low + 1, Int((middle + extent / 2).rounded())))
    }
    // sides of a box hold much of what is behind
    let (innerX, innerY) = (range(width * 0.8), range(height * 0.8))
    let margin = (width * height).squareRoot()
    let (outerX, outerY) = (range(width), range(height))
    let (farX, farY) = (range(width + margin * 1.5), range(height + margin * 1.5))
    for y in farY {
      for x in farX {
        if innerY.contains(y), innerX.contains(x) {
          inside[Int(bins[y * side + x])] += 1
        } else if !outerY.contains(y) || !outerX.contains(x) {
          outside[Int(bins[y * side + x])] += 1
        }
      }
    }
    func learn(_ known: inout [Float], _ seen: [Float]) {
      let sum = seen.reduce(0, +)
      guard sum > 0 else { return }
      let share = isTrained ? rate : 1
      for index in known.indices { known[index] += (seen[index] / sum - known[index]) * share }
    }
    learn(&object, inside)
    learn(&surroundings, outside)
    isTrained = true
  }

  /// How likely each cell's colours are the object's, 0 to 1: two samples to a cell's side.
  func likelihood(bins: [UInt16], cells: Int) -> [Float] {
    let table = zip(object, surroundings).map { inside, outside -> Float in
      let sum = inside + outside
      return sum > 0 ? inside / sum : 0.5
    }
    var result = [Float](repeating: 0, count: cells * cells)
    for y in 0..<cells {
      for x in 0..<cells {
        let (upper, lower) = (4 * y * cells + 2 * x, 4 * y * cells + 2 * cells + 2 * x)
        let above = table[Int(bins[upper])] + table[Int(bins[upper + 1])]
        let below = table[Int(bins[lower])] + table[Int(bins[lower + 1])]
        result[y * cells + x] = (above + below) / 4
      }
    }
    return result
  }

  /// The mean over the object's box, centred on every cell. Extents in cells.
  static func boxMeans(of values: [Float], cells: Int, width: Double, height: Double) -> [Float] {
    var sums = [Float](repeating: 0, count: (cells + 1) * (cells + 1))
    for y in 0..<cells {
      var row: Float = 0
      for x in 0..<cells {
        row += values[y * cells + x]
        sums[(y + 1) * (cells + 1) + x + 1] = sums[y * (cells + 1) + x + 1] + row
      }
    }
    let halfX = max(1, Int((width / 2).rounded()))
    let halfY = max(1, Int((height / 2).rounded()))
    var result = [Float](repeating: 0, count: cells * cells)
    for y in 0..<cells {
      let (top, bottom) = (max(0, y - halfY), min(cells, y + halfY))
      for x in 0..<cells {
        let (left, right) = (max(0, x - halfX), min(cells, x + halfX))
        let sum =
          sums[bottom * (cells + 1) + right] - sums[top * (cells + 1) + right]
          - sums[bottom * (cells + 1) + left] + sums[top * (cells + 1) + left]
        result[y * cells + x] = sum / Float((bottom - top) * (right - left))
      }
    }
    return result
  }
}
