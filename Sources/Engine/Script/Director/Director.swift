// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Decides which subject is in focus, from detections alone, with the whole clip known.
///
/// It weighs the best subject of every moment against the unrest of switching: among all sequences
/// of subjects, each kept for a shortest time, it takes the one of the largest sum of scores less
/// the costs of its switches, found exactly by dynamic programming. The same detections always give
/// the same decisions, in whatever order the tracks come.
///
/// Each shot is planned by itself: a subject of the next one is in focus from its first frame on, at no cost, however
/// short the shot before was.
public struct Director: Sendable {
  /// The costs and rewards that the director goes by.
  public var weights: DirectorWeights

  /// A director with these weights.
  public init(weights: DirectorWeights = .standard) { self.weights = weights }

  /// Subjects times steps that are weighed at most: longer clips are weighed every few frames.
  private static let largestPlan = 1 << 24
  /// Seconds of the shortest step: times may lie so close that their difference rounds to zero.
  static let shortestPeriod = Time(value: 1, timescale: .max).seconds

  /// Base decisions for a clip, the first at its start; none where there is no subject.
  ///
  /// A shot in which nobody is seen has no decision, and neither does one that begins with the subject that was in focus.
  ///
  /// - Parameters:
  ///   - tracks: with ids; fixed tracks are no subjects.
  ///   - cuts: when other shots begin, in any order.
  public func decisions(
    for tracks: [DetectionTrack], frameTimes: FrameTimes, cuts: [Time] = []
  ) -> [Decision] {
    guard let start = frameTimes.first else { return [] }
    let starts = [0] + frameTimes.cutFrames(cuts.sorted())
    let shots = zip(starts, starts.dropFirst() + [frameTimes.count]).map { $0..<$1 }
    let tracks = tracks.filter { SubjectCues.isSubject($0.detectionType) && $0.isDiscrete }
    var decisions: [Decision] = []
    for (shot, tracks) in zip(shots, Self.tracks(tracks, in: shots, frameTimes)) {
      for (frame, subject) in choices(for: tracks, frameTimes, in: shot, isOnly: shots.count == 1) {
        guard subject != decisions.last?.focusDetectionID else { continue }
        let time = decisions.isEmpty ? start : frameTimes[frame]
        decisions.append(Decision(time: time, focus: subject, strong: false))
      }
    }
    return decisions
  }

  /// The tracks that last into each shot, in the order in which they are given.
  private static func tracks(
    _ tracks: [DetectionTrack], in shots: [Range<Int>], _ frameTimes: FrameTimes
  ) -> [[DetectionTrack]] {
    guard shots.count > 1 else { return [tracks] }
    var result = [[DetectionTrack]](repeating: [], count: shots.count)
    for track in tracks {
      guard let first = track.samples.times.first, let last = track.samples.times.last,
        let firstFrame = frameTimes.index(nearest: first),
        let lastFrame = frameTimes.index(nearest: last)
      else { continue }
      var shot = shots.partitionPoint { $0.upperBound <= firstFrame }
      while shot < shots.count, shots[shot].lowerBound <= lastFrame {
        result[shot].append(track)
        shot += 1
      }
    }
    return result
  }

  /// The subjects that come into focus in a shot, and the frames from which on they are there.
  ///
  /// - Parameter isOnly: whether the shot is the whole clip, whose subjects may be seen between frames alone.
  private func choices(
    for tracks: [DetectionTrack], _ frameTimes: FrameTimes, in shot: Range<Int>, isOnly: Bool
  ) -> [(frame: Int, subject: Decision.FocusDetectionID)] {
    let subjects = Dictionary(grouping: tracks) { track -> Decision.FocusDetectionID? in
      if let group = track.detectionGroupID { return .group(group) }
      return track.detectionID.map { .single($0) }
    }
    var stride = 1
    while shot.count / stride * max(1, subjects.count) > Self.largestPlan { stride += 1 }
    let steps = (shot.count - 1) / stride + 1
    let curves = subjects.compactMap { subject, tracks in
      subject.flatMap {
        ScoreCurve(
          subject: $0, tracks: tracks, frameTimes: frameTimes, shot: shot, stride: stride,
          weights: weights)
      }
    }.filter { isOnly || $0.isSeen }.sorted { $0.subject.precedes($1.subject) }
    guard !curves.isEmpty else { return [] }
    let period = period(of: frameTimes, in: shot, stride: stride)
    return plan(curves, steps: steps, period: period).map { step, curve in
      (shot.lowerBound + step * stride, curves[curve].subject)
    }
  }

