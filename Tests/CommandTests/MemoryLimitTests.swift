// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import Testing

/// `--memory-limit`: what would take more is refused at once, in one line that says so.
@Suite struct MemoryLimitTests {
  private static func large(in folder: Folder) throws {
    let picture = try PixelBuffer(
      dimensions: Dimensions(width: 3000, height: 2000), format: .gray8, tags: .sRGB)
    try PictureWriter.write(picture, to: folder.file("a.png"))
  }

  @Test func picturesAreRefused() async throws {
    let folder = Folder()
    try Self.large(in: folder)
    // What stands in front of the pixels is all that is read.
    try await works(["info", "a.png", "--memory-limit", "64M"], in: folder)
    let command = ["compare", "a.png", "a.png"]
    // A byte of gray and four of RGBA: 30 MB, of which 64M allow 22.
    let refused = try await Program.focal(command + ["--memory-limit", "64M"], in: folder)
    #expect(refused.code == 1)
    let says = refused.errors.contains("a.png") && refused.errors.contains("--memory-limit")
    #expect(says, "\(refused.errors)")
    #expect(refused.errorLines.count <= 2)
    let allowed = try await Program.focal(command + ["--memory-limit", "128M"], in: folder)
    #expect(allowed.code == 0, "\(allowed.errors)")
  }

  /// A limit that no cut of a frame keeps is named, with what is enough.
  @Test func renderingsAreRefused() async throws {
    let folder = Folder()
    // The map alone is within the limit.
    let size = Dimensions(width: 2000, height: 1333)
    try PictureWriter.write(Material.picture(size), to: folder.file("in.png"))
    let smaller = Dimensions(width: 1000, height: 667)
    try PictureWriter.write(Material.map(smaller), to: folder.file("map.png"))
    let render = ["render", "in.png", "--disparity", "map.png", "--device", "cpu", "-o", "out.png"]
    let refused = try await Program.focal(render + ["--memory-limit", "80M"], in: folder)
    expectOneLine(
      refused,
      naming: [
        "2000x1333", "half of the memory limit of 83.8 MB", "raise the limit (--memory-limit) to",
        "MB at least",
      ])
  }

  /// Maps and masks of another shape are refused by what their files say, before they are decoded.
  @Test(arguments: [
    ["render", "in.png", "--disparity", "a.png", "-o", "out.png"],
    ["render", "in.png", "--disparity", "map.png", "--matte", "a.png", "-o", "out.png"],
    ["lift", "in.png", "--disparity", "a.png", "-o", "out.png"],
  ]) func otherShapesAreRefused(_ command: [String]) async throws {
    let folder = Folder()
    try Self.large(in: folder)
    for name in ["in.png", "map.png"] {
      let picture = try Material.picture(Dimensions(width: 64, height: 64))
      try PictureWriter.write(picture, to: folder.file(name))
    }
    let refused = try await Program.focal(command + ["--memory-limit", "64M"], in: folder)
    expectOneLine(refused, naming: ["a.png is 3000x2000", "64x64", "the shapes differ"])
  }

  /// Pictures are compared some rows at a time; a difference is made as a whole, and counts.
  @Test func differencesAreRefused() async throws {
    let folder = Folder()
    try Self.large(in: folder)
    let command = ["compare", "a.png", "a.png", "--memory-limit", "128M"]
    try await works(command, in: folder)
    // Four floats of a pixel: 96 MB, of which 128M allow 67.
    let refused = try await Program.focal(command + ["-o", "out.png"], in: folder)
    #expect(refused.code == 1)
    expectOneLine(refused, naming: ["difference", "a.png", "3000x2000", "--memory-limit"])
    #expect(folder.unfinished.isEmpty && !folder.names.contains("out.png"))
  }

  /// In less address space than four pictures of floats of 20 million pixels would take beside the program.
  @Test(.enabled(if: !Sanitizers.areOn, "sanitizers need terabytes of addresses"))
  func picturesAreComparedInLittleMemory() async throws {
    let folder = Folder()
    let size = Dimensions(width: 5000, height: 4000)
    try PictureWriter.write(
      PixelBuffer(dimensions: size, format: .gray8, tags: .sRGB), to: folder.file("a.png"))
    let outcome = try await Program.focal(
      ["compare", "a.png", "a.png"], in: folder,
      after: "export MALLOC_ARENA_MAX=2; ulimit -c 0; ulimit -v 2000000")
    #expect(outcome.code == 0, "\(outcome.errors)")
    #expect(outcome.output.contains("PSNR inf dB, SSIM 1.0000"), "\(outcome.output)")
  }

  /// One pixel in a tile of 65536 x 65536, of which sixteen bytes are there.
  private static let tile: [UInt8] = {
    func little(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    let entries = [
      (256, 1), (257, 1), (258, 8), (259, 1), (262, 1), (277, 1), (322, 65536), (323, 65536),
      (324, 8), (325, 16),
    ]
    var bytes = Array("II".utf8) + little(42, 2) + little(24, 4)
    bytes += [UInt8](repeating: 0, count: 16) + little(entries.count, 2)
    for (tag, value) in entries {
      bytes += little(tag, 2) + little(4, 2) + little(1, 4) + little(value, 4)
    }
    return bytes + little(0, 4)
  }()

  /// Tiles count, however small the picture is.
  @Test(arguments: ["stop", "warn"]) func tilesAreRefused(_ damage: String) async throws {
    let folder = Folder()
    folder.write(Self.tile, to: "a.tif")
    let outcome = try await Program.focal(
      ["info", "a.tif", "--memory-limit", "200M", "--on-damage", damage], in: folder)
    expectOneLine(outcome, naming: ["a.tif", "4.2 GB", "--memory-limit"])
  }

  @Test(arguments: ["12Q", "-5", "0", "1M", "99999999999999999999G", "G"])
  func limitsThatAreNone(_ limit: String) async throws {
    let folder = Folder()
    let result = try await Program.focal(["info", "a.png", "--memory-limit=\(limit)"], in: folder)
    #expect(result.code == 64)
    #expect(result.errors.contains("memory-limit"), "\(result.errors)")
  }
}
