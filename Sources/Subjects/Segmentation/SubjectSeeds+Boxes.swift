// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Seeds by the boxes of detections.
extension SubjectSeeds {
  /// - Returns: `nil` for a box beside the picture.
  func seed(in box: NormalizedRect, _ things: [MapThing], parts: [SubjectSeed]) -> SubjectSeed? {
    guard let pixels = box.pixels(in: size) else { return nil }
    var seed =
      seed(in: pixels, parts: parts) ?? seed(in: pixels, things) ?? middle(of: pixels)
    seed.box = pixels
    if let map {
      let own = seed.labels.indices.filter { seed.labels[$0] != 0 && pixels.holds($0, in: size) }
      seed.surface = Self.median(own.map { map.values[$0] })
    }
    seed.rivals = rivals(of: seed, things)
    return seed
  }

  /// How many pixels of a mask lie in a box, and how many it has.
  private func areas(of labels: [UInt8], in box: PixelRect) -> (inside: Int, all: Int) {
    var (inside, all) = (0, 0)
    for place in labels.indices where labels[place] != 0 {
      all += 1
      if box.holds(place, in: size) { inside += 1 }
    }
    return (inside, all)
  }

  /// The part of a mask in a box, or what of it lies in the box.
  ///
  /// - Returns: `nil` where the mask has little there.
  private func seed(in box: PixelRect, parts: [SubjectSeed]) -> SubjectSeed? {
    let area = box.columns.count * box.rows.count
    var best: (inside: Int, seed: SubjectSeed)?
    for part in parts {
      let (inside, all) = areas(of: part.labels, in: box)
      guard inside * 5 > area, inside > best?.inside ?? 0 else { continue }
      var part = part
      // Of what goes on far beyond the box, as a crowd does, only what lies in it is wanted.
      part.isClipped = inside * 10 <= all * 6
      best = (inside, part)
    }
    return best?.seed
  }

  /// The thing of the map that fills most of a box, and what else of the same part of the map lies wholly in the box; of a
  /// thing that goes on far beyond the box, what lies in it.
  ///
  /// - Returns: `nil` where none fills much of it.
  private func seed(in box: PixelRect, _ things: [MapThing]) -> SubjectSeed? {
    let found = things.map { areas(of: $0.labels, in: box) }
    let best = found.indices.max { found[$0].inside < found[$1].inside }
    guard let best, found[best].inside * 4 > box.columns.count * box.rows.count else { return nil }
    var seed = SubjectSeed(labels: things[best].labels)
    seed.isClipped = found[best].inside * 10 <= found[best].all * 6
    guard !seed.isClipped else { return seed }
    for (index, thing) in things.enumerated()
    where index != best && thing.layer == things[best].layer {
      guard found[index].inside * 10 > found[index].all * 9 else { continue }
      for place in thing.labels.indices where thing.labels[place] != 0 { seed.labels[place] = 1 }
    }
    return seed
  }

  /// The middle of a box, as far as it is as near as most of it.
  private func middle(of box: PixelRect) -> SubjectSeed {
    let width = size.width
    var seed = SubjectSeed(labels: [UInt8](repeating: 0, count: size.count))
    var fixed = [UInt8](repeating: 2, count: size.count)
    var prior = [Float](repeating: 0, count: size.count)
    for y in box.rows {
      for x in box.columns {
        let place = y * width + x
        let across = (Float(x) + 0.5 - Float(box.columns.lowerBound)) / Float(box.columns.count)
        let down = (Float(y) + 0.5 - Float(box.rows.lowerBound)) / Float(box.rows.count)
        let (u, v) = (across - 0.5, down - 0.5)
        // The middle of a box is the subject's, its corners are not.
        let away = (u * u + 0.6 * v * v).squareRoot()
        seed.labels[place] = away < 0.42 ? 1 : 0
        fixed[place] = away < 0.08 ? 1 : 0
        prior[place] = 1.2 - 3 * away
      }
    }
    if let map {
      let own = seed.labels.indices.filter { seed.labels[$0] != 0 }
      let surface = Self.median(own.map { map.values[$0] }) ?? 0
      for place in own where abs(map.values[place] - surface) > Self.mostStep {
        seed.labels[place] = 0
        fixed[place] = 0
        prior[place] = min(prior[place], 0)
      }
      // What is as near as the middle is the subject's, unless all of the box is.
      let near = prior.indices.filter {
        box.holds($0, in: size) && abs(map.values[$0] - surface) < Self.sameStep
      }
      let most = Self.mostNear * Double(box.columns.count * box.rows.count)
      if Double(near.count) <= most {
        for place in near {
          if prior[place] > Self.surePrior { fixed[place] = 1 }
          prior[place] += Self.nearTrust
        }
      }
    }
    seed.fixed = fixed
    seed.prior = prior
    (seed.nearby, seed.cells, seed.smoothness) = (0.3, 16, 4)
    seed.isMeasured = map != nil
    return seed
  }

  /// What is farther than this from the middle of what a box holds is another's, in parts of the map's range.
  private static let mostStep: Float = 0.15
  /// What differs less is as near as that, which says nothing where it is more than this share of the box.
  private static let sameStep: Float = 0.04
  private static let mostNear = 0.75
  /// How much being as near counts beside colours, and how far in the middle it is enough.
  private static let nearTrust: Float = 1.5
  private static let surePrior: Float = 0.45

  private static func median(_ values: [Float]) -> Float? {
    guard !values.isEmpty else { return nil }
    var values = values
    return values.value(at: values.count / 2)
  }
}
