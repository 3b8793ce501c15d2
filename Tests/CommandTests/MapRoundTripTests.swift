// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import Foundation
import Testing

/// Maps that `focal extract --disparity` writes, `focal import` of the same pictures takes back, bit for
/// bit, whichever way the pictures are stored.
@Suite struct MapRoundTripTests {
  private static let frameCount = 3

  /// `clip.mov`, stored as 48×32 and shown by a turn, and `upright/%04d.png`, ramps from far (left) to
  /// near (right) as it is shown. The map's codes are whole ones of ten bits.
  private static func material(_ turn: QuarterTurn, in folder: Folder) throws {
    var settings = WriterSettings(
      dimensions: Material.size, pixelFormat: .yuv420Video8, tags: .bt709)
    settings.timescale = 30
    settings.encoderPreset = "ultrafast"
    settings.preferredTransform = turn
    settings.temporaryFiles = TemporaryFiles()
    let writer = try FrameWriter.create(folder.file("clip.mov"), settings: settings)
    for time in Material.steady(frameCount) {
      try writer.append(
        Material.picture(Material.size, .yuv420Video8, tags: .bt709), time: time,
        duration: Time(value: 1, timescale: 30))
    }
    try writer.finish()
    folder.make("upright")
    let size = turn.applied(to: Material.size)
    for number in 0..<frameCount {
      let map = try PixelBuffer(dimensions: size, format: .gray16, tags: .linearBT709)
      map.withUnsafeMutableBytes { bytes in
        for y in 0..<size.height {
          for x in 0..<size.width {
            let code = (1023 * x / (size.width - 1) + 40 * y + 7 * number) % 1024
            bytes.storeBytes(
              of: UInt16((Double(code) * 65535 / 1023).rounded()),
              toByteOffset: y * map.planes[0].bytesPerRow + 2 * x, as: UInt16.self)
          }
        }
      }
      try PictureWriter.write(map, to: folder.file("upright/000\(number).png"))
    }
  }

  private static func maps(_ pattern: String, in folder: Folder) async throws -> [PixelBuffer] {
    try await Material.frames(folder.file(pattern), ReadOptions(content: .disparity(.unit))).frames
      .map(
        \.pixelBuffer)
  }

  /// Whether two rows of maps are the same but for the last of sixteen bits, which the way over single
  /// precision may change; a code of ten bits is 64 times as much.
  private static func isSame(_ a: String, _ b: String, in folder: Folder) async throws -> Bool {
    let (a, b) = (try await maps(a, in: folder), try await maps(b, in: folder))
    return a.count == frameCount && b.count == frameCount
      && zip(a, b).allSatisfy { a, b in
        a.dimensions == b.dimensions
          && (0..<a.height).allSatisfy { y in
            (0..<a.width).allSatisfy { x in
              abs((a.disparity(x: x, y: y) ?? 9) - (b.disparity(x: x, y: y) ?? -9)) < 1.5 / 65535
            }
          }
      }
  }

  private static func importing(
    _ maps: String, to movie: String, _ options: [String] = [], in folder: Folder
  ) async throws {
    try await works(
      ["import", "clip.mov", "--disparity", maps, "--focus", "0.5", "-o", movie] + options,
      in: folder)
  }

  @Test(arguments: QuarterTurn.allCases) func numberedPictures(_ turn: QuarterTurn) async throws {
    let folder = Folder()
    try Self.material(turn, in: folder)
    try await Self.importing("upright/%04d.png", to: "a.mov", in: folder)
    for (name, options) in [("png", []), ("pfm", ["--disparity-range", "0,1"])] {
      try await works(
        ["extract", "a.mov", "--disparity", "-o", "out-\(name)/%04d.\(name)"], in: folder)
      try await Self.importing(
        "out-\(name)/%04d.\(name)", to: "\(name).mov", options, in: folder)
      try await works(
        ["extract", "\(name).mov", "--disparity", "-o", "again-\(name)/%04d.\(name)"], in: folder)
      for number in 0..<Self.frameCount {
        let isSame =
          folder.read("out-\(name)/000\(number).\(name)")
          == folder.read("again-\(name)/000\(number).\(name)")
        #expect(isSame, "\(turn) \(name) \(number)")
      }
    }
    // They lie as they were given: as the clip is shown.
    #expect(try await Self.isSame("out-png/%04d.png", "upright/%04d.png", in: folder))
  }

