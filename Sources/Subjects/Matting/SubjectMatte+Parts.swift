// SPDX-License-Identifier: Apache-2.0

import FocalCore

extension PixelRect {
  /// The smallest one that holds all values of a picture above one; `nil` if there are none.
  init?(of values: [Float], _ size: Dimensions, above least: Float) {
    var rect: PixelRect?
    for y in 0..<size.height {
      let row = y * size.width..<(y + 1) * size.width
      guard let first = values[row].firstIndex(where: { $0 > least }),
        let last = values[row].lastIndex(where: { $0 > least })
      else { continue }
      let part = PixelRect(x: first - row.lowerBound, y: y, width: last - first + 1, height: 1)
      rect = rect.map { $0.union(part) } ?? part
    }
    guard let rect else { return nil }
    self = rect
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
