// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia

extension Sound {
  /// The sound of a composition: which part of which source is heard when, a track for each of its own.
  ///
  /// - Parameter isWhole: whether a single movie is played from its start to its end, so that sound
  ///   that goes on after the last picture belongs to it.
  /// - Returns: `nil` where nothing is heard.
  /// - Throws: `unsupported` for sound that can be neither copied nor decoded, and what loading the
  ///   sources throws.
  init?(_ composition: Composition, isWhole: Bool) async throws(CinematicError) {
    var tracks: [SoundTrack] = []
    for track in composition.tracks where track.mediaType == .audio {
      var sources: [ObjectIdentifier: SoundSource] = [:]
      var result = SoundTrack()
      for segment in track.segments {
        guard let source = segment.sourceTrack else { continue }
        let key = ObjectIdentifier(source)
        let sound: SoundSource
        if let known = sources[key] {
          sound = known
        } else {
          sound = try await SoundSource(source)
          sources[key] = sound
        }
        var range = segment.sourceTimeRange
        if isWhole {
          let end = try await source.load(.timeRange).end
          range = TimeRange(start: range.start, end: max(range.end, end))
        }
        if result.segments.isEmpty {
          result.languageCode = try await source.load(.languageCode)
        }
        result.segments.append(
          SoundSegment(source: sound, sourceTimeRange: range, time: segment.timeRange.start))
      }
      if !result.segments.isEmpty { tracks.append(result) }
    }
    guard !tracks.isEmpty else { return nil }
    self = .tracks(tracks)
  }
}
