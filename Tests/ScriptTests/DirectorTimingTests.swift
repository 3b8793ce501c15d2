// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Testing

@testable import FocalScript

/// When a director decides, in clips whose frames last differently.
@Suite struct DirectorTimingTests {
  private static let timescale: Int32 = 30000
  private static func time(_ seconds: Double) -> Time {
    Time(seconds: seconds, preferredTimescale: timescale)
  }

  /// Frames of a constant rate from a time to before another.
  private static func frames(_ rate: Int, from start: Double = 0, to end: Double) -> [Time] {
    (0..<Int(((end - start) * Double(rate)).rounded())).map {
      time(start + Double($0) / Double(rate))
    }
  }

  /// Somebody who is seen at some times, in a box of a side.
  private static func person(
    _ id: Int64, _ type: DetectionType = .humanFace, group: Int64? = nil, at times: [Time],
    x: Double, disparity: Float, side: (Double) -> Double?
  ) throws -> RecordedDetectionTrack {
    try RecordedDetectionTrack(
      detectionID: DetectionID(id), detectionGroupID: DetectionGroupID(group ?? id),
      detectionType: type,
      detections: times.compactMap { time in
        side(time.seconds + 1e-9).map { side in
          Detection(
            time: time, detectionType: type,
            normalizedRect: NormalizedRect(
              x: x - side / 2, y: 0.5 - side / 2, width: side, height: side),
            focusDisparity: disparity)
        }
      })
  }

  /// Two whose heads are always seen, and who face the camera in turn.
  private static func dialogue(_ times: [Time], turn: Double) throws -> [DetectionTrack] {
    func faces(_ first: Bool, _ seconds: Double) -> Double? {
      (Int(seconds / turn) % 2 == 0) == first ? 0.2 : nil
    }
    return [
      try person(1, .humanHead, group: 1, at: times, x: 0.3, disparity: 0.5) { _ in 0.2 },
      try person(2, group: 1, at: times, x: 0.3, disparity: 0.5) { faces(true, $0) },
      try person(3, .humanHead, group: 2, at: times, x: 0.7, disparity: 0.5) { _ in 0.2 },
      try person(4, group: 2, at: times, x: 0.7, disparity: 0.5) { faces(false, $0) },
    ]
  }

  private static func seconds(_ tracks: [DetectionTrack], _ times: [Time]) throws -> [Double] {
    Director().decisions(for: tracks, frameTimes: try FrameTimes(times)).map(\.time.seconds)
  }

  /// A second of a step counts as a second, whatever its rate: a slow end made the fast part follow every second.
  @Test func shortestSegmentIsInSeconds() throws {
    let times = Self.frames(60, to: 10) + Self.frames(1, from: 10, to: 110)
    for turn in [0.5, 1.0, 1.2] {
      func side(_ first: Bool) -> (Double) -> Double? {
        { (Int($0 / turn) % 2 == 0) == first ? 0.35 : 0.05 }
      }
      let tracks = [
        try Self.person(1, at: times, x: 0.4, disparity: 0.5, side: side(true)),
        try Self.person(2, at: times, x: 0.6, disparity: 0.48, side: side(false)),
      ]
      let decisions = try Self.seconds(tracks, times)
      let gaps = zip(decisions, decisions.dropFirst()).map { $1 - $0 }
      #expect(gaps.allSatisfy { $0 >= 1.5 - 1e-9 }, "turn \(turn): \(gaps)")
      #expect(decisions.count { $0 < 10 } <= 2, "turn \(turn): \(decisions)")
    }
  }

  /// Turns are followed in a fast part, in a slow one, and where one begins.
  @Test func turnsAreFollowedAtAnyRate() throws {
    let times =
      Self.frames(60, to: 13) + Self.frames(2, from: 13, to: 37)
      + Self.frames(30, from: 37, to: 60)
    let decisions = try Self.seconds(try Self.dialogue(times, turn: 6), times)
    #expect(decisions.count == 10, "\(decisions)")
    for (position, decision) in decisions.enumerated() {
      #expect(abs(decision - 6 * Double(position)) <= 0.5, "\(decisions)")
    }
  }

