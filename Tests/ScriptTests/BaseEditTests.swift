// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalSample
import Foundation
import Testing

@testable import FocalScript

/// Base decisions that are removed and moved: the recording stays, the changes hold the edit.
struct BaseEditTests {
  @Test func removedMovedAndPutBack() throws {
    let script = try Scripts.talk()
    let recorded = script.changes()
    #expect(script.removeBaseDecision(Scripts.base(4, 2)))
    #expect(Scripts.inForce(script) == [1, 1, 1, 1, 1, 1, 1, 1])
    #expect(script.removedBaseDecisions == [Scripts.base(4, 2)])
    #expect(!script.removeBaseDecision(Scripts.base(4, 2)))
    #expect(!script.moveBaseDecision(Scripts.base(4, 2), to: Scripts.frameTime(5)))
    #expect(script.restoreBaseDecision(Scripts.base(4, 2)))
    #expect(!script.restoreBaseDecision(Scripts.base(4, 2)))
    #expect(!script.restoreBaseDecision(Scripts.base(5, 2)))
    #expect(script.changes() == recorded)
    #expect(script.moveBaseDecision(Scripts.base(4, 2), to: Scripts.frameTime(6)))
    #expect(Scripts.inForce(script) == [1, 1, 1, 1, 1, 1, 2, 2])
    #expect(script.baseDecisions(in: script.timeRange) == [Scripts.base(0, 1), Scripts.base(6, 2)])
    #expect(!script.moveBaseDecision(Scripts.base(6, 2), to: Scripts.frameTime(8)))
    #expect(script.moveBaseDecision(Scripts.base(6, 2), to: Scripts.frameTime(4)))
    #expect(script.changes() == recorded)
    // The first one: the focus is where the next decision finds it.
    script.removeBaseDecision(Scripts.base(0, 1))
    #expect(Scripts.inForce(script) == [0, 0, 0, 0, 2, 2, 2, 2])
    #expect(Scripts.focus(script) == [Float](repeating: 0.5, count: 8))
    script.addUserDecision(Scripts.user(2, 3, strong: true))
    script.removeAllUserDecisions()
    #expect(script.changes() == recorded)
  }

  /// The decision before a removed one stays in force, also where its subject is gone by then.
  @Test func removalOutlastsTheTrackBefore() throws {
    let script = try Script(
      recording: Scripts.recording(
        frames: 8,
        tracks: [
          Scripts.track(1, frames: 0..<8) { _ in 0.2 },
          Scripts.track(3, frames: 0..<4) { _ in 0.9 },
        ], decisions: [Scripts.base(0, 3), Scripts.base(4, 1)]))
    script.removeBaseDecision(Scripts.base(4, 1))
    #expect(Scripts.inForce(script) == [3, 3, 3, 3, 3, 3, 3, 3])
    #expect(Scripts.focus(script) == [Float](repeating: 0.9, count: 8))
  }

  /// A rack goes with a decision that is moved; what is put back has the recorded one.
  @Test func racksGoAlongAndComeBack() throws {
    let talk = try Scripts.talk().recording
    let rack = Transition(duration: Scripts.time(30), curve: .linear)
    let (first, second) = (Scripts.base(0, 1), Scripts.base(4, 2))
    let recording = try Recording(
      timeRange: talk.timeRange, frameTimes: talk.frameTimes, fNumber: talk.fNumber,
      detectionTracks: talk.detectionTracks, decisions: talk.baseDecisions,
      transitions: [first: rack, second: rack])
    let script = try Script(recording: recording)
    let before = script.changes()
    script.removeBaseDecision(second)
    #expect(!script.setTransition(nil, for: second))
    #expect(script.focusTransitions.isEmpty && script.changes().transitions == [first: rack])
    script.restoreBaseDecision(second)
    #expect(script.changes() == before)
    script.moveBaseDecision(second, to: Scripts.frameTime(6))
    #expect(script.transition(for: Scripts.base(6, 2)) == rack)
    #expect(script.timeRangeOfTransition(before: Scripts.base(6, 2))?.duration == rack.duration)
    script.moveBaseDecision(Scripts.base(6, 2), to: second.time)
    #expect(script.changes() == before)
    // In the place of another one that has a rack: one decision and one rack are there.
    script.moveBaseDecision(second, to: first.time)
    #expect(script.changes().transitions == [Scripts.base(0, 2): rack])
    let read = try Script.Changes(dataRepresentation: script.changes().dataRepresentation)
    #expect(read == script.changes())
    #expect(script.removedBaseDecisions == [first, second])
    script.removeAllUserDecisions()
    #expect(script.changes() == before)
  }

