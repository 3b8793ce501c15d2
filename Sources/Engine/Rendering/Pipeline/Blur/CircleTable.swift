// SPDX-License-Identifier: Apache-2.0

import ShaderTypes

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

  /// ``circles(_:)``, then ``lengths(_:)``.
  static func values(_ narrowness: SIMD2<Float>) -> [Float] {
    narrowness == SIMD2(1, 1) ? disc : table(narrowness)
  }

  private static let disc = table(SIMD2(1, 1))

  private static func table(_ narrowness: SIMD2<Float>) -> [Float] {
    let stretch = stretch(narrowness)
    return circles(stretch, moment: 0.25 / max(Double(min(narrowness.x, narrowness.y)), 1))
      + lengths(stretch).map { Float($0) }
  }

  /// Steps that a circle can reach along one axis, and the pixel itself.
  private static let reach = Int(FOCAL_COMPOSITE_APRON) + 1

  /// How much longer steps along x and y count: an oval of the opening's own second moments stands for it, 1 along its
  /// long axis.
  private static func stretch(_ narrowness: SIMD2<Float>) -> SIMD2<Double> {
    let axes = SIMD2(Double(narrowness.x), Double(narrowness.y)).squareRoot()
    return axes / min(axes.x, axes.y)
  }

  /// The lengths of whole steps, by rows from the pixel itself on.
  private static func lengths(_ stretch: SIMD2<Double>) -> [Double] {
    (0..<reach * reach).map { index in
      let x = stretch.x * Double(index % reach)
      let y = stretch.y * Double(index / reach)
      return (x * x + y * y).squareRoot()
    }
  }

  /// Pairs: the soft radius, and the reciprocal of the sum of its weights.
  ///
  /// - Parameter moment: the second moment along the long axis, for a radius of 1.
  private static func circles(_ stretch: SIMD2<Double>, moment: Double) -> [Float] {
    (0..<count).flatMap { entry -> [Float] in
      guard entry > 0 else { return [1, 1] }
      let radius = Double(entry) / Double(entriesPerPixel)
      let target = moment * radius * radius
      var low = 1.0
      var high = 6.0
      var sum = 1.0
      for _ in 0..<40 {
        let soft = 0.5 * (low + high)
        var found = 0.0
        sum = 0
        for y in -6...6 {
          for x in -6...6 {
            let across = stretch.x * Double(x)
            let down = stretch.y * Double(y)
            let weight = min(1, max(0, soft - (across * across + down * down).squareRoot()))
            sum += weight
            found += weight * Double(stretch.x > 1 ? y * y : x * x)
          }
        }
        if found / sum > target { high = soft } else { low = soft }
      }
      return [Float(low), Float(1 / sum)]
    }
  }
}
