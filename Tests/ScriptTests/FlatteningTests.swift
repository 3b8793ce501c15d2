// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalSample
import Foundation
import Testing

@testable import FocalScript

/// Changes that become part of a script alter nothing.
struct FlatteningTests {
  /// A script drawn from a seed, with edits of every kind.
  private struct Draw {
    var generator: SeededGenerator
    var frameCount = 1
    var frameTimes: [Time] = []

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    mutating func pick(_ range: ClosedRange<Int>) -> Int {
      Int.random(in: range, using: &generator)
    }
    mutating func value(_ range: ClosedRange<Double> = -0.5...1.5) -> Float {
      Float(Double.random(in: range, using: &generator))
    }
    /// A frame's time, or one as people type it: thousandths in lowest terms.
    mutating func time() -> Time {
      if pick(0...1) == 0 { return frameTimes[pick(0...(frameCount - 1))] }
      let last = frameTimes[frameCount - 1].seconds
      let thousandths = pick(0...Int(last * 1000))
      let divisor = Int(Time.greatestCommonDivisor(UInt64(thousandths), 1000))
      return Time(value: Int64(thousandths / divisor), timescale: Int32(1000 / divisor))
    }
    mutating func detections(_ type: DetectionType) -> [Detection] {
      let first = pick(0...(frameCount - 1))
      let last = pick(first...(frameCount - 1))
      var disparity = value()
      var rect = NormalizedRect(x: 0.1, y: 0.2, width: 0.3, height: 0.4)
      return (first...last).compactMap { frame -> Detection? in
        disparity += value(-0.02...0.02)
        rect.x += Double(value(-0.01...0.01))
        guard pick(0...9) > 0 else { return nil }
        return Detection(
          time: frameTimes[frame], detectionType: type, normalizedRect: rect,
          focusDisparity: disparity)
      }
    }
    mutating func fixed() throws -> FixedDetectionTrack {
      guard pick(0...1) == 0 else { return try FixedDetectionTrack(focusDisparity: value()) }
      return try FixedDetectionTrack(
        originalDetection: Detection(
          time: time(), detectionType: .humanHead,
          normalizedRect: NormalizedRect(x: 0.25, y: 0.5, width: 0.125, height: 0.1),
          focusDisparity: value()))
    }
    mutating func decision(ids: ClosedRange<Int>) -> Decision {
      let id = Int64(pick(ids))
      return pick(0...3) == 0
        ? Decision(
          time: time(), detectionGroupID: DetectionGroupID(Int64(pick(1...2))),
          strong: pick(0...1) == 0)
        : Decision(time: time(), detectionID: DetectionID(id), strong: pick(0...1) == 0)
    }
    mutating func transition() -> Transition {
      Transition(
        duration: Time(value: Int64(pick(0...90)), timescale: 60),
        curve: Transition.Curve.allCases[pick(0...2)])
    }

    mutating func recording() throws -> Recording {
      frameCount = pick(1...150)
      let steps: [(Int64, Int32)] = [(1, 30), (1001, 30000), (1, 24), (20, 600), (1001, 24000)]
      let (ticks, scale) = steps[pick(0...(steps.count - 1))]
      var ticksSoFar: Int64 = 0
      let isVariable = pick(0...2) == 0
      frameTimes = []
      for _ in 0..<frameCount {
        frameTimes.append(Time(value: ticksSoFar, timescale: scale))
        ticksSoFar += ticks * (isVariable ? Int64(pick(1...3)) : 1)
      }
      let range = TimeRange(start: .zero, end: Time(value: ticksSoFar, timescale: scale))
      var tracks: [DetectionTrack] = []
      for id in 0..<pick(0...4) {
        let group = pick(0...2) == 0 ? nil : DetectionGroupID(Int64(pick(1...2)))
        let type: DetectionType = [.humanFace, .humanTorso, .catHead][pick(0...2)]
        let detections = detections(type)
        let number = DetectionID(Int64(2 * id + 1))
        switch pick(0...5) {
        case 0: tracks.append(try fixed().identified(as: number, group: group))
        case 1 where !detections.isEmpty:
          tracks.append(
            try CustomDetectionTrack(detections: detections, smooth: pick(0...1) == 0)
              .identified(as: number, group: group))
        default:
          tracks.append(
            try RecordedDetectionTrack(
              detectionID: number, detectionGroupID: group, detectionType: type,
              detections: detections))
        }
      }
      // Some on ids that are not there, which added tracks then take.
      let decisions = (0..<pick(0...6)).map { _ in
        decision(ids: 1...12).with(user: pick(0...3) == 0)
      }
      var transitions: [Decision: Transition] = [:]
      for decision in decisions where pick(0...2) == 0 { transitions[decision] = transition() }
      var look = Look()
      if pick(0...1) == 0 { look.blurScale = value(0...2) }
      return try Recording(
        timeRange: range,
        frameTimes: isVariable
          ? FrameTimes(frameTimes)
          : FrameTimes(range: range, frameDuration: Time(value: ticks, timescale: scale)),
        fNumber: 2.8, detectionTracks: tracks, decisions: decisions, transitions: transitions,
        look: look)
    }

