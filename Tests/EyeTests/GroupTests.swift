// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalEyes
import FocalScript
import Testing

/// Tracks of one subject share a group.
@Suite struct TrackGroupTests {
  private static func object(
    _ type: DetectionType, _ x: Double, _ y: Double, _ width: Double, _ height: Double
  ) -> FoundObject {
    FoundObject(
      type: type, rect: NormalizedRect(x: x, y: y, width: width, height: height), confidence: 0.9)
  }

  /// A person by the left edge of the body.
  private static func person(_ x: Double, face: Bool = true, head: Bool = true) -> [FoundObject] {
    var found = [object(.humanTorso, x, 0.2, 0.2, 0.7)]
    if head { found.append(object(.humanHead, x + 0.06, 0.2, 0.08, 0.14)) }
    if face { found.append(object(.humanFace, x + 0.07, 0.23, 0.06, 0.1)) }
    return found
  }

  private static func tracks(_ frames: [[FoundObject]]) throws -> [RecordedDetectionTrack] {
    let map = try PixelBuffer(
      dimensions: Dimensions(width: 16, height: 9), format: .disparityFloat,
      values: [Float](repeating: 0.5, count: 144))
    var linker = TrackLinker()
    for (number, found) in frames.enumerated() {
      linker.add(found, at: Time(value: Int64(number), timescale: 30), disparity: map)
    }
    return try linker.tracks()
  }

  /// Groups by the types of their tracks.
  private static func groups(_ tracks: [RecordedDetectionTrack]) -> [[DetectionType]] {
    Dictionary(grouping: tracks) { $0.detectionGroupID?.rawValue ?? 0 }.sorted { $0.key < $1.key }
      .map { $0.value.map(\.detectionType).sorted { $0.rawValue < $1.rawValue } }
  }

  @Test func joinsFaceHeadAndBody() throws {
    // Two people who pass each other closely, a cat before one of them, and a ball.
    let frames = (0..<40).map { number in
      let part = Double(number) / 39
      var found = Self.person(0.1 + 0.22 * part) + Self.person(0.7 - 0.1 * part)
      found.append(Self.object(.catBody, 0.15 + 0.22 * part, 0.75, 0.12, 0.1))
      found.append(Self.object(.catHead, 0.16 + 0.22 * part, 0.74, 0.04, 0.05))
      found.append(Self.object(.sportsBall, 0.5, 0.9, 0.04, 0.05))
      return number % 2 == 0 ? found : found.reversed()
    }
    let tracks = try Self.tracks(frames)
    #expect(tracks.map(\.detectionID) == (1...9).map { DetectionID(Int64($0)) })
    let groups = Self.groups(tracks)
    let person: [DetectionType] = [.humanFace, .humanHead, .humanTorso]
    #expect(groups.count == 4)
    #expect(groups.filter { $0 == person }.count == 2)
    #expect(groups.contains([.catBody, .catHead]))
    #expect(groups.contains([.sportsBall]))
    // A person's tracks lie above each other.
    for group in Dictionary(grouping: tracks, by: \.detectionGroupID).values
    where group.count == 3 {
      let middles = group.map { $0.allDetections[20].normalizedRect.midX }
      let spread = (middles.max() ?? 1) - (middles.min() ?? 0)
      #expect(spread < 0.02)
    }
  }

  /// Somebody who looks away gets another face track, and stays the same person.
  @Test func keepsAPersonWhoTurnsAway() throws {
    let frames = (0..<70).map { number in
      Self.person(0.3, face: !(20..<45).contains(number), head: false)
    }
    let tracks = try Self.tracks(frames)
    #expect(tracks.map(\.detectionType) == [.humanTorso, .humanFace, .humanFace])
    #expect(Set(tracks.compactMap(\.detectionGroupID)).count == 1)
    #expect(Set(tracks.map(\.detectionID)).count == 3)
  }

  /// A face is of one body, and a body has one face at a time.
  @Test func doesNotJoinTwoPeople() throws {
    let frames = (0..<30).map { _ in
      Self.person(0.3, head: false) + [Self.object(.humanFace, 0.44, 0.24, 0.06, 0.1)]
    }
    let tracks = try Self.tracks(frames)
    #expect(tracks.count == 3)
    let groups = Self.groups(tracks)
    #expect(groups.count == 2)
    #expect(groups.contains([.humanFace]))
    let pair = tracks.filter {
      $0.detectionType == .humanTorso || $0.allDetections[0].normalizedRect.x < 0.4
    }
    #expect(Set(pair.compactMap(\.detectionGroupID)).count == 1)
  }
}
