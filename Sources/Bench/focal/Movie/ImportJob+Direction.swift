// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCommands
import FocalCore
import FocalMedia
import FocalScript

/// Focus for a clip that comes with nothing but pictures.
extension ImportJob {
  /// Finds people, pets and balls, and lets the director decide. Where nobody is found, or nothing to find them by, that
  /// is said, and the largest and nearest part is in focus.
  ///
  /// - Parameters:
  ///   - finder: by what they are found.
  ///   - interval: how many pictures further it is asked; `nil` leaves that to its speed.
  /// - Throws: what reading and detecting throw.
  mutating func direct(
    _ finder: DetectionOptions.Finder, every interval: Int?
  ) async throws(CinematicError) {
    let pictures = try await FrameReader.open(video, options: inputOptions)
    let maps = try DisparityMatcher(
      await FrameReader.open(map, options: mapOptions), for: pictures, stretches: stretchesMap)
    guard let detector = finder.detector else { return }
    let job = DetectionJob(
      input: video, detector: detector, interval: interval, fNumber: fNumber,
      progress: progress)
    let kept = try KeptDetections(
      EstimatedMaps.detections(beside: map),
      key: finder.signature + [interval.map { "\($0)" } ?? "by speed"])
    let found = try await job.run(pictures, maps, kept: kept)
    let recording = try Director().directed(found.recording)
    guard !recording.baseDecisions.isEmpty else {
      return note("nobody was found in \(video): the largest and nearest part is in focus")
    }
    note(
      "\(recording.detectionTracks.summary), and"
        + " \(counted(recording.baseDecisions.count, "decision")) by the director")
    script = ScriptedFocus(try Script(recording: recording), name: "the director")
  }
}

extension [DetectionTrack] {
  /// `2 tracks of 1 subject`.
  var summary: String {
    let groups = Set(compactMap(\.detectionGroupID)).count
    return "\(counted(count, "track")) of \(counted(groups, "subject"))"
  }
}
