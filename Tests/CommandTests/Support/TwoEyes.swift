// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalSample

/// What two eyes see of a wall without distance and a square in front of it: in the middle of the rows, the left eye sees it
/// in the columns 120 to 199 of 320, the right one 32 further left, in 88 to 167.
enum TwoEyes {
  static let size = Dimensions(width: 320, height: 180)
  /// Columns that hold the square for both eyes, for the left one alone, for the right one alone, and the wall alone.
  static let (both, left, right, wall) = (145, 180, 104, 260)

  /// - Parameter name: the eyes that lie beside each other: L, R, LR or RL.
  static func picture(_ name: String) throws -> PixelBuffer {
    var random = SeededGenerator(seed: 5)
    let surface = (0..<size.count).map { _ in UInt8(40 + random.next() % 80) }
    let square = (0..<80 * 80).map { _ in UInt8(40 + random.next() % 160) }
    var codes: [UInt8] = []
    for row in 0..<size.height {
      for eye in name {
        let first = eye == "R" ? 88 : 120
        for column in 0..<size.width {
          let isNear = (first..<first + 80).contains(column) && (50..<130).contains(row)
          let place = isNear ? (row - 50) * 80 + column - first : row * size.width + column
          codes.append(isNear ? square[place] : surface[place])
        }
      }
    }
    let pictureSize = Dimensions(width: name.count * size.width, height: size.height)
    return try PixelBuffer(dimensions: pictureSize, format: .gray8, values: codes)
  }

  /// A place in the middle of the rows of a map.
  static func place(_ column: Int) -> NormalizedPoint {
    NormalizedPoint(x: (Double(column) + 0.5) / Double(size.width), y: 0.5)
  }
}
