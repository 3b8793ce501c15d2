// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalSample
import Foundation
import Testing

@testable import FocalScript

/// Where focus lies from frame to frame.
struct FocusTests {
  /// Two subjects, a rack at frame 60 from one to the other.
  private func twoSubjects(
    a: @escaping (Int) -> Float = { _ in 0.2 }, b: @escaping (Int) -> Float = { _ in 0.8 }
  ) throws -> Script {
    try Script(
      recording: Scripts.recording(
        frames: 120,
        tracks: [
          Scripts.track(1, frames: 0..<120, disparity: a),
          Scripts.track(2, frames: 0..<120, disparity: b),
        ], decisions: [Scripts.base(0, 1), Scripts.base(60, 2)]))
  }

  @Test func rackArrivesAtItsDecision() throws {
    let script = try twoSubjects()
    let focus = Scripts.focus(script)
    #expect(focus[60] == 0.8)
    #expect(focus[59] < 0.8 && focus[59] > 0.79)
    #expect(focus[0] == 0.2)
    let to = try #require(script.decision(at: Scripts.frameTime(60)))
    let range = try #require(script.timeRangeOfTransition(before: to))
    #expect(range.end == to.time)
    // the whole range of disparities: 0.35 + 0.8 s
    #expect(range.duration == Time(value: 115, timescale: 100))
    let from = try #require(script.decision(at: .zero))
    #expect(script.timeRangeOfTransition(after: from) == range)
    #expect(script.timeRangeOfTransition(before: from) == nil)
    #expect(script.secondaryDecision(at: range.start) == to)
    #expect(script.secondaryDecision(at: range.end) == nil)
    #expect(script.primaryDecision(at: Scripts.frameTime(59)) == from)
    #expect(zip(focus, focus.dropFirst()).allSatisfy { $0 <= $1 })
  }

  @Test func rackBeyondTheRecordedRangeTakesAsLongAsOverAllOfIt() throws {
    let script = try Script(
      recording: Scripts.recording(
        frames: 120, tracks: [Scripts.track(1, frames: 0..<120) { _ in 0.5 }],
        decisions: [Scripts.base(0, 1)]))
    let id = try script.addDetectionTrack(FixedDetectionTrack(focusDisparity: 0.1))
    script.addUserDecision(Decision(time: Scripts.frameTime(60), detectionID: id, strong: true))
    let rack = try #require(script.focusTransitions.first)
    #expect(rack.timeRange.duration == Time(value: 115, timescale: 100))
  }

  /// A track that is cut away goes on measuring the others.
  @Test func cutsLeaveRacksAsTheyAre() throws {
    let recording = try Scripts.recording(
      frames: 300,
      tracks: [
        Scripts.track(1, frames: 0..<30) { _ in 0.05 },
        Scripts.track(2, frames: 0..<300) { _ in 0.5 },
        Scripts.track(3, frames: 0..<300) { _ in 0.6 },
      ], decisions: [Scripts.base(0, 2), Scripts.base(200, 3)])
    let script = try Script(recording: recording)
    let cut = TimeRange(start: Scripts.frameTime(60), end: Scripts.frameTime(300))
    let trimmed = try Script(
      recording: recording.trimmed(by: cut), changes: script.changes(trimmedBy: cut))
    #expect(trimmed.focusTransitions.count == 1)
    #expect(Scripts.focus(trimmed) == Array(Scripts.focus(script)[60...]))
  }

  @Test func shortGapsShortenTheRack() throws {
    let script = try twoSubjects()
    script.addUserDecision(Scripts.user(55, 2, strong: false))
    script.addUserDecision(Scripts.user(58, 1, strong: false))
    let ranges = script.focusTransitions.map(\.timeRange)
    #expect(ranges.count == 3)
    #expect(ranges[1] == TimeRange(start: Scripts.frameTime(55), end: Scripts.frameTime(58)))
    #expect(ranges[2] == TimeRange(start: Scripts.frameTime(58), end: Scripts.frameTime(60)))
  }

  @Test func transitionCanBeSetForADecision() throws {
    let script = try twoSubjects()
    let decision = try #require(script.decision(at: Scripts.frameTime(60)))
    let half = Transition(duration: Scripts.frameTime(10), curve: .linear)
    #expect(script.setTransition(half, for: decision))
    #expect(script.transition(for: decision) == half)
    let focus = Scripts.focus(script)
    #expect(focus[50] == 0.2)
    #expect(abs(focus[55] - 0.5) < 1e-6)
    #expect(script.setTransition(Transition(duration: .zero), for: decision))
    #expect(Scripts.focus(script)[59] == 0.2)
    #expect(script.setTransition(nil, for: decision))
    #expect(script.changes().transitions.isEmpty)
    #expect(!script.setTransition(half, for: Scripts.base(61, 2)))
  }

