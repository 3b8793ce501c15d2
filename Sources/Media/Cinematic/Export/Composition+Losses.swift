// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import FocalMedia

extension Composition {
  /// Whether pictures of high dynamic range are among those that are shown with colours of `tags`, which
  /// hold standard range only.
  func needsToneMapping(to tags: ColorTags) async throws(CinematicError) -> Bool {
    guard tags.transfer.isStandardRange else { return false }
    for track in tracks where track.mediaType == .video {
      var seen: Set<ObjectIdentifier> = []
      for case let source? in track.segments.map(\.sourceTrack)
      where seen.insert(ObjectIdentifier(source)).inserted {
        if try await source.hasHighDynamicRange { return true }
      }
    }
    return false
  }
}

extension AssetTrack {
  /// By what the track says; only where it says nothing is a picture decoded.
  fileprivate var hasHighDynamicRange: Bool {
    get async throws(CinematicError) {
      // ITU-T H.273: 16 is PQ, 18 HLG, 2 is unspecified.
      let entries: [SampleEntry] = try await load(.formatDescriptions)
      if let transfer = entries.first?.color?.transfer, transfer != 2 {
        return transfer == 16 || transfer == 18
      }
      let transfer = try await load(.videoFormat).tags.transfer
      return transfer == .hlg || transfer == .pq
    }
  }
}

/// The part of a movie's chroma, depth and alpha that an output does not hold.
public struct CodingLoss: Hashable, Sendable {
  /// The name of the movie, or of another part of a film.
  public let movie: String
  /// In words.
  public let loss: String

  public init(movie: String, loss: String) { (self.movie, self.loss) = (movie, loss) }
}

extension Composition {
  /// The losses of the movies in a track behind its first, each movie once.
  func codingLosses(
    in pixels: OutputPixels, behindFirstOf trackID: UInt32?
  ) async throws(CinematicError) -> [CodingLoss] {
    guard let track = tracks.first(where: { $0.trackID == trackID }) else { return [] }
    var losses: [CodingLoss] = []
    var seen: Set<ObjectIdentifier> = []
    for case let source? in track.segments.map(\.sourceTrack)
    where seen.insert(ObjectIdentifier(source)).inserted && seen.count > 1 {
      let coded = try await source.load(.videoFormat).codedPixels
      if let loss = pixels.loss(of: coded) {
        losses.append(CodingLoss(movie: source.assetName, loss: loss))
      }
    }
    return losses
  }
}
