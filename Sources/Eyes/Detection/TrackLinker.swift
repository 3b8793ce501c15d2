// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalScript

/// Links what is found in the pictures of a clip to tracks: the same thing keeps its id, and no id is given twice.
///
/// A detection continues the track of its type that it overlaps most, or whose middle is nearest. A track that nothing
/// continues for half a second of film ends, and so do all at a cut; one that was seen fewer than three times is chance
/// and is left out. Tracks of one subject, such as a person's face and body, share a group.
public struct TrackLinker: Sendable {
  /// Pictures without a detection after which a track has ended.
  public static let mostMissed = 15
  /// Fewer detections are chance.
  public static let leastSeen = 3
  /// Middles this far apart, in parts of the larger side, are of two things.
  private static let mostDistance = 1.2
  /// More pictures that were not looked at count as so many, so that numbers stay far from overflow.
  private static let mostSkipped = 1 << 32
  /// Sizes of one thing from picture to picture.
  private static let mostGrowth = 2.0

  private struct Track {
    /// Counted through the clip.
    var serial: Int
    var type: DetectionType
    var detections: [Detection]
    var first: Int
    var latest: Int
    /// Middle's movement a picture.
    var motion = (x: 0.0, y: 0.0)
    /// In a clip that is still being made: its id and its subject's once it is no chance, and how often it was seen.
    var live = (id: Int64?.none, group: Int64?.none, count: 0)

    var identity: (id: Int64, group: Int64)? {
      guard let id = live.id, let group = live.group else { return nil }
      return (id, group)
    }
  }

  private var open: [Track] = []
  private var ended: [Track] = []
  private var number = 0
  private var serial = 0
  private var groups = TrackGroups()

  public init() {}

  /// The detections in the last picture of a clip that is still being made, by tracks. Earlier ones are forgotten.
  ///
  /// - Parameter next: gives an id that was never given before, for a track that is no chance any more.
  /// - Returns: detections with the ids of their tracks, and of their subjects, which bear that of the track that
  ///   was found first.
  package mutating func takeLatest(
    _ next: () -> Int64
  ) -> [(id: Int64, group: Int64, detection: Detection)] {
    ended = []
    groups.keep(Set(open.map(\.serial)))
    let subjects = groups.groups(
      open.reduce(into: [:]) { $0[$1.serial] = $1.type },
      spans: open.reduce(into: [:]) { $0[$1.serial] = $1.first...$1.latest })
    var result: [(id: Int64, group: Int64, detection: Detection)] = []
    for index in open.indices where open[index].latest == number - 1 {
      guard let last = open[index].detections.last else { continue }
      open[index].detections = [last]
      open[index].live.count += 1
      if open[index].live.count == Self.leastSeen {
        let subject = subjects[open[index].serial]
        let kin = open.first { subjects[$0.serial] == subject && $0.live.group != nil }
        open[index].live.id = next()
        open[index].live.group = kin?.live.group ?? open[index].live.id
      }
      guard let (id, group) = open[index].identity, last.focusDisparity.isFinite else { continue }
      result.append((id, group, last))
    }
    return result
  }

