// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import Testing

/// Alpha of films, which the first frame settles.
@Suite struct FilmAlphaTests {
  /// `p0.png` without alpha and `p1.png`, whose left half is transparent, of one subject, and the maps `d0.png` and `d1.png`.
  private static func write(in folder: Folder) throws {
    try LiftOptionTests.write("p0.png", "d0.png", in: folder)
    Material.link("d0.png", "d1.png", in: folder)
    let size = LiftOptionTests.size
    let codes = (0..<size.count).flatMap { place -> [UInt8] in
      [200, 120, 40, place % size.width < size.width / 2 ? 0 : 255]
    }
    try PictureWriter.write(
      PixelBuffer(dimensions: size, format: .rgba8, values: codes), to: folder.file("p1.png"))
  }

  /// Alpha that begins after the first frame has no place in a film: it is refused, and not lost. Numbered pictures hold
  /// it, and views have none.
  @Test func alphaOfLaterFrames() async throws {
    let folder = Folder()
    try Self.write(in: folder)
    let input = ["p%d.png", "--disparity", "d%d.png"]
    for output in [
      ["film.mov", "--codec", "prores-4444"], ["film.mp4"], ["-", "--format", "nut"],
    ] {
      let outcome = try await Program.focal(
        ["render"] + input + ["--progress", "none", "-o"] + output, in: folder)
      #expect(outcome.code == 1)
      #expect(outcome.errors.contains("p1.png has alpha, and the first frame has none"))
      #expect(!folder.names.contains { $0.hasPrefix("film") })
    }
    let lifted = try await Program.focal(
      ["lift"] + input + ["--background", "kept", "-o", "film.mp4"], in: folder)
    #expect(lifted.code == 1)
    #expect(lifted.errors.contains("p1.png has alpha, and the first frame has none"))
    try await works(["render"] + input + ["-o", "o%d.png"], in: folder)
    let alpha = try await LiftOptionTests.light(folder.file("o1.png"))
    #expect(LiftOptionTests.pixel(4, 4, of: alpha).w < 0.01)
    try await works(["render"] + input + ["--show", "coc", "-o", "view.mov"], in: folder)
    try await works(["lift"] + input + ["--background", "#204060", "-o", "plain.mp4"], in: folder)
  }
}