    mutating func edit(_ script: Script) throws {
      for _ in 0..<pick(1...10) {
        switch pick(0...11) {
        case 10, 11:
          let list = script.baseDecisions(in: script.timeRange)
          guard !list.isEmpty else { continue }
          let chosen = list[pick(0...(list.count - 1))]
          if pick(0...1) == 0 {
            script.removeBaseDecision(chosen)
          } else {
            script.moveBaseDecision(chosen, to: decision(ids: 1...12).time)
          }
        case 0: script.fNumber = value(1...16)
        case 1: script.addDetectionTrack(try fixed())
        case 2, 3:
          let detections = detections(.custom)
          guard !detections.isEmpty else { continue }
          let id = script.addDetectionTrack(
            try CustomDetectionTrack(detections: detections, smooth: pick(0...3) > 0))
          script.addUserDecision(
            Decision(time: detections[0].time, detectionID: id, strong: pick(0...1) == 0))
        case 4:
          let list = script.userDecisions(in: script.timeRange)
          if !list.isEmpty { script.removeUserDecision(list[pick(0...(list.count - 1))]) }
        case 5:
          let list = script.decisions(in: script.timeRange)
          if !list.isEmpty {
            script.setTransition(transition(), for: list[pick(0...(list.count - 1))])
          }
        default: script.addUserDecision(decision(ids: 1...12))
        }
      }
    }
  }

  /// The properties of a frame that a viewer could tell apart.
  private struct Seen: Equatable {
    var time: Time
    var focus: UInt32
    var fNumber: UInt32
    var detection: Detection?
    var all: Set<Detection>
    var decisions: [Decision?]

    init(_ frame: ScriptFrame) {
      time = frame.time
      focus = frame.focusDisparity.bitPattern
      fNumber = frame.fNumber.bitPattern
      detection = frame.focusDetection
      all = Set(frame.allDetections)
      decisions = [frame.primaryDecision, frame.secondaryDecision]
    }
  }

  private func seen(_ script: Script) -> [Seen] {
    script.frames(in: script.timeRange).map { Seen($0) }
  }

  /// 200 scripts, frame by frame, bit for bit: with their changes, and after the changes have become
  /// part of them and gone through a file.
  @Test func changesThatBecomeTheScriptAlterNothing() throws {
    var (frames, added, racks) = (0, 0, 0)
    for seed in 0..<200 as Range<UInt64> {
      var draw = Draw(seed: seed)
      let recording = try draw.recording()
      let script = try Script(recording: recording)
      try draw.edit(script)
      // As the program does: the changes come out of a file.
      let changes = try Script.Changes(dataRepresentation: script.changes().dataRepresentation)
      let changed = try Script(recording: recording, changes: changes)
      let text = try changed.flattened().jsonRepresentation()
      let applied = try Script(recording: Recording(jsonRepresentation: text))
      let expected = seen(changed)
      #expect(seen(applied) == expected, "seed \(seed)")
      #expect(applied.focusTransitions == changed.focusTransitions, "seed \(seed)")
      #expect(applied.recording.look == recording.look)
      frames += expected.count
      added += script.addedDetectionTracks.count
      racks += script.focusTransitions.count
      // Applied again, the script is the same text.
      #expect(try applied.flattened().jsonRepresentation() == text, "seed \(seed)")
      // And with more changes on top.
      try draw.edit(applied)
      let again = try Script(
        recording: Recording(jsonRepresentation: applied.flattened().jsonRepresentation()))
      #expect(seen(again) == seen(applied), "seed \(seed), second round")
    }
    #expect(frames > 5000 && added > 100 && racks > 100)
  }

