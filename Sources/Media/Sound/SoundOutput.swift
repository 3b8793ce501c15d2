// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore

/// The sound of a movie that is being written: decides for each track whether it is copied or
/// encoded, and hands the packets to the container when they are due.
final class SoundOutput {
  /// The longest gap between stretches that a track keeps as one between its packets; a longer one is
  /// filled with silence, which few players make by themselves.
  private static let longestGap = Time(value: 1, timescale: 10)

  private struct Track {
    var lane: any SoundLane
    var stream: Int32
  }

  private let container: ContainerOutput
  private let path: String
  private var tracks: [Track] = []
  /// Whether the sound ends with the pictures.
  private let endsWithPictures: Bool

  /// Adds the tracks to a container.
  ///
  /// - Throws: `invalidParameter` for segments that do not follow each other, `unsupported` for sound
  ///   that can be neither copied nor encoded, and the errors of files that cannot be read.
  init(
    _ sound: Sound, container: ContainerOutput, timelineStart: Time, path: String
  ) throws(CinematicError) {
    self.container = container
    self.path = path
    switch sound {
    case .file(let file, let extent):
      endsWithPictures = extent == .whilePictures
      for track in try FileSound.tracks(of: file) {
        let stretches = SoundSource(track).stretches(from: timelineStart, length: nil, at: .zero)
        try add(stretches, languageCode: track.languageCode)
      }
    case .tracks(let list):
      endsWithPictures = false
      for track in list {
        try track.check(path)
        let stretches = track.segments.flatMap { segment in
          segment.source.stretches(
            from: segment.sourceTimeRange.start, length: segment.sourceTimeRange.duration,
            at: segment.time)
        }
        try add(stretches, languageCode: track.languageCode)
      }
    }
  }

  private func add(_ stretches: [SoundStretch], languageCode: String?) throws(CinematicError) {
    guard !stretches.isEmpty else { return }
    let lane: any SoundLane =
      canCopy(stretches) ? SoundCopier(stretches) : try SoundEncoder(stretches, path: path)
    let stream = try container.addSound(lane.parameters, languageCode: languageCode)
    tracks.append(Track(lane: lane, stream: stream))
  }

  /// Whether the container holds the coding, and one description fits all packets.
  private func canCopy(_ stretches: [SoundStretch]) -> Bool {
    let first = stretches[0].source.parameters
    guard container.holds(first.codec) else { return false }
    var end = stretches[0].time
    for stretch in stretches {
      guard stretch.source.parameters.isSameCoding(as: first) else { return false }
      let isPlain = first.bytesPerFrame > 0
      let isFirst = end == stretches[0].time
      if !isPlain, !isFirst, stretch.time - end > Self.longestGap { return false }
      end = stretch.end ?? stretch.time
    }
    return true
  }

  /// Writes what is heard before a time of the movie.
  func write(until limit: Time) throws(CinematicError) {
    for track in tracks {
      try track.lane.write(until: limit) { data, ticks, duration throws(CinematicError) in
        try container.writeSound(data, ticks: ticks, duration: duration, stream: track.stream)
      }
    }
  }

  /// Writes the rest.
  ///
  /// - Parameter end: where the last picture ends.
  func finish(picturesEnd end: Time) throws(CinematicError) {
    for track in tracks {
      try track.lane.finish(at: endsWithPictures ? end : nil) {
        data, ticks, duration throws(CinematicError) in
        try container.writeSound(data, ticks: ticks, duration: duration, stream: track.stream)
      }
    }
  }
}
