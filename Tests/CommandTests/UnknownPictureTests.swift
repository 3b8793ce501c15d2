// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import Foundation
import Testing

/// Pictures of kinds that are not read: the advice is for pictures.
@Suite struct UnknownPictureTests {
  private static func little(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  /// 8 x 8 pixels of 24 bits.
  private static let bitmap: [UInt8] =
    Array("BM".utf8) + little(54 + 192, 4) + little(0, 4) + little(54, 4) + little(40, 4)
    + little(8, 4) + little(8, 4) + little(1, 2) + little(24, 2) + little(0, 4) + little(192, 4)
    + [UInt8](repeating: 0, count: 16) + [UInt8](repeating: 90, count: 192)
  private static let webP: [UInt8] =
    Array("RIFF".utf8) + little(36, 4) + Array("WEBPVP8L".utf8) + little(24, 4)
    + [UInt8](repeating: 7, count: 24)

  /// 2 x 2 pixels without run lengths.
  private static let radiance: [UInt8] =
    Array("#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 2 +X 2\n".utf8)
    + [UInt8](repeating: 128, count: 16)

  /// A TIFF of one gray strip of 4 x 4, with more entries.
  private static func tiff(_ more: [(tag: Int, type: Int, value: Int)], magic: [UInt8] = [])
    -> [UInt8]
  {
    let start = 8 + magic.count
    var entries: [(tag: Int, type: Int, value: Int)] = [
      (256, 3, 4), (257, 3, 4), (258, 3, 8), (259, 3, 1), (262, 3, 1), (273, 4, 0), (277, 3, 1),
      (278, 3, 4), (279, 4, 16),
    ]
    entries = (entries + more).sorted { $0.tag < $1.tag }
    let pixels = start + 2 + 12 * entries.count + 4
    var bytes = Array("II".utf8) + little(42, 2) + little(start, 4) + magic
    bytes += little(entries.count, 2)
    for entry in entries {
      bytes += little(entry.tag, 2) + little(entry.type, 2) + little(1, 4)
      bytes += little(entry.tag == 273 ? pixels : entry.value, 4)
    }
    return bytes + little(0, 4) + [UInt8](repeating: 100, count: 16)
  }

  /// Commands that open a file, called @ here.
  private static let commands = [
    "render @ --disparity map.png -o x.png", "render in.png --disparity @ -o x.png",
    "import @ --disparity map.png -o x.mov", "export @ -o x.mov", "info @",
  ]

  @Test(arguments: commands) func pictures(_ command: String) async throws {
    let folder = Folder()
    try Material.still(in: folder)
    for (name, kind, bytes) in [
      ("a.bmp", "BMP", Self.bitmap), ("a.webp", "WEBP", Self.webP),
      ("a.hdr", "Radiance HDR", Self.radiance),
    ] {
      folder.write(bytes, to: name)
      let arguments = command.split(separator: " ").map { $0 == "@" ? name : String($0) }
      try await refuses(
        arguments, in: folder,
        naming: [name, "a picture of a kind that is not read (\(kind))", "convert it", "PNG"])
    }
  }

  /// The small picture in a file of raw data is not the photograph.
  @Test(arguments: commands) func rawData(_ command: String) async throws {
    let folder = Folder()
    try Material.still(in: folder)
    let files: [(String, [UInt8])] = [
      ("a.dng", Self.tiff([(tag: 50706, type: 1, value: 0x401)])),
      ("a.nef", Self.tiff([(tag: 254, type: 4, value: 1), (tag: 330, type: 4, value: 8)])),
      ("a.cr2", Self.tiff([], magic: Array("CR".utf8) + [2, 0, 0, 0, 0, 0])),
    ]
    for (name, bytes) in files {
      folder.write(bytes, to: name)
      let arguments = command.split(separator: " ").map { $0 == "@" ? name : String($0) }
      try await refuses(arguments, in: folder, naming: [name, "raw sensor data", "develop it"])
    }
    // Without anything below it, it is only small.
    folder.write(Self.tiff([(tag: 254, type: 4, value: 1)]), to: "small.tif")
    let arguments = command.split(separator: " ").map { $0 == "@" ? "small.tif" : String($0) }
    try await refuses(arguments, in: folder, naming: ["small.tif", "thumbnails of a picture"])
    // A page of several is a picture.
    folder.write(Self.tiff([(tag: 254, type: 4, value: 2)]), to: "page.tif")
    try await works(
      [
        "render", "page.tif", "--disparity", "map.png", "--disparity-fit", "stretch", "-o", "x.png",
      ],
      in: folder)
  }

  /// A file that is neither a picture nor a movie.
  @Test func texts() async throws {
    let folder = Folder()
    try Material.still(in: folder)
    folder.write(Array("This is a text.".utf8), to: "a.txt")
    try await refuses(
      ["render", "a.txt", "--disparity", "map.png", "-o", "x.png"], in: folder,
      naming: ["a.txt", "no movie of a known kind and no picture", "QuickTime", "PNG"])
  }

  /// A channel of depth alone is no picture in colours, and no error either.
  @Test func maps() async throws {
    let folder = Folder()
    let map = try PixelBuffer(
      dimensions: Material.size, format: .disparityFloat, tags: .linearBT709,
      bytesPerRowAlignment: 4)
    map.withUnsafeMutableBytes { _ = $0.initializeMemory(as: UInt8.self, repeating: 0) }
    try PictureWriter.write(map, to: folder.file("y.exr"))
    var bytes = folder.read("y.exr")
    let text = Array("chlist\0".utf8)
    let place = try #require(
      (0..<(bytes.count - text.count)).first { bytes[$0...].starts(with: text) })
    let name = place + text.count + 4
    #expect(Array(bytes[name..<(name + 2)]) == Array("Y\0".utf8))
    bytes[name] = UInt8(ascii: "Z")
    folder.write(bytes, to: "z.exr")
    let said = try await works(["info", "z.exr"], in: folder).output
    #expect(said.contains("z.exr: map\n") && said.contains("48x32"), "\(said)")
    #expect(said.contains("floats of 32 bits\n") && said.contains("with --disparity"))
    let object = try await works(["info", "z.exr", "--json"], in: folder).objects()
    #expect(object.first?["isMap"] as? Bool == true)
  }
}
