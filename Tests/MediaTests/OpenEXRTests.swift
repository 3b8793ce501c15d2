// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import OpenEXRKit
import Testing

/// OpenEXR files as productions have them: every compression, layers, parts, names of channels.
@Suite struct OpenEXRTests {
  /// A part of a file that is written by OpenEXR's own library.
  struct Part {
    var name = ""
    var channels: [String]
    var isHalf = true
    var compression = 3
    var tile = 0
    var display = (0, 0, 37, 29)
    var data = (0, 0, 37, 29)
    var sampling: [Int] = []
  }

  /// The value of a channel at a pixel of the shown window: another for each name, exact in halves.
  private static func value(_ part: String, _ channel: String, _ x: Int, _ y: Int) -> Float {
    let seed = (part + channel).utf8.reduce(3) { ($0 * 7 + Int($1)) % 61 }
    return Float(1 + (seed + 3 * x + 5 * y) % 64) / 8
  }

  private static func write(_ parts: [Part], _ path: String) throws {
    var kept: [UnsafeMutablePointer<Float>] = []
    defer { for plane in kept { plane.deallocate() } }
    let facts = parts.map { part -> KitPart in
      var result = KitPart()
      let (d, s) = (part.display, part.data)
      result.display = (Int32(d.0), Int32(d.1), Int32(d.2), Int32(d.3))
      result.data = (Int32(s.0), Int32(s.1), Int32(s.2), Int32(s.3))
      result.compression = Int32(part.compression)
      result.tile = Int32(part.tile)
      result.channelCount = Int32(part.channels.count)
      for (index, name) in part.channels.enumerated() {
        let plane = UnsafeMutablePointer<Float>.allocate(capacity: s.2 * s.3)
        kept.append(plane)
        for y in 0..<s.3 {
          for x in 0..<s.2 {
            plane[y * s.2 + x] = value(part.name, name, x + s.0 - d.0, y + s.1 - d.1)
          }
        }
        withUnsafeMutableBytes(of: &result.types) {
          $0.bindMemory(to: Int32.self)[index] = part.isHalf ? 1 : 2
        }
        withUnsafeMutableBytes(of: &result.sampling) {
          $0.bindMemory(to: Int32.self)[index] =
            part.sampling.indices.contains(index) ? Int32(part.sampling[index]) : 1
        }
        withUnsafeMutableBytes(of: &result.planes) {
          $0.bindMemory(to: UnsafePointer<Float>?.self)[index] = UnsafePointer(plane)
        }
      }
      return result
    }
    let names = (parts.map(\.name) + parts.flatMap(\.channels)).joined(separator: "\n")
    try #require(kit_write_exr(path, facts, Int32(parts.count), names) != 0)
  }

  private func open(
    _ path: String, layer: String? = nil, channel: String? = nil, asMap: Bool = false
  ) async throws -> FrameReader {
    var options = ReadOptions(content: asMap ? .disparity(.unit) : .picture)
    options.layer = layer
    options.channel = channel
    return try await FrameReader.open(path, options: options)
  }

  private func expect(
    _ read: PixelBuffer, _ part: String, _ channels: [String], tolerance: Float = 0
  ) {
    let values = read.values(Float.self)
    let count = channels.count == 1 ? 1 : 4
    var most: Float = 0
    for y in 0..<read.height {
      for x in 0..<read.width {
        for (index, name) in channels.enumerated() {
          let want = Self.value(part, name, x, y)
          most = max(most, abs(values[(y * read.width + x) * count + index] - want) / want)
        }
      }
    }
    #expect(most <= tolerance, "\(channels)")
  }

