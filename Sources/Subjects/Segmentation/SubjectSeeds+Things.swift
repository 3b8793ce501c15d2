// SPDX-License-Identifier: Apache-2.0

import FocalCore
import SubjectKernels

/// A thing in a part of the map that stands out, at the size of the analysis.
struct MapThing {
  /// 1 for the thing.
  var labels: [UInt8]
  /// The part of the map that it is in.
  var layer: Int
}

/// Things that touch, told apart by the map.
extension SubjectSeeds {
  /// Things end at steps of this within three pixels of the coarse map, in parts of its range. From .12 on a box before a
  /// woman is hers in some frames, below .1 a forearm before a man is none of his.
  private static let thingStep: Float = 0.11
  /// They end at necks that are less than this times as wide as what is on both sides: two men who touch at an arm have .38, a
  /// man's neck .54 and more.
  private static let neck: Float = 0.42
  /// Along a neck, the map differs by less than this from one thing to the other; twice as much leads over soft steps.
  private static let thingSlack = thingStep / 4
  /// Smaller ones are pieces of others: shares of the picture.
  private static let leastThing = Segmenter.leastArea

  /// A thing of less than this share of another one's area is not told apart from that.
  private static let leastShare = 0.1

  /// Things in the parts of the map that stand out: people who touch are one part, and things of their own.
  func things(of map: AnalysisMap) throws(CinematicError) -> [MapThing] {
    try things(try coarseLayers(of: map), of: map)
  }

  /// The same by the numbers of those parts.
  func things(
    _ layers: (labels: [UInt8], count: UInt8), of map: AnalysisMap
  ) throws(CinematicError) -> [MapThing] {
    let coarse = map.coarse
    let (labels, count) = layers
    var things: [MapThing] = []
    for number in stride(from: UInt8(1), through: count, by: 1) {
      let layer = labels.map { $0 == number ? 1 : UInt8(0) }
      var parts = [UInt8](repeating: 0, count: coarse.count)
      var found: Int32 = 0
      try kernel(coarse) {
        focal_subject_divide(
          map.coarseValues, layer, Int32(coarse.width), Int32(coarse.height), Self.thingStep,
          Self.neck, &parts, &found)
      }
      for part in stride(from: UInt8(1), through: UInt8(found), by: 1) {
        // The largest come first.
        let area = parts.count { $0 == part }
        guard Double(area) >= Self.leastThing * Double(coarse.count) else { break }
        things.append(
          MapThing(labels: try enlarged(parts, part, of: map), layer: Int(number)))
      }
    }
    return things
  }

  /// A thing with the small ones of its part: what stands out of hair is none of its own.
  func whole(_ thing: MapThing, among things: [MapThing]) -> [UInt8] {
    var labels = thing.labels
    let area = labels.count { $0 != 0 }
    for other in things where other.layer == thing.layer {
      let own = other.labels.count { $0 != 0 }
      guard Double(own) < Self.leastShare * Double(area) else { continue }
      for place in labels.indices where other.labels[place] != 0 { labels[place] = 1 }
    }
    return labels
  }

  /// What the map has as other things than a seed.
  ///
  /// - Returns: `nil` where there is none.
  func rivals(of seed: SubjectSeed, _ things: [MapThing]) -> [UInt8]? {
    var rivals: [UInt8]?
    for thing in things {
      var (own, boxed, all) = (0, 0, 0)
      for place in thing.labels.indices where thing.labels[place] != 0 {
        all += 1
        if seed.labels[place] != 0 { own += 1 }
        if let box = seed.box, box.holds(place, in: size) { boxed += 1 }
      }
      guard 2 * own < all, 2 * boxed < all else { continue }
      var others = rivals ?? [UInt8](repeating: 0, count: size.count)
      for place in others.indices where thing.labels[place] != 0 && seed.labels[place] == 0 {
        others[place] = 1
      }
      rivals = others
    }
    guard var others = rivals, let map else { return rivals }
    ask(&others, of: map, around: seed)
    return others
  }

  /// Marks what may be the seed's after all: where the map goes on without a step, a neck ends somewhere between both.
  private func ask(_ rivals: inout [UInt8], of map: AnalysisMap, around seed: SubjectSeed) {
    let (width, height) = (size.width, size.height)
    func neighbours(_ place: Int) -> [Int] {
      let (x, y) = (place % width, place / width)
      return [
        x > 0 ? place - 1 : place, x + 1 < width ? place + 1 : place,
        y > 0 ? place - width : place, y + 1 < height ? place + width : place,
      ]
    }
    var edge: [(place: Int, disparity: Float)] = []
    for place in rivals.indices where rivals[place] == 0 && seed.labels[place] != 0 {
      if neighbours(place).contains(where: { rivals[$0] != 0 }) {
        edge.append((place, map.values[place]))
      }
    }
    for _ in 0..<Int(seed.outer * Float(max(width, height))) {
      var next: [(place: Int, disparity: Float)] = []
      for (place, disparity) in edge {
        for other in neighbours(place) where rivals[other] == SubjectSeed.anothers {
          guard abs(map.values[other] - disparity) < Self.thingSlack else { continue }
          rivals[other] = SubjectSeed.doubtful
          next.append((other, disparity))
        }
      }
      edge = next
    }
  }
}

extension PixelRect {
  /// Whether a pixel of a picture of a size lies in it.
  func holds(_ place: Int, in size: Dimensions) -> Bool {
    columns.contains(place % size.width) && rows.contains(place / size.width)
  }
}
