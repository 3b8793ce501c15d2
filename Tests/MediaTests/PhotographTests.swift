// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import MovieKit
import Testing

/// Photographs as cameras and phones write them.
@Suite struct PhotographTests {
  private typealias Material = PhotographMaterial

  private func smooth(_ width: Int = 64, _ height: Int = 48) throws -> PixelBuffer {
    try Scene.smooth(width, height, .rgba8, tags: .sRGB)
  }

  /// The bytes of a picture in a kind of file.
  private func file(
    _ picture: PixelBuffer, _ name: String, in folder: ScratchFolder,
    metadata: PictureMetadata = PictureMetadata(), quality: Int? = nil
  ) throws -> [UInt8] {
    try PictureWriter.write(
      picture, to: folder.file(name), metadata: metadata, quality: quality, overwrite: true,
      temporaryFiles: folder.temporaryFiles)
    return folder.read(name)
  }

  private func meanDifference(_ a: [UInt8], _ b: [UInt8]) -> Double {
    let sum = zip(a, b).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
    return Double(sum) / Double(max(a.count, 1))
  }

  /// Smooth colours come back within a code or so in the mean: the colour matrix is rounded both ways, and
  /// HEIC and AVIF halve chroma.
  @Test(arguments: ["jpg", "heic", "avif"]) func lossyKinds(_ ending: String) async throws {
    let folder = ScratchFolder()
    let picture = try smooth()
    _ = try file(picture, "a.\(ending)", in: folder, quality: 100)
    let reader = try await FrameReader.open(folder.file("a.\(ending)"))
    #expect(reader.properties.kind == .still)
    #expect(reader.properties.tags == .sRGB)
    #expect(reader.properties.bitDepth == 8)
    let read = try #require(try await reader.next()).pixelBuffer
    #expect(read.dimensions == picture.dimensions)
    #expect(meanDifference(read.packedBytes(), picture.packedBytes()) < 1.5)
    // Quality means something.
    let best = folder.read("a.\(ending)").count
    let noise = try Scene.noise(64, 48, .rgba8)
    noise.makeOpaque()
    let fine = try file(noise, "b.\(ending)", in: folder, quality: 95).count
    let coarse = try file(noise, "c.\(ending)", in: folder, quality: 10).count
    #expect(best > 0 && coarse < fine / 2)
  }

  /// Deep pictures keep ten or twelve bits, alpha included.
  @Test(arguments: ["heic", "avif"]) func deepPictures(_ ending: String) async throws {
    let folder = ScratchFolder()
    let picture = try Scene.smooth(64, 48, .rgbaFloat, tags: .sRGB)
    picture.withUnsafeMutableBytes { $0.storeBytes(of: 0, toByteOffset: 12, as: Float.self) }
    _ = try file(picture, "a.\(ending)", in: folder, quality: 100)
    let reader = try await FrameReader.open(folder.file("a.\(ending)"))
    #expect(reader.properties.bitDepth == (ending == "avif" ? 12 : 10))
    let read = try #require(try await reader.next()).pixelBuffer
    #expect(read.format == .rgbaFloat)
    let pairs = zip(read.values(Float.self), picture.values(Float.self)).enumerated()
    // Alpha's one pixel is an edge that coding rounds off.
    let difference = pairs.filter { $0.offset % 4 < 3 }.reduce(Float(0)) {
      max($0, abs($1.element.0 - $1.element.1))
    }
    #expect(difference < 6.0 / 255)
    #expect(read.values(Float.self)[3] < 0.5)
    #expect(read.values(Float.self)[4 * 1600 + 3] > 0.98)
  }

