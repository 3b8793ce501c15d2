// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalEyes
import Testing

/// The range of a photograph's map, which single wrong values do not settle.
@Suite struct PhotographRangeTests {
  private static let size = Dimensions(width: 100, height: 80)

  /// 1/m of a floor from five metres to one.
  private static var floor: [Float] {
    (0..<size.count).map { place in
      let share = Float(place / size.width) / Float(size.height)
      return 1 / (5 - 4 * share)
    }
  }

  private static func range(of values: [Float]) throws -> EstimatedRange {
    let map = try PixelBuffer.map(values, size)
    return try #require(EstimatedRange(of: [map]))
  }

  /// One pixel of a millimetre, at a corner or within, and one that is far behind all.
  @Test(arguments: [(0, 1000), (4050, 1000), (7999, 40), (4050, -30)] as [(Int, Float)])
  func singleValuesAreCut(place: Int, value: Float) throws {
    let clean = try Self.range(of: Self.floor)
    #expect(!clean.cutsOutliers)
    #expect(clean.low == Self.floor.min())
    #expect(clean.high == Self.floor.max())
    var values = Self.floor
    values[place] = value
    values[5000] = .nan
    values[5001] = .infinity
    let range = try Self.range(of: values)
    #expect(range.cutsOutliers)
    #expect(range.low == clean.low)
    #expect(range.high == clean.high)
    let shares = try range.shares(of: try .map(values, Self.size)).cells
    #expect(shares[place] == (value > 0 ? 1 : 0))
    #expect(shares[5000].isNaN)
    #expect(shares[5001] == .infinity)
    let others = try clean.shares(of: try .map(Self.floor, Self.size)).cells
    let areSame = shares.indices.allSatisfy {
      $0 == place || $0 == 5000 || $0 == 5001 || shares[$0] == others[$0]
    }
    #expect(areSame)
  }

  /// Less than one in five hundred, but neighbours: five by five, up to the border.
  @Test(arguments: [0, 80 * 200 + 100, 155 * 200 + 195])
  func aSmallThingThatIsNearStays(corner: Int) throws {
    let size = Dimensions(width: 200, height: 160)
    var values = (0..<size.count).map { 0.2 + 0.8 * Float($0 / 200) / 160 }
    for y in 0..<5 {
      for x in 0..<5 { values[corner + 200 * y + x] = 3 }
    }
    let range = try #require(EstimatedRange(of: [try .map(values, size)]))
    #expect(!range.cutsOutliers)
    #expect(range.high == 3)
  }

  /// A wall and one pixel.
  @Test func aSingleValueBeforeAWallIsCut() throws {
    var values = [Float](repeating: 0.5, count: Self.size.count)
    values[4050] = 1000
    let range = try Self.range(of: values)
    #expect(range.cutsOutliers)
    #expect(range.low == 0 && range.high == 1)
  }

  /// Noise is none of it, nor what barely lies beyond.
  @Test func aSingleValueThatIsNotFarStays() throws {
    var values = Self.floor
    values[4050] = 1.2
    let range = try Self.range(of: values)
    #expect(!range.cutsOutliers)
    #expect(range.high == 1.2)
  }
}
