// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// A subject's score and disparity over a shot that is known as a whole.
struct ScoreCurve: Sendable {
  let subject: Decision.FocusDetectionID
  /// The step, of ``Director``'s grid of steps, at which `scores` starts.
  private let first: Int
  private var scores: [Float] = []
  private var disparities: [Float] = []
  private let absent: Double
  /// Whether a step shows it.
  let isSeen: Bool

  /// - Parameters:
  ///   - tracks: those of the subject.
  ///   - shot: the frames of which every `stride`th is a step; what is seen in others says nothing of the subject.
  init?(
    subject: Decision.FocusDetectionID, tracks: [DetectionTrack], frameTimes: FrameTimes,
    shot: Range<Int>, stride: Int, weights: DirectorWeights
  ) {
    self.subject = subject
    absent = weights.absentScore
    let starts = tracks.compactMap(\.samples.times.first)
    let ends = tracks.compactMap(\.samples.times.last)
    guard let start = starts.min(), let end = ends.max(), !shot.isEmpty,
      end >= frameTimes[0], let firstFrame = frameTimes.index(nearest: start),
      let lastFrame = frameTimes.index(nearest: end), start <= frameTimes[frameTimes.count - 1],
      firstFrame < shot.upperBound, lastFrame >= shot.lowerBound
    else { return nil }
    first = (max(firstFrame, shot.lowerBound) - shot.lowerBound) / stride
    let last = (min(lastFrame, shot.upperBound - 1) - shot.lowerBound) / stride
    let count = last - first + 1
    let step = frameTimes.count > 1 ? (frameTimes[1] - frameTimes[0]).seconds : 1
    let period = max(Director.shortestPeriod, step)
    let slack = Time(seconds: period * Double(stride) / 2, preferredTimescale: 90000)

    let times = (first..<(first + count)).map { step in
      frameTimes[min(shot.lowerBound + step * stride, shot.upperBound - 1)]
    }
    let seconds = times.map(\.seconds)
    let isWhole = shot == 0..<frameTimes.count
    let cues = Self.cues(of: tracks, at: times, within: slack) { time in
      isWhole || frameTimes.index(nearest: time).map(shot.contains) ?? false
    }
    isSeen = cues.contains { $0 != nil }
    scores = [Float](repeating: Float(absent), count: count)
    disparities = [Float](repeating: 0, count: count)
    // facing is a moving share of 0.4 s; speed and growth are those from 0.5 s before to 0.5 s after,
    // over which a step's sway and a detector's jitter even out
    let reach = max(1, Int(0.2 / (period * Double(stride))))
    let span = max(1, Int(0.5 / (period * Double(stride))))
    var held: (score: Double, at: Double)?
    var lastDisparity: Float = cues.lazy.compactMap { $0?.best.focusDisparity }.first ?? 0
    for index in 0..<count {
      guard let cue = cues[index] else {
        disparities[index] = lastDisparity
        if let held, seconds[index] - held.at <= weights.holdTime {
          scores[index] = Float(held.score)
        }
        continue
      }
      let window = cues[max(0, index - reach)...min(count - 1, index + reach)]
      let seen = window.count { $0 != nil }
      let facing = Double(window.count { $0?.isFacing == true }) / Double(max(1, seen))
      var course = SubjectCues.Course(facing: facing, age: seconds[index] - seconds[0])
      let (before, after) = (max(0, index - span), min(count - 1, index + span))
      let elapsed = seconds[after] - seconds[before]
      if elapsed > 0, let to = cues[after], let motion = cues[before]?.motion(to: to) {
        course.speed = motion.distance / elapsed
        course.growth = motion.growth / elapsed
      }
      let score = cue.score(weights, course)
      scores[index] = Float(score)
      lastDisparity = cue.best.focusDisparity
      disparities[index] = lastDisparity
      held = (score, seconds[index])
    }
  }

  /// What is seen of a subject at times that rise: of each track the detection nearest to a time, if it is near enough and
  /// `isCounted`.
  ///
  /// A subject may have thousands of short tracks: only those that last around a time are looked at.
  static func cues(
    of tracks: [DetectionTrack], at times: [Time], within slack: Time,
    where isCounted: (Time) -> Bool = { _ in true }
  ) -> [SubjectCues?] {
    let ends = tracks.map { $0.samples.times.last?.seconds ?? 0 }
    let starts = tracks.indices.compactMap { index in
      tracks[index].samples.times.first.map { (seconds: $0.seconds, track: index) }
    }.sorted { $0.seconds < $1.seconds }
    // Wider than what is near enough, so that no rounding leaves one out.
    let reach = 2 * slack.seconds + 0.001
    var next = 0
    /// In the order in which they are given.
    var present: [Int] = []
    return times.map { time in
      while next < starts.count, starts[next].seconds <= time.seconds + reach {
        let track = starts[next].track
        present.insert(track, at: present.partitionPoint { $0 < track })
        next += 1
      }
      present.removeAll { ends[$0] < time.seconds - reach }
      return SubjectCues(
        present.compactMap { track in
          tracks[track].detection(nearest: time).flatMap { detection in
            let distance = detection.time - time
            return max(distance, -distance) <= slack && isCounted(detection.time) ? detection : nil
          }
        })
    }
  }

  func score(at step: Int) -> Double {
    let index = step - first
    return scores.indices.contains(index) ? Double(scores[index]) : absent
  }

  func disparity(at step: Int) -> Double {
    Double(disparities[max(0, min(disparities.count - 1, step - first))])
  }
}
