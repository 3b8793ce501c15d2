// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// How both eyes of a pair lie in one picture.
public enum StereoLayout: String, Hashable, Sendable, CaseIterable {
  /// The left eye's picture at the left. Each may be squeezed to half its width.
  case sideBySide = "side-by-side"
  /// The left eye's picture above the right one's. Each may be squeezed to half its height.
  case overUnder = "over-under"

  /// The half that belongs to an eye.
  ///
  /// - Parameter exchanged: whether the right eye comes first.
  public func half(ofRightEye isRight: Bool, exchanged: Bool = false) -> PictureHalf {
    switch (self, isRight != exchanged) {
    case (.sideBySide, false): .left
    case (.sideBySide, true): .right
    case (.overUnder, false): .top
    case (.overUnder, true): .bottom
    }
  }

  /// Both pictures, in the same memory.
  ///
  /// - Parameters:
  ///   - turn: from the picture as stored to the picture as shown, in which the layout is meant.
  ///   - exchanged: whether the right eye comes first.
  /// - Throws: `incompatible` for a picture that has no two halves.
  public func eyes(
    of picture: PixelBuffer, turn: QuarterTurn = .identity, exchanged: Bool = false
  ) throws(CinematicError) -> EstimationInput {
    EstimationInput(
      picture: try picture.half(half(ofRightEye: false, exchanged: exchanged), turn: turn),
      otherEye: try picture.half(half(ofRightEye: true, exchanged: exchanged), turn: turn),
      turn: turn)
  }
}
