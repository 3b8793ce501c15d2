// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCore
import FocalScript

/// The detections and decisions of a movie that is being recorded: its focus script in the making.
struct RecordingLog: Sendable {
  private struct Track: Sendable {
    var type: DetectionType
    var group: DetectionGroupID?
    var detections: [Detection] = []
  }

  private var frames: [Time] = []
  private var end = Time.zero
  private var tracks: [DetectionID: Track] = [:]
  private var fixed: [DetectionID: Float] = [:]
  private var choices: [RecordingEntry.Choice] = []
  private var cuts: [Time] = []

  /// How long a frame lasts that says nothing of it, and has none before it.
  private static let usualDuration = Time(value: 1, timescale: 30)

  var frameCount: Int { frames.count }
  var duration: Time { end }

  /// How long so many frames last, from the first one on.
  func duration(ofFirst count: Int) -> Time { count < frames.count ? frames[count] : end }

  mutating func add(_ entry: RecordingEntry) {
    let time = entry.time.time
    for choice in entry.choices {
      choices.append(choice)
      if let disparity = choice.disparity { fixed[DetectionID(choice.id)] = disparity }
    }
    // Frames lie before the end. One that says no duration lasts as long as the one before it.
    let step = frames.last.map { time - $0 } ?? .zero
    let usual = step > .zero ? step : Self.usualDuration
    let duration = entry.duration.time
    frames.append(time)
    if entry.isCut == true { cuts.append(time) }
    end = time + (duration > .zero ? duration : usual)
    for found in entry.found {
      let detection = found.detection(at: time)
      tracks[
        DetectionID(found.id),
        default: Track(
          type: detection.detectionType, group: found.group.map { DetectionGroupID($0) })
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
    for way in RecordedWay.settled(choices) {
      // Focus that is still on its way when the movie ends arrives with it.
      let begin = min(way.start, last)
      let choice = way.choice
      let decision = Decision(
        time: min(way.arrival, last),
        focus: choice.isGroup
          ? .group(DetectionGroupID(choice.id)) : .single(DetectionID(choice.id)),
        strong: choice.isStrong, user: choice.isUser)
      decisions.append(decision)
      transitions[decision] = Transition(duration: decision.time - begin)
    }
    return try Recording(
      timeRange: TimeRange(start: .zero, end: end), frameTimes: FrameTimes(evenlySpacedOr: frames),
      fNumber: fNumber, detectionTracks: made, decisions: decisions, transitions: transitions,
      cuts: cuts, look: look)
  }
}
