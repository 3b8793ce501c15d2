// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Testing

@testable import FocalSample

@Suite struct PictureComparisonTests {
  private func textured(_ x: Int, _ y: Int, _ c: Int) -> Float {
    hashUnit(Int32(x), Int32(y), UInt32(c))
  }

  @Test func equalPicturesAreEqual() throws {
    let a = try picture(23, 17, textured)
    let result = try PictureComparison(a, reference: a)
    #expect(result.psnr == .infinity)
    #expect(near(result.ssim, 1, within: 1e-6))
    #expect(result.largestDifference == 0)
    #expect(result.nonFiniteCount == 0)
    #expect(result.pixelCount == 23 * 17)
  }

  /// Pictures that come some rows at a time give the bits of whole ones.
  @Test(arguments: [1, 7, 64, 100], [0, 3]) func rowsGiveTheSameBits(
    _ step: Int, border: Int
  ) throws {
    let (width, height) = (29, 150)
    let a = try picture(width, height, textured)
    let b = try picture(width, height) { x, y, c in
      self.textured(x, y, c) + 0.1 * self.textured(y, x, c + 1)
    }
    let mask = (0..<width * height).map { $0 % 5 != 0 }
    for mask in [nil, mask] {
      let whole = try PictureComparison(a, reference: b, mask: mask, border: border)
      var rows = try PictureComparison.Rows(of: a.dimensions, mask: mask, border: border)
      for first in stride(from: 0, to: height, by: step) {
        let band = first..<min(height, first + step)
        let top = max(0, first - PictureComparison.Rows.apron)
        let read = top..<min(height, band.upperBound + PictureComparison.Rows.apron)
        try rows.add(
          band, a.part(columns: 0..<width, rows: read),
          reference: b.part(columns: 0..<width, rows: read), from: top)
      }
      #expect(try rows.comparison() == whole)
    }
  }

  @Test(arguments: [0.1, 0.01, 0.5] as [Float])
  func aConstantOffsetHasTheClosedForm(_ offset: Float) throws {
    let a = try picture(16, 12) { _, _, _ in 0.25 }
    let b = try picture(16, 12) { _, _, _ in 0.25 + offset }
    let result = try PictureComparison(b, reference: a)
    #expect(near(result.psnr, -20 * logarithm10(Double(offset)), within: 1e-4))
    #expect(near(result.largestDifference, Double(offset), within: 1e-6))
    #expect(near(result.meanError.x, Double(offset), within: 1e-6))
    // Without structure only the luminance term is left: (2ab + C1) / (a² + b² + C1).
    let p = 0.25
    let q = 0.25 + Double(offset)
    let expected = (2 * p * q + 1e-4) / (p * p + q * q + 1e-4)
    #expect(near(result.ssim, expected, within: 1e-3))
  }

  @Test func aScaledContrastHasTheClosedForm() throws {
    // A checkerboard of amplitude A about 0.5 against one of amplitude B. Its Gaussian-weighted
    // mean is 0.5 to 1e-4 and its variance A², so SSIM is (2AB + C2) / (A² + B² + C2).
    func board(_ amplitude: Float) throws -> PixelBuffer {
      try picture(24, 24) { x, y, _ in 0.5 + ((x + y) & 1 == 0 ? amplitude : -amplitude) }
    }
    let result = try PictureComparison(try board(0.2), reference: try board(0.1))
    let expected: Double = (2 * 0.2 * 0.1 + 9e-4) / (0.04 + 0.01 + 9e-4)
    #expect(near(result.ssim, expected, within: 1e-3))
    #expect(near(result.psnr, 20, within: 1e-3))
  }

