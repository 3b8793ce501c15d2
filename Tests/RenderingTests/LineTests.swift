// SPDX-License-Identifier: Apache-2.0

import ConformanceKit
import FocalCPU
import FocalCore
import FocalRendering
import Testing

/// Near lines narrower than a pixel, whose maps have no antialiasing and hold them in dashes.
@Suite struct LineTests {
  private static let size = Dimensions(width: 240, height: 160)
  private static let ground = SIMD3<Float>(0.12, 0.09, 0.06)
  private static let light = SIMD3<Float>(0.8, 0.75, 0.7)

  /// A line that rises by `slope` pixels in one.
  struct Line: Sendable, CustomTestStringConvertible {
    var slope: Float
    /// Whether columns and rows change places.
    var isSteep = false
    static let halfWidth: Float = 0.35

    var testDescription: String { "\(isSteep ? "steep " : "")\(slope)" }

    /// How far a pixel's centre is from the middle, pixels.
    func distance(_ x: Int, _ y: Int) -> Float {
      let (along, across) = isSteep ? (y, x) : (x, y)
      let off = Float(across) - 79.2 - slope * (Float(along) - 70)
      return abs(off) / (1 + slope * slope).squareRoot()
    }

    /// The part of a pixel that it covers, as if the pixel were turned to it.
    func coverage(_ x: Int, _ y: Int) -> Float {
      min(max(Self.halfWidth + 0.5 - distance(x, y), 0), 2 * Self.halfWidth)
    }
  }

  private static let lines =
    ([0, 0.07, -0.2, 0.45, 0.9] as [Float]).flatMap { slope in
      [Line(slope: slope), Line(slope: slope, isSteep: true)]
    }

  /// The line in front of an even ground, its circles of confusion 10 pixels in radius where the ground is in focus.
  private func floats(_ line: Line, focus: Float, _ quality: RenderingQuality) throws -> [Float] {
    try RenderCase(
      source: .linear(Self.size.width, Self.size.height) { x, y in
        let share = line.coverage(x, y)
        return (1 - share) * Self.ground + share * Self.light
      },
      disparity: .disparity(Self.size.width, Self.size.height) { x, y in
        line.distance(x, y) < Line.halfWidth ? 0.75 : 0.25
      },
      focusDisparity: focus, fNumber: 1, blurScale: 4 * 10 / Float(Self.size.width),
      quality: quality
    ).render(on: .cpu()).floats()
  }

  /// Pixels of the inner part, beyond which dashes have no second end.
  private var inner: [(x: Int, y: Int)] {
    var pixels: [(x: Int, y: Int)] = []
    for y in 30..<130 {
      for x in 30..<(Self.size.width - 100) { pixels.append((x, y)) }
    }
    return pixels
  }

  /// The part of the line's light, beyond the ground's, that a pixel has.
  private func share(_ floats: [Float], _ x: Int, _ y: Int) -> Float {
    let green: Float = floats[4 * (y * Self.size.width + x) + 1]
    return (green - Self.ground.y) / (Self.light.y - Self.ground.y)
  }

  /// Out of focus it leaves no pixel as it was: a line of 0.7 pixels adds 0.04 of its light in its middle. Between the
  /// dashes of the map as it is, pixels had up to 0.5 of it.
  @Test(arguments: lines, [.preview, .export] as [RenderingQuality])
  func aLineOutOfFocusIsGoneAsAWhole(_ line: Line, _ quality: RenderingQuality) throws {
    let floats = try floats(line, focus: 0.25, quality)
    let most = inner.map { share(floats, $0.x, $0.y) }.max() ?? 1
    #expect(most < 0.16)
  }

  /// In focus, pixels that it covers for the most part stay as they are: between the dashes they were blurred with the
  /// ground, and lost up to 0.9 of its light.
  @Test(arguments: lines, [.preview, .export] as [RenderingQuality])
  func aLineInFocusIsWhole(_ line: Line, _ quality: RenderingQuality) throws {
    let floats = try floats(line, focus: 0.75, quality)
    for (x, y) in inner where line.coverage(x, y) > 0.6 {
      #expect(share(floats, x, y) > line.coverage(x, y) - 0.12, "\(x), \(y)")
    }
  }

  /// Dashes that are dashes stay so: what lies between them in focus has their light here and there, and stays sharp.
  @Test(arguments: [.preview, .export] as [RenderingQuality])
  func groundOfTheLinesLightStays(_ quality: RenderingQuality) throws {
    let size = Self.size
    func isNear(_ x: Int, _ y: Int) -> Bool { y == 80 && x % 8 < 4 }
    func light(_ x: Int, _ y: Int) -> SIMD3<Float> {
      let across = UInt32(x / 3) &* 73_856_093
      let hash: UInt32 = across ^ (UInt32(y / 3) &* 19_349_663)
      let isBright = (hash &* 2_654_435_761) >> 28 < 6
      return isNear(x, y) || isBright ? Self.light : Self.ground
    }
    let floats = try RenderCase(
      source: .linear(size.width, size.height, color: light),
      disparity: .disparity(size.width, size.height) { x, y in isNear(x, y) ? 0.75 : 0.25 },
      focusDisparity: 0.25, fNumber: 1, blurScale: 4 * 10 / Float(size.width), quality: quality
    ).render(on: .cpu()).floats()
    for x in 20..<(size.width - 20) where [5, 6].contains(x % 8) {
      let difference = abs(floats[4 * (80 * size.width + x) + 1] - light(x, 80).y)
      #expect(difference < 0.1, "\(x)")
    }
  }
}
