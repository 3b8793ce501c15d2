// SPDX-License-Identifier: Apache-2.0

import FocalCore
import SubjectKernels

/// Subjects as they were found at the size of the analysis.
struct FoundSubjects: Sendable {
  /// 0 for the background, subjects from 1 on.
  var labels: [UInt8] = []
  /// Of each subject, 0 to 1.
  var confidences: [Float] = []
  /// Of each, how far it is believed at most, by how it stands out and how it lies where it was asked for, 0 to 1; empty where
  /// nothing is known of that.
  var standings: [Float] = []
  /// The number of the subject of which a pixel is for certain, since it was pointed at, 0 elsewhere; empty where nothing was.
  var pointedAt: [UInt8] = []

  var isEmpty: Bool { confidences.isEmpty }
}

/// Finds subjects: where they are by ``SubjectSeeds``, which pixels are theirs by colours and disparities.
struct Segmenter {
  let view: SubjectView
  let map: AnalysisMap?
  /// Models and cuts in turn: a fourth time changes less than a thousandth of the pixels.
  var rounds = 3

  /// Smaller subjects are none: shares of the picture.
  static let leastArea = 0.002
  /// How many subjects there are at most.
  static let mostSubjects = 16
  /// Up to how much a subject is believed if nothing but the picture's colours says where it is.
  private static let confidenceWithoutMap: Float = 0.6

  private var size: Dimensions { view.analysis }
  private var longer: Int { max(size.width, size.height) }

  /// The subjects, those that stand out most first.
  ///
  /// - Parameters:
  ///   - mask: at the size of the analysis.
  ///   - dividesAtSteps: as ``GenerateForegroundInstanceMaskRequest/dividesAtSteps``.
  func subjects(
    points: [NormalizedPoint], boxes: [NormalizedRect], mask: [Float]?, dividesAtSteps: Bool
  ) throws(CinematicError) -> FoundSubjects {
    let seeds = try SubjectSeeds(view: view, map: map)
      .seeds(points: points, boxes: boxes, mask: mask, dividesAtSteps: dividesAtSteps)
    var result = FoundSubjects(labels: [UInt8](repeating: 0, count: size.count))
    let least = max(9, Int(Self.leastArea * Double(size.count)))
    for (index, seed) in seeds.enumerated().prefix(Self.mostSubjects) {
      try GenerateForegroundInstanceMaskRequest.checkCancellation()
      let others = seeds.indices.filter { $0 != index }.map { seeds[$0].labels }
      let refined = try refined(seed, others: others)
      var labels = refined.labels
      if seed.isClipped, let box = seed.box {
        for place in labels.indices where !box.holds(place, in: size) { labels[place] = 0 }
      }
      let standing = seed.standing * likeness(of: labels, to: seed)
      let number = UInt8(result.confidences.count + 1)
      var area = 0
      for place in labels.indices where labels[place] != 0 && result.labels[place] == 0 {
        area += 1
      }
      guard area >= least else { continue }
      for place in labels.indices where labels[place] != 0 && result.labels[place] == 0 {
        result.labels[place] = number
      }
      if let tap = seed.tap {
        if result.pointedAt.isEmpty { result.pointedAt = [UInt8](repeating: 0, count: size.count) }
        for place in alike(around: tap) where result.labels[place] == number {
          result.pointedAt[place] = number
        }
      }
      result.confidences.append(
        Self.confidence(refined.agreement, standing: standing, isMeasured: seed.isMeasured))
      result.standings.append(standing)
    }
    return result
  }

  /// How far a subject is believed.
  ///
  /// - Parameters:
  ///   - agreement: of colours and disparities with it.
  ///   - standing: how far it is believed at most.
  ///   - isMeasured: whether more than the picture's colours says where it is.
  static func confidence(_ agreement: Float, standing: Float, isMeasured: Bool) -> Float {
    agreement * standing * (isMeasured ? 1 : confidenceWithoutMap)
  }

