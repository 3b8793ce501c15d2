// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// How far one mask of a subject is from another.
///
/// A value that is not finite, in either mask, makes the figures not-a-number: it cannot hide in a mean.
public struct MaskComparison: Hashable, Sendable {
  /// The pixels that are the subject's in both masks (above a half), in parts of those that are in either: intersection
  /// over union, 1 where no pixel is a subject's.
  public let overlap: Double
  /// The mean of the absolute differences of alpha, 0 to 1.
  public let meanAbsoluteError: Double
  /// The sum of the absolute differences, in pixels: SAD, which the literature gives in thousands.
  public let sumOfAbsoluteErrors: Double
  /// Compared pixels with a value that is not finite in either mask.
  public let nonFiniteCount: Int

  /// Compares two masks of one size.
  ///
  /// - Parameters:
  ///   - actual: `disparityFloat`: how far each pixel is the subject's, 0 to 1.
  ///   - border: rows and columns along the masks' edges that do not count.
  /// - Throws: `incompatible` for different sizes, `unsupported` for another format, `invalidParameter` for values beyond 0
  ///   to 1, a negative border, or nothing to compare.
  public init(
    _ actual: PixelBuffer, reference: PixelBuffer, border: Int = 0
  ) throws(CinematicError) {
    for mask in [actual, reference] where mask.format != .disparityFloat {
      throw CinematicError(
        .unsupported, "masks of format \(mask.format) are not compared",
        remedy: "give them as disparityFloat")
    }
    let size = actual.dimensions
    guard size == reference.dimensions else {
      throw CinematicError(
        .incompatible, "a mask of \(size) and one of \(reference.dimensions) cannot be compared",
        remedy: "bring them to one size")
    }
    guard border >= 0 else {
      throw CinematicError(.invalidParameter, "a border of \(border) pixels is negative")
    }
    guard border < (size.width + 1) / 2, border < (size.height + 1) / 2 else {
      throw CinematicError(
        .invalidParameter, "no pixel of \(size) is left to compare", remedy: "use a smaller border")
    }
    var (both, either, broken, sum) = (0, 0, 0, 0.0)
    var range: ClosedRange<Float> = 0...1
    PictureComparison.withRows(actual, reference) { a, b, strideA, strideB in
      for y in border..<size.height - border {
        for x in border..<size.width - border {
          let (mine, other) = (a[y * strideA + x], b[y * strideB + x])
          guard mine.isFinite, other.isFinite else {
            broken += 1
            continue
          }
          range = min(range.lowerBound, mine, other)...max(range.upperBound, mine, other)
          sum += Double(abs(mine - other))
          if mine > 0.5 || other > 0.5 { either += 1 }
          if mine > 0.5 && other > 0.5 { both += 1 }
        }
      }
    }
    guard range == 0...1 else {
      throw CinematicError(
        .invalidParameter,
        "a mask has values from \(range.lowerBound) to \(range.upperBound)", remedy: "give 0 to 1")
    }
    let count = (size.width - 2 * border) * (size.height - 2 * border)
    nonFiniteCount = broken
    overlap = broken > 0 ? .nan : either == 0 ? 1 : Double(both) / Double(either)
    sumOfAbsoluteErrors = broken > 0 ? .nan : sum
    meanAbsoluteError = broken > 0 ? .nan : sum / Double(count)
  }
}
