// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia

extension AssetTrack {
  /// The size of a film that begins with this track's pictures, as they are shown.
  ///
  /// The film has their pixels. Pictures are scaled by one factor, both ways: those whose pixels have another shape would be
  /// shown squeezed.
  ///
  /// - Parameter segments: those of the film's pictures.
  /// - Throws: `incompatible` for a movie whose pixels have another shape, and what decoding the movies' first pictures
  ///   throws.
  func filmSize(of segments: [CompositionSegment]) async throws(CinematicError) -> Dimensions {
    let film = try await load(.videoFormat)
    var seen: Set<ObjectIdentifier> = []
    for case let source? in segments.map(\.sourceTrack)
    where seen.insert(ObjectIdentifier(source)).inserted {
      let format = try await source.load(.videoFormat)
      let (own, other) = (film.shownPixelAspectRatio, format.shownPixelAspectRatio)
      let stretch = other.widthToHeight / own.widthToHeight
      // A pixel on either side is rounding's.
      guard abs(stretch - 1) * Double(film.shownDimensions.width) > 2 else { continue }
      throw CinematicError(
        .incompatible,
        "\(source.assetName) has pixels of \(other.text), and \(assetName) of \(own.text):"
          + " they cannot be joined to one film",
        remedy: "export them to films of their own, or bring their clips to pixels of one shape"
          + " before they are imported")
    }
    return film.shownDimensions
  }
}

extension PixelAspectRatio {
  fileprivate var widthToHeight: Double { Double(horizontal) / Double(vertical) }
  fileprivate var text: String { "\(horizontal):\(vertical)" }
}
