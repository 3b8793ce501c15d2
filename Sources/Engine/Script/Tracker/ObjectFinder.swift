// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Tells the object at a point from its surroundings: a flood from the point fills the object before
/// it climbs over its edge, and so stops growing there for a while. Of the outlines at which it does,
/// the one is taken that is steady, fills its box, and has the point in its middle.
struct ObjectFinder {
  /// Pixels of the longer side that the picture and the map are looked at with.
  private static let resolution = 160
  /// Cost of a step across all of the map's spread, and across all of brightness, with and without a
  /// map: what one thing is tells the map better.
  private static let disparityCost: Float = 400
  private static let brightnessCost: Float = 10
  private static let brightnessCostAlone: Float = 600
  /// Differences that are taken for noise, in shares of the spread.
  private static let disparityNoise: Float = 0.003
  private static let brightnessNoise: Float = 0.02
  /// The largest share of the picture that an object may fill, and the fewest places.
  private static let largestShare = 0.6
  private static let fewestPlaces = 24
  /// Of going to a neighbour as such: what is near belongs together.
  private static let baseCost = 2

  // The outline's score: see ``outline(of:size:at:)``.
  private static let firstCost: Int32 = 16
  private static let growthShare: Int32 = 5
  private static let advance: Int32 = 24
  private static let restGrowth = 0.06
  private static let centringLoss = 1.6
  private static let leastCentring = 0.1
  private static let fullScore = 12.0

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
    let map = sourceDisparity.flatMap { Self.map($0, size: size) }
    let start = point.pixel(in: size)
    let brightnessCost = (map == nil ? Self.brightnessCostAlone : Self.brightnessCost) / 255
    func climb(_ difference: Float, _ noise: Float) -> Float { max(0, abs(difference) - noise) }
    let flood = GeodesicFlood(
      from: start, size: size, limit: Int(Double(size.count) * 0.9)
    ) { from, to in
      var cost =
        brightnessCost * climb(brightness[to] - brightness[from], Self.brightnessNoise * 255)
      if let map {
        let difference = map[to] - map[from]
        // a hole's border says nothing
        if !difference.isNaN { cost += Self.disparityCost * climb(difference, Self.disparityNoise) }
      }
      return Self.baseCost + Int(cost)
    }
    return Self.outline(of: flood, size: size, at: point)
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

  /// The flooded region after some places were reached.
  private struct Region {
    var count = 0
    var left = Int.max
    var right = 0
    var top = Int.max
    var bottom = 0

    mutating func add(_ x: Int, _ y: Int) {
      count += 1
      (left, right) = (min(left, x), max(right, x))
      (top, bottom) = (min(top, y), max(bottom, y))
    }

    func bounds(_ size: Dimensions) -> NormalizedRect {
      NormalizedRect(
        x: Double(left) / Double(size.width), y: Double(top) / Double(size.height),
        width: Double(right + 1 - left) / Double(size.width),
        height: Double(bottom + 1 - top) / Double(size.height))
    }
  }

  private static func outline(
    of flood: GeodesicFlood, size: Dimensions, at point: NormalizedPoint
  ) -> BoundsPrediction? {
    guard let highest = flood.costs.last, highest > 0 else { return nil }
    // how many places are reached at each cost, and the region then
    var regions: [(cost: Int32, region: Region)] = []
    var region = Region()
    for (place, cost) in zip(flood.order, flood.costs) {
      if let last = regions.last, last.cost == cost { regions.removeLast() }
      region.add(Int(place) % size.width, Int(place) / size.width)
      regions.append((cost, region))
    }
    func flooded(at cost: Int32) -> Region {
      regions[max(0, regions.firstPosition { $0.cost > cost } - 1)].region
    }
    var best: (bounds: NormalizedRect, score: Double)?
    var cost = firstCost
    while cost < highest {
      let next = cost + max(2, cost / growthShare)
      let (here, there) = (flooded(at: cost), flooded(at: next))
      defer { cost += max(1, cost / advance) }
      guard here.count >= fewestPlaces,
        Double(here.count) <= largestShare * Double(size.count), next <= highest
      else { continue }
      let box = here.bounds(size)
      let steadiness = 1 / (restGrowth + Double(there.count - here.count) / Double(here.count))
      let fill = Double(here.count) / Double(size.count) / box.area
      let (dx, dy) = ((point.x - box.midX) / box.width, (point.y - box.midY) / box.height)
      let centring = max(leastCentring, 1 - centringLoss * (dx * dx + dy * dy))
      let room = 1 - box.area
      let score = steadiness * fill * centring * room
      if score > best?.score ?? 0 { best = (box, score) }
    }
    guard let best else { return nil }
    return BoundsPrediction(
      normalizedBounds: best.bounds, confidence: Float(max(0, min(1, best.score / fullScore))))
  }
}
