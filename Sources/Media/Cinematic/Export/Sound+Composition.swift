// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia

extension Sound {
  /// The sound of a composition: which part of which source is heard when, a track for each of its own.
  ///
  /// A track that cannot be read is left out if another is heard (``FocalMedia/AssetSound/leftOut``).
  ///
  /// - Parameter tail: how much of sound that goes on after the last picture belongs to it; `nil` for all.
  /// - Returns: `nil` where nothing is heard.
  /// - Throws: `unsupported` where all sound can be neither copied nor decoded, and what loading the
  ///   sources throws.
  init?(_ composition: Composition, tail: Time?) async throws(CinematicError) {
    var tracks: [SoundTrack] = []
    var leftOut: [CinematicError] = []
    let end = composition.tracks.map(\.timeRange.end).max() ?? .zero
    for track in composition.tracks where track.mediaType == .audio {
      do throws(CinematicError) {
        let result = try await SoundTrack(track, end: end, tail: tail)
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
    self = .tracks(Self.played(tracks), leftOut: leftOut)
  }

  /// Tracks as players are to choose among them: sound that is heard while its alternatives are silent, as that of a movie
  /// in another language, is played beside these. Players would choose the silence otherwise.
  private static func played(_ tracks: [SoundTrack]) -> [SoundTrack] {
    var tracks = tracks
    for number in tracks.indices where tracks[number].choice.isEnabled {
      let group = tracks[number].choice.alternateGroup
      let others = tracks[..<number].filter {
        $0.choice.isEnabled && $0.choice.alternateGroup == group
      }
      if !others.isEmpty, !others.contains(where: { $0.isHeard(with: tracks[number]) }) {
        tracks[number].choice.alternateGroup = 0
      }
    }
    return tracks
  }
}

extension Composition {
  /// The movies whose sound goes on when the next one's pictures begin, in the order in which they are heard; of
  /// each, what is behind its pictures is cut.
  var moviesWithCutSound: [String] {
    get async throws(CinematicError) {
      // Up to so much is what fills up a codec's last packet.
      let slack = Time(value: 1, timescale: 20)
      var names: [String] = []
      for track in tracks where track.mediaType == .audio {
        for segment in track.segments where segment.timeRange.end < track.timeRange.end {
          guard let source = segment.sourceTrack else { continue }
          let end = try await source.load(.timeRange).end
          if end - segment.sourceTimeRange.end > slack, !names.contains(source.assetName) {
            names.append(source.assetName)
          }
        }
      }
      return names
    }
  }
}

extension SoundTrack {
  /// - Parameters:
  ///   - end: of the composition.
  ///   - tail: how long a source goes on there; `nil` for up to its own end.
  fileprivate init(
    _ track: CompositionTrack, end: Time, tail: Time?
  ) async throws(CinematicError) {
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
      // Sums of times in several timescales may be rounded.
      if end - segment.timeRange.end < Time(value: 1, timescale: 1000) {
        var last = try await source.load(.timeRange).end
        if let tail { last = min(last, range.end + tail) }
        range = TimeRange(start: range.start, end: max(range.end, last))
      }
      // The first source names the track, but for a language that it does not say. Sound that any of them plays unasked is
      // played, unless the track says it.
      if languageCode == nil || languageCode == "und" {
        languageCode = try await source.load(.languageCode)
      }
      if segments.isEmpty {
        labels = try await source.labels()
        choice = try await source.choice()
        choice.isEnabled = track.isPlayed ?? choice.isEnabled
      } else if track.isPlayed == nil, !choice.isEnabled {
        choice.isEnabled = try await source.choice().isEnabled
      }
      segments.append(
        SoundSegment(source: sound, sourceTimeRange: range, time: segment.timeRange.start))
    }
  }

  /// Whether some moment has sound of both.
  fileprivate func isHeard(with other: SoundTrack) -> Bool {
    segments.contains { segment in
      other.segments.contains { !$0.timeRange.intersection(segment.timeRange).isEmpty }
    }
  }
}
