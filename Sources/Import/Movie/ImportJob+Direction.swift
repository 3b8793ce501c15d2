// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCore
import FocalMedia
import FocalScript

/// Focus for a clip that comes with nothing but pictures.
extension ImportJob {
  /// Finds people, pets and balls, and lets the director decide. Where nobody is found, or nothing to find them by, that
  /// is said, and focus follows the largest and nearest part of the maps.
  ///
  /// - Parameters:
  ///   - finder: by what they are found.
  ///   - interval: how many pictures further it is asked; `nil` leaves that to its speed.
  /// - Throws: what reading and detecting throw.
  mutating func direct(
    _ finder: DetectorChoice.Finder, every interval: Int?
  ) async throws(CinematicError) {
    let pictures = try await FrameReader.open(video, options: inputOptions)
    let maps = try DisparityMatcher(
      await FrameReader.open(map, options: mapOptions), for: pictures, stretches: stretchesMap)
    let job = DetectionJob(
      input: video, detector: finder.detector, interval: interval, fNumber: fNumber,
      followsMaps: true, events: events)
    let kept = try KeptDetections(
      EstimatedMaps.detections(beside: map),
      key: finder.signature + [interval.map { "\($0)" } ?? "by speed"])
    let found = try await job.run(pictures, maps, kept: kept)
    if finder.detector != nil {
      let recording = try Director().directed(found.recording)
      guard recording.baseDecisions.isEmpty else {
        note(
          "\(recording.detectionTracks.summary), and"
            + " \(counted(recording.baseDecisions.count, "decision")) by the director")
        script = ScriptedFocus(try Script(recording: recording), name: "the director")
        return
      }
      note("nobody was found in \(video): the largest and nearest part is in focus")
    }
    // Without a map that shows more than one disparity, one focus is as good as another.
    script = try found.mapFocus.map { recording throws(CinematicError) in
      ScriptedFocus(try Script(recording: recording), name: "the largest and nearest part")
    }
  }
}

extension [DetectionTrack] {
  /// `2 tracks of 1 subject`.
  var summary: String {
    let groups = Set(compactMap(\.detectionGroupID)).count
    return "\(counted(count, "track")) of \(counted(groups, "subject"))"
  }
}
