// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Tells the object at a point from its surroundings: a flood from the point fills the object before
/// it climbs over its edge, and so stops growing there for a while. Of the outlines at which it does,
/// the one is taken that is steady, fills its box, and has the point in its middle.
///
/// The constants are tuned. `ObjectFinderTests` taps on the 103 subjects that can be seen in eight
/// frames of the sample scene; an object is found where its box overlaps a true one by more than half.
/// 102 are found with a phone's map, 52 by the picture alone. The figures below are what another value
/// of a constant finds in that test.
struct ObjectFinder {
  /// Pixels of the longer side that the picture and the map are looked at with. Half of it finds 24 by
  /// the picture alone; twice as many find 59, with four times the places to flood.
  private static let resolution = 160
  /// Cost of a step across all of the map's spread. Without it 68 are found, with twice as much 94.
  private static let disparityCost: Float = 400
  /// Cost of a step across all of brightness, beside a map. Hardly decides: from 0 to 20 it is 100 to
  /// 102.
  private static let brightnessCost: Float = 10
  /// The same without a map. From 300 to 1200 it is 56 to 48; the round heads of the scene prefer none
  /// (70), by which an outline is a mere disc.
  private static let brightnessCostAlone: Float = 600
  /// Differences that are taken for noise, in shares of the spread and of brightness. From none to
  /// twice as much it is 101 to 102, by the picture alone 50 to 59.
  private static let disparityNoise: Float = 0.003
  private static let brightnessNoise: Float = 0.02
  /// The largest share of the picture that an object may fill. From 0.3 on nothing changes in the
  /// scene; beyond it, the outline is that of everything but the sky.
  private static let largestShare = 0.6
  /// The fewest places of an outline. Without it 17 are found by the picture alone: a spot rests, too.
  private static let fewestPlaces = 24
  /// Of going to a neighbour as such: what is near belongs together. At 1, 98 are found; without it 42
  /// by the picture alone.
  private static let baseCost = 2

  // The outline's score: see ``outline(of:size:at:)``.
  /// Where the search begins: eight places from the point. At 8, 98 are found, at 32 101.
  private static let firstCost: Int32 = 16
  /// An outline rests when little is flooded at a cost higher by this share, and the search goes on by
  /// the other. Half and double find 101 to 102.
  private static let growthShare: Int32 = 5
  private static let advance: Int32 = 24
  /// Growth that is as good as none; without it a single standstill decides. From 0 to 0.12 it is 101
  /// to 102.
  private static let restGrowth = 0.06
  /// How much a point beside the middle tells against an outline. Without it 46 are found by the picture
  /// alone. At 1.6 a point on the box's side keeps 0.6 of the score, one in its corner 0.2.
  private static let centringLoss = 1.6
  /// The score that is sure. An ellipse that rests around the point scores π/4 / ``restGrowth`` = 13,
  /// less its share of the picture.
  private static let fullScore = 12.0

  func find(
    at point: NormalizedPoint, sourceImage: PixelBuffer, sourceDisparity: PixelBuffer?
  ) -> BoundsPrediction? {
    guard (0...1).contains(point.x), (0...1).contains(point.y),
      let luma = PicturePlanes(sourceImage)
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
      // Beside a small spread a step may be more than a whole number holds; all that are as large cost the same.
      return Self.baseCost + Int(Float.minimum(cost, Float(GeodesicFlood.largestStep)))
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
      regions[max(0, regions.partitionPoint { $0.cost <= cost } - 1)].region
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
      let centring = 1 - centringLoss * (dx * dx + dy * dy)
      let room = 1 - box.area
      let score = steadiness * fill * centring * room
      if score > best?.score ?? 0 { best = (box, score) }
    }
    guard let best else { return nil }
    return BoundsPrediction(
      normalizedBounds: best.bounds, confidence: Float(max(0, min(1, best.score / fullScore))))
  }
}
