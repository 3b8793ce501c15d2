// SPDX-License-Identifier: Apache-2.0

import ConformanceKit
import FocalCPU
import FocalCore
import FocalRendering
import Foundation
import Testing

/// A surface between two slices covers what it covers in one.
@Suite struct OutlineTests {
  private static let size = Dimensions(width: 480, height: 64)
  /// Whole periods of the stripes, away from the picture's border.
  private static let columns = 96..<384

  /// Light of black stripes, `width` of 24 columns wide, before a white plane in focus, against the sharp picture's.
  private func light(width: Int, radius: Float, _ quality: RenderingQuality) throws -> Float {
    func isStripe(_ x: Int) -> Bool { x % 24 < width }
    let (columns, rows) = (Self.size.width, Self.size.height)
    let floats = try RenderCase(
      source: .linear(columns, rows) { x, _ in SIMD3(repeating: isStripe(x) ? 0 : 1) },
      disparity: .disparity(columns, rows) { x, _ in isStripe(x) ? 0.9 : 0.1 },
      focusDisparity: 0.1, fNumber: 1, blurScale: 2 * radius / (0.8 * Float(columns)),
      quality: quality
    ).render(on: .cpu()).floats()
    let row = rows / 2 * columns
    let mean =
      Self.columns.reduce(Float(0)) { $0 + floats[4 * (row + $1)] } / Float(Self.columns.count)
    return mean / (1 - Float(width) / 24)
  }

