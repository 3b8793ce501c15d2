// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import Testing

/// OpenEXR files of primaries and of light that nothing else has.
@Suite struct ChromaticityTests {
  /// x and y of red, green, blue and white of ACES2065-1 (SMPTE ST 2065-1).
  private static let aces: [Float] = [
    0.7347, 0.2653, 0, 1, 0.0001, -0.077, 0.32168, 0.33767,
  ]
  /// From it to BT.709 with Bradford's adaptation, as published.
  private static let matrix: [[Float]] = [
    [2.5217, -1.1341, -0.3876], [-0.2765, 1.3727, -0.0962], [-0.0154, -0.1530, 1.1684],
  ]
  private static let colors: [[Float]] = [
    [1, 1, 1], [0.18, 0.18, 0.18], [0.9, 0.1, 0.05], [0.2, 0.7, 0.1], [0.02, 0.05, 0.4],
    [12, 8, 3],
  ]

  private static func picture(_ colors: [[Float]] = colors) throws -> PixelBuffer {
    try PixelBuffer(
      dimensions: Dimensions(width: colors.count, height: 1), format: .rgbaFloat,
      tags: ColorTags(primaries: .displayP3, transfer: .linear, matrix: .bt709),
      values: colors.flatMap { $0 + [1] })
  }

  /// A file that says other primaries than it was written with.
  private static func write(_ chromaticities: [Float], to path: String, _ folder: ScratchFolder)
    throws
  {
    try PictureWriter.write(picture(), to: folder.file(path), overwrite: true)
    var bytes = folder.read(path)
    let name = Array("chromaticities\0chromaticities\0".utf8)
    let place = try #require(bytes.indices.first { bytes[$0...].starts(with: name) })
    let stored = chromaticities.flatMap { value in
      withUnsafeBytes(of: value.bitPattern.littleEndian) { Array($0) }
    }
    bytes.replaceSubrange((place + name.count + 4)..<(place + name.count + 36), with: stored)
    folder.write(bytes, to: path)
  }

  private static func pixels(
    _ path: String, _ options: ReadOptions = ReadOptions()
  ) async throws -> (SourceProperties, [[Float]]) {
    let reader = try await FrameReader.open(path, options: options)
    let frame = try #require(try await reader.next())
    let values = frame.pixelBuffer.values(Float.self)
    return (
      reader.properties,
      stride(from: 0, to: values.count, by: 4).map { Array(values[$0..<($0 + 3)]) }
    )
  }

  @Test func lightBecomesThatOfBT709() async throws {
    let folder = ScratchFolder()
    try Self.write(Self.aces, to: "a.exr", folder)
    let (properties, read) = try await Self.pixels(folder.file("a.exr"))
    #expect(properties.tags == .linearBT709)
    #expect(properties.pictureMetadata.assumption?.contains("primaries of its own") == true)
    for (color, found) in zip(Self.colors, read) {
      for channel in 0..<3 {
        let wanted = zip(Self.matrix[channel], color).reduce(0) { $0 + $1.0 * $1.1 }
        #expect(abs(found[channel] - wanted) < 2e-3 * (color.max() ?? 1), "\(color) \(found)")
      }
    }
    // Gray is gray, and out of reach is below zero.
    #expect(read[1].allSatisfy { abs($0 - 0.18) < 1e-4 })
    #expect(read[2].min() ?? 0 < 0)
  }

  /// A file that says its primaries keeps its light, and they come again in what is written.
  @Test func lightIsKept() async throws {
    let folder = ScratchFolder()
    try Self.write(Self.aces, to: "a.exr", folder)
    var options = ReadOptions()
    options.keepsChromaticities = true
    let (properties, read) = try await Self.pixels(folder.file("a.exr"), options)
    for (color, found) in zip(Self.colors, read) {
      for channel in 0..<3 { #expect(abs(found[channel] - color[channel]) < 6e-3 * color[channel]) }
    }
    #expect(properties.pictureMetadata.assumption == nil)
    // Known primaries with another white are adapted; with their own nothing is done.
    let cinema: [Float] = [0.680, 0.320, 0.265, 0.690, 0.150, 0.060, 0.314, 0.351]
    try Self.write(cinema, to: "b.exr", folder)
    let (adapted, gray) = try await Self.pixels(folder.file("b.exr"))
    #expect(adapted.tags.primaries == .bt709 && gray[1].allSatisfy { abs($0 - 0.18) < 1e-4 })
    try PictureWriter.write(Self.picture(), to: folder.file("c.exr"))
    let (own, same) = try await Self.pixels(folder.file("c.exr"))
    #expect(own.tags.primaries == .displayP3 && abs(same[2][0] - 0.9) < 1e-3)
  }

  @Test func pointsWithoutColours() async throws {
    let folder = ScratchFolder()
    for points in [
      [Float](repeating: 0.3, count: 8), [0.64, 0.33, 0.3, 0.6, 0.15, 0.06, 0.3127, 0],
      [.nan, 0.33, 0.3, 0.6, 0.15, 0.06, 0.3127, 0.329],
    ] {
      try Self.write(points, to: "a.exr", folder)
      let error = await BadInputTests.reading(folder.file("a.exr"))
      #expect(error?.code == .malformed, "\(points)")
      #expect(error?.message.contains("a.exr") == true && error?.remedy != nil)
    }
  }

  /// Light that is cut is told, and what is no light.
  @Test func brightLight() async throws {
    let folder = ScratchFolder()
    for (value, isAbove) in [
      (Float(65504), false), (65600, true), (.infinity, true), (.nan, false), (-1e6, false),
    ] {
      var bytes = Array("PF\n3 2\n-1.0\n".utf8)
      for index in 0..<18 {
        let number: Float = index == 13 ? value : 0.5
        withUnsafeBytes(of: number.bitPattern.littleEndian) { bytes += $0 }
      }
      folder.write(bytes, to: "a.pfm")
      let properties = try await FrameReader.open(folder.file("a.pfm")).properties
      #expect(properties.pictureMetadata.exceedsLight == isAbove, "\(value)")
      #expect(properties.pictureMetadata.holdsNotANumber == value.isNaN, "\(value)")
    }
    try PictureWriter.write(Scene.noise(9, 9, .rgba8), to: folder.file("a.png"))
    #expect(
      try await !FrameReader.open(folder.file("a.png")).properties.pictureMetadata.exceedsLight)
  }

  /// Row by row it is known when the rows are read, whichever has it.
  @Test(arguments: [Float.nan, .infinity, 1]) func unusualRows(_ value: Float) throws {
    let folder = ScratchFolder()
    let picture = try Scene.smooth(9, 300, .rgbaFloat, tags: .linearBT709)
    picture.withUnsafeMutableBytes {
      $0.storeBytes(
        of: value, toByteOffset: 280 * picture.planes[0].bytesPerRow + 20, as: Float.self)
    }
    try PictureWriter.write(
      picture, to: folder.file("a.exr"), temporaryFiles: folder.temporaryFiles)
    let reader = try #require(try PictureStripReader.open(folder.file("a.exr")))
    _ = try reader.strip(0..<100)
    #expect(!reader.holdsNotANumber && !reader.exceedsLight)
    _ = try reader.strip(100..<300)
    #expect(reader.holdsNotANumber == value.isNaN)
    #expect(reader.exceedsLight == (value == .infinity))
  }
}
