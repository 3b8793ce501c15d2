// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Testing

@testable import FocalMedia

/// TIFF files of several pages.
@Suite struct TIFFPageTests {
  private struct Page {
    var size: Int
    /// 1 for a smaller version of another one, 4 for a mask, 0 for a picture.
    var kind: Int
    /// Adobe's tag of raw data, or none.
    var isRaw = false
    var light = 1
    /// Whether it leads to directories below.
    var hasBranches = false
    /// The film's speed, in EXIF.
    var speed: Int?

    var values: [UInt8] { (0..<(size * size)).map { UInt8(truncatingIfNeeded: 7 * $0 + kind) } }
  }

  /// Square pages of gray, without compression.
  private static func file(_ pages: [Page]) -> [UInt8] {
    let little = PhotographMaterial.little
    var bytes = Array("II".utf8) + little(42, 2) + little(8, 4)
    for (number, page) in pages.enumerated() {
      var entries = [
        (254, 4, page.kind), (256, 4, page.size), (257, 4, page.size), (258, 3, 8), (259, 3, 1),
        (262, 3, page.light), (273, 4, 0), (277, 3, 1), (278, 4, page.size),
        (279, 4, page.size * page.size),
      ]
      if page.hasBranches { entries.append((330, 4, 8)) }
      if page.speed != nil { entries.append((0x8769, 4, 0)) }
      if page.isRaw { entries.append((50706, 4, 1)) }
      let end = bytes.count + 2 + 12 * entries.count + 4
      let words = end + page.size * page.size
      // The pixels follow their directory.
      entries[6].2 = end
      bytes += little(entries.count, 2)
      for (tag, type, value) in entries {
        bytes += little(tag, 2) + little(type, 2) + little(1, 4)
        bytes += little(tag == 0x8769 ? words : value, 4)
      }
      var exif: [UInt8] = []
      if let speed = page.speed {
        exif = little(1, 2) + little(0x8827, 2) + little(3, 2) + little(1, 4) + little(speed, 4)
        exif += little(0, 4)
      }
      bytes += little(number + 1 < pages.count ? words + exif.count : 0, 4) + page.values + exif
    }
    return bytes
  }

  /// The first page that is neither a smaller version nor a mask of another one is the picture.
  @Test(arguments: [[1], [1, 1, 4], [4], []]) func thumbnails(_ before: [Int]) async throws {
    let folder = ScratchFolder()
    let picture = Page(size: 16, kind: 0)
    folder.write(
      Self.file(before.map { Page(size: 4, kind: $0) } + [picture, Page(size: 8, kind: 0)]),
      to: "a.tif")
    let reader = try await FrameReader.open(folder.file("a.tif"))
    #expect(reader.properties.dimensions == Dimensions(width: 16, height: 16))
    #expect(reader.properties.pictureMetadata.companions == [.otherPictures])
    #expect(try await reader.next()?.pixelBuffer.packedBytes() == picture.values)
    let strips = try #require(try PictureStripReader.open(folder.file("a.tif")))
    #expect(try strips.strip(0..<16).packedBytes() == picture.values)
    #expect(strips.properties.pictureMetadata == reader.properties.pictureMetadata)
  }

  /// The last page that is looked at says all that the first would, whatever the others have below them.
  @Test func manyThumbnails() async throws {
    let folder = ScratchFolder()
    let thumbnail = Page(size: 4, kind: 1, speed: 50)
    let picture = Page(size: 16, kind: 0, speed: 400)
    for count in [1, 7] {
      folder.write(
        Self.file([Page](repeating: thumbnail, count: count) + [picture]), to: "a.tif")
      let reader = try await FrameReader.open(folder.file("a.tif"))
      #expect(try await reader.next()?.pixelBuffer.packedBytes() == picture.values)
      let metadata = reader.properties.pictureMetadata
      let words = metadata.exif.flatMap { TIFFDirectory($0) }
      #expect(words?[0x8769]?.directory?.integer(0x8827) == 400)
      let strips = try #require(try PictureStripReader.open(folder.file("a.tif")))
      #expect(strips.properties.pictureMetadata == metadata)
      #expect(try strips.strip(0..<16).packedBytes() == picture.values)
    }
  }

  /// Thumbnails alone are no raw data, and no picture either.
  @Test(arguments: [[1], [1, 4, 1], [Int](repeating: 1, count: 8) + [0]])
  func thumbnailsAlone(_ kinds: [Int]) async throws {
    let folder = ScratchFolder()
    folder.write(Self.file(kinds.map { Page(size: 4, kind: $0, speed: 50) }), to: "a.tif")
    let error = await BadInputTests.reading(folder.file("a.tif"))
    #expect(error?.code == .unsupported)
    #expect(error?.message.contains("thumbnails") == true)
    #expect(error?.message.contains("raw sensor data") == false)
  }

  /// Where raw data may lie beside them, previews are no pictures.
  @Test func rawData() async throws {
    let folder = ScratchFolder()
    for pages in [
      [Page(size: 4, kind: 1, hasBranches: true)],
      [Page(size: 4, kind: 1, isRaw: true), Page(size: 16, kind: 0)],
      [Page(size: 4, kind: 1), Page(size: 16, kind: 0, light: 32803)],
    ] {
      folder.write(Self.file(pages), to: "a.tif")
      let error = await BadInputTests.reading(folder.file("a.tif"))
      #expect(error?.code == .unsupported)
      #expect(error?.message.contains("raw sensor data") == true)
    }
  }
}