  /// Colours that were multiplied by alpha are divided by it where the file says so.
  @Test(arguments: ["heic", "avif"], [PixelFormat.rgba8, .rgbaFloat])
  func premultipliedAlpha(_ ending: String, format: PixelFormat) async throws {
    let folder = ScratchFolder()
    let picture = try PixelBuffer(
      dimensions: Dimensions(width: 64, height: 64), format: format, tags: .sRGB)
    Scene.fill(picture) { _, component, _, _ in [0.5, 0, 0.25, 0.5][component] }
    let bytes = try file(picture, "a.\(ending)", in: folder, quality: 100)
    folder.write(
      try ChangedHEIF.adding(reference: "prem", from: 1, to: 2, in: bytes), to: "b.\(ending)")
    for (name, wanted) in [("a", [0.5, 0, 0.25, 0.5]), ("b", [1, 0, 0.5, 0.5])]
      as [(String, [Float])]
    {
      let read = try #require(try await frames(folder.file("\(name).\(ending)")).first).pixelBuffer
      let values =
        format == .rgba8
        ? read.values(UInt8.self).map { Float($0) / 255 } : read.values(Float.self)
      // Colours are coded with loss, which division doubles.
      for (value, want) in zip(values.prefix(4), wanted) {
        #expect(abs(value - want) < 8.0 / 255, "\(name): \(values.prefix(4))")
      }
    }
  }

  @Test func alphaHasNoPlaceInJPEG() throws {
    let folder = ScratchFolder()
    let picture = try Scene.noise(4, 4, .rgba8)
    let error = failure { () throws(CinematicError) in
      try PictureWriter.write(
        picture, to: folder.file("a.jpg"), temporaryFiles: folder.temporaryFiles)
    }
    #expect(error?.code == .invalidParameter)
    #expect(folder.names == [])
  }

  // MARK: - Metadata

  /// A camera's metadata goes from file to file; pixels that were turned are upright.
  @Test(arguments: ["jpg", "heic", "avif", "png", "tif"])
  func metadataIsKept(_ ending: String) async throws {
    let folder = ScratchFolder()
    let jpeg = try file(smooth(), "plain.jpg", in: folder)
    let exif = Material.exif(orientation: 6, width: 64, height: 48)
    let xmp = Material.xmp(
      "xmlns:tiff=\"http://ns.adobe.com/tiff/1.0/\" tiff:Orientation=\"6\""
        + " xmlns:dc=\"http://purl.org/dc/elements/1.1/\" dc:rights=\"mine\"")
    folder.write(
      Material.adding([Material.exifSegment(exif), Material.xmpSegment(xmp)], to: jpeg),
      to: "in.jpg")
    let source = try await FrameReader.open(folder.file("in.jpg"))
    #expect(source.properties.preferredTransform == .clockwise90)
    let metadata = source.properties.pictureMetadata
    #expect(metadata.exif == exif)
    _ = try file(smooth(48, 64), "out.\(ending)", in: folder, metadata: metadata)
    let out = try await FrameReader.open(folder.file("out.\(ending)")).properties
    #expect(out.preferredTransform == .identity)
    #expect(out.dimensions == Dimensions(width: 48, height: 64))
    let kept = try #require(out.pictureMetadata.exif)
    for text in ["2024:05:06 07:08:09", "Maker", "(c) Somebody"] {
      #expect(kept.contains(Array(text.utf8)), "\(text)")
    }
    // Hours and minutes of the place, as rationals.
    #expect(kept.contains(Material.little(48, 4) + Material.little(1, 4) + Material.little(8, 4)))
    let read = try #require(out.pictureMetadata.xmp.map { String(decoding: $0, as: UTF8.self) })
    #expect(read.contains("dc:rights=\"mine\"") && read.contains("tiff:Orientation=\"1\""))
    if ending == "jpg" || ending == "png" || ending == "tif" {
      let dots = try #require(out.pictureMetadata.resolution).horizontal * 0.0254
      #expect(abs(dots - 240) < 0.1)
    }
  }

