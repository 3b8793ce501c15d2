// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalEyes
import SubjectKernels

/// Where a subject is, roughly, at the size of the analysis.
struct SubjectSeed {
  /// 1 for the subject.
  var labels: [UInt8]
  /// How far inside and outside the outline pixels are asked, in parts of the longer side.
  var inner: Float = 0.02
  var outer: Float = 0.025
  /// 1 for what is the subject's, 2 for what is not; by default by the distance from the outline.
  var fixed: [UInt8]?
  /// The prior of each pixel beside its colour: above 0 for the subject.
  var prior: [Float]?
  /// How much colours nearby count against those of the whole subject.
  var nearby: Float = 0.8
  /// How many cells of nearby colours the longer side has.
  var cells = 32
  var smoothness: Float = 3
  /// Whether more than the picture's colours says where it is.
  var isMeasured = true
  /// Whether a mask has it and a map does not: floors that the mask has run out over, people far away. It is a subject
  /// where it is asked for.
  var isBehind = false
  /// How far what is around it lets it stand out, 0 to 1: how much it is believed at most.
  var standing: Float = 1
  /// The pixel that was pointed at.
  var tap: Int?
  /// What the map has as another's, by ``anothers`` and ``doubtful``: neither the subject's nor, but for colours nearby, an
  /// example of what is behind.
  var rivals: [UInt8]?
  /// The box that it was asked for by, and whether what goes on beyond that is left out.
  var box: PixelRect?
  var isClipped = false
  /// The disparity of the place that it was asked for by.
  var surface: Float?

  /// Another's for certain, and what is another's if colours agree.
  static let (anothers, doubtful): (UInt8, UInt8) = (1, 2)
}

/// Finds where subjects are: by taps, a mask, boxes, parts of the map that stand out, or colours that do.
struct SubjectSeeds {
  let view: SubjectView
  let map: AnalysisMap?

  var size: Dimensions { view.analysis }

  /// The outline of a part of the map: how much it rises there at least, of the map's range.
  private static let leastContrast: Float = 0.06
  /// The least part of the picture.
  private static let leastArea: Float = 0.006
  /// A subject goes on where the map does, on the floor as well, in steps of the coarse map.
  private static let floorStep: Float = 0.012
  private static let floorProminence: Float = 0.14
  /// A subject that becomes larger than this by going on has run out over the floor.
  private static let mostGrowth: Float = 1.12

  func seeds(
    points: [NormalizedPoint], boxes: [NormalizedRect], mask: [Float]?, dividesAtSteps: Bool
  ) throws(CinematicError) -> [SubjectSeed] {
    let isAsked = !points.isEmpty || !boxes.isEmpty
    var layers: [[UInt8]]?
    var things: [MapThing] = []
    if let map {
      if isAsked {
        things = try self.things(of: map)
      } else if dividesAtSteps {
        things = try thingsAtSteps(of: map)
      }
      layers = try isAsked || dividesAtSteps ? things.map(\.labels) : self.layers(of: map)
    }
    let parts = try mask.map { mask throws(CinematicError) in
      try self.parts(of: mask, layers ?? [])
    }
    var seeds: [SubjectSeed] = []
    if !points.isEmpty {
      var hypotheses: SubjectHypotheses?
      for point in points {
        let (x, y) = point.pixel(in: size)
        let tap = y * size.width + x
        // Two taps on one subject are one.
        if seeds.contains(where: { $0.labels[tap] != 0 }) { continue }
        var found = parts?.first { $0.labels[tap] != 0 }
        if found == nil { found = try seed(at: point, things, &hypotheses) }
        guard var seed = found else { continue }
        if seed.labels[tap] != 0 { seed.tap = tap }
        seed.surface = map?.values[tap]
        seed.rivals = rivals(of: seed, things)
        seeds.append(seed)
      }
      return seeds
    }
    if !boxes.isEmpty {
      for box in boxes {
        if let seed = seed(in: box, things, parts: parts ?? []) { seeds.append(seed) }
      }
      return seeds
    }
    if let parts { return parts.filter { !$0.isBehind } }
    if !things.isEmpty { return self.seeds(of: things) }
    if let layers { return layers.map { SubjectSeed(labels: $0) } }
    let opaque = try cutOut()
    return opaque.isEmpty ? try salient() : opaque
  }

  // MARK: The map

  /// Parts of the map that stand out, best first, at the size of the analysis.
  func layers(of map: AnalysisMap) throws(CinematicError) -> [[UInt8]] {
    try layers(try coarseLayers(of: map), of: map)
  }

  /// The same by their numbers.
  func layers(
    _ coarse: (labels: [UInt8], count: UInt8), of map: AnalysisMap
  ) throws(CinematicError) -> [[UInt8]] {
    let (labels, count) = coarse
    var result: [[UInt8]] = []
    for number in stride(from: UInt8(1), through: count, by: 1) {
      result.append(try enlarged(labels, number, of: map))
    }
    return result
  }

