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
    folder.write(Array("1\n00:00:00,000 --> 00:00:01,000\nM\n".utf8), to: "a.srt")
    let others: [[String]] = [
      ["import"] + input + ["-o", "film.mov"],
      ["captions", "burn", "a.srt", "p%d.png", "-o", "film.mp4"],
    ]
    for command in others {
      let outcome = try await Program.focal(command, in: folder)
      #expect(outcome.code == 1)
      #expect(outcome.errors.contains("p1.png has alpha, and the first frame has none"))
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

  /// Light goes through a background with alpha, in films as in pictures; where a film holds none, that is said.
  @Test func alphaBehindSubjects() async throws {
    let folder = Folder()
    try Self.write(in: folder)
    Material.link("p0.png", "q0.png", in: folder)
    Material.link("p0.png", "q1.png", in: folder)
    Material.link("p1.png", "r0.png", in: folder)
    Material.link("p1.png", "r1.png", in: folder)
    let lift = ["lift", "q%d.png", "--disparity", "d%d.png", "--background"]
    for background in ["p1.png", "r%d.png"] {
      let made = try await works(
        lift + [background, "--codec", "prores-4444", "--force", "-o", "film.mov"], in: folder)
      #expect(!made.errors.contains("alpha is left out"), "\(made.errors)")
      let light = try await LiftOptionTests.light(folder.file("film.mov"))
      let left = LiftOptionTests.pixel(4, 4, of: light)
      let right = LiftOptionTests.pixel(188, 4, of: light)
      let subject = LiftOptionTests.pixel(90, 70, of: light)
      #expect(left.w < 0.01 && right.w > 0.99 && subject.w > 0.9, "\(background)")
      let lossy = try await works(
        lift + [background, "--force", "-o", "film.mp4"], in: folder)
      let line = "film.mp4 does not hold all of \(background): alpha is left out"
      #expect(lossy.errors.contains(line), "\(lossy.errors)")
    }
    // One that begins later is refused.
    let late = try await Program.focal(lift + ["p%d.png", "-o", "late.mp4"], in: folder)
    #expect(late.code == 1)
    #expect(late.errors.contains("p1.png has alpha, and the first frame has none"))
  }
}
