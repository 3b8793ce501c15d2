// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import Foundation
import Testing

/// Colours of wide primaries in files that cannot say them: the same colours, by BT.709's.
@Suite struct WideGamutTests {
  private static let displayP3 = ColorTags(primaries: .displayP3, transfer: .srgb, matrix: .bt709)
  private static let size = Dimensions(width: 5, height: 2)
  /// A colour that BT.709 does not reach, one that it does, and gray, twice.
  private static let colors: [SIMD3<Float>] = [
    SIMD3(0, 1, 0), SIMD3(0.5, 0.4, 0.3), SIMD3(0.25, 0.25, 0.25), SIMD3(1, 1, 1), SIMD3(1, 0, 0),
  ]

  private static func picture(_ tags: ColorTags) throws -> PixelBuffer {
    let values = (colors + colors).flatMap { color -> [Float] in [color.x, color.y, color.z, 1] }
    return try PixelBuffer(dimensions: size, format: .rgbaFloat, tags: tags, values: values)
  }

  private func write(
    _ picture: PixelBuffer, _ name: String, in folder: ScratchFolder,
    metadata: PictureMetadata = PictureMetadata()
  ) throws {
    try PictureWriter.write(
      picture, to: folder.file(name), metadata: metadata, overwrite: true,
      temporaryFiles: folder.temporaryFiles)
  }

  /// Red, green and blue of a file's first pixels.
  private func read(
    _ name: String, in folder: ScratchFolder
  ) async throws -> (tags: ColorTags, colors: [SIMD3<Float>]) {
    let frame = try #require(try await frames(folder.file(name)).first).pixelBuffer
    let values = frame.values(Float.self)
    let colors = Self.colors.indices.map {
      SIMD3(values[4 * $0], values[4 * $0 + 1], values[4 * $0 + 2])
    }
    return (frame.tags, colors)
  }

  private static func isNear(_ a: SIMD3<Float>, _ b: SIMD3<Float>, within limit: Float) -> Bool {
    let difference: SIMD3<Float> = a - b
    return max(difference.max(), -difference.min()) < limit
  }

  /// The light by BT.709's primaries.
  private static func inBT709(
    _ color: SIMD3<Float>, from primaries: ColorTags.Primaries
  ) -> SIMD3<Float> {
    let conversion = PrimariesConversion(from: primaries, to: .bt709)
    return SIMD3<Float>(conversion.applied(to: SIMD3<Double>(color)))
  }

  /// Light keeps what lies outside below zero, and gray to the bit.
  @Test(arguments: [ColorTags.Primaries.displayP3, .bt2020, .smpte170m])
  func light(_ primaries: ColorTags.Primaries) async throws {
    let folder = ScratchFolder()
    let tags = ColorTags(primaries: primaries, transfer: .linear, matrix: .bt709)
    try write(Self.picture(tags), "a.pfm", in: folder)
    let (written, colors) = try await read("a.pfm", in: folder)
    #expect(written == .linearBT709)
    for (color, found) in zip(Self.colors, colors) {
      #expect(Self.isNear(found, Self.inBT709(color, from: primaries), within: 1e-6), "\(found)")
    }
    #expect(colors[2] == Self.colors[2] && colors[3] == Self.colors[3])
    #expect((colors[0].min() < -0.01) == (primaries != .smpte170m))
    // Files that say primaries have the light as it is.
    try write(Self.picture(tags), "a.exr", in: folder)
    guard primaries != .smpte170m else { return }
    let (said, same) = try await read("a.exr", in: folder)
    #expect(said.primaries == primaries && same == Self.colors)
  }

  private static func decoded(_ code: Float) -> Float {
    code <= 0.04045 ? code / 12.92 : powf((code + 0.055) / 1.055, 2.4)
  }

  private static func encoded(_ light: Float) -> Float {
    light <= 0.0031308 ? 12.92 * light : 1.055 * powf(light, 1 / 2.4) - 0.055
  }

