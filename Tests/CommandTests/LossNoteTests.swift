// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import FocalMedia
import Foundation
import Testing

/// Losses of a picture or a film are reported by every command.
@Suite struct LossNoteTests {
  private func movie(_ name: String, in folder: Folder, _ options: [String] = []) async throws {
    if folder.read("clip.mov").isEmpty {
      try Material.clip("clip.mov", in: folder, times: Material.steady(3))
      try Material.numberedMaps(3, in: folder)
    }
    try await works(
      ["import", "clip.mov", "--disparity", "maps/%04d.png", "-o", name] + options, in: folder)
  }

  /// The chroma of every movie of a film, not of the first alone.
  @Test func joinedChroma() async throws {
    let folder = Folder()
    try await movie("a.mov", in: folder)
    try await movie("b.mov", in: folder, ["--codec", "prores-422", "--chroma", "422"])
    let line = "film.mp4 does not hold all of b.mov: 10 bits become 8, 4:2:2 becomes 4:2:0"
    let joined = try await works(["export", "a.mov", "b.mov", "-o", "film.mp4"], in: folder)
    #expect(joined.errors.contains(line), "\(joined.errors)")
    let other = try await works(
      ["export", "b.mov", "a.mov", "-o", "film.mp4", "--force"], in: folder)
    #expect(!other.errors.contains("does not hold"), "\(other.errors)")
  }

  /// JPEG takes no alpha: the only line says so, and comes before anything is said about the rendering. Views are
  /// opaque, and so are pictures whose alpha is 1 everywhere.
  @Test func alphaBeforeWork() async throws {
    let folder = Folder()
    try Material.still(in: folder)
    let opaque = try PixelBuffer(dimensions: Material.size, format: .rgba8, tags: .sRGB)
    let translucent = try PixelBuffer(dimensions: Material.size, format: .rgba8, tags: .sRGB)
    for (picture, alpha) in [(opaque, UInt8(255)), (translucent, 100)] {
      let row = picture.planes[0].bytesPerRow
      picture.withUnsafeMutableBytes { bytes in
        for y in 0..<picture.height {
          for x in 0..<picture.width {
            for component in 0..<3 { bytes[y * row + 4 * x + component] = UInt8(5 * x & 255) }
            bytes[y * row + 4 * x + 3] = x == 40 ? alpha : 255
          }
        }
      }
    }
    try PictureWriter.write(opaque, to: folder.file("opaque.png"))
    for number in 0..<3 {
      // The first ones are opaque.
      try PictureWriter.write(
        number == 2 ? translucent : opaque, to: folder.file("q\(number).png"))
    }
    try PictureWriter.write(translucent, to: folder.file("alpha.png"))
    let render = ["render", "alpha.png", "--disparity", "map.png"]
    for options in [
      ["-o", "out.jpg"], ["-o", "-", "--format", "jpeg"],
      ["-o", "out.png", "--before-after", "both.jpg"],
    ] {
      try await refuses(render + options, in: folder, naming: ["cannot hold alpha", ".png"])
    }
    try await works(render + ["--show", "coc", "-o", "view.jpg"], in: folder)
    try await works(
      ["render", "opaque.png", "--disparity", "map.png", "-o", "opaque.jpg"], in: folder)
    // Frames before it stay, as those of every broken run.
    let broken = try await Program.focal(
      [
        "render", "q%d.png", "--disparity", "map.png", "--on-missing", "hold", "-o", "o%d.jpg",
        "--progress", "none",
      ], in: folder)
    expectOneLine(broken, naming: ["o%d.jpg cannot hold alpha"])
    #expect(folder.names.filter { $0.hasPrefix("o") && $0.hasSuffix(".jpg") }.count == 3)
    // Of movies, by their pictures.
    let numbered = ["q2.png", "q2.png"].enumerated()
    for (number, name) in numbered {
      folder.write(folder.read(name), to: "p\(number).png")
      folder.write(folder.read("map.png"), to: "d\(number).png")
    }
    try await works(
      [
        "import", "p%d.png", "--disparity", "d%d.png", "--codec", "prores-4444", "-o", "movie.mov",
      ], in: folder)
    for command in [["export", "movie.mov"], ["thumbnail", "movie.mov", "--at", "0f"]] {
      let outcome = try await Program.focal(
        command + ["-o", command[0] == "export" ? "m%d.jpg" : "m.jpg"], in: folder)
      expectOneLine(outcome, naming: ["cannot hold alpha"])
    }
    #expect(!folder.names.contains { $0.hasPrefix("m") && $0.hasSuffix(".jpg") })
  }

