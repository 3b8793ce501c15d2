// SPDX-License-Identifier: Apache-2.0

/// Small circles of confusion as weights of whole pixels.
///
/// A disc of radius r covers pixels in part; weights that fall off over one pixel at a soft radius
/// approximate it. For each r the soft radius is the one that gives the weights the disc's own second
/// moment, r² / 4, so that the blur is as strong as it should be from the smallest circle on. A fifth more
/// or less of it changes the sample scene (`focal_blur.h`) by 0.01 dB.
enum CircleTable {
  /// Entries a pixel of radius; a quarter of them makes no difference.
  static let entriesPerPixel = 16
  static let count = 96

  /// ``circles``, then ``stepLengths``.
  static let values: [Float] = circles + stepLengths

  /// The lengths of whole steps, by their squares: the distances of pixels that a circle can reach.
  private static let stepLengths: [Float] = (0..<50).map { Float(Double($0).squareRoot()) }

  /// Pairs: the soft radius, and the reciprocal of the sum of its weights.
  private static let circles: [Float] = (0..<count).flatMap { entry -> [Float] in
    guard entry > 0 else { return [1, 1] }
    let radius = Double(entry) / Double(entriesPerPixel)
    let target = 0.25 * radius * radius
    var low = 1.0
    var high = 6.0
    var sum = 1.0
    for _ in 0..<40 {
      let soft = 0.5 * (low + high)
      var moment = 0.0
      sum = 0
      for y in -6...6 {
        for x in -6...6 {
          let distance = Double(x * x + y * y).squareRoot()
          let weight = min(1, max(0, soft - distance))
          sum += weight
          moment += weight * Double(x * x)
        }
      }
      if moment / sum > target { high = soft } else { low = soft }
    }
    return [Float(low), Float(1 / sum)]
  }
}
