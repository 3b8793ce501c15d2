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
