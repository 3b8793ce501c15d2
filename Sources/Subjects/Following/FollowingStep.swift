// SPDX-License-Identifier: Apache-2.0

import EyeKernels
import FocalCore
import FocalEyes
import SubjectKernels

/// One frame after another: subjects carried along the flow, and found anew.
struct FollowingStep {
  let view: SubjectView
  let map: AnalysisMap?
  /// What the mask provider says of this frame; `nil` where it was not asked.
  let mask: [Float]?
  let luma: [UInt8]
  let before: SubjectFollower.Memory

  init(
    view: SubjectView, map: AnalysisMap?, mask: [Float]?, before: SubjectFollower.Memory
  ) {
    (self.view, self.map, self.mask, self.before) = (view, map, mask, before)
    luma = view.luma
  }

  private var size: Dimensions { view.analysis }

  /// The most that pictures may differ by along the flow, in parts of white, where a mask is still believed.
  private static let mostError: Float = 0.12
  /// Less difference between two pictures at the same place is noise, in parts of white.
  private static let stillError: Float = 0.02
  /// So much of a mask must look as it did.
  private static let leastLikeness = 0.4
  /// A part of the map that agrees with the carried mask so far is the subject.
  private static let leastOverlap = 0.55
  /// So far, where it was lost.
  private static let leastOverlapOfLost = 0.3
  /// A part of the map that is larger than this, in parts of the carried mask, holds others, too.
  private static let mostGrowth = 1.4
  /// So much of a subject lies in such a part, or of a thing in a subject of several, and so far that part agrees with all that
  /// are in it, if they are followed.
  private static let leastWithin = 0.6
  private static let leastOverlapOfAll = 0.7
  /// How wide a gap within a subject is half, in parts of the longer side, and how far its disparity is from that beside it, in
  /// parts of the map's range.
  private static let closing: Float = 0.02
  private static let slack: Float = 0.04
  /// Masks of a model change from frame to frame where it is not sure: so much of what was carried along stays.
  private static let steadiness: Float = 0.6
  /// Where a mask is not sure, a subject neither grows nor shrinks: so far its shares are from a half.
  private static let hold: Float = 0.25
  /// A subject of which a mask has less is none of those that it shows.
  private static let leastCover = 0.5
  /// How far a subject may reach beyond where it is carried to, in parts of the longer side.
  private static let reach: Float = 0.05
  /// A subject that shrinks to less than this from one frame to the next is lost.
  private static let leastShare = 0.2

  /// What was found.
  struct Outcome {
    /// The subjects that are seen, with the numbers that they have.
    var found: FoundSubjects
    /// The labels of each, empty for those that are lost.
    var labels: [[UInt8]] = []
    /// Of each, if nothing but its movement says where it is.
    var traces: [SubjectTrace?]
    var movement: Movement
    /// What the mask provider says, averaged with what it said.
    var givenMask: [Float]?
  }

