// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCore
import FocalScript

/// What was found and decided while a movie was recorded: its focus script in the making. Times count from the movie's
/// start.
struct RecordingLog: Sendable {
  private struct Track: Sendable {
    var type: DetectionType
    var group: DetectionGroupID?
    var detections: [Detection] = []
  }

  private let start: Time
  private var frames: [Time] = []
  private var end = Time.zero
  private var tracks: [DetectionID: Track] = [:]
  private var fixed: [DetectionID: Float] = [:]
  private var made: [FocusPuller.Made] = []

  /// - Parameter start: the first frame's time on the session's clock.
  init(start: Time) { self.start = start }

  var frameCount: Int { frames.count }
  var duration: Time { end }

  mutating func add(_ frame: AnalyzedFrame) {
    let time = frame.picture.time - start
    for made in frames.isEmpty ? frame.standing : frame.made {
      self.made.append(made)
      if let disparity = made.disparity, let id = made.decision.detectionID { fixed[id] = disparity }
    }
    frames.append(time)
    end = time + frame.picture.duration
    for detection in frame.recorded {
      guard let id = detection.detectionID else { continue }
      var detection = detection
      detection.time = time
      tracks[
        id, default: Track(type: detection.detectionType, group: detection.detectionGroupID)
      ].detections.append(detection)
    }
  }

  /// - Throws: `unsupported` for more frames than a script can have.
  func recording(fNumber: Float, look: Look) throws(CinematicError) -> Recording {
    var made: [DetectionTrack] = []
    for (id, track) in tracks where fixed[id] == nil {
      made.append(
        try RecordedDetectionTrack(
          detectionID: id, detectionGroupID: track.group, detectionType: track.type,
          detections: track.detections))
    }
    for (id, disparity) in fixed {
      made.append(try FixedDetectionTrack.recorded(focusDisparity: disparity, detectionID: id))
    }
    let last = frames.last ?? .zero
    var decisions: [Decision] = []
    var transitions: [Decision: Transition] = [:]
    for made in self.made {
      // Focus that is still on its way when the movie ends arrives with it.
      let begin = min(max(made.start - start, .zero), last)
      let decision = made.decision.moved(to: min(max(made.decision.time - start, .zero), last))
      decisions.append(decision)
      transitions[decision] = Transition(duration: decision.time - begin)
    }
    return try Recording(
      timeRange: TimeRange(start: .zero, end: end), frameTimes: FrameTimes(evenlySpacedOr: frames),
      fNumber: fNumber, detectionTracks: made, decisions: decisions, transitions: transitions,
      look: look)
  }
}
