// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Testing

@testable import FocalScript

/// Which decision is in force at which frame.
struct DecisionTests {
  @Test func talkExampleAsRecorded() throws {
    #expect(try Scripts.inForce(Scripts.talk()) == [1, 1, 1, 1, 2, 2, 2, 2])
  }

  @Test func weakDecisionHoldsUntilTheNextBaseDecision() throws {
    let script = try Scripts.talk()
    #expect(script.addUserDecision(Scripts.user(2, 3, strong: false)))
    #expect(Scripts.inForce(script) == [1, 1, 3, 3, 2, 2, 2, 2])
  }

  @Test func strongDecisionHoldsUntilItsTrackEnds() throws {
    let script = try Scripts.talk()
    #expect(script.addUserDecision(Scripts.user(2, 3, strong: true)))
    #expect(Scripts.inForce(script) == [1, 1, 3, 3, 3, 3, 2, 2])
  }

  @Test func userDecisionEndsUserDecisions() throws {
    let script = try Scripts.talk()
    script.addUserDecision(Scripts.user(2, 3, strong: true))
    script.addUserDecision(Scripts.user(3, 1, strong: false))
    #expect(Scripts.inForce(script) == [1, 1, 3, 1, 2, 2, 2, 2])
    script.addUserDecision(Scripts.user(5, 1, strong: true))
    #expect(Scripts.inForce(script) == [1, 1, 3, 1, 2, 1, 1, 1])
  }

  @Test func weakDecisionEndsWithItsTrack() throws {
    let script = try Scripts.talk()
    script.addUserDecision(Scripts.user(4, 3, strong: false))
    #expect(Scripts.inForce(script) == [1, 1, 1, 1, 3, 3, 2, 2])
  }

  @Test func userDecisionWinsAtTheTimeOfABaseDecision() throws {
    let script = try Scripts.talk()
    script.addUserDecision(Scripts.user(4, 1, strong: false))
    #expect(Scripts.inForce(script) == [1, 1, 1, 1, 1, 1, 1, 1])
    #expect(script.decision(at: Scripts.frameTime(4))?.isUserDecision == true)
    #expect(script.baseDecisions(in: script.timeRange).count == 2)
    #expect(script.decisions(in: script.timeRange).count == 2)
  }

  @Test func groupDecisionTakesFaceThenHeadThenTorso() throws {
    let script = try Script(
      recording: Scripts.recording(
        frames: 30,
        tracks: [
          Scripts.track(1, group: 5, type: .humanTorso, frames: 0..<30) { _ in 0.4 },
          Scripts.track(2, group: 5, type: .humanFace, frames: 5..<15) { _ in 0.5 },
          Scripts.track(3, group: 5, type: .humanHead, frames: 10..<20) { _ in 0.45 },
        ],
        decisions: [
          Decision(time: .zero, detectionGroupID: DetectionGroupID(5), strong: false)
        ]))
    let ids = script.frames(in: script.timeRange).map { $0.focusDetection?.detectionID?.rawValue }
    #expect(ids[0..<5].allSatisfy { $0 == 1 })
    #expect(ids[5..<15].allSatisfy { $0 == 2 })
    #expect(ids[15..<20].allSatisfy { $0 == 3 })
    #expect(ids[20..<30].allSatisfy { $0 == 1 })
    let frame = try #require(script.frame(at: Scripts.frameTime(12)))
    #expect(frame.bestDetection(for: DetectionGroupID(5))?.detectionType == .humanFace)
    #expect(frame.allDetections.count == 3)
    let decision = try #require(script.primaryDecision(at: .zero))
    let track = try #require(script.detectionTrack(for: decision))
    #expect(track.detections(in: script.timeRange).count == 30)
  }

