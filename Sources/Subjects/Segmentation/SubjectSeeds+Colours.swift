// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalEyes
import SubjectKernels

/// Seeds by the picture's colours alone.
extension SubjectSeeds {
  /// The seed of what looks most like a thing around the tap.
  ///
  /// - Returns: `nil` of a plain background.
  func colourSeed(
    _ x: Int, _ y: Int, _ hypotheses: SubjectHypotheses
  ) throws(CinematicError) -> SubjectSeed? {
    let region = Int(hypotheses.graph.labels[y * size.width + x])
    guard let standing = Self.standing(region, in: hypotheses.graph) else { return nil }
    let found = try hypotheses.hypotheses(around: region)
    guard let best = hypotheses.consensus(of: found) else { return nil }
    var seed = seed(of: best, in: hypotheses)
    seed.standing *= standing
    return seed
  }

  /// How far a region is no background, 0 to 1; `nil` if it is. A plain colour that goes on to the picture's frame is a sky or
  /// a wall.
  private static func standing(_ region: Int, in graph: RegionGraph) -> Float? {
    let standing = 1 - graph.frameShare(around: region, within: plainExtent) / mostFrame
    return standing > 0 ? standing : nil
  }

  private func seed(
    of hypothesis: SubjectHypothesis, in hypotheses: SubjectHypotheses
  ) -> SubjectSeed {
    let belief = hypotheses.graph.labels.map { hypothesis.regions[Int($0)] }
    var seed = SubjectSeed(labels: belief.map { $0 > Self.leastVote ? 1 : 0 })
    seed.prior = belief.map { Self.voteTrust * ($0 - Self.leastVote) }
    seed.isMeasured = false
    seed.standing = hypotheses.distinctness(of: hypothesis, from: Self.leastVote)
    return seed
  }

  /// The share of the vote that makes a region the subject's.
  private static let leastVote: Float = 0.4
  private static let voteTrust: Float = 1

  /// How far colours may be apart to be one plain colour, in units of CIELAB, and of how much of the frame.
  private static let plainExtent: Float = 12
  private static let mostFrame: Float = 0.25

  /// The seeds of what looks most like things, best first.
  func salient() throws(CinematicError) -> [SubjectSeed] {
    let hypotheses = SubjectHypotheses(try RegionGraph(codes: view.codes, size: size))
    let graph = hypotheses.graph
    var places: Set<Int> = []
    for row in 0..<Self.places {
      for column in 0..<Self.places {
        let x = (2 * column + 1) * size.width / (2 * Self.places)
        let y = (2 * row + 1) * size.height / (2 * Self.places)
        places.insert(Int(graph.labels[y * size.width + x]))
      }
    }
    // Around several places the same is found; it has one vote.
    var left: [SubjectHypothesis] = []
    var known: Set<[Float]> = []
    for place in places.sorted() where Self.standing(place, in: graph) != nil {
      try GenerateForegroundInstanceMaskRequest.checkCancellation()
      left += try hypotheses.hypotheses(around: place)
        .filter { known.insert($0.regions).inserted }
    }
    var seeds: [SubjectSeed] = []
    var least = -Float.infinity
    while seeds.count < Segmenter.mostSubjects, let next = hypotheses.consensus(of: left),
      next.score >= least
    {
      least = max(least, next.score - Self.mostBehind)
      let found = seed(of: next, in: hypotheses)
      if found.standing >= Self.leastStanding { seeds.append(found) }
      left.removeAll { other in
        let (both, all) = hypotheses.areas(of: other, and: next)
        return other.score == next.score || both > Self.mostShared * all
      }
    }
    return seeds
  }

  /// Subjects are looked for around so many columns and rows of places.
  private static let places = 5
  /// What stands out less is no subject unless it is pointed at: patches of textures have 0 to .2, subjects .3 and more.
  private static let leastStanding: Float = 0.2
  /// How far another subject's score may be behind the best one's.
  private static let mostBehind: Float = 0.1
  /// How much of another subject may be a better one's.
  private static let mostShared: Float = 0.1
}
