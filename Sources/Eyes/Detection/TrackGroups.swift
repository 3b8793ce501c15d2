// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalScript

/// Which tracks are of one subject: face, head and body of a person, head and body of an animal.
///
/// In each picture a part goes with the whole that it fits best, one with one. Two tracks are of one subject if that
/// holds for most of the pictures that show both.
struct TrackGroups: Sendable {
  /// Something in a picture, by its track.
  struct Member: Sendable {
    var track: Int
    var type: DetectionType
    var rect: NormalizedRect
  }

  private struct Pair: Hashable {
    var part: Int
    var whole: Int
  }

  /// Parts of a subject and what they are parts of.
  private static let relations: [(part: DetectionType, whole: DetectionType)] = [
    (.humanFace, .humanHead), (.humanFace, .humanTorso), (.humanHead, .humanTorso),
    (.catHead, .catBody), (.dogHead, .dogBody),
  ]
  /// Fewer pictures of both together are chance.
  private static let leastVotes = 3

  /// Pictures in which a pair was found to go together, and in which both were seen.
  private var votes: [Pair: Int] = [:]
  private var meetings: [Pair: Int] = [:]

  /// Takes what is in the next picture.
  mutating func add(_ members: [Member]) {
    for relation in Self.relations {
      let parts = members.filter { $0.type == relation.part }
      let wholes = members.filter { $0.type == relation.whole }
      var pairs: [(pair: Pair, distance: Double)] = []
      for part in parts {
        for whole in wholes {
          let pair = Pair(part: part.track, whole: whole.track)
          meetings[pair, default: 0] += 1
          if let distance = Self.distance(part, whole) { pairs.append((pair, distance)) }
        }
      }
      // The best pair first; equal ones in the order of their tracks.
      pairs.sort {
        ($0.distance, $0.pair.part, $0.pair.whole) < ($1.distance, $1.pair.part, $1.pair.whole)
      }
      var taken = Set<Pair>()
      for (pair, _) in pairs
      where !taken.contains(where: { $0.part == pair.part || $0.whole == pair.whole }) {
        taken.insert(pair)
        votes[pair, default: 0] += 1
      }
    }
  }

  /// Forgets all tracks but these.
  mutating func keep(_ tracks: Set<Int>) {
    func stays(_ pair: Pair) -> Bool { tracks.contains(pair.part) && tracks.contains(pair.whole) }
    votes = votes.filter { stays($0.key) }
    meetings = meetings.filter { stays($0.key) }
  }

  /// How far a part lies from where it belongs, in parts of the whole; `nil` if it is no part of it.
  private static func distance(_ part: Member, _ whole: Member) -> Double? {
    let (inner, outer) = (part.rect, whole.rect)
    guard outer.area > 0 else { return nil }
    let across = abs(inner.midX - outer.midX) / outer.width
    let from = (inner.midY - outer.y) / outer.height
    switch (part.type, whole.type) {
    case (.humanFace, .humanHead):
      guard across < 0.5, (0..<1).contains(from), inner.area < 1.5 * outer.area else { return nil }
      return across + abs(from - 0.55)
    case (_, .humanTorso):
      // Boxes of people may begin at the hair or below the neck.
      let above = (inner.midY - outer.y) / inner.height
      guard across < 0.45, above > -1.2, from < 0.5, inner.width < 1.1 * outer.width else {
        return nil
      }
      return across + max(0, from - 0.25) + max(0, -above) / 4
    default:
      // Animals' heads may be at any end.
      let isInside = outer.contains(inner.center)
      guard isInside, inner.area < outer.area else { return nil }
      return across + abs(from - 0.3)
    }
  }

  /// The groups of tracks, each by the lowest number among them.
  ///
  /// - Parameters:
  ///   - types: of the tracks by number, of those that are left.
  ///   - spans: the pictures of each, first to last: one subject has no two tracks of a type at a time.
  func groups(
    _ types: [Int: DetectionType], spans: [Int: ClosedRange<Int>]
  ) -> [Int: Int] {
    var group = types.keys.reduce(into: [Int: Int]()) { $0[$1] = $1 }
    let pairs = votes.filter { pair, count in
      types[pair.part] != nil && types[pair.whole] != nil && count >= Self.leastVotes
        && 2 * count > meetings[pair] ?? 0
    }
    let ordered = pairs.sorted {
      ($1.value, $0.key.part, $0.key.whole) < ($0.value, $1.key.part, $1.key.whole)
    }
    for (pair, _) in ordered {
      guard let a = group[pair.part], let b = group[pair.whole], a != b else { continue }
      let (first, second) = (
        group.filter { $0.value == a }.keys, group.filter { $0.value == b }.keys
      )
      let clashes = first.contains { one in
        second.contains { other in
          types[one] == types[other] && spans[one]?.overlaps(spans[other] ?? -1 ... -1) == true
        }
      }
      guard !clashes else { continue }
      for track in group.keys where group[track] == max(a, b) { group[track] = min(a, b) }
    }
    return group
  }
}
