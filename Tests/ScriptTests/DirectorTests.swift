// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalSample
import Testing

@testable import FocalScript

/// Automatic decisions.
struct DirectorTests {
  static let frames = 300

  private func frameTimes() throws -> FrameTimes {
    try FrameTimes(
      range: TimeRange(start: .zero, duration: Scripts.frameTime(Self.frames)),
      frameDuration: Scripts.frameTime(1))
  }

  /// A box of a person at a place.
  private func track(
    _ id: Int64, group: Int64, _ type: DetectionType, _ frames: some Sequence<Int>, x: Double,
    size: Double = 0.2, disparity: Float = 0.5
  ) throws -> RecordedDetectionTrack {
    try RecordedDetectionTrack(
      detectionID: DetectionID(id), detectionGroupID: DetectionGroupID(group), detectionType: type,
      detections: frames.map { frame in
        Detection(
          time: Scripts.frameTime(frame), detectionType: type,
          normalizedRect: NormalizedRect(
            x: x - size / 2, y: 0.5 - size / 2, width: size, height: size),
          focusDisparity: disparity)
      })
  }

  /// Two people whose heads are always seen and who face the camera in turn, every `turn` frames.
  private func dialogue(
    turn: Int, _ first: Float = 0.5, _ second: Float = 0.5
  ) throws -> [DetectionTrack] {
    let all = 0..<Self.frames
    return [
      try track(1, group: 1, .humanHead, all, x: 0.3, disparity: first),
      try track(
        2, group: 1, .humanFace, all.filter { $0 / turn % 2 == 0 }, x: 0.3, disparity: first),
      try track(3, group: 2, .humanHead, all, x: 0.7, disparity: second),
      try track(
        4, group: 2, .humanFace, all.filter { $0 / turn % 2 == 1 }, x: 0.7, disparity: second),
    ]
  }

  private func subjects(_ decisions: [Decision]) -> [Int64] {
    decisions.map { $0.detectionGroupID?.rawValue ?? $0.detectionID?.rawValue ?? 0 }
  }

  @Test func followsWhoFacesTheCamera() throws {
    let decisions = Director().decisions(for: try dialogue(turn: 100), frameTimes: try frameTimes())
    #expect(subjects(decisions) == [1, 2, 1])
    for (decision, frame) in zip(decisions, [0, 100, 200]) {
      #expect(abs(decision.time.seconds - Double(frame) / 30) < 0.25)
      #expect(!decision.isUserDecision && !decision.isStrongDecision)
    }
  }

  /// A turn to the camera is followed if it lasts as long as ``DirectorWeights/switchCost`` says, and no shorter one.
  @Test(arguments: [(Float(0.5), Float(0.5)), (0.6, 0.5), (0.6, 0.3), (0.6, 0.15)])
  func followsTurnsOfTheStatedLength(_ first: Float, _ second: Float) throws {
    let weights = DirectorWeights.standard
    func nearness(_ disparity: Float) -> Double {
      Double(disparity) / (Double(disparity) + weights.halfNearness)
    }
    let gain =
      weights.facing - weights.headTerm - weights.nearness * (nearness(first) - nearness(second))
    let difference = Double((first - second) / first)
    let cost = 2 * weights.switchCost * (1 + weights.disparityCost * difference)
    let stated = (cost + 0.2 * weights.facing) / gain
    #expect(stated < (second < 0.3 ? 3.3 : 3))
    for turn in 70...100 where abs(Double(turn) / 30 - stated) > 0.1 {
      // The second turns once, in the middle.
      let decisions = Director().decisions(
        for: try dialogue(turn: turn, first, second).map { track in
          track.trimmed(
            to: TimeRange(start: .zero, duration: Scripts.frameTime(3 * turn)), lastFrame: nil,
            shift: .zero)
        },
        frameTimes: try FrameTimes(
          range: TimeRange(start: .zero, duration: Scripts.frameTime(3 * turn)),
          frameDuration: Scripts.frameTime(1)))
      let expected: [Int64] = Double(turn) / 30 > stated ? [1, 2, 1] : [1]
      #expect(subjects(decisions) == expected, "\(first), \(second): \(turn) frames, \(stated) s")
    }
  }

  @Test func doesNotFlicker() throws {
    // facing changes twice a second: no reason to leave anybody
    let decisions = Director().decisions(
      for: try dialogue(turn: 15), frameTimes: try frameTimes())
    #expect(decisions.count == 1)
    #expect(decisions.first?.time == .zero)
  }

