// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalSample
import Testing

@testable import FocalScript

/// A director's decisions as edits of a script.
struct DirectedScriptTests {
  private static func subjects(_ script: Script) -> [Decision.FocusDetectionID?] {
    // Between frames, too.
    script.recording.frameTimes.flatMap { [$0, $0 + Scripts.time(7)] }.map {
      script.primaryDecision(at: $0)?.focusDetectionID
    }
  }

  /// Of little patience, so that short scripts have several decisions.
  private static var hasty: Director {
    var director = Director()
    director.weights.shortestSegment = 0.1
    director.weights.switchCost = 0.01
    return director
  }

  /// What the recording decided does not come back where a weak decision of the user's runs out.
  @Test func recordedDecisionsGiveWay() throws {
    let script = try Script(
      recording: Scripts.recording(
        frames: 130,
        tracks: (1...3).map { id in
          try Scripts.track(id, frames: 0..<130) { _ in Float(id) / 4 }
        }, decisions: [Scripts.base(0, 1), Scripts.base(75, 2)]))
    script.addUserDecision(Scripts.user(30, 3, strong: false))
    #expect(try script.addDecisions(of: Director()) == 1)
    let focus = Scripts.inForce(script)
    #expect(focus == [Int64](repeating: focus[0], count: 30) + [Int64](repeating: 3, count: 100))
    script.takeBackAllUserDecisions()
    #expect(
      script.baseDecisions(in: script.timeRange) == [Scripts.base(0, 1), Scripts.base(75, 2)])
  }

  /// Decisions that nothing comes between leave the recording's where they are, and older programs read the changes.
  @Test func recordedDecisionsStayWhereTheyAreHidden() throws {
    let script = try Scripts.talk()
    #expect(try script.addDecisions(of: Director()) > 0)
    #expect(script.changes().baseDecisions == nil)
  }

  /// Random scripts, at every frame: as if the director's decisions were the base decisions. The user's stay.
  @Test func asIfTheyWereBaseDecisions() throws {
    var (edited, kept) = (0, 0)
    for seed in 0..<400 as Range<UInt64> {
      let oracle = Oracle.random(seed: seed)
      let recording = try oracle.recording()
      let script = try Script(recording: recording)
      if seed % 3 == 0 {
        let first = Int(seed) % oracle.frameCount
        let id = script.addDetectionTrack(
          try CustomDetectionTrack(
            detections: (first...(first + oracle.frameCount) / 2).map {
              Scripts.detection(Scripts.frameTime($0), disparity: 0.4)
            }, smooth: true))
        script.addUserDecision(
          Decision(time: Scripts.frameTime(first), detectionID: id, strong: seed % 2 == 0))
      }
      let before = script.changes()
      let model = try Script(recording: Self.hasty.directed(script.flattened()))
      guard try script.addDecisions(of: Self.hasty) > 0 else {
        #expect(script.changes() == before)
        continue
      }
      #expect(Self.subjects(script) == Self.subjects(model), "seed \(seed)")
      let changes = script.changes()
      #expect(Set(changes.userDecisions).isSuperset(of: before.userDecisions), "seed \(seed)")
      edited += changes.baseDecisions == nil ? 0 : 1
      kept += before.userDecisions.count
      let read = try Script.Changes(dataRepresentation: changes.dataRepresentation)
      #expect(read == changes)
      let wanted = Self.subjects(model)
      #expect(try Self.subjects(Script(recording: recording, changes: read)) == wanted)
      #expect(try Self.subjects(Script(recording: script.flattened())) == wanted)
    }
    #expect(edited > 50 && kept > 300, "\(edited), \(kept)")
  }
}
