// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// How far one picture is from another.
///
/// Both are `rgbaFloat` in display space (after the transfer function, display white at 1), so that
/// equal numbers mean equally visible errors; ``displayPicture(ofLinear:)`` makes such a picture.
/// Values count as they are: nothing is clipped or rounded. Alpha has a figure of its own, and counts in no other.
///
/// A value that is not finite, in either picture, is counted in ``nonFiniteCount`` and makes the
/// other figures not-a-number: it cannot hide in a mean.
public struct PictureComparison: Hashable, Sendable {
  /// Peak signal-to-noise ratio in dB over all three channels: -10 log₁₀ of the mean squared
  /// difference, for a peak of 1. Infinite where the pictures are equal.
  public let psnr: Double
  /// The mean squared difference over all three channels. Several pictures have the mean of theirs; decibels have no
  /// mean, and one picture without a difference would make it infinite.
  public let meanSquaredError: Double
  /// Structural similarity of the luma (BT.709 weights), 1 where equal: Wang, Bovik, Sheikh and
  /// Simoncelli 2004, Gaussian window of 11×11 with σ 1.5, constants 0.01 and 0.03, a range of 1.
  ///
  /// The mean over the windows that lie wholly in the picture; where the picture is smaller than a
  /// window, or none of the compared pixels has such a window, the windows are cut at the border.
  public let ssim: Double
  /// The largest absolute difference of a channel.
  public let largestDifference: Double
  /// Where it is; with several, the first from the top left.
  public let largestDifferenceX: Int
  /// The row of the largest difference.
  public let largestDifferenceY: Int
  /// The largest absolute difference of alpha.
  public let largestAlphaDifference: Double
  /// The mean of the signed differences, actual less reference, of red, green and blue.
  public let meanError: SIMD3<Double>
  /// The mean of the absolute differences of red, green and blue.
  public let meanAbsoluteError: SIMD3<Double>
  /// Compared pixels with a value that is not finite in either picture.
  public let nonFiniteCount: Int
  /// Compared pixels.
  public let pixelCount: Int

  /// Compares two pictures of one size.
  ///
  /// - Parameters:
  ///   - mask: whether each pixel counts, row by row; `nil` counts all.
  ///   - border: rows and columns along the picture's edges that do not count.
  ///   - includesSSIM: the costly part; not-a-number where it is left out.
  /// - Throws: `incompatible` for different sizes, `unsupported` for another format,
  ///   `invalidParameter` for a mask of another size, a negative border, or nothing to compare.
  public init(
    _ actual: PixelBuffer, reference: PixelBuffer, mask: [Bool]? = nil, border: Int = 0,
    includesSSIM: Bool = true
  ) throws(CinematicError) {
    try Self.check(actual, reference)
    var rows = try Rows(
      of: actual.dimensions, mask: mask, border: border, includesSSIM: includesSSIM)
    try rows.add(0..<actual.height, actual, reference: reference, from: 0)
    self = try rows.comparison()
  }

  fileprivate init(_ sum: Sums, ssim: Double) {
    let broken = sum.nonFinite > 0
    let n = Double(sum.count)
    meanSquaredError = broken ? .nan : sum.squared.sum() / (3 * n)
    psnr = Self.psnr(ofMeanSquaredError: meanSquaredError)
    meanError = broken ? SIMD3(repeating: .nan) : sum.signed / n
    meanAbsoluteError = broken ? SIMD3(repeating: .nan) : sum.absolute / n
    largestDifference = broken ? .nan : sum.largest
    largestAlphaDifference = broken ? .nan : sum.largestAlpha
    largestDifferenceX = sum.largestX
    largestDifferenceY = sum.largestY
    nonFiniteCount = sum.nonFinite
    pixelCount = sum.count
    self.ssim = broken ? .nan : ssim
  }

  /// See ``psnr``; not-a-number where the error is none.
  public static func psnr(ofMeanSquaredError error: Double) -> Double {
    error == 0 ? .infinity : -10 * logarithm10(error)
  }

