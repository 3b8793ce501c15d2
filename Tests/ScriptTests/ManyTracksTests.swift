// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalSample
import Testing

@testable import FocalScript

/// Scripts of many tracks: what is left out of the work changes nothing of the result.
struct ManyTracksTests {
  private static let frames = 90

  private static func tracks(seed: UInt64) throws -> [DetectionTrack] {
    var generator = SeededGenerator(seed: seed)
    func pick(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }
    func value() -> Double { Double.random(in: 0...1, using: &generator) }
    let types: [DetectionType] = [.humanFace, .humanHead, .humanTorso, .sportsBall]
    return try (1...pick(1...24)).map { id in
      let type = types[pick(0...3)]
      let first = pick(0...(frames - 1))
      let last = pick(first...min(frames - 1, first + pick(0...40)))
      let (x, size, disparity) = (value(), 0.05 + 0.4 * value(), Float(value()))
      return try RecordedDetectionTrack(
        detectionID: DetectionID(Int64(id)),
        detectionGroupID: pick(0...2) == 0 ? nil : DetectionGroupID(Int64(pick(1...4))),
        detectionType: type,
        detections: (first...last).filter { $0 == first || pick(0...5) > 0 }.map { frame in
          Detection(
            // Some beside their frames.
            time: Scripts.frameTime(frame) + Scripts.time(pick(0...4) == 0 ? pick(-9...9) : 0),
            detectionType: type,
            normalizedRect: NormalizedRect(
              x: x + 0.01 * Double(frame - first), y: 0.3, width: size, height: size),
            focusDisparity: disparity)
        }.filter { $0.time >= .zero })
    }.filter { $0.samples.count > 0 }
  }

  private static func frameTimes() throws -> FrameTimes {
    try FrameTimes(
      range: TimeRange(start: .zero, duration: Scripts.frameTime(frames)),
      frameDuration: Scripts.frameTime(1))
  }

  /// In each frame the first of a group's members, by type and id, that is found there.
  @Test func groupsAsIfFrameByFrame() throws {
    for seed in 0..<100 as Range<UInt64> {
      let tracks = try Self.tracks(seed: seed)
      let index = RecordingIndex(
        try Scripts.recording(frames: Self.frames, tracks: tracks, decisions: []))
      for (id, group) in index.groups {
        let members = index.timelines.filter { $0.tracks[0].detectionGroupID == id }.sorted {
          let (a, b) = ($0.tracks[0], $1.tracks[0])
          return (a.detectionType.focusRank, a.detectionID?.rawValue ?? 0)
            < (b.detectionType.focusRank, b.detectionID?.rawValue ?? 0)
        }
        for frame in 0..<Self.frames {
          let expected = members.lazy.compactMap { $0.detection(inFrame: frame) }.first
          #expect(group.detection(inFrame: frame) == expected, "seed \(seed), group \(id)")
        }
      }
    }
  }

  /// Every track is looked at, at every time.
  @Test func cuesAsIfOfEveryTrack() throws {
    for seed in 0..<100 as Range<UInt64> {
      let tracks = try Self.tracks(seed: seed)
      let times = stride(from: 0, to: Self.frames, by: 1 + Int(seed % 3)).map {
        Scripts.frameTime($0)
      }
      let slack = Scripts.time(10 * (1 + Int(seed % 3)))
      let cues = ScoreCurve.cues(
        of: tracks, at: times, within: [Time](repeating: slack, count: times.count))
      for (time, cue) in zip(times, cues) {
        let expected = SubjectCues(
          tracks.compactMap { $0.detection(nearest: time) }.filter {
            max($0.time - time, time - $0.time) <= slack
          })
        #expect(cue?.best == expected?.best && cue?.area == expected?.area, "seed \(seed)")
        #expect(cue?.isFacing == expected?.isFacing)
      }
    }
  }

  /// Every subject is weighed against every other, at every step.
  @Test func plansAsIfAllWereWeighed() throws {
    let times = try Self.frameTimes()
    var switches = 0
    for seed in 0..<100 as Range<UInt64> {
      let tracks = try Self.tracks(seed: seed)
      var director = Director()
      director.weights.shortestSegment = seed % 2 == 0 ? 0.3 : 0.03
      director.weights.switchCost = seed % 3 == 0 ? 0.45 : 0.02
      let decisions = director.decisions(
        for: tracks, frameTimes: times, cuts: [], racksOver: nil)
      #expect(decisions == Self.plan(tracks, times, director.weights), "seed \(seed)")
      switches += max(0, decisions.count - 1)
    }
    #expect(switches > 100)
  }

