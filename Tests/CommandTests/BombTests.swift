// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import FocalMedia
import Foundation
import MovieKit
import Testing

/// Small files that stand for gigabytes: refused in a line, or done within the memory that there is.
@Suite struct BombTests {
  private static func big(_ value: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }
  private static func little(_ value: Int, _ count: Int = 4) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  /// Four pixels on a plane of 16000 x 16000.
  private static let exr: [UInt8] = {
    func attribute(_ name: String, _ type: String, _ value: [UInt8]) -> [UInt8] {
      Array(name.utf8) + [0] + Array(type.utf8) + [0] + little(value.count) + value
    }
    func window(_ side: Int) -> [UInt8] { little(0, 8) + little(side - 1) + little(side - 1) }
    // Halves.
    var channels: [UInt8] = []
    for name in "BGR".utf8 {
      channels += [name, 0]
      for value in [1, 0, 1, 1] { channels += little(value) }
    }
    var bytes: [UInt8] = [0x76, 0x2F, 0x31, 1, 2, 0, 0, 0]
    bytes += attribute("channels", "chlist", channels + [0])
    bytes += attribute("compression", "compression", [0])
    bytes += attribute("dataWindow", "box2i", window(2))
    bytes += attribute("displayWindow", "box2i", window(16000))
    bytes += attribute("lineOrder", "lineOrder", [0])
    bytes += attribute("pixelAspectRatio", "float", little(0x3F80_0000))
    bytes += attribute("screenWindowCenter", "v2f", little(0, 8))
    bytes += attribute("screenWindowWidth", "float", little(0x3F80_0000))
    bytes.append(0)
    let first = bytes.count + 16
    bytes += little(first, 8) + little(first + 20, 8)
    for row in 0..<2 {
      bytes += little(row) + little(12)
      bytes += [UInt8](repeating: 0x38, count: 12)
    }
    return bytes
  }()

