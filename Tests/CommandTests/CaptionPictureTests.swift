// SPDX-License-Identifier: Apache-2.0

import FocalCaptions
import FocalCore
import FocalMedia
import Foundation
import Testing

/// Captions drawn by `focal captions preview` and `burn`.
@Suite struct CaptionPictureTests {
  private static let subRip = """
    1
    00:00:00,100 --> 00:00:00,300
    MMMMMMMM

    """

  private func folder() -> Folder {
    let folder = Folder()
    folder.write(Array(Self.subRip.utf8), to: "film.srt")
    return folder
  }

  /// The brightest luma in the lower fifth of a picture, as 0 to 1, and in the upper four fifths.
  private static func brightest(_ picture: PixelBuffer) throws -> (below: Float, above: Float) {
    let light = try picture.linearRGBA()
    return light.withUnsafeBytes { bytes in
      var (below, above) = (Float(0), Float(0))
      for y in 0..<picture.height {
        for x in 0..<picture.width {
          let green = bytes.load(
            fromByteOffset: y * light.planes[0].bytesPerRow + 16 * x + 4, as: Float.self)
          if y >= picture.height * 4 / 5 {
            below = max(below, green)
          } else {
            above = max(above, green)
          }
        }
      }
      return (below, above)
    }
  }

  private static func picture(_ path: String) async throws -> PixelBuffer {
    try await FrameReader.open(path).frame(number: 0).pixelBuffer
  }

  @Test func preview() async throws {
    let folder = folder()
    let drawn = try await works(
      [
        "captions", "preview", "film.srt", "--at", "0.2", "-o", "a.png", "--size", "320x180",
        "--background", "black", "--json",
      ], in: folder)
    let report = try #require(drawn.objects().first)
    #expect(report["width"] as? Int == 320 && report["moves"] as? Bool == false)
    #expect(report["sceneStart"] as? Double == 0.1 && report["sceneEnd"] as? Double == 0.3)
    #expect((report["captions"] as? [[String: Any]])?.count == 1)
    let (below, above) = try Self.brightest(await Self.picture(folder.file("a.png")))
    #expect(below > 0.99 && above == 0)
    try await works(
      [
        "captions", "preview", "film.srt", "--at", "0.3", "-o", "b.png", "--size", "320x180",
        "--background", "black",
      ], in: folder)
    #expect(try Self.brightest(await Self.picture(folder.file("b.png"))).below == 0)
    // Over a picture, and over nothing.
    try await works(
      [
        "captions", "preview", "film.srt", "--at", "0.2", "-o", "c.png", "--background", "b.png",
        "--text-scale", "2", "--box", "none",
      ], in: folder)
    #expect(try Self.brightest(await Self.picture(folder.file("c.png"))).below > 0.99)
    try await works(
      ["captions", "preview", "film.srt", "--at", "9", "-o", "d.png", "--background", "none"],
      in: folder)
    let clear = try await Self.picture(folder.file("d.png"))
    #expect(clear.dimensions == Dimensions(width: 1920, height: 1080))
    #expect(clear.format == .rgba8 && clear.withUnsafeBytes { $0[3] } == 0)
  }

  @Test func previewRefusals() async throws {
    let folder = folder()
    let preview = ["captions", "preview", "film.srt", "-o"]
    try await refuses(preview + ["a.png"], in: folder, code: 64, naming: ["--at"])
    try await refuses(
      preview + ["a.svg", "--timeline", "--size", "2x2"], in: folder, code: 64, naming: ["--size"])
    try await refuses(preview + ["a.png", "--at", "3f"], in: folder, code: 64, naming: ["seconds"])
    try await refuses(preview + ["a.mp4", "--at", "1"], in: folder, naming: ["a.mp4"])
    try await refuses(
      preview + ["a.jpg", "--at", "1", "--background", "none"], in: folder,
      naming: ["transparency"])
    try await refuses(
      preview + ["a.png", "--at", "1", "--background", "no.png"], in: folder, naming: ["no.png"])
    try await refuses(
      preview + ["a.png", "--at", "1", "--box", "nocolor"], in: folder, code: 64, naming: ["--box"])
  }

  /// Drawn while the caption lasts, and no pixel is changed otherwise; times and sound stay.
  @Test func burn() async throws {
    let folder = folder()
    try Material.clip(
      "clip.mov", in: folder, times: Material.steady(12), size: Dimensions(width: 144, height: 96))
    let done = try await works(
      [
        "captions", "burn", "film.srt", "clip.mov", "-o", "out/%04d.png", "--text-scale", "3",
        "--json", "--progress",
        "none",
      ], in: folder)
    let report = try #require(done.objects().last)
    #expect(report["frames"] as? Int == 12 && report["captions"] as? Int == 1)
    let source = try await FrameReader.open(folder.file("clip.mov"))
    for number in 0..<12 {
      let drawn = try await Self.picture(
        folder.file("out/\(String(repeating: "0", count: 4 - "\(number)".count))\(number).png"))
      let time = source.timeRange(ofFrame: number).start.seconds
      let isShown = time >= 0.1 && time < 0.3
      let bright = try Self.brightest(drawn).below > 0.97
      let before = try Self.brightest(await source.frame(number: number).pixelBuffer).below > 0.97
      #expect(bright == (isShown || before), "\(number)")
    }
    try await works(
      ["captions", "burn", "film.srt", "clip.mov", "-o", "film.mp4", "--progress", "none"],
      in: folder)
    let film = try await FrameReader.open(folder.file("film.mp4"))
    #expect(film.properties.frameCount == 12)
    #expect(film.properties.dimensions == source.properties.dimensions)
    try await refuses(
      ["captions", "burn", "film.srt", "out/0000.png", "-o", "x.png"], in: folder,
      naming: ["preview"])
    try await refuses(
      ["captions", "burn", "film.srt", "clip.mov", "-o", "clip.mov"], in: folder,
      naming: ["clip.mov"])
    try await refuses(
      ["captions", "burn", "film.srt", "clip.mov", "-o", "film.mp4"], in: folder,
      naming: ["--force"])
  }
}
