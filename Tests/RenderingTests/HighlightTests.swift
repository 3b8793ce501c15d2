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

  /// A lamp on a ground, seen in parts: by half and by a quarter in columns, and nothing above them.
  private static func translucent(_ mode: AlphaMode) throws -> PixelBuffer {
    let source = try lamp()
    source.withUnsafeMutableBytes { bytes in
      for y in 0..<size.height {
        for x in 0..<size.width {
          let offset = y * source.planes[0].bytesPerRow + 16 * x
          let alpha: Float = y < 20 ? 0 : [1, 0.5, 0.3, 0.25][x / 2 % 4]
          var pixel = bytes.load(fromByteOffset: offset, as: SIMD4<Float>.self)
          if mode == .premultiplied { pixel *= alpha }
          pixel.w = alpha
          bytes.storeBytes(of: pixel, toByteOffset: offset, as: SIMD4<Float>.self)
        }
      }
    }
    return source
  }

  private static func render(
    from mode: AlphaMode, to result: AlphaMode, highlights: Float, focus: Float,
    on device: Device = .cpu()
  ) throws -> [SIMD4<Float>] {
    var attributes = RenderingSession.Attributes(blurScale: 0.25)
    attributes.highlights = highlights
    let renderer = try FrameRenderer(
      devices: [device], sessionAttributes: attributes, quality: .export)
    let destination = try PixelBuffer(
      dimensions: size, format: .rgbaFloat, tags: .linearBT709, bytesPerRowAlignment: 16)
    var frame = FrameRenderer.Frame(
      number: 0, sourceImage: try translucent(mode),
      sourceDisparity: try .disparity(size.width, size.height) { _, _ in 0.8 },
      attributes: .init(focusDisparity: focus, fNumber: 1.4), destination: destination)
    (frame.sourceAlpha, frame.destinationAlpha) = (mode, result)
    try renderer.finish(renderer.commit(frame))
    return destination.withUnsafeBytes { Array($0.bindMemory(to: SIMD4<Float>.self)) }
  }

  /// By how much two pictures differ at most, in shares of the light where that is above white.
  private static func difference(_ a: [SIMD4<Float>], _ b: [SIMD4<Float>]) -> Float {
    zip(a, b).map { pair in
      let difference: SIMD4<Float> = pair.0 - pair.1
      return max(difference.max(), -difference.min()) / max(pair.1.max(), 1)
    }.max() ?? .infinity
  }

  /// A lamp of which a part is seen is as bright as the whole one, however its light is stored.
  @Test(arguments: [AlphaMode.straight, .premultiplied])
  func partsOfLamps(_ result: AlphaMode) throws {
    let straight = try Self.render(from: .straight, to: result, highlights: 3, focus: 0.2)
    let found = try Self.render(from: .premultiplied, to: result, highlights: 3, focus: 0.2)
    // Divided by alpha and multiplied again: roundings, of light that is lifted by eight.
    #expect(Self.difference(found, straight) < 2e-3)
    let plain = try Self.render(from: .premultiplied, to: result, highlights: 0, focus: 0.2)
    let middle = 60 * Self.size.width + 80
    #expect(found[middle].x > 3 * plain[middle].x)
  }

  /// What is sharp stays as it was, lamps and ground.
  @Test func sharpPartsStay() throws {
    let source = try Self.translucent(.premultiplied)
    let before = source.withUnsafeBytes { Array($0.bindMemory(to: SIMD4<Float>.self)) }
    let after = try Self.render(
      from: .premultiplied, to: .premultiplied, highlights: 3, focus: 0.8)
    #expect(Self.difference(after, before) < 1e-4)
  }

  @Test(arguments: TestDevices.graphics) func partsOfLampsOnEveryDevice(_ device: Device) throws {
    func render(_ device: Device) throws -> [SIMD4<Float>] {
      try Self.render(
        from: .premultiplied, to: .straight, highlights: 3, focus: 0.2, on: device)
    }
    let isSame = try render(device) == render(.cpu())
    #expect(isSame)
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