  @Test func segmentsAreNeverShorterThanAsked() throws {
    var director = Director()
    director.weights.switchCost = 0.01
    for turn in [20, 30, 45, 46, 60] {
      let times = director.decisions(for: try dialogue(turn: turn), frameTimes: try frameTimes())
        .map(\.time.seconds)
      let gaps = zip(times, times.dropFirst()).map { $1 - $0 }
      #expect(gaps.allSatisfy { $0 >= 1.5 }, "turn \(turn): \(gaps)")
    }
  }

  @Test func leavesWhoIsGone() throws {
    let tracks = [
      try track(1, group: 1, .humanFace, 0..<120, x: 0.5, size: 0.3),
      try track(2, group: 2, .humanFace, 0..<Self.frames, x: 0.2, size: 0.15),
    ]
    let decisions = Director().decisions(for: tracks, frameTimes: try frameTimes())
    #expect(subjects(decisions) == [1, 2])
    #expect(try #require(decisions.last?.time.seconds) < 5)
  }

  /// One sits in the middle; another comes from afar to the camera, from frame 100 to 220.
  private func arrival(side: (Int) -> Double) throws -> [DetectionTrack] {
    let all = 0..<Self.frames
    func person(_ id: Int64, group: Int64, x: Double, size: (Int) -> Double) throws
      -> [DetectionTrack]
    {
      try [(DetectionType.humanFace, 0.35), (.humanTorso, 1.0)].enumerated().map { index, part in
        try RecordedDetectionTrack(
          detectionID: DetectionID(id + Int64(index)), detectionGroupID: DetectionGroupID(group),
          detectionType: part.0,
          detections: all.map { frame in
            let size = size(frame) * part.1
            return Detection(
              time: Scripts.frameTime(frame), detectionType: part.0,
              normalizedRect: NormalizedRect(
                x: x - size / 2, y: 0.5 - size / 2, width: size, height: size),
              focusDisparity: Float(size))
          })
      }
    }
    return try person(1, group: 1, x: 0.4) { _ in 0.25 } + person(3, group: 2, x: 0.7, size: side)
  }

  @Test func goesToWhoComesToTheCamera() throws {
    // distance falls evenly, to a quarter
    let tracks = try arrival { 0.1 / (1 - 0.75 * max(0, min(1, (Double($0) - 100) / 120))) }
    let decisions = Director().decisions(for: tracks, frameTimes: try frameTimes())
    #expect(subjects(decisions) == [1, 2])
    let switched = try #require(decisions.last?.time.seconds)
    #expect(switched > 110.0 / 30 && switched < 220.0 / 30, "\(switched)")
    let live = try online(tracks)
    #expect(subjects(live) == [1, 2])
    #expect(try #require(live.last?.time.seconds) < 250.0 / 30)
  }

