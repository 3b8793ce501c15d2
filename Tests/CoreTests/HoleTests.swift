// SPDX-License-Identifier: Apache-2.0

import FocalCore
import ShaderTypes
import Testing

/// Holes of a map, filled as a rendering fills them.
@Suite struct HoleTests {
  private static func map(_ values: [Float], _ width: Int) throws -> PixelBuffer {
    try PixelBuffer(
      dimensions: Dimensions(width: width, height: values.count / width), format: .disparityFloat,
      tags: .linearBT709, values: values)
  }

  /// Cells and blocks on both sides of an edge, which stays one; whatever marks them.
  @Test func takeWhatLiesAround() throws {
    let whole: [Float] = (0..<64).map { $0 % 8 < 4 ? 0.25 : 0.75 }
    let marks: [Float] = [.nan, .infinity, -.infinity, 2e6]
    let holes = [(0, 0), (7, 7), (4, 2), (5, 2), (4, 3), (5, 3), (3, 5), (4, 5)]
    var values = whole
    for (x, y) in holes { values[8 * y + x] = marks[(x + y) % 4] }
    let filled = try #require(try Self.map(values, 8).filledDisparity())
    // Means are rounded.
    let isWhole = zip(filled.cells, whole).allSatisfy { abs($0 - $1) < 1e-6 }
    #expect(isWhole, "\(filled.cells)")
    #expect(try filled.filledDisparity() == nil)
  }

  /// Kernels and maps have one limit: the largest disparity is one, what lies behind it is a hole.
  @Test func theLargestDisparityIsOne() {
    let largest = PixelBuffer.largestDisparity
    #expect(largest == 1_000_000)
    for sign: Float in [1, -1] {
      #expect(focal_is_disparity(sign * largest))
      #expect(!focal_is_disparity(sign * largest.nextUp))
    }
    #expect(!focal_is_disparity(.nan))
  }

  @Test func halvesAreFilledToo() throws {
    let map = try Self.map([0.5, .nan, 0.5, 0.5, 0.5, 0.5], 3).storedAsHalves()
    let filled = try #require(try map.filledDisparity())
    #expect(filled.format == .disparityFloat)
    #expect(filled.cells == [Float](repeating: 0.5, count: 6))
  }

  /// Of every size, down to one cell.
  @Test(arguments: [1, 2, 3, 5, 7, 64]) func withoutAnyDisparityAllIsZero(width: Int) throws {
    let map = try Self.map([Float](repeating: .nan, count: 3 * width), width)
    let filled = try #require(try map.filledDisparity())
    #expect(filled.cells == [Float](repeating: 0, count: 3 * width))
    let one = try #require(try Self.map([.nan], 1).filledDisparity())
    #expect(one.cells == [0])
  }
}
