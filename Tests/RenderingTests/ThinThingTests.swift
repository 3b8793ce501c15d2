// SPDX-License-Identifier: Apache-2.0

import ConformanceKit
import FocalCPU
import FocalCore
import FocalRendering
import Testing

/// Things of a few pixels cover as much out of focus as in it, whatever their radius and however fine the layers are.
@Suite struct ThinThingTests {
  private static let size = Dimensions(width: 240, height: 48)
  private static let ground: Float = 0.6
  private static let light: Float = 0.02
  /// Widths of the lines in pixels, and where they begin.
  private static let lines = [
    (width: 1, x: 40), (width: 2, x: 90), (width: 3, x: 141), (width: 5, x: 190),
  ]

  enum Side: String, Sendable, CaseIterable {
    /// In front of a ground in focus.
    case near
    /// Behind the focus, before a ground twice as far out of it.
    case far
  }

  private static func isLine(_ x: Int) -> Bool {
    lines.contains { x >= $0.x && x < $0.x + $0.width }
  }

  /// How much each line takes of the light in a row, in parts of what it takes in focus.
  private func coverage(
    _ side: Side, radius: Float, _ quality: RenderingQuality
  ) throws -> [Float] {
    let ground: Float = side == .near ? 0.25 : 0
    let line: Float = side == .near ? 0.75 : 0.5
    let frame = try RenderCase(
      source: .linear(Self.size.width, Self.size.height) { x, _ in
        SIMD3(repeating: Self.isLine(x) ? Self.light : Self.ground)
      },
      disparity: .disparity(Self.size.width, Self.size.height) { x, _ in
        Self.isLine(x) ? line : ground
      },
      focusDisparity: side == .near ? 0.25 : 1, fNumber: 1,
      blurScale: 4 * radius / Float(Self.size.width), quality: quality
    ).render(on: .cpu()).floats()
    let row = Self.size.height / 2 * Self.size.width
    return Self.lines.map { entry in
      var taken: Float = 0
      for x in entry.x - 24..<entry.x + entry.width + 24 {
        taken += Self.ground - frame[4 * (row + x)]
      }
      return taken / (Self.ground - Self.light) / Float(entry.width)
    }
  }

  /// Layers are as fine as so small a picture at export quality, and half as fine at preview quality, where the focus plate
  /// draws small circles. What is left: two slices that differ by half in radius, and the change from the plate to the
  /// layers between radii of 2 and 4.
  @Test(arguments: Side.allCases, [RenderingQuality.export, .preview])
  func coverAsMuchAsInFocus(_ side: Side, _ quality: RenderingQuality) throws {
    for radius in [1.5, 2, 2.5, 3, 3.5, 4, 4.25, 5, 6.5, 7, 8.5, 9.5] as [Float] {
      let found = try coverage(side, radius: radius, quality)
      for (entry, share) in zip(Self.lines, found) {
        #expect(abs(share - 1) < 0.17, "\(entry.width) pixels at radius \(radius): \(share)")
      }
    }
  }

  /// Near things of small circles are blurred, too: a pixel keeps no more of its line than its disc has of it.
  @Test(arguments: [RenderingQuality.export, .preview])
  func smallCirclesAreNotSharp(_ quality: RenderingQuality) throws {
    let size = Self.size
    let frame = try RenderCase(
      source: .linear(size.width, size.height) { x, _ in
        SIMD3(repeating: x == 120 ? Self.light : Self.ground)
      },
      disparity: .disparity(size.width, size.height) { x, _ in x == 120 ? 0.75 : 0.25 },
      focusDisparity: 0.25, fNumber: 1, blurScale: 4 * 3 / Float(size.width), quality: quality
    ).render(on: .cpu()).floats()
    let darkest = frame[4 * (size.height / 2 * size.width + 120)]
    // A line of one pixel fills a fifth of a disc of three; rounding its shifts to pixels makes it up to half more.
    #expect(darkest > Self.ground - 0.35 * (Self.ground - Self.light))
  }
}
