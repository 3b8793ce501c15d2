// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore

/// A 3×3 display matrix reduced to what pictures are shown with: perhaps mirrored left to right,
/// then turned clockwise.
struct DisplayRotation: Equatable {
  var isMirrored = false
  var turn = QuarterTurn.identity
  /// Whether that is all that the matrix says: it neither scales nor has another angle.
  var isExact = true

  /// What is not kept of a matrix that says more, in words.
  static let unkept = "the scale or the angle at which its pictures are shown"

  /// - Parameter matrix: nine values as QuickTime stores them: (x, y) goes to
  ///   (a x + c y + tx, b x + d y + ty) with a, b at 0, 1 and c, d at 3, 4, y pointing down.
  ///   Angles between quarter turns go to the nearest one.
  init(_ matrix: UnsafePointer<Int32>?) {
    guard let matrix else { return }
    var (a, b) = (Int64(matrix[0]), Int64(matrix[1]))
    let (c, d) = (Int64(matrix[3]), Int64(matrix[4]))
    isExact = Self.isExact(a, b, c, d)
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

  /// Whether one is 1 and the other 0, of either sign; rounded numbers move no pixel. Nothing at all says nothing.
  private static func isExact(_ a: Int64, _ b: Int64, _ c: Int64, _ d: Int64) -> Bool {
    func isNear(_ value: Int64, _ wanted: Int64) -> Bool { abs(abs(value) - wanted) < 16 }
    let one: Int64 = 1 << 16
    return isNear(a, one) && isNear(b, 0) && isNear(c, 0) && isNear(d, one)
      || isNear(a, 0) && isNear(b, one) && isNear(c, one) && isNear(d, 0)
      || a == 0 && b == 0 && c == 0 && d == 0
  }
}

extension TransformMatrix {
  /// A mirror and a turn that keep a picture of a size, in pixels, in the first quadrant.
  init(_ rotation: DisplayRotation, width: Double, height: Double) {
    let turned = TransformMatrix(rotation.turn, width: width, height: height)
    guard rotation.isMirrored else {
      self = turned
      return
    }
    var values = turned.values
    // The turn of width - x instead of x; as for turns, only lengths that 16.16 holds.
    let one: Int32 = 1 << 16
    let (a, b) = (values[0], values[1])
    let length = width < 32768 ? Int32(width * 65536) : 0
    values[6] = values[6] &+ a / one &* length
    values[7] = values[7] &+ b / one &* length
    (values[0], values[1]) = (-a, -b)
    self.init(values: values)
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
