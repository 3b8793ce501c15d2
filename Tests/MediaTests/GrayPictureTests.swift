// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Foundation
import Testing

@testable import FocalMedia

/// Photographs of one component stay that, with their profile.
@Suite struct GrayPictureTests {
  private static let tags = ColorTags.sRGB

  /// A JPEG of one component with a profile of gray.
  private static func tagged(_ profile: [UInt8], in folder: ScratchFolder) throws -> String {
    try PictureWriter.write(
      Scene.smooth(64, 48, .gray8, tags: tags), to: folder.file("plain.jpg"), quality: 100,
      temporaryFiles: folder.temporaryFiles)
    folder.write(
      PhotographMaterial.adding(
        [PhotographMaterial.profileSegment(profile)], to: folder.read("plain.jpg")),
      to: "in.jpg")
    return folder.file("in.jpg")
  }

  /// One gray of a PNG may be transparent, of any number of bits. Higher bits of its code do not count.
  @Test(arguments: [1, 2, 4, 8], [0x0001, 0x0101])
  func transparentGray(_ bits: Int, _ code: Int) async throws {
    let folder = ScratchFolder()
    let big = PhotographMaterial.big
    // A ramp of all codes, or of the first 16.
    let (width, most) = (16, 1 << bits - 1)
    let codes = (0..<width).map { $0 % (most + 1) }
    var row = [UInt8](repeating: 0, count: (width * bits + 7) / 8)
    for (x, code) in codes.enumerated() {
      row[x * bits / 8] |= UInt8(code) << (8 - bits - x * bits % 8)
    }
    let chunks: [(String, [UInt8])] = [
      ("IHDR", big(width, 4) + big(1, 4) + [UInt8(bits), 0, 0, 0, 0]), ("tRNS", big(code, 2)),
      ("IDAT", PNGFormat.stored([0] + row)), ("IEND", []),
    ]
    let head: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    folder.write(head + chunks.flatMap { PNGFormat.chunk($0.0, $0.1) }, to: "a.png")
    let reader = try await FrameReader.open(folder.file("a.png"))
    #expect(reader.properties.codedPixels?.hasAlpha == true)
    #expect(reader.properties.pictureMetadata.isGray)
    let read = try #require(try await reader.next()).pixelBuffer.packedBytes()
    let wanted = codes.flatMap { code -> [UInt8] in
      let gray = UInt8(code * 255 / most)
      return [gray, gray, gray, code == 1 ? 0 : 255]
    }
    #expect(read == wanted)
    let strips = try #require(try PictureStripReader.open(folder.file("a.png")))
    #expect(try strips.strip(0..<1).packedBytes() == wanted)
  }

