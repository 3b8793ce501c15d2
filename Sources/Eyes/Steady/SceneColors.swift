// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// The mean colours of a picture's tiles, by which the beginning of another scene is found: movement counts little in
/// them, and scenes of equal brightness differ.
///
/// A picture that became brighter or darker as a whole is compared as if it had not, up to a limit. What is apart all the
/// same and correlates is one scene in other light. Measured in seven clips of sports, streets, people and a phone, with
/// 1,686 pairs of successive frames, and across cuts between any two of them, 250,818 pairs of every third frame. Exposures
/// are factors of light, and come with the movement of a frame; fades scale codes:
///
/// | | apart | cuts | by a fixed difference of 0.09 alone |
/// |---|---|---|---|
/// | successive frames | 0.051 and less | none | none |
/// | every second frame | 0.087 and less | none | none |
/// | every third frame | 0.122 and less | 17 of 1,672 | 17 |
/// | cuts | 0.110 and more, correlation 0.77 and less | all | all |
/// | cuts with a quarter of the light | 0.062 and more | all | 96.4 of 100 |
/// | cuts with a tenth of it | 0.042 and more | all | 79 of 100 |
/// | cuts with a twentieth of it | 0.032 and more | all | 49 of 100 |
/// | successive frames with a quarter and a tenth of the light | 0.029 and less | none | none |
/// | exposures of 0.6 to 1.6 | 0.079 and less | none | none |
/// | exposures and flashes of 1/3 and 1/2 | 0.207 and less | 12 of 3,372 | 2,820 |
/// | of 2 | 0.132 and less | 9 of 1,686 | 1,552 |
/// | of 3 | 0.245 and less | 307 of 1,686 | all |
/// | light on half of the picture, a factor of 1.5 | 0.092 and less | 2 of 1,686 | 2 |
/// | light on half of the picture, a factor of 2 | 0.125 and less | 681 of 1,686 | 1,049 |
/// | fades to black and from it in 8 frames | 0.085 and less | 20 of 2,688 | none |
/// | in 24 frames | 0.039 and less | 28 of 7,536 | none |
///
/// A cut between pictures of one layout, bright and dark in the same places, may be missed.
package struct SceneColors: Hashable, Sendable {
  /// Pictures this far apart, mean over the tiles of the channel that differs most, are of two scenes: those of
  /// `fullLevel` and brighter. Darker ones have less far to go.
  private static let difference: Float = 0.09
  private static let fullLevel: Float = 0.5
  /// The least part of the difference that counts, so that noise of dark pictures does not.
  private static let leastPart: Float = 0.12
  /// The mean of a picture that is black, or nearly: from there and to there all of the difference counts, or each fade
  /// would end a scene just before its end.
  private static let blackLevel: Float = 0.03
  /// Pictures that correlate more show one scene, however much its light has changed.
  private static let sameCorrelation: Float = 0.88
  /// A step of a code of 8 bits, squared: below it a tile is even, and says nothing of what lies where.
  private static let noise: Float = 1 / 65025
  /// What codes are multiplied by at most, so that another exposure is no other scene. 1.5 times the light are codes
  /// 1.19 times as large; what is left of that is little. With 1.1, pictures of 0.67 times the light are up to 0.091
  /// apart; with 1.2, some cuts no more than 0.128.
  private static let largestGain: Float = 1.15
  private static let tiles = Dimensions(width: 16, height: 9)

  /// Red, green and blue of each tile, 0 to 1.
  private let means: [Float]
  /// The mean of them.
  private let level: Float
  /// The mean of each channel.
  private let channels: SIMD3<Float>

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
    var sums = SIMD3<Float>()
    for index in means.indices { sums[index % 3] += means[index] }
    channels = sums / Float(max(means.count / 3, 1))
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
    guard sum / Float(means.count / 3) > difference(after: before) else { return false }
    return correlation(with: before) < Self.sameCorrelation
  }

  /// How far pictures of two scenes are apart at least.
  private func difference(after before: SceneColors) -> Float {
    guard min(level, before.level) >= Self.blackLevel else { return Self.difference }
    let part = max(level, before.level) / Self.fullLevel
    return Self.difference * max(Self.leastPart, min(1, part))
  }

  /// Of the tiles, each channel less its mean. Pictures that are even correlate by 0: their colours decide.
  private func correlation(with other: SceneColors) -> Float {
    let least = Self.noise * Float(means.count)
    var (own, others, joint): (Float, Float, Float) = (least, least, 0)
    for index in 0..<min(means.count, other.means.count) {
      let a = means[index] - channels[index % 3]
      let b = other.means[index] - other.channels[index % 3]
      own += a * a
      others += b * b
      joint += a * b
    }
    return joint / (own * others).squareRoot()
  }

  /// How many times as bright this is as a picture before, within limits.
  private func gain(after before: SceneColors) -> Float {
    // A quarter of a code of 8 bits: two black pictures are alike.
    let black: Float = 0.001
    let gain = (level + black) / (before.level + black)
    return max(1 / Self.largestGain, min(Self.largestGain, gain))
  }
}
