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

  /// A deflated stream of so many zeros: matches of 258 bytes one behind it, by RFC 1951's fixed codes.
  private static func deflatedZeros(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = [0x78, 0xDA]
    var (bits, bitCount) = (UInt32(0), 0)
    func put(_ code: UInt32, _ length: Int) {
      // Codes begin with their highest bit.
      for place in (0..<length).reversed() {
        bits |= (code >> place & 1) << bitCount
        bitCount += 1
        guard bitCount == 8 else { continue }
        bytes.append(UInt8(bits))
        (bits, bitCount) = (0, 0)
      }
    }
    // The last block, of fixed codes; a literal.
    put(0b110, 3)
    put(0b0011_0000, 8)
    for _ in 0..<(count / 258) { put(0b1_1000_1010_0000, 13) }
    put(0, 7)
    put(0, 7)
    return bytes
  }

  /// What inflates to more than a profile or text can be never reaches a decoder; the pixels do.
  @Test(arguments: ["iCCP", "zTXt"]) func inflatedChunks(_ kind: String) async throws {
    let folder = ScratchFolder()
    try PictureWriter.write(
      Scene.noise(16, 8, .rgba8), to: folder.file("plain.png"),
      temporaryFiles: folder.temporaryFiles)
    let plain = folder.read("plain.png")
    let content = Array("a".utf8) + [0, 0] + Self.deflatedZeros(20_000_000)
    #expect(content.count < 200_000)
    let chunk = PNGFormat.chunk(kind, content)
    folder.write(Array(plain[..<33]) + chunk + chunk + plain[33...], to: "in.png")
    let limited = PNGInput(limiting: folder.read("in.png"))
    #expect(limited.bytes == plain)
    #expect(limited.leavesOutProfile == (kind == "iCCP"))
    let reader = try await FrameReader.open(folder.file("in.png"))
    let assumption = reader.properties.pictureMetadata.assumption
    #expect(assumption?.contains("a damaged ICC profile") == (kind == "iCCP" ? true : nil))
    let read = try #require(try await reader.next()).pixelBuffer
    let wanted = try #require(try await frames(folder.file("plain.png")).first).pixelBuffer
    #expect(read.packedBytes() == wanted.packedBytes())
    let strips = try #require(try PictureStripReader.open(folder.file("in.png")))
    #expect(strips.properties.pictureMetadata == reader.properties.pictureMetadata)
  }

  /// No decoder gets the words of a PNG: FFmpeg goes through all of them for each. They are kept nevertheless.
  @Test(arguments: PNGText.chunks.sorted()) func words(_ kind: String) async throws {
    let folder = ScratchFolder()
    try PictureWriter.write(
      Scene.noise(16, 8, .rgba8), to: folder.file("plain.png"),
      temporaryFiles: folder.temporaryFiles)
    let plain = folder.read("plain.png")
    let texts = (0..<500).flatMap { number -> [UInt8] in
      let head = Array("Word \(number)".utf8) + [0]
      switch kind {
      case "zTXt": return PNGFormat.chunk(kind, head + [0] + PNGFormat.stored([97]))
      case "iTXt": return PNGFormat.chunk(kind, head + [0, 0, 0, 0, 97])
      default: return PNGFormat.chunk(kind, head + [97])
      }
    }
    folder.write(Array(plain[..<33]) + texts + plain[33...], to: "in.png")
    #expect(PNGInput(limiting: folder.read("in.png")).bytes == plain)
    let read = try await FrameReader.open(folder.file("in.png")).properties.pictureMetadata
    #expect(read.texts.map(\.keyword) == (0..<500).map { "Word \($0)" })
  }

  /// Behind the end of a PNG nothing is of the picture, a second header least of all: by whose bits is divided.
  @Test(arguments: [0, 3, 8]) func headersBehindTheEnd(_ bits: Int) async throws {
    let folder = ScratchFolder()
    let big = Material.big
    func header(_ bits: Int) -> [UInt8] { big(8, 4) + big(1, 4) + [UInt8(bits), 0, 0, 0, 0] }
    let picture: [(String, [UInt8])] = [
      ("IHDR", header(1)), ("IDAT", PNGFormat.stored([0, 0b0101_0011])), ("IEND", []),
    ]
    let rest: [(String, [UInt8])] = [
      ("IHDR", header(bits)), ("tRNS", big(1, 2)),
      ("iCCP", [97, 0, 0] + Self.deflatedZeros(20_000_000)),
      ("tEXt", Array("Author\0Somebody".utf8)),
    ]
    for (name, chunks) in [("plain.png", picture), ("in.png", picture + rest)] {
      folder.write(
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
          + chunks.flatMap { PNGFormat.chunk($0.0, $0.1) }, to: name)
    }
    let wanted = try await FrameReader.open(folder.file("plain.png"))
    let reader = try await FrameReader.open(folder.file("in.png"))
    #expect(reader.properties.pictureMetadata == wanted.properties.pictureMetadata)
    let pixels = try #require(try await wanted.next()).pixelBuffer.packedBytes()
    #expect(try await reader.next()?.pixelBuffer.packedBytes() == pixels)
    let plain = try #require(try PictureStripReader.open(folder.file("plain.png")))
    let strips = try #require(try PictureStripReader.open(folder.file("in.png")))
    #expect(strips.properties.pictureMetadata == plain.properties.pictureMetadata)
    #expect(try strips.strip(0..<1).packedBytes() == plain.strip(0..<1).packedBytes())
  }

  /// Gray has 1, 2 or 4 bits where it has fewer than 8.
  @Test func bitsOfTransparentGray() {
    for bits: UInt8 in 0...16 {
      let header: ArraySlice<UInt8> = [0, 0, 0, 8, 0, 0, 0, 1, bits, 0, 0, 0, 0]
      #expect((PNGTransparency([0, 1], header: header) != nil) == [1, 2, 4].contains(bits))
    }
  }
}
