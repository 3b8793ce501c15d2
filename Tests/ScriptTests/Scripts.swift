// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalSample

@testable import FocalScript

/// Scripts for the tests, made of frames of 20/600 s.
enum Scripts {
  static let timescale: Int32 = 600
  static func time(_ ticks: Int) -> Time { Time(value: Int64(ticks), timescale: timescale) }
  static func frameTime(_ frame: Int) -> Time { time(frame * 20) }

  static func detection(
    _ time: Time, _ type: DetectionType = .humanFace, x: Double = 0.2, disparity: Float
  ) -> Detection {
    Detection(
      time: time, detectionType: type,
      normalizedRect: NormalizedRect(x: x, y: 0.2, width: 0.2, height: 0.3),
      focusDisparity: disparity)
  }

  /// A track over frames.
  static func track(
    _ id: Int64, group: Int64? = nil, type: DetectionType = .humanFace, frames: some Sequence<Int>,
    disparity: (Int) -> Float
  ) throws -> RecordedDetectionTrack {
    try RecordedDetectionTrack(
      detectionID: DetectionID(id), detectionGroupID: group.map { DetectionGroupID($0) },
      detectionType: type,
      detections: frames.map { detection(frameTime($0), type, disparity: disparity($0)) })
  }

  static func recording(
    frames: Int, tracks: [DetectionTrack], decisions: [Decision]
  ) throws -> Recording {
    let range = TimeRange(start: .zero, duration: frameTime(frames))
    return try Recording(
      timeRange: range, frameTimes: FrameTimes(range: range, frameDuration: frameTime(1)),
      fNumber: 2.8, detectionTracks: tracks, decisions: decisions)
  }

  static func base(_ frame: Int, _ id: Int64) -> Decision {
    Decision(time: frameTime(frame), detectionID: DetectionID(id), strong: false)
  }

  static func user(_ frame: Int, _ id: Int64, strong: Bool) -> Decision {
    Decision(time: frameTime(frame), detectionID: DetectionID(id), strong: strong)
  }

  /// The example of the talk: three actors, eight frames (here 0 to 7).
  static func talk() throws -> Script {
    try Script(
      recording: recording(
        frames: 8,
        tracks: [
          track(1, frames: 0..<8) { _ in 0.2 }, track(2, frames: 0..<8) { _ in 0.5 },
          track(3, frames: 2..<6) { _ in 0.9 },
        ], decisions: [base(0, 1), base(4, 2)]))
  }

  /// The ids of the decisions in force, frame by frame; 0 for none, negative for groups.
  static func inForce(_ script: Script) -> [Int64] {
    script.recording.frameTimes.map { time in
      let decision = script.primaryDecision(at: time)
      return decision?.detectionID?.rawValue ?? -(decision?.detectionGroupID?.rawValue ?? 0)
    }
  }

  static func focus(_ script: Script) -> [Float] {
    script.frames(in: script.timeRange).map(\.focusDisparity)
  }
}