  /// Codes of ten bits are cut at both ends.
  @Test(arguments: [PixelFormat.rgbaFloat, .rgba8]) func codes(_ format: PixelFormat) async throws {
    let folder = ScratchFolder()
    var picture = try Self.picture(Self.displayP3)
    if format == .rgba8 {
      let codes = picture.values(Float.self).map { UInt8(($0 * 255).rounded()) }
      picture = try PixelBuffer(
        dimensions: Self.size, format: format, tags: Self.displayP3, values: codes)
    }
    try write(picture, "a.dpx", in: folder)
    #expect(folder.read("a.dpx")[802] == 6)
    let (tags, colors) = try await read("a.dpx", in: folder)
    #expect(tags == .sRGB)
    for (index, found) in colors.enumerated() {
      let code = (0..<3).map { component -> Float in
        let exact = Self.colors[index][component]
        return Self.decoded(format == .rgba8 ? (exact * 255).rounded() / 255 : exact)
      }
      let light = Self.inBT709(SIMD3(code[0], code[1], code[2]), from: .displayP3)
      let wanted = SIMD3(
        Self.encoded(max(light.x, 0)), Self.encoded(max(light.y, 0)), Self.encoded(max(light.z, 0))
      ).clamped(lowerBound: SIMD3(repeating: 0), upperBound: SIMD3(repeating: 1))
      // Half a step of ten bits, and single precision on the way.
      #expect(Self.isNear(found, wanted, within: 0.52 / 1023), "\(index): \(found) \(wanted)")
    }
    // What is rendered for it is not dithered before.
    let output = try OutputFormat(path: "a.dpx")
    let wide = try output.pixelFormat(forSource: .rgba8, tags: Self.displayP3, isClip: false)
    let usual = try output.pixelFormat(forSource: .rgba8, tags: .sRGB, isClip: false)
    #expect(wide.format == .rgbaFloat && usual.format == .rgba8)
  }

  /// DPX has numbers for the primaries of BT.601, whose codes stay.
  @Test(arguments: [(.bt470bg, 7), (.smpte170m, 8)] as [(ColorTags.Primaries, UInt8)])
  func standardDefinition(_ primaries: ColorTags.Primaries, _ number: UInt8) async throws {
    let folder = ScratchFolder()
    let picture = try Self.picture(
      ColorTags(primaries: primaries, transfer: .srgb, matrix: .bt601))
    try write(picture, "a.dpx", in: folder)
    #expect(folder.read("a.dpx")[802] == number)
    let (tags, colors) = try await read("a.dpx", in: folder)
    #expect(tags.primaries == primaries && tags.transfer == .srgb)
    for (color, found) in zip(Self.colors, colors) {
      #expect(Self.isNear(color, found, within: 0.51 / 1023))
    }
  }

  /// A camera's codes and their light stay as they are, whatever the tags say.
  @Test func camera() async throws {
    let folder = ScratchFolder()
    var metadata = PictureMetadata()
    metadata.cameraGamut = LogCurve.appleLog.gamut
    for (name, transfer) in [("a.dpx", ColorTags.Transfer.bt709), ("a.pfm", .linear)] {
      let tags = ColorTags(primaries: .bt2020, transfer: transfer, matrix: .bt2020)
      try write(Self.picture(tags), name, in: folder, metadata: metadata)
      let (_, colors) = try await read(name, in: folder)
      for (color, found) in zip(Self.colors, colors) {
        #expect(Self.isNear(color, found, within: 0.51 / 1023), "\(name)")
      }
    }
  }

  /// Row by row it is the same file.
  @Test(arguments: ["pfm", "dpx"]) func strips(_ ending: String) throws {
    let folder = ScratchFolder()
    var tags = Self.displayP3
    if ending == "pfm" { tags.transfer = .linear }
    let picture = try Scene.smooth(24, 20, .rgbaFloat, tags: tags)
    try write(picture, "whole.\(ending)", in: folder)
    var settings = WriterSettings(
      dimensions: picture.dimensions, pixelFormat: .rgbaFloat, tags: tags)
    settings.temporaryFiles = folder.temporaryFiles
    let writer = try PictureStripWriter(
      folder.file("strips.\(ending)"), settings: settings, hasAlpha: false)
    for rows in [0..<7, 7..<20] { try writer.append(picture.part(columns: 0..<24, rows: rows)) }
    try writer.finish()
    let isSame = folder.read("strips.\(ending)") == folder.read("whole.\(ending)")
    #expect(isSame && !folder.read("whole.\(ending)").isEmpty)
  }
}
