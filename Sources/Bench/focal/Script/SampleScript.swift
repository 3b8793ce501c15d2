// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalSample
import FocalScript

/// A sample clip's true detections, and the focus that tells its scene, as a script.
enum SampleScript {
  /// - Parameters:
  ///   - times: the frames', evenly spaced.
  ///   - aspect: the picture's width over its height.
  static func recording(
    of scene: SampleScene, times: [Time], aspect: Double, fNumber: Float
  ) throws(CinematicError) -> Recording {
    var detections: [Int: [Detection]] = [:]
    var groups: [Int: Int] = [:]
    for time in times {
      for subject in scene.subjects(at: time, aspect: aspect) {
        groups[subject.id] = subject.groupID
        detections[subject.id, default: []].append(
          Detection(
            time: time, detectionType: type(of: subject.kind), normalizedRect: subject.rect,
            focusDisparity: Float(subject.focusDisparity)))
      }
    }
    var tracks: [DetectionTrack] = []
    for (id, list) in detections.sorted(by: { $0.key < $1.key }) {
      guard let first = list.first else { continue }
      tracks.append(
        try RecordedDetectionTrack(
          detectionID: DetectionID(Int64(id)),
          detectionGroupID: groups[id].map { DetectionGroupID(Int64($0)) },
          detectionType: first.detectionType, detections: list))
    }
    let start = times.first ?? .zero
    let step = times.count > 1 ? times[1] - times[0] : Time(value: 1, timescale: 30)
    let range = TimeRange(start: start, duration: step * times.count)
    let decisions = scene.focusScript.filter { range.contains($0.time) }.map { cue in
      Decision(
        time: cue.time, detectionGroupID: DetectionGroupID(Int64(cue.groupID)), strong: false)
    }
    let transitions = scene.focusScript.map { cue in
      (
        Decision(
          time: cue.time, detectionGroupID: DetectionGroupID(Int64(cue.groupID)), strong: false),
        Transition(duration: cue.transition)
      )
    }.filter { $0.1.duration > .zero && range.contains($0.0.time) }
    return try Recording(
      timeRange: range, frameTimes: FrameTimes(range: range, frameDuration: step),
      fNumber: fNumber, detectionTracks: tracks, decisions: decisions,
      transitions: Dictionary(uniqueKeysWithValues: transitions))
  }

  private static func type(of kind: SampleSubject.Kind) -> DetectionType {
    switch kind {
    case .humanFace: .humanFace
    case .humanHead: .humanHead
    case .humanTorso: .humanTorso
    case .catHead: .catHead
    case .catBody: .catBody
    case .ball: .sportsBall
    }
  }
}
