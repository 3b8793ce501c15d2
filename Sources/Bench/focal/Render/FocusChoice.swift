// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// How the focus of a rendering is chosen.
enum FocusChoice {
  /// This disparity.
  case disparity(Float)
  /// The subject at a point of the picture as shown.
  case point(NormalizedPoint)
  /// The subject in the middle of the picture.
  case centre

  /// The middle of the picture, and the share of its disparities below the subject's: a subject is
  /// nearer than most of what surrounds it.
  private static let centreSide = 0.2
  private static let centreShare = 0.7

  /// The focus disparity in the first frame's map, and in words where it comes from.
  ///
  /// - Parameter transform: from the map as stored to the picture as shown.
  /// - Throws: `malformed` where the map holds no valid disparity.
  func resolve(
    in map: PixelBuffer, transform: QuarterTurn
  ) throws(CinematicError) -> (disparity: Float, origin: String?) {
    switch self {
    case .disparity(let value):
      return (value, nil)
    case .point(let shown):
      guard let value = map.disparity(at: transform.inverse.applied(to: shown)) else {
        throw Self.noDisparity
      }
      return (value, "the disparity at \(shown.x),\(shown.y)")
    case .centre:
      let corner = (1 - Self.centreSide) / 2
      let region = NormalizedRect(
        x: corner, y: corner, width: Self.centreSide, height: Self.centreSide)
      guard
        let value = map.disparity(in: region, share: Self.centreShare)
          ?? map.disparity(in: NormalizedRect(x: 0, y: 0, width: 1, height: 1), share: 0.5)
      else { throw Self.noDisparity }
      return (value, "the subject at the picture's centre; --focus or --focus-at choose another")
    }
  }

  private static let noDisparity = CinematicError(
    .malformed, "the map has no valid disparity to focus on",
    remedy: "give a focus with --focus, or check the map")
}
