// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import Foundation
import Testing

/// Colours that an input or an output cannot say are told by every command, in a line each.
@Suite struct ColorNoteTests {
  private static let displayP3 = ColorTags(primaries: .displayP3, transfer: .srgb, matrix: .bt709)

  private static func render(_ input: String, to output: String) -> [String] {
    ["render", input, "--disparity", "map.png", "--f-number", "inf", "-o", output]
  }

  /// DPX and PFM hold no wider colours than BT.709's. What is written is these.
  @Test func wideGamut() async throws {
    let folder = Folder()
    try Material.still(in: folder)
    try PictureWriter.write(
      Material.picture(tags: Self.displayP3), to: folder.file("wide.png"))
    for (name, says) in [
      ("a.dpx", "a.dpx does not say wider colours than BT.709's: those of wide.png become these"),
      (
        "a.pfm", "a.pfm does not say which colours its light has: that of wide.png becomes BT.709's"
      ),
      ("a.exr", nil), ("a.png", nil), ("a.tif", nil), ("a.jpg", nil),
    ] as [(String, String?)] {
      let wide = try await works(Self.render("wide.png", to: name), in: folder)
      #expect(wide.errors.contains("BT.709") == (says != nil), "\(wide.errors)")
      if let says { #expect(wide.errors.contains(says), "\(wide.errors)") }
      let usual = try await works(Self.render("in.png", to: "usual-\(name)"), in: folder)
      #expect(!usual.errors.contains("BT.709"), "\(usual.errors)")
    }
    // The picture beside a rendering, too.
    let beside = try await works(
      Self.render("wide.png", to: "b.png") + ["--before-after", "both.dpx"], in: folder)
    #expect(beside.errors.contains("both.dpx does not say wider colours"), "\(beside.errors)")
    let written = try await Material.frames(folder.file("a.pfm"))
    let light = try #require(written.frames.first).pixelBuffer
    let source = try #require(try await Material.frames(folder.file("wide.png")).frames.first)
    let wanted = try PrimariesConversion(from: .displayP3, to: .bt709)
      .convert(source.pixelBuffer, to: .bt709, least: -.infinity)
    #expect(written.properties.tags == .linearBT709)
    var worst: Float = 0
    light.withUnsafeBytes { a in
      wanted.withUnsafeBytes { b in
        for y in 0..<light.height {
          for x in 0..<light.width {
            let difference: SIMD4<Float> =
              a.loadUnaligned(
                fromByteOffset: y * light.planes[0].bytesPerRow + 16 * x, as: SIMD4<Float>.self)
              - b.loadUnaligned(
                fromByteOffset: y * wanted.planes[0].bytesPerRow + 16 * x, as: SIMD4<Float>.self)
            worst = max(worst, difference.max(), -difference.min())
          }
        }
      }
    }
    // A renderer may round light to halves.
    #expect(worst < 1e-3)
  }

  /// A movie's pictures, too; a mask has no colours.
  @Test func wideMovie() async throws {
    let folder = Folder()
    try Material.clip(
      "clip.mov", in: folder, times: Material.steady(2), format: .yuv420Video10,
      tags: ColorTags(primaries: .displayP3, transfer: .bt709, matrix: .bt709))
    try Material.numberedMaps(2, in: folder)
    try await works(
      ["import", "clip.mov", "--disparity", "maps/%04d.png", "-o", "movie.mov"], in: folder)
    let note = "does not say wider colours than BT.709's"
    let export = ["export", "movie.mov", "--f-number", "inf", "-o"]
    let pictures = try await works(export + ["%d.dpx"], in: folder)
    #expect(pictures.errors.contains("%d.dpx \(note)"), "\(pictures.errors)")
    #expect(folder.read("0.dpx")[802] == 6)
    let one = try await works(["thumbnail", "movie.mov", "--at", "0", "-o", "t.dpx"], in: folder)
    #expect(one.errors.contains("t.dpx \(note)"), "\(one.errors)")
    let film = try await works(export + ["film.mov"], in: folder)
    #expect(!film.errors.contains("BT.709"), "\(film.errors)")
  }

  /// Codes of a camera's curve are of no primaries that tags name, and stay.
  @Test func cameraCodes() async throws {
    let folder = Folder()
    try Material.clip(
      "clip.mov", in: folder, times: Material.steady(2), format: .yuv420Video10,
      tags: ColorTags(primaries: .bt2020, transfer: .bt709, matrix: .bt2020))
    try Material.numberedMaps(2, in: folder)
    try await works(
      [
        "import", "clip.mov", "--disparity", "maps/%04d.png", "--log", "apple-log", "-o",
        "movie.mov",
      ], in: folder)
    for command in [
      ["export", "movie.mov"],
      ["render", "clip.mov", "--disparity", "maps/%04d.png", "--log", "apple-log"],
    ] {
      var codes: [[Float]] = []
      for ending in ["dpx", "tif"] {
        let name = "\(command[0])%d.\(ending)"
        let outcome = try await works(command + ["--f-number", "inf", "-o", name], in: folder)
        #expect(!outcome.errors.contains("BT.709"), "\(outcome.errors)")
        let read = try await Material.frames(folder.file(name)).frames
        let picture = try #require(read.first).pixelBuffer
        codes.append(
          picture.codes().withUnsafeBytes { Array($0.bindMemory(to: Float.self)) })
      }
      #expect(codes[0].count == codes[1].count)
      // Half a step of ten bits.
      #expect(zip(codes[0], codes[1]).allSatisfy { abs($0 - $1) < 0.52 / 1023 })
    }
  }

  /// A profile that is none, in a line that says what the codes are taken for.
  @Test func damagedProfile() async throws {
    let folder = Folder()
    try Material.still(in: folder)
    try PictureWriter.write(Material.picture(), to: folder.file("plain.jpg"))
    let profile = Array("ICC_PROFILE\0".utf8) + [1, 1] + [UInt8](repeating: 9, count: 200)
    let length = profile.count + 2
    let segment = [0xFF, 0xE2, UInt8(length >> 8), UInt8(length & 255)] + profile
    let plain = folder.read("plain.jpg")
    folder.write(Array(plain.prefix(2)) + segment + plain.dropFirst(2), to: "in.jpg")
    let line =
      "in.jpg has a damaged ICC profile: the profile is not used or kept, and the codes are taken for"
      + " bt709 with srgb"
    for output in ["a.png", "a.exr", "a.jpg"] {
      let outcome = try await works(Self.render("in.jpg", to: output), in: folder)
      #expect(outcome.errorLines.count { $0.contains("profile") } == 1, "\(outcome.errors)")
      #expect(outcome.errors.contains(line), "\(outcome.errors)")
    }
    let replaced = try await works(
      Self.render("in.jpg", to: "c.png") + ["--transfer", "bt709"], in: folder)
    #expect(
      replaced.errors.contains("in.jpg has an ICC profile, which --transfer replaces"),
      "\(replaced.errors)")
    let quiet = try await works(Self.render("plain.jpg", to: "b.png"), in: folder)
    #expect(!quiet.errors.contains("profile"), "\(quiet.errors)")
  }

  /// Light that is not a number.
  @Test func noNumbers() async throws {
    let folder = Folder()
    try Material.still(in: folder)
    for (value, name) in [(Float.nan, "odd.exr"), (0.5, "usual.exr")] {
      let picture = try Material.picture(Material.size, .rgbaFloat, tags: .linearBT709)
      picture.withUnsafeMutableBytes { $0.storeBytes(of: value, toByteOffset: 36, as: Float.self) }
      try PictureWriter.write(picture, to: folder.file(name))
      let outcome = try await works(Self.render(name, to: "of-\(name)"), in: folder)
      #expect(
        outcome.errors.contains("\(name) has light that is not a number, which becomes 0")
          == value.isNaN, "\(outcome.errors)")
    }
  }
}