  func run() throws(CinematicError) -> Outcome {
    let count = size.count
    let (width, height) = (Int32(size.width), Int32(size.height))
    var flow = [Float](repeating: 0, count: 2 * count)
    try kernel(size) { focal_flow(luma, before.luma, width, height, &flow) }
    var error = [Float](repeating: 0, count: count)
    func carried(_ mask: [Float]) throws(CinematicError) -> [Float] {
      var values = [Float](repeating: 0, count: count)
      try kernel(size) {
        focal_carry(mask, flow, luma, before.luma, width, height, &values, &error)
      }
      return values
    }
    var masks: [[Float]] = []
    for mask in before.masks { masks.append(try carried(mask)) }
    var given = mask
    if let last = before.givenMask { given = steady(mask, after: try carried(last), error) }
    let finder = SubjectSeeds(view: view, map: map)
    var layers: [[UInt8]] = []
    var things: [MapThing] = []
    if let map {
      let coarse = try finder.coarseLayers(of: map)
      layers = try finder.layers(coarse, of: map)
      things = try finder.things(coarse, of: map)
    }
    var seeds: [SubjectSeed] = []
    for (index, mask) in masks.enumerated() {
      let others = masks.indices.filter { $0 != index }.map { masks[$0] }
      seeds.append(try seed(index, mask, error, finder, layers, things, others: others))
    }
    if let given {
      for index in seeds.indices {
        try follow(given, index, masks, &seeds[index], finder, layers)
      }
    }
    // What maps and masks say is found anew, and followed from there.
    var traces = [SubjectTrace?](repeating: nil, count: seeds.count)
    if map == nil, given == nil {
      for index in seeds.indices where seeds[index].prior != nil {
        let last = before.traces[index] ?? SubjectTrace(before.labels[index], size)
        guard var trace = last else { continue }
        trace.move(own: try carried(trace.own), flow: flow, size)
        trace.limit(&seeds[index], flow: flow, size)
        traces[index] = trace
      }
    }
    let segmenter = Segmenter(view: view, map: map, rounds: 2)
    var found = FoundSubjects(labels: [UInt8](repeating: 0, count: count))
    var all: [[UInt8]] = []
    for index in seeds.indices {
      try GenerateForegroundInstanceMaskRequest.checkCancellation()
      let others = seeds.indices.filter { $0 != index }.map { seeds[$0].labels }
      var (labels, agreement) = ([UInt8](repeating: 0, count: count), Float(0))
      if seeds[index].labels.contains(1) {
        (labels, agreement) = try segmenter.refined(seeds[index], others: others)
      }
      let area = labels.count { $0 != 0 }
      let last = before.labels[index].count { $0 != 0 }
      if Double(area) < Self.leastShare * Double(last) {
        labels = [UInt8](repeating: 0, count: count)
        agreement = 0
      }
      for place in labels.indices where labels[place] != 0 {
        if found.labels[place] == 0 {
          found.labels[place] = UInt8(index + 1)
        } else {
          labels[place] = 0
        }
      }
      let standing = before.standings[index]
      found.confidences.append(
        Segmenter.confidence(
          agreement, standing: standing, isMeasured: map != nil || given != nil))
      found.standings.append(standing)
      all.append(labels)
      traces[index]?.learn(labels, flow: flow, size)
    }
    return Outcome(
      found: found, labels: all, traces: traces, movement: movement(to: masks), givenMask: given)
  }

  /// A mask after the one that was carried along.
  private func steady(_ mask: [Float]?, after carried: [Float], _ error: [Float]) -> [Float] {
    guard let mask else { return carried }
    return mask.indices.map { place in
      let belief = max(0, 1 - error[place] / Self.mostError)
      return mask[place] + Self.steadiness * belief * (carried[place] - mask[place])
    }
  }

  /// Lets a subject have what the mask has where it is carried to, and nothing else: what colours have added to it goes.
  private func follow(
    _ mask: [Float], _ index: Int, _ carried: [[Float]], _ seed: inout SubjectSeed,
    _ finder: SubjectSeeds, _ layers: [[UInt8]]
  ) throws(CinematicError) {
    if !seed.labels.contains(1) {
      // Lost: found anew where it was.
      let parts = try finder.parts(of: mask, layers)
      let overlaps = parts.map { Self.overlap($0.labels, before.labels[index]) }
      guard let best = overlaps.indices.max(by: { overlaps[$0] < overlaps[$1] }),
        overlaps[best] >= Self.leastOverlapOfLost
      else { return }
      seed.labels = parts[best].labels
      seed.prior = parts[best].prior
      return
    }
    var (area, covered) = (0, 0)
    for place in mask.indices where seed.labels[place] != 0 {
      area += 1
      if mask[place] > 0.5 { covered += 1 }
    }
    guard Double(covered) >= Self.leastCover * Double(area) else { return }
    var gap = [Float](unset: size.count)
    try kernel(size) {
      focal_edge_gap(seed.labels, Int32(size.width), Int32(size.height), &gap)
    }
    let reach = Self.reach * Float(max(size.width, size.height))
    var prior = seed.prior ?? [Float](repeating: 0, count: size.count)
    for place in mask.indices {
      let isOthers = carried.indices.contains { $0 != index && carried[$0][place] > 0.5 }
      let isNear = gap[place] < reach && !isOthers
      let hold = carried[index][place] > 0.5 ? Self.hold : -Self.hold
      let share = isNear ? mask[place] + hold : 0
      seed.labels[place] = share > 0.5 ? 1 : 0
      prior[place] += SubjectSeeds.trust * (max(0, min(1, share)) - 0.5)
    }
    seed.prior = prior
  }

