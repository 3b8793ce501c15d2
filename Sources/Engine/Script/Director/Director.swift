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
  /// Seconds by which differences of times in seconds may be off.
  private static let rounding = 1e-9

  /// Base decisions for a clip, the first at its start; none where there is no subject.
  ///
  /// A subject that comes into the picture while the one before is there is in focus a rack later: the rack, which ends at
  /// the decision, begins where the subject is seen, as far as the shortest segment leaves time for it.
  /// A shot in which nobody is seen has no decision, and neither does one that begins with the subject that was in focus.
  ///
  /// - Parameters:
  ///   - tracks: with ids; fixed tracks are no subjects.
  ///   - cuts: when other shots begin, in any order.
  public func decisions(
    for tracks: [DetectionTrack], frameTimes: FrameTimes, cuts: [Time] = []
  ) -> [Decision] {
    decisions(
      for: tracks, frameTimes: frameTimes, cuts: cuts,
      racksOver: Recording.disparities(of: tracks) ?? 0...0)
  }

  /// - Parameter range: the disparities by which racks are measured; `nil` for decisions that leave no time for racks.
  func decisions(
    for tracks: [DetectionTrack], frameTimes: FrameTimes, cuts: [Time],
    racksOver range: ClosedRange<Float>?
  ) -> [Decision] {
    guard let start = frameTimes.first else { return [] }
    let starts = [0] + frameTimes.cutFrames(cuts.sorted())
    let shots = zip(starts, starts.dropFirst() + [frameTimes.count]).map { $0..<$1 }
    let tracks = tracks.filter { SubjectCues.isSubject($0.detectionType) && $0.isDiscrete }
    var decisions: [Decision] = []
    for (shot, tracks) in zip(shots, Self.tracks(tracks, in: shots, frameTimes)) {
      let choices = choices(
        for: tracks, frameTimes, in: shot, isOnly: shots.count == 1, racksOver: range)
      for (frame, subject) in choices {
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
    for tracks: [DetectionTrack], _ frameTimes: FrameTimes, in shot: Range<Int>, isOnly: Bool,
    racksOver range: ClosedRange<Float>?
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
    let times = (0..<steps).map { frameTimes[shot.lowerBound + $0 * stride].seconds }
    let end = end(of: shot, frameTimes, times)
    var plan = plan(curves, times: times, end: end)
    if let range { delayArrivals(in: &plan, curves, times: times, end: end, racksOver: range) }
    return plan.map { step, curve in
      (shot.lowerBound + step * stride, curves[curve].subject)
    }
  }

  /// When a shot ends, in seconds: with the next one's first frame; the clip's last step lasts as long as the one before.
  private func end(of shot: Range<Int>, _ frameTimes: FrameTimes, _ times: [Double]) -> Double {
    if shot.upperBound < frameTimes.count { return frameTimes[shot.upperBound].seconds }
    let last = times[times.count - 1]
    return times.count > 1 ? last + (last - times[times.count - 2]) : last + 1
  }

  /// The recording with this director's decisions as its base decisions.
  ///
  /// - Throws: as ``Recording/replacing(baseDecisions:)``.
  public func directed(_ recording: Recording) throws(CinematicError) -> Recording {
    try recording.replacing(
      baseDecisions: decisions(
        for: recording.detectionTracks, frameTimes: recording.frameTimes, cuts: recording.cuts,
        racksOver: recording.codedDisparities ?? recording.recordedDisparities ?? 0...0))
  }

  /// Puts off decisions for subjects that have just come, until racks to them begin where they are seen: no longer than the
  /// one before is seen, and so that each keeps its shortest segment. One that is there as the shot begins has not come.
  private func delayArrivals(
    in plan: inout [(step: Int, curve: Int)], _ curves: [ScoreCurve], times: [Double], end: Double,
    racksOver range: ClosedRange<Float>
  ) {
    let shortest = max(0, weights.shortestSegment.isNaN ? .infinity : weights.shortestSegment)
    let span = Double(range.upperBound) - Double(range.lowerBound)
    for position in plan.indices.dropFirst() {
      let (step, curve) = plan[position]
      let (from, to) = (curves[plan[position - 1].curve], curves[curve])
      guard let coming = to.stay(at: step), coming.lowerBound > 0, let going = from.stay(at: step)
      else { continue }
      let next = position + 1 < plan.count ? times[plan[position + 1].step] : end
      let latest = min(
        going.upperBound + 1, times.partitionPoint { $0 <= next - shortest + Self.rounding } - 1)
      var delayed = step
      // What the rack covers changes with its time.
      for _ in 0..<2 {
        let rack = FocusStyle.standard.rackDuration(
          difference: to.disparity(at: delayed) - from.disparity(at: delayed), range: span)
        let arrival = times[coming.lowerBound] + rack - Self.rounding
        delayed = max(delayed, min(latest, times.partitionPoint { $0 < arrival }))
      }
      plan[position].step = delayed
    }
  }

  /// The seconds that a step of a length counts.
  ///
  /// They have few digits: steps as long count the same, though their times are rounded, and sums of their scores that are
  /// equal are found equal.
  static func weight(of seconds: Double) -> Double {
    seconds > 0x1p-12
      ? (seconds * 0x1p24).rounded() / 0x1p24 : max(Director.shortestPeriod, seconds)
  }

  /// The best sequence, as the steps at which subjects come into focus.
  ///
  /// With V(t, g) the best value of the steps 0...t that ends with g in focus for at least the shortest segment:
  /// V(t, g) = max(V(t-1, g) + s(t, g), max over a and h of V(a-1, h) - c(h, g) + s(a...t, g)), where a are the steps from
  /// which on the shortest segment is over with the end of t, and was not with that of t-1: one where all steps last as
  /// long, none or many where they do not. s is a score times the seconds that its step lasts.
  /// The first subject, too, is kept for a shortest segment. Equal values stay, or go to the first in order.
  private func plan(
    _ curves: [ScoreCurve], times: [Double], end: Double
  ) -> [(step: Int, curve: Int)] {
    let (count, steps) = (curves.count, times.count)
    let shortest = weights.shortestSegment.isNaN ? .infinity : weights.shortestSegment
    func stop(_ step: Int) -> Double { step + 1 < steps ? times[step + 1] : end }
    /// Whether a segment from the start of a step to a time is long enough, but for the rounding of times.
    func lasts(from step: Int, to time: Double) -> Bool {
      time - times[step] >= shortest - Self.rounding
    }
    /// The first of the starts from `start` on that are no a of a step or of one before.
    func next(after start: Int, at step: Int) -> Int {
      let stop = stop(step)
      var start = start
      while start <= step, lasts(from: start, to: stop) { start += 1 }
      return start
    }
    let firstStart = (1..<max(1, steps)).first { lasts(from: 0, to: times[$0]) } ?? steps
    // scores summed up to a step, and values, from before the earliest start that a step looks at
    var ring = 2
    var opened = firstStart
    for step in 0..<steps {
      let next = next(after: opened, at: step)
      if next > opened { ring = max(ring, step - opened + 2) }
      opened = next
    }
    var sums = [Double](repeating: 0, count: ring * count)
    var values = [Double](repeating: 0, count: ring * count)
    /// At (step, subject): 0 when it is kept, else 1 more than the subject it follows plus `count` times the steps since its
    /// start.
    var choices = [Int32](repeating: 0, count: steps * count)
    opened = firstStart
    let dearest = weights.switchCost * (1 + max(0, weights.disparityCost))
    let cheapest = weights.switchCost
    for step in 0..<steps {
      let (now, before) = (step % ring * count, (step + ring - 1) % ring * count)
      let period = Self.weight(of: stop(step) - times[step])
      for (subject, curve) in curves.enumerated() {
        let score = curve.score(at: step) * period
        sums[now + subject] = (step > 0 ? sums[before + subject] : 0) + score
        values[now + subject] = (step > 0 ? values[before + subject] : 0) + score
      }
      let next = next(after: opened, at: step)
      for start in opened..<next {
        let sourceRow = (start - 1) % ring * count
        let sourceBest = values[sourceRow..<(sourceRow + count)].max() ?? 0
        // the others lose to the best source even at the lowest cost
        let sources = (0..<count).filter {
          values[sourceRow + $0] >= sourceBest - (dearest - cheapest)
        }
        for (subject, curve) in curves.enumerated() {
          var best = values[now + subject]
          let gain = sums[now + subject] - sums[sourceRow + subject]
          // no other subject can win when even the best source at the lowest cost does not
          guard sourceBest - cheapest + gain > best else { continue }
          let disparity = curve.disparity(at: start)
          for other in sources where other != subject {
            let difference = SubjectCues.difference(disparity, curves[other].disparity(at: start))
            let cost = weights.switchCost * (1 + weights.disparityCost * difference)
            let candidate = values[sourceRow + other] - cost + gain
            if candidate > best {
              best = candidate
              choices[step * count + subject] = Int32(other + 1 + count * (step - start))
            }
          }
          values[now + subject] = best
        }
      }
      opened = next
    }
    let last = (steps - 1) % ring * count
    var subject = 0
    for other in 1..<max(1, count) where values[last + other] > values[last + subject] {
      subject = other
    }
    var plan: [(step: Int, curve: Int)] = []
    var step = steps - 1
    while step >= 0 {
      let choice = Int(choices[step * count + subject])
      if choice == 0 {
        step -= 1
      } else {
        let start = step - (choice - 1) / count
        plan.append((start, subject))
        step = start - 1
        subject = (choice - 1) % count
      }
    }
    plan.append((0, subject))
    return plan.reversed()
  }
}
