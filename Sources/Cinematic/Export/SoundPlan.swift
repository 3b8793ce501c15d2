// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import FocalMedia

/// The sound of a composition: for each of its sound tracks, which part of which source is heard when.
struct SoundPlan: Sendable {
  struct Segment: Sendable {
    var source: AssetTrack
    /// On the source's timeline.
    var sourceTimeRange: TimeRange
    /// When it begins, on the composition's timeline.
    var time: Time
  }

  /// Only tracks in which something is heard.
  let tracks: [[Segment]]
  /// Where the composition ends.
  private let end: Time

  init(_ composition: Composition) {
    end = composition.duration
    tracks = composition.tracks.filter { $0.mediaType == .audio }.map { track in
      track.segments.compactMap { segment in
        segment.sourceTrack.map {
          Segment(
            source: $0, sourceTimeRange: segment.sourceTimeRange, time: segment.timeRange.start)
        }
      }
    }.filter { !$0.isEmpty }
  }

  /// Asks a writer for the sound.
  ///
  /// This is the one place where a composition's sound meets ``WriterSettings``: a writer copies the
  /// sound of one local movie in one piece.
  ///
  /// - Parameter isWhole: whether the movie is played from its start to its end, so that sound that
  ///   goes on after the last picture belongs to it.
  /// - Returns: what has to be added to the frames' times.
  /// - Throws: `unsupported` for the sound of several movies or of none that lies in a file.
  func apply(to settings: inout WriterSettings, isWhole: Bool) throws(CinematicError) -> Time {
    guard let first = tracks.first?.first else { return .zero }
    let shift = first.sourceTimeRange.start - first.time
    let path = (first.source.sampleSource as? FileByteSource)?.path
    let isOnePiece = tracks.allSatisfy { segments in
      segments.count == 1
        && (segments[0].source.sampleSource as? FileByteSource)?.path == path
        && segments[0].sourceTimeRange.start - segments[0].time == shift
        // Copying goes on to the last picture.
        && (isWhole || segments[0].time + segments[0].sourceTimeRange.duration == end)
    }
    guard let path, isOnePiece, shift >= .zero else {
      throw CinematicError(
        .unsupported, "the sound of several movies, or of one on a server, cannot be copied",
        remedy: "leave the sound out")
    }
    let startTime = try FrameReader.open(path).properties.startTime
    settings.audio = WriterSettings.Audio(path: path, extent: isWhole ? .whole : .whilePictures)
    settings.timelineStart = shift - startTime
    return settings.timelineStart
  }
}