  /// Chapters and timecodes of every movie of a film, not of the first alone.
  @Test func joinedCompanions() async throws {
    let folder = Folder()
    var companions = FilmCompanions()
    companions.timecode = Timecode("01:00:00:00", frameDuration: Time(value: 1, timescale: 30))
    companions.chapters = [Chapter(time: .zero, title: "one")]
    try Material.clip("told.mov", in: folder, times: Material.steady(3), companions: companions)
    try await movie("a.mov", in: folder)
    try await works(
      ["import", "told.mov", "--disparity", "maps/%04d.png", "-o", "b.mov"], in: folder)
    let joined = try await works(
      ["export", "a.mov", "b.mov", "-o", "film.mov", "--progress", "none"], in: folder)
    let line = "film.mov does not keep the timecode of b.mov, the chapters of b.mov"
    #expect(joined.errors.contains(line), "\(joined.errors)")
    let other = try await works(
      ["export", "b.mov", "a.mov", "-o", "film.mov", "--force", "--progress", "none"], in: folder)
    #expect(
      other.errors.contains("does not keep the chapters of several movies\n"), "\(other.errors)")
    let plain = try await works(
      ["export", "a.mov", "a.mov", "-o", "film.mov", "--force", "--progress", "none"], in: folder)
    #expect(!plain.errors.contains("does not keep"), "\(plain.errors)")
  }

  /// Circles that are cut: the width of 48 pixels, times 16 over 0.1, times the map's distance.
  @Test(arguments: ["export", "thumbnail", "render"]) func circles(_ command: String) async throws {
    let folder = Folder()
    try await movie("a.mov", in: folder)
    let large = ["--blur-scale", "16", "--f-number", "0.1"]
    let small = ["--blur-scale", "1", "--f-number", "1"]
    let start: [String] =
      switch command {
      case "export": ["export", "a.mov", "-o", "out.mp4"]
      case "thumbnail": ["thumbnail", "a.mov", "--at", "0f", "-o", "out.png"]
      default: ["render", "clip.mov", "--disparity", "maps/%04d.png", "-o", "out.mp4"]
      }
    let cut = try await works(start + large, in: folder)
    #expect(cut.errors.contains("circles of confusion are 1024 pixels wide"), "\(cut.errors)")
    let whole = try await works(start + small + ["--force"], in: folder)
    #expect(!whole.errors.contains("circles of confusion"), "\(whole.errors)")
    // The map goes from 0 to 1: all is in front of the focus, or behind it, and that side's strength counts.
    for (focus, strengths, isCut) in [
      ("0", ["--near-strength", "0.1"], false), ("0", ["--far-strength", "0.1"], true),
      ("1", ["--far-strength", "0.1"], false), ("1", ["--near-strength", "0.1"], true),
    ] {
      let outcome = try await works(
        start + large + ["--focus", focus, "--force"] + strengths, in: folder)
      #expect(
        outcome.errors.contains("circles of confusion") == isCut,
        "\(focus) \(strengths): \(outcome.errors)")
    }
    let weak = ["--blur-scale", "1", "--f-number", "0.1", "--focus", "0", "--force"]
    let strong = try await works(start + weak + ["--near-strength", "4"], in: folder)
    #expect(strong.errors.contains("the largest would be 19"), "\(strong.errors)")
  }

  /// Codes that are taken for depths near zero have no bound: their range helps, and no smaller picture.
  @Test func circlesOfUnscaledDepth() async throws {
    let folder = Folder()
    try Material.still(in: folder)
    let render = [
      "render", "in.png", "--disparity", "map.png", "--disparity-kind", "depth", "--blur-scale",
      "16", "--f-number", "0.1", "--focus", "1", "--force", "-o", "out.png",
    ]
    let unscaled = try await works(render, in: folder)
    #expect(unscaled.errors.contains("circles of confusion are"), "\(unscaled.errors)")
    #expect(unscaled.errors.contains("--disparity-range says which"), "\(unscaled.errors)")
    let scaled = try await works(render + ["--disparity-range", "1,2"], in: folder)
    #expect(scaled.errors.contains("a smaller --size shows"), "\(scaled.errors)")
  }

  /// A script decides frame by frame: what is cut is known afterwards, and of one picture before.
  @Test func circlesOfScripts() async throws {
    let folder = Folder()
    try await ScriptMaterial.sample(in: folder, frames: 3)
    let start = ["--script", "s/script.json", "--progress", "none", "--force", "--blur-scale"]
    for (input, maps, output) in [
      ("s/clip.mp4", "s/disparity/%04d.png", "out.mp4"), ("in.png", "map.png", "out.png"),
    ] {
      try Material.still(in: folder, Dimensions(width: 192, height: 108))
      let render = ["render", input, "--disparity", maps, "-o", output] + start
      let cut = try await works(render + ["16", "--f-number", "0.1"], in: folder)
      #expect(cut.errors.contains("circles of confusion are 1024 pixels wide"), "\(cut.errors)")
      let whole = try await works(render + ["0.1"], in: folder)
      #expect(!whole.errors.contains("circles of confusion"), "\(whole.errors)")
      try? FileManager.default.removeItem(atPath: folder.file("in.png"))
      try? FileManager.default.removeItem(atPath: folder.file("map.png"))
    }
  }

  /// A map that stands for one that is missing.
  @Test func heldMaps() async throws {
    let folder = Folder()
    folder.make("in")
    folder.make("maps")
    for number in 7...9 {
      try PictureWriter.write(Material.picture(), to: folder.file("in/\(number).png"))
      try PictureWriter.write(Material.map(), to: folder.file("maps/\(number).png"))
    }
    let render = [
      "render", "in/%d.png", "--disparity", "maps/%d.png", "--on-missing", "hold", "-o",
    ]
    let whole = try await works(render + ["whole%d.png"], in: folder)
    #expect(!whole.errors.contains("missing"), "\(whole.errors)")
    try FileManager.default.removeItem(atPath: folder.file("maps/8.png"))
    let held = try await works(render + ["held%d.png"], in: folder)
    #expect(
      held.errors.contains("1 map of maps/%d.png is missing: the one before is held"),
      "\(held.errors)")
  }

  /// A view is opaque, whatever it is of.
  @Test(arguments: [true, false]) func views(hasAlpha: Bool) async throws {
    let folder = Folder()
    try Material.still(in: folder)
    let picture = try Material.picture()
    if hasAlpha {
      picture.withUnsafeMutableBytes { bytes in
        for place in stride(from: 3, to: bytes.count, by: 4) { bytes[place] = 100 }
      }
    }
    try PictureWriter.write(picture, to: folder.file("in.png"), overwrite: true)
    let outcome = try await works(
      ["render", "in.png", "--disparity", "map.png", "-o", "out.png", "--show", "coc"], in: folder)
    let line = "out.png does not get the alpha of in.png: views are opaque"
    #expect(outcome.errors.contains(line) == hasAlpha, "\(outcome.errors)")
  }

  /// Pictures that are shown are no map: those of a Cinematic movie are refused, and colours are named.
  @Test func mapsOfColors() async throws {
    let folder = Folder()
    try await movie("a.mov", in: folder)
    try await refuses(
      ["render", "clip.mov", "--disparity", "a.mov", "-o", "out.mp4"], in: folder,
      naming: ["a.mov", "focal extract"])
    try await refuses(
      ["import", "clip.mov", "--disparity", "a.mov", "-o", "out.mov"], in: folder,
      naming: ["a.mov", "focal extract"])
    try await refuses(["render", "a.mov", "-o", "out.mp4"], in: folder, naming: ["focal export"])
    try Material.still(in: folder)
    try PictureWriter.write(Material.picture(), to: folder.file("colors.jpg"))
    let gray = try Material.picture()
    gray.withUnsafeMutableBytes { bytes in
      for place in stride(from: 0, to: bytes.count, by: 4) {
        (bytes[place + 1], bytes[place + 2]) = (bytes[place], bytes[place])
      }
    }
    try PictureWriter.write(gray, to: folder.file("gray.jpg"))
    // Floats beyond 0 to 1, and a palette.
    for (name, picture) in [("colors.pfm", try Material.picture()), ("gray.pfm", gray)] {
      let light = try picture.linearRGBA()
      light.withUnsafeMutableBytes { bytes in
        let values = bytes.assumingMemoryBound(to: Float.self)
        for index in 0..<(bytes.count / 4) { values[index] = 4 + 60 * values[index] }
      }
      try PictureWriter.write(light, to: folder.file(name))
    }
    for (name, colors) in [
      ("palette.png", [[255, 0, 0], [0, 0, 255]]), ("grays.png", [[9, 9, 9], [200, 200, 200]]),
    ] {
      folder.write(Self.palettePNG(colors), to: name)
    }
    for (map, isColored) in [
      ("in.png", true), ("colors.jpg", true), ("gray.jpg", false), ("map.png", false),
      ("colors.pfm", true), ("gray.pfm", false), ("palette.png", true), ("grays.png", false),
    ] {
      let outcome = try await works(
        ["render", "in.png", "--disparity", map, "-o", "out.png", "--force"], in: folder)
      #expect(outcome.errors.contains("\(map) has colours") == isColored, "\(outcome.errors)")
    }
  }

  /// A PNG of 48 by 32 pixels that alternate between the colours of a palette, stored without compression.
  private static func palettePNG(_ colors: [[Int]]) -> [UInt8] {
    func big(_ value: UInt32) -> [UInt8] {
      (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * UInt32($0))) }
    }
    func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
      let named = Array(type.utf8) + content
      var remainder = UInt32.max
      for byte in named {
        remainder ^= UInt32(byte)
        for _ in 0..<8 {
          remainder = remainder & 1 == 1 ? remainder >> 1 ^ 0xEDB8_8320 : remainder >> 1
        }
      }
      return big(UInt32(content.count)) + named + big(~remainder)
    }
    let row: [UInt8] = [0] + (0..<48).map { UInt8($0 / 3 % colors.count) }
    let rows = (0..<32).flatMap { _ in row }
    var (a, b): (UInt32, UInt32) = (1, 0)
    for byte in rows { (a, b) = ((a + UInt32(byte)) % 65521, (a + UInt32(byte) + b) % 65521) }
    let count = UInt16(rows.count)
    let stored: [UInt8] =
      [0x78, 1, 1] + [UInt8(count & 255), UInt8(count >> 8)]
      + [UInt8(~count & 255), UInt8(~count >> 8)]
    return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
      + chunk("IHDR", big(48) + big(32) + [8, 3, 0, 0, 0])
      + chunk("PLTE", colors.flatMap { $0.map { UInt8($0) } })
      + chunk("IDAT", stored + rows + big(b << 16 | a)) + chunk("IEND", [])
  }
}
