// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Synchronization
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

  /// A structure of a directory with some entries, of which a last one leads to a second directory. In each, 200 more
  /// have the same value: half of all bytes.
  private static func sharing(
    _ entries: [(tag: Int, type: Int, value: Int)], isBig: Bool = false
  ) -> [UInt8] {
    let little = Material.little
    let (counted, room) = isBig ? (8, 8) : (2, 4)
    let start = isBig ? 16 : 8
    func size(_ count: Int) -> Int { counted + (4 + 2 * room) * count + room }
    let second = start + size(entries.count + 1 + 200)
    let half = (second + size(200)) / 2
    func directory(_ entries: [(tag: Int, type: Int, value: Int)]) -> [UInt8] {
      var bytes = little(entries.count + 200, counted)
      for entry in entries {
        bytes += little(entry.tag, 2) + little(entry.type, 2)
        bytes += little(1, room) + little(entry.value, room)
      }
      for number in 0..<200 {
        bytes += little(40000 + number, 2) + little(7, 2)
        bytes += little(half, room) + little(0, room)
      }
      return bytes + little(0, room)
    }
    let head =
      isBig
      ? little(43, 2) + little(8, 2) + little(0, 2) + little(start, 8)
      : little(42, 2) + little(start, 4)
    return Array("II".utf8) + head + directory(entries + [(0x8769, 4, second)]) + directory([])
  }

  private static func valueBytes(_ directory: TIFFDirectory) -> Int {
    directory.entries.reduce(0) { sum, entry in
      sum + entry.value.count + (entry.directory.map { valueBytes($0) } ?? 0)
    }
  }

  /// Of values that share their bytes no more is held than there are bytes, directories below included.
  @Test(arguments: [false, true]) func valuesThatShareBytes(isBig: Bool) throws {
    let bytes = Self.sharing([], isBig: isBig)
    let directory = try #require(TIFFDirectory(bytes))
    #expect(Self.valueBytes(directory) <= bytes.count)
    #expect(directory.isOverfull && directory.cutOff.contains(40199))
    #expect(directory[0x8769]?.directory?.entries.count == 1)
    let sound = Material.exif(orientation: 6, width: 64, height: 48)
    #expect(try #require(TIFFDirectory(sound)).isOverfull == false)
  }

  /// What is left out is said: as damage of a picture, and as a loss where EXIF is taken entry by entry.
  @Test func sharedBytesAreSaid() throws {
    let bytes = Self.sharing([
      (256, 3, 4), (257, 3, 4), (258, 3, 8), (259, 3, 1), (262, 3, 1), (273, 4, 8), (277, 3, 1),
      (278, 3, 4), (279, 4, 16),
    ])
    let errors = Mutex<[CinematicError]>([])
    var request = StillRequest("a.tif")
    let refused = failure { () throws(CinematicError) in
      _ = try StillDecoder.decode(bytes, request)
    }
    #expect(refused?.code == .malformed && refused?.message.contains("a.tif") == true)
    request.damage = .warn { error in errors.withLock { $0.append(error) } }
    let frame = try StillDecoder.decode(bytes, request)
    #expect(frame.dimensions == Dimensions(width: 4, height: 4))
    #expect(errors.withLock { $0.map(\.code) } == [.malformed])
    var metadata = PictureMetadata()
    metadata.exif = Self.sharing([])
    #expect(metadata.losses(in: .tiff) == ["EXIF values that share bytes"])
    #expect(metadata.losses(in: .png).isEmpty)
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