  @Test(arguments: [QuarterTurn.clockwise90, .clockwise180]) func movie(
    _ turn: QuarterTurn
  ) async throws {
    let folder = Folder()
    try Self.material(turn, in: folder)
    try await Self.importing(
      "upright/%04d.png", to: "a.mov", ["--disparity-range", "0.25,2"], in: folder)
    let outcome = try await works(["extract", "a.mov", "--disparity", "-o", "m.mov"], in: folder)
    #expect(outcome.errors.contains("--disparity-range 0.25,2.0"), "\(outcome.errors)")
    let range = ["--disparity-range", "0.25,2.0"]
    try await Self.importing("m.mov", to: "b.mov", range, in: folder)
    // So do pictures, whose black and white are the movie's least and greatest disparity.
    let pictures = try await works(
      ["extract", "b.mov", "--disparity", "-o", "out/%04d.png"], in: folder)
    #expect(pictures.errors.contains("--disparity-range 0.25,2.0"), "\(pictures.errors)")
    #expect(try await Self.isSame("out/%04d.png", "upright/%04d.png", in: folder))
    try await refuses(
      [
        "extract", "b.mov", "--disparity", "-o", "out/%04d.png",
      ], in: folder, naming: ["out/0000.png", "--force"])
  }

  /// Where the shape tells, maps that lie as the clip is stored are taken, too.
  @Test func asStored() async throws {
    let folder = Folder()
    try Self.material(.clockwise90, in: folder)
    try await Self.importing("upright/%04d.png", to: "a.mov", in: folder)
    folder.make("stored")
    for number in 0..<Self.frameCount {
      let options = ReadOptions(content: .disparity(.unit))
      let upright = try #require(
        try await FrameReader.open(folder.file("upright/000\(number).png"), options: options).next()
      )
      let stored = try upright.pixelBuffer.turnedDisparity(by: .clockwise270)
      #expect(stored.dimensions == Material.size)
      try PictureWriter.write(stored, to: folder.file("stored/000\(number).png"))
    }
    try await Self.importing("stored/%04d.png", to: "b.mov", in: folder)
    // Into folders of one letter, which are made.
    for name in ["a", "b"] {
      try await works(
        ["extract", "\(name).mov", "--disparity", "-o", "\(name)/%04d.png"], in: folder)
    }
    for number in 0..<Self.frameCount {
      let isSame = folder.read("a/000\(number).png") == folder.read("b/000\(number).png")
      #expect(isSame && !folder.read("a/000\(number).png").isEmpty)
    }
  }

  @Test func refusals() async throws {
    let folder = Folder()
    try Self.material(.identity, in: folder)
    try await Self.importing("upright/%04d.png", to: "a.mov", in: folder)
    try await works(["extract", "a.mov", "--disparity", "-o", "f/%04d.pfm"], in: folder)
    let arguments = ["import", "clip.mov", "-o", "x.mov", "--focus", "0.5", "--disparity"]
    try await refuses(
      arguments + ["f/%04d.pfm", "--disparity-range", "0.25,0.5"], in: folder,
      naming: ["f/%04d.pfm", "--disparity-range 0.25,0.5"])
    // An import has no choice of frames.
    let outcome = try await Program.focal(arguments + ["upright/0000.png"], in: folder)
    expectOneLine(outcome, naming: ["upright/0000.png", "one map"])
    #expect(!outcome.errors.contains("--frames"), "\(outcome.errors)")
    try FileManager.default.removeItem(atPath: folder.file("upright/0002.png"))
    let short = try await Program.focal(arguments + ["upright/%04d.png"], in: folder)
    expectOneLine(short, naming: ["upright/%04d.png", "frame 2"])
    #expect(!short.errors.contains("--frames"), "\(short.errors)")
  }
}