  @Test func addingIsRefusedForUnknownIdsAndTimesOutside() throws {
    let script = try Scripts.talk()
    let before = script.changes()
    #expect(!script.addUserDecision(Scripts.user(2, 9, strong: true)))
    #expect(!script.addUserDecision(Scripts.user(8, 1, strong: true)))
    #expect(!script.addUserDecision(Scripts.user(-1, 1, strong: true)))
    #expect(
      !script.addUserDecision(
        Decision(time: .zero, detectionGroupID: DetectionGroupID(1), strong: true)))
    #expect(script.changes() == before)
  }

  @Test func addingReplacesAtTheSameTime() throws {
    let script = try Scripts.talk()
    script.addUserDecision(Scripts.user(2, 3, strong: true))
    script.addUserDecision(
      Decision(time: Time(value: 1, timescale: 15), detectionID: DetectionID(2), strong: false))
    #expect(script.userDecisions(in: script.timeRange).map(\.detectionID) == [DetectionID(2)])
  }

  @Test func baseDecisionsCannotBeRemoved() throws {
    let script = try Scripts.talk()
    #expect(!script.removeUserDecision(Scripts.base(4, 2)))
    #expect(!script.removeUserDecision(Scripts.base(4, 2).with(user: true)))
    let added = Scripts.user(2, 3, strong: true)
    script.addUserDecision(added)
    #expect(script.removeUserDecision(try #require(script.decision(at: added.time))))
    #expect(!script.removeUserDecision(added))
    #expect(Scripts.inForce(script) == [1, 1, 1, 1, 2, 2, 2, 2])
  }

  /// A fixed focus goes with the last decision on it; an object that was followed stays.
  @Test func takingBackRemovesAFixedFocus() throws {
    let script = try Scripts.talk()
    let fixed = script.addDetectionTrack(try FixedDetectionTrack(focusDisparity: 0.7))
    let followed = script.addDetectionTrack(
      try CustomDetectionTrack(
        detections: (0..<8).map { Scripts.detection(Scripts.frameTime($0), disparity: 0.4) },
        smooth: true))
    let onFixed = Scripts.user(2, fixed.rawValue, strong: true)
    let alsoOnFixed = Scripts.user(5, fixed.rawValue, strong: true)
    let onFollowed = Scripts.user(6, followed.rawValue, strong: true)
    for decision in [onFixed, alsoOnFixed, onFollowed] {
      #expect(script.addUserDecision(decision))
    }
    #expect(script.takeBackUserDecision(alsoOnFixed))
    #expect(script.addedDetectionTracks.map(\.detectionID) == [fixed, followed])
    #expect(script.takeBackUserDecision(onFixed))
    #expect(script.addedDetectionTracks.map(\.detectionID) == [followed])
    #expect(script.takeBackUserDecision(onFollowed))
    #expect(script.addedDetectionTracks.map(\.detectionID) == [followed])
    #expect(script.userDecisions(in: script.timeRange).isEmpty)
    #expect(Scripts.inForce(script) == [1, 1, 1, 1, 2, 2, 2, 2])
    // What was taken back, and what the recording decided, cannot be.
    #expect(!script.takeBackUserDecision(onFixed))
    #expect(!script.takeBackUserDecision(Scripts.base(4, 2)))
  }

  @Test func takingAllBackRemovesFixedFocuses() throws {
    let script = try Scripts.talk()
    let fixed = script.addDetectionTrack(try FixedDetectionTrack(focusDisparity: 0.7))
    let followed = script.addDetectionTrack(
      try CustomDetectionTrack(
        detections: (0..<8).map { Scripts.detection(Scripts.frameTime($0), disparity: 0.4) },
        smooth: true))
    #expect(script.addUserDecision(Scripts.user(2, fixed.rawValue, strong: true)))
    #expect(script.addUserDecision(Scripts.user(6, followed.rawValue, strong: false)))
    script.takeBackAllUserDecisions()
    #expect(script.userDecisions(in: script.timeRange).isEmpty)
    #expect(script.addedDetectionTracks.map(\.detectionID) == [followed])
    #expect(Scripts.inForce(script) == [1, 1, 1, 1, 2, 2, 2, 2])
  }

  @Test func decisionsAreKnownAsTheyWereAdded() throws {
    let script = try Scripts.talk()
    let added = Scripts.user(2, 3, strong: true)
    script.addUserDecision(added)
    let listed = try #require(script.decision(at: added.time))
    let cut = Transition(duration: .zero)
    #expect(script.setTransition(cut, for: added))
    #expect(script.transition(for: added) == cut && script.transition(for: listed) == cut)
    #expect(script.timeRangeOfTransition(before: added) == nil)
    #expect(script.setTransition(nil, for: listed))
    let range = try #require(script.timeRangeOfTransition(before: added))
    #expect(range.end == added.time)
    #expect(script.timeRangeOfTransition(before: listed) == range)
    #expect(script.removeUserDecision(added))
    #expect(script.timeRangeOfTransition(before: added) == nil)
    #expect(!script.setTransition(cut, for: added))
  }

  @Test func nothingIsInForceBeforeTheFirstDecisionAndOutside() throws {
    let recording = try Scripts.recording(
      frames: 8, tracks: [Scripts.track(1, frames: 0..<8) { _ in 0.3 }],
      decisions: [Scripts.base(3, 1)])
    let script = try Script(recording: recording)
    #expect(Scripts.inForce(script) == [0, 0, 0, 1, 1, 1, 1, 1])
    #expect(Scripts.focus(script) == [Float](repeating: 0.3, count: 8))
    #expect(script.primaryDecision(at: Scripts.frameTime(8)) == nil)
    #expect(script.primaryDecision(at: Scripts.time(-1)) == nil)
  }

  @Test func lookUpsStepThroughDecisions() throws {
    let script = try Scripts.talk()
    script.addUserDecision(Scripts.user(2, 3, strong: false))
    var found: [Int64] = []
    var next = script.decision(at: .zero)
    while let decision = next {
      found.append(decision.detectionID?.rawValue ?? 0)
      next = script.decision(after: decision.time)
    }
    #expect(found == [1, 3, 2])
    #expect(script.decision(before: Scripts.frameTime(2))?.detectionID == DetectionID(1))
    #expect(script.decision(before: .zero) == nil)
    #expect(script.decision(at: Scripts.time(45)) == nil)
    #expect(
      script.decision(at: Scripts.time(45), tolerance: Scripts.time(5))?.detectionID
        == DetectionID(3))
  }

  @Test func randomScriptsAgreeWithTheOracle() throws {
    for seed in 0..<10_000 as Range<UInt64> {
      let oracle = Oracle.random(seed: seed)
      let script = try Script(recording: oracle.recording())
      for frame in 0..<oracle.frameCount {
        let expected = oracle.inForce(atFrame: frame).map(oracle.decision)
        let actual = script.primaryDecision(at: Scripts.frameTime(frame))
        guard expected == actual else {
          Issue.record("seed \(seed), frame \(frame): \(actual as Any), not \(expected as Any)")
          return
        }
      }
    }
  }

  @Test func editingGivesTheSameAsRecording() throws {
    for seed in 0..<500 as Range<UInt64> {
      let oracle = Oracle.random(seed: seed)
      let recorded = try Script(recording: oracle.recording())
      let edited = try Script(recording: oracle.recording(userDecisions: false))
      for choice in oracle.choices where choice.user {
        edited.addUserDecision(oracle.decision(choice))
      }
      #expect(Scripts.inForce(recorded) == Scripts.inForce(edited), "seed \(seed)")
      #expect(Scripts.focus(recorded) == Scripts.focus(edited), "seed \(seed)")
    }
  }
}
