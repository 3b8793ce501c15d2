// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Testing

@testable import FocalSample

@Suite struct MaskComparisonTests {
  private func mask(
    _ width: Int, _ height: Int, _ value: (Int, Int) -> Float
  ) throws -> PixelBuffer {
    try PixelBuffer(
      dimensions: Dimensions(width: width, height: height), format: .disparityFloat,
      tags: .linearBT709,
      values: (0..<width * height).map { value($0 % width, $0 / width) })
  }

  @Test func measuresSquares() throws {
    // 4 x 4 and 6 x 4 with 12 in common: 12 of 16 + 24 - 12.
    let a = try mask(20, 10) { x, y in (2..<6).contains(x) && (2..<6).contains(y) ? 1 : 0 }
    let b = try mask(20, 10) { x, y in (3..<9).contains(x) && (2..<6).contains(y) ? 0.75 : 0.25 }
    let result = try MaskComparison(a, reference: b)
    #expect(result.overlap == 12.0 / 28)
    // Wrong by a quarter wherever both agree, by three quarters on the other 16.
    #expect(near(result.sumOfAbsoluteErrors, 0.25 * 184 + 0.75 * 16, within: 1e-4))
    #expect(near(result.meanAbsoluteError, result.sumOfAbsoluteErrors / 200, within: 1e-9))
    #expect(result.nonFiniteCount == 0)
  }

  @Test func leavesTheBorderOut() throws {
    let a = try mask(9, 7) { x, y in x == 0 || y == 6 ? 1 : x == 4 ? 1 : 0 }
    let b = try mask(9, 7) { x, _ in x == 4 ? 1 : 0 }
    #expect(try MaskComparison(a, reference: b).overlap < 0.5)
    let inner = try MaskComparison(a, reference: b, border: 1)
    #expect(inner.overlap == 1)
    #expect(inner.sumOfAbsoluteErrors == 0)
  }

  @Test func masksOfNothingAgree() throws {
    let a = try mask(5, 5) { _, _ in 0 }
    #expect(try MaskComparison(a, reference: a).overlap == 1)
  }

  @Test func whatIsNotFiniteDoesNotHide() throws {
    let a = try mask(5, 5) { _, _ in 1 }
    let b = try mask(5, 5) { x, y in x == 2 && y == 3 ? .nan : 1 }
    for result in [try MaskComparison(a, reference: b), try MaskComparison(b, reference: a)] {
      #expect(result.nonFiniteCount == 1)
      #expect(result.overlap.isNaN && result.meanAbsoluteError.isNaN)
    }
  }

  @Test func refusesWhatCannotBeCompared() throws {
    let a = try mask(5, 5) { _, _ in 1 }
    let other = try mask(5, 6) { _, _ in 1 }
    let picture = try PixelBuffer(dimensions: a.dimensions, format: .rgbaFloat)
    func code(_ body: () throws(CinematicError) -> MaskComparison) -> CinematicError.Code? {
      do throws(CinematicError) {
        _ = try body()
        return nil
      } catch { return error.code }
    }
    #expect(
      code { () throws(CinematicError) in try MaskComparison(a, reference: other) } == .incompatible
    )
    #expect(
      code { () throws(CinematicError) in try MaskComparison(picture, reference: a) }
        == .unsupported)
    let bright = try mask(5, 5) { _, _ in 255 }
    #expect(
      code { () throws(CinematicError) in try MaskComparison(bright, reference: a) }
        == .invalidParameter)
    for border in [-1, 3, .max] {
      #expect(
        code { () throws(CinematicError) in
          try MaskComparison(a, reference: a, border: border)
        } == .invalidParameter)
    }
  }
}
