// SPDX-License-Identifier: Apache-2.0

import ConformanceKit
import FocalCPU
import FocalCore
import FocalRendering
import Testing

/// A picture without blur comes out as it went in.
@Suite struct IdentityTests {
  static let tags: [ColorTags] = [.sRGB, .bt709, .hlg, .pq, .linearBT709]
  static let sizes = [(1, 1), (2, 2), (1, 7), (9, 1), (67, 41), (64, 64), (130, 66)]

  @Test(arguments: RenderingSession.sourcePixelFormats, RenderingQuality.allCases)
  func infiniteFNumberChangesNothing(_ format: PixelFormat, _ quality: RenderingQuality) throws {
    for (index, (width, height)) in Self.sizes.enumerated() {
      let tags = Self.tags[index % Self.tags.count]
      // Smooth chroma: what 4:2:0 keeps of it passes through its two filters unchanged.
      let picture = try PixelBuffer.linear(width, height) { x, y in
        SIMD3(repeating: 0.1 + 0.8 * Float((x * 7 + y * 13) % 32) / 32)
      }.converted(to: format, tags: tags)
      let result = try RenderCase(
        source: picture, disparity: .disparity(8, 8) { x, y in Float(x + y) / 14 },
        focusDisparity: 0.2, fNumber: .infinity, quality: quality
      ).render(on: .cpu())
      if format.isFloatingPoint {
        let before = try picture.floats()
        let after = try result.floats()
        // Float formats go through the transfer function and back, which costs a few ULP; half a
        // code of 12 bits is far more than that and far less than anyone sees.
        #expect(zip(before, after).allSatisfy { abs($0 - $1) <= 1.2e-4 * max(1, abs($0)) })
      } else {
        #expect(result.pixelBytes() == picture.pixelBytes(), "\(format) \(tags) \(width)x\(height)")
      }
    }
  }

  @Test(arguments: RenderingQuality.allCases)
  func aMapThatIsInFocusEverywhereChangesNothing(_ quality: RenderingQuality) throws {
    let picture = try PixelBuffer.noise(97, 55, seed: 5, maximum: 8)
    let result = try RenderCase(
      source: picture, disparity: .disparity(32, 18) { _, _ in 0.4 }, focusDisparity: 0.4,
      fNumber: 1.4, quality: quality
    ).render(on: .cpu())
    #expect(result.pixelBytes() == picture.pixelBytes())
  }

  @Test(arguments: QuarterTurn.allCases)
  func theDestinationIsTurned(_ turn: QuarterTurn) throws {
    let picture = try PixelBuffer.noise(13, 7, seed: 9)
    let result = try RenderCase(
      source: picture, disparity: .disparity(4, 4) { _, _ in 1 }, focusDisparity: 1, fNumber: 2,
      transform: turn
    ).render(on: .cpu())
    let before = try picture.floats()
    let after = try result.floats()
    for y in 0..<picture.height {
      for x in 0..<picture.width {
        let shown = turn.applied(
          to: NormalizedPoint(
            x: (Double(x) + 0.5) / Double(picture.width),
            y: (Double(y) + 0.5) / Double(picture.height)))
        let (tx, ty) = shown.pixel(in: result.dimensions)
        #expect(after[4 * (ty * result.width + tx)] == before[4 * (y * picture.width + x)])
      }
    }
  }
}
