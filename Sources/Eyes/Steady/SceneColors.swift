// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// The mean colours of a picture's tiles, by which the beginning of another scene is found: movement counts little in
/// them, and scenes of equal brightness differ.
///
/// A picture that became brighter or darker as a whole is compared as if it had not, up to a limit. Measured in seven clips
/// of sports, streets, people and a phone, with 1,505 pairs of successive frames, and across cuts between any two of them
/// and four photographs, 233,796 pairs. Exposures are factors of light, and come with the movement of a frame:
///
/// | | apart | of them cuts | without the limited gain |
/// |---|---|---|---|
/// | successive frames | 0.057 and less | none | none |
/// | every second frame | 0.104 and less | 8 of 1,498 | 7 |
/// | every third frame | 0.146 and less | 21 of 1,491 | 19 |
/// | cuts | 0.133 and more | all | all, 0.143 and more |
/// | exposures of 0.67 to 1.5 | 0.084 and less | none | nearly all of 0.67 and of 1.5, a fourth of 0.75 |
/// | exposures of 0.6 and 1.6 | 0.091 and less | 2 of 1,008 | all |
/// | exposures of 0.5 and 2 | 0.135 and less | 778 of 1,008 | all |
/// | light on half of the picture, a factor of 1.5 | 0.085 and less | none | 1 of 322 |
/// | light on half of the picture, a factor of 2 | 0.111 and less | 185 of 322 | 205 |
/// | fades to black in 8 frames | 0.097 and less | 32 of 1,200 | 361 |
///
/// Cuts between dark pictures are missed more often: where both have a quarter of their light, 1.2 of 100 and not 0.02; of a
/// tenth, 20 and not 11.
package struct SceneColors: Hashable, Sendable {
  /// Pictures this far apart, mean over the tiles of the channel that differs most, are of two scenes.
  private static let difference: Float = 0.09
  /// What codes are multiplied by at most, so that another exposure is no other scene. 1.5 times the light are codes
  /// 1.19 times as large; what is left of that is little. With 1.1, pictures of 0.67 times the light are up to 0.091
  /// apart; with 1.2, some cuts no more than 0.128.
  private static let largestGain: Float = 1.15
  private static let tiles = Dimensions(width: 16, height: 9)

  /// Red, green and blue of each tile, 0 to 1.
  private let means: [Float]
  /// The mean of them.
  private let level: Float

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
    level = means.reduce(0, +) / Float(max(means.count, 1))
  }

  /// Whether another scene begins after a picture. Both are of one size.
  package func beginScene(after before: SceneColors) -> Bool {
    // Each is brought halfway to the other, so that both orders say the same.
    let half = gain(after: before).squareRoot()
    var sum: Float = 0
    for tile in stride(from: 0, to: min(means.count, before.means.count), by: 3) {
      sum += (tile..<(tile + 3)).reduce(0) { most, index in
        max(most, abs(means[index] / half - before.means[index] * half))
      }
    }
    return sum / Float(means.count / 3) > Self.difference
  }

  /// How many times as bright this is as a picture before, within limits.
  private func gain(after before: SceneColors) -> Float {
    // A quarter of a code of 8 bits: two black pictures are alike.
    let black: Float = 0.001
    let gain = (level + black) / (before.level + black)
    return max(1 / Self.largestGain, min(Self.largestGain, gain))
  }
}
