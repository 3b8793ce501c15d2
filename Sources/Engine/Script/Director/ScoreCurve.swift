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
  /// The steps from those that show it first to those that show it last before it is gone, rising.
  private var stays: [ClosedRange<Int>] = []

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
    let stepFrames = (first..<(first + count)).map { step in
      min(shot.lowerBound + step * stride, shot.upperBound - 1)
    }
    let times = stepFrames.map { frameTimes[$0] }
    let seconds = times.map(\.seconds)
    let slack = Self.slack(around: stepFrames, frameTimes, stride: stride)
    let isWhole = shot == 0..<frameTimes.count
    let cues = Self.cues(of: tracks, at: times, within: slack) { time in
      isWhole || frameTimes.index(nearest: time).map(shot.contains) ?? false
    }
    isSeen = cues.contains { $0 != nil }
    scores = [Float](repeating: Float(absent), count: count)
    disparities = [Float](repeating: 0, count: count)
    // facing is a moving share of 0.4 s; speed and growth are those from 0.5 s before to 0.5 s after,
    // over which a step's sway and a detector's jitter even out
    var (reach, span) = (StepWindow(seconds: 0.2), StepWindow(seconds: 0.5))
    // of the steps before each one, those that show it, and those in which it faces the camera
    var (seenBefore, facingBefore) = ([0], [0])
    for cue in cues {
      seenBefore.append(seenBefore[seenBefore.count - 1] + (cue != nil ? 1 : 0))
      facingBefore.append(
        facingBefore[facingBefore.count - 1] + (cue?.isFacing == true ? 1 : 0))
    }
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
      let window = reach.moved(to: index, of: seconds)
      let seen = seenBefore[window.upperBound + 1] - seenBefore[window.lowerBound]
      let faced = facingBefore[window.upperBound + 1] - facingBefore[window.lowerBound]
      let facing = Double(faced) / Double(max(1, seen))
      var course = SubjectCues.Course(facing: facing, age: seconds[index] - seconds[0])
      let way = span.moved(to: index, of: seconds)
      let (before, after) = (way.lowerBound, way.upperBound)
      let elapsed = seconds[after] - seconds[before]
      if elapsed > 0, let to = cues[after], let motion = cues[before]?.motion(to: to) {
        course.speed = motion.distance / elapsed
        course.growth = motion.growth / elapsed
      }
      let score = cue.score(weights, course)
      scores[index] = Float(score)
      lastDisparity = cue.best.focusDisparity
      disparities[index] = lastDisparity
      if let held, let stay = stays.last,
        stay.upperBound == first + index - 1 || seconds[index] - held.at <= weights.holdTime
      {
        stays[stays.count - 1] = stay.lowerBound...(first + index)
      } else {
        stays.append((first + index)...(first + index))
      }
      held = (score, seconds[index])
    }
  }

  /// The steps within some seconds of one, at least its neighbours.
  private struct StepWindow {
    let seconds: Double
    private var (lower, upper) = (0, 0)

    init(seconds: Double) {
      // but for the rounding of times
      self.seconds = seconds + 1e-9
    }

    /// Steps come in order.
    mutating func moved(to step: Int, of times: [Double]) -> ClosedRange<Int> {
      while times[step] - times[lower] > seconds { lower += 1 }
      upper = max(upper, step)
      while upper + 1 < times.count, times[upper + 1] - times[step] <= seconds { upper += 1 }
      return max(0, min(lower, step - 1))...min(times.count - 1, max(upper, step + 1))
    }
  }

  /// How far a detection may be from a step that shows it: half the way to the nearer one of the steps beside it.
  private static func slack(
    around frames: [Int], _ frameTimes: FrameTimes, stride: Int
  ) -> [Time] {
    func half(_ seconds: Double) -> Time {
      Time(seconds: max(Director.shortestPeriod, seconds) / 2, preferredTimescale: 90000)
    }
    if let frameDuration = frameTimes.frameDuration {
      let slack = half(frameTimes.count > 1 ? frameDuration.seconds * Double(stride) : 1)
      return [Time](repeating: slack, count: frames.count)
    }
    return frames.map { frame in
      let beside = [
        frameTimes[frame] - frameTimes[max(0, frame - stride)],
        frameTimes[min(frameTimes.count - 1, frame + stride)] - frameTimes[frame],
      ]
      return half(beside.filter { $0 > .zero }.min()?.seconds ?? 1)
    }
  }

  /// What is seen of a subject at times that rise: of each track the detection nearest to a time, if it is near enough and
  /// `isCounted`.
  ///
  /// A subject may have thousands of short tracks: only those that last around a time are looked at.
  ///
  /// - Parameter slack: what is near enough, for each time: less than the way to the times beside it.
  static func cues(
    of tracks: [DetectionTrack], at times: [Time], within slack: [Time],
    where isCounted: (Time) -> Bool = { _ in true }
  ) -> [SubjectCues?] {
    let ends = tracks.map { $0.samples.times.last?.seconds ?? 0 }
    let starts = tracks.indices.compactMap { index in
      tracks[index].samples.times.first.map { (seconds: $0.seconds, track: index) }
    }.sorted { $0.seconds < $1.seconds }
    var next = 0
    /// In the order in which they are given.
    var present: [Int] = []
    return zip(times, slack).map { time, slack in
      // Wider than what is near enough, so that no rounding leaves one out.
      let reach = 2 * slack.seconds + 0.001
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

  /// The steps from the one in which it comes to the last one before it goes, where a step lies between; one that is missing
  /// for no longer than it is held is not gone.
  func stay(at step: Int) -> ClosedRange<Int>? {
    let position = stays.partitionPoint { $0.upperBound < step }
    return position < stays.count && stays[position].contains(step) ? stays[position] : nil
  }

  func disparity(at step: Int) -> Double {
    Double(disparities[max(0, min(disparities.count - 1, step - first))])
  }
}
