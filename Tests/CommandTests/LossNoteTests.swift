// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import Testing

/// What a picture or a film does not get is said, by every command.
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
    for (map, isColored) in [
      ("in.png", true), ("colors.jpg", true), ("gray.jpg", false), ("map.png", false),
    ] {
      let outcome = try await works(
        ["render", "in.png", "--disparity", map, "-o", "out.png", "--force"], in: folder)
      #expect(outcome.errors.contains("\(map) has colours") == isColored, "\(outcome.errors)")
    }
  }
}