  /// Compressions 0 to 9, in scan lines and tiles; the last four lose something.
  @Test(arguments: 0..<10, [0, 16]) func compressions(_ compression: Int, tile: Int) async throws {
    let folder = ScratchFolder()
    try Self.write(
      [Part(channels: ["A", "B", "G", "R", "Z"], compression: compression, tile: tile)],
      folder.file("a.exr"))
    let picture = try await open(folder.file("a.exr"))
    let read = try #require(try await picture.next()).pixelBuffer
    #expect(read.format == .rgbaFloat && read.tags == .linearBT709)
    #expect(picture.properties.pictureMetadata.leftOutChannels == ["Z"])
    // B44 keeps a value to an eighth beside much larger ones, DWA's coding is perceptual.
    let tolerance: Float = compression < 6 ? 0 : 0.125
    expect(read, "", ["R", "G", "B", "A"], tolerance: tolerance)
    let map = try #require(try await open(folder.file("a.exr"), asMap: true).next()).pixelBuffer
    expect(map, "", ["Z"], tolerance: tolerance)
    // Some rows at a time they are the same.
    let whole = read.packedBytes()
    let rows = try #require(try PictureStripReader.open(folder.file("a.exr")))
    for range in [0..<5, 3..<20, 18..<29, 0..<29] {
      let strip = try rows.strip(range).packedBytes()
      let isSame =
        strip == Array(whole[(16 * 37 * range.lowerBound)..<(16 * 37 * range.upperBound)])
      #expect(isSame, "\(range)")
    }
  }

