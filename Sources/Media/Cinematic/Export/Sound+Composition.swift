// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia

extension Sound {
  /// The sound of a composition: which part of which source is heard when, a track for each of its own.
  ///
  /// A track that cannot be read is left out if another is heard (``FocalMedia/AssetSound/leftOut``).
  ///
  /// - Parameter isWhole: whether a single movie is played from its start to its end, so that sound
  ///   that goes on after the last picture belongs to it.
  /// - Returns: `nil` where nothing is heard.
  /// - Throws: `unsupported` where all sound can be neither copied nor decoded, and what loading the
  ///   sources throws.
  init?(_ composition: Composition, isWhole: Bool) async throws(CinematicError) {
    var tracks: [SoundTrack] = []
    var leftOut: [CinematicError] = []
    for track in composition.tracks where track.mediaType == .audio {
      do throws(CinematicError) {
        let result = try await SoundTrack(track, isWhole: isWhole)
        if !result.segments.isEmpty { tracks.append(result) }
      } catch {
        guard error.code == .unsupported else { throw error }
        leftOut.append(error)
      }
    }
    guard !tracks.isEmpty else {
      if let error = leftOut.first { throw error }
      return nil
    }
    self = .tracks(tracks, leftOut: leftOut)
  }
}

extension SoundTrack {
  fileprivate init(_ track: CompositionTrack, isWhole: Bool) async throws(CinematicError) {
    var sources: [ObjectIdentifier: SoundSource] = [:]
    self.init()
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
      if segments.isEmpty {
        languageCode = try await source.load(.languageCode)
        labels = try await source.labels()
        choice = try await source.choice()
      }
      segments.append(
        SoundSegment(source: sound, sourceTimeRange: range, time: segment.timeRange.start))
    }
  }
}
