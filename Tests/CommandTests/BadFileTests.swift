// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import Testing

/// Inputs and maps that cannot be used: one line that names the file, and the folder as before.
@Suite struct BadFileTests {
  /// A file that is wrong, by the name under which it is made.
  static let names = [
    "missing.png", "empty.png", "text.png", "noise.png", "noise.mov", "page.pdf", "folder",
    "numbers/%04d.png", "half.png", "half.jpg", "half.tif", "half.pfm", "half.exr", "half.mp4",
    "no-columns.pfm", "no-rows.pfm", "no-columns.png", "no-rows.png",
  ]

  private static func make(_ name: String, in folder: Folder) throws {
    switch name {
    case "missing.png": break
    case "empty.png": folder.write([], to: name)
    case "text.png": folder.write(Array("This is a letter, and no picture.\n".utf8), to: name)
    case "noise.png", "noise.mov":
      folder.write(Array(Material.wave(seconds: 1).dropFirst(44)), to: name)
    case "page.pdf": folder.write(Array("%PDF-1.4\n1 0 obj\n<<>>\nendobj\n".utf8), to: name)
    case "folder": folder.make(name)
    case "numbers/%04d.png": folder.make("numbers")
    case "half.jpg":
      folder.write(StillFormatTests.jpeg, to: "whole.jpg")
      folder.cut("whole.jpg", to: name)
    case "half.mp4":
      try Material.clip("whole.mp4", in: folder, times: Material.steady(12))
      folder.cut("whole.mp4", to: name)
    case "half.pfm", "half.exr":
      let ending = String(name.suffix(3))
      try PictureWriter.write(
        Material.picture(Material.size, .rgbaFloat, tags: .linearBT709),
        to: folder.file("whole.\(ending)"))
      folder.cut("whole.\(ending)", to: name)
    case "half.png", "half.tif":
      let ending = String(name.suffix(3))
      try PictureWriter.write(Material.picture(), to: folder.file("whole.\(ending)"))
      folder.cut("whole.\(ending)", to: name)
    case "no-columns.pfm": folder.write(Array("PF\n0 5\n-1.0\n".utf8), to: name)
    case "no-rows.pfm": folder.write(Array("PF\n5 0\n-1.0\n".utf8), to: name)
    case "no-columns.png": folder.write(pngHead(width: 0, height: 5), to: name)
    case "no-rows.png": folder.write(pngHead(width: 5, height: 0), to: name)
    default: Issue.record("no such case: \(name)")
    }
  }

  /// A PNG of a size and of no data; the head's checksum is right.
  private static func pngHead(width: UInt8, height: UInt8) -> [UInt8] {
    func chunk(_ kind: String, _ data: [UInt8]) -> [UInt8] {
      let body = Array(kind.utf8) + data
      var sum: UInt32 = .max
      for byte in body {
        sum ^= UInt32(byte)
        for _ in 0..<8 { sum = sum >> 1 ^ (sum & 1 == 0 ? 0 : 0xEDB8_8320) }
      }
      func big(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(value >> (24 - 8 * $0) & 255) } }
      return big(UInt32(data.count)) + body + big(~sum)
    }
    return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
      + chunk("IHDR", [0, 0, 0, width, 0, 0, 0, height, 8, 2, 0, 0, 0])
      + chunk("IDAT", [0x78, 0x9C, 3, 0, 0, 0, 0, 1]) + chunk("IEND", [])
  }

  @Test(arguments: names) func input(_ name: String) async throws {
    let folder = Folder()
    try Material.still(in: folder)
    try Self.make(name, in: folder)
    try await refuses(
      ["render", name, "--disparity", "map.png", "-o", "out.png"], in: folder, naming: [name])
  }

  @Test(arguments: names) func map(_ name: String) async throws {
    let folder = Folder()
    try Material.still(in: folder)
    try Self.make(name, in: folder)
    try await refuses(
      ["render", "in.png", "--disparity", name, "-o", "out.png"], in: folder, naming: [name])
  }

  /// A clip that breaks off in the middle is known for it before or while it is rendered.
  @Test func damagedClip() async throws {
    let folder = Folder()
    try Material.clip("clip.mov", in: folder, times: Material.steady(40))
    try Material.numberedMaps(40, in: folder)
    var bytes = folder.read("clip.mov")
    for index in bytes.count / 2..<bytes.count * 3 / 4 { bytes[index] = 0xA5 }
    folder.write(bytes, to: "clip.mov")
    let before = folder.contents
    let outcome = try await Program.focal(
      ["render", "clip.mov", "--disparity", "maps/%04d.png", "-o", "out.mp4"], in: folder)
    expectOneLine(outcome, naming: ["clip.mov"])
    #expect(folder.contents == before)
  }

  @Test func shapes() async throws {
    let folder = Folder()
    try Material.still(in: folder)
    try PictureWriter.write(
      Material.map(Dimensions(width: 20, height: 40)), to: folder.file("tall.png"))
    let render = ["render", "in.png", "--disparity", "tall.png", "-o", "out.png"]
    try await refuses(
      render, in: folder, naming: ["tall.png", "20x40", "48x32", "--disparity-fit stretch"])
    try await works(render + ["--disparity-fit", "stretch"], in: folder)
    #expect(
      try await Material.frames(folder.file("out.png")).properties.dimensions == Material.size)
  }

  /// A smaller map whose shape is the picture's but for rounding fits as it is.
  @Test(arguments: [(24, 16), (25, 17), (3, 2), (1, 1), (96, 64)])
  func mapsOfOtherSizes(_ width: Int, _ height: Int) async throws {
    let folder = Folder()
    try Material.still(in: folder)
    try PictureWriter.write(
      Material.map(Dimensions(width: width, height: height)), to: folder.file("other.png"))
    try await works(
      ["render", "in.png", "--disparity", "other.png", "-o", "out.png"], in: folder)
  }

  @Test func mapShorterThanTheClip() async throws {
    let folder = Folder()
    try Material.clip("clip.mp4", in: folder, times: Material.steady(8))
    try Material.clip("short.mp4", in: folder, times: Material.steady(3))
    try Material.numberedMaps(3, in: folder)
    for map in ["short.mp4", "maps/%04d.png"] {
      let before = folder.contents
      let outcome = try await Program.focal(
        ["render", "clip.mp4", "--disparity", map, "-o", "out.mp4"], in: folder)
      expectOneLine(outcome, naming: [map, "--frames"])
      #expect(folder.contents == before)
      try await works(
        ["render", "clip.mp4", "--disparity", map, "-o", "out.mp4", "--frames", "0-2"], in: folder)
      #expect(try await Material.frames(folder.file("out.mp4")).frames.count == 3)
      _ = try await Program.run(["/bin/rm", "out.mp4"], in: folder)
    }
  }

  /// One map is not a clip's, unless one frame of it is rendered.
  @Test func stillMapForAClip() async throws {
    let folder = Folder()
    try Material.clip("clip.mp4", in: folder, times: Material.steady(8))
    try PictureWriter.write(Material.map(), to: folder.file("map.png"))
    try await refuses(
      ["render", "clip.mp4", "--disparity", "map.png", "-o", "out.mp4"], in: folder,
      naming: ["map.png", "clip.mp4", "--frames"])
    try await works(
      ["render", "clip.mp4", "--disparity", "map.png", "-o", "out.png", "--frames", "5"],
      in: folder)
  }
}
