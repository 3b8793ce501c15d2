// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Testing

@testable import FocalMedia

/// Masks: the alpha of cut-outs, else gray.
@Suite struct MaskTests {
  private static let size = Dimensions(width: 16, height: 4)

  /// White whose alpha is a ramp from 0 to 1.
  private static func cutOut(_ format: PixelFormat) throws -> PixelBuffer {
    if format == .rgba8 {
      let codes = (0..<size.count).flatMap { place -> [UInt8] in
        [255, 255, 255, UInt8(17 * (place % size.width))]
      }
      return try PixelBuffer(dimensions: size, format: .rgba8, values: codes)
    }
    // Light in OpenEXR is multiplied by alpha.
    let light = (0..<size.count).map { place in
      SIMD4<Float>(repeating: Float(place % size.width) / 15)
    }
    return try PixelBuffer(
      dimensions: size, format: .rgbaFloat, tags: .linearBT709, values: light)
  }

  private static func read(_ path: String) async throws -> (map: PixelBuffer, isColored: Bool) {
    let reader = try await FrameReader.open(path, options: ReadOptions(content: .mask))
    let frame = try #require(try await reader.next())
    return (frame.pixelBuffer, reader.properties.pictureMetadata.isColoredMap)
  }

  @Test(arguments: ["png", "tif", "exr"]) func alphaOfCutOuts(_ ending: String) async throws {
    let folder = ScratchFolder()
    let path = folder.file("cut.\(ending)")
    try PictureWriter.write(
      Self.cutOut(ending == "exr" ? .rgbaFloat : .rgba8), to: path,
      temporaryFiles: folder.temporaryFiles)
    let (mask, isColored) = try await Self.read(path)
    #expect(mask.format == .disparityFloat && !isColored)
    for x in 0..<Self.size.width {
      let value = try #require(mask.disparity(x: x, y: 1))
      #expect(abs(value - Float(x) / 15) < 1e-3, "\(x): \(value)")
    }
  }

  @Test func grayOfOpaquePictures() async throws {
    let folder = ScratchFolder()
    let codes = (0..<Self.size.count).flatMap { place -> [UInt8] in
      let gray = UInt8(17 * (place % Self.size.width))
      return [gray, gray, gray, 255]
    }
    try PictureWriter.write(
      PixelBuffer(dimensions: Self.size, format: .rgba8, values: codes),
      to: folder.file("gray.png"), temporaryFiles: folder.temporaryFiles)
    let (mask, isColored) = try await Self.read(folder.file("gray.png"))
    #expect(!isColored)
    for x in 0..<Self.size.width {
      let value = try #require(mask.disparity(x: x, y: 2))
      #expect(abs(value - Float(x) / 15) < 1e-3, "\(x): \(value)")
    }
    let red = (0..<Self.size.count).flatMap { _ -> [UInt8] in [255, 0, 0, 255] }
    try PictureWriter.write(
      PixelBuffer(dimensions: Self.size, format: .rgba8, values: red), to: folder.file("red.png"),
      temporaryFiles: folder.temporaryFiles)
    #expect(try await Self.read(folder.file("red.png")).isColored)
  }

  /// One sequence has masks of one kind.
  @Test(arguments: [true, false]) func masksOfTwoKinds(_ beginsWithCutOut: Bool) async throws {
    let folder = ScratchFolder()
    let gray = try PixelBuffer(
      dimensions: Self.size, format: .gray8, values: [UInt8](repeating: 90, count: Self.size.count))
    let masks = [try Self.cutOut(.rgba8), gray]
    for (number, mask) in (beginsWithCutOut ? masks : masks.reversed()).enumerated() {
      try PictureWriter.write(
        mask, to: folder.file("m\(number).png"), temporaryFiles: folder.temporaryFiles)
    }
    let reader = try await FrameReader.open(
      folder.file("m%d.png"), options: ReadOptions(content: .mask))
    _ = try await reader.next()
    let error = await #expect(throws: CinematicError.self) { try await reader.next() }
    #expect(error?.code == .incompatible)
    #expect(error?.message.contains("m1.png") == true)
  }
}
