// SPDX-License-Identifier: Apache-2.0

/// A half of a picture as it is shown: one eye's, where both lie in one picture.
public enum PictureHalf: String, Hashable, Sendable, CaseIterable {
  case left, right, top, bottom

  /// Where it lies in a picture as stored; an odd last column or row belongs to no half.
  ///
  /// - Parameters:
  ///   - size: of the picture as stored.
  ///   - turn: from the picture as stored to the picture as shown.
  public func rect(in size: Dimensions, turn: QuarterTurn) -> PixelRect {
    let isAcross = self == .left || self == .right
    let isSecond = self == .right || self == .bottom
    // Turned clockwise by 90 degrees, what was lowest is at the left.
    let isMirrored =
      switch turn {
      case .identity: false
      case .clockwise90: isAcross
      case .clockwise180: true
      case .clockwise270: !isAcross
      }
    let place = isSecond != isMirrored ? 1 : 0
    // A turn by a quarter makes columns of rows.
    if isAcross == (turn == .identity || turn == .clockwise180) {
      let half = size.width / 2
      return PixelRect(x: place * half, y: 0, width: half, height: size.height)
    }
    let half = size.height / 2
    return PixelRect(x: 0, y: place * half, width: size.width, height: half)
  }
}

extension PixelBuffer {
  /// One half, in the same memory.
  ///
  /// - Parameter turn: from the picture as stored to the picture as shown.
  /// - Throws: `incompatible` for a picture that cannot be halved.
  package func half(_ half: PictureHalf, turn: QuarterTurn) throws(CinematicError) -> PixelBuffer {
    let rect = half.rect(in: dimensions, turn: turn)
    let subsampling = format.planes.map(\.subsampling).max() ?? 1
    let isWhole =
      (rect.width == width || rect.width % subsampling == 0)
      && (rect.height == height || rect.height % subsampling == 0)
    guard rect.width > 0, rect.height > 0, isWhole
    else {
      throw CinematicError(
        .incompatible, "a picture of \(dimensions) has no \(half.rawValue) half for an eye",
        remedy: "give the eyes as two files")
    }
    return part(columns: rect.columns, rows: rect.rows)
  }
}
