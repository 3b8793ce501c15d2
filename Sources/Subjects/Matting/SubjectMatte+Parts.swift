// SPDX-License-Identifier: Apache-2.0

import FocalCore
import SubjectKernels

extension PixelRect {
  /// The smallest one that holds all values of a picture above one; `nil` if there are none.
  init?(of values: [Float], _ size: Dimensions, above least: Float) {
    var rect: [Int32] = [0, 0, 0, 0]
    guard focal_matte_extent(values, Int32(size.width), Int32(size.height), least, &rect) != 0
    else { return nil }
    self.init(x: Int(rect[0]), y: Int(rect[1]), width: Int(rect[2]), height: Int(rect[3]))
  }
}

extension Array where Element: BitwiseCopyable {
  /// A part of a picture of so many values a pixel.
  func part(_ part: PixelRect, of size: Dimensions, _ values: Int) -> [Element] {
    let length = part.width * values
    return [Element](unsafeUninitializedCapacity: part.height * length) { result, count in
      withUnsafeBufferPointer { whole in
        for (row, y) in part.rows.enumerated() {
          let first = (y * size.width + part.x) * values
          (result.baseAddress! + row * length).initialize(
            from: whole.baseAddress! + first, count: length)
        }
      }
      count = part.height * length
    }
  }

  /// A picture of which this is a part, and all else one value.
  func placed(
    at part: PixelRect, of size: Dimensions, _ values: Int, in rest: Element
  ) -> [Element] {
    placed(at: part, of: size, values, in: [Element](repeating: rest, count: size.count * values))
  }

  /// A picture with this in a part of it.
  func placed(
    at part: PixelRect, of size: Dimensions, _ values: Int, in picture: consuming [Element]
  ) -> [Element] {
    var result = picture
    let length = part.width * values
    result.withUnsafeMutableBufferPointer { result in
      withUnsafeBufferPointer { own in
        for (row, y) in part.rows.enumerated() {
          let first = (y * size.width + part.x) * values
          (result.baseAddress! + first).update(
            from: own.baseAddress! + row * length, count: length)
        }
      }
    }
    return result
  }
}
