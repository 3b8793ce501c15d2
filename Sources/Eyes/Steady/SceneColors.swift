// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// The mean colours of a picture's tiles, by which the beginning of another scene is found: movement counts little in
/// them, and scenes of equal brightness differ.
package struct SceneColors: Hashable, Sendable {
  /// Pictures this far apart, mean over the tiles of the channel that differs most, are of two scenes. Neighbours within
  /// seven clips that this was tried on differ by at most .052; pictures of two of them by at least .12.
  private static let difference: Float = 0.09
  private static let tiles = Dimensions(width: 16, height: 9)

  /// Red, green and blue of each tile, 0 to 1.
  private let means: [Float]

  package init(_ picture: EyePicture) { self.init(picture.codes, picture.dimensions) }

  /// - Parameters:
  ///   - codes: red, green and blue of each pixel, 0 to 1, rows without padding.
  package init(_ codes: [Float], _ size: Dimensions) {
    let (columns, rows) = (min(Self.tiles.width, size.width), min(Self.tiles.height, size.height))
    means = codes.withUnsafeBufferPointer { codes in
      var means: [Float] = []
      means.reserveCapacity(3 * columns * rows)
      for row in 0..<rows {
        for column in 0..<columns {
          let xs = (column * size.width / columns)..<((column + 1) * size.width / columns)
          let ys = (row * size.height / rows)..<((row + 1) * size.height / rows)
          var (red, green, blue): (Float, Float, Float) = (0, 0, 0)
          for y in ys {
            for x in xs {
              let pixel = 3 * (y * size.width + x)
              red += codes[pixel]
              green += codes[pixel + 1]
              blue += codes[pixel + 2]
            }
          }
          let count = Float(xs.count * ys.count)
          means += [red / count, green / count, blue / count]
        }
      }
      return means
    }
  }

  /// Whether another scene begins after a picture. Both are of one size.
  package func beginScene(after before: SceneColors) -> Bool {
    var sum: Float = 0
    for tile in stride(from: 0, to: min(means.count, before.means.count), by: 3) {
      sum += (tile..<(tile + 3)).reduce(0) { max($0, abs(means[$1] - before.means[$1])) }
    }
    return sum / Float(means.count / 3) > Self.difference
  }
}
