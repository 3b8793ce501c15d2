// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore

/// A 3×3 display matrix reduced to what pictures are shown with: perhaps mirrored left to right,
/// then turned clockwise.
struct DisplayRotation: Equatable {
  var isMirrored = false
  var turn = QuarterTurn.identity

  /// - Parameter matrix: nine values as QuickTime stores them: (x, y) goes to
  ///   (a x + c y + tx, b x + d y + ty) with a, b at 0, 1 and c, d at 3, 4, y pointing down.
  ///   Angles between quarter turns go to the nearest one.
  init(_ matrix: UnsafePointer<Int32>?) {
    guard let matrix else { return }
    var (a, b) = (Int64(matrix[0]), Int64(matrix[1]))
    let (c, d) = (Int64(matrix[3]), Int64(matrix[4]))
    guard a != 0 || b != 0 else { return }
    // A negative determinant mirrors; undo the mirror of x to find the turn.
    if a * d - b * c < 0 {
      isMirrored = true
      (a, b) = (-a, -b)
    }
    if abs(a) >= abs(b) {
      turn = a > 0 ? .identity : .clockwise180
    } else {
      turn = b > 0 ? .clockwise90 : .clockwise270
    }
  }

  init(_ matrix: TransformMatrix) {
    self = matrix.values.withUnsafeBufferPointer { DisplayRotation($0.baseAddress) }
  }
}

extension PixelBuffer {
  /// Mirrors every row left to right, in place.
  func mirrorRows() {
    for index in planes.indices {
      let plane = planes[index]
      let size = plane.bytesPerElement
      withUnsafeMutableBytes(ofPlane: index) { bytes in
        for y in 0..<plane.dimensions.height {
          var left = bytes.baseAddress! + y * plane.bytesPerRow
          var right = left + (plane.dimensions.width - 1) * size
          while left < right {
            for byte in 0..<size {
              let kept = left.load(fromByteOffset: byte, as: UInt8.self)
              left.storeBytes(
                of: right.load(fromByteOffset: byte, as: UInt8.self), toByteOffset: byte,
                as: UInt8.self)
              right.storeBytes(of: kept, toByteOffset: byte, as: UInt8.self)
            }
            left += size
            right -= size
          }
        }
      }
    }
  }
}
