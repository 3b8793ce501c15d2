// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Look-up tables of a recording, made once and shared by every state of its script.
final class RecordingIndex: Sendable {
  let recording: Recording
  /// Parallel to the recording's tracks.
  let timelines: [SubjectTimeline]
  let groups: [DetectionGroupID: SubjectTimeline]
  /// Base decisions that can take effect: in range, on ids that are there, one at a time.
  let baseDecisions: [Decision]
  /// The recording's taps that can take effect.
  let userDecisions: [Decision]
  /// From the smallest to the largest disparity of the recording's tracks, or as the recording says; where they span
  /// nothing, those that the movie's codes can say. `nil` where there is none.
  let spannedDisparities: ClosedRange<Float>?
  /// Largest less smallest disparity: the measure of a rack's length and of the dead zone. Tracks that
  /// are added later do not change it.
  let disparityRange: Double
  /// The first frames of all shots but the first, rising.
  let cutFrames: [Int]

  private let positions: [DetectionID: Int]

  init(_ recording: Recording) {
    self.recording = recording
    // Set only where the tracks span nothing.
    let spanned = recording.codedDisparities ?? recording.recordedDisparities
    spannedDisparities = spanned
    disparityRange = spanned.map { Double($0.upperBound) - Double($0.lowerBound) } ?? 0
    let deadZone = FocusStyle.standard.deadZone * disparityRange
    let cutFrames = recording.frameTimes.cutFrames(recording.cuts)
    self.cutFrames = cutFrames
    timelines = recording.detectionTracks.map { track in
      SubjectTimeline(
        track: track, timeRange: recording.timeRange, frameTimes: recording.frameTimes,
        cutFrames: cutFrames, deadZone: deadZone)
    }
    var positions: [DetectionID: Int] = [:]
    var members: [DetectionGroupID: [SubjectTimeline]] = [:]
    for (position, track) in recording.detectionTracks.enumerated() {
      if let id = track.detectionID { positions[id] = position }
      if let group = track.detectionGroupID {
        members[group, default: []].append(timelines[position])
      }
    }
    self.positions = positions
    groups = members.mapValues { timelines in
      timelines.count == 1
        ? timelines[0]
        : SubjectTimeline(
          group: timelines, frameTimes: recording.frameTimes, cutFrames: cutFrames,
          deadZone: deadZone)
    }
    let groups = self.groups
    func known(_ decision: Decision) -> Bool {
      switch decision.focusDetectionID {
      case .single(let id): positions[id] != nil
      case .group(let id): groups[id] != nil
      }
    }
    baseDecisions = Self.effective(recording.baseDecisions, in: recording.timeRange, where: known)
    userDecisions = Self.effective(recording.userDecisions, in: recording.timeRange, where: known)
  }

  func timeline(for id: DetectionID) -> SubjectTimeline? {
    positions[id].map { timelines[$0] }
  }

  /// A timeline of a track that is not part of the recording.
  func timeline(adding track: DetectionTrack) -> SubjectTimeline {
    SubjectTimeline(
      track: track, timeRange: recording.timeRange, frameTimes: recording.frameTimes,
      cutFrames: cutFrames, deadZone: FocusStyle.standard.deadZone * disparityRange)
  }

  /// The first frame of the shot that a frame lies in.
  func shotStart(ofFrame frame: Int) -> Int {
    let next = cutFrames.partitionPoint { $0 <= frame }
    return next > 0 ? cutFrames[next - 1] : 0
  }

  /// Those of ordered decisions that lie in a range and are known; the last of several at one time.
  static func effective(
    _ decisions: [Decision], in range: TimeRange, where known: (Decision) -> Bool
  ) -> [Decision] {
    var result: [Decision] = []
    for decision in decisions where range.contains(decision.time) && known(decision) {
      if result.last?.time == decision.time { result.removeLast() }
      result.append(decision)
    }
    return result
  }
}