  /// Gamma 1.8 is no curve that tags name: codes become light and codes again.
  @Test(arguments: ["png", "tif", "jpg"]) func profile(_ ending: String) async throws {
    let folder = ScratchFolder()
    let profile = PhotographMaterial.grayProfile(gamma: 1.8)
    let reader = try await FrameReader.open(Self.tagged(profile, in: folder))
    #expect(reader.properties.tags == .linearBT709)
    let light = try #require(try await reader.next()).pixelBuffer
    let plain = try #require(try await frames(folder.file("plain.jpg")).first).pixelBuffer
    let codes = plain.packedBytes()
    #expect(plain.format == .gray8 && light.format == .rgbaFloat)
    let values = light.values(Float.self)
    for index in stride(from: 0, to: codes.count, by: 97) {
      // Little CMS has a table of 4096 steps for a gamma.
      let wanted = powf(Float(codes[index]) / 255, 1.8)
      #expect(abs(values[4 * index] - wanted) < 1e-3)
      #expect(
        values[4 * index] == values[4 * index + 1] && values[4 * index] == values[4 * index + 2])
    }
    let pixels = try OutputFormat(path: "out.\(ending)").pixelFormat(for: reader.properties)
    #expect(pixels.format == .rgbaFloat && pixels.tags == .linearBT709)
    let metadata = reader.properties.pictureMetadata
    #expect(metadata.losses(in: StillKind(ending: ending)) == [])
    try PictureWriter.write(
      light, to: folder.file("out.\(ending)"), metadata: metadata, quality: 100,
      temporaryFiles: folder.temporaryFiles)
    let out = try await FrameReader.open(folder.file("out.\(ending)")).properties
    #expect(out.pictureMetadata.isGray && out.bitDepth == 8)
    #expect(out.pictureMetadata.profile?.bytes == profile)
    // A picture in its own right, read without the profile, has the codes of the source.
    let bare = try await FrameReader.open(
      folder.file("out.\(ending)"), options: ReadOptions(transfer: .srgb))
    let written = try #require(try await bare.next()).pixelBuffer
    #expect(written.format == .gray8)
    let most = zip(written.packedBytes(), codes).map { abs(Int($0) - Int($1)) }.max()
    // JPEG's own rounding.
    #expect(try #require(most) <= (ending == "jpg" ? 1 : 0))
  }

  /// Where a profile's connection space is Lab, a straight curve is that of lightness, not of light.
  @Test(arguments: ["png", "jpg"]) func lightness(_ ending: String) async throws {
    let folder = ScratchFolder()
    var profile = PhotographMaterial.grayProfile(gamma: 1)
    profile.replaceSubrange(20..<24, with: Array("Lab ".utf8))
    let reader = try await FrameReader.open(Self.tagged(profile, in: folder))
    #expect(reader.properties.tags == .linearBT709)
    let light = try #require(try await reader.next()).pixelBuffer
    let codes = try #require(try await frames(folder.file("plain.jpg")).first).pixelBuffer
      .packedBytes()
    let values = light.values(Float.self)
    for index in stride(from: 0, to: codes.count, by: 97) {
      // CIE 15: above 8 a cube, below a line.
      let lightness = Float(codes[index]) / 2.55
      let wanted = lightness > 8 ? powf((lightness + 16) / 116, 3) : lightness / 903.2963
      #expect(abs(values[4 * index] - wanted) < 1e-4)
    }
    try PictureWriter.write(
      light, to: folder.file("out.\(ending)"), metadata: reader.properties.pictureMetadata,
      quality: 100, temporaryFiles: folder.temporaryFiles)
    let out = try await FrameReader.open(folder.file("out.\(ending)")).properties
    #expect(out.pictureMetadata.isGray && out.pictureMetadata.profile?.bytes == profile)
    let bare = try await FrameReader.open(
      folder.file("out.\(ending)"), options: ReadOptions(transfer: .srgb))
    let written = try #require(try await bare.next()).pixelBuffer.packedBytes()
    let most = zip(written, codes).map { abs(Int($0) - Int($1)) }.max()
    // JPEG's own rounding.
    #expect(try #require(most) <= (ending == "jpg" ? 1 : 0))
  }

  /// A curve that tags name leaves codes alone.
  @Test(arguments: [PixelFormat.gray8, .gray16], ["png", "tif", "jpg"])
  func codesStay(_ format: PixelFormat, _ ending: String) async throws {
    let pixels = try OutputFormat(path: "out.\(ending)").pixelFormat(
      forSource: format, tags: .sRGB, isClip: false)
    #expect(pixels.format == (ending == "jpg" ? .gray8 : format))
    let drawn = try OutputFormat(path: "out.\(ending)").pixelFormat(
      forSource: format, tags: .sRGB, isClip: false, drawsColors: true)
    #expect(drawn.format == (format == .gray8 || ending == "jpg" ? .rgba8 : .rgbaFloat))
  }

  /// A later picture of other pixels is told by what it holds, not by FFmpeg's names.
  @Test func otherPixels() async throws {
    let folder = ScratchFolder()
    let size = Dimensions(width: 8, height: 8)
    let gray = try PixelBuffer(
      dimensions: size, format: .gray8, values: [UInt8](repeating: 90, count: size.count))
    let colors = try PixelBuffer(
      dimensions: size, format: .rgba8,
      values: (0..<size.count).flatMap { _ in [200, 90, 30, 255] as [UInt8] })
    for (number, picture) in [gray, colors].enumerated() {
      try PictureWriter.write(
        picture, to: folder.file("p\(number).png"), temporaryFiles: folder.temporaryFiles)
    }
    let reader = try await FrameReader.open(folder.file("p%d.png"))
    _ = try await reader.next()
    let error = await #expect(throws: CinematicError.self) { try await reader.next() }
    let words = "p1.png has other pixels (8-bit RGB) than the first frame (8-bit gray)"
    #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
  }

  /// Gray films stay gray where the codec has it, but not where colours are drawn over them.
  @Test(arguments: [8, 10]) func drawnFilms(_ bitDepth: Int) throws {
    let gray = CodedPixels(.gray, bitDepth: bitDepth, isFullRange: true)
    let format = OutputFormat.movie(.mov)
    func coded(
      _ coding: FilmCoding, drawsColors: Bool
    ) throws -> CodedPixels? {
      try format.pixelFormat(
        forSource: .rgbaFloat, tags: .bt709, coded: gray, coding: coding, drawsColors: drawsColors
      ).coded
    }
    #expect(try coded(FilmCoding(.ffv1), drawsColors: false) == gray)
    let drawn = try coded(FilmCoding(.ffv1), drawsColors: true)
    #expect(drawn?.chroma == .rgb && drawn?.bitDepth == bitDepth)
    let kept = try coded(FilmCoding(.ffv1, chroma: .gray), drawsColors: true)
    #expect(kept?.chroma == .gray)
    // Others have no gray.
    #expect(try coded(FilmCoding(.h264), drawsColors: true)?.chroma == .yuv420)
  }

  @Test(arguments: ["heic", "avif"]) func kindsWithoutGray(_ ending: String) async throws {
    let folder = ScratchFolder()
    let profile = PhotographMaterial.grayProfile(gamma: 1.8)
    let source = try await FrameReader.open(Self.tagged(profile, in: folder)).properties
    let lost = source.pictureMetadata.losses(in: StillKind(ending: ending))
    #expect(lost == ["gray as one component", "ICC profile of gray"])
    // Codes of three components are sRGB's.
    let pixels = try OutputFormat(path: "out.\(ending)").pixelFormat(for: source)
    #expect(pixels.tags == .sRGB)
  }

  /// Light that was read from one component is written as one, alpha beside it.
  @Test(arguments: [true, false], ["exr", "png", "tif"])
  func alpha(_ isTranslucent: Bool, _ ending: String) async throws {
    let folder = ScratchFolder()
    let isLight = ending == "exr"
    let picture = try Scene.smooth(32, 16, .rgbaFloat, tags: isLight ? .linearBT709 : .sRGB)
    picture.withUnsafeMutableBytes { bytes in
      let values = bytes.bindMemory(to: Float.self)
      for index in 0..<(32 * 16) {
        for channel in 1...2 { values[4 * index + channel] = values[4 * index] }
        values[4 * index + 3] = isTranslucent ? Float(index % 5) / 4 : 1
      }
    }
    var metadata = PictureMetadata()
    metadata.isGray = true
    let path = folder.file("a.\(ending)")
    try PictureWriter.write(
      picture, to: path, metadata: metadata, temporaryFiles: folder.temporaryFiles)
    let bytes = folder.read("a.\(ending)")
    if ending == "png" { #expect(bytes[25] == (isTranslucent ? 4 : 0)) }
    if ending == "exr" {
      let file = try OpenEXRFile(bytes, StillRequest(path))
      #expect(file.parts[0].channels.map(\.name) == (isTranslucent ? ["A", "Y"] : ["Y"]))
    } else {
      let reader = try await FrameReader.open(path)
      #expect(reader.properties.pictureMetadata.isGray)
      let read = try #require(try await reader.next()).pixelBuffer
      #expect(read.format == (isTranslucent ? .rgbaFloat : .gray16))
      if isTranslucent {
        let pairs = zip(read.values(Float.self), picture.values(Float.self))
        #expect(pairs.allSatisfy { abs($0 - $1) < 1e-4 })
      }
    }
    // Colours are never dropped, whatever is said.
    picture.withUnsafeMutableBytes { $0.storeBytes(of: 0.9, toByteOffset: 4, as: Float.self) }
    try PictureWriter.write(
      picture, to: folder.file("b.\(ending)"), metadata: metadata,
      temporaryFiles: folder.temporaryFiles)
    let other = try await FrameReader.open(folder.file("b.\(ending)")).properties
    #expect(!other.pictureMetadata.isGray)
  }
}