  /// EXIF's eight ways of lying, in files whose decoders do not know of it.
  @Test(arguments: 1...8) func orientations(_ orientation: Int) async throws {
    let folder = ScratchFolder()
    var metadata = PictureMetadata()
    metadata.exif = Material.exif(orientation: 1, width: 8, height: 4)
    let picture = try Scene.noise(8, 4, .gray8)
    let png = try file(picture, "a.png", in: folder, metadata: metadata)
    folder.write(try Self.turned(png, to: orientation), to: "b.png")
    let reader = try await FrameReader.open(folder.file("b.png"))
    let (isMirrored, turn) = Self.rotation(orientation)
    #expect(reader.properties.preferredTransform == turn)
    let read = try #require(try await reader.next()).pixelBuffer.packedBytes()
    for y in 0..<4 {
      let row = Array(picture.packedBytes()[(8 * y)..<(8 * y + 8)])
      #expect(Array(read[(8 * y)..<(8 * y + 8)]) == (isMirrored ? row.reversed() : row))
    }
  }

  /// Numbered photographs each lie in their own way: pixels come as those of the first one lie.
  @Test(arguments: [1, 6, 7], 1...8)
  func orientationsOfNumberedPictures(_ first: Int, _ second: Int) async throws {
    let folder = ScratchFolder()
    let upright = try Scene.noise(8, 4, .gray8)
    for (name, orientation) in [("1.png", first), ("2.png", second)] {
      let rotation = Self.rotation(orientation)
      let stored = try upright.turnedPixels(by: rotation.turn.inverse)
      var metadata = PictureMetadata()
      metadata.exif = Material.exif(orientation: 1, width: stored.width, height: stored.height)
      let pixels =
        rotation.isMirrored
        ? try PixelBuffer(
          dimensions: stored.dimensions, format: .gray8, tags: .sRGB,
          values: Self.mirrored(stored.packedBytes(), width: stored.width)) : stored
      let png = try file(pixels, "plain.png", in: folder, metadata: metadata)
      folder.write(try Self.turned(png, to: orientation), to: name)
    }
    let read = try await frames(folder.file("%d.png"))
    #expect(read.count == 2)
    let wanted = try upright.turnedPixels(by: Self.rotation(first).turn.inverse)
    for frame in read {
      #expect(frame.pixelBuffer.dimensions == wanted.dimensions)
      #expect(frame.pixelBuffer.packedBytes() == wanted.packedBytes())
    }
  }

  /// Pictures of another size as they are shown are refused, though they are stored in the same one.
  @Test func numberedPicturesOfOtherShape() async throws {
    let folder = ScratchFolder()
    var metadata = PictureMetadata()
    metadata.exif = Material.exif(orientation: 1, width: 8, height: 4)
    let png = try file(Scene.noise(8, 4, .gray8), "1.png", in: folder, metadata: metadata)
    folder.write(try Self.turned(png, to: 6), to: "2.png")
    let error = await failure { () async throws(CinematicError) in
      _ = try await frames(folder.file("%d.png"))
    }
    #expect(error?.code == .incompatible)
    #expect(error?.message.contains("2.png is 4x8 where the first is 8x4") == true)
  }

  /// EXIF's ways of lying: mirrored left to right, then turned.
  private static func rotation(_ orientation: Int) -> (isMirrored: Bool, turn: QuarterTurn) {
    let turns: [QuarterTurn] = [
      .identity, .identity, .clockwise180, .clockwise180, .clockwise270, .clockwise90,
      .clockwise90, .clockwise270,
    ]
    return ([2, 4, 5, 7].contains(orientation), turns[orientation - 1])
  }

  private static func mirrored(_ bytes: [UInt8], width: Int) -> [UInt8] {
    stride(from: 0, to: bytes.count, by: width).flatMap { bytes[$0..<($0 + width)].reversed() }
  }

  /// A PNG with EXIF that says another way of lying.
  private static func turned(_ png: [UInt8], to orientation: Int) throws -> [UInt8] {
    // The tag's value follows its number, type and count.
    let entry = Material.little(0x112, 2) + Material.little(3, 2) + Material.little(1, 4)
    let place = try #require(png.firstRange(of: entry)?.upperBound)
    var changed = png
    changed[place] = UInt8(orientation)
    let chunk = try #require(png.firstRange(of: Array("eXIf".utf8))?.lowerBound)
    let length = png[(chunk - 4)..<chunk].reduce(0) { $0 << 8 | Int($1) }
    let sum = Self.checksum(changed[chunk..<(chunk + 4 + length)])
    changed.replaceSubrange(
      (chunk + 4 + length)..<(chunk + 8 + length), with: Material.big(Int(sum), 4))
    return changed
  }