  /// Where a subject is in this frame, roughly.
  private func seed(
    _ index: Int, _ mask: [Float], _ error: [Float], _ finder: SubjectSeeds, _ layers: [[UInt8]],
    _ things: [MapThing], others: [[Float]]
  ) throws(CinematicError) -> SubjectSeed {
    var seed = SubjectSeed(labels: mask.map { $0 > 0.5 ? 1 : 0 })
    var (area, alike) = (0, 0)
    for place in mask.indices where mask[place] > 0.5 {
      area += 1
      if error[place] < Self.mostError { alike += 1 }
    }
    let isLost = Double(alike) <= Self.leastLikeness * Double(area)
    if isLost { seed.labels = [UInt8](repeating: 0, count: size.count) }
    let wanted = isLost ? before.labels[index] : seed.labels
    // Found anew in the map: the part that the mask fits best, or the thing in one. A part that has grown by much is joined
    // to a neighbour, which is about as large; then a subject may be several things in it.
    var candidates = layers + things.map(\.labels)
    if let all = union(of: things, in: wanted, layers, others: others) { candidates.append(all) }
    let overlaps = candidates.map { labels -> Double in
      let isJoined = Double(Self.common(labels, labels)) > Self.mostGrowth * Double(area)
      return isJoined && !isLost ? 0 : Self.overlap(labels, wanted)
    }
    let least = isLost ? Self.leastOverlapOfLost : Self.leastOverlap
    var best = overlaps.indices.max { overlaps[$0] < overlaps[$1] }
    if let fit = best, overlaps[fit] < least { best = nil }
    if let best {
      seed.labels = candidates[best]
      if best >= layers.count, var rivals = finder.rivals(of: seed, things) {
        // From frame to frame, a hand goes from one thing to the other.
        for place in rivals.indices where rivals[place] != 0 && mask[place] > 0.5 {
          rivals[place] = SubjectSeed.doubtful
        }
        seed.rivals = rivals
      }
    }
    (seed.inner, seed.outer) = (0.014, 0.02)
    guard !isLost else { return seed }
    seed.prior = mask.indices.map { place in
      let belief = 1 - error[place] / Self.mostError
      return belief > 0 ? 3 * belief * (mask[place] - 0.5) : 0
    }
    if best == nil { try complete(&seed, by: layers, others: others) }
    return seed
  }

  /// All things of the map that are a subject's, and what lies between them: a box before someone is a thing of its own, but
  /// was followed with that person.
  ///
  /// - Parameter wanted: where the subject is.
  /// - Returns: `nil` of a single thing.
  private func union(
    of things: [MapThing], in wanted: [UInt8], _ layers: [[UInt8]], others: [[Float]]
  ) -> [UInt8]? {
    let own = things.filter { thing in
      let area = Double(Self.common(thing.labels, thing.labels))
      guard Double(Self.common(thing.labels, wanted)) >= Self.leastWithin * area else {
        return false
      }
      return others.allSatisfy { other in
        let common = thing.labels.indices.count { thing.labels[$0] != 0 && other[$0] > 0.5 }
        return 2 * Double(common) < area
      }
    }
    guard own.count > 1 else { return nil }
    var all = [UInt8](repeating: 0, count: size.count)
    let isThing = all.indices.map { place in things.contains { $0.labels[place] != 0 } }
    for thing in own {
      // Pieces that are too small for a thing, and seams.
      let layer = layers[thing.layer - 1]
      for place in all.indices
      where thing.labels[place] != 0
        || layer[place] != 0 && wanted[place] != 0 && !isThing[place]
      {
        all[place] = 1
      }
    }
    return all
  }