  /// The numbers of the parts that stand out, from 1 on, at the coarse size, and how many there are.
  func coarseLayers(
    of map: AnalysisMap
  ) throws(CinematicError) -> (labels: [UInt8], count: UInt8) {
    let coarse = map.coarse
    let most = Segmenter.mostSubjects
    let (width, height) = (Int32(coarse.width), Int32(coarse.height))
    var labels = [UInt8](repeating: 0, count: coarse.count)
    var scores = [Float](repeating: 0, count: most)
    var found: Int32 = 0
    try kernel(coarse) {
      focal_subject_layers(
        map.prominence, width, height, Self.leastContrast, Self.leastArea, Int32(most), &labels,
        &scores,
        &found)
    }
    for number in stride(from: UInt8(1), through: UInt8(found), by: 1) {
      try kernel(coarse) {
        focal_subject_grow(
          map.coarseValues, map.prominence, width, height, Self.floorProminence,
          Self.floorStep, Self.mostGrowth,
          number, &labels)
      }
    }
    return (labels, UInt8(found))
  }

  /// What has a number at the coarse size, at the size of the analysis.
  func enlarged(
    _ labels: [UInt8], _ number: UInt8, of map: AnalysisMap
  ) throws(CinematicError) -> [UInt8] {
    try Self.enlarged(labels.map { $0 == number ? 1 : Float(0) }, map.coarse, to: size)
  }

  /// A mask of floats at the size of the analysis, cut at a half.
  private static func enlarged(
    _ values: [Float], _ from: Dimensions, to size: Dimensions
  ) throws(CinematicError) -> [UInt8] {
    try PixelBuffer.map(values, from).resizedMap(to: size).cells.map { $0 > 0.5 ? 1 : 0 }
  }

  // MARK: Taps

  /// - Returns: `nil` where nothing stands out.
  private func seed(
    at point: NormalizedPoint, _ things: [MapThing], _ hypotheses: inout SubjectHypotheses?
  ) throws(CinematicError) -> SubjectSeed? {
    let (x, y) = point.pixel(in: size)
    if let thing = things.first(where: { $0.labels[y * size.width + x] != 0 }) {
      return SubjectSeed(labels: whole(thing, among: things))
    }
    guard let map else {
      if let hypotheses { return try colourSeed(x, y, hypotheses) }
      let new = SubjectHypotheses(try RegionGraph(codes: view.codes, size: size))
      hypotheses = new
      return try colourSeed(x, y, new)
    }
    // The part that goes on from the tap in the map, within a range that grows until it runs out over the picture.
    let coarse = map.coarse
    let (i, j) = point.pixel(in: coarse)
    let (width, height) = (Int32(coarse.width), Int32(coarse.height))
    let middle = map.coarseValues[j * coarse.width + i]
    // From what rises above the ground, the map goes on over a floor or a table, which are not its own.
    let ground = min(Self.floorProminence, map.prominence[j * coarse.width + i] / 2)
    let risen = map.coarseValues.indices.map { place in
      map.prominence[place] >= ground ? map.coarseValues[place] : -1
    }
    var best: [UInt8]?
    for tolerance in [Float(0.05), 0.08, 0.12, 0.18] {
      var labels = [UInt8](repeating: 0, count: coarse.count)
      try kernel(coarse) {
        focal_subject_flood(
          risen, width, height, Int32(i), Int32(j), middle - tolerance,
          middle + tolerance, Self.tapStep, &labels)
      }
      let area = labels.reduce(0) { $0 + Int($1) }
      guard best == nil || Double(area) < Self.mostTapShare * Double(coarse.count) else { break }
      best = labels
    }
    let labels = best ?? []
    guard let standing = Self.standing(labels, map) else { return nil }
    var seed = SubjectSeed(labels: try Self.enlarged(labels.map { Float($0) }, coarse, to: size))
    seed.standing = standing
    return seed
  }

  /// How far what is labelled at the coarse map's size stands out from what is around it; `nil` for background.
  private static func standing(_ labels: [UInt8], _ map: AnalysisMap) -> Float? {
    var (falls, rises): (Float, Float) = (0, 0)
    focal_subject_standing(
      map.coarseValues, labels, Int32(map.coarse.width), Int32(map.coarse.height), leastContrast,
      &falls, &rises)
    return falls >= leastFalls ? falls / (falls + rises) : nil
  }

  /// The same at the size of the analysis.
  func standing(_ labels: [UInt8], in map: AnalysisMap) -> Float? {
    let coarse = map.coarse
    var small = [UInt8](repeating: 0, count: coarse.count)
    for y in 0..<coarse.height {
      let row = y * size.height / coarse.height * size.width
      for x in 0..<coarse.width {
        small[y * coarse.width + x] = labels[row + x * size.width / coarse.width]
      }
    }
    return Self.standing(small, map)
  }

  /// The share of its outline along which the map falls, below which a part is background: what is around walls, skies and
  /// floors is nearer than they are, and they end at the picture's borders. Walls have at most .01, things among others .2.
  private static let leastFalls: Float = 0.15

  /// From one pixel of the coarse map to the next within a subject.
  private static let tapStep: Float = 0.03
  /// A part of the picture that is larger than this is no single subject.
  private static let mostTapShare = 0.5
}