  /// CRC-32 (PNG, annex D).
  private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    ~bytes.reduce(UInt32.max) { sum, byte in
      (0..<8).reduce(sum ^ UInt32(byte)) { sum, _ in
        sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1
      }
    }
  }

  // MARK: - Colours

  /// Green of Adobe RGB is not green of sRGB; it comes out as the same code with the same profile.
  @Test(arguments: ["png", "tif", "jpg"]) func profiles(_ ending: String) async throws {
    let folder = ScratchFolder()
    let picture = try smooth()
    let plain = try file(picture, "plain.png", in: folder)
    let tagged = Self.addingProfile(Material.adobeRGB, toPNG: plain)
    folder.write(tagged, to: "in.png")
    let reader = try await FrameReader.open(folder.file("in.png"))
    #expect(reader.properties.tags.primaries == .bt2020)
    #expect(reader.properties.tags.transfer == .linear)
    #expect(reader.properties.bitDepth == 8)
    let read = try #require(try await reader.next()).pixelBuffer
    let format = try OutputFormat(path: "out.\(ending)").pixelFormat(for: reader.properties)
    #expect(format.format == .rgbaFloat && format.tags.transfer == .linear)
    _ = try file(
      read, "out.\(ending)", in: folder, metadata: reader.properties.pictureMetadata,
      quality: 100)
    let out = try await FrameReader.open(folder.file("out.\(ending)"))
    #expect(out.properties.pictureMetadata.profile?.bytes == Material.adobeRGB)
    #expect(out.properties.bitDepth == 8)
    guard ending != "jpg" else { return }
    // Without the profile the codes are those of the source.
    let codes = Self.removingProfile(from: folder.read("out.png"))
    if ending == "png" {
      folder.write(codes, to: "codes.png")
      let bare = try #require(try await frames(folder.file("codes.png")).first).pixelBuffer
      #expect(bare.packedBytes() == picture.packedBytes())
    }
  }

  /// (0, 1, 0) of Adobe RGB in linear BT.2020, by the matrices that follow from the
  /// chromaticities of both.
  @Test func adobeGreen() async throws {
    let folder = ScratchFolder()
    let picture = try PixelBuffer(
      dimensions: Dimensions(width: 1, height: 1), format: .rgba8,
      values: [UInt8]([0, 255, 0, 255])
    )
    let plain = try file(picture, "plain.png", in: folder)
    folder.write(Self.addingProfile(Material.adobeRGB, toPNG: plain), to: "in.png")
    let read = try #require(try await frames(folder.file("in.png")).first).pixelBuffer
    let values = read.values(Float.self)
    let wanted: [Float] = [0.0775, 0.8915, 0.0430]
    for (value, want) in zip(values, wanted) { #expect(abs(value - want) < 0.002, "\(values)") }
  }

  /// Colours of Display P3 say so by a profile, and are Display P3 again when they are read.
  @Test(arguments: ["png", "tif", "jpg", "heic", "avif"])
  func displayP3(_ ending: String) async throws {
    let folder = ScratchFolder()
    let tags = ColorTags(primaries: .displayP3, transfer: .srgb, matrix: .bt709)
    let picture = try Scene.smooth(64, 48, .rgba8, tags: tags)
    _ = try file(picture, "a.\(ending)", in: folder, quality: 100)
    let reader = try await FrameReader.open(folder.file("a.\(ending)"))
    #expect(reader.properties.tags.primaries == .displayP3)
    #expect(reader.properties.tags.transfer == .srgb)
    #expect(reader.properties.pictureMetadata.profile != nil)
    let read = try #require(try await reader.next()).pixelBuffer
    #expect(read.format == .rgba8)
    #expect(meanDifference(read.packedBytes(), picture.packedBytes()) < 1.5)
  }

  /// High dynamic range keeps its codes in HEIC and AVIF.
  @Test(arguments: ["heic", "avif"], [ColorTags.hlg, .pq])
  func highDynamicRange(_ ending: String, tags: ColorTags) async throws {
    let folder = ScratchFolder()
    let picture = try Scene.smooth(64, 48, .rgbaFloat, tags: tags)
    _ = try file(picture, "a.\(ending)", in: folder, quality: 100)
    let read = try await FrameReader.open(folder.file("a.\(ending)")).properties
    #expect(read.tags.primaries == .bt2020 && read.tags.transfer == tags.transfer)
  }

  /// Code points in a PNG go before its profile, in strips as in whole pictures; what is written has them where light is of
  /// high range.
  @Test(arguments: [ColorTags.hlg, .pq], [PixelFormat.rgba8, .rgbaFloat, .gray8])
  func codePoints(_ tags: ColorTags, _ format: PixelFormat) async throws {
    let folder = ScratchFolder()
    let points: [UInt8] = [9, tags.transfer == .pq ? 16 : 18, 0, 1]
    var plain = try file(Scene.smooth(64, 48, format, tags: .sRGB), "plain.png", in: folder)
    if format != .gray8 { plain = Self.addingProfile(Material.adobeRGB, toPNG: plain) }
    folder.write(Self.adding("cICP", points, toPNG: plain), to: "in.png")
    let reader = try await FrameReader.open(folder.file("in.png"))
    let found = reader.properties
    #expect(found.tags.primaries == .bt2020 && found.tags.transfer == tags.transfer)
    #expect(found.pictureMetadata.profile == nil && found.pictureMetadata.assumption == nil)
    let strips = try #require(try PictureStripReader.open(folder.file("in.png")))
    #expect(strips.properties.tags == found.tags)
    #expect(strips.properties.pictureMetadata == found.pictureMetadata)
    let picture = try Scene.smooth(64, 48, format, tags: tags)
    let written = try file(picture, "out.png", in: folder)
    #expect(written.contains(Array("cICP".utf8) + points))
    let again = try #require(try await frames(folder.file("out.png")).first).pixelBuffer
    #expect(again.tags == found.tags)
    let codes = try #require(try await reader.next()).pixelBuffer.packedBytes()
    #expect(again.packedBytes() == codes)
  }

  /// Code points that pixels are not read by are said; those of video range are refused, but of maps.
  @Test func unreadCodePoints() async throws {
    let folder = ScratchFolder()
    let plain = try file(smooth(), "plain.png", in: folder)
    func write(_ points: [UInt8]) -> String {
      let profiled = Self.addingProfile(Material.adobeRGB, toPNG: plain)
      folder.write(Self.adding("cICP", points, toPNG: profiled), to: "in.png")
      return folder.file("in.png")
    }
    for (points, unread, taken) in [
      ([22, 9, 0, 1], "primaries 22 and transfer 9", "bt709 with srgb"),
      ([9, 16, 9, 1], "matrix 9", "bt2020 with pq"),
      ([2, 18, 0, 1], "primaries 2", "bt709 with hlg"),
    ] as [([UInt8], String, String)] {
      let metadata = try await FrameReader.open(write(points)).properties.pictureMetadata
      #expect(metadata.profile == nil)
      #expect(
        metadata.assumption
          == "says \(unread) in its cICP, which is not read: its codes are taken for \(taken)")
    }
    // Nothing is said.
    let unsaid = try await FrameReader.open(write([2, 2, 0, 1])).properties.pictureMetadata
    #expect(unsaid.profile?.bytes == Material.adobeRGB && unsaid.assumption == nil)
    let path = write([9, 16, 0, 0])
    let error = await BadInputTests.reading(path)
    #expect(error?.code == .unsupported && error?.message.contains("video range") == true)
    #expect(
      await BadInputTests.reading(path, ReadOptions(content: .disparity(.unit))) == nil)
  }

  /// Numbers that are no resolution are none, and the largest of all fits every kind of file.
  @Test func resolutions() async throws {
    typealias Resolution = PictureMetadata.Resolution
    for number in [Double.nan, .infinity, -.infinity, 0, -1, 4e7] {
      #expect(Resolution(horizontal: number, vertical: 1) == nil)
      #expect(Resolution(horizontal: 1, vertical: number) == nil)
    }
    let folder = ScratchFolder()
    let png = try file(smooth(), "plain.png", in: folder)
    for (stored, kept) in [(0, nil), (0x7FFF_FFFF, nil), (39_000_001, 39_000_001), (2835, 2835)]
      as [(Int, Double?)]
    {
      let chunk = Material.big(stored, 4) + Material.big(stored, 4) + [1]
      folder.write(Self.adding("pHYs", chunk, toPNG: png), to: "in.png")
      let source = try await FrameReader.open(folder.file("in.png"))
      let metadata = source.properties.pictureMetadata
      #expect(metadata.resolution == kept.flatMap { Resolution(horizontal: $0, vertical: $0) })
      for name in ["out.tif", "out.png"] {
        _ = try file(smooth(), name, in: folder, metadata: metadata)
        let read = try await FrameReader.open(folder.file(name)).properties.pictureMetadata
        let found = read.resolution?.horizontal
        // TIFF has to have one, 72 dots an inch if there is none, and whole ones where there are many.
        let expected = kept ?? (name == "out.tif" ? 72 / 0.0254 : nil)
        #expect((found == nil) == (expected == nil))
        if let found, let expected { #expect(abs(found / expected - 1) < 1e-5) }
      }
      // JPEG has 65535 dots an inch at most.
      _ = try file(smooth(), "out.jpg", in: folder, metadata: metadata)
    }
  }

  private static func addingProfile(_ profile: [UInt8], toPNG png: [UInt8]) -> [UInt8] {
    // One stored block of zlib.
    var (low, high) = (1, 0)
    for byte in profile {
      low = (low + Int(byte)) % 65521
      high = (high + low) % 65521
    }
    let count = profile.count
    let stream =
      [0x78, 0x01, 1] + Material.little(count, 2) + Material.little(~count, 2) + profile
      + Material.big(high << 16 | low, 4)
    return adding("iCCP", Array("icc".utf8) + [0, 0] + stream, toPNG: png)
  }

  /// The file with a chunk behind its first.
  private static func adding(
    _ type: String, _ content: [UInt8], toPNG png: [UInt8]
  ) -> [UInt8] {
    let body = Array(type.utf8) + content
    let chunk =
      Material.big(content.count, 4) + body + Material.big(Int(checksum(body[...])), 4)
    return Array(png[..<33]) + chunk + png[33...]
  }

  private static func removingProfile(from png: [UInt8]) -> [UInt8] {
    guard let place = png.firstRange(of: Array("iCCP".utf8))?.lowerBound else { return png }
    let length = png[(place - 4)..<place].reduce(0) { $0 << 8 | Int($1) }
    return Array(png[..<(place - 4)]) + png[(place + 8 + length)...]
  }
}

extension PixelBuffer {
  func makeOpaque() {
    withUnsafeMutableBytes { bytes in
      for y in 0..<height {
        for x in 0..<width {
          bytes.storeBytes(
            of: 255, toByteOffset: y * planes[0].bytesPerRow + 4 * x + 3, as: UInt8.self)
        }
      }
    }
  }
}

extension Collection where Element == UInt8, Index == Int {
  func contains(_ bytes: [UInt8]) -> Bool { firstRange(of: bytes) != nil }

  func firstRange(of bytes: [UInt8]) -> Range<Int>? {
    guard count >= bytes.count else { return nil }
    for start in startIndex...(endIndex - bytes.count)
    where self[start..<(start + bytes.count)].elementsEqual(bytes) {
      return start..<(start + bytes.count)
    }
    return nil
  }
}
