// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Foundation
import SubjectKernels

/// A part of a picture that might be a subject.
struct SubjectHypothesis {
  /// How far each region belongs to it, 0 to 1.
  var regions: [Float]
  /// How much it looks like a thing and not like a piece of one or of a background: the larger, the more.
  var score: Float
}

/// What subjects a picture might have by its colours: least cuts around a place, for several sizes of a subject and several
/// inclinations to call a region its own, judged by what things are like.
///
/// J. Carreira and C. Sminchisescu, Constrained Parametric Min-Cuts for Automatic Object Segmentation (2010), for the cuts;
/// B. Alexe, T. Deselaers, V. Ferrari, What Is an Object? (2010), for the judgement by what is around.
struct SubjectHypotheses {
  let graph: RegionGraph
  /// How alike the colours of two regions are, 0 to 1: a row for each region, eight others an element.
  private let likeness: [SIMD8<Float>]
  /// The share of the picture's borders between regions that are weaker than each.
  private let ranks: [Float]
  /// Cells of colour, for histograms.
  private let bins: [Int]

  /// How large subjects are tried, in parts of the longer side.
  private static let sizes: [Float] = [0.08, 0.13, 0.2, 0.3, 0.42]
  /// From the least to the most inclination to call a region the subject's.
  private static let inclinations = (first: Float(-1.5), step: Float(0.75), count: 5)
  /// Colours this far apart are unlike, in units of CIELAB.
  private static let colourSpread: Float = 6
  /// Borders of this difference are cut at a third of the price.
  private static let borderSpread: Float = 10
  private static let borderPrice: Float = 3.3
  /// In parts of a subject's size: where its colours are learnt, how far it goes on for its place alone, and beyond which
  /// the background's colours are learnt.
  private static let (core, reach, surroundings): (Float, Float, Float) = (0.35, 1.2, 1.3)
  /// Shares of colours below this are alike: what is rare in the background as well is hardly its.
  private static let rare: Float = 0.01
  /// How much colours, in logarithms of odds, and places count at most.
  private static let mostColour: Float = 2
  private static let mostPlace: Float = 2

  init(_ graph: RegionGraph) {
    self.graph = graph
    let colours = graph.colours
    let scale = -0.5 / (Self.colourSpread * Self.colourSpread)
    let columns = (colours.count + 7) / 8
    var likeness = [SIMD8<Float>](repeating: .zero, count: colours.count * columns)
    for a in colours.indices {
      for b in a..<colours.count {
        let difference = colours[a] - colours[b]
        let value = exp(scale * (difference * difference).sum())
        likeness[a * columns + b / 8][b % 8] = value
        likeness[b * columns + a / 8][a % 8] = value
      }
    }
    self.likeness = likeness
    let differences = graph.differences
    var ranks = differences
    for (rank, border) in differences.indices.sorted(by: { differences[$0] < differences[$1] })
      .enumerated()
    {
      ranks[border] = Float(rank) / Float(differences.count)
    }
    self.ranks = ranks
    bins = colours.map { colour in
      let l = min(9, max(0, Int(colour.x / 10)))
      let a = min(13, max(0, Int((colour.y + 80) * 14 / 160)))
      let b = min(13, max(0, Int((colour.z + 80) * 14 / 160)))
      return (l * 14 + a) * 14 + b
    }
  }

  /// The hypotheses around a region, without repetitions.
  func hypotheses(around seed: Int) throws(CinematicError) -> [SubjectHypothesis] {
    var found: Set<[UInt8]> = []
    for size in Self.sizes {
      for labels in try cuts(around: seed, size: size) { found.insert(labels) }
    }
    // In one order, whatever order the set has.
    return found.sorted { $0.lexicographicallyPrecedes($1) }.map { labels in
      SubjectHypothesis(regions: labels.map { Float($0) }, score: score(of: labels))
    }
  }

  /// What the best hypothesis and those like it have in common; `nil` if there are none but the whole picture.
  func consensus(of hypotheses: [SubjectHypothesis]) -> SubjectHypothesis? {
    guard let best = hypotheses.max(by: { $0.score < $1.score }), best.score.isFinite else {
      return nil
    }
    var result = best
    result.regions = best.regions.map { _ in 0 }
    var sum: Float = 0
    for hypothesis in hypotheses {
      // Of another thing that is as good nothing belongs to this one.
      guard areas(of: best, and: hypothesis).both > 0 else { continue }
      let weight = exp((hypothesis.score - best.score) / Self.voteSpread)
      sum += weight
      for region in result.regions.indices {
        result.regions[region] += weight * hypothesis.regions[region]
      }
    }
    for region in result.regions.indices { result.regions[region] /= sum }
    return result
  }

  /// The area that two hypotheses have in common, and all of the first one's.
  func areas(
    of first: SubjectHypothesis, and second: SubjectHypothesis
  ) -> (both: Float, all: Float) {
    var (both, all): (Float, Float) = (0, 0)
    for region in graph.areas.indices {
      all += graph.areas[region] * first.regions[region]
      both += graph.areas[region] * min(first.regions[region], second.regions[region])
    }
    return (both, all)
  }

  /// A hypothesis whose score is less by this has a third of the vote.
  private static let voteSpread: Float = 0.02

  // MARK: Cuts