  /// Light neither grows nor shrinks where a plane in focus is crossed by blurred stripes, whatever share of them
  /// lies in either slice. Within 0.025: what an outline gives back is right on the mean over the shares; at export
  /// 0.045, where slices are spread over wide lens cells. It was more than a tenth, and up to 0.07 at export as long as
  /// outlines gave nothing back for that.
  @Test(
    arguments: [.export, .exportHigh] as [RenderingQuality],
    [3.5, 5, 8, 10, 12, 16, 18, 22] as [Float])
  func stripesKeepTheLightBehindThem(_ quality: RenderingQuality, radius: Float) throws {
    for width in [3, 12] {
      let kept = try light(width: width, radius: radius, quality)
      #expect(
        abs(kept - 1) < (quality == .export ? 0.045 : 0.025), "\(width) of 24 columns: \(kept)")
    }
  }

  /// A black thing near the focus, whose map rises by `step` pixels of radius every 48 columns and falls back at once,
  /// stays black: the white plane far behind is not seen through the creases, which lie less than half a slice deep.
  /// Light of a thirtieth of white came through.
  @Test(arguments: [(6, 1.5), (10, 1.5), (3, 1)] as [(Float, Float)])
  func creasesAreNoOutlines(radius: Float, step: Float) throws {
    let (columns, rows) = (640, 96)
    let farthest: Float = 160
    let floats = try RenderCase(
      source: .linear(columns, rows) { x, _ in SIMD3(repeating: x < 160 ? 1 : 0) },
      disparity: .disparity(columns, rows) { x, _ in
        let rise = step * min(1, max(0, Float(x % 48 - 24) / 6))
        return 1 - (x < 160 ? farthest : radius + rise) / farthest
      },
      focusDisparity: 1, fNumber: 1, blurScale: 2 * farthest / Float(columns), quality: .export
    ).render(on: .cpu()).floats()
    // Beyond the reach of the thing's own blur at the white plane's side.
    var brightest: Float = 0
    for y in 0..<rows {
      for x in 212..<500 { brightest = max(brightest, floats[4 * (y * columns + x) + 1]) }
    }
    #expect(brightest < 0.002)
  }

  /// A plane in focus shows evenly through the blurred edge of a near thing whose map has two radii, its rim's and its
  /// inner part's: along a line into the thing, the light only falls. Where both met there was a hole in the plane, a
  /// dark line a tenth of white deep. Within 0.01: cells of the layers and slices.
  @Test(arguments: [.preview, .export, .exportHigh] as [RenderingQuality], [8, 14] as [Int])
  func aPlaneInFocusShowsEvenlyUnderTwoNearSurfaces(
    _ quality: RenderingQuality, rim: Int
  ) throws {
    let (columns, rows) = (320, 64)
    let floats = try RenderCase(
      source: .linear(columns, rows) { x, _ in SIMD3(repeating: x < 120 ? 1 : 0) },
      disparity: .disparity(columns, rows) { x, _ in
        (x < 120 ? 0 : x < 120 + rim ? 40 : 34) / 160
      },
      focusDisparity: 0, fNumber: 1, blurScale: 2 * 160 / Float(columns), quality: quality
    ).render(on: .cpu()).floats()
    var darkest: Float = 1
    var rise: Float = 0
    for x in 40..<240 {
      let light = floats[4 * (rows / 2 * columns + x) + 1]
      rise = max(rise, light - darkest)
      darkest = min(darkest, light)
    }
    #expect(darkest < 0.01)
    #expect(rise < 0.01)
  }

  /// The soft edge of a bright near thing before a plane in focus, whose map begins `inside` pixels within the thing:
  /// the light rises from the plane's to the thing's without a step. What the thing hides was taken from its own rim,
  /// and where the map has its edge the light jumped by 0.23 of the difference. Within 0.15, in codes of a
  /// square root: three times the slope of the blur, since pixels of the plane keep the light of the thing that they hold.
  @Test(
    arguments: [.preview, .export, .exportHigh] as [RenderingQuality],
    [(0, 0.7), (1, 0.7), (1, 1.2)] as [(Int, Float)])
  func theSoftRimOfANearThingHidesNothingOfItsOwn(
    _ quality: RenderingQuality, edge: (inside: Int, deviation: Float)
  ) throws {
    let (columns, rows) = (320, 64)
    func share(_ x: Int) -> Float { 1 / (1 + exp(-1.7 * (Float(x) - 159.5) / edge.deviation)) }
    let (plane, thing): (Float, Float) = (0.15, 0.85)
    let floats = try RenderCase(
      source: .linear(columns, rows) { x, _ in
        SIMD3(repeating: plane + (thing - plane) * share(x))
      },
      disparity: .disparity(columns, rows) { x, _ in x < 160 + edge.inside ? 0 : 20 / 160 },
      focusDisparity: 0, fNumber: 1, blurScale: 2 * 160 / Float(columns), quality: quality
    ).render(on: .cpu()).floats()
    func code(_ x: Int) -> Float { floats[4 * (rows / 2 * columns + x) + 1].squareRoot() }
    let steepest = (130..<190).map { code($0 + 1) - code($0) }.max() ?? 1
    #expect(steepest < 0.15 * (thing.squareRoot() - plane.squareRoot()))
  }

  /// A near thing whose map has small steps along its edge, before a bright plane far behind the focus, has no specks
  /// there: a mean of its radius and the plane's would be in focus. In codes of a square root every pixel is within
  /// 0.04 of the median of its neighbours; up to two hundred pixels were up to 0.1 away.
  @Test(arguments: [.export, .exportHigh] as [RenderingQuality], [2, 3, 5] as [Float])
  func stepsBesideAnEdgeMakeNoSpecks(_ quality: RenderingQuality, step: Float) throws {
    let (columns, rows) = (320, 192)
    func distance(_ x: Int, _ y: Int) -> Float {
      let (dx, dy) = (Float(x - 210), Float(y - 96))
      return (dx * dx + dy * dy).squareRoot()
    }
    let floats = try RenderCase(
      source: .linear(columns, rows) { x, y in
        distance(x, y) < 80 ? SIMD3(0.06, 0.05, 0.04) : SIMD3(0.3, 0.45, 0.6)
      },
      disparity: .disparity(columns, rows) { x, y in
        let isDented = distance(x, y) > 76 && (x / 2 &* 7919 &+ y / 2 &* 104_729) % 10 > 6
        let radius: Float = distance(x, y) < 80 ? (isDented ? 14 - step : 14) : -40
        return 0.5 + radius / 160
      },
      focusDisparity: 0.5, fNumber: 1, blurScale: 160 / Float(columns), quality: quality
    ).render(on: .cpu()).floats()
    func code(_ x: Int, _ y: Int) -> Float {
      max(0, floats[4 * (y * columns + x) + 1]).squareRoot()
    }
    var specks = 0
    for y in 1..<(rows - 1) {
      for x in 1..<(columns - 1) {
        var around: [Float] = []
        for j in -1...1 {
          for i in -1...1 where i != 0 || j != 0 { around.append(code(x + i, y + j)) }
        }
        around.sort()
        if abs(code(x, y) - 0.5 * (around[3] + around[4])) > 0.04 { specks += 1 }
      }
    }
    #expect(specks == 0)
  }
}
