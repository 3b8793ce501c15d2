// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import Foundation
import Testing

/// `focal lift` of clips.
@Suite struct LiftClipTests {
  @Test func liftsClips() async throws {
    let folder = Folder()
    folder.make("in")
    folder.make("maps")
    for number in 0..<3 {
      try LiftScene.write(
        "in/000\(number).png", "maps/000\(number).png", shift: 6 * number, in: folder)
    }
    let lift = ["lift", "in/%04d.png", "--disparity", "maps/%04d.png"]
    let numbered = try await Program.focal(lift + ["-o", "out/%04d.png"], in: folder)
    #expect(numbered.code == 0, "\(numbered.errors)")
    for number in 0..<3 {
      let values = try await LiftScene.picture(folder.file("out/000\(number).png"))
      #expect(values[4 * (70 * 192 + 90 + 6 * number) + 3] == 1)
      #expect(values[4 * (70 * 192 + 30 + 6 * number) + 3] == 0)
    }
    #expect(!numbered.errors.contains("has only"), "\(numbered.errors)")
    #expect(!numbered.errors.contains("is not used"), "\(numbered.errors)")
    #expect(numbered.output.contains("subject 1 taken"), "\(numbered.output)")
    let film = try await Program.focal(
      lift + ["-o", "out.mov", "--codec", "prores-4444", "--frames", "0-9"], in: folder)
    #expect(film.errors.contains("in/%04d.png has only 3 frames of 0 to 9"), "\(film.errors)")
    #expect(film.code == 0, "\(film.errors)")
    try await works(lift + ["-o", "out.webm"], in: folder)
    for name in ["out.mov", "out.webm"] {
      let values = try await LiftScene.picture(folder.file(name))
      #expect(values[4 * (70 * 192 + 90) + 3] > 0.98, "\(name)")
      #expect(values[3] < 0.02, "\(name)")
    }
    // HEVC has no alpha here: the refusal names what has.
    try await refuses(
      lift + ["-o", "no.mov", "--codec", "hevc"], in: folder,
      naming: ["holds no alpha", ".webm", "prores-4444", "%04d.png"])
    // So does WebM that is made otherwise than usual: the refusal names what has to go.
    for options in [["--codec", "av1"], ["--bit-depth", "10"], ["--chroma", "444"]] {
      try await refuses(
        lift + ["-o", "no.webm"] + options, in: folder,
        naming: ["holds no alpha", "leave out \(options[0])"])
    }
    // Maps that no frame takes are told.
    try LiftScene.write("other.png", "maps/0003.png", in: folder)
    let more = try await works(lift + ["-o", "more/%04d.png"], in: folder)
    #expect(
      more.errors.contains("maps/%04d.png has 4 maps for 3 frames; the rest is not used"),
      "\(more.errors)")
    let part = try await works(
      lift + ["-o", "part/%04d.png", "--frames", "0-1"], in: folder)
    #expect(!part.errors.contains("is not used"), "\(part.errors)")
    let one = try await works(lift + ["-o", "one%d.png", "--frames", "2", "--json"], in: folder)
    #expect(try one.objects().last?["output"] as? String == "one2.png")
  }

  /// A line says where a cut is, and which subjects there are behind it.
  @Test(arguments: [true, false]) func tellsCuts(isPointedAt: Bool) async throws {
    let folder = Folder()
    for name in ["in", "maps"] { folder.make(name) }
    for number in 0..<4 {
      try LiftScene.write("in/000\(number).png", "maps/000\(number).png", in: folder)
    }
    for number in 2..<4 {
      let codes = (0..<LiftScene.size.count).flatMap { place -> [UInt8] in
        let (u, v) = (place % LiftScene.size.width - 90, place / LiftScene.size.width - 70)
        return u * u + v * v < 1600 ? [20, 60, 20, 255] : [200, 190, 180, 255]
      }
      try PictureWriter.write(
        PixelBuffer(dimensions: LiftScene.size, format: .rgba8, values: codes),
        to: folder.file("in/000\(number).png"), overwrite: true)
    }
    let lift = ["lift", "in/%04d.png", "--disparity", "maps/%04d.png", "-o", "out/%04d.png"]
    let made = try await works(lift + (isPointedAt ? ["--at", "0.47,0.48"] : []), in: folder)
    #expect(made.errors.contains("a cut at frame 2: "), "\(made.errors)")
    #expect(made.errors.contains("points and boxes") == isPointedAt, "\(made.errors)")
    for number in 0..<4 {
      let values = try await LiftScene.picture(folder.file("out/000\(number).png"))
      let alpha = values[4 * (70 * 192 + 90) + 3]
      let isTaken = number < 2 || !isPointedAt
      #expect(isTaken ? alpha == 1 : alpha == 0, "\(number): \(alpha)")
    }
  }

  /// A clip without a subject is an error and changes nothing, as one picture does; one that appears later is no reason
  /// for any.
  @Test func liftsNothingFromClips() async throws {
    let folder = Folder().with("in").with("maps").with("walls").with("out")
    folder.write([1], to: "out/0.png")
    for number in 0..<2 {
      try LiftScene.write("in/\(number).png", "maps/\(number).png", in: folder)
      try PictureWriter.write(
        PixelBuffer(
          dimensions: LiftScene.size, format: .rgba8,
          values: [UInt8](repeating: 90, count: 4 * LiftScene.size.count)),
        to: folder.file("walls/\(number).png"))
    }
    let clip = ["lift", "in/%d.png", "--disparity", "maps/%d.png"]
    let before = folder.contents
    for place in [["--at", "0.05,0.1"], ["--box", "0.9,0,0.05,0.05"]] {
      for output in [["a/%d.png"], ["a.mov", "--codec", "prores-4444"]] {
        let missed = try await Program.focal(clip + place + ["-o"] + output, in: folder)
        expectOneLine(
          missed,
          naming: ["no subject was found in any frame of in/%d.png where it was pointed at"])
        #expect(folder.contents == before, "\(folder.names)")
      }
    }
    let walls = try await Program.focal(
      ["lift", "walls/%d.png", "--force", "-o", "out/%d.png"], in: folder)
    expectOneLine(
      walls, naming: ["no subject was found in any frame of walls/%d.png", "--at", "--disparity"])
    #expect(folder.contents == before, "\(folder.names)")
    // A wall, and then the disc.
    let late = folder.with("late")
    try FileManager.default.copyItem(
      atPath: folder.file("walls/0.png"), toPath: late.file("late/0.png"))
    try FileManager.default.copyItem(
      atPath: folder.file("in/1.png"), toPath: late.file("late/1.png"))
    let some = try await works(["lift", "late/%d.png", "-o", "some/%d.png"], in: folder)
    #expect(!some.errors.contains("in any frame"), "\(some.errors)")
  }
}
