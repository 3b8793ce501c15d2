// SPDX-License-Identifier: Apache-2.0

import EyeKernels
import FocalCore
import FocalEyes
import SubjectKernels

/// One frame after another: subjects carried along the flow, and found anew.
struct FollowingStep {
  let view: SubjectView
  let map: AnalysisMap?
  let luma: [UInt8]
  let colors: SceneColors
  let before: SubjectFollower.Memory

  init(
    view: SubjectView, map: AnalysisMap?, colors: SceneColors, before: SubjectFollower.Memory
  ) {
    (self.view, self.map, self.colors, self.before) = (view, map, colors, before)
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
  /// A subject that shrinks to less than this from one frame to the next is lost.
  private static let leastShare = 0.2

  /// - Returns: the subjects that are seen, with the numbers that they have; the labels of each, empty for those that are
  ///   lost; and how still each pixel is, 0 to 1.
  func run() throws(CinematicError) -> (FoundSubjects, [[UInt8]], [Float]) {
    let count = size.count
    let (width, height) = (Int32(size.width), Int32(size.height))
    var flow = [Float](repeating: 0, count: 2 * count)
    try kernel(size) { focal_flow(luma, before.luma, width, height, &flow) }
    var error = [Float](repeating: 0, count: count)
    var carried: [[Float]] = []
    for mask in before.masks {
      var values = [Float](repeating: 0, count: count)
      try kernel(size) {
        focal_carry(mask, flow, luma, before.luma, width, height, &values, &error)
      }
      carried.append(values)
    }
    var layers: [[UInt8]]?
    if let map { layers = try SubjectSeeds(view: view, map: map).layers(of: map) }
    var seeds: [SubjectSeed] = []
    for (index, mask) in carried.enumerated() {
      seeds.append(seed(index, mask, error, layers))
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
      found.confidences.append(agreement)
      all.append(labels)
    }
    return (found, all, stillness())
  }

  /// Where a subject is in this frame, roughly.
  private func seed(
    _ index: Int, _ mask: [Float], _ error: [Float], _ layers: [[UInt8]]?
  ) -> SubjectSeed {
    var seed = SubjectSeed(labels: mask.map { $0 > 0.5 ? 1 : 0 })
    var (area, alike) = (0, 0)
    for place in mask.indices where mask[place] > 0.5 {
      area += 1
      if error[place] < Self.mostError { alike += 1 }
    }
    let isLost = Double(alike) <= Self.leastLikeness * Double(area)
    if isLost { seed.labels = [UInt8](repeating: 0, count: size.count) }
    let wanted = isLost ? before.labels[index] : seed.labels
    // Found anew in the map: the part that the mask fits best.
    let candidates = (layers ?? []).map { ($0, Self.overlap($0, wanted)) }
    if let best = candidates.max(by: { $0.1 < $1.1 }),
      best.1 >= (isLost ? 0.3 : Self.leastOverlap)
    {
      seed.labels = best.0
    }
    (seed.inner, seed.outer) = (0.014, 0.02)
    guard !isLost else { return seed }
    seed.prior = mask.indices.map { place in
      let belief = 1 - error[place] / Self.mostError
      return belief > 0 ? 3 * belief * (mask[place] - 0.5) : 0
    }
    return seed
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

  /// By what is seen at the same place: flow between noises is no movement.
  private func stillness() -> [Float] {
    let (width, height) = (size.width, size.height)
    var result = [Float](repeating: 0, count: size.count)
    for y in 1..<max(1, height - 1) {
      for x in 1..<max(1, width - 1) {
        var sum = 0
        for row in y - 1...y + 1 {
          let first = row * width + x - 1
          for place in first..<first + 3 { sum += abs(Int(luma[place]) - Int(before.luma[place])) }
        }
        let changed = Float(sum) / (9 * 255) / Self.stillError
        result[y * width + x] = max(0, min(1, 2 - changed))
      }
    }
    return result
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