  private static func plan(
    _ tracks: [DetectionTrack], _ times: FrameTimes, _ weights: DirectorWeights
  ) -> [Decision] {
    let subjects = Dictionary(grouping: tracks) { track -> Decision.FocusDetectionID in
      track.detectionGroupID.map { .group($0) } ?? .single(track.detectionID ?? DetectionID(0))
    }
    let curves = subjects.compactMap { subject, tracks in
      ScoreCurve(
        subject: subject, tracks: tracks, frameTimes: times, shot: 0..<times.count, stride: 1,
        weights: weights)
    }.sorted { $0.subject.precedes($1.subject) }
    guard !curves.isEmpty else { return [] }
    let period = Director.weight(of: (times[1] - times[0]).seconds)
    let shortest = max(1, Int((weights.shortestSegment / period - 1e-6).rounded(.up)))
    var (sums, values): ([[Double]], [[Double]]) = ([], [])
    var origins: [[Int?]] = []
    for step in 0..<frames {
      let scores = curves.map { $0.score(at: step) * period }
      sums.append(scores.indices.map { (step > 0 ? sums[step - 1][$0] : 0) + scores[$0] })
      values.append(scores.indices.map { (step > 0 ? values[step - 1][$0] : 0) + scores[$0] })
      origins.append(scores.map { _ in nil })
      let source = step - shortest
      guard source >= shortest - 1 else { continue }
      for subject in curves.indices {
        for other in curves.indices where other != subject {
          let difference = SubjectCues.difference(
            curves[subject].disparity(at: source + 1), curves[other].disparity(at: source + 1))
          let candidate =
            values[source][other] - weights.switchCost * (1 + weights.disparityCost * difference)
            + (sums[step][subject] - sums[source][subject])
          if candidate > values[step][subject] {
            (values[step][subject], origins[step][subject]) = (candidate, other)
          }
        }
      }
    }
    var step = frames - 1
    var subject = curves.indices.reduce(0) { values[step][$1] > values[step][$0] ? $1 : $0 }
    var result: [Decision] = []
    while step >= 0 {
      if let origin = origins[step][subject] {
        result.append(
          Decision(
            time: times[step - shortest + 1], focus: curves[subject].subject, strong: false))
        (step, subject) = (step - shortest, origin)
      } else {
        step -= 1
      }
    }
    result.append(Decision(time: times[0], focus: curves[subject].subject, strong: false))
    return result.reversed()
  }

  /// Work that grew with the square of their number took minutes.
  @Test(.timeLimit(.minutes(10))) func thousandsOfShortTracks() throws {
    let count = 5000
    let range = TimeRange(start: .zero, duration: Scripts.frameTime(count * 4))
    let times = try FrameTimes(range: range, frameDuration: Scripts.frameTime(1))
    for group in [DetectionGroupID(1), nil] {
      let tracks = try (0..<count).map { number in
        try RecordedDetectionTrack(
          detectionID: DetectionID(Int64(number + 1)), detectionGroupID: group,
          detectionType: .humanFace,
          detections: (0..<8).map { frame in
            Scripts.detection(
              Scripts.frameTime(min(number * 4 + frame, count * 4 - 8 + frame)), disparity: 0.5)
          })
      }
      let recording = try Recording(
        timeRange: range, frameTimes: times, fNumber: 2.8, detectionTracks: tracks, decisions: [])
      let directed = try Director().directed(recording)
      #expect(directed.baseDecisions.count == 1 || group == nil)
      let script = try Script(recording: directed)
      #expect(script.frame(at: .zero)?.focusDisparity == 0.5)
    }
  }

  /// Frames of a long range are made one by one: no array of them is held.
  @Test func framesAsTheyAreAskedFor() throws {
    let script = try Scripts.talk()
    let frames = script.frames(shownIn: script.timeRange)
    #expect(!"\(type(of: frames))".hasPrefix("Array"))
    #expect(frames.map(\.time) == Array(script.recording.frameTimes))
    #expect(frames.map(\.focusDisparity) == Scripts.focus(script))
  }
}