  /// The first frame says nothing of the others.
  @Test func firstFrameMayBeShortOrHeld() throws {
    let plain = Self.frames(30, to: 36)
    let expected = try Self.seconds(try Self.dialogue(plain, turn: 6), plain)
    #expect(expected.count == 6)
    let short = [Self.time(0), Self.time(0.001)] + plain.dropFirst()
    let held = [Self.time(0)] + plain.drop { $0.seconds < 2 }
    let frozen = plain.filter { $0.seconds < 20 || $0.seconds >= 22 }
    for times in [short, held, frozen] {
      let found = try Self.seconds(try Self.dialogue(times, turn: 6), times)
      #expect(found.count == expected.count, "\(found)")
      for (found, expected) in zip(found, expected) {
        #expect(abs(found - expected) < 0.1, "\(found) for \(expected)")
      }
    }
  }

  // MARK: - Arrivals

  private static let length = 12.0

  /// A script in which somebody far off is seen until a time, and somebody near from 5 s on.
  private static func arrival(
    leaving: Double = length, cuts: [Time] = [], again: Double = length,
    switchCost: Double = DirectorWeights.standard.switchCost
  ) throws -> Script {
    var director = Director()
    director.weights.switchCost = switchCost
    let times = frames(30, to: length)
    let tracks = [
      try person(1, at: times, x: 0.4, disparity: 0.3) { $0 < leaving ? 0.12 : nil },
      try person(2, at: times, x: 0.45, disparity: 0.8) { $0 >= 5 && $0 < again ? 0.35 : nil },
    ]
    let recording = try Recording(
      timeRange: TimeRange(start: .zero, duration: time(length)), frameTimes: FrameTimes(times),
      fNumber: 2.8, detectionTracks: tracks, decisions: [], cuts: cuts)
    return try Script(recording: try director.directed(recording))
  }

  /// Focus begins to move where the newcomer is seen.
  @Test func racksBeginWhereTheNewcomerIsSeen() throws {
    let script = try Self.arrival()
    let rack = try #require(script.focusTransitions.first)
    #expect(script.focusTransitions.count == 1)
    // 0.35 + 0.8 s over all disparities, from the first frame that shows it.
    #expect(abs(rack.timeRange.start.seconds - 5) < 0.04, "\(rack.timeRange)")
    #expect(abs(rack.timeRange.end.seconds - 6.15) < 0.04, "\(rack.timeRange)")
  }

  /// Nobody who is gone is waited for.
  @Test func newcomersInPlaceOfOneWhoLeavesAreThereAtOnce() throws {
    let gone = try #require(try Self.arrival(leaving: 5).focusTransitions.first)
    #expect(abs(gone.timeRange.end.seconds - 5) < 0.04, "\(gone.timeRange)")
    let leaving = try #require(try Self.arrival(leaving: 5.5).focusTransitions.first)
    #expect(abs(leaving.timeRange.end.seconds - 5.5) < 0.04, "\(leaving.timeRange)")
  }

  /// A newcomer keeps focus for 1.5 s, though little of it is left; and a cut waits for nobody.
  @Test func arrivalsKeepTheShortestSegment() throws {
    let times = try Self.arrival(again: 6.8, switchCost: 0.1).baseDecisions(
      in: TimeRange(start: .zero, duration: Self.time(Self.length))
    ).map(\.time.seconds)
    try #require(times.count == 3, "\(times)")
    let gaps = zip(times, times.dropFirst()).map { $1 - $0 }
    #expect(gaps.allSatisfy { $0 >= 1.5 - 1e-9 }, "\(times)")
    #expect(times[1] > 5.2, "\(times)")
    let cut = try Self.arrival(cuts: [Self.time(5)])
    let decisions = cut.baseDecisions(in: cut.timeRange).map(\.time)
    #expect(decisions == [.zero, Self.time(5)])
  }
}
