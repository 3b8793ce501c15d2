// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalSample

@testable import FocalScript

/// The rules of a script, word for word and slow: an independent model to compare the engine with.
struct Oracle {
  struct Track {
    var id: Int64
    var group: Int64?
    /// Frames in which the subject is found; `nil` for a fixed track.
    var frames: [Int]?
  }

  struct Choice: Equatable {
    var tick: Int
    var id: Int64
    var isGroup: Bool
    var strong: Bool
    var user: Bool
  }

  var frameCount: Int
  var ticksPerFrame = 20
  var tracks: [Track]
  /// As given: in any order, several at one time, outside the range, on ids that are gone.
  var choices: [Choice]

  /// The decisions that take effect: in range, known, and of several in one layer at one time the last
  /// given.
  func valid(user: Bool) -> [Choice] {
    let known = choices.filter { choice in
      choice.user == user && choice.tick >= 0 && choice.tick < frameCount * ticksPerFrame
        && tracks.contains { choice.isGroup ? $0.group == choice.id : $0.id == choice.id }
    }
    var last: [Int: Choice] = [:]
    for choice in known { last[choice.tick] = choice }
    return last.values.sorted { $0.tick < $1.tick }
  }

  /// The first tick at which a choice's subject is gone for good.
  func end(of choice: Choice) -> Int {
    let mine = tracks.filter { choice.isGroup ? $0.group == choice.id : $0.id == choice.id }
    let discrete = mine.compactMap(\.frames)
    if discrete.isEmpty { return .max }
    let last = discrete.compactMap(\.last).max()
    return last.map { ($0 + 1) * ticksPerFrame } ?? 0
  }

  /// The choice in force at a frame.
  func inForce(atFrame frame: Int) -> Choice? {
    let tick = frame * ticksPerFrame
    let base = valid(user: false)
    let user = valid(user: true)
    let baseInForce = base.last { $0.tick <= tick }
    // the latest user decision hides all earlier ones, also when it has itself run out
    guard let latest = user.last(where: { $0.tick <= tick }) else { return baseInForce }
    if tick >= end(of: latest) { return baseInForce }
    if latest.strong { return latest }
    let isReplaced = base.contains { $0.tick > latest.tick && $0.tick <= tick }
    return isReplaced ? baseInForce : latest
  }

  static func random(seed: UInt64) -> Oracle {
    var generator = SeededGenerator(seed: seed)
    func pick(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }
    let frameCount = pick(1...40)
    let tracks = (1...pick(1...5)).map { id -> Track in
      let group: Int64? = pick(0...2) == 0 ? nil : Int64(pick(1...2))
      if pick(0...7) == 0 { return Track(id: Int64(id), group: group, frames: nil) }
      let first = pick(0...(frameCount - 1))
      let last = pick(first...(frameCount - 1))
      let keep = pick(1...10)
      return Track(
        id: Int64(id), group: group,
        frames: (first...last).filter { _ in pick(0...10) <= keep + 1 })
    }
    let choices = (0..<pick(0...12)).map { _ in
      Choice(
        // a third between frames, some outside
        tick: pick(-1...(frameCount + 1)) * 20 + (pick(0...2) == 0 ? pick(0...19) : 0),
        id: Int64(pick(0...6)), isGroup: pick(0...3) == 0, strong: pick(0...1) == 0,
        user: pick(0...2) != 0)
    }
    return Oracle(frameCount: frameCount, tracks: tracks, choices: choices)
  }

  func decision(_ choice: Choice) -> Decision {
    Decision(
      time: Scripts.time(choice.tick),
      focus: choice.isGroup
        ? .group(DetectionGroupID(choice.id)) : .single(DetectionID(choice.id)),
      strong: choice.strong, user: choice.user)
  }

  /// The same script for the engine. Disparities differ from track to track and move.
  func recording(userDecisions: Bool = true) throws -> Recording {
    let types: [DetectionType] = [.humanTorso, .humanFace, .humanHead]
    return try Scripts.recording(
      frames: frameCount,
      tracks: tracks.map { track in
        let group = track.group.map { DetectionGroupID($0) }
        guard let frames = track.frames else {
          return FixedDetectionTrack(
            focusDisparity: Float(track.id) / 7, original: nil, id: DetectionID(track.id),
            group: group, recorded: true)
        }
        return try Scripts.track(
          track.id, group: track.group, type: types[Int(track.id) % 3], frames: frames
        ) { Float(track.id) / 7 + Float($0) * 0.003 }
      }, decisions: choices.filter { userDecisions || !$0.user }.map(decision))
  }
}
