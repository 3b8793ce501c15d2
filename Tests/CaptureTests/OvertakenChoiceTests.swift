// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalEyes
import FocalScript
import Foundation
import Testing

@testable import FocalCapture

/// Choices that come while focus is still on its way to another one: the script has the last one in force, too.
@Suite struct OvertakenChoiceTests {
  /// A choice of a fixed focus.
  private static func choice(
    _ id: Int64, disparity: Float, from start: Double, to arrival: Double, isStrong: Bool = true,
    isUser: Bool = true
  ) -> RecordingEntry.Choice {
    RecordingEntry.Choice(
      start: RecordingEntry.Moment(Time(seconds: start)),
      arrival: RecordingEntry.Moment(Time(seconds: arrival)), id: id, isGroup: false,
      isStrong: isStrong, isUser: isUser, disparity: disparity)
  }

  /// The script of choices that come with the frames that they begin in, 30 frames a second.
  ///
  /// - Parameter late: the frame that the last choice comes with in place of its own.
  private static func script(
    _ choices: [RecordingEntry.Choice], frames: Int, atFrame late: Int? = nil
  ) throws -> Script {
    let usual = late == nil ? choices : Array(choices.dropLast())
    var log = RecordingLog()
    for frame in 0..<frames {
      let line = """
        {"time": {"value": \(frame), "timescale": 30}, "duration": {"value": 1, "timescale": 30}, \
        "focusDisparity": 0.5, "found": [], "choices": []}
        """
      var entry = try JSONDecoder().decode(RecordingEntry.self, from: Data(line.utf8))
      let time = TestScene.time(frame)
      let next = TestScene.time(frame + 1)
      entry.choices = usual.filter { $0.start.time >= time && $0.start.time < next }
      if frame == late { entry.choices += choices.suffix(1) }
      log.add(entry)
    }
    return try Script(recording: log.recording(fNumber: 2.8, look: Look()))
  }

  private static func focus(_ script: Script, at seconds: Double) throws -> Float {
    let frame = script.frame(at: Time(seconds: seconds), tolerance: TestScene.time(1))
    return try #require(frame).focusDisparity
  }

  /// A short rack overtakes a long one, just as that has begun.
  @Test func shortRackThatOvertakesALongOneHolds() throws {
    let script = try Self.script(
      [
        Self.choice(2, disparity: 0.5, from: 0, to: 0),
        Self.choice(3, disparity: 0.9, from: 4, to: 5.1),
        Self.choice(4, disparity: 0.4, from: 4.1, to: 4.45),
      ], frames: 210)
    #expect(try Self.focus(script, at: 6) == 0.4)
    #expect(try Self.focus(script, at: 4.5) == 0.4)
    let users = script.recording.userDecisions
    #expect(users.last?.detectionID == DetectionID(4))
    #expect(users.last?.time == Time(value: 89, timescale: 20))
    // Focus had gone next to nothing of the way to the third.
    #expect(users.map(\.detectionID) == [DetectionID(2), DetectionID(4)])
  }

  /// Focus that turns away beyond the middle of its way has been at its subject.
  @Test func rackIsCutWhereFocusTurnsLate() throws {
    let script = try Self.script(
      [
        Self.choice(2, disparity: 0.5, from: 0, to: 0),
        Self.choice(3, disparity: 0.9, from: 1, to: 2),
        Self.choice(4, disparity: 0.2, from: 1.8, to: 2.4),
      ], frames: 90)
    let users = script.recording.userDecisions
    #expect(users.map(\.time) == [0, 54, 72].map { TestScene.time($0) })
    #expect(try Self.focus(script, at: 1) == 0.5)
    #expect(try Self.focus(script, at: 1.8) == 0.9)
    #expect(try Self.focus(script, at: 2.4) == 0.2)
  }

  /// At the end of a take, focus arrives with it at the last choice alone.
  @Test func lastOfFiveOrdersInASecondIsKept() throws {
    let disparities: [Float] = [0.1, 0.9, 0.2, 0.8, 0.3]
    var choices = [Self.choice(2, disparity: 0.5, from: 0, to: 0)]
    for (index, disparity) in disparities.enumerated() {
      let start = 0.1 + 0.2 * Double(index)
      choices.append(
        Self.choice(Int64(index + 3), disparity: disparity, from: start, to: start + 0.35))
    }
    let script = try Self.script(choices, frames: 30)
    let users = script.recording.userDecisions
    // Each had gone beyond the middle of its way when the next one came.
    #expect(users.map(\.detectionID) == (2...7).map { DetectionID($0) })
    #expect(users.dropFirst().map(\.time) == [9, 15, 21, 27, 29].map { TestScene.time($0) })
    #expect(try Self.focus(script, at: 29.0 / 30) == 0.3)
  }