  /// Of bright light, the texture is a small part: its variance is the mean square about the window's own mean, as it is
  /// worked out here pixel by pixel.
  @Test(arguments: [0.5, 10, 100, 1000] as [Float])
  func brightLightKeepsItsStructure(_ light: Float) throws {
    let (width, height, radius) = (19, 90, 5)
    func texture(_ seed: UInt32) -> [Float] {
      (0..<width * height).map { place in
        light + 0.05 * (hashUnit(Int32(place % width), Int32(place / width), seed) - 0.5)
      }
    }
    let a = texture(1)
    let b = zip(a, texture(2)).map { $0 + ($1 - light) / 2 }
    let weights = (0..<121).map { place -> Double in
      let (x, y) = (Double(place % 11 - radius), Double(place / 11 - radius))
      return Double(exp2Approximation(Float(-(x * x + y * y) * 0.721_347_5 / 2.25)))
    }
    let total = weights.reduce(0, +)
    var sum = 0.0
    for y in radius..<height - radius {
      for x in radius..<width - radius {
        let places = (0..<121).map { (y + $0 / 11 - radius) * width + x + $0 % 11 - radius }
        func mean(_ value: (Int) -> Double) -> Double {
          zip(weights, places).reduce(0) { $0 + $1.0 * value($1.1) } / total
        }
        let (p, q) = (mean { Double(a[$0]) }, mean { Double(b[$0]) })
        let variances = mean { place in
          let (u, v) = (Double(a[place]) - p, Double(b[place]) - q)
          return u * u + v * v
        }
        let covariance = mean { (Double(a[$0]) - p) * (Double(b[$0]) - q) }
        let brightness = (2 * p * q + 1e-4) / (p * p + q * q + 1e-4)
        sum += brightness * (2 * covariance + 9e-4) / (variances + 9e-4)
      }
    }
    let expected = sum / Double((width - 2 * radius) * (height - 2 * radius))
    let result = try PictureComparison(
      try picture(width, height) { x, y, _ in a[y * width + x] },
      reference: try picture(width, height) { x, y, _ in b[y * width + x] })
    #expect(expected < 0.99)
    // Squares of 1000 have 2e-10 of their own in double precision, and the constant is 9e-4.
    #expect(near(result.ssim, expected, within: 1e-5))
  }

  @Test func channelsCountAlikeAndSignsAreKept() throws {
    let a = try picture(9, 9) { _, _, _ in 0.5 }
    let b = try picture(9, 9) { _, _, c in c == 2 ? 0.2 : 0.5 }
    let result = try PictureComparison(b, reference: a)
    #expect(abs(result.meanError.z + 0.3) < 1e-6)
    #expect(near(result.meanAbsoluteError.z, 0.3, within: 1e-6))
    #expect(result.meanError.x == 0)
    #expect(near(result.psnr, -10 * logarithm10(0.09 / 3), within: 1e-4))
  }

  @Test func theLargestDifferenceIsFound() throws {
    let a = try picture(20, 15, textured)
    let b = try picture(20, 15) { x, y, c in
      textured(x, y, c) + (x == 13 && y == 4 && c == 1 ? 2 : 0)
    }
    let result = try PictureComparison(a, reference: b)
    #expect(near(result.largestDifference, 2, within: 1e-5))
    #expect(result.largestDifferenceX == 13)
    #expect(result.largestDifferenceY == 4)
  }

  /// Errors have a mean, decibels have none: with an equal picture among them it would be infinite.
  @Test func squaredErrorsAreWhatHasAMean() throws {
    let a = try picture(8, 8) { _, _, _ in 0.25 }
    let b = try picture(8, 8) { _, _, _ in 0.375 }
    let errors = try [a, b].map { try PictureComparison($0, reference: a).meanSquaredError }
    #expect(errors == [0, 0.015625])
    let psnr = PictureComparison.psnr(ofMeanSquaredError: (errors[0] + errors[1]) / 2)
    #expect(near(psnr, -10 * logarithm10(0.0078125), within: 1e-9))
    #expect(PictureComparison.psnr(ofMeanSquaredError: 0) == .infinity)
  }

