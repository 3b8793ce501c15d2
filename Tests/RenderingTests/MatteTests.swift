// SPDX-License-Identifier: Apache-2.0

import ConformanceKit
import FocalCPU
import FocalCore
import FocalRendering
import Testing

/// Thin things before what the lens blurs, and before what it does not.
@Suite struct MatteTests {
  static let qualities: [RenderingQuality] = [.preview, .export, .exportHigh]
  private static let size = Dimensions(width: 96, height: 64)
  /// The column of a hair of one pixel.
  private static let hair = 48

  /// Red of a rendering of a hair before a plane; `radius` is that of a disparity difference of 1.
  private func render(
    hairDisparity: Float, focus: Float, radius: Float, _ quality: RenderingQuality,
    light: (Int, Int) -> Float
  ) throws -> [[Float]] {
    let (width, height) = (Self.size.width, Self.size.height)
    let source = try PixelBuffer.linear(width, height) { x, y in SIMD3(repeating: light(x, y)) }
    let disparity = try PixelBuffer.disparity(width, height) { x, _ in
      x == Self.hair ? hairDisparity : 0.1
    }
    let floats = try RenderCase(
      source: source, disparity: disparity, focusDisparity: focus, fNumber: 1,
      blurScale: 2 * radius / Float(width), quality: quality
    ).render(on: .cpu()).floats()
    return (0..<height).map { y in (0..<width).map { x in floats[4 * (y * width + x)] } }
  }

  /// A lamp far behind a hair in focus shines through it: the hair's pixel is as light as the lamp, and its light
  /// belongs to the blur. It must not stay in the picture as a sharp, bright pixel.
  @Test(arguments: qualities)
  func aLightBehindAHairIsNoSpeck(_ quality: RenderingQuality) throws {
    let rows = try render(hairDisparity: 0.9, focus: 0.9, radius: 20, quality) { x, y in
      let behind: Float = y == 20 || y == 40 ? 30 : 0.1
      return x == Self.hair ? 0.7 * 0.02 + 0.3 * behind : 0.1
    }
    let largest = rows.joined().max() ?? 0
    // The pixel is 9 in the sharp picture.
    #expect(largest < 0.6, "a speck of \(largest)")
  }

  /// Lines in focus go on behind a hair that is blurred over them: in its column they have at least seven tenths of
  /// the contrast that they have beside it. The hair's disc, 12 pixels across, covers a twelfth of it.
  @Test(arguments: qualities)
  func linesGoOnBehindAHair(_ quality: RenderingQuality) throws {
    let rows = try render(hairDisparity: 0.5, focus: 0.1, radius: 15, quality) { x, y in
      x == Self.hair ? 0.1 : y / 2 % 2 == 1 ? 0.05 : 0.8
    }
    func contrast(_ x: Int) -> Float {
      let column = rows[8..<56].map { $0[x] }
      let mean = column.reduce(0, +) / Float(column.count)
      return (column.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Float(column.count))
        .squareRoot()
    }
    let kept = contrast(Self.hair) / contrast(Self.hair - 10)
    #expect(kept > 0.7, "\(kept) of the contrast is left")
  }

  /// The processor works on chunks of columns, and on pieces of those that edges need: a pattern that repeats itself has
  /// the same coverage at their seams as elsewhere.
  @Test(arguments: [RenderingQuality.preview, .export])
  func coverageIsTheSameAtTheSeamsOfChunks(_ quality: RenderingQuality) throws {
    let size = Dimensions(width: 1100, height: 12), period = 22
    let source = try PixelBuffer.linear(size.width, size.height) { x, y in
      SIMD3(repeating: 0.05 + 0.04 * Float((7 * (x % period) + 5 * y) % 23))
    }
    let disparity = try PixelBuffer.disparity(size.width, size.height) { x, y in
      (x % period + y) % period < 9 ? 0.8 : 0.2
    }
    var item = RenderCase(
      source: source, disparity: disparity, focusDisparity: 0.8, fNumber: 1, blurScale: 0.02,
      quality: quality)
    item.frame.view = .coverage
    let shown = try item.render(on: .cpu()).floats()
    for y in 0..<size.height {
      let row = shown[4 * y * size.width..<4 * (y + 1) * size.width]
      let inner = row.dropFirst(4 * period).dropLast(4 * period)
      #expect(inner.dropFirst(4 * period).elementsEqual(inner.dropLast(4 * period)), "row \(y)")
      #expect(Set(inner).count > 4, "row \(y) has no edges")
    }
  }
}
