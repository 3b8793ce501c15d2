// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Every track of sound of an asset.
public struct AssetSound: Sendable {
  /// A track, and what is said of it.
  struct Track: Sendable {
    var source: SoundSource
    /// Three letters of ISO 639-2; `nil` if unknown.
    var languageCode: String?
    var labels = TrackLabels()
    var choice = TrackChoice()
  }

  let tracks: [Track]
  /// Where the asset's pictures and sound start on the tracks' timelines.
  let timelineStart: Time
  /// Why tracks beside these are left out: phones record a second track in a coding of their own beside
  /// one that every player plays.
  public let leftOut: [CinematicError]

  /// - Returns: `nil` for an asset without sound.
  /// - Throws: `unsupported` where all sound can be neither copied nor decoded, and what loading the
  ///   tracks throws.
  public init?(_ asset: Asset) async throws(CinematicError) {
    var tracks: [Track] = []
    var leftOut: [CinematicError] = []
    for track in try await asset.loadTracks(withMediaType: .audio) {
      do throws(CinematicError) {
        tracks.append(
          Track(
            source: try await SoundSource(track), languageCode: try await track.load(.languageCode),
            labels: try await track.labels(), choice: try await track.choice()))
      } catch {
        guard error.code == .unsupported else { throw error }
        leftOut.append(error)
      }
    }
    guard !tracks.isEmpty else {
      if let error = leftOut.first { throw error }
      return nil
    }
    self.tracks = tracks
    self.leftOut = leftOut
    timelineStart = try await asset.container().timelineStart()
  }
}
