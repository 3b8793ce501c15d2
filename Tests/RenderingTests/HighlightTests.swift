// SPDX-License-Identifier: Apache-2.0

import ConformanceKit
import FocalCPU
import FocalCore
import FocalRendering
import Testing

/// Light that was clipped at white is lifted before the blur and brought back after it.
@Suite struct HighlightTests {
  private static let size = Dimensions(width: 160, height: 120)

  /// A clipped lamp of 3 x 3 pixels before a dark ground.
  private static func lamp() throws -> PixelBuffer {
    try PixelBuffer.linear(size.width, size.height) { x, y in
      SIMD3(repeating: abs(x - 80) < 2 && abs(y - 60) < 2 ? 1 : 0.01)
    }
  }

  private static func render(
    _ source: PixelBuffer, highlights: Float, focus: Float = 0.2, format: PixelFormat = .rgbaFloat,
    tags: ColorTags = .linearBT709, on device: Device = .cpu()
  ) throws -> PixelBuffer {
    let map = try PixelBuffer.disparity(size.width, size.height) { _, _ in 0.8 }
    var item = RenderCase(
      source: source, disparity: map, focusDisparity: focus, fNumber: 1.4, blurScale: 0.25)
    item.session.highlights = highlights
    return try item.render(on: device, format: format, tags: tags)
  }

  private static func red(_ buffer: PixelBuffer, _ x: Int, _ y: Int) -> Float {
    buffer.withUnsafeBytes {
      $0.load(fromByteOffset: y * buffer.planes[0].bytesPerRow + 16 * x, as: Float.self)
    }
  }

  /// A disc is brighter by the stops that the lamp was, above the ground.
  @Test(arguments: [Float(1), 2, 3]) func discs(_ stops: Float) throws {
    let source = try Self.lamp()
    let plain = Self.red(try Self.render(source, highlights: 0), 80, 60) - 0.01
    let lifted = Self.red(try Self.render(source, highlights: stops), 80, 60) - 0.01
    #expect(plain > 0.01 && plain < 0.1)
    var factor: Float = 1
    for _ in 0..<Int(stops) { factor *= 2 }
    #expect(abs(lifted / plain / factor - 1) < 0.03, "\(lifted / plain)")
  }

  /// Codes of what is sharp are those of the source.
  @Test func sharpPicturesStay() throws {
    let light = try PixelBuffer.linear(Self.size.width, Self.size.height) { x, y in
      let v = Float(x) / Float(Self.size.width - 1)
      return SIMD3(v, 0.8 * v, Float(y) / 120)
    }
    let source = try light.converted(to: .rgba8, tags: .sRGB)
    let plain = try Self.render(source, highlights: 0, focus: 0.8, format: .rgba8, tags: .sRGB)
    let lifted = try Self.render(source, highlights: 4, focus: 0.8, format: .rgba8, tags: .sRGB)
    #expect(plain.pixelBytes() == source.pixelBytes())
    #expect(lifted.pixelBytes() == source.pixelBytes())
  }

  /// Nothing is beyond white that was not before.
  @Test func whiteStaysWhite() throws {
    let source = try PixelBuffer.linear(Self.size.width, Self.size.height) { x, _ in
      SIMD3(repeating: x < 80 ? 1 : 0)
    }
    let result = try Self.render(source, highlights: 6)
    for x in [10, 40, 70, 79, 80, 90, 150] {
      let value = Self.red(result, x, 60)
      #expect(value <= 1.0001 && value >= -0.0001)
    }
    #expect(abs(Self.red(result, 10, 60) - 1) < 1e-4)
  }

  @Test(arguments: TestDevices.graphics) func everyDevice(_ device: Device) throws {
    let source = try Self.lamp()
    #expect(
      try Self.render(source, highlights: 2.5, on: device).pixelBytes()
        == Self.render(source, highlights: 2.5).pixelBytes())
  }

  @Test func refusals() throws {
    let source = try Self.lamp()
    for stops in [Float(-1), 9, .nan] {
      #expect(throws: CinematicError.self) { try Self.render(source, highlights: stops) }
    }
    let film = try source.converted(to: .yuv420Video10, tags: .hlg)
    #expect(throws: CinematicError.self) { try Self.render(film, highlights: 1) }
  }
}
