// SPDX-License-Identifier: Apache-2.0

import FocalCommands
import FocalCore
import FocalEyes
import FocalMedia
import FocalScript

/// Finds what focus can be set on in a clip, as the recording of a script without decisions.
struct DetectionJob: Sendable {
  var input: String
  var detector: any ObjectDetector
  var fNumber: Float
  var progress: Progress.Style

  /// Size of the pictures that cuts are looked for in.
  private static let cutSide = 64

  /// - Throws: what reading and detecting throw.
  func run(
    _ reader: FrameReader, _ maps: DisparityMatcher
  ) async throws(CinematicError) -> Recording {
    let turn = reader.properties.preferredTransform
    let size = turn.applied(to: reader.properties.dimensions).fitting(longerSide: Self.cutSide)
    var report = Progress(
      total: reader.frameNumbers.count, start: ContinuousClock.now, progress,
      stage: "detections")
    var linker = TrackLinker()
    var times: [Time] = []
    var end = Time.zero
    var before: [UInt8]?
    for number in reader.frameNumbers {
      let frame = try await reader.frame(number: number)
      let luma = try EyePicture(frame.pixelBuffer, turn: turn, dimensions: size).luma
      let isCut = before.map { SceneCut.lies(between: $0, luma, size) } ?? false
      before = luma
      let found = try await detector.detect(frame.pixelBuffer, turn: turn)
      linker.add(
        found, at: frame.time, disparity: try await maps.map(for: frame.place), isCut: isCut)
      times.append(frame.time)
      end = frame.time + frame.duration
      report.advance()
    }
    report.finish()
    return try Recording(
      timeRange: TimeRange(start: times.first ?? .zero, end: end),
      frameTimes: FrameTimes(evenlySpacedOr: times), fNumber: fNumber,
      detectionTracks: try linker.tracks(), decisions: [])
  }
}