  /// Scripts with edited base decisions are those of a recording with such decisions, through files, cuts and
  /// flattening.
  @Test func asIfRecordedSo() throws {
    for seed in 0..<400 as Range<UInt64> {
      let oracle = Oracle.random(seed: seed)
      var generator = SeededGenerator(seed: seed &+ 9_000)
      func pick(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }
      let recording = try oracle.recording(userDecisions: false)
      let script = try Script(recording: recording)
      var model = script.baseDecisions(in: script.timeRange)
      for _ in 0..<pick(1...6) where !model.isEmpty {
        let place = pick(0...(model.count - 1))
        let chosen = model[place]
        if pick(0...1) == 0 {
          #expect(script.removeBaseDecision(chosen))
          model.remove(at: place)
        } else {
          let time = Scripts.frameTime(pick(0...(oracle.frameCount - 1)))
          #expect(script.moveBaseDecision(chosen, to: time))
          model.remove(at: place)
          model.removeAll { $0.time == time }
          model.append(chosen.moved(to: time))
          model.sort { $0.time < $1.time }
        }
      }
      let other = try Script(recording: recording.replacing(baseDecisions: model))
      for choice in oracle.choices where choice.user {
        script.addUserDecision(oracle.decision(choice))
        other.addUserDecision(oracle.decision(choice))
      }
      #expect(script.baseDecisions(in: script.timeRange) == model)
      #expect(Scripts.inForce(script) == Scripts.inForce(other), "seed \(seed)")
      #expect(Scripts.focus(script) == Scripts.focus(other), "seed \(seed)")
      let changes = script.changes()
      let read = try Script.Changes(dataRepresentation: changes.dataRepresentation)
      #expect(read == changes)
      let again = try Script(recording: recording, changes: read)
      #expect(again.changes() == changes)
      #expect(Scripts.focus(again) == Scripts.focus(other))
      let flat = try Script(recording: script.flattened())
      #expect(Scripts.focus(flat) == Scripts.focus(other))
      let first = Int(seed) % oracle.frameCount
      let end = oracle.frameCount - first / 3
      let range = TimeRange(start: Scripts.frameTime(first), end: Scripts.frameTime(end))
      let trimmed = try Script(
        recording: recording.trimmed(by: range), changes: try script.changes(trimmedBy: range))
      let expected = Scripts.inForce(other)[first..<max(first, end)]
      #expect(Scripts.inForce(trimmed) == Array(expected), "seed \(seed)")
    }
  }

  /// Older programs read what they can hold.
  @Test func versionOfTheFile() throws {
    let script = try ChangesTests.edited()
    #expect(script.changes().dataRepresentation[4] == 1)
    script.removeBaseDecision(Scripts.base(4, 2))
    let data = script.changes().dataRepresentation
    #expect(data[4] == 2)
    #expect(try Script.Changes(dataRepresentation: data) == script.changes())
    // Decisions that the recording lacks are left out.
    let other = try Script(
      recording: Scripts.talk().recording,
      changes: Script.Changes(
        identity: script.recording.identity, fNumber: 4, look: Look(), userDecisions: [],
        baseDecisions: [Scripts.base(1, 1), Scripts.base(2, 77), Scripts.base(99, 1)],
        addedDetectionTracks: [], transitions: [:]))
    #expect(other.baseDecisions(in: other.timeRange) == [Scripts.base(1, 1)])
    script.restoreBaseDecision(Scripts.base(4, 2))
    #expect(script.changes().dataRepresentation[4] == 1)
  }

  /// With a number, a whole number, a text, and a value that this version does not know.
  static func look() throws -> Look {
    let json = """
      {"format": "focal-script", "version": 1, "timescale": 600, "frameDuration": 20,
       "timeRange": {"start": 0, "duration": 20},
       "look": {"blurScale": 0.3, "apertureBlades": 7, "logCurve": "vlog", "later": [1, {"a": "ü\\n"}]}}
      """
    return try Recording(jsonRepresentation: Data(json.utf8)).look
  }

  /// The look is part of the changes: with the recording's, in files, cuts and flattened scripts.
  @Test func lookOfTheChanges() throws {
    let script = try Scripts.talk()
    let recorded = try Script(
      recording: script.recording.with(look: try Recording.lookOnly("squeeze", "1.5")))
    let look = try Self.look()
    #expect(look.fields.count == 4)
    recorded.changedLook = look
    #expect(recorded.look.fields.count == 5 && recorded.look[Look.Name.apertureBlades] == "7")
    let data = recorded.changes().dataRepresentation
    #expect(data[4] == 2)
    let read = try Script.Changes(dataRepresentation: data)
    #expect(read == recorded.changes() && read.look == look)
    try script.reload(changes: read)
    #expect(script.look == look)
    let flat = try recorded.flattened()
    #expect(flat.look == recorded.look)
    #expect(try Recording(jsonRepresentation: flat.jsonRepresentation()) == flat)
    #expect(try recorded.changes(trimmedBy: recorded.timeRange).look == look)
    recorded.changedLook = Look()
    #expect(recorded.changes().dataRepresentation[4] == 1)
    recorded.changedLook = look
    try recorded.reload(changes: nil)
    #expect(recorded.changedLook.isEmpty)
  }
}

extension Recording {
  fileprivate static func lookOnly(_ name: String, _ json: String) throws -> Look {
    var look = Look()
    look[name] = json
    return look
  }
}
