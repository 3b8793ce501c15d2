// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// How both eyes of a pair lie in one picture.
public enum StereoLayout: String, Hashable, Sendable, CaseIterable {
  /// The left eye's picture at the left. Each may be squeezed to half its width.
  case sideBySide = "side-by-side"
  /// The left eye's picture above the right one's. Each may be squeezed to half its height.
  case overUnder = "over-under"

  /// Both pictures, in the same memory.
  ///
  /// - Parameters:
  ///   - turn: from the picture as stored to the picture as shown, in which the layout is meant.
  ///   - exchanged: whether the right eye comes first.
  /// - Throws: `incompatible` for a picture that has no two halves.
  public func eyes(
    of picture: PixelBuffer, turn: QuarterTurn = .identity, exchanged: Bool = false
  ) throws(CinematicError) -> EstimationInput {
    // A turn by a quarter makes columns of rows.
    let isAcross = (self == .sideBySide) == (turn == .identity || turn == .clockwise180)
    let length = isAcross ? picture.width : picture.height
    let half = length / 2
    let subsampling = picture.format.planes.map(\.subsampling).max() ?? 1
    guard half > 0, half % subsampling == 0 else {
      throw CinematicError(
        .incompatible,
        "a picture of \(picture.dimensions) has no two halves \(rawValue)",
        remedy: "give the eyes as two files")
    }
    // An odd last column or row belongs to none.
    let first =
      isAcross
      ? picture.part(columns: 0..<half, rows: 0..<picture.height)
      : picture.part(columns: 0..<picture.width, rows: 0..<half)
    let second =
      isAcross
      ? picture.part(columns: half..<2 * half, rows: 0..<picture.height)
      : picture.part(columns: 0..<picture.width, rows: half..<2 * half)
    // Turned clockwise by 90 degrees, what was lowest is at the left.
    let isMirrored =
      switch turn {
      case .identity: false
      case .clockwise90: self == .sideBySide
      case .clockwise180: true
      case .clockwise270: self == .overUnder
      }
    let (left, right) = isMirrored != exchanged ? (second, first) : (first, second)
    return EstimationInput(picture: left, otherEye: right, turn: turn)
  }
}