  @Test func constantSubjectGivesConstantFocus() throws {
    let script = try twoSubjects()
    let focus = Scripts.focus(script)
    #expect(focus[0..<20].allSatisfy { $0 == 0.2 })
    #expect(focus[60...].allSatisfy { $0 == 0.8 })
  }

  @Test func noiseOnAStillSubjectDoesNotBreathe() throws {
    var generator = SeededGenerator(seed: 3)
    // noise inside the dead zone of 0.0075 of the range, with single wrong values
    let noise = (0..<120).map { frame in
      frame % 17 == 9 ? Float(0.3) : Float.random(in: -0.002...0.002, using: &generator)
    }
    let script = try twoSubjects(a: { 0.2 + noise[$0] })
    let focus = Scripts.focus(script)[5..<24]
    #expect((focus.max() ?? 1) - (focus.min() ?? 0) < 1e-5)
  }

  @Test func movingSubjectIsFollowedWithoutLag() throws {
    let script = try twoSubjects(a: { 0.2 + Float($0) * 0.004 })
    let focus = Scripts.focus(script)
    for frame in 8..<24 {
      #expect(abs(focus[frame] - (0.2 + Float(frame) * 0.004)) < 0.002)
    }
  }

  @Test func jumpOfASubjectIsEasedWithoutOvershoot() throws {
    let script = try twoSubjects(b: { $0 < 90 ? 0.8 : 0.6 })
    let focus = Scripts.focus(script)[60...]
    #expect(focus.allSatisfy { $0 <= 0.8 && $0 >= 0.6 })
    #expect(zip(focus, focus.dropFirst()).allSatisfy { $0 >= $1 && $0 - $1 < 0.025 })
  }

  @Test func focusStaysWhereItsTrackEndsUntilTheFallbackHasArrived() throws {
    let script = try Script(
      recording: Scripts.recording(
        frames: 120,
        tracks: [
          Scripts.track(1, frames: 0..<120) { _ in 0.2 },
          Scripts.track(2, frames: 0..<80) { _ in 0.8 },
        ], decisions: [Scripts.base(0, 1)]))
    script.addUserDecision(Scripts.user(40, 2, strong: true))
    #expect(Scripts.inForce(script)[79] == 2 && Scripts.inForce(script)[80] == 1)
    let focus = Scripts.focus(script)
    #expect(focus[40] == 0.8 && focus[80] == 0.2)
    // without base decisions focus stays
    let alone = try Script(
      recording: Scripts.recording(
        frames: 120, tracks: [Scripts.track(2, frames: 0..<80) { _ in 0.8 }], decisions: []))
    alone.addUserDecision(Scripts.user(40, 2, strong: true))
    #expect(Scripts.inForce(alone)[80] == 0)
    #expect(Scripts.focus(alone).allSatisfy { $0 == 0.8 })
    #expect(alone.frame(at: Scripts.frameTime(100))?.focusDetection == nil)
  }

  @Test func callerChangesTheNumbersOfAFrame() throws {
    let script = try twoSubjects()
    script.fNumber = 4
    var frame = try #require(script.frame(at: Scripts.time(3), tolerance: Scripts.time(3)))
    #expect(frame.time == .zero && frame.fNumber == 4)
    frame.focusDisparity = 0.7
    frame.fNumber = 8
    #expect(script.frame(at: .zero)?.focusDisparity == 0.2)
    #expect(script.frame(at: Scripts.time(3), tolerance: Scripts.time(2)) == nil)
  }

