// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import Testing

/// DPX: video codes, linear light and printing density.
@Suite struct DPXTests {
  private static let transferPlace = 801

  private func write(
    _ picture: PixelBuffer, _ name: String, in folder: ScratchFolder,
    metadata: PictureMetadata = PictureMetadata()
  ) throws {
    try PictureWriter.write(
      picture, to: folder.file(name), metadata: metadata, overwrite: true,
      temporaryFiles: folder.temporaryFiles)
  }

  /// Video codes of ten bits are within half a step.
  @Test func video() async throws {
    let folder = ScratchFolder()
    let picture = try Scene.smooth(40, 30, .rgbaFloat, tags: .sRGB)
    try write(picture, "a.dpx", in: folder)
    #expect(folder.read("a.dpx")[Self.transferPlace] == 6)
    let reader = try await FrameReader.open(folder.file("a.dpx"))
    #expect(reader.properties.tags == .sRGB && reader.properties.bitDepth == 10)
    #expect(reader.properties.pictureMetadata.assumption == nil)
    let read = try #require(try await reader.next()).pixelBuffer.values(Float.self)
    for (a, b) in zip(read, picture.values(Float.self)) { #expect(abs(a - b) < 0.51 / 1023) }
  }

  /// The header has the parts for film and television, and keeps what a source's says of a production.
  @Test func production() async throws {
    let folder = ScratchFolder()
    let picture = try Scene.smooth(40, 30, .rgbaFloat, tags: .sRGB)
    try write(picture, "a.dpx", in: folder)
    var bytes = folder.read("a.dpx")
    #expect(Array(bytes[4..<8]) == [0, 0, 8, 0] && Array(bytes[808..<812]) == [0, 0, 8, 0])
    // No timecode, no rate.
    #expect(bytes[1920..<1924].allSatisfy { $0 == 0xFF })
    let plain = try await FrameReader.open(folder.file("a.dpx"))
    #expect(plain.properties.pictureMetadata.losses(in: .png).isEmpty)
    let project = Array("A long walk".utf8)
    bytes.replaceSubrange(260..<(260 + project.count), with: project)
    bytes.replaceSubrange(1920..<1924, with: [0x10, 0x20, 0x30, 0x12])
    folder.write(bytes, to: "b.dpx")
    let reader = try await FrameReader.open(folder.file("b.dpx"))
    let metadata = reader.properties.pictureMetadata
    #expect(metadata.losses(in: .png) == ["header of the production"])
    #expect(metadata.losses(in: .dpx).isEmpty)
    try write(picture, "c.dpx", in: folder, metadata: metadata)
    let copy = folder.read("c.dpx")
    #expect(Array(copy[260..<(260 + project.count)]) == project)
    #expect(Array(copy[1920..<1924]) == [0x10, 0x20, 0x30, 0x12])
    #expect(copy.count == bytes.count && copy[2048...] == bytes[2048...])
    // Eight bits are written in the other order of bytes.
    try write(
      Scene.noise(40, 30, .rgba8, tags: .sRGB), "d.dpx", in: folder, metadata: metadata)
    let small = folder.read("d.dpx")
    #expect(small[0] == UInt8(ascii: "X") && Array(small[4..<8]) == [0, 8, 0, 0])
    #expect(Array(small[1920..<1924]) == [0x12, 0x30, 0x20, 0x10])
    #expect(small[16..<20].reversed().reduce(0) { $0 << 8 | Int($1) } == small.count)
  }

  /// Files without the parts for film and television, as FFmpeg writes them, say project and creator, too.
  @Test(arguments: [160, 260, 1556]) func shortHeaders(_ place: Int) async throws {
    let folder = ScratchFolder()
    let picture = try Scene.smooth(40, 30, .rgbaFloat, tags: .sRGB)
    try write(picture, "a.dpx", in: folder)
    var bytes = folder.read("a.dpx")
    bytes.removeSubrange(1664..<2048)
    // The pixels follow the part that every file has.
    for (place, value) in [(4, 1664), (16, bytes.count), (28, 0), (808, 1664)] {
      bytes.replaceSubrange(place..<(place + 4), with: PhotographMaterial.big(value, 4))
    }
    folder.write(bytes, to: "plain.dpx")
    let plain = try await FrameReader.open(folder.file("plain.dpx"))
    #expect(plain.properties.pictureMetadata.losses(in: .png).isEmpty)
    let name = Array("Somebody".utf8) + [0]
    bytes.replaceSubrange(place..<(place + name.count), with: name)
    folder.write(bytes, to: "b.dpx")
    let metadata = try await FrameReader.open(folder.file("b.dpx")).properties.pictureMetadata
    #expect(metadata.losses(in: .png) == ["header of the production"])
    for (name, format) in [("c.dpx", PixelFormat.rgbaFloat), ("d.dpx", .rgba8)] {
      try write(
        Scene.smooth(40, 30, format, tags: .sRGB), name, in: folder, metadata: metadata)
      let copy = folder.read(name)
      #expect(Array(copy[place..<(place + 8)]) == Array("Somebody".utf8))
      // No timecode.
      #expect(copy[1920..<1924].allSatisfy { $0 == 0xFF })
    }
  }

  /// The code 685 is white, 95 black, 470 by the curve's definition about 0.18; codes come back as they were.
  @Test func printingDensity() async throws {
    let folder = ScratchFolder()
    let codes: [Float] = [95, 470, 685, 800, 1023, 300, 64, 0]
    let values = codes.flatMap { code -> [Float] in [code / 1023, code / 1023, code / 1023, 1] }
    let size = Dimensions(width: 8, height: 1)
    try write(
      PixelBuffer(dimensions: size, format: .rgbaFloat, tags: .sRGB, values: values), "a.dpx",
      in: folder)
    var bytes = folder.read("a.dpx")
    bytes[Self.transferPlace] = 1
    folder.write(bytes, to: "log.dpx")
    let reader = try await FrameReader.open(folder.file("log.dpx"))
    #expect(reader.properties.tags.transfer == .linear)
    #expect(reader.properties.pictureMetadata.assumption?.contains("685") == true)
    let light = try #require(try await reader.next()).pixelBuffer
    let read = stride(from: 0, to: 32, by: 4).map { light.values(Float.self)[$0] }
    #expect(abs(read[0]) < 1e-5 && abs(read[2] - 1) < 1e-4)
    #expect(abs(read[1] - 0.18) < 0.01 && abs(read[4] - 13.53) < 0.05)
    let pixels = try OutputFormat(path: "b.dpx").pixelFormat(for: reader.properties)
    #expect(pixels.format == .rgbaFloat && pixels.tags.transfer == .linear)
    try write(light, "b.dpx", in: folder, metadata: reader.properties.pictureMetadata)
    let copy = folder.read("b.dpx")
    #expect(copy[Self.transferPlace] == 1)
    #expect(copy[2048...] == bytes[2048...])
    // The caller knows better.
    let video = try await FrameReader.open(
      folder.file("log.dpx"), options: ReadOptions(transfer: .srgb))
    #expect(video.properties.tags.transfer == .srgb)
    #expect(video.properties.pictureMetadata.assumption == nil)
  }

  @Test func linearLight() async throws {
    let folder = ScratchFolder()
    try write(Scene.smooth(8, 6, .rgbaFloat, tags: .sRGB), "a.dpx", in: folder)
    var bytes = folder.read("a.dpx")
    bytes[Self.transferPlace] = 2
    folder.write(bytes, to: "a.dpx")
    let properties = try await FrameReader.open(folder.file("a.dpx")).properties
    #expect(properties.tags.transfer == .linear)
    #expect(properties.pictureMetadata.assumption?.contains("linear") == true)
  }

  @Test(arguments: [3, 100, 1663, 2100]) func damagedFiles(_ count: Int) async throws {
    let folder = ScratchFolder()
    try write(Scene.smooth(40, 30, .rgbaFloat, tags: .sRGB), "a.dpx", in: folder)
    folder.write(Array(folder.read("a.dpx").prefix(count)), to: "a.dpx")
    let error = await failure { () async throws(CinematicError) in
      let reader = try await FrameReader.open(folder.file("a.dpx"))
      _ = try await reader.next()
    }
    #expect(error != nil)
  }
}