  /// The share of a subject that lies where it was asked for: in the box, as near as the place.
  private func likeness(of labels: [UInt8], to seed: SubjectSeed) -> Float {
    let box = seed.box.map { box in
      let (across, down) = (box.columns.count / Self.boxSlack, box.rows.count / Self.boxSlack)
      return PixelRect(
        columns: box.columns.lowerBound - across..<box.columns.upperBound + across,
        rows: box.rows.lowerBound - down..<box.rows.upperBound + down)
    }
    var (alike, all) = (0, 0)
    for place in labels.indices where labels[place] != 0 {
      all += 1
      if let box, !box.holds(place, in: size) { continue }
      if let map, let surface = seed.surface,
        abs(map.values[place] - surface) > Self.farthest
      {
        continue
      }
      alike += 1
    }
    return all == 0 ? 1 : Float(alike) / Float(all)
  }

  /// Detections' boxes are this part of their sides too small.
  private static let boxSlack = 20
  /// What is farther than this from where a subject was asked for is hardly its, in parts of the map's range: people who
  /// reach for the camera have .25.
  private static let farthest: Float = 0.3

  /// Which pixels are a subject's: colour models and cuts in turn, around the outline that the seed has.
  ///
  /// - Returns: and how far colours and disparities agree with it, 0 to 1.
  func refined(
    _ seed: SubjectSeed, others: [[UInt8]]
  ) throws(CinematicError) -> (labels: [UInt8], agreement: Float) {
    let count = size.count
    let (width, height) = (Int32(size.width), Int32(size.height))
    let seed = visible(seed)
    guard seed.labels.contains(1) else { return (seed.labels, 0) }
    var distance = [Float](unset: count)
    try kernel(size) { focal_edge_distance(seed.labels, width, height, &distance) }
    var fixed = seed.fixed ?? [UInt8](repeating: 0, count: count)
    if seed.fixed == nil {
      let inner = seed.inner * Float(longer)
      let outer = seed.outer * Float(longer)
      // Of thin subjects the middle stays.
      let deepest = distance.max() ?? 0
      let sure = min(inner, 0.6 * deepest)
      for place in 0..<count {
        fixed[place] = distance[place] > sure ? 1 : distance[place] < -outer ? 2 : 0
      }
    }
    // What is pointed at is the subject's, whatever its colour.
    if let tap = seed.tap {
      for place in alike(around: tap) { fixed[place] = 1 }
    }
    for other in others {
      for place in 0..<count where other[place] != 0 && seed.labels[place] == 0 {
        guard seed.rivals?[place] != SubjectSeed.doubtful else { continue }
        fixed[place] = 2
      }
    }
    // Pixels far outside count little for the background at the outline.
    let near = Float(min(size.width, size.height)) / 5
    var weights = distance.map { $0 > -near ? 1 : Float(0.25) }
    // Colours that are not to be seen are no examples.
    for place in view.isClear.indices where view.isClear[place] {
      fixed[place] = 2
      weights[place] = 0
    }
    // Nor is what is another's: its disparities and usual colours are no back's.
    if let rivals = seed.rivals {
      for place in rivals.indices where rivals[place] != 0 {
        fixed[place] = rivals[place] == SubjectSeed.doubtful ? 0 : 2
        weights[place] = 0
      }
    }
    var labels = seed.labels
    var cost = [Float](repeating: 0, count: count)
    var support: Float = 0
    for _ in 0..<rounds {
      var examples = labels
      if let rivals = seed.rivals {
        for place in rivals.indices where rivals[place] != 0 && labels[place] == 0 {
          examples[place] = 2
        }
      }
      try kernel(size) {
        focal_subject_colours(view.codes, labels, weights, fixed, width, height, &cost)
      }
      try kernel(size) {
        focal_subject_nearby(
          view.codes, labels, fixed, width, height, Int32(max(4, longer / seed.cells)),
          seed.nearby, &cost)
      }
      if let map {
        try kernel(size) {
          focal_subject_depths(
            map.values, map.risen, examples, fixed, width, height, Int32(max(3, longer / 40)),
            Self.depthWeight, &cost)
        }
      }
      support = Self.support(of: labels, by: cost, fixed)
      if let prior = seed.prior {
        for place in 0..<count { cost[place] += prior[place] }
      }
      try kernel(size) {
        focal_cut(view.codes, cost, fixed, width, height, seed.smoothness, &labels)
      }
    }
    labels = try connected(labels, with: fixed)
    var (agreeing, asked) = (0, 0)
    for place in 0..<count where fixed[place] == 0 && abs(cost[place]) > 0.1 {
      asked += 1
      if (cost[place] > 0) == (labels[place] != 0) { agreeing += 1 }
    }
    // Where colours do not tell both sides apart, what stands out is noise.
    if !seed.isMeasured, support < Self.leastSupport {
      return ([UInt8](repeating: 0, count: count), 0)
    }
    // Half of them agree by chance.
    let agreement = asked == 0 ? 1 : max(0, 2 * Float(agreeing) / Float(asked) - 1)
    return (labels, agreement)
  }

