// SPDX-License-Identifier: Apache-2.0

import ConformanceKit
import FocalCPU
import FocalCore
import FocalRendering
import Testing

/// Thumbnails of larger pictures are worked on at half their size; what is sharp comes back whole.
@Suite struct HalvedFrameTests {
  private static let size = Dimensions(width: 1203, height: 701)

  /// Detail of single pixels everywhere; a near square before a far ground.
  private static func scene(focus: Float, turn: QuarterTurn = .identity) throws -> RenderCase {
    let source = try PixelBuffer.linear(size.width, size.height) { x, y in
      SIMD3((x + y) % 2 == 0 ? 0.8 : 0.1, Float(x % 7) / 7, Float(y % 5) / 5)
    }
    let map = try PixelBuffer.disparity(size.width, size.height) { x, y in
      isNear(x, y) ? 0.75 : 0.25
    }
    return RenderCase(
      source: source, disparity: map, focusDisparity: focus, fNumber: 1, blurScale: 0.05,
      transform: turn, quality: .thumbnail)
  }

  private static func isNear(_ x: Int, _ y: Int) -> Bool {
    (400..<800).contains(x) && (200..<500).contains(y)
  }

  /// Pixels in focus keep their light to the bit, away from edges; pixels out of focus do not.
  @Test(arguments: [Float(0.25), 0.75]) func detail(_ focus: Float) throws {
    let item = try Self.scene(focus: focus)
    let given = item.source.pixelBytes()
    let shown = try item.render(on: .cpu()).pixelBytes()
    let (width, height) = (Self.size.width, Self.size.height)
    var (kept, lost, count) = (0, 0, 0)
    // Farther from the square's edges than circles of 15 pixels reach.
    for (y, x) in [(20, 20), (100, 300), (100, 1100), (350, 600), (300, 500), (690, 1200)] {
      for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] where x + dx < width && y + dy < height {
        let o = 16 * ((y + dy) * width + x + dx)
        let isSame = given[o..<o + 12].elementsEqual(shown[o..<o + 12])
        let isSharp = Self.isNear(x, y) == (focus == 0.75)
        kept += isSharp && isSame ? 1 : 0
        lost += !isSharp && !isSame ? 1 : 0
        count += 1
      }
    }
    #expect(kept + lost == count, "\(kept) kept and \(lost) lost of \(count)")
  }

  /// A frame without blur is its source.
  @Test func noBlur() throws {
    var item = try Self.scene(focus: 0.25)
    item.frame.fNumber = .infinity
    #expect(try item.render(on: .cpu()).pixelBytes() == item.source.pixelBytes())
  }

  /// The mean light of what is blurred stays.
  @Test func energy() throws {
    let shown = try Self.scene(focus: 0.25).render(on: .cpu()).pixelBytes()
    var sum: Float = 0
    for y in 300..<400 {
      for x in 500..<700 {
        sum += shown.withUnsafeBytes {
          $0.loadUnaligned(fromByteOffset: 16 * (y * Self.size.width + x), as: Float.self)
        }
      }
    }
    #expect(abs(sum / 20_000 - 0.45) < 0.002, "\(sum / 20_000)")
  }
}
