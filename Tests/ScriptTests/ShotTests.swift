// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalSample
import Foundation
import Testing

@testable import FocalScript

/// Focus in recordings of several shots.
struct ShotTests {
  private static func recording(
    frames: Int, _ tracks: [DetectionTrack], _ decisions: [Decision] = [], cuts: [Int]
  ) throws -> Recording {
    let range = TimeRange(start: .zero, duration: Scripts.frameTime(frames))
    return try Recording(
      timeRange: range, frameTimes: FrameTimes(range: range, frameDuration: Scripts.frameTime(1)),
      fNumber: 2.8, detectionTracks: tracks, decisions: decisions,
      cuts: cuts.map { Scripts.frameTime($0) })
  }

  /// Another person in each shot of 30 frames, near and far in turn.
  private static func persons(_ shots: Int) throws -> [DetectionTrack] {
    try (0..<shots).map { shot -> DetectionTrack in
      let number = Int64(shot + 1)
      let first = 30 * shot
      let disparity: Float = shot % 2 == 0 ? 0.8 : 0.2
      let frames = first..<(first + 30)
      return try Scripts.track(number, group: number, frames: frames) { _ in disparity }
    }
  }

  private static func groups(_ decisions: [Decision]) -> [Int64] {
    decisions.map { $0.detectionGroupID?.rawValue ?? 0 }
  }

  /// Shots may be shorter than a subject keeps focus: each person is in focus in all frames of theirs, and none before.
  @Test func everyShotHasItsOwnSubject() throws {
    let tracks = try Self.persons(10)
    let cuts = (1..<10).map { 30 * $0 }
    let recording = try Director().directed(Self.recording(frames: 300, tracks, cuts: cuts))
    #expect(Self.groups(recording.baseDecisions) == Array(1...10))
    let starts: [Int] = [0] + cuts
    let times: [Time] = starts.map { Scripts.frameTime($0) }
    #expect(recording.baseDecisions.map(\.time) == times)
    let script = try Script(recording: recording)
    let expected = (0..<300).map { (frame: Int) -> Float in (frame / 30) % 2 == 0 ? 0.8 : 0.2 }
    #expect(Scripts.focus(script) == expected)
    #expect(script.focusTransitions.isEmpty)
    // Without cuts a subject keeps its time.
    let plain = try Director().directed(Self.recording(frames: 300, tracks, cuts: []))
    #expect(plain.baseDecisions.count < 10)
    // As edits, too.
    let edited = try Script(recording: Self.recording(frames: 300, tracks, cuts: cuts))
    #expect(try edited.addDecisions(of: Director()) == 10)
    #expect(Scripts.focus(edited) == expected)
  }

  /// A plan of several shots is the plans of each.
  @Test func shotsArePlannedByThemselves() throws {
    var generator = SeededGenerator(seed: 4)
    for seed in 0..<20 {
      var cuts: [Int] = []
      var next = 0
      while true {
        next += Int.random(in: 1...90, using: &generator)
        if next >= 300 { break }
        cuts.append(next)
      }
      let turn = Int.random(in: 20...80, using: &generator)
      let all = 0..<300
      let tracks = [
        try Scripts.track(1, group: 1, type: .humanHead, frames: all) { _ in 0.3 },
        try Scripts.track(2, group: 1, frames: all.filter { $0 / turn % 2 == 0 }) { _ in 0.3 },
        try Scripts.track(3, group: 2, type: .humanHead, frames: all) { _ in 0.6 },
        try Scripts.track(4, group: 2, frames: all.filter { $0 / turn % 2 == 1 }) { _ in 0.6 },
      ]
      var expected: [Decision] = []
      for (start, end) in zip([0] + cuts, cuts + [300]) {
        let times = try FrameTimes((start..<end).map { Scripts.frameTime($0) })
        let range = TimeRange(start: Scripts.frameTime(start), end: Scripts.frameTime(end))
        let inside = tracks.map { $0.trimmed(to: range, lastFrame: nil, shift: .zero) }
        for decision in Director().decisions(for: inside, frameTimes: times)
        where decision.focusDetectionID != expected.last?.focusDetectionID {
          expected.append(decision)
        }
      }
      let range = TimeRange(start: .zero, duration: Scripts.frameTime(300))
      let decisions = Director().decisions(
        for: tracks,
        frameTimes: try FrameTimes(range: range, frameDuration: Scripts.frameTime(1)),
        cuts: cuts.reversed().map { Scripts.frameTime($0) })
      #expect(decisions == expected, "seed \(seed)")
    }
  }

  /// A subject that goes on is at once where the next shot has it, followed in every frame or in some.
  @Test(arguments: [1, 20])
  func subjectThatGoesOnIsThereAtOnce(_ step: Int) throws {
    let frames = stride(from: 0, to: 300, by: step)
    let track = try Scripts.track(1, group: 1, frames: frames) { $0 < 150 ? 0.8 : 0.2 }
    let recording = try Director().directed(Self.recording(frames: 300, [track], cuts: [150]))
    #expect(Self.groups(recording.baseDecisions) == [1])
    let focus = Scripts.focus(try Script(recording: recording))
    // The one before the cut stays until it.
    let expected = (0..<300).map { frame -> Float in frame < 150 ? 0.8 : 0.2 }
    #expect(focus == expected)
    let plain = try Director().directed(Self.recording(frames: 300, [track], cuts: []))
    #expect(Scripts.focus(try Script(recording: plain)) != expected)
  }

