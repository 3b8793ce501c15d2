// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import Testing

/// Alpha in OpenEXR: colours are multiplied by it, whichever command writes them.
@Suite struct AlphaOutputTests {
  private static let size = Dimensions(width: 320, height: 180)
  /// The alpha of the left half; the right one is opaque.
  private static let alpha: UInt8 = 128

  /// `movie.mov`, a Cinematic movie of one colour whose left half is half transparent, with `p0.png`, `d0.png`, ….
  private static func movie(in folder: Folder) async throws {
    let picture = try PixelBuffer(
      dimensions: size, format: .rgba8, tags: .sRGB,
      values: (0..<size.count).flatMap { index -> [UInt8] in
        [200, 120, 40, index % size.width < size.width / 2 ? alpha : 255]
      })
    let map = try PixelBuffer(
      dimensions: size, format: .gray8, tags: .sRGB,
      values: [UInt8](repeating: 128, count: size.count))
    for number in 0..<2 {
      try PictureWriter.write(picture, to: folder.file("p\(number).png"))
      try PictureWriter.write(map, to: folder.file("d\(number).png"))
    }
    try await works(
      [
        "import", "p%d.png", "--disparity", "d%d.png", "--codec", "prores-4444", "-o", "movie.mov",
      ], in: folder)
  }

  private static func pixels(_ name: String, in folder: Folder) async throws -> [SIMD4<Float>] {
    let frame = try #require(try await Material.frames(folder.file(name)).frames.first)
    let light = try frame.pixelBuffer.linearRGBA()
    return light.withUnsafeBytes { Array($0.bindMemory(to: SIMD4<Float>.self)) }
  }

  /// What is between two rows of pixels at most.
  private static func difference(_ a: [SIMD4<Float>], _ b: [SIMD4<Float>]) -> Float {
    zip(a, b).map { pair in
      let difference: SIMD4<Float> = pair.0 - pair.1
      return max(difference.max(), -difference.min())
    }.max() ?? .infinity
  }

  /// Exports and thumbnails of a movie are what rendering it as a clip gives.
  @Test func exportsAndThumbnails() async throws {
    let folder = Folder()
    try await Self.movie(in: folder)
    try await works(["export", "movie.mov", "-o", "e%d.exr"], in: folder)
    try await works(["thumbnail", "movie.mov", "--at", "0f", "-o", "t.exr"], in: folder)
    try await works(
      ["render", "movie.mov", "--disparity", "d%d.png", "-o", "r%d.exr"], in: folder)
    let rendered = try await Self.pixels("r0.exr", in: folder)
    // Opaque, the colour is whole; beside it, it is half.
    let (whole, half) = (rendered[Self.size.width - 8], rendered[8])
    #expect(whole.x > 0.5 && whole.w > 0.999)
    #expect(abs(half.x - whole.x * half.w) < 0.01 && abs(half.w - 0.5) < 0.01)
    for name in ["e0.exr", "t.exr"] {
      let found = try await Self.pixels(name, in: folder)
      #expect(Self.difference(found, rendered) < 1e-5, "\(name)")
    }
  }

  /// Presets that hold alpha keep it, and the one that has none says so.
  @Test(arguments: [("prores-4444", true), ("ffv1", true), ("prores-422-hq", false)])
  func presets(_ preset: String, holdsAlpha: Bool) async throws {
    let folder = Folder()
    try await Self.movie(in: folder)
    let made = try await works(
      ["export", "movie.mov", "--preset", preset, "-o", "film.mov"], in: folder)
    #expect(made.errors.contains("alpha is left out") == !holdsAlpha, "\(made.errors)")
    let pixels = try await Self.pixels("film.mov", in: folder)
    let (left, right) = (pixels[8].w, pixels[Self.size.width - 8].w)
    // 128 of 255, by an alpha of 16 bits.
    #expect(abs(left - (holdsAlpha ? 0.502 : 1)) < 0.002, "\(left)")
    #expect(right > 0.999)
  }

  /// Captions are drawn over such colours as they are: the box leaves 18 % of them, and not of the surface.
  @Test func captions() async throws {
    let folder = Folder()
    try await Self.movie(in: folder)
    folder.write(
      Array("1\n00:00:00,000 --> 00:00:01,000\nMMMMMMMMMMMM\n".utf8), to: "film.srt")
    try await works(["export", "movie.mov", "-o", "plain%d.exr"], in: folder)
    try await works(
      [
        "export", "movie.mov", "--captions", "film.srt", "--burn-captions", "-o", "drawn%d.exr",
      ], in: folder)
    let plain = try await Self.pixels("plain0.exr", in: folder)
    let drawn = try await Self.pixels("drawn0.exr", in: folder)
    // The boxes' pixels in the left half, by their alpha; letters are brighter than what is below, but for some of their
    // edges.
    let boxed = zip(plain, drawn).filter { before, after in
      before.w < 0.6 && abs(after.w - (1 - 0.18 * (1 - before.w))) < 0.005 && after.x < before.x
    }
    #expect(boxed.count > 100)
    let kept = boxed.count { before, after in abs(after.x - 0.18 * before.x) < 0.005 }
    #expect(kept > boxed.count * 3 / 4, "\(kept) of \(boxed.count)")
  }
}
