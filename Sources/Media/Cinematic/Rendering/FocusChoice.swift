// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalScript

/// The focus where no script decides: one disparity for all frames, given or found in a map.
public enum FocusChoice: Hashable, Sendable {
  /// This disparity.
  case disparity(Float)
  /// The disparity seen at a point of the picture as shown.
  case point(NormalizedPoint)
  /// The subject: the largest and nearest part of the picture, by
  /// ``FocalCore/PixelBuffer/subjectDisparity``.
  case subject

  /// The disparity, by a map.
  ///
  /// - Parameter turn: from the map as stored to the picture as shown.
  /// - Throws: `malformed` if the map holds no valid disparity there.
  public func resolve(
    in map: PixelBuffer, turn: QuarterTurn
  ) throws(CinematicError) -> Float {
    let found: Float? =
      switch self {
      case .disparity(let value): value
      case .point(let shown): map.disparity(at: turn.inverse.applied(to: shown))
      case .subject: map.subjectDisparity
      }
    guard let found else {
      if case .point(let shown) = self {
        throw CinematicError(
          .malformed, "the map has no valid disparity at \(shown.x),\(shown.y)",
          remedy: "choose another point, or give a disparity")
      }
      throw CinematicError(
        .malformed, "the map has no valid disparity to focus on",
        remedy: "give a focus, or check the map")
    }
    return found
  }
}