  /// The recording with this director's decisions as its base decisions.
  ///
  /// - Throws: as ``Recording/replacing(baseDecisions:)``.
  public func directed(_ recording: Recording) throws(CinematicError) -> Recording {
    try recording.replacing(
      baseDecisions: decisions(
        for: recording.detectionTracks, frameTimes: recording.frameTimes, cuts: recording.cuts))
  }

  private func period(of frameTimes: FrameTimes, in shot: Range<Int>, stride: Int) -> Double {
    guard shot.count > 1 else { return 1 }
    let (first, last) = (frameTimes[shot.lowerBound], frameTimes[shot.upperBound - 1])
    let period = (last - first).seconds / Double(shot.count - 1) * Double(stride)
    return max(Self.shortestPeriod, period)
  }

  /// The best sequence, as the steps at which subjects come into focus.
  ///
  /// With V(t, g) the best value of the steps 0...t that ends with g in focus for at least L steps:
  /// V(t, g) = max(V(t-1, g) + s(t, g), max over h of V(t-L, h) - c(h, g) + s(t-L+1...t, g)).
  /// The first subject, too, is kept for L steps. Equal values stay, or go to the first in order.
  private func plan(
    _ curves: [ScoreCurve], steps: Int, period: Double
  ) -> [(step: Int, curve: Int)] {
    let count = curves.count
    let asked = (weights.shortestSegment / period).rounded(.up)
    let shortest = Int(Double.maximum(1, Double.minimum(asked, Double(steps))))
    // scores summed up to before a step, and values, of the last L steps and this one
    let ring = shortest + 1
    var sums = [Double](repeating: 0, count: ring * count)
    var values = [Double](repeating: 0, count: ring * count)
    /// At (step, subject): 0 when it is kept, else 1 more than the subject it follows L steps ago.
    var choices = [Int32](repeating: 0, count: steps * count)
    let dearest = weights.switchCost * (1 + max(0, weights.disparityCost))
    let cheapest = weights.switchCost
    for step in 0..<steps {
      let (now, before) = (step % ring * count, (step + ring - 1) % ring * count)
      let source = step - shortest
      let sourceRow = source >= 0 ? source % ring * count : 0
      let sourceBest = source >= 0 ? (values[sourceRow..<(sourceRow + count)].max() ?? 0) : 0
      // the others lose to the best source even at the lowest cost
      let sources = (0..<count).filter {
        source >= shortest - 1 && values[sourceRow + $0] >= sourceBest - (dearest - cheapest)
      }
      for (subject, curve) in curves.enumerated() {
        let score = curve.score(at: step) * period
        sums[now + subject] = (step > 0 ? sums[before + subject] : 0) + score
        var best = (step > 0 ? values[before + subject] : 0) + score
        if source >= shortest - 1 {
          let gain = sums[now + subject] - sums[sourceRow + subject]
          // no other subject can win when even the best source at the lowest cost does not
          if sourceBest - cheapest + gain > best {
            let disparity = curve.disparity(at: source + 1)
            for other in sources where other != subject {
              let difference = SubjectCues.difference(
                disparity, curves[other].disparity(at: source + 1))
              let cost = weights.switchCost * (1 + weights.disparityCost * difference)
              let candidate = values[sourceRow + other] - cost + gain
              if candidate > best {
                best = candidate
                choices[step * count + subject] = Int32(other + 1)
              }
            }
          }
        }
        values[now + subject] = best
      }
    }
    let last = (steps - 1) % ring * count
    var subject = 0
    for other in 1..<max(1, count) where values[last + other] > values[last + subject] {
      subject = other
    }
    var plan: [(step: Int, curve: Int)] = []
    var step = steps - 1
    while step >= 0 {
      let choice = choices[step * count + subject]
      if choice == 0 {
        step -= 1
      } else {
        plan.append((step - shortest + 1, subject))
        step -= shortest
        subject = Int(choice) - 1
      }
    }
    plan.append((0, subject))
    return plan.reversed()
  }
}