  /// A track that is added and spans more than the recorded ones leaves the length of racks as it was.
  @Test func addedTracksDoNotMeasureRacks() throws {
    let script = try Script(
      recording: Scripts.recording(
        frames: 120,
        tracks: [
          Scripts.track(1, frames: 0..<120) { _ in 0.25 },
          Scripts.track(2, frames: 0..<120) { _ in 0.5 },
        ], decisions: [Scripts.base(0, 1), Scripts.base(60, 2)]))
    let rack = try #require(script.focusTransitions.first)
    try script.addDetectionTrack(FixedDetectionTrack(focusDisparity: 4))
    let applied = try Script(recording: script.flattened())
    #expect(applied.focusTransitions == [rack])
    #expect(applied.recording.disparityRange == 0.25...0.5)
  }

  /// Where one focus is held, the disparities of a movie's codes measure racks. Its identity is the same, and a recording that
  /// spans something stays as it is.
  @Test func codesMeasureRacksOfOneFocus() throws {
    let held = try FixedDetectionTrack(focusDisparity: 0.5)
    let alone = try Script(recording: Scripts.recording(frames: 90, tracks: [], decisions: []))
    let id = alone.addDetectionTrack(held)
    alone.addUserDecision(Decision(time: .zero, detectionID: id, strong: false))
    let flat = try alone.flattened()
    let measured = flat.measured(byCodes: 0...1)
    #expect(measured.identity == flat.identity)
    func seconds(_ recording: Recording) throws -> Double {
      let script = try Script(recording: recording)
      let near = script.addDetectionTrack(try FixedDetectionTrack(focusDisparity: 0.75))
      script.addUserDecision(Scripts.user(60, near.rawValue, strong: true))
      let range = try #require(script.focusTransitions.first?.timeRange)
      // Also once it is made one with the changes.
      let applied = try Script(recording: script.flattened())
      #expect(applied.focusTransitions.first?.timeRange == range)
      return range.duration.seconds
    }
    let (longest, shorter) = (try seconds(flat), try seconds(measured))
    #expect(abs(longest - 1.15) < 0.01)
    #expect(abs(shorter - 0.55) < 0.01)
    #expect(try Script(recording: measured).flattened().disparityRange == 0...1)
    let talk = try Scripts.talk().recording
    #expect(talk.measured(byCodes: 0...9) == talk)
    #expect(try measured.replacing(baseDecisions: []).codedDisparities == 0...1)
  }

  /// Unknown parts of a look are kept, and known ones have their numbers.
  @Test func looksAreKept() throws {
    let text = InterchangeTests.example.replacing(
      "\"fNumber\": 2.8,",
      with: """
        "fNumber": 2.8, "look": {"tilt": {"strength": [0.5, 1e-3], "of": "the \\"edge\\""},
         "blurScale": 0.25, "apertureBlades": 6, "a \\"name\\"": null},
        """)
    let recording = try Recording(jsonRepresentation: Data(text.utf8))
    let look = recording.look
    #expect(look.blurScale == 0.25 && look.apertureBlades == 6 && look.apertureRotation == nil)
    #expect(look.unknownNames == ["a \"name\"", "tilt"])
    #expect(look["tilt"] == "{\"strength\": [0.5, 1e-3], \"of\": \"the \\\"edge\\\"\"}")
    let script = try Script(recording: recording)
    script.fNumber = 4
    let back = try Recording(jsonRepresentation: script.flattened().jsonRepresentation())
    #expect(back.look == look)
    #expect(try Recording(jsonRepresentation: recording.jsonRepresentation()) == recording)
    // The look is no part of what changes belong to.
    var other = Look()
    other.blurScale = 1
    #expect(recording.with(look: other).identity == recording.identity)
    let both = look.overridden(by: other)
    #expect(both.blurScale == 1 && both.apertureBlades == 6 && both["tilt"] == look["tilt"])
    for wrong in ["\"wide\"", "{}", "[1]"] {
      let damaged = text.replacing("\"blurScale\": 0.25", with: "\"blurScale\": \(wrong)")
      #expect {
        _ = try Recording(jsonRepresentation: Data(damaged.utf8))
      } throws: {
        ($0 as? CinematicError)?.code == .malformed
      }
    }
  }
}