  @Test func aMaskAndABorderLeavePixelsOut() throws {
    let a = try picture(20, 15, textured)
    let b = try picture(20, 15) { x, y, c in textured(x, y, c) + (x < 10 ? 0.5 : 0) }
    let mask = (0..<300).map { $0 % 20 >= 10 }
    #expect(try PictureComparison(b, reference: a, mask: mask).psnr == .infinity)
    #expect(try PictureComparison(b, reference: a, mask: mask).pixelCount == 150)
    #expect(try PictureComparison(b, reference: a, border: 3).pixelCount == 14 * 9)
    let rim = try picture(20, 15) { x, y, c in textured(x, y, c) + (y == 0 ? 1 : 0) }
    #expect(try PictureComparison(rim, reference: a, border: 1).psnr == .infinity)
  }

  @Test(arguments: [Float.nan, .infinity, -.infinity])
  func valuesThatAreNotFiniteAreReported(_ value: Float) throws {
    let a = try picture(16, 16, textured)
    let b = try picture(16, 16) { x, y, c in x == 5 && y == 6 && c == 0 ? value : textured(x, y, c)
    }
    for (p, q) in [(a, b), (b, a), (b, b)] {
      let result = try PictureComparison(p, reference: q)
      #expect(result.nonFiniteCount == 1)
      #expect(result.psnr.isNaN)
      #expect(result.ssim.isNaN)
      #expect(result.largestDifference.isNaN && result.largestAlphaDifference.isNaN)
    }
    let clear = try PixelBuffer(
      dimensions: Dimensions(width: 1, height: 1), format: .rgbaFloat,
      values: [SIMD4<Float>(0.5, 0.5, 0.5, value)])
    let opaque = try PixelBuffer(
      dimensions: Dimensions(width: 1, height: 1), format: .rgbaFloat,
      values: [SIMD4<Float>(0.5, 0.5, 0.5, 1)])
    let alpha = try PictureComparison(clear, reference: opaque, includesSSIM: false)
    #expect(alpha.nonFiniteCount == 1 && alpha.largestAlphaDifference.isNaN)
    let shown = floats(try PictureComparison.differencePicture(a, reference: b))
    #expect(Array(shown[(6 * 16 + 5) * 4..<(6 * 16 + 6) * 4]) == [1, 0, 1, 1])
    #expect(shown.allSatisfy { $0.isFinite })
  }

  @Test func theDifferencePictureIsAmplifiedAndClipped() throws {
    let a = try picture(4, 3) { _, _, _ in 0.5 }
    let b = try picture(4, 3) { x, _, _ in x == 0 ? 0.5 : x == 1 ? 0.45 : 0.9 }
    let shown = floats(try PictureComparison.differencePicture(a, reference: b, amplification: 10))
    #expect(shown[0] == 0)
    #expect(near(shown[4], 0.5, within: 1e-5))
    #expect(shown[8] == 1)
  }

  @Test func picturesThatDoNotFitAreRefused() throws {
    let a = try picture(8, 8) { _, _, _ in 0 }
    let b = try picture(8, 9) { _, _, _ in 0 }
    let gray = try PixelBuffer(dimensions: Dimensions(width: 8, height: 8), format: .gray8)
    #expect(throws: CinematicError.self) { try PictureComparison(a, reference: b) }
    #expect(throws: CinematicError.self) { try PictureComparison(a, reference: gray) }
    #expect(throws: CinematicError.self) { try PictureComparison(a, reference: a, border: 4) }
    #expect(throws: CinematicError.self) { try PictureComparison(a, reference: a, border: -1) }
    #expect(throws: CinematicError.self) { try PictureComparison(a, reference: a, mask: [true]) }
  }

  @Test func theDisplayCurveIsSRGBs() throws {
    let linear: [Float] = [0, 0.002, 0.003_130_8, 0.2140411, 1, 7, -1]
    let a = try picture(7, 1) { x, _, _ in linear[x] }
    let shown = floats(try PictureComparison.displayPicture(ofLinear: a))
    let expected: [Float] = [0, 0.025_84, 0.040_45, 0.5, 1, 1, 0]
    for (i, value) in expected.enumerated() { #expect(abs(shown[i * 4] - value) < 2e-5) }
  }
}