  @Test func staysWhenSomebodyFarOffComesALittleNearer() throws {
    let tracks = try arrival { 0.05 / (1 - 0.5 * max(0, min(1, (Double($0) - 100) / 120))) }
    #expect(
      try subjects(Director().decisions(for: tracks, frameTimes: frameTimes())) == [1])
    #expect(subjects(try online(tracks)) == [1])
  }

  @Test func orderAndSideOfTheInputDoNotMatter() throws {
    for turn in [40, 70, 100] {
      let tracks = try dialogue(turn: turn)
      let decisions = Director().decisions(for: tracks, frameTimes: try frameTimes())
      #expect(
        Director().decisions(for: tracks.reversed(), frameTimes: try frameTimes()) == decisions)
      let mirrored = try tracks.map { track in
        try RecordedDetectionTrack(
          detectionID: try #require(track.detectionID), detectionGroupID: track.detectionGroupID,
          detectionType: track.detectionType,
          detections: track.detections(in: TimeRange(start: .zero, duration: Scripts.time(100_000)))
            .map { detection in
              var mirrored = detection
              mirrored.normalizedRect.x = 1 - detection.normalizedRect.maxX
              return mirrored
            })
      }
      #expect(Director().decisions(for: mirrored, frameTimes: try frameTimes()) == decisions)
    }
  }

  @Test func distractorChangesNothing() throws {
    let tracks = try dialogue(turn: 100)
    let distractor = try track(
      9, group: 9, .humanTorso, 30..<200, x: 0.05, size: 0.05, disparity: 0.05)
    #expect(
      Director().decisions(for: tracks + [distractor], frameTimes: try frameTimes())
        == Director().decisions(for: tracks, frameTimes: try frameTimes()))
  }

  @Test func nobodyGivesNoDecision() throws {
    let fixed = FixedDetectionTrack(
      focusDisparity: 1, original: nil, id: DetectionID(1), group: nil, recorded: true)
    #expect(Director().decisions(for: [fixed], frameTimes: try frameTimes()).isEmpty)
    #expect(Director().decisions(for: [], frameTimes: try FrameTimes([])).isEmpty)
  }

  /// A shortest time that never ends keeps the first subject.
  @Test func segmentsMayBeOfAnyLength() throws {
    let (tracks, times) = (try dialogue(turn: 100), try frameTimes())
    var director = Director()
    for length in [Double.infinity, .nan, 1e300] {
      director.weights.shortestSegment = length
      let decisions = director.decisions(for: tracks, frameTimes: times)
      #expect(decisions.map(\.time) == [.zero], "\(length)")
    }
    director.weights.shortestSegment = -.infinity
    #expect(director.decisions(for: tracks, frameTimes: times).first?.time == .zero)
  }

  /// Times rise, and their difference rounds to zero.
  @Test func framesMayLieCloserThanTheirDifferenceTells() throws {
    let times = [Time(value: 1, timescale: .max), Time(value: 1, timescale: .max - 1)]
    #expect(times[1] - times[0] == .zero)
    let track = try RecordedDetectionTrack(
      detectionID: DetectionID(1), detectionType: .humanFace,
      detections: times.map { Scripts.detection($0, disparity: 0.5) })
    let decisions = Director().decisions(for: [track], frameTimes: try FrameTimes(times))
    #expect(decisions.map(\.time) == [times[0]])
    #expect(subjects(decisions) == [1])
  }

  /// The plan is the best one: no other sequence of two subjects scores higher.
  @Test func planIsOptimal() throws {
    var director = Director()
    director.weights.switchCost = 0.15
    director.weights.disparityCost = 0
    let tracks = try dialogue(turn: 60)
    let times = try frameTimes()
    let curves = try [1, 2].map { group in
      try #require(
        ScoreCurve(
          subject: .group(DetectionGroupID(group)),
          tracks: tracks.filter { $0.detectionGroupID == DetectionGroupID(group) },
          frameTimes: times, shot: 0..<times.count, stride: 1, weights: director.weights))
    }
    func value(_ switches: [Int], first: Int) -> Double {
      var (subject, sum, next) = (first, 0.0, 0)
      for step in 0..<Self.frames {
        if next < switches.count, switches[next] == step {
          subject = 1 - subject
          sum -= director.weights.switchCost
          next += 1
        }
        sum += curves[subject].score(at: step) / 30
      }
      return sum
    }
    let decisions = director.decisions(for: tracks, frameTimes: times)
    let chosen = decisions.dropFirst().map { times.index(atOrAfter: $0.time) }
    let best = value(chosen, first: decisions[0].detectionGroupID == DetectionGroupID(1) ? 0 : 1)
    var generator = SeededGenerator(seed: 2)
    for _ in 0..<3000 {
      var switches: [Int] = []
      var step = 45
      while true {
        step += Int.random(in: 0..<120, using: &generator)
        if step > Self.frames - 45 { break }
        switches.append(step)
        step += 45
      }
      #expect(value(switches, first: Int.random(in: 0...1, using: &generator)) <= best + 1e-6)
    }
  }

  private func online(_ tracks: [DetectionTrack]) throws -> [Decision] {
    var director = OnlineDirector()
    return try frameTimes().compactMap { time in
      director.update(
        at: time,
        detections: tracks.compactMap { track in
          track.detection(nearest: time).flatMap { $0.time == time ? $0 : nil }
        })
    }
  }

  @Test func onlineSeesOnlyThePast() throws {
    let tracks = try dialogue(turn: 100)
    let decisions = try online(tracks)
    #expect(subjects(decisions) == [1, 2, 1])
    for (decision, frame) in zip(decisions, [0, 100, 200]) {
      let delay = decision.time.seconds - Double(frame) / 30
      #expect(delay >= 0 && delay < 1.5)
    }
    // what comes later changes nothing before
    let cut = TimeRange(start: .zero, duration: Scripts.frameTime(180))
    let early = try online(tracks.map { $0.trimmed(to: cut, lastFrame: nil, shift: -cut.start) })
    #expect(early.filter { cut.contains($0.time) } == decisions.filter { cut.contains($0.time) })
    #expect(try online(tracks.reversed()) == decisions)
  }

  @Test func onlineHoldsALostSubjectAndThenLetsGo() throws {
    let decisions = try online([
      track(1, group: 1, .humanFace, 0..<100, x: 0.5, size: 0.3),
      track(2, group: 2, .humanTorso, 0..<Self.frames, x: 0.2, size: 0.1),
    ])
    #expect(subjects(decisions) == [1, 2])
    let delay = try #require(decisions.last?.time.seconds) - 100.0 / 30
    #expect(delay > 0.6 && delay < 0.8)
  }
}
