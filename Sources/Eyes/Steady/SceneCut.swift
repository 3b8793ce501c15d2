// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Where one scene of a clip ends and another begins.
package enum SceneCut {
  /// Pictures this far apart, mean of small tiles, in codes, are of two scenes. Neighbours within the clips that this
  /// was tried on differ by at most 12.
  private static let difference: Float = 28
  private static let tiles = Dimensions(width: 16, height: 9)

  /// Whether two pictures that follow each other are of two scenes: by means of tiles, so that movement counts little.
  ///
  /// - Parameter size: of both; their luma is in rows without padding.
  package static func lies(between a: [UInt8], _ b: [UInt8], _ size: Dimensions) -> Bool {
    let (columns, rows) = (min(tiles.width, size.width), min(tiles.height, size.height))
    var sum: Float = 0
    for row in 0..<rows {
      for column in 0..<columns {
        let xs = (column * size.width / columns)..<((column + 1) * size.width / columns)
        let ys = (row * size.height / rows)..<((row + 1) * size.height / rows)
        var (first, second) = (0, 0)
        for y in ys {
          for x in xs {
            first += Int(a[y * size.width + x])
            second += Int(b[y * size.width + x])
          }
        }
        sum += Float(abs(first - second)) / Float(xs.count * ys.count)
      }
    }
    return sum / Float(columns * rows) > difference
  }
}