  @Test func randomScriptsHaveOrderlyTransitions() throws {
    for seed in 0..<2000 as Range<UInt64> {
      let oracle = Oracle.random(seed: seed)
      let script = try Script(recording: oracle.recording())
      var lastEnd = script.timeRange.start
      for transition in script.focusTransitions {
        #expect(transition.timeRange.start >= lastEnd, "overlap, seed \(seed)")
        lastEnd = transition.timeRange.end
        #expect(script.primaryDecision(at: lastEnd) == transition.to, "end, seed \(seed)")
        #expect(script.secondaryDecision(at: transition.timeRange.start) == transition.to)
      }
      let all = oracle.tracks.flatMap { track -> [Float] in
        let own = Float(track.id) / 7
        return (track.frames ?? [0]).map { own + Float($0) * 0.003 }
      }
      if let least = all.min(), let most = all.max() {
        #expect(
          Scripts.focus(script).allSatisfy { $0 >= least - 1e-5 && $0 <= most + 1e-5 },
          "overshoot, seed \(seed)")
      }
    }
  }

  /// Focus is continuous: outside of racks it moves about as its subjects do, inside by no more than
  /// the steepest part of the curve, 15/8 of the mean.
  @Test func stepsAreBounded() throws {
    for seed in 0..<500 as Range<UInt64> {
      let oracle = Oracle.random(seed: seed)
      let script = try Script(recording: oracle.recording())
      let focus = Scripts.focus(script)
      let racks = script.focusTransitions.map(\.timeRange)
      // members of a group lie up to 5/7 and 40 frames apart; their jumps are eased
      let groups = Set(
        oracle.choices.filter(\.isGroup).map(\.id).filter { id in
          oracle.tracks.count { $0.group == id } > 1
        })
      if !groups.isEmpty { continue }
      for frame in 1..<max(1, focus.count) {
        let step = TimeRange(start: Scripts.frameTime(frame - 1), end: Scripts.frameTime(frame))
        var share = 0.0
        for rack in racks {
          let shared = rack.intersection(step).duration.seconds
          // a segment may start and end between two frames: a rack that is shorter is a cut
          if shared > 0 { share += min(1, 15 / 8 * shared / rack.duration.seconds) }
        }
        // tracks of the oracle differ by up to 4/7 and move by 0.003 a frame; where detections are
        // sparse, the ends of smoothed stretches make focus catch up, at most twice as fast
        let bound = Float(share) * (4.0 / 7 + 40 * 0.003) + 0.006
        #expect(
          abs(focus[frame] - focus[frame - 1]) <= bound, "seed \(seed), frame \(frame)")
      }
    }
  }

  /// A still subject's map trembles by a hundredth of the range: of that, next to nothing at 2 to
  /// 8 Hz, where the eye sees focus breathe, comes through.
  @Test func noiseDoesNotBreathe() throws {
    var generator = SeededGenerator(seed: 8)
    let noise = (0..<120).map { _ in Float.random(in: -0.006...0.006, using: &generator) }
    let script = try Script(
      recording: Scripts.recording(
        frames: 120,
        tracks: [
          Scripts.track(1, frames: 0..<120) { 0.2 + noise[$0] },
          Scripts.track(2, frames: 0..<120) { _ in 0.8 },
        ], decisions: [Scripts.base(0, 1)]))
    func energy(_ values: [Double]) -> Double {
      // 4 s: the harmonics of a quarter of a hertz
      (8...32).reduce(0.0) { sum, harmonic in
        var (re, im) = (0.0, 0.0)
        for (index, value) in values.enumerated() {
          let phase = 2 * Double.pi * Double(harmonic * index) / Double(values.count)
          re += value * cos(phase)
          im += value * sin(phase)
        }
        return sum + re * re + im * im
      }
    }
    let focus = Scripts.focus(script).map(Double.init)
    #expect(energy(focus) < 0.001 * energy(noise.map(Double.init)))
  }

  @Test func orderAndSideOfTheInputDoNotMatter() throws {
    for seed in 0..<300 as Range<UInt64> {
      var oracle = Oracle.random(seed: seed)
      // those at one time depend on the order on purpose
      var seen: Set<Int> = []
      oracle.choices = oracle.choices.filter {
        seen.insert($0.tick * 2 + ($0.user ? 1 : 0)).inserted
      }
      let recording = try oracle.recording()
      var generator = SeededGenerator(seed: seed)
      let shuffled = try Recording(
        timeRange: recording.timeRange, frameTimes: recording.frameTimes, fNumber: 2.8,
        detectionTracks: recording.detectionTracks.shuffled(using: &generator),
        decisions: (recording.baseDecisions + recording.userDecisions).shuffled(using: &generator))
      #expect(shuffled == recording)
      #expect(shuffled.identity == recording.identity)
    }
  }

  @Test func curvesRiseFromZeroToOne() {
    for curve in Transition.Curve.allCases {
      let values = (0...100).map { curve.value(at: Double($0) / 100) }
      #expect(values.first == 0 && values.last == 1 && abs(values[50] - 0.5) < 1e-12)
      #expect(zip(values, values.dropFirst()).allSatisfy { $0 <= $1 })
      #expect(curve.value(at: -1) == 0 && curve.value(at: 2) == 1 && curve.value(at: .nan) == 0)
    }
  }
}