  /// Where the map joins a subject to neighbours, it says less. If those are followed as well, each gets what lies nearest to it
  /// of their part. Else a subject gets back what lies within it and is as near: what colours have taken once would stay
  /// away.
  private func complete(
    _ seed: inout SubjectSeed, by layers: [[UInt8]], others: [[Float]]
  ) throws(CinematicError) {
    guard let map else { return }
    let own = seed.labels
    guard let joined = layers.max(by: { Self.common($0, own) < Self.common($1, own) }),
      Double(Self.common(joined, own)) >= Self.leastWithin * Double(Self.common(own, own))
    else { return }
    let (width, height) = (Int32(size.width), Int32(size.height))
    var neighbours = [UInt8](repeating: 0, count: size.count)
    for other in others {
      let labels = other.map { $0 > 0.5 ? UInt8(1) : 0 }
      let area = Self.common(labels, labels)
      guard Double(Self.common(joined, labels)) >= Self.leastWithin * Double(area) else { continue }
      for place in labels.indices where labels[place] != 0 { neighbours[place] = 1 }
    }
    var distance = [Float](unset: size.count)
    try kernel(size) { focal_edge_distance(own, width, height, &distance) }
    let all = own.indices.map { max(own[$0], neighbours[$0]) }
    if neighbours.contains(1), Self.overlap(all, joined) >= Self.leastOverlapOfAll {
      var away = distance
      try kernel(size) { focal_edge_distance(neighbours, width, height, &away) }
      for place in joined.indices {
        seed.labels[place] = distance[place] >= away[place] ? joined[place] : 0
      }
      return
    }
    let reach: Float = Self.closing * Float(max(size.width, size.height))
    let grown = distance.map { $0 >= -reach ? UInt8(1) : 0 }
    try kernel(size) { focal_edge_depth(grown, width, height, &distance) }
    var nearby = map.values
    try kernel(size) { focal_subject_fill(own, width, height, &nearby) }
    for place in own.indices where distance[place] > reach && own[place] == 0 {
      guard joined[place] != 0, neighbours[place] == 0,
        abs(map.values[place] - nearby[place]) < Self.slack
      else { continue }
      seed.labels[place] = 1
      seed.prior?[place] = SubjectSeeds.trust
    }
  }

  /// How many pixels two masks have in common.
  private static func common(_ a: [UInt8], _ b: [UInt8]) -> Int {
    var both = 0
    for place in a.indices where a[place] != 0 && b[place] != 0 { both += 1 }
    return both
  }

  private static func overlap(_ a: [UInt8], _ b: [UInt8]) -> Double {
    var (both, either) = (0, 0)
    for place in a.indices {
      let (x, y) = (a[place] != 0, b[place] != 0)
      if x, y { both += 1 }
      if x || y { either += 1 }
    }
    return either == 0 ? 0 : Double(both) / Double(either)
  }

  /// What has moved since the frame before, at the size of the analysis.
  struct Movement {
    /// How still each pixel is, 0 to 1.
    var still: [Float]
    /// Where subjects were.
    var was: [UInt8]
    /// Where the flow carries subjects to that were not there, or away from. Where a map or colours are wrong for a frame,
    /// nothing moves.
    var moved: [UInt8]
  }

  private func movement(to carried: [[Float]]) -> Movement {
    func union(_ masks: [[Float]]) -> [UInt8] {
      var all = [UInt8](repeating: 0, count: size.count)
      for mask in masks {
        for place in mask.indices where mask[place] > 0.5 { all[place] = 1 }
      }
      return all
    }
    let (was, now) = (union(before.masks), union(carried))
    return Movement(
      still: stillness(), was: was, moved: zip(was, now).map { $0 == $1 ? 0 : 1 })
  }

  /// By what is seen at the same place: flow between noises is no movement.
  private func stillness() -> [Float] {
    var still = [Float](unset: size.count)
    focal_stillness(
      luma, before.luma, Int32(size.width), Int32(size.height), Self.stillError, &still)
    return still
  }
}

extension SubjectView {
  /// Luma of 0 to 255 at the size of the analysis.
  var luma: [UInt8] {
    (0..<analysis.count).map { place in
      let red = codes[3 * place], green = codes[3 * place + 1], blue = codes[3 * place + 2]
      return UInt8(max(0, min(255, 255 * (0.299 * red + 0.587 * green + 0.114 * blue) + 0.5)))
    }
  }
}
