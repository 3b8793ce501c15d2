// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// The sound of a movie that is written: that of an asset as it is, or put together from several.
///
/// Sound is copied packet by packet where a track's segments are coded alike and the container holds
/// the coding; otherwise it is decoded, resampled and compressed: as AAC, in WebM as Opus, or as ALAC where the movie is
/// QuickTime's and every segment is decoded without loss; it has 24 bits where rates or channels differ.
public enum Sound: Sendable {
  /// How much of an asset's sound.
  public enum Extent: Hashable, Sendable {
    /// From the timeline's start to the end of the sound.
    case whole
    /// Only while there are pictures: for a selection of frames.
    case whilePictures
  }

  /// The sound of an asset whose pictures are written: a track for each of its own, moved by
  /// ``WriterSettings/timelineStart`` like the pictures.
  case asset(AssetSound, extent: Extent = .whole)
  /// Tracks put together from segments.
  ///
  /// - Parameter leftOut: why others are not among them.
  case tracks([SoundTrack], leftOut: [CinematicError] = [])
  /// One track of sound that is appended as it comes (``MovieWriter/append(sound:)``), as AAC.
  case live(SoundFormat)

  /// Why tracks of the source are not heard although others are.
  public var leftOut: [CinematicError] {
    switch self {
    case .asset(let sound, _): sound.leftOut
    case .tracks(_, let leftOut): leftOut
    case .live: []
    }
  }
}

/// A track of sound that is written: segments in the order of their times, silence between them.
public struct SoundTrack: Sendable {
  public var segments: [SoundSegment]
  /// Three letters of ISO 639-2; `nil` if unknown.
  public var languageCode: String?
  /// Its name for people, and what it is there for.
  package var labels = TrackLabels()
  package var choice = TrackChoice()

  public init(segments: [SoundSegment] = [], languageCode: String? = nil) {
    self.segments = segments
    self.languageCode = languageCode
  }

  /// - Throws: `invalidParameter` for segments that overlap, come before zero or last no time.
  func check(_ path: String) throws(CinematicError) {
    var end = Time.zero
    for segment in segments {
      guard segment.sourceTimeRange.duration > .zero else {
        throw CinematicError(
          .invalidParameter,
          "a segment of the sound of \(path) at \(segment.time.secondsText) s lasts no time",
          remedy: "leave it out")
      }
      guard segment.time >= end else {
        throw CinematicError(
          .invalidParameter,
          "a segment of the sound of \(path) at \(segment.time.secondsText) s begins before"
            + " \(end.secondsText) s, where the one before it ends",
          remedy: "put the segments of a track one after another, from zero on")
      }
      end = segment.timeRange.end
    }
  }
}

/// A stretch of a source's sound, and when it is heard.
public struct SoundSegment: Sendable {
  public var source: SoundSource
  /// Which part of the source, on its movie's timeline. Where the source has no sound, there is
  /// silence.
  public var sourceTimeRange: TimeRange
  /// When the part begins in the movie that is written.
  public var time: Time

  public init(source: SoundSource, sourceTimeRange: TimeRange, time: Time) {
    self.source = source
    self.sourceTimeRange = sourceTimeRange
    self.time = time
  }

  /// When it is heard in the movie that is written.
  public var timeRange: TimeRange { TimeRange(start: time, duration: sourceTimeRange.duration) }
}
