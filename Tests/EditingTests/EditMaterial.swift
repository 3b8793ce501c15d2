// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalEditing
import FocalScript
import Foundation

/// A script of two people and a moving ball.
enum EditMaterial {
  static func time(_ frame: Int) -> Time { Time(value: Int64(frame) * 20, timescale: 600) }

  static func detection(_ frame: Int, _ disparity: Float, x: Double) -> Detection {
    Detection(
      time: time(frame), detectionType: .humanFace,
      normalizedRect: NormalizedRect(x: x, y: 0.2, width: 0.2, height: 0.3),
      focusDisparity: disparity)
  }

  static let frames = 60

  static func script() throws -> Script {
    let range = TimeRange(start: .zero, duration: time(frames))
    let first = try RecordedDetectionTrack(
      detectionID: DetectionID(1), detectionGroupID: DetectionGroupID(1),
      detectionType: .humanFace, detections: (0..<frames).map { detection($0, 0.3, x: 0.1) })
    let second = try RecordedDetectionTrack(
      detectionID: DetectionID(2), detectionGroupID: nil, detectionType: .humanFace,
      detections: (10..<50).map { detection($0, 0.8, x: 0.6) })
    return try Script(
      recording: Recording(
        timeRange: range, frameTimes: FrameTimes(range: range, frameDuration: time(1)),
        fNumber: 2.8, detectionTracks: [first, second],
        decisions: [
          Decision(time: time(0), detectionID: DetectionID(1), strong: false),
          Decision(time: time(30), detectionID: DetectionID(2), strong: false),
        ]))
  }

  /// A step drawn from a state: mostly one that is allowed.
  static func edit(
    _ state: EditState, _ random: inout some RandomNumberGenerator
  ) throws -> Edit {
    let script = state.script
    let at = time(Int.random(in: 0..<frames, using: &random))
    let strong = Bool.random(using: &random)
    let all = script.decisions(in: script.timeRange)
    switch Int.random(in: 0..<15, using: &random) {
    case 0, 1:
      return .decide(
        Decision(
          time: at, detectionID: DetectionID(Int64.random(in: 1...3, using: &random)),
          strong: strong))
    case 2:
      return .decide(Decision(time: at, detectionGroupID: DetectionGroupID(1), strong: strong))
    case 3:
      return .fix(
        detection(Int.random(in: 0..<frames, using: &random), 0.5, x: 0.4), strong: strong)
    case 4:
      let start = Int.random(in: 0..<40, using: &random)
      let track = try CustomDetectionTrack(
        detections: (start..<(start + 15)).map { detection($0, 0.6, x: 0.3) }, smooth: true)
      return .follow(track, at: time(start), strong: strong)
    case 5:
      return all.randomElement(using: &random).map { .setStrength($0, strong: strong) } ?? .direct
    case 6, 7: return all.randomElement(using: &random).map { .move($0, to: at) } ?? .direct
    case 8: return all.randomElement(using: &random).map { .takeBack($0) } ?? .direct
    case 9:
      return script.addedDetectionTracks.randomElement(using: &random)?.detectionID.map {
        .removeTrack($0)
      } ?? .direct
    case 10:
      let length = Time(value: Int64.random(in: 0...20, using: &random) * 20, timescale: 600)
      return all.randomElement(using: &random).map {
        .setRack($0, strong ? Transition(duration: length, curve: .linear) : nil)
      } ?? .direct
    case 11: return .setFNumber(Float.random(in: 1...16, using: &random))
    case 12:
      guard strong else { return .setRange(nil) }
      return .setRange(TimeRange(start: at, end: at + time(10)))
    case 13:
      return script.removedBaseDecisions.randomElement(using: &random).map { .restore($0) }
        ?? .direct
    default:
      var look = Look()
      look.blurScale = Float.random(in: 0...0.2, using: &random)
      return Bool.random(using: &random) ? .setLook(look) : .revert
    }
  }
}

/// A file of one test that goes away with its last reference.
final class JournalFile: Sendable {
  let path = NSTemporaryDirectory() + "/focal-editing-\(UUID().uuidString).journal"
  deinit { try? FileManager.default.removeItem(atPath: path) }

  var bytes: Data { FileManager.default.contents(atPath: path) ?? Data() }

  /// A second descriptor of the opening of it, as a program has it that is just being started; `nil` where it is not open.
  func copyOfDescriptor() -> Int32? {
    var wanted = stat()
    guard stat(path, &wanted) == 0 else { return nil }
    for descriptor in 0..<Int32(4096) {
      var found = stat()
      guard fstat(descriptor, &found) == 0, found.st_ino == wanted.st_ino,
        found.st_dev == wanted.st_dev
      else { continue }
      let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
      return copy >= 0 ? copy : nil
    }
    return nil
  }
  func write(_ bytes: Data) { _ = FileManager.default.createFile(atPath: path, contents: bytes) }
}

/// The generator of Numerical Recipes' simplest 64-bit congruence, shifted: the same on every machine.
struct Seeded: RandomNumberGenerator {
  var state: UInt64
  init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }
  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state &* 0x2545_F491_4F6C_DD1D
  }
}
