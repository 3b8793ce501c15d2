// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalSample
import Foundation
import Testing

@testable import FocalScript

/// Scripts that were cut, through racks too.
@Suite struct TrimmingTests {
  private static let frames = 90

  /// Subjects that do not move, so that what smoothing makes of a track does not depend on its length; decisions and
  /// transitions at any tick. Four subjects are there all the time; the user decides for three others, too, with which such a
  /// decision ends.
  private static func script(_ random: inout SeededGenerator) throws -> Script {
    func pick(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    let disparities: [Float] = [0.2, 0.5, 0.8, 0.35, 0.65, 0.95, 0.05]
    let tracks = try disparities.enumerated().map { index, disparity in
      let first = index < 4 || pick(0...1) == 0 ? 0 : pick(0...(frames - 1))
      let last = index < 4 ? frames - 1 : pick(first...(frames - 1))
      return try Scripts.track(Int64(index + 1), frames: first...last) { _ in disparity }
    }
    func decision(_ ticks: Int, user: Bool) -> Decision {
      Decision(
        time: Scripts.time(ticks), focus: .single(DetectionID(Int64(pick(1...(user ? 7 : 4))))),
        strong: user && pick(0...1) == 0, user: user)
    }
    let last = frames * 20 - 1
    var decisions = [decision(0, user: false)]
    decisions += (0..<pick(1...5)).map { _ in decision(pick(1...last), user: false) }
    decisions += (0..<pick(0...2)).map { _ in decision(pick(0...last), user: true) }
    func transition() -> Transition {
      Transition(
        duration: Scripts.time(pick(0...800)),
        curve: Transition.Curve.allCases[pick(0...2)])
    }
    var transitions: [Decision: Transition] = [:]
    for decision in decisions where pick(0...2) == 0 { transitions[decision] = transition() }
    let range = TimeRange(start: .zero, duration: Scripts.frameTime(frames))
    let script = try Script(
      recording: Recording(
        timeRange: range,
        frameTimes: FrameTimes(range: range, frameDuration: Scripts.frameTime(1)), fNumber: 2.8,
        detectionTracks: tracks, decisions: decisions, transitions: transitions))
    for _ in 0..<pick(0...2) { script.addUserDecision(decision(pick(0...last), user: true)) }
    let all = script.decisions(in: range)
    for decision in all where pick(0...4) == 0 { script.setTransition(transition(), for: decision) }
    if pick(0...1) == 0 { script.removeBaseDecision(all[pick(0...(all.count - 1))]) }
    return script
  }

  private static func cut(_ length: Int, _ random: inout SeededGenerator) -> TimeRange {
    var start = Int.random(in: 0..<length, using: &random)
    if Bool.random(using: &random) { start -= start % 20 }
    let end = Int.random(in: start...length, using: &random)
    return TimeRange(start: Scripts.time(start), end: Scripts.time(end))
  }

  private static func trimmed(_ script: Script, by cut: TimeRange) throws -> Script {
    try Script(
      recording: script.recording.trimmed(by: cut), changes: script.changes(trimmedBy: cut))
  }

  /// The script once its recording and its changes went through files.
  private static func stored(_ script: Script) throws -> Script {
    let changes = script.changes()
    let read = try Script.Changes(dataRepresentation: changes.dataRepresentation)
    #expect(read == changes)
    // Frames that begin later than the script are listed in JSON, which is another recording.
    guard script.recording.frameTimes.first == script.timeRange.start else {
      return try Script(recording: script.recording, changes: read)
    }
    let recording = try Recording(jsonRepresentation: script.recording.jsonRepresentation())
    #expect(recording == script.recording && recording.identity == script.recording.identity)
    return try Script(recording: recording, changes: read)
  }

  /// The frames that stay have the focus and the decisions that they had, by every way to cut, after files, and after another cut.
  /// The tolerance is that of shares of the way, whose seconds are rounded.
  @Test func framesThatStayKeepTheirFocus() throws {
    var cutRacks = 0
    for seed in 0..<400 {
      var random = SeededGenerator(seed: UInt64(seed + 1))
      let script = try Self.script(&random)
      // Where nothing is in force, focus is held, and nothing says where it was before the cut.
      guard script.decisionsInForce.allSatisfy({ $0.decision != nil }) else { continue }
      let cut = Self.cut(Self.frames * 20, &random)
      let length = Int(cut.duration.converted(to: 600).value)
      guard length > 1 else { continue }
      let inner = Self.cut(length, &random)
      let indices = script.recording.frameTimes.indices(in: cut)
      let focus = Array(Scripts.focus(script)[indices])
      let inForce = Array(Scripts.inForce(script)[indices])
      let trimmed = try Self.trimmed(script, by: cut)
      let flat = try Script(recording: script.flattened().trimmed(by: cut))
      cutRacks += trimmed.changes().transitions.values.count(where: \.isCut)
      for short in [trimmed, flat, try Self.stored(trimmed), try Self.stored(flat)] {
        let found = Scripts.focus(short)
        #expect(found.count == focus.count)
        let isSame = zip(found, focus).allSatisfy { abs($0 - $1) < 1e-6 }
        #expect(isSame, "seed \(seed), cut \(cut)")
        #expect(Scripts.inForce(short) == inForce, "seed \(seed)")
        let whole = short.timeRange
        #expect(
          short.focusTransitions.allSatisfy {
            $0.timeRange.start >= whole.start && $0.timeRange.end <= whole.end
          })
        let left = short.recording.frameTimes.indices(in: inner)
        let shorter = try Self.trimmed(short, by: inner)
        let isSameAgain = zip(Scripts.focus(shorter), focus[left]).allSatisfy {
          abs($0 - $1) < 1e-6
        }
        #expect(isSameAgain, "seed \(seed), cut \(cut), then \(inner)")
      }
    }
    #expect(cutRacks > 100)
  }

