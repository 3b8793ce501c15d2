// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Tells the object at a point from its surroundings: regions around the point grow over what is
/// similar, at rising tolerances, and of them the one is taken that has a strong edge along its border
/// and fills its box.
struct ObjectFinder {
  /// Pixels of the longer side that the picture and the map are looked at with.
  private static let resolution = 192
  /// Tolerances, in shares of the spread of the map, or of brightness.
  private static let tolerances: [Float] = [
    0.01, 0.015, 0.02, 0.03, 0.04, 0.055, 0.075, 0.1, 0.13, 0.17, 0.22, 0.28,
  ]

  func find(
    at point: NormalizedPoint, sourceImage: PixelBuffer, sourceDisparity: PixelBuffer?
  ) -> BoundsPrediction? {
    guard point.x >= 0, point.x < 1, point.y >= 0, point.y < 1,
      var luma = LumaPyramid(sourceImage)
    else { return nil }
    let scale = min(1, Double(Self.resolution) / Double(max(luma.width, luma.height)))
    let size = Dimensions(
      width: max(1, Int(Double(luma.width) * scale)),
      height: max(1, Int(Double(luma.height) * scale)))
    var brightness = [Float](repeating: 0, count: size.count)
    brightness.withUnsafeMutableBufferPointer { buffer in
      luma.sample(
        centerX: Double(luma.width) / 2, centerY: Double(luma.height) / 2,
        width: Double(luma.width), height: Double(luma.height), columns: size.width,
        rows: size.height, into: buffer.baseAddress!)
    }
    let start = point.pixel(in: size)
    var best: (bounds: NormalizedRect, score: Float)?
    if let sourceDisparity, let map = Self.map(sourceDisparity, size: size) {
      best = search(map, spread: 1, size: size, start: start, growing: 0.6)
    }
    // the map tells objects better than brightness; brightness is asked where it does not
    if best == nil {
      best = search(brightness, spread: 255, size: size, start: start, growing: 0.3)
    }
    guard let best else { return nil }
    return BoundsPrediction(
      normalizedBounds: best.bounds, confidence: max(0, min(1, best.score)))
  }

  /// The map at the size of the search, its spread from 0 to 1; holes are not a number.
  private static func map(_ buffer: PixelBuffer, size: Dimensions) -> [Float]? {
    guard buffer.format.isDisparity else { return nil }
    var values = [Float](repeating: .nan, count: size.count)
    DisparitySampling.withRows(of: buffer) { value in
      for y in 0..<size.height {
        for x in 0..<size.width {
          values[y * size.width + x] = value(
            min(buffer.width - 1, (2 * x + 1) * buffer.width / (2 * size.width)),
            min(buffer.height - 1, (2 * y + 1) * buffer.height / (2 * size.height)))
        }
      }
    }
    let valid = values.filter { !$0.isNaN }.sorted()
    guard let least = valid.first, valid.count > 16 else { return nil }
    let spread = valid[valid.count * 99 / 100] - valid[valid.count / 100]
    guard spread > 0 else { return nil }
    return values.map { ($0 - least) / spread }
  }

  /// - Parameters:
  ///   - growing: the largest share of the picture that an object may fill.
  private func search(
    _ values: [Float], spread: Float, size: Dimensions, start: (x: Int, y: Int), growing: Double
  ) -> (bounds: NormalizedRect, score: Float)? {
    let seed = start.y * size.width + start.x
    guard !values[seed].isNaN else { return nil }
    let reference = localMedian(values, size, start)
    var candidates: [(bounds: NormalizedRect, score: Float)] = []
    var lastCount = 0
    for tolerance in Self.tolerances {
      let region = grow(
        values, size, seed: seed, reference: reference, tolerance: tolerance * spread)
      guard region.count >= 24, region.count != lastCount else { continue }
      lastCount = region.count
      if Double(region.count) > growing * Double(size.count) { break }
      let contrast = contrast(of: region, values, size) / spread
      guard contrast > 0.02 else { continue }
      // objects fill their boxes, and leave room around them: what leaks along the ground does not
      let box = region.bounds(size)
      let fill = Float(Double(region.count) / Double(size.count) / box.area)
      let room = Float(1 - box.area)
      candidates.append((box, contrast * fill.squareRoot() * room * room))
    }
    // of those about as good the largest: a part of an object is not the object
    let best = candidates.map(\.score).max() ?? 0
    return candidates.last { $0.score >= best * 0.9 }
  }