  struct Layout: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var parts: @Sendable () -> [Part]
    var layer: String?
    var channel: String?
    /// The picture's part and channels; `nil` where it is refused.
    var picture: (part: String, channels: [String])?
    var map: (part: String, channel: String)?
    /// The words that refusals name.
    var names: [String] = []
  }

  static let layouts: [Layout] = [
    Layout(
      testDescription: "a channel Z alone", parts: { [Part(channels: ["Z"], isHalf: false)] },
      map: ("", "Z"), names: ["Z"]),
    Layout(
      testDescription: "depth.Z beside the picture",
      parts: { [Part(channels: ["B", "G", "R", "depth.Z"])] },
      picture: ("", ["R", "G", "B"]), map: ("", "depth.Z")),
    Layout(
      testDescription: "any name of a single channel", parts: { [Part(channels: ["foo"])] },
      map: ("", "foo"), names: ["foo"]),
    Layout(
      testDescription: "a layer alone",
      parts: { [Part(channels: ["beauty.B", "beauty.G", "beauty.R"])] },
      picture: ("", ["beauty.R", "beauty.G", "beauty.B"]), names: ["ReadOptions.channel"]),
    Layout(
      testDescription: "two layers, one named",
      parts: {
        [
          Part(channels: [
            "diffuse.B", "diffuse.G", "diffuse.R", "spec.B", "spec.G", "spec.R",
          ])
        ]
      }, layer: "spec", picture: ("", ["spec.R", "spec.G", "spec.B"]), names: ["spec.R"]),
    Layout(
      testDescription: "two layers, none named",
      parts: {
        [
          Part(channels: [
            "diffuse.B", "diffuse.G", "diffuse.R", "spec.B", "spec.G", "spec.R",
          ])
        ]
      }, names: ["diffuse"]),
    Layout(
      testDescription: "a picture and passes",
      parts: { [Part(channels: ["A", "B", "G", "N.X", "N.Y", "N.Z", "R"])] },
      channel: "N.Z", picture: ("", ["R", "G", "B", "A"]), map: ("", "N.Z")),
    Layout(
      testDescription: "normals, which are no depth",
      parts: { [Part(channels: ["B", "G", "N.X", "N.Y", "N.Z", "R"])] },
      picture: ("", ["R", "G", "B"]), names: ["N.Z", "ReadOptions.channel"]),
    Layout(
      testDescription: "normals beside depth",
      parts: { [Part(channels: ["B", "G", "N.X", "N.Y", "N.Z", "R", "depth.Z"])] },
      picture: ("", ["R", "G", "B"]), map: ("", "depth.Z")),
    Layout(
      testDescription: "a picture without a map", parts: { [Part(channels: ["B", "G", "R"])] },
      picture: ("", ["R", "G", "B"]), names: ["ReadOptions.channel"]),
    Layout(
      testDescription: "parts for picture and depth",
      parts: {
        [
          Part(name: "rgba", channels: ["A", "B", "G", "R"]),
          Part(name: "depth", channels: ["Z"], isHalf: false, compression: 2),
        ]
      }, picture: ("rgba", ["R", "G", "B", "A"]), map: ("depth", "Z")),
    Layout(
      testDescription: "a part by name",
      parts: {
        [
          Part(name: "left", channels: ["B", "G", "R"]),
          Part(name: "right", channels: ["B", "G", "R", "disparity.Y"], tile: 8),
        ]
      }, layer: "right", picture: ("right", ["R", "G", "B"]), map: ("right", "disparity.Y")),
    Layout(
      testDescription: "a channel by part",
      parts: {
        [
          Part(name: "a", channels: ["B", "G", "R", "Z"]),
          Part(name: "b", channels: ["B", "G", "R", "Z"]),
        ]
      }, channel: "b.Z", picture: ("a", ["R", "G", "B"]), map: ("b", "Z")),
    Layout(
      testDescription: "two depths, none named",
      parts: {
        [
          Part(name: "a", channels: ["B", "G", "R", "Z"]),
          Part(name: "b", channels: ["B", "G", "R", "Z"]),
        ]
      }, picture: ("a", ["R", "G", "B"]), names: ["a.Z", "b.Z", "ReadOptions.channel"]),
    Layout(
      testDescription: "luminance and chroma",
      parts: { [Part(channels: ["BY", "RY", "Y"])] },
      names: ["RY"]),
    Layout(
      testDescription: "a stored window that is smaller",
      parts: {
        [Part(channels: ["B", "G", "R", "Z"], display: (10, 5, 37, 29), data: (10, 5, 37, 29))]
      },
      picture: ("", ["R", "G", "B"]), map: ("", "Z")),
  ]

  @Test(arguments: layouts) func layout(_ layout: Layout) async throws {
    let folder = ScratchFolder()
    let path = folder.file("a.exr")
    try Self.write(layout.parts(), path)
    do throws(CinematicError) {
      let reader = try await FrameReader.open(path, options: options(layout, asMap: false))
      let read = try await reader.next()
      #expect(layout.picture != nil, "it should have been refused")
      if let wanted = layout.picture, let read {
        expect(read.pixelBuffer, wanted.part, wanted.channels)
      }
    } catch {
      #expect(layout.picture == nil, "\(error)")
      #expect(error.code != .malformed && error.remedy != nil, "\(error)")
    }
    do throws(CinematicError) {
      let reader = try await FrameReader.open(path, options: options(layout, asMap: true))
      let read = try await reader.next()
      #expect(layout.map != nil, "it should have been refused")
      if let wanted = layout.map, let read {
        expect(read.pixelBuffer, wanted.part, [wanted.channel])
      }
    } catch {
      #expect(layout.map == nil, "\(error)")
      #expect(error.code != .malformed, "\(error)")
      for name in layout.names {
        #expect("\(error.message); \(error.remedy ?? "")".contains(name), "\(error)")
      }
    }
  }

  private func options(_ layout: Layout, asMap: Bool) -> ReadOptions {
    var options = ReadOptions(content: asMap ? .disparity(.unit) : .picture)
    if asMap { options.channel = layout.channel } else { options.layer = layout.layer }
    return options
  }

  /// The layers with colours are listed, those without a name, too.
  @Test func layers() async throws {
    let folder = ScratchFolder()
    let colors = ["B", "G", "R"]
    let layered = ["spec", "diffuse"].flatMap { layer in colors.map { "\(layer).\($0)" } }
    try Self.write([Part(channels: (layered + ["Z"]).sorted())], folder.file("a.exr"))
    try Self.write(
      [Part(name: "left", channels: colors), Part(name: "right", channels: colors)],
      folder.file("b.exr"))
    try Self.write([Part(channels: colors + ["spec.B", "spec.G", "spec.R"])], folder.file("c.exr"))
    try PictureWriter.write(
      Scene.noise(4, 4, .rgba8), to: folder.file("d.png"), temporaryFiles: folder.temporaryFiles)
    for (name, layers) in [
      ("a.exr", ["diffuse", "spec"]), ("b.exr", ["left", "right"]), ("c.exr", ["", "spec"]),
      ("d.png", []), ("none.exr", []),
    ] {
      #expect(try await Asset.named(folder.file(name)).pictureLayers() == layers, "\(name)")
    }
  }

  /// Pixels stored beyond the shown window are cut off, those that are not stored are black.
  @Test func windows() async throws {
    let folder = ScratchFolder()
    try Self.write(
      [Part(channels: ["B", "G", "R"], display: (0, 0, 20, 10), data: (-3, 2, 12, 15))],
      folder.file("a.exr"))
    let read = try #require(try await open(folder.file("a.exr")).next()).pixelBuffer
    #expect(read.dimensions == Dimensions(width: 20, height: 10))
    let values = read.values(Float.self)
    for y in 0..<10 {
      for x in 0..<20 {
        let isStored = x < 9 && y >= 2
        let want = isStored ? Self.value("", "R", x, y) : 0
        #expect(values[4 * (20 * y + x)] == want)
      }
    }
    // Nothing of what is shown is stored.
    try Self.write(
      [Part(channels: ["B", "G", "R"], display: (0, 0, 20, 10), data: (30, -20, 12, 15))],
      folder.file("b.exr"))
    let black = try #require(try await open(folder.file("b.exr")).next()).pixelBuffer
    let colors = black.values(Float.self).enumerated().filter { $0.offset % 4 < 3 }
    #expect(colors.allSatisfy { $0.element == 0 })
  }

  /// Halves stay halves, floats stay floats, and what colours are is said again.
  @Test(arguments: [true, false]) func depthIsKept(_ isHalf: Bool) async throws {
    let folder = ScratchFolder()
    try Self.write(
      [Part(channels: ["B", "G", "R"], isHalf: isHalf)], folder.file("a.exr"))
    let reader = try await open(folder.file("a.exr"))
    #expect(reader.properties.bitDepth == (isHalf ? 16 : 32))
    let picture = try #require(try await reader.next()).pixelBuffer
    try PictureWriter.write(
      picture, to: folder.file("b.exr"), metadata: reader.properties.pictureMetadata,
      temporaryFiles: folder.temporaryFiles)
    let copy = try await open(folder.file("b.exr"))
    #expect(copy.properties.bitDepth == (isHalf ? 16 : 32))
    expect(try #require(try await copy.next()).pixelBuffer, "", ["R", "G", "B"])
    let tags = ColorTags(primaries: .bt2020, transfer: .linear, matrix: .bt709)
    let wide = try Scene.smooth(8, 8, .rgbaFloat, tags: tags)
    try PictureWriter.write(
      wide, to: folder.file("c.exr"), temporaryFiles: folder.temporaryFiles)
    #expect(try await open(folder.file("c.exr")).properties.tags.primaries == .bt2020)
  }

  /// A header's attributes, known to the library or not, are written again; the picture lies where it did,
  /// and what is not shown is named.
  @Test func attributesAreKept() async throws {
    let folder = ScratchFolder()
    try Self.write(
      [Part(channels: ["B", "G", "R"], display: (11, -7, 24, 20), data: (11, -7, 24, 20))],
      folder.file("a.exr"))
    let reader = try await open(folder.file("a.exr"))
    let metadata = reader.properties.pictureMetadata
    #expect(metadata.losses(in: .openEXR) == [])
    #expect(
      metadata.losses(in: .png).contains { $0.contains("attributes") && $0.contains("owner") })
    // What every file has is no loss, as long as it says what is usual.
    #expect(!metadata.losses(in: .png).contains { $0.contains("screenWindow") })
    let picture = try #require(try await reader.next()).pixelBuffer
    try PictureWriter.write(
      picture, to: folder.file("b.exr"), metadata: metadata,
      temporaryFiles: folder.temporaryFiles)
    #expect(try await open(folder.file("b.exr")).properties.pictureMetadata == metadata)
    let copy = folder.read("b.exr")
    for text in ["owner", "somebody", "kitShot"] {
      #expect(copy.contains(Array(text.utf8)), "\(text)")
    }
    let read = try #require(try await open(folder.file("b.exr")).next()).pixelBuffer
    expect(read, "", ["R", "G", "B"])
    // Pixels around the display window.
    try Self.write(
      [Part(channels: ["B", "G", "R"], display: (2, 2, 8, 8), data: (0, 0, 12, 12))],
      folder.file("c.exr"))
    let cropped = try await open(folder.file("c.exr")).properties.pictureMetadata
    #expect(cropped.losses(in: .openEXR) == ["pixels outside of the display window"])
  }

  /// A file that is cut off or changed is an error or a picture, and never the end of the program.
  @Test(arguments: 0..<10) func damagedFiles(_ compression: Int) async throws {
    let folder = ScratchFolder()
    try Self.write(
      [Part(channels: ["B", "G", "R", "Z"], compression: compression)], folder.file("a.exr"))
    let whole = folder.read("a.exr")
    var random = Seeded(UInt64(compression))
    for round in 0..<40 {
      var bytes = whole
      if round < 12 {
        bytes = Array(bytes.prefix(Int(random.next() % UInt64(whole.count))))
      } else {
        for _ in 0..<3 {
          bytes[8 + Int(random.next() % UInt64(whole.count - 8))] = UInt8(
            truncatingIfNeeded: random.next())
        }
      }
      folder.write(bytes, to: "b.exr")
      let error = await failure { () async throws(CinematicError) in
        let reader = try await FrameReader.open(folder.file("b.exr"))
        _ = try await reader.next()
      }
      if round < 12 { #expect(error?.code == .malformed, "\(bytes.count) of \(whole.count)") }
    }
  }

  /// An attribute that claims more bytes than there are makes no room for them, in any part.
  @Test(arguments: [1, 2], [0x7F, 0xFF] as [UInt8])
  func longAttributes(_ parts: Int, top: UInt8) async throws {
    let folder = ScratchFolder()
    let names = parts == 1 ? [""] : ["left", "right"]
    try Self.write(
      names.map { Part(name: $0, channels: ["B", "G", "R"]) }, folder.file("a.exr"))
    var bytes = folder.read("a.exr")
    // The length follows the type.
    let head = Array("owner\0string\0".utf8)
    let places = bytes.indices.dropLast(head.count).filter {
      bytes[$0..<($0 + head.count)].elementsEqual(head)
    }
    #expect(places.count == parts)
    bytes[try #require(places.last) + head.count + 3] = top
    folder.write(bytes, to: "a.exr")
    let error = await failure { () async throws(CinematicError) in
      _ = try await FrameReader.open(folder.file("a.exr"))
    }
    #expect(error?.code == .malformed)
    #expect(error?.message.contains("an attribute is longer than the file") == true)
    #expect(throws: CinematicError.self) { try PictureStripReader.open(folder.file("a.exr")) }
  }

  /// A compression that came with a newer version of the format is no damage, and one that no version will have is.
  @Test(arguments: [20, 200] as [UInt8]) func newerCompressions(_ number: UInt8) async throws {
    let folder = ScratchFolder()
    try Self.write([Part(channels: ["B", "G", "R"])], folder.file("a.exr"))
    var bytes = folder.read("a.exr")
    let head = Array("compression\0compression\0".utf8)
    let place = try #require(
      bytes.indices.dropLast(head.count).first {
        bytes[$0..<($0 + head.count)].elementsEqual(head)
      })
    // A length of four bytes stands before it.
    bytes[place + head.count + 4] = number
    folder.write(bytes, to: "a.exr")
    let error = await failure { () async throws(CinematicError) in
      _ = try await FrameReader.open(folder.file("a.exr"))
    }
    #expect(error?.code == (number == 20 ? .unsupported : .malformed), "\(error as Any)")
    #expect(error?.message.contains("newer") == (number == 20))
  }

  @Test func namesAreForOpenEXR() async throws {
    let folder = ScratchFolder()
    try PictureWriter.write(
      Scene.noise(4, 4, .rgba8), to: folder.file("a.png"), temporaryFiles: folder.temporaryFiles)
    let error = await failure { () async throws(CinematicError) in
      var options = ReadOptions()
      options.layer = "beauty"
      _ = try await FrameReader.open(folder.file("a.png"), options: options)
    }
    #expect(error?.code == .invalidParameter && error?.message.contains("beauty") == true)
  }
}
