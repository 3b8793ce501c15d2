// SPDX-License-Identifier: Apache-2.0

import FocalCore
import SubjectKernels

/// Seeds by a mask that is given.
extension SubjectSeeds {
  /// What a map tells apart is a subject if a mask has so much of it.
  private static let leastCover = 0.3

  /// The subjects of a mask: its connected parts, the largest first. People who touch are one part of a mask; where a map
  /// tells them apart, they are subjects of their own.
  func parts(of mask: [Float], _ layers: [[UInt8]]) throws(CinematicError) -> [SubjectSeed] {
    let whole = Self.seed(mask: mask, size)
    guard let map else { return try split(whole) }
    var rest = whole.labels
    var found: [(area: Int, seed: SubjectSeed)] = []
    for layer in layers {
      var part = whole
      var (both, all) = (0, 0)
      for place in layer.indices {
        if layer[place] == 0 { part.labels[place] = 0 } else { all += 1 }
        if part.labels[place] != 0 { both += 1 }
      }
      guard both >= least, Double(both) >= Self.leastCover * Double(all) else { continue }
      try take(part, from: &rest)
      complete(&part, by: layer, of: map)
      found.append((both, part))
    }
    guard !found.isEmpty else { return try split(whole) }
    var others = whole
    others.labels = rest
    for var other in try split(others) {
      let standing = standing(other.labels, in: map)
      other.isBehind = standing == nil
      other.standing = standing ?? 1
      found.append((other.labels.count { $0 != 0 }, other))
    }
    return found.sorted { $0.area > $1.area }.map(\.seed)
  }

  /// What is to be seen of a picture that is cut out already: its connected parts, the largest first; none of other
  /// pictures.
  func cutOut() throws(CinematicError) -> [SubjectSeed] {
    let clear = view.isClear
    guard Double(clear.count { $0 }) >= Self.leastClear * Double(size.count) else { return [] }
    let whole = SubjectSeed(labels: clear.map { $0 ? 0 : 1 })
    return try split(whole).map { part in
      var part = part
      var fixed = part.labels
      for place in clear.indices where clear[place] { fixed[place] = 2 }
      part.fixed = fixed
      return part
    }
  }

  /// Transparent in less than this share of it, a picture is no cut-out: its corners are round, or it was turned a little.
  private static let leastClear = 0.25

  /// Adds what a mask lacks of a part of the map and is as near as what it has: models lose legs in the air. Bags on a
  /// table before a person are nearer, and stay another's.
  private func complete(_ part: inout SubjectSeed, by layer: [UInt8], of map: AnalysisMap) {
    let places = layer.indices.filter { part.labels[$0] != 0 }
    let own = places.map { map.values[$0] }.sorted()
    let edge = own.count / 10
    let range = own[edge] - Self.slack...own[own.count - 1 - edge] + Self.slack
    for place in layer.indices where layer[place] != 0 && part.labels[place] == 0 {
      guard range.contains(map.values[place]) else { continue }
      part.labels[place] = 1
      part.prior?[place] = Self.trust / 4
    }
  }

  /// Disparities of one thing differ by this at least, in parts of the map's range.
  private static let slack: Float = 0.02

  /// Takes a part away, and what lies close around it: that is asked with the part.
  private func take(_ part: SubjectSeed, from rest: inout [UInt8]) throws(CinematicError) {
    var gap = [Float](unset: size.count)
    try kernel(size) {
      focal_edge_gap(part.labels, Int32(size.width), Int32(size.height), &gap)
    }
    let reach = part.outer * Float(max(size.width, size.height))
    for place in rest.indices where gap[place] < reach { rest[place] = 0 }
  }

  /// Connected parts of a mask are subjects of their own, the largest first.
  private func split(_ seed: SubjectSeed) throws(CinematicError) -> [SubjectSeed] {
    var rest = seed.labels
    var result: [(area: Int, seed: SubjectSeed)] = []
    while let start = rest.firstIndex(of: 1), result.count < 4 * Segmenter.mostSubjects {
      var single = [UInt8](repeating: 0, count: size.count)
      single[start] = 1
      var part = rest
      try kernel(size) {
        focal_subject_keep(single, Int32(size.width), Int32(size.height), &part)
      }
      var area = 0
      for place in part.indices where part[place] != 0 {
        rest[place] = 0
        area += 1
      }
      var one = seed
      one.labels = part
      if area >= least { result.append((area, one)) }
    }
    return result.sorted { $0.area > $1.area }.map(\.seed)
  }

  private var least: Int { max(9, Int(Segmenter.leastArea * Double(size.count))) }

  private static func seed(mask: [Float], _ size: Dimensions) -> SubjectSeed {
    var seed = SubjectSeed(labels: mask.map { $0 > 0.5 ? 1 : 0 })
    seed.prior = mask.map { Self.trust * ($0 - 0.5) }
    return seed
  }

  /// How much a mask counts beside colours and disparities.
  static let trust: Float = 4
}
