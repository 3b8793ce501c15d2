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

/// Large things in one part of the map, each a subject.
extension SubjectSeeds {
  /// A thing that has at least this share of its part of the map is a subject by itself.
  private static let leastDivision = 0.15

  /// A seed for each thing, to which the others of its part are rivals.
  func seeds(of things: [MapThing]) -> [SubjectSeed] {
    things.map { thing in
      var seed = SubjectSeed(labels: thing.labels)
      seed.rivals = rivals(of: seed, things.filter { $0.layer == thing.layer })
      return seed
    }
  }

  /// The parts of the map that stand out; those in which large things end at steps, divided into these.
  func thingsAtSteps(of map: AnalysisMap) throws(CinematicError) -> [MapThing] {
    let coarse = try coarseLayers(of: map)
    let things = try things(coarse, of: map)
    var result: [MapThing] = []
    for (index, layer) in try layers(coarse, of: map).enumerated() {
      let number = index + 1
      let parts = try divided(layer, things.filter { $0.layer == number }, map)
      result += parts.map { MapThing(labels: $0, layer: number) }
    }
    return result
  }

  /// The large things of a part of the map, the largest first, with what touches them without a step and small ones; the whole
  /// part if there is one.
  private func divided(
    _ layer: [UInt8], _ things: [MapThing], _ map: AnalysisMap
  ) throws(CinematicError) -> [[UInt8]] {
    guard things.count > 1 else { return [layer] }
    var owners = [Int](repeating: -1, count: size.count)
    for (index, thing) in things.enumerated() {
      for place in owners.indices where thing.labels[place] != 0 { owners[place] = index }
    }
    let contacts = contacts(of: owners, things.count, map)
    // The group that each thing is in, by the number of one of them.
    var groups = Array(things.indices)
    for contact in contacts where 2 * contact.steps < contact.length {
      let (old, new) = (groups[contact.first], groups[contact.second])
      for index in groups.indices where groups[index] == old { groups[index] = new }
    }
    var areas = [Int](repeating: 0, count: things.count)
    for owner in owners where owner >= 0 { areas[groups[owner]] += 1 }
    let least = Self.leastDivision * Double(layer.count { $0 != 0 })
    let large = areas.indices.filter { Double(areas[$0]) >= least }.sorted { areas[$0] > areas[$1] }
    guard large.count > 1 else { return [layer] }
    // Small ones go with what they touch most.
    for contact in contacts.sorted(by: { $0.length > $1.length }) {
      let (a, b) = (groups[contact.first], groups[contact.second])
      guard large.contains(a) != large.contains(b) else { continue }
      let (old, new) = large.contains(a) ? (b, a) : (a, b)
      for index in groups.indices where groups[index] == old { groups[index] = new }
    }
    // And what is in none of them, with the nearest one.
    let nearest = owners.map { $0 >= 0 && large.contains(groups[$0]) ? UInt8(1) : 0 }
    var numbers = owners.map { $0 >= 0 ? Float(groups[$0]) : 0 }
    try kernel(size) {
      focal_subject_fill(nearest, Int32(size.width), Int32(size.height), &numbers)
    }
    return large.map { group in
      layer.indices.map { layer[$0] != 0 && Int(numbers[$0]) == group ? 1 : 0 }
    }
  }

  /// Where two things touch: how many pairs of pixels lie there, and at how many of them is a step of the map.
  private struct Contact {
    let first: Int
    let second: Int
    var length = 0
    var steps = 0
  }

  /// All contacts between things, in the order of their numbers.
  ///
  /// - Parameter owners: the number of each pixel's thing, below 0 for none.
  private func contacts(of owners: [Int], _ count: Int, _ map: AnalysisMap) -> [Contact] {
    var found: [Int: Contact] = [:]
    let (width, height) = (size.width, size.height)
    // Steps are three pixels of the coarse map wide.
    let reach = max(1, 3 * width / (2 * map.coarse.width))
    for y in 0..<height {
      for x in 0..<width {
        let place = y * width + x
        for (stride, before, after) in [(1, x, width - 1 - x), (width, y, height - 1 - y)]
        where after > 0 {
          let (a, b) = (owners[place], owners[place + stride])
          guard a >= 0, b >= 0, a != b else { continue }
          var (low, high) = (place, place + stride)
          for step in 1...reach {
            if step <= before, owners[place - step * stride] == a { low = place - step * stride }
            if step < after, owners[place + (step + 1) * stride] == b {
              high = place + (step + 1) * stride
            }
          }
          let key = min(a, b) * count + max(a, b)
          var contact = found[key] ?? Contact(first: min(a, b), second: max(a, b))
          contact.length += 1
          if abs(map.values[high] - map.values[low]) >= Self.thingStep { contact.steps += 1 }
          found[key] = contact
        }
      }
    }
    return found.keys.sorted().compactMap { found[$0] }
  }
}

extension PixelRect {
  /// Whether a pixel of a picture of a size lies in it.
  func holds(_ place: Int, in size: Dimensions) -> Bool {
    columns.contains(place % size.width) && rows.contains(place / size.width)
  }
}
