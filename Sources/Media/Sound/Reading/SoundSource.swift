// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

/// Where sound comes from: a track of an asset, wherever its bytes lie.
public struct SoundSource: Sendable {
  let track: TrackSound

  var parameters: SoundParameters { track.parameters }
  /// The path or address, for messages.
  public var name: String { track.name }

  /// The sound of an asset's track.
  ///
  /// A writer reads its packets when they are due, on the thread that hands over the pictures.
  ///
  /// - Throws: `invalidParameter` for a track that is no sound, `unsupported` for a coding that FFmpeg
  ///   does not know or that changes in the middle, and what loading the track throws.
  public init(_ track: AssetTrack) async throws(CinematicError) {
    self.track = try await TrackSound(track)
  }

  /// Where its channels are heard.
  ///
  /// - Throws: `unsupported` where this FFmpeg cannot decode it, `malformed` for a damaged description.
  func layout() throws(CinematicError) -> SoundLayout {
    try parameters.layout(firstPacket: track.firstPacket, name: name)
  }

  /// The uncut stretches of a part of the source.
  ///
  /// - Parameters:
  ///   - start: on the source's timeline.
  ///   - length: `nil` up to the end of the sound.
  ///   - time: where `start` lies in the movie that is written.
  func stretches(from start: Time, length: Time?, at time: Time) -> [SoundStretch] {
    let end = length.map { start + $0 }
    return track.segments.compactMap { segment in
      let from = max(start, segment.timeRange.start)
      let to = end.map { min($0, segment.timeRange.end) } ?? segment.timeRange.end
      guard from < to else { return nil }
      return SoundStretch(
        source: self, segment: segment, sourceTime: from, length: to - from,
        time: time + (from - start))
    }
  }
}

/// A part of a source that is heard without a cut.
struct SoundStretch {
  var source: SoundSource
  /// The uncut segment of the source's track that it is a part of.
  var segment: Timeline.Segment
  /// Where it begins on the source's timeline.
  var sourceTime: Time
  var length: Time
  /// Where it begins in the movie that is written.
  var time: Time

  var end: Time { time + length }

  /// Whether it is all of a segment.
  var isWhole: Bool {
    sourceTime == segment.timeRange.start && length == segment.timeRange.duration
  }

  /// Whether it goes on to where its track ends, by times that its container rounds to milliseconds.
  var reachesRoundedEnd: Bool {
    let track = source.track
    guard track.stored == nil else { return false }
    let shown = sourceTime + length - segment.timeRange.start
    let media = segment.mediaStart + shown.converted(to: track.timescale).value
    return track.index.decodeEnd - media <= Int64(track.timescale) / 500
  }

  /// Reads its packets from some time before its start on.
  func makeReader() -> TrackSoundReader {
    TrackSoundReader(source.track, segment: segment, from: sourceTime)
  }
}

/// A packet of coded sound.
struct SoundPacket {
  var data: [UInt8]
  /// On the source's timeline; before zero where a codec begins with samples that are not heard.
  var time: Time
  var duration: Time
}