  /// Takes what was found in the next picture. Boxes with a side that is not above zero, or with a number that is not
  /// finite or beyond a million, are left out.
  ///
  /// - Parameters:
  ///   - found: the objects, in any order.
  ///   - disparity: the picture's map, as the picture is stored.
  ///   - isCut: whether another scene begins with it.
  ///   - skipped: how many pictures before it were not looked at.
  public mutating func add(
    _ found: [FoundObject], at time: Time, disparity: PixelBuffer, isCut: Bool = false,
    skipped: Int = 0
  ) {
    let objects = found.filter(\.rect.canHoldDetection)
    number += min(max(0, skipped), Self.mostSkipped)
    if isCut {
      ended += open
      open = []
    }
    var pairs: [(track: Int, object: Int, score: Double)] = []
    for (index, track) in open.enumerated() {
      for (place, object) in objects.enumerated() {
        guard object.type == track.type, let score = score(track, object.rect) else { continue }
        pairs.append((index, place, score))
      }
    }
    // The best pair first; equal ones in their order.
    pairs.sort { ($0.score, $1.track, $1.object) > ($1.score, $0.track, $0.object) }
    var (tracks, taken) = (Set<Int>(), Set<Int>())
    for pair in pairs where !tracks.contains(pair.track) && !taken.contains(pair.object) {
      tracks.insert(pair.track)
      taken.insert(pair.object)
      let object = objects[pair.object]
      let last = open[pair.track].detections[open[pair.track].detections.count - 1]
      let count = Double(number - open[pair.track].latest)
      open[pair.track].motion = (
        (object.rect.midX - last.normalizedRect.midX) / count,
        (object.rect.midY - last.normalizedRect.midY) / count
      )
      open[pair.track].detections.append(
        detection(object, at: time, disparity, prior: last.focusDisparity))
      open[pair.track].latest = number
    }
    for (place, object) in objects.enumerated() where !taken.contains(place) {
      open.append(
        Track(
          serial: serial, type: object.type,
          detections: [detection(object, at: time, disparity, prior: nil)], first: number,
          latest: number))
      serial += 1
    }
    groups.add(
      open.filter { $0.latest == number }.map { track in
        TrackGroups.Member(
          track: track.serial, type: track.type,
          rect: track.detections[track.detections.count - 1].normalizedRect)
      })
    ended += open.filter { number - $0.latest >= Self.mostMissed }
    open.removeAll { number - $0.latest >= Self.mostMissed }
    number += 1
  }

  private func detection(
    _ object: FoundObject, at time: Time, _ map: PixelBuffer, prior: Float?
  ) -> Detection {
    Detection(
      time: time, detectionType: object.type, normalizedRect: object.rect,
      focusDisparity: Detection.disparity(
        in: object.rect, sourceDisparity: map, detectionType: object.type, priorDisparity: prior))
  }

  /// How well a detection continues a track; `nil` if it does not.
  private func score(_ track: Track, _ rect: NormalizedRect) -> Double? {
    let last = track.detections[track.detections.count - 1].normalizedRect
    let growth = (rect.area / last.area).squareRoot()
    guard growth < Self.mostGrowth, growth > 1 / Self.mostGrowth else { return nil }
    let steps = Double(number - track.latest)
    let expected = NormalizedRect(
      x: last.x + steps * track.motion.x, y: last.y + steps * track.motion.y, width: last.width,
      height: last.height)
    let overlap = max(rect.overlap(expected), rect.overlap(last))
    let (x, y) = (
      (rect.midX - expected.midX) / max(rect.width, last.width),
      (rect.midY - expected.midY) / max(rect.height, last.height)
    )
    let distance = (x * x + y * y).squareRoot()
    guard overlap > 0.05 || distance < Self.mostDistance else { return nil }
    return overlap - 0.3 * distance
  }

  /// The tracks, numbered from 1 by their first appearance; so are the groups.
  ///
  /// - Throws: what `RecordedDetectionTrack` throws.
  public func tracks() throws(CinematicError) -> [RecordedDetectionTrack] {
    var found = (ended + open).filter { track in
      track.detections.count >= Self.leastSeen
        && track.detections.contains { $0.focusDisparity.isFinite }
    }
    found.sort { a, b in
      let (first, second) = (a.detections[0], b.detections[0])
      return (first.time, first.normalizedRect.midX, a.serial)
        < (second.time, second.normalizedRect.midX, b.serial)
    }
    let subjects = groups.groups(
      found.reduce(into: [:]) { $0[$1.serial] = $1.type },
      spans: found.reduce(into: [:]) { $0[$1.serial] = $1.first...$1.latest })
    var numbers: [Int: Int] = [:]
    var result: [RecordedDetectionTrack] = []
    for (index, track) in found.enumerated() {
      let subject = subjects[track.serial] ?? track.serial
      let group = numbers[subject] ?? numbers.count + 1
      numbers[subject] = group
      result.append(
        try RecordedDetectionTrack(
          detectionID: DetectionID(Int64(index + 1)),
          detectionGroupID: DetectionGroupID(Int64(group)), detectionType: track.type,
          detections: track.detections.filter(\.focusDisparity.isFinite)))
    }
    return result
  }
}