  /// The pixels close to one that hang together with it, are as near and have its colour: what is pointed at is more than a
  /// pixel, and ends at edges.
  private func alike(around middle: Int) -> [Int] {
    let reach = max(1, Int(Self.tapReach * Float(longer)))
    let (width, height) = (size.width, size.height)
    let (x, y) = (middle % width, middle / width)
    var found = [middle]
    var next = 0
    while next < found.count {
      let (i, j) = (found[next] % width, found[next] / width)
      next += 1
      for (u, v) in [(i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)] {
        guard (0..<width).contains(u), (0..<height).contains(v),
          (u - x) * (u - x) + (v - y) * (v - y) <= reach * reach
        else { continue }
        let place = v * width + u
        guard !found.contains(place), isAlike(place, middle) else { continue }
        found.append(place)
      }
    }
    return found
  }

  private func isAlike(_ place: Int, _ other: Int) -> Bool {
    if let map, abs(map.values[place] - map.values[other]) > Self.tapStep { return false }
    return (0..<3).allSatisfy {
      abs(view.codes[3 * place + $0] - view.codes[3 * other + $0]) <= Self.tapColours
    }
  }

  /// How far around a point what is like it is its subject's, in parts of the longer side, and what is like it: disparities in
  /// parts of the map's range, as within a subject, and codes in parts of white, as in texture and noise.
  private static let tapReach: Float = 0.01
  private static let tapStep: Float = 0.03
  private static let tapColours: Float = 0.08

  /// A seed without what is transparent in the picture itself.
  private func visible(_ seed: SubjectSeed) -> SubjectSeed {
    var seed = seed
    for place in view.isClear.indices where view.isClear[place] {
      seed.labels[place] = 0
      if seed.tap == place { seed.tap = nil }
    }
    return seed
  }

  /// How far colours speak for the labels, in the mean of those that are asked.
  private static func support(of labels: [UInt8], by cost: [Float], _ fixed: [UInt8]) -> Float {
    var (sum, asked): (Float, Int) = (0, 0)
    for place in labels.indices where fixed[place] == 0 {
      sum += labels[place] != 0 ? cost[place] : -cost[place]
      asked += 1
    }
    return asked == 0 ? .infinity : sum / Float(asked)
  }

  private static let leastSupport: Float = 0.35

  /// The parts that hang together with the pixels that are certain, and those that lie close to them: ends of hair.
  private func connected(
    _ labels: [UInt8], with fixed: [UInt8]
  ) throws(CinematicError) -> [UInt8] {
    let (width, height) = (Int32(size.width), Int32(size.height))
    let certain = fixed.map { $0 == 1 ? UInt8(1) : 0 }
    var body = labels
    try kernel(size) { focal_subject_keep(certain, width, height, &body) }
    var gap = [Float](unset: size.count)
    try kernel(size) { focal_edge_gap(body, width, height, &gap) }
    let reach = Self.islandReach * Float(longer)
    var islands = labels
    for place in islands.indices where body[place] != 0 { islands[place] = 0 }
    var depth = [Float](unset: size.count)
    try kernel(size) { focal_edge_depth(islands, width, height, &depth) }
    // Thick ones are things of their own.
    var thick = islands
    let cores = depth.map { $0 > Self.islandDepth ? UInt8(1) : 0 }
    try kernel(size) { focal_subject_keep(cores, width, height, &thick) }
    for place in islands.indices where thick[place] != 0 { islands[place] = 0 }
    let near = gap.map { $0 < reach ? UInt8(1) : 0 }
    try kernel(size) { focal_subject_keep(near, width, height, &islands) }
    for place in body.indices where islands[place] != 0 { body[place] = 1 }
    return body
  }

  /// How far islands may lie from a subject, in parts of the longer side.
  private static let islandReach: Float = 0.015
  /// How thick they may be, in pixels of the analysis.
  private static let islandDepth: Float = 2
  /// The weight of a disparity that is one side's: half of it loses hands that have the colour of what is behind.
  private static let depthWeight: Float = 6
}