  /// Without a row of its 900 million pixels.
  private static let png: [UInt8] = {
    func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
      let bytes = Array(type.utf8) + content
      var sum = ~UInt32(0)
      for byte in bytes {
        sum ^= UInt32(byte)
        for _ in 0..<8 { sum = sum >> 1 ^ (sum & 1 == 0 ? 0 : 0xEDB8_8320) }
      }
      return big(content.count) + bytes + big(Int(~sum))
    }
    var bytes: [UInt8] = [137, 80, 78, 71, 13, 10, 26, 10]
    bytes += chunk("IHDR", big(30000) + big(30000) + [8, 0, 0, 0, 0])
    bytes += chunk("IDAT", [120, 156])
    return bytes + chunk("IEND", [])
  }()

  /// A strip of eight bytes.
  private static let tiff: [UInt8] = {
    let entries: [(Int, Int, Int)] = [
      (256, 3, 16000), (257, 3, 16000), (258, 3, 8), (259, 3, 8), (262, 3, 1), (273, 4, 8),
      (277, 3, 1), (278, 3, 16000), (279, 4, 8),
    ]
    var bytes: [UInt8] = Array("II".utf8) + little(42, 2) + little(16)
    bytes += [120, 156, 99, 0, 0, 0, 1, 0]
    bytes += little(entries.count, 2)
    for (tag, type, value) in entries {
      bytes += little(tag, 2) + little(type, 2)
      bytes += little(1) + little(value)
    }
    return bytes + little(0)
  }()

  /// Four thousand values, each of the same bytes: 2.6 GB.
  private static let values: [UInt8] = {
    let size = 650_000
    let entries: [(Int, Int, Int, Int)] = [
      (256, 3, 1, 4), (257, 3, 1, 4), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1),
      (273, 4, 1, 8), (277, 3, 1, 1), (278, 3, 1, 4), (279, 4, 1, 16),
    ]
    var bytes: [UInt8] = Array("II".utf8) + little(42, 2) + little(8 + size)
    bytes += [UInt8](repeating: 0, count: size)
    let shared = (0..<4000).map { (40000 + $0, 7, size, 8) }
    bytes += little(entries.count + shared.count, 2)
    for (tag, type, count, value) in entries + shared {
      bytes += little(tag, 2) + little(type, 2)
      bytes += little(count) + little(value)
    }
    return bytes + little(0)
  }()

  private static let pfm = Array("PF\n16000 16000\n-1.0\n".utf8) + [UInt8](repeating: 0, count: 64)

  private static let files = [
    ("a.exr", exr), ("a.png", png), ("a.tif", tiff), ("values.tif", values), ("a.pfm", pfm),
  ]

  /// How much of the addresses the arenas of threads take depends on how many work at the same time.
  private static let limit = "export MALLOC_ARENA_MAX=2; ulimit -c 0; ulimit -v 2000000"

  /// In two gigabytes of addresses, of which the program itself has a part; the files stood for two to eight.
  @Test(
    .enabled(if: !Sanitizers.areOn, "sanitizers need terabytes of addresses"),
    arguments: files.map(\.0))
  func pictures(_ name: String) async throws {
    let folder = Folder()
    folder.write(try #require(Self.files.first { $0.0 == name }).1, to: name)
    try PictureWriter.write(
      Material.picture(Dimensions(width: 32, height: 24)), to: folder.file("map.png"))
    for command in [
      ["info", name], ["compare", name, name],
      [
        "render", name, "--disparity", "map.png", "--disparity-fit", "stretch", "-o", "out.png",
        "--memory-limit", "256M",
      ],
    ] {
      let outcome = try await Program.focal(command, in: folder, after: Self.limit)
      if outcome.code == 0 { continue }
      // A render lacks memory for a frame, not for a file.
      expectOneLine(outcome, naming: command[0] == "render" ? [] : [name])
      #expect(folder.unfinished.isEmpty)
    }
  }

  /// Memory is decided by the size that a file says: pictures and grids that are larger by their coding are refused, and
  /// so are maps beside them that are larger than the memory to work with.
  @Test(arguments: ["a.heic", "a.avif", "grid.heic"]) func sizesThatAreNotSaid(
    _ name: String
  ) async throws {
    let folder = Folder()
    let size = Dimensions(width: name == "grid.heic" ? 2048 : 640, height: 1088)
    try PictureWriter.write(Material.picture(size), to: folder.file(name))
    try await works(["info", name], in: folder)
    var bytes = folder.read(name)
    let places = bytes.indices.dropLast(16).filter {
      bytes[$0..<($0 + 4)].elementsEqual("ispe".utf8)
    }
    try #require(places.count == (name == "grid.heic" ? 2 : 1))
    // Of a grid its own size alone, which comes behind the tiles'.
    let place = places[places.count - 1]
    bytes.replaceSubrange((place + 8)..<(place + 16), with: Self.big(64) + Self.big(48))
    folder.write(bytes, to: name)
    try await refuses(["info", name], in: folder, naming: [name, "by its coding and 64x48"])
  }

  /// What is cut off is decoded, too, and so is what lies beyond a grid: memory is decided by the largest coded picture.
  @Test(arguments: ["a.heic", "a.avif", "grid.heic"]) func sizesThatAreNotShown(
    _ name: String
  ) async throws {
    let folder = Folder()
    let isGrid = name == "grid.heic"
    let size = Dimensions(width: isGrid ? 2048 : 64, height: isGrid ? 1088 : 64)
    try PictureWriter.write(Material.picture(size), to: folder.file(name))
    let shown = ["info", name, "--memory-limit", "256M"]
    try await works(shown, in: folder)
    // Of a grid the tiles' size, which comes first.
    var bytes = try ChangedHEIF.resizing(folder.read(name), to: 8192, 8192)
    if !isGrid {
      // Width, height and both offsets as fractions.
      let aperture = Box.of("clap") { builder in
        for number in [8, 1, 8, 1, 0, 1, 0, 1] { builder.u32(number) }
      }
      bytes = try ChangedHEIF.adding(aperture, to: bytes)
    }
    folder.write(bytes, to: name)
    try await refuses(shown, in: folder, naming: [name, "8192x8192", "--memory-limit"])
  }

  /// 600 kB that multiply a recording's metadata: named, and no gigabytes are written.
  @Test func editsThatMultiplyMetadata() async throws {
    let folder = Folder()
    var layout = PhoneMovie.layout()
    for track in [0, 3] {
      layout.tracks[track].edits = Array(repeating: (240, 0, 1 << 16), count: 50_000)
    }
    folder.write(layout.bytes(), to: "movie.mov")
    for command in [
      ["info", "movie.mov"], ["extract", "movie.mov", "--metadata", "-o", "m.jsonl"],
    ] {
      let outcome = try await Program.focal(command, in: folder)
      guard outcome.code == 0 else {
        expectOneLine(outcome, naming: ["movie.mov"])
        continue
      }
      #expect(folder.read("m.jsonl").count < 64 << 20)
    }
  }
}
