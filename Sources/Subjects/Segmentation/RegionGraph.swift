// SPDX-License-Identifier: Apache-2.0

import FocalCore
import SubjectKernels

/// A picture as regions of like colour and the borders between them.
struct RegionGraph {
  let size: Dimensions
  /// The region of each pixel.
  let labels: [Int32]
  /// Of each region, in parts of the mean.
  private(set) var areas: [Float]
  /// Of each region: its mean colour in CIELAB.
  private(set) var colours: [SIMD3<Float>]
  /// Of each region: its middle, in parts of the picture's longer side.
  private(set) var places: [SIMD2<Float>]
  /// Of each region: how much of the picture's frame it has at the sides and above, in parts of a region's width.
  private(set) var frames: [Float]
  /// The same below.
  private(set) var bottoms: [Float]
  /// The two regions of each border, one behind the other.
  private(set) var ends: [Int32] = []
  /// Of each border, in parts of a region's width.
  private(set) var lengths: [Float] = []
  /// Of each border: how far the colours of its regions are apart, in units of CIELAB.
  private(set) var differences: [Float] = []

  var count: Int { areas.count }

  /// How many regions there are about: with half or one and a half times as many, fewer subjects are found.
  private static let wantedCount: Float = 900

  /// - Parameter codes: sRGB codes, three floats a pixel, 0 to 1.
  /// - Throws: `outOfMemory`.
  init(codes: [Float], size: Dimensions) throws(CinematicError) {
    self.size = size
    let side = max(2, (Float(size.count) / Self.wantedCount).squareRoot())
    var lab = [Float](repeating: 0, count: 3 * size.count)
    focal_lab(codes, Int32(size.count), &lab)
    var labels = [Int32](repeating: 0, count: size.count)
    var found: Int32 = 0
    try kernel(size) {
      focal_regions(lab, Int32(size.width), Int32(size.height), side, &labels, &found)
    }
    self.labels = labels
    let count = Int(found)
    areas = [Float](repeating: 0, count: count)
    colours = [SIMD3<Float>](repeating: .zero, count: count)
    places = [SIMD2<Float>](repeating: .zero, count: count)
    frames = [Float](repeating: 0, count: count)
    bottoms = [Float](repeating: 0, count: count)
    measure(lab, side: side)
    findBorders(side: side)
  }

  private mutating func measure(_ lab: [Float], side: Float) {
    let (width, height) = (size.width, size.height)
    for y in 0..<height {
      for x in 0..<width {
        let place = y * width + x
        let region = Int(labels[place])
        areas[region] += 1
        colours[region] += SIMD3(lab[3 * place], lab[3 * place + 1], lab[3 * place + 2])
        places[region] += SIMD2(Float(x) + 0.5, Float(y) + 0.5)
        if y == height - 1 {
          bottoms[region] += 1 / side
        } else if x == 0 || y == 0 || x == width - 1 {
          frames[region] += 1 / side
        }
      }
    }
    let mean = Float(size.count) / Float(count)
    for region in areas.indices {
      colours[region] /= areas[region]
      places[region] /= areas[region] * Float(max(width, height))
      areas[region] /= mean
    }
  }

  private mutating func findBorders(side: Float) {
    let (width, height) = (size.width, size.height)
    var pairs: [Int] = []
    for y in 0..<height {
      for x in 0..<width {
        let place = y * width + x
        for other in [x + 1 < width ? place + 1 : place, y + 1 < height ? place + width : place] {
          let (a, b) = (Int(labels[place]), Int(labels[other]))
          if a != b { pairs.append(min(a, b) * count + max(a, b)) }
        }
      }
    }
    pairs.sort()
    var at = 0
    while at < pairs.count {
      var next = at
      while next < pairs.count, pairs[next] == pairs[at] { next += 1 }
      let (a, b) = (pairs[at] / count, pairs[at] % count)
      ends += [Int32(a), Int32(b)]
      lengths.append(Float(next - at) / side)
      let difference = colours[a] - colours[b]
      differences.append((difference * difference).sum().squareRoot())
      at = next
    }
  }

  /// The share of the picture's frame, but for its lower side, on which subjects stand, that a region's colour reaches through
  /// neighbours.
  ///
  /// - Parameter difference: how far colours may be from the region's, in units of CIELAB.
  func frameShare(around seed: Int, within difference: Float) -> Float {
    var isReached = [Bool](repeating: false, count: count)
    isReached[seed] = true
    var hasGrown = true
    while hasGrown {
      hasGrown = false
      for border in lengths.indices {
        let (a, b) = (Int(ends[2 * border]), Int(ends[2 * border + 1]))
        guard isReached[a] != isReached[b] else { continue }
        let other = isReached[a] ? b : a
        let gap = colours[other] - colours[seed]
        guard (gap * gap).sum() <= difference * difference else { continue }
        isReached[other] = true
        hasGrown = true
      }
    }
    var (reached, all): (Float, Float) = (0, 0)
    for region in frames.indices {
      all += frames[region]
      if isReached[region] { reached += frames[region] }
    }
    return all > 0 ? reached / all : 0
  }
}