  /// An automatic choice ends a weak one of the user's that focus has not reached, and none that came after it.
  @Test func choicesOfBothKindsEndAsTheyDidLive() throws {
    let start = Self.choice(2, disparity: 0.5, from: 0, to: 0, isStrong: false, isUser: false)
    let weak = Self.choice(3, disparity: 0.9, from: 1, to: 2, isStrong: false)
    let base = Self.choice(
      4, disparity: 0.1, from: 1.2, to: 1.7, isStrong: false, isUser: false)
    let ended = try Self.script([start, weak, base], frames: 90)
    #expect(try Self.focus(ended, at: 2.5) == 0.1)
    // The user's choice comes while focus moves to the automatic one, which takes longer.
    let slow = Self.choice(4, disparity: 0.1, from: 1, to: 2.1, isStrong: false, isUser: false)
    let quick = Self.choice(3, disparity: 0.9, from: 1.2, to: 1.6, isStrong: false)
    let kept = try Self.script([start, slow, quick], frames: 90)
    #expect(try Self.focus(kept, at: 2.5) == 0.9)
    // What is decided automatically while a strong choice is under way moves nothing.
    let strong = Self.choice(3, disparity: 0.9, from: 1, to: 2)
    let unseen = Self.choice(
      4, disparity: 0.1, from: 1.2, to: 1.2, isStrong: false, isUser: false)
    let held = try Self.script([start, strong, unseen], frames: 90)
    #expect(try Self.focus(held, at: 1.2) > 0.5)
    #expect(try Self.focus(held, at: 1.2) < 0.6)
    #expect(try Self.focus(held, at: 2.5) == 0.9)
    #expect(held.recording.baseDecisions.last?.detectionID == DetectionID(4))
  }

  /// A weak choice ends a strong one also if an automatic one comes before focus has gone half of its way.
  @Test func whatAWeakChoiceEndsStaysEnded() throws {
    let script = try Self.script(
      [
        Self.choice(2, disparity: 0.5, from: 0, to: 0, isStrong: false, isUser: false),
        Self.choice(3, disparity: 0.9, from: 0.5, to: 1),
        Self.choice(4, disparity: 0.3, from: 3, to: 4, isStrong: false),
        Self.choice(5, disparity: 0.1, from: 3.2, to: 4.2, isStrong: false, isUser: false),
      ], frames: 180)
    #expect(try Self.focus(script, at: 2) == 0.9)
    #expect(try Self.focus(script, at: 5.5) == 0.1)
    #expect(script.recording.userDecisions.last?.isStrongDecision == false)
  }

  /// A focus that is held on another scale takes over the whole rack of the one before, also of one that began before the
  /// recording.
  @Test(arguments: [-0.3, 0.5]) func rackIsTakenOver(_ start: Double) throws {
    let arrival = start + 1.1
    let script = try Self.script(
      [
        Self.choice(2, disparity: 0.5, from: 0, to: 0),
        Self.choice(3, disparity: 0.8, from: max(start, 0), to: start < 0 ? 0 : arrival),
        Self.choice(4, disparity: 0.6, from: start, to: arrival),
      ], frames: 90, atFrame: start < 0 ? 3 : 20)
    let users = script.recording.userDecisions
    #expect(users.last?.detectionID == DetectionID(4))
    #expect(users.last?.time == Time(seconds: arrival))
    #expect(try Self.focus(script, at: 2) == 0.6)
    if start > 0 { #expect(users.map(\.detectionID) == [DetectionID(2), DetectionID(4)]) }
  }

  /// Whatever comes when, focus is where it was live once it has come to rest.
  @Test(arguments: 0..<12) func scriptRestsWhereFocusRested(_ seed: Int) throws {
    let map = try PixelBuffer.map(
      [Float](repeating: 0.5, count: 64), Dimensions(width: 8, height: 8))
    let seen = [Float(0.1), 0.9].enumerated().map { index, disparity in
      var detection = Detection(
        time: .zero, detectionType: .custom,
        normalizedRect: NormalizedRect(x: 0.3 * Double(index), y: 0.4, width: 0.2, height: 0.2),
        focusDisparity: disparity)
      detection.detectionID = DetectionID(Int64(index + 1))
      return detection
    }
    var state = UInt64(seed + 1)
    func random(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    var puller = FocusPuller(weights: .standard, autoFocusID: DetectionID(99))
    var choices: [RecordingEntry.Choice] = []
    var live: [Float] = []
    var (nextOrder, lastOrder) = (0, 0)
    var resting: [Int] = []
    for frame in 0..<240 {
      var orders: [FocusPuller.Order] = []
      if frame == nextOrder, frame < 190 {
        let disparity = Float(random(9) + 1) / 10
        orders = [.fixed(DetectionID(Int64(frame + 100)), disparity: disparity, .strong)]
        lastOrder = frame
        nextOrder = frame + 1 + random(50)
      }
      let outcome = puller.update(
        at: TestScene.time(frame), detections: seen, map: map, orders: orders)
      live.append(outcome.focusDisparity)
      // The longest rack takes 36 frames.
      if frame > lastOrder + 37 { resting.append(frame) }
      for made in outcome.made where made.decision.isUserDecision {
        choices.append(
          RecordingEntry.Choice(
            start: RecordingEntry.Moment(made.start),
            arrival: RecordingEntry.Moment(made.decision.time),
            id: made.decision.detectionID?.rawValue ?? 0, isGroup: false, isStrong: true,
            isUser: true, disparity: made.disparity))
      }
    }
    let script = try Self.script(choices, frames: 240)
    #expect(resting.contains(239))
    for frame in resting {
      let found = try Self.focus(script, at: Double(frame) / 30)
      #expect(abs(found - live[frame]) < 1e-5, "at frame \(frame)")
    }
  }
}
