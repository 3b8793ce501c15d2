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
    [Element](unsafeUninitializedCapacity: part.dimensions.count * values) { result, count in
      for y in part.rows {
        let first = (y * size.width + part.x) * values
        for value in self[first..<first + part.width * values] {
          (result.baseAddress! + count).initialize(to: value)
          count += 1
        }
      }
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
    at part: PixelRect, of size: Dimensions, _ values: Int, in picture: [Element]
  ) -> [Element] {
    var result = picture
    let length = part.width * values
    for (row, y) in part.rows.enumerated() {
      let first = (y * size.width + part.x) * values
      result.replaceSubrange(
        first..<first + length, with: self[row * length..<(row + 1) * length])
    }
    return result
  }
}