  /// A shot in which nobody is seen keeps focus where it was.
  @Test func shotOfNobodyKeepsTheFocus() throws {
    let tracks = [
      try Scripts.track(1, group: 1, frames: 0..<60) { _ in 0.8 },
      try Scripts.track(2, group: 2, frames: 120..<180) { _ in 0.3 },
    ]
    let recording = try Director().directed(
      Self.recording(frames: 180, tracks, cuts: [60, 120]))
    #expect(recording.baseDecisions.map(\.time) == [.zero, Scripts.frameTime(120)])
    let focus = Scripts.focus(try Script(recording: recording))
    #expect(focus[..<120].allSatisfy { $0 == 0.8 } && focus[120...].allSatisfy { $0 == 0.3 })
    // Before the first who is seen, focus is where they are.
    let late = try Director().directed(Self.recording(frames: 180, [tracks[1]], cuts: [60, 120]))
    #expect(late.baseDecisions.map(\.time) == [.zero])
  }

  /// An automatic rack to a decision of the user's stays in its shot; one of a length that was set does not.
  @Test func automaticRacksBeginAtTheCut() throws {
    let tracks = [
      try Scripts.track(1, frames: 0..<200) { _ in 0.8 },
      try Scripts.track(2, frames: 0..<200) { _ in 0.2 },
    ]
    let recording = try Self.recording(
      frames: 200, tracks, [Scripts.base(0, 1)], cuts: [100])
    for frame in [100, 106, 180] {
      let script = try Script(recording: recording)
      let decision = Scripts.user(frame, 2, strong: true)
      script.addUserDecision(decision)
      let focus = Scripts.focus(script)
      #expect(focus[..<100].allSatisfy { $0 == 0.8 }, "\(frame)")
      #expect(focus[frame...].allSatisfy { $0 == 0.2 }, "\(frame)")
      let start = script.focusTransitions.first?.timeRange.start
      #expect((start == Scripts.frameTime(100)) == (frame == 106))
      guard frame == 106 else { continue }
      #expect(script.setTransition(Transition(duration: Scripts.frameTime(30)), for: decision))
      #expect(script.focusTransitions.first?.timeRange.start == Scripts.frameTime(76))
    }
    // One that stands between frames is of the shot of the next frame.
    let script = try Script(recording: recording)
    script.addUserDecision(
      Decision(time: Scripts.time(1990), detectionID: DetectionID(2), strong: true))
    #expect(script.focusTransitions.isEmpty)
  }

  /// Files, cuts of the film and flattened scripts keep them; they count as parts of the recording.
  @Test func cutsAreKept() throws {
    let tracks = try Self.persons(4)
    let recording = try Self.recording(frames: 120, tracks, cuts: [90, 30, 60, 30, 0, 500])
    #expect(recording.cuts == [30, 60, 90].map { Scripts.frameTime($0) })
    let plain = try Self.recording(frames: 120, tracks, cuts: [])
    #expect(recording.identity != plain.identity)
    let text = try recording.jsonRepresentation()
    let read = try Recording(jsonRepresentation: text)
    #expect(read == recording && read.identity == recording.identity)
    _ = try JSONSerialization.jsonObject(with: text)
    #expect(try Script(recording: recording).flattened().cuts == recording.cuts)
    #expect(try Director().directed(recording).cuts == recording.cuts)
    let directed = try Director().directed(recording)
    let range = TimeRange(start: Scripts.frameTime(30), end: Scripts.frameTime(100))
    let trimmed = try directed.trimmed(by: range)
    #expect(trimmed.cuts == [30, 60].map { Scripts.frameTime($0) })
    let focus = Scripts.focus(try Script(recording: directed))
    #expect(Scripts.focus(try Script(recording: trimmed)) == Array(focus[30..<100]))
  }

  /// While a clip is still being made, too: nobody of the shot before is waited for.
  @Test func onlineDirectorBeginsAnew() throws {
    let tracks = try Self.persons(4)
    var director = OnlineDirector()
    var decisions: [Decision] = []
    for frame in 0..<120 {
      let time = Scripts.frameTime(frame)
      let found = tracks.compactMap { track in
        track.detection(nearest: time).flatMap { $0.time == time ? $0 : nil }
      }
      let isCut = frame > 0 && frame % 30 == 0
      if let decision = director.update(at: time, detections: found, isCut: isCut) {
        decisions.append(decision)
      }
    }
    #expect(Self.groups(decisions) == [1, 2, 3, 4])
    #expect(decisions.map(\.time) == [0, 30, 60, 90].map { Scripts.frameTime($0) })
  }
}