  /// Whether the frames of a cut have the focus that they have in the whole script, by both ways to cut.
  private static func keepsFocus(_ script: Script, from first: Int, to end: Int) throws -> Bool {
    let cut = TimeRange(start: Scripts.frameTime(first), end: Scripts.frameTime(end))
    let focus = Scripts.focus(script)[first..<end]
    let flat = try Script(recording: script.flattened().trimmed(by: cut))
    return try [trimmed(script, by: cut), flat].allSatisfy { short in
      let found = Scripts.focus(short)
      return found.count == focus.count && zip(found, focus).allSatisfy { abs($0 - $1) < 1e-6 }
    }
  }

  /// The subject of a user decision goes at frame 40, behind the cut or right at its end. Focus is on its way to what was
  /// decided before, or to what is decided for that moment.
  @Test(arguments: [true, false], [36, 40])
  func racksOutOfUserDecisions(isStrong: Bool, end: Int) throws {
    let tap = Scripts.user(10, 2, strong: isStrong).with(user: true)
    for target in [Scripts.base(0, 1), Scripts.base(40, 3)] {
      let script = try Script(
        recording: Scripts.recording(
          frames: 60,
          tracks: [
            Scripts.track(1, frames: 0..<60) { _ in 0.2 },
            Scripts.track(2, frames: 0..<40) { _ in 0.8 },
            Scripts.track(3, frames: 0..<60) { _ in 0.5 },
          ], decisions: target.time > .zero ? [Scripts.base(0, 1), tap, target] : [target, tap]))
      #expect(
        script.setTransition(
          Transition(duration: Scripts.frameTime(10), curve: .linear), for: target))
      let focus = Scripts.focus(script)
      #expect(focus[30] == 0.8 && focus[end - 1] < 0.75)
      #expect(try Self.keepsFocus(script, from: 20, to: end), "\(target)")
    }
  }

  /// The first way back to a base decision, which is cut, is short, and the second one long: each keeps its own length.
  @Test func racksThatComeAgainKeepTheirLength() throws {
    let script = try Script(
      recording: Scripts.recording(
        frames: 100,
        tracks: [
          Scripts.track(1, frames: 0..<100) { _ in 0.2 },
          Scripts.track(2, frames: 0..<20) { _ in 0.25 },
          Scripts.track(3, frames: 40..<70) { _ in 0.9 },
        ],
        decisions: [
          Scripts.base(0, 1), Scripts.user(5, 2, strong: true).with(user: true),
          Scripts.user(50, 3, strong: true).with(user: true),
        ]))
    let lengths = script.focusTransitions.map(\.timeRange.duration.seconds)
    #expect(lengths.count == 4 && lengths[3] > 1.5 * lengths[1])
    #expect(try Self.keepsFocus(script, from: 18, to: 95))
  }

  /// A rack of a second that is cut in its last sixth goes on near its end; it began anew.
  @Test func cutRacksGoOn() throws {
    let script = try Script(
      recording: Scripts.recording(
        frames: 60,
        tracks: [
          Scripts.track(1, frames: 0..<60) { _ in 0.2 },
          Scripts.track(2, frames: 0..<60) { _ in 0.8 },
        ], decisions: [Scripts.base(0, 1), Scripts.base(30, 2)]))
    let rack = Transition(duration: Scripts.frameTime(30), curve: .linear)
    script.setTransition(rack, for: Scripts.base(30, 2))
    let cut = TimeRange(start: Scripts.frameTime(25), end: Scripts.frameTime(28))
    let trimmed = try Self.trimmed(script, by: cut)
    let focus = Scripts.focus(trimmed)
    #expect(zip(focus, [0.7, 0.72, 0.74]).allSatisfy { abs($0 - $1) < 1e-6 })
    #expect(trimmed.focusTransitions.map(\.timeRange) == [trimmed.timeRange])
    let changes = trimmed.changes()
    #expect(changes.dataRepresentation[4] == 3)
    let left = try #require(changes.transitions.values.first)
    #expect(left.duration == rack.duration && left.curve == rack.curve)
    #expect(left.elapsed == Scripts.frameTime(25) && left.remaining > Scripts.frameTime(2))
    // Its decision stands behind the last frame.
    let decision = try #require(trimmed.decisions(in: trimmed.timeRange).last)
    #expect(decision.time > Scripts.frameTime(2))
    // Another rack has the room that the script has.
    #expect(trimmed.setTransition(rack, for: decision))
    #expect(Scripts.focus(trimmed)[0] == 0.2)
  }
}