  private func cuts(around seed: Int, size: Float) throws(CinematicError) -> [[UInt8]] {
    let count = graph.count
    // Squares of distances, in parts of the size.
    let away = graph.places.map { place in
      let offset = (place - graph.places[seed]) / size
      return (offset * offset).sum()
    }
    func bell(_ region: Int, _ width: Float) -> Float { exp(-0.5 * away[region] / (width * width)) }
    let near = seen(away.indices.map { graph.areas[$0] * bell($0, Self.core) })
    let far = seen(away.indices.map { graph.areas[$0] * (1 - bell($0, Self.surroundings)) + 1e-6 })
    var (costs, growth) = (away, graph.areas)
    for region in 0..<count {
      let odds = log((near[region] + Self.rare) / (far[region] + Self.rare))
      let colour = max(-Self.mostColour, min(Self.mostColour, odds))
      let place = max(-1, 1 - away[region] / (Self.reach * Self.reach)) * Self.mostPlace
      costs[region] = (colour + place + Self.inclinations.first) * graph.areas[region]
      growth[region] *= Self.inclinations.step
    }
    let prices = graph.differences.indices.map { border in
      Self.borderPrice * graph.lengths[border]
        * exp(-graph.differences[border] / Self.borderSpread)
    }
    var labels = [UInt8](repeating: 0, count: count * Self.inclinations.count)
    try kernel(graph.size) {
      focal_region_cuts(
        Int32(count), Int32(prices.count), graph.ends, prices, costs, growth,
        Int32(Self.inclinations.count), Int32(seed), &labels)
    }
    return (0..<Self.inclinations.count).map { Array(labels[$0 * count..<($0 + 1) * count]) }
  }

  /// How much of some regions is alike to each region, 0 to 1.
  private func seen(_ weights: [Float]) -> [Float] {
    let columns = (graph.count + 7) / 8
    var lanes = [SIMD8<Float>](repeating: .zero, count: columns)
    for (region, weight) in weights.enumerated() { lanes[region / 8][region % 8] = weight }
    let sum = weights.reduce(0, +)
    return likeness.withUnsafeBufferPointer { likeness in
      lanes.withUnsafeBufferPointer { lanes in
        (0..<graph.count).map { region in
          var result = SIMD8<Float>.zero
          for column in 0..<columns {
            result += likeness[region * columns + column] * lanes[column]
          }
          return result.sum() / sum
        }
      }
    }
  }

  // MARK: Judgement

  /// Things differ from what is around them, end at strong borders, are seldom cut by the frame, and have a usual size.
  private func score(of labels: [UInt8]) -> Float {
    var (outline, strength): (Float, Float) = (0, 0)
    for border in graph.lengths.indices {
      let (a, b) = (Int(graph.ends[2 * border]), Int(graph.ends[2 * border + 1]))
      guard labels[a] != labels[b] else { continue }
      outline += graph.lengths[border]
      strength += graph.lengths[border] * ranks[border]
    }
    let around = grown(grown(labels))
    var (own, others) = ([Float](repeating: 0, count: 1960), [Float](repeating: 0, count: 1960))
    var (area, areaAround, frame, bottom): (Float, Float, Float, Float) = (0, 0, 0, 0)
    for region in labels.indices {
      if labels[region] != 0 {
        own[bins[region]] += graph.areas[region]
        area += graph.areas[region]
        frame += graph.frames[region]
        bottom += graph.bottoms[region]
      } else if around[region] != 0 {
        others[bins[region]] += graph.areas[region]
        areaAround += graph.areas[region]
      }
    }
    // The whole picture is no subject.
    guard outline > 0, areaAround > 0 else { return -.infinity }
    var common: Float = 0
    for bin in own.indices { common += min(own[bin] / area, others[bin] / areaAround) }
    let length = outline + frame + bottom
    let usual = abs(log(area / Float(graph.count) / Self.usualArea))
    return 0.3 * strength / outline - common - 0.8 * frame / length - 0.3 * bottom / length
      - 0.13 * usual
  }

  /// How far a hypothesis stands out as a thing does, 0 to 1: textures and plain pictures have hypotheses as well, but none of
  /// a good score, and none that ends where colours change by much.
  ///
  /// - Parameter least: the share that makes a region the hypothesis' own.
  func distinctness(of hypothesis: SubjectHypothesis, from least: Float) -> Float {
    let isOwn = hypothesis.regions.map { $0 > least }
    var (outline, contrast): (Float, Float) = (0, 0)
    for border in graph.lengths.indices
    where isOwn[Int(graph.ends[2 * border])] != isOwn[Int(graph.ends[2 * border + 1])] {
      outline += graph.lengths[border]
      contrast += graph.lengths[border] * graph.differences[border]
    }
    guard outline > 0 else { return 0 }
    func share(_ value: Float, in range: ClosedRange<Float>) -> Float {
      max(0, min(1, (value - range.lowerBound) / (range.upperBound - range.lowerBound)))
    }
    return share(hypothesis.score, in: Self.thingScores)
      * share(contrast / outline, in: Self.thingContrasts)
  }

  /// From scores of textures to those of things: in pictures of grass, gravel, bricks, leaves and water the best hypothesis has
  /// -.25 to -.65, of people and bicycles -.12 to .2, of small cars that are found badly -.2.
  private static let thingScores: ClosedRange<Float> = -0.4...0
  /// The same of mean differences along outlines, in units of CIELAB: clouds and lawns have 3 to 9, subjects 14 and more.
  private static let thingContrasts: ClosedRange<Float> = 4...16

  /// The share of a picture that subjects mostly have.
  private static let usualArea: Float = 0.25

  private func grown(_ labels: [UInt8]) -> [UInt8] {
    var result = labels
    for border in graph.lengths.indices {
      let (a, b) = (Int(graph.ends[2 * border]), Int(graph.ends[2 * border + 1]))
      if labels[a] != 0 { result[b] = 1 }
      if labels[b] != 0 { result[a] = 1 }
    }
    return result
  }
}
