// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCommands
import FocalCore
import FocalMedia
import FocalScript

/// Focus for a clip that comes with nothing but pictures.
extension ImportJob {
  /// Finds faces, and lets the director decide. Where nobody is found, or nothing to find them by, that is said, and the
  /// largest and nearest part is in focus.
  ///
  /// - Throws: what reading and detecting throw.
  mutating func direct() async throws(CinematicError) {
    let job: DetectionJob
    do throws(CinematicError) {
      job = DetectionJob(
        input: video, detector: try DetectionJob.detector(nil), fNumber: fNumber,
        progress: progress)
    } catch {
      guard error.code == .incomplete else { throw error }
      return note("no faces are looked for: \(error)")
    }
    let pictures = try await FrameReader.open(video, options: inputOptions)
    let maps = try DisparityMatcher(
      await FrameReader.open(map, options: mapOptions), for: pictures, stretches: stretchesMap)
    let recording = try Director().directed(try await job.run(pictures, maps))
    guard !recording.baseDecisions.isEmpty else { return note("no face was found in \(video)") }
    note(
      "\(counted(recording.detectionTracks.count, "face")), and"
        + " \(counted(recording.baseDecisions.count, "decision")) by the director")
    script = ScriptedFocus(try Script(recording: recording), name: "the director")
  }
}
