// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Testing

@testable import FocalMedia

/// Metadata of photographs that say what cannot be.
@Suite struct HostileMetadataTests {
  private typealias Material = PhotographMaterial

  @Test(arguments: ["-1", "1e20", "nan", "1751410032.5", "4294967296"])
  func numbersOfPortraits(_ number: String) {
    let text = Material.xmp("apdi:NativeFormat=\"\(number)\" apdi:FloatMinValue=\"1\"")
    #expect(MapCoding(apple: XMPPacket(Array(text.utf8))) == .disparity)
  }

  /// A directory of which every entry leads to itself, in either layout, is read once.
  @Test(arguments: [false, true]) func directoriesInCircles(isBig: Bool) throws {
    let little = Material.little
    let place = isBig ? 16 : 8
    let start =
      isBig
      ? little(43, 2) + little(8, 2) + little(0, 2) + little(place, 8)
      : little(42, 2) + little(place, 4)
    var bytes = Array("II".utf8) + start + little(5000, isBig ? 8 : 2)
    for _ in 0..<5000 {
      bytes += little(0x8769, 2) + little(4, 2) + little(1, isBig ? 8 : 4)
      bytes += little(place, isBig ? 8 : 4)
    }
    let directory = try #require(TIFFDirectory(bytes))
    #expect(directory.entries.isEmpty)
  }

  /// Numbers and places beyond any file are left out.
  @Test func placesBeyondTheEnd() throws {
    let little = Material.little
    var bytes = Array("II".utf8) + little(43, 2) + little(8, 2) + little(0, 2) + little(16, 8)
    bytes += little(4, 8)
    for (count, place) in [(-1, 16), (Int.max, 16), (9, -8), (9, .max)] {
      bytes += little(270, 2) + little(12, 2) + little(count, 8) + little(place, 8)
    }
    #expect(try #require(TIFFDirectory(bytes)).entries.isEmpty)
  }

  /// BigTIFF says the same as TIFF.
  @Test func bigDirectory() throws {
    let little = Material.little
    var bytes = Array("II".utf8) + little(43, 2) + little(8, 2) + little(0, 2) + little(16, 8)
    let text = Array("By the lake\0".utf8)
    bytes += little(3, 8)
    bytes += little(270, 2) + little(2, 2) + little(text.count, 8) + little(84 + 8, 8)
    bytes += little(274, 2) + little(3, 2) + little(1, 8) + little(6, 8)
    bytes += little(282, 2) + little(5, 2) + little(1, 8) + little(300, 4) + little(1, 4)
    bytes += little(0, 8) + text
    let directory = try #require(TIFFDirectory(bytes))
    #expect(directory[270]?.value == text && directory.integer(274) == 6)
    #expect(directory.rational(282) == 300)
  }

  @Test func profilesBeyondJPEG() {
    let profile = ColorProfile([UInt8](repeating: 1, count: 17_000_000))
    #expect(throws: CinematicError.self) {
      try JPEGSegments.segments(PictureMetadata(), profile: profile)
    }
  }
}