  /// The absolute difference times `amplification`, as a picture; magenta where a value is not
  /// finite.
  ///
  /// - Returns: `rgbaFloat`, values 0...1, alpha 1.
  /// - Throws: `incompatible`, `unsupported` or `outOfMemory`.
  public static func differencePicture(
    _ actual: PixelBuffer, reference: PixelBuffer, amplification: Double = 8
  ) throws(CinematicError) -> PixelBuffer {
    try check(actual, reference)
    let picture = try PixelBuffer(dimensions: actual.dimensions, format: .rgbaFloat)
    try writeDifference(actual, reference: reference, amplification: amplification, to: picture)
    return picture
  }

  /// Writes the picture of ``differencePicture(_:reference:amplification:)``, or rows of it, to other memory.
  ///
  /// - Parameter picture: `rgbaFloat` of the pictures' size.
  /// - Throws: `incompatible` or `unsupported`.
  package static func writeDifference(
    _ actual: PixelBuffer, reference: PixelBuffer, amplification: Double, to picture: PixelBuffer
  ) throws(CinematicError) {
    try check(actual, reference)
    try check(actual, picture)
    let stride = picture.planes[0].bytesPerRow / 4
    let gain = Float(amplification)
    picture.withUnsafeMutableBytes { bytes in
      let target = bytes.baseAddress!.assumingMemoryBound(to: Float.self)
      withRows(actual, reference) { a, b, strideA, strideB in
        for y in 0..<actual.height {
          for x in 0..<actual.width {
            let o = target + (y * stride + x * 4)
            var finite = true
            for c in 0..<3 {
              let p = a[y * strideA + x * 4 + c]
              let q = b[y * strideB + x * 4 + c]
              finite = finite && p.isFinite && q.isFinite
              o[c] = saturate(abs(p - q) * gain)
            }
            if !finite {
              o[0] = 1
              o[1] = 0
              o[2] = 1
            }
            o[3] = 1
          }
        }
      }
    }
  }

  // MARK: - Parts

  /// A comparison of pictures that come some rows at a time, from top to bottom: it is the one of the whole pictures to
  /// the bit.
  package struct Rows {
    /// Rows above and below those that are compared, which their windows reach over.
    package static let apron = StructuralSimilarity.radius

    private let size: Dimensions
    private let mask: [Bool]?
    private let border: Int
    private let includesSSIM: Bool
    private var sum = Sums()
    /// Of structural similarity, row by row.
    private var similarities: [SIMD4<Double>] = []

    /// - Throws: as ``PictureComparison/init(_:reference:mask:border:includesSSIM:)``.
    package init(
      of size: Dimensions, mask: [Bool]? = nil, border: Int = 0, includesSSIM: Bool = true
    ) throws(CinematicError) {
      if let mask, mask.count != size.count {
        throw CinematicError(
          .invalidParameter,
          "a mask of \(mask.count) pixels does not fit a picture of \(size)")
      }
      guard border >= 0 else {
        throw CinematicError(.invalidParameter, "a border of \(border) pixels is negative")
      }
      (self.size, self.mask, self.border) = (size, mask, border)
      self.includesSSIM = includesSSIM
    }

    /// Adds rows that follow those before.
    ///
    /// - Parameters:
    ///   - rows: of the whole pictures.
    ///   - actual: these rows, and ``apron`` more above and below, as far as the whole picture has them.
    ///   - first: the first row that `actual` and `reference` have.
    /// - Throws: `incompatible` for different sizes, `unsupported` for another format.
    package mutating func add(
      _ rows: Range<Int>, _ actual: PixelBuffer, reference: PixelBuffer, from first: Int
    ) throws(CinematicError) {
      try PictureComparison.check(actual, reference)
      let width = size.width
      let counted = counted(rows)
      var sum = sum
      PictureComparison.withRows(actual, reference) { a, b, strideA, strideB in
        for y in rows {
          let line = (y - rows.lowerBound) * width
          let (lineA, lineB) = ((y - first) * strideA, (y - first) * strideB)
          for x in 0..<width where counted[line + x] {
            sum.add(a + (lineA + x * 4), b + (lineB + x * 4), x, y)
          }
        }
      }
      self.sum = sum
      // One value that is not finite spoils it.
      guard includesSSIM, sum.nonFinite == 0 else { return }
      similarities += StructuralSimilarity.sums(
        of: rows, actual, reference, from: first, height: size.height, counted: counted)
    }

    /// Whether pixels of some rows count.
    private func counted(_ rows: Range<Int>) -> [Bool] {
      let (width, height) = (size.width, size.height)
      var counted =
        mask.map { Array($0[rows.lowerBound * width..<rows.upperBound * width]) }
        ?? Array(repeating: true, count: rows.count * width)
      if border == 0 { return counted }
      for y in rows {
        let line = (y - rows.lowerBound) * width
        for x in 0..<width
        where x < border || y < border || x >= width - border || y >= height - border {
          counted[line + x] = false
        }
      }
      return counted
    }

    /// The comparison of all rows that were added.
    ///
    /// - Throws: `invalidParameter` where none of their pixels counts.
    package func comparison() throws(CinematicError) -> PictureComparison {
      guard sum.count > 0 else {
        throw CinematicError(
          .invalidParameter, "no pixel of \(size) is left to compare",
          remedy: "use a smaller border or another mask")
      }
      return PictureComparison(
        sum, ssim: includesSSIM ? StructuralSimilarity.mean(of: similarities) : .nan)
    }
  }

