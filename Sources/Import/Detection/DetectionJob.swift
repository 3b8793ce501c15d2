// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCore
import FocalEyes
import FocalMedia
import FocalScript
import Foundation

/// Finds what focus can be set on in a clip, as the recording of a script without decisions.
package struct DetectionJob: Sendable {
  var input: String
  /// `nil` where nobody is looked for.
  var detector: (any ObjectDetector)?
  /// How many pictures further it is asked; `nil` leaves that to its speed.
  var interval: Int?
  var fNumber: Float
  /// Whether the maps' own subject is followed, too.
  var followsMaps = false
  var events: ImportEvents

  private var note: Notes { events.note }

  /// Without the maps' own subject.
  ///
  /// - Parameter interval: 1 to ``FocalEyes/TrackLinker/mostMissed``, or `nil`.
  package init(
    input: String, detector: (any ObjectDetector)?, interval: Int?, fNumber: Float,
    followsMaps: Bool = false, events: ImportEvents
  ) {
    (self.input, self.detector, self.interval) = (input, detector, interval)
    (self.fNumber, self.followsMaps, self.events) = (fNumber, followsMaps, events)
  }

  /// The result of the job.
  package struct Found: Sendable {
    package var recording: Recording
    /// How many pictures further the detector was asked.
    package var interval: Int
    /// Focus on the largest and nearest part of the maps; `nil` where it was not followed, and where no map has more
    /// than one disparity.
    var mapFocus: Recording?
  }

  /// Size of the pictures that cuts are looked for in.
  private static let cutSide = 64
  /// A detector that takes longer for a picture than this is asked for fewer: a second of film then costs three.
  static let shortTime = 0.1
  /// What is seen in every fifth picture is still the same thing.
  package static let mostInterval = 5
  /// Pictures whose detection is measured, after the first, which also loads and starts things.
  private static let measured = 1...2

  static func interval(seconds: Double) -> Int {
    Int(max(1, min(Double(mostInterval), (seconds / shortTime).rounded(.up))))
  }

  /// The state of the detector, picture by picture.
  private struct Watch {
    var linker = TrackLinker()
    var interval: Int?
    /// When it was asked last, and how often.
    var latest: Int?
    var count = 0
    var seconds = Double.infinity
    /// Of the picture before, for cuts.
    var colors: SceneColors?
  }

  /// - Throws: what reading and detecting throw.
  package func run(
    _ reader: FrameReader, _ maps: DisparityMatcher
  ) async throws(CinematicError) -> Found {
    try await run(reader, maps, kept: nil)
  }

  /// - Parameter kept: what was seen before the work was ended; what is seen is added to it.
  /// - Throws: what reading, detecting and writing throw.
  func run(
    _ reader: FrameReader, _ maps: DisparityMatcher, kept: KeptDetections?
  ) async throws(CinematicError) -> Found {
    var report = events.begin(
      detector == nil ? .focus : .detections, frameCount: reader.frameNumbers.count)
    var watch = Watch(interval: interval)
    var mapFocus = MapFocus()
    var frames: [TimeRange] = []
    var cuts: [Time] = []
    let known = kept?.lines ?? []
    if detector != nil, !known.isEmpty {
      note("going on with the detections of \(counted(known.count, "frame"))")
    }
    for (index, number) in reader.frameNumbers.enumerated() {
      try checkCancellation(of: input)
      let line: KeptDetections.Line
      let place: FramePlace
      if index < known.count {
        line = known[index]
        place = FramePlace(index: number, timeRange: reader.timeRange(ofFrame: number))
        watch.interval = line.every ?? watch.interval
        if line.seen != nil { watch.count += 1 }
      } else {
        // Cuts are told by the picture before.
        if index > 0, watch.colors == nil {
          watch.colors = try colors(of: try await reader.frame(number: number - 1), reader)
        }
        let frame = try await reader.frame(number: number)
        place = frame.place
        line = try await look(at: frame, index, reader, &watch)
        try kept?.add(line)
      }
      let looksAtMap = followsMaps && mapFocus.looksAtNext(isCut: line.isCut)
      let map: PixelBuffer? =
        looksAtMap || line.seen != nil ? try await maps.map(for: place) : nil
      if let seen = line.seen, let map {
        watch.linker.add(
          seen.compactMap(\.object), at: place.time, disparity: map, isCut: line.isCut,
          skipped: index - 1 - (watch.latest ?? index - 1))
        watch.latest = index
      }
      if followsMaps {
        mapFocus.add(at: place.time, isCut: line.isCut, map: looksAtMap ? map : nil)
      }
      frames.append(TimeRange(start: place.time, duration: place.duration))
      if line.isCut { cuts.append(place.time) }
      report.advance()
    }
    report.finish()
    return try found(frames, cuts: cuts, watch, mapFocus)
  }

  /// Asks the detector where its turn has come.
  private func look(
    at frame: MediaFrame, _ index: Int, _ reader: FrameReader, _ watch: inout Watch
  ) async throws(CinematicError) -> KeptDetections.Line {
    let colors = try colors(of: frame, reader)
    let isCut = watch.colors.map(colors.beginScene) ?? false
    watch.colors = colors
    guard let detector else {
      return KeptDetections.Line(frame: index, isCut: isCut, every: nil, seen: nil)
    }
    let isDue = watch.latest.map { index - $0 >= watch.interval ?? 1 } ?? true
    var seen: [KeptDetections.Seen]?
    if isCut || isDue {
      let begin = ContinuousClock.now
      seen = try await detector.detect(
        frame.pixelBuffer, turn: reader.properties.preferredTransform
      ).map { KeptDetections.Seen($0) }
      let seconds = (ContinuousClock.now - begin) / .seconds(1)
      if Self.measured.contains(watch.count) { watch.seconds = min(watch.seconds, seconds) }
      watch.count += 1
      if watch.interval == nil, watch.count > Self.measured.upperBound {
        let interval = Self.interval(seconds: watch.seconds)
        watch.interval = interval
        if interval > 1 {
          let seconds = String(format: "%.2f", watch.seconds)
          note(
            worded: """
              a picture takes the detectors \(seconds) s: they see every \(interval) pictures, all of \
              them with \(parameter: .detectionInterval, to: "1")
              """)
        }
      }
    }
    return KeptDetections.Line(frame: index, isCut: isCut, every: watch.interval, seen: seen)
  }

  private func colors(
    of frame: MediaFrame, _ reader: FrameReader
  ) throws(CinematicError) -> SceneColors {
    let turn = reader.properties.preferredTransform
    let size = turn.applied(to: reader.properties.dimensions).fitting(longerSide: Self.cutSide)
    return SceneColors(try EyePicture(frame.pixelBuffer, turn: turn, dimensions: size))
  }

  private func found(
    _ frames: [TimeRange], cuts: [Time], _ watch: Watch, _ mapFocus: MapFocus
  ) throws(CinematicError) -> Found {
    let (start, end) = (frames.first?.start ?? .zero, frames.last?.end ?? .zero)
    let recording = try Recording(
      timeRange: TimeRange(start: start, end: end),
      frameTimes: FrameTimes(evenlySpacedOr: frames.map(\.start)), fNumber: fNumber,
      detectionTracks: try watch.linker.tracks(), decisions: [], cuts: cuts)
    var result = Found(recording: recording, interval: watch.interval ?? 1)
    if followsMaps, let (detections, range) = mapFocus.finish() {
      result.mapFocus = try .following(
        CustomDetectionTrack(detections: detections, smooth: false), fNumber: fNumber,
        frames: frames, disparityRange: range, cuts: cuts)
    }
    return result
  }
}