  private struct Region {
    var inside: [Bool]
    var count = 0
    var left = Int.max
    var right = 0
    var top = Int.max
    var bottom = 0

    /// A pixel wider on every side: growing stops where the edge begins, not in its middle.
    func bounds(_ size: Dimensions) -> NormalizedRect {
      let (first, last) = (max(0, left - 1), min(size.width, right + 2))
      let (upper, lower) = (max(0, top - 1), min(size.height, bottom + 2))
      return NormalizedRect(
        x: Double(first) / Double(size.width), y: Double(upper) / Double(size.height),
        width: Double(last - first) / Double(size.width),
        height: Double(lower - upper) / Double(size.height))
    }
  }

  private func localMedian(
    _ values: [Float], _ size: Dimensions, _ start: (x: Int, y: Int)
  ) -> Float {
    var near: [Float] = []
    for y in max(0, start.y - 2)...min(size.height - 1, start.y + 2) {
      for x in max(0, start.x - 2)...min(size.width - 1, start.x + 2) {
        let value = values[y * size.width + x]
        if !value.isNaN { near.append(value) }
      }
    }
    return near.sorted()[near.count / 2]
  }

  /// Everything that hangs together with the seed: within the tolerance of its neighbour's value,
  /// and within four times of the seed's, so that an object may slant.
  private func grow(
    _ values: [Float], _ size: Dimensions, seed: Int, reference: Float, tolerance: Float
  ) -> Region {
    var region = Region(inside: [Bool](repeating: false, count: size.count))
    var open = [seed]
    region.inside[seed] = true
    let (width, height) = (size.width, size.height)
    while let place = open.popLast() {
      let (x, y) = (place % width, place / width)
      region.count += 1
      region.left = min(region.left, x)
      region.right = max(region.right, x)
      region.top = min(region.top, y)
      region.bottom = max(region.bottom, y)
      let value = values[place]
      for (nextX, nextY) in [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)]
      where nextX >= 0 && nextX < width && nextY >= 0 && nextY < height {
        let next = nextY * width + nextX
        // false for holes, which are not a number
        if !region.inside[next], abs(values[next] - value) <= tolerance * 0.5,
          abs(values[next] - reference) <= tolerance * 2
        {
          region.inside[next] = true
          open.append(next)
        }
      }
    }
    return region
  }

  /// The mean difference across a region's border, three pixels out.
  private func contrast(of region: Region, _ values: [Float], _ size: Dimensions) -> Float {
    let width = size.width
    var (sum, count): (Float, Float) = (0, 0)
    for y in region.top...region.bottom {
      for x in region.left...region.right where region.inside[y * width + x] {
        let value = values[y * width + x]
        for (dx, dy) in [(-1, 0), (1, 0), (0, -1), (0, 1)] {
          let (nearX, nearY) = (x + dx, y + dy)
          guard nearX >= 0, nearX < width, nearY >= 0, nearY < size.height,
            !region.inside[nearY * width + nearX]
          else { continue }
          let farX = max(0, min(width - 1, x + 3 * dx))
          let farY = max(0, min(size.height - 1, y + 3 * dy))
          let other = values[farY * width + farX]
          if !other.isNaN { sum += abs(other - value) }
          count += 1
        }
      }
    }
    return count > 0 ? sum / count : 0
  }
}
