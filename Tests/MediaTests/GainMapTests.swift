// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Foundation
import MovieKit
import Testing

@testable import FocalMedia

/// Gain maps of photographs, read and written.
@Suite struct GainMapTests {
  private static let size = Dimensions(width: 64, height: 48)
  private static let stops = 2.5

  private static func coding(isOneChannel: Bool) -> GainMapCoding {
    var channel = GainMapCoding.Channel(low: -0.5, high: 2.75, gamma: 1.25)
    var channels = [channel, channel, channel]
    if !isOneChannel {
      channel.high = 3
      channel.baseOffset = 0.03125
      channels[2] = channel
    }
    return GainMapCoding(channels: channels, headroom: 0.25...3)
  }

  @Test(arguments: [true, false]) func numbers(isOneChannel: Bool) throws {
    let coding = Self.coding(isOneChannel: isOneChannel)
    #expect(GainMapCoding(xmp: XMPPacket(coding.xmp)) == coding)
    #expect(GainMapCoding(iso: coding.iso) == coding)
    #expect(coding.iso.count == 21 + 40 * (isOneChannel ? 1 : 3))
  }

  /// Of a map whose base is the brighter rendition, and of numbers that make no sense, nothing is made.
  @Test func unusableNumbers() throws {
    var coding = Self.coding(isOneChannel: true)
    let text = String(decoding: coding.xmp, as: UTF8.self)
    let backward = text.replacingOccurrences(of: "=\"False\"", with: "=\"True\"")
    #expect(GainMapCoding(xmp: XMPPacket(Array(backward.utf8))) == nil)
    coding.channels[0].gamma = 0
    #expect(GainMapCoding(xmp: XMPPacket(coding.xmp)) == nil)
    #expect(GainMapCoding(iso: coding.iso) == nil)
    #expect(GainMapCoding(appleHeadroom: .nan) == nil && GainMapCoding(appleHeadroom: 1) == nil)
    for count in 0..<20 { #expect(GainMapCoding(iso: Array(coding.iso.prefix(count))) == nil) }
  }

  private static func file(_ picture: PixelBuffer, in folder: ScratchFolder) throws -> [UInt8] {
    try PictureWriter.write(
      picture, to: folder.file("one.jpg"), quality: 100, overwrite: true,
      temporaryFiles: folder.temporaryFiles)
    return folder.read("one.jpg")
  }

  /// A ramp of codes from left to right over gray.
  private static func photograph(
    _ layout: GainMapPhotograph.Layout, in folder: ScratchFolder
  ) throws -> [UInt8] {
    let base = try PixelBuffer(dimensions: size, format: .rgba8, tags: .sRGB)
    Scene.fill(base) { _, component, _, _ in component == 3 ? 1 : 0.5 }
    let codes = try PixelBuffer(dimensions: size, format: .gray8, tags: .linearBT709)
    Scene.fill(codes) { _, _, x, _ in x }
    return GainMapPhotograph.file(
      try file(base, in: folder), map: try file(codes, in: folder), stops: stops, layout)
  }

  /// The light of the lower right pixel and of one at the left, as factors of the base's.
  @Test(arguments: GainMapPhotograph.Layout.allCases)
  func layouts(_ layout: GainMapPhotograph.Layout) async throws {
    let folder = ScratchFolder()
    folder.write(try Self.photograph(layout, in: folder), to: "in.jpg")
    let asset = Asset(path: folder.file("in.jpg"))
    let reader = try await FrameReader(asset)
    #expect(reader.properties.pictureMetadata.companions == [.gainMap])
    let map = try #require(try await GainMap.load(from: asset))
    #expect(map.dimensions == Self.size && map.isGray)
    let base = try #require(try await reader.next()).pixelBuffer.linearRGBA()
    let light = try map.light(of: base).values(Float.self)
    let plain = base.values(Float.self)
    for x in [0, 20, 40, 63] {
      let code = Double(x) / 63
      let curved = code < 0.081 ? code / 4.5 : pow((code + 0.099) / 1.099, 1 / 0.45)
      let gain: Double =
        layout == .apple ? 1 + (exp2(Self.stops) - 1) * curved : exp2(Self.stops * code)
      let offset: Double = layout == .apple ? 0 : 1.0 / 64
      let expected = (Double(plain[4 * x]) + offset) * gain - offset
      // Two codes of the map.
      #expect(abs(Double(light[4 * x]) / expected - 1) < 0.04, "\(x)")
    }
    // Taken between both, it says the same.
    let again = try map.mapping(base, to: map.light(of: base))
    let difference = zip(try again.light(of: base).values(Float.self), light).map { abs($0 - $1) }
    #expect(difference.max()! < 1e-3)
  }

  /// Codes of a map that is smaller lie between its pixels' centres, whichever rows are asked for.
  @Test func smallerMaps() async throws {
    let folder = ScratchFolder()
    let base = try PixelBuffer(dimensions: Self.size, format: .rgba8, tags: .sRGB)
    Scene.fill(base) { _, component, _, _ in component == 3 ? 1 : 0.5 }
    let small = Dimensions(width: Self.size.width / 4, height: Self.size.height / 4)
    let codes = try PixelBuffer(dimensions: small, format: .gray8, tags: .linearBT709)
    Scene.fill(codes) { _, _, x, _ in x }
    folder.write(
      GainMapPhotograph.file(
        try Self.file(base, in: folder), map: try Self.file(codes, in: folder), stops: Self.stops,
        .xmp), to: "in.jpg")
    let asset = Asset(path: folder.file("in.jpg"))
    let map = try #require(try await GainMap.load(from: asset))
    #expect(map.dimensions == small)
    let plain = try #require(try await FrameReader(asset).next()).pixelBuffer.linearRGBA()
    let light = try map.light(of: plain)
    // A pixel's code is its column over their number.
    let last = Double(small.width - 1)
    for x in 0..<Self.size.width {
      let code = max(0, min(last, (Double(x) + 0.5) / 4 - 0.5)) / Double(small.width)
      let expected =
        (Double(plain.values(Float.self)[4 * x]) + 1.0 / 64) * exp2(Self.stops * code) - 1.0 / 64
      // Two codes of the map.
      #expect(abs(Double(light.values(Float.self)[4 * x]) / expected - 1) < 0.04, "\(x)")
    }
    let rows = 5..<13
    let part = try map.light(
      of: plain.part(columns: 0..<Self.size.width, rows: rows).linearRGBA(), at: rows.lowerBound,
      of: Self.size)
    let whole = light.values(Float.self)
    let row = 4 * Self.size.width
    let isSame =
      part.values(Float.self) == Array(whole[(rows.lowerBound * row)..<(rows.upperBound * row)])
    #expect(isSame)
  }

  /// A written gain map is found again, beside the photograph's own metadata.
  @Test(arguments: [false, true]) func written(hasText: Bool) async throws {
    let folder = ScratchFolder()
    folder.write(try Self.photograph(.xmp, in: folder), to: "in.jpg")
    let asset = Asset(path: folder.file("in.jpg"))
    let map = try #require(try await GainMap.load(from: asset))
    let frame = try #require(try await FrameReader(asset).next())
    var metadata = hasText ? frame.pictureMetadata : PictureMetadata()
    metadata.gainMap = try GainMapFile(map, quality: 100, path: "out.jpg")
    try PictureWriter.write(
      frame.pixelBuffer, to: folder.file("out.jpg"), metadata: metadata, quality: 100,
      temporaryFiles: folder.temporaryFiles)
    let written = Asset(path: folder.file("out.jpg"))
    let found = try #require(try await GainMap.load(from: written))
    #expect(found.coding == map.coding && found.isGray)
    let codes = try zip(found.stored().packedBytes(), map.stored().packedBytes()).map {
      abs(Int($0) - Int($1))
    }
    // A JPEG's rounding.
    #expect(codes.max()! <= 3)
    let segments = JPEGSegments(folder.read("out.jpg"))
    let text = String(decoding: segments.metadata.xmp ?? [], as: UTF8.self)
    #expect(text.contains("A camera") == hasText)
    #expect(text.components(separatedBy: "Container:Directory").count == 3)
    // The index alone leads there, too.
    let range = try #require(segments.pictures.first)
    #expect(segments.pictures.count == 1 && range.upperBound == folder.read("out.jpg").count)
    #expect(JPEGSegments(Array(folder.read("out.jpg")[range])).gainMapNumbers == map.coding.iso)
  }

  /// Apple's numbers in the maker's note, by the four lines of its paper.
  @Test(arguments: [
    (0.5, 0.005, 1.7), (0.5, 0.5, 1.5505), (1.5, 0.005, 2.65), (1.5, 0.5, 2.1515), (1.5, 20, 0),
  ])
  func appleNote(_ first: Double, _ second: Double, _ stops: Double) throws {
    let exif = Self.exif(first, second)
    let headroom = try #require(EXIFBlock(exif)?.appleHeadroom)
    #expect(abs(log2(headroom) - stops) < 1e-3)
    for count in 0..<exif.count { _ = EXIFBlock(Array(exif.prefix(count)))?.appleHeadroom }
  }

  /// EXIF with a maker's note of Apple's that holds two numbers.
  private static func exif(_ first: Double, _ second: Double) -> [UInt8] {
    var note = ByteBuilder()
    note.text("Apple iOS\0\0\u{1}MM")
    note.u16(2)
    for (tag, place) in [(0x21, 44), (0x30, 52)] {
      note.u16(tag)
      note.u16(10)
      note.u32(1)
      note.u32(place)
    }
    note.u32(0)
    for value in [first, second] {
      note.u32(Int((value * 10000).rounded()))
      note.u32(10000)
    }
    var exif = ByteBuilder()
    exif.text("MM\0\u{2A}")
    exif.u32(8)
    for (tag, type, count, value) in [(0x8769, 4, 1, 26), (0x927C, 7, note.bytes.count, 44)] {
      exif.u16(1)
      exif.u16(tag)
      exif.u16(type)
      exif.u32(count)
      exif.u32(value)
      exif.u32(0)
    }
    return exif.bytes + note.bytes
  }

  /// HEIC, as Apple's phones take it.
  @Test func appleHEIC() async throws {
    let folder = ScratchFolder()
    let codes = try PixelBuffer(dimensions: Self.size, format: .gray8, tags: .linearBT709)
    Scene.fill(codes) { _, _, x, _ in x }
    let type = "urn:com:apple:photo:2020:aux:hdrgainmap"
    for (name, exif) in [("said", Self.exif(1.5, 0.5)), ("unsaid", nil)] {
      let bytes = try PortraitHEIC.file(
        Scene.smooth(64, 48, .rgba8, tags: .sRGB), map: codes, type: type, exif: exif)
      folder.write(bytes, to: name)
      let asset = Asset(path: folder.file(name))
      let properties = try await FrameReader(asset).properties
      #expect(properties.pictureMetadata.companions == [.gainMap])
      let map = try await GainMap.load(from: asset)
      #expect((map == nil) == (exif == nil))
      if let map {
        #expect(map.dimensions == Self.size && abs(map.coding.headroom.upperBound - 2.1515) < 1e-3)
      }
    }
  }

  /// Whichever bytes are wrong, there is a map, none or an error, and never a crash.
  @Test(arguments: GainMapPhotograph.Layout.allCases)
  func damaged(_ layout: GainMapPhotograph.Layout) async throws {
    let folder = ScratchFolder()
    let whole = try Self.photograph(layout, in: folder)
    var random = Seeded(11)
    for round in 0..<60 {
      var bytes = whole
      if round % 3 == 0 {
        bytes = Array(bytes.prefix(Int(random.next() % UInt64(whole.count))))
      } else {
        for _ in 0..<6 {
          bytes[Int(random.next() % UInt64(whole.count))] = UInt8(truncatingIfNeeded: random.next())
        }
      }
      folder.write(bytes, to: "damaged.jpg")
      _ = await failure { () async throws(CinematicError) in
        let map = try await GainMap.load(from: Asset(path: folder.file("damaged.jpg")))
        if let map {
          let base = try PixelBuffer(
            dimensions: map.dimensions, format: .rgbaFloat, tags: .linearBT709,
            bytesPerRowAlignment: 16)
          _ = try map.mapping(base, to: map.light(of: base))
        }
      }
    }
  }
}