  fileprivate struct Sums {
    var signed = SIMD3<Double>.zero
    var absolute = SIMD3<Double>.zero
    var squared = SIMD3<Double>.zero
    var largest: Double = -1
    var largestAlpha: Double = 0
    var largestX = 0
    var largestY = 0
    var nonFinite = 0
    var count = 0

    @inline(__always)
    mutating func add(_ a: UnsafePointer<Float>, _ b: UnsafePointer<Float>, _ x: Int, _ y: Int) {
      count += 1
      let p = SIMD3(Double(a[0]), Double(a[1]), Double(a[2]))
      let q = SIMD3(Double(b[0]), Double(b[1]), Double(b[2]))
      let d = p - q
      // A not-a-number or an infinity in either, and only that, makes this different from zero.
      let alpha = (Double(a[3]), Double(b[3]))
      let probe = (p.x + p.y + p.z + alpha.0 + q.x + q.y + q.z + alpha.1) * 0
      if probe != 0 {
        nonFinite += 1
        return
      }
      largestAlpha = max(largestAlpha, abs(alpha.0 - alpha.1))
      let size = SIMD3(abs(d.x), abs(d.y), abs(d.z))
      signed += d
      absolute += size
      squared += d * d
      let worst = max(size.x, size.y, size.z)
      if worst > largest {
        largest = worst
        largestX = x
        largestY = y
      }
    }
  }

  fileprivate static func check(
    _ actual: PixelBuffer, _ reference: PixelBuffer
  ) throws(CinematicError) {
    for picture in [actual, reference] where picture.format != .rgbaFloat {
      throw CinematicError(
        .unsupported, "pictures of format \(picture.format) are not compared",
        remedy: "convert them to RGBA floats")
    }
    guard actual.dimensions == reference.dimensions else {
      throw CinematicError(
        .incompatible,
        "a picture of \(actual.dimensions) and one of \(reference.dimensions) cannot be compared",
        remedy: "bring them to one size")
    }
  }

  static func withRows(
    _ a: PixelBuffer, _ b: PixelBuffer,
    _ body: (UnsafePointer<Float>, UnsafePointer<Float>, Int, Int) -> Void
  ) {
    a.withUnsafeBytes { p in
      b.withUnsafeBytes { q in
        body(
          p.baseAddress!.assumingMemoryBound(to: Float.self),
          q.baseAddress!.assumingMemoryBound(to: Float.self), a.planes[0].bytesPerRow / 4,
          b.planes[0].bytesPerRow / 4)
      }
    }
  }
}
