// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalSample
import Foundation
import Testing

@testable import FocalScript

/// Edits kept apart from the recording.
struct ChangesTests {
  /// A script with every kind of change.
  static func edited(seed: UInt64 = 1) throws -> Script {
    let script = try Scripts.talk()
    var generator = SeededGenerator(seed: seed)
    script.fNumber = 5.6
    script.addUserDecision(Scripts.user(2, 3, strong: true))
    let fixed = try script.addDetectionTrack(FixedDetectionTrack(focusDisparity: 0.4))
    try script.addDetectionTrack(
      FixedDetectionTrack(
        originalDetection: #require(
          script.frame(at: .zero)?.detection(for: DetectionID(1)))))
    func detections(_ value: (Int) -> Double) -> [Detection] {
      (0..<8).map { frame in
        Detection(
          time: Scripts.frameTime(frame) + Time(value: frame == 5 ? 1 : 0, timescale: 48000),
          detectionType: .custom,
          normalizedRect: NormalizedRect(
            x: value(frame), y: value(frame + 1), width: value(frame + 2), height: 0.25),
          focusDisparity: Float(value(frame + 3)))
      }
    }
    let grid = detections { Double(($0 * 977 + 13) % 65536) / 65536 }
    script.addDetectionTrack(try CustomDetectionTrack(detections: grid, smooth: true))
    let random = (0..<16).map { _ in Double.random(in: -1...1, using: &generator) }
    script.addDetectionTrack(
      try CustomDetectionTrack(detections: detections { random[$0] }, smooth: false))
    script.addDetectionTrack(
      try CustomDetectionTrack(detections: detections { Double(Float(random[$0])) }, smooth: true))
    script.addUserDecision(
      Decision(time: Scripts.time(131), detectionID: fixed, strong: false))
    let decision = try #require(script.decision(at: Scripts.time(131)))
    script.setTransition(
      Transition(duration: Time(value: 1, timescale: 7), curve: .linear), for: decision)
    script.setTransition(
      Transition(duration: Scripts.time(11), curve: .easeInOut), for: Scripts.base(4, 2))
    return script
  }

  @Test func roundTripsBitForBit() throws {
    let script = try Self.edited()
    let changes = script.changes()
    let data = changes.dataRepresentation
    let back = try Script.Changes(dataRepresentation: data)
    #expect(back == changes)
    #expect(back.dataRepresentation == data)
    let again = try Script(recording: script.recording, changes: back)
    #expect(again.changes() == changes)
    #expect(Scripts.focus(again) == Scripts.focus(script))
    #expect(again.fNumber == 5.6)
  }

  /// A rack whose decision is not there is in no file, and so in no recording and no changes.
  @Test func racksGoWithTheirDecisions() throws {
    let talk = try Scripts.talk().recording
    let rack = Transition(duration: Scripts.time(30), curve: .linear)
    let unknown = Scripts.user(3, 77, strong: true).with(user: true)
    let recording = try Recording(
      timeRange: talk.timeRange, frameTimes: talk.frameTimes, fNumber: talk.fNumber,
      detectionTracks: talk.detectionTracks, decisions: talk.baseDecisions + [unknown],
      transitions: [Scripts.base(4, 2): rack, Scripts.base(6, 1): rack, unknown: rack])
    #expect(Set(recording.transitions.keys) == [Scripts.base(4, 2), unknown])
    #expect(try Recording(jsonRepresentation: recording.jsonRepresentation()) == recording)
    let changes = try Script(recording: recording).changes()
    #expect(changes.transitions == [Scripts.base(4, 2): rack])
    #expect(try Script.Changes(dataRepresentation: changes.dataRepresentation) == changes)
  }

  @Test func reloadingNothingGivesTheOriginal() throws {
    let script = try Self.edited()
    let changes = script.changes()
    let fresh = try Scripts.talk()
    try script.reload(changes: nil)
    #expect(script.changes() == fresh.changes())
    #expect(Scripts.focus(script) == Scripts.focus(fresh))
    #expect(script.addedDetectionTracks.isEmpty && script.fNumber == 2.8)
    try script.reload(changes: changes)
    #expect(script.changes() == changes)
  }

  @Test func changesOfAnotherScriptAreRefused() throws {
    let script = try Self.edited()
    let other = try Script(
      recording: Scripts.recording(frames: 9, tracks: [], decisions: []))
    #expect {
      try other.reload(changes: script.changes())
    } throws: {
      ($0 as? CinematicError)?.code == .incompatible
    }
    #expect(other.fNumber == 2.8)
  }

  @Test func addedTracksHaveValidIds() throws {
    let script = try Scripts.talk()
    let id = try script.addDetectionTrack(FixedDetectionTrack(focusDisparity: 0.4))
    #expect(id.isValid)
    let track = try #require(script.detectionTrack(for: id))
    #expect(track.detectionID == id && track.isUserCreated && !track.isDiscrete)
    let decision = Decision(time: Scripts.frameTime(3), detectionID: id, strong: true)
    #expect(script.addUserDecision(decision))
    #expect(script.detectionTrack(for: decision)?.detectionID == id)
    #expect(Scripts.focus(script)[3...].allSatisfy { $0 == 0.4 })
    #expect(script.frame(at: Scripts.frameTime(6))?.focusDetection?.detectionID == id)
    #expect(!script.removeDetectionTrack(id: DetectionID(1)))
    #expect(script.removeDetectionTrack(track))
    #expect(!script.removeDetectionTrack(track))
    #expect(script.userDecisions(in: script.timeRange).isEmpty)
    #expect(script.addDetectionTrack(track) != id)
  }

  @Test func tapsOfTheRecordingCanBeRemoved() throws {
    let recording = try Scripts.recording(
      frames: 8,
      tracks: [
        Scripts.track(1, frames: 0..<8) { _ in 0.2 }, Scripts.track(2, frames: 0..<8) { _ in 0.5 },
      ], decisions: [Scripts.base(0, 1), Scripts.user(2, 2, strong: true).with(user: true)])
    let script = try Script(recording: recording)
    #expect(Scripts.inForce(script) == [1, 1, 2, 2, 2, 2, 2, 2])
    script.removeAllUserDecisions()
    #expect(Scripts.inForce(script) == [1, 1, 1, 1, 1, 1, 1, 1])
    let back = try Script.Changes(dataRepresentation: script.changes().dataRepresentation)
    let again = try Script(recording: recording, changes: back)
    #expect(Scripts.inForce(again) == [1, 1, 1, 1, 1, 1, 1, 1])
    try script.reload(changes: nil)
    #expect(Scripts.inForce(script) == [1, 1, 2, 2, 2, 2, 2, 2])
    #expect(script.removeUserDecision(try #require(script.decision(at: Scripts.frameTime(2)))))
  }

  @Test func trimmedChangesFitTheTrimmedRecording() throws {
    for seed in 0..<400 as Range<UInt64> {
      let oracle = Oracle.random(seed: seed)
      let script = try Script(recording: oracle.recording(userDecisions: false))
      for choice in oracle.choices where choice.user {
        script.addUserDecision(oracle.decision(choice))
      }
      let first = Int(seed) % oracle.frameCount
      let range = TimeRange(
        start: Scripts.frameTime(first), end: Scripts.frameTime(oracle.frameCount - first / 3))
      let trimmed = try Script(
        recording: script.recording.trimmed(by: range),
        changes: try script.changes(trimmedBy: range))
      let expected = Scripts.inForce(script)[first..<max(first, oracle.frameCount - first / 3)]
      #expect(Scripts.inForce(trimmed) == Array(expected), "seed \(seed)")
    }
  }

  @Test(arguments: [false, true]) func damageIsRefused(editsBase: Bool) throws {
    let script = try Self.edited()
    if editsBase {
      script.removeBaseDecision(Scripts.base(4, 2))
      script.changedLook = try BaseEditTests.look()
    }
    let data = script.changes().dataRepresentation
    func code(_ bytes: Data) -> CinematicError.Code? {
      do throws(CinematicError) {
        _ = try Script.Changes(dataRepresentation: bytes)
        return nil
      } catch { return error.code }
    }
    #expect(code(Data()) == .malformed)
    #expect(code(Data("{\"format\": 1}".utf8)) == .malformed)
    #expect(code(data + [0]) == .malformed)
    for length in 4..<data.count { #expect(code(data.prefix(length)) == .incomplete) }
    var newer = data
    newer[4] = 4
    #expect(code(newer) == .unsupported)
    for index in data.indices.dropFirst(32) {
      var corrupt = data
      corrupt[index] ^= 0x10
      #expect(code(corrupt) == .malformed)
    }
  }

  /// Random damage under a checksum that fits: the reader itself has to refuse or survive it.
  @Test(arguments: [false, true]) func hostileBytesAreSurvived(editsBase: Bool) throws {
    let script = try Self.edited()
    if editsBase {
      script.moveBaseDecision(Scripts.base(4, 2), to: Scripts.time(107))
      script.changedLook = try BaseEditTests.look()
    }
    let data = [UInt8](script.changes().dataRepresentation)
    var generator = SeededGenerator(seed: 11)
    var accepted = 0
    for _ in 0..<6_000 {
      var bytes = data
      for _ in 0..<Int.random(in: 1...6, using: &generator) {
        let place = Int.random(in: 32..<bytes.count, using: &generator)
        switch Int.random(in: 0...3, using: &generator) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
        case 1: bytes[place] = 0xFF
        case 2: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: place)
        default: bytes.remove(at: place)
        }
      }
      let size = UInt32(bytes.count - 32)
      for index in 0..<4 { bytes[24 + index] = UInt8(truncatingIfNeeded: size >> (8 * index)) }
      let sum = Checksum.crc32(bytes[..<28] + bytes[32...])
      for index in 0..<4 { bytes[28 + index] = UInt8(truncatingIfNeeded: sum >> (8 * index)) }
      guard let changes = try? Script.Changes(dataRepresentation: Data(bytes)) else { continue }
      guard let hostile = try? Script(recording: script.recording, changes: changes) else {
        continue
      }
      accepted += 1
      #expect(Scripts.focus(hostile).allSatisfy { $0.isFinite })
      #expect(try Script.Changes(dataRepresentation: changes.dataRepresentation) == changes)
    }
    #expect(accepted > 0)
  }

  @Test func checksumIsThatOfTheStandard() {
    #expect(Checksum.crc32(Array("123456789".utf8)) == 0xCBF4_3926)
  }

  @Test func lookUpsDuringEditsSeeWholeScripts() async throws {
    let script = try Scripts.talk()
    let strong = Scripts.user(2, 3, strong: true)
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        for _ in 0..<2000 {
          script.addUserDecision(strong)
          script.removeAllUserDecisions()
        }
      }
      for _ in 0..<2 {
        group.addTask {
          for _ in 0..<500 {
            let ids = script.frames(in: script.timeRange).map {
              $0.primaryDecision?.detectionID?.rawValue
            }
            #expect(ids == [1, 1, 1, 1, 2, 2, 2, 2] || ids == [1, 1, 3, 3, 3, 3, 2, 2])
          }
        }
      }
    }
  }
}
