// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import FocalSample
import Foundation
import Testing

/// Recordings whose focus only their maker reads, and the look that movies carry.
@Suite struct PhoneOriginalTests {
  /// `phone.mov`: `movie.mov` with every name of its metadata changed to another maker's, so that nothing
  /// of the focus can be read.
  private static func phone(in folder: Folder) async throws {
    try await ScriptMaterial.sample(in: folder, frames: 6)
    try await works(
      [
        "import", "s/clip.mp4", "--disparity", "s/disparity/%04d.png", "--script", "s/script.json",
        "-o", "movie.mov",
      ], in: folder)
    var data = Data(folder.read("movie.mov"))
    for (own, other) in [
      ("io.github.focal.rendering.focus-disparity", "com.apple.quicktime.cinematic-video.focus"),
      ("io.github.focal.rendering.f-number", "com.apple.quicktime.opaque.payload"),
      ("io.github.focal.script", "com.apple.opaque.notes"),
    ] {
      #expect(own.utf8.count == other.utf8.count)
      var count = 0
      while let range = data.range(of: Data(own.utf8)) {
        data.replaceSubrange(range, with: Data(other.utf8))
        count += 1
      }
      #expect(count > 0)
    }
    folder.write([UInt8](data), to: "phone.mov")
  }

  private static func pictures(_ name: String, in folder: Folder) async throws -> [PixelBuffer] {
    try await Material.frames(folder.file(name)).frames.map(\.pixelBuffer)
  }

  @Test func areBlurred() async throws {
    let folder = Folder()
    try await Self.phone(in: folder)
    let told = try await works(
      ["export", "phone.mov", "--f-number", "2", "-o", "a%02d.png"], in: folder)
    let notes = told.errorLines.filter { $0.contains("phone.mov") }
    #expect(notes.count == 1 && notes[0].contains("--focus"), "\(told.errors)")
    try await works(["export", "phone.mov", "--f-number", "inf", "-o", "s%02d.png"], in: folder)
    let (blurred, sharp) = (
      try await Self.pictures("a%02d.png", in: folder),
      try await Self.pictures("s%02d.png", in: folder)
    )
    for (a, b) in zip(blurred, sharp) {
      let ratio = try PictureComparison(
        PictureComparison.displayPicture(ofLinear: a.linearRGBA()),
        reference: PictureComparison.displayPicture(ofLinear: b.linearRGBA()), includesSSIM: false
      ).psnr
      // Codes of eight bits rounded twice are 50 dB apart: the blur is far beyond that.
      #expect(ratio < 36, "\(ratio) dB")
    }
    // A thumbnail is the export's frame, and --json says where the focus comes from.
    try await works(
      ["thumbnail", "phone.mov", "--at", "4f", "--f-number", "2", "-o", "t.png"], in: folder)
    let isSame = folder.read("t.png") == folder.read("a04.png")
    #expect(isSame)
    let report = try await works(
      ["export", "phone.mov", "--quality", "thumbnail", "--json", "-o", "j.mov"], in: folder)
    let focus = try #require(
      (try report.objects().last?["focus"] as? [[String: Any]])?.first)
    #expect(focus["origin"] as? String == "steady" && focus["focusDisparity"] is Double)
    // Notes are objects where results are, and are said all the same.
    #expect(
      report.errorLines.count == 1 && report.errors.hasPrefix("{\"event\":\"note\",\"message\":"))
    // The same focus, given; and that of a script.
    let disparity = try #require(focus["focusDisparity"] as? Double)
    try await works(
      [
        "export", "phone.mov", "--f-number", "2", "--focus", "\(Float(disparity))", "-o",
        "b%02d.png",
      ], in: folder)
    #expect(folder.read("b02.png") == folder.read("a02.png"))
    try await works(
      ["export", "phone.mov", "--script", "s/script.json", "-o", "c%02d.png"], in: folder)
    try await works(["export", "movie.mov", "-o", "d%02d.png"], in: folder)
    #expect(folder.read("c03.png") == folder.read("d03.png"))
    // Everything possible by info is possible.
    let info = try await works(["info", "phone.mov"], in: folder)
    #expect(info.output.contains("can be rendered"))
    #expect(info.output.contains("cannot be read"), "\(info.output)")
    try await refuses(
      ["export", "phone.mov", "--focus", "0.5", "--script", "s/script.json", "-o", "x.mov"],
      in: folder, code: 64, naming: ["a focus"])
  }

  /// Blur scale and aperture are stored by import, kept by apply, rendered by everything, and the flags
  /// of every command go before them.
  @Test func looksStayWithTheMovie() async throws {
    let folder = Folder()
    try await ScriptMaterial.sample(in: folder, frames: 3)
    let look = [
      "--blur-scale", "0.4", "--blades", "5", "--blade-rotation", "20", "--highlights", "2",
      "--map-edges", "sharp", "--blade-roundness", "0.3", "--squeeze", "1.33", "--near-strength",
      "0.5",
      "--far-strength", "1.2", "--profile", "-0.5", "--fringes", "0.2", "--cat-eye", "0.6",
      "--barn-doors", "0.1", "--swirl", "0.3", "--highlight-threshold", "0.8",
    ]
    let clip = ["s/clip.mp4", "--disparity", "s/disparity/%04d.png", "--script", "s/script.json"]
    try await works(["import"] + clip + ["-o", "plain.mov"], in: folder)
    try await works(["import"] + clip + look + ["-o", "look.mov"], in: folder)
    try await works(
      ["edit", "look.mov", "set", "--f-number", "2", "-o", "c.focus"], in: folder)
    try await works(["apply", "look.mov", "--changes", "c.focus", "-o", "new.mov"], in: folder)
    for (movie, options, name) in [
      ("plain.mov", [], "p"), ("plain.mov", look, "l"), ("look.mov", [], "m"),
      ("plain.mov", look + ["--f-number", "2"], "n"), ("new.mov", [], "o"),
      (
        "look.mov",
        [
          "--blur-scale", "0.125", "--blades", "0", "--blade-rotation", "0", "--highlights", "0",
          "--map-edges", "auto", "--blade-roundness", "0", "--squeeze", "1", "--near-strength", "1",
          "--far-strength", "1", "--profile", "0", "--fringes", "0", "--cat-eye", "0",
          "--barn-doors", "0", "--swirl", "0",
        ], "q"
      ),
    ] {
      try await works(["export", movie, "-o", "\(name)%02d.png"] + options, in: folder)
    }
    for (a, b, isSame) in [("l", "m", true), ("n", "o", true), ("p", "q", true), ("p", "m", false)]
    {
      let isEqual = folder.read("\(a)02.png") == folder.read("\(b)02.png")
      #expect(isEqual == isSame, "\(a) \(b)")
    }
    // An aperture's picture becomes part of the movie; blades take its place.
    let image = ["--aperture-image", "s/shape.png", "--blade-rotation", "30", "--squeeze", "1.5"]
    try PictureWriter.write(Material.map(), to: folder.file("s/shape.png"))
    try await works(["import"] + clip + image + ["-o", "image.mov"], in: folder)
    try await works(["apply", "image.mov", "--far-strength", "1", "-o", "same.mov"], in: folder)
    for (movie, options, name) in [
      ("plain.mov", image, "h"), ("image.mov", [], "i"), ("same.mov", [], "j"),
      ("image.mov", ["--aperture-image", "none", "--blade-rotation", "0", "--squeeze", "1"], "k"),
    ] {
      try await works(["export", movie, "-o", "\(name)%02d.png"] + options, in: folder)
    }
    #expect(folder.read("h02.png") == folder.read("i02.png"))
    #expect(folder.read("j02.png") == folder.read("i02.png"))
    #expect(folder.read("k02.png") == folder.read("p02.png"))
    #expect(folder.read("i02.png") != folder.read("p02.png"))
    // A look can be given to a movie that has none.
    try await works(["apply", "plain.mov", "-o", "given.mov"] + look, in: folder)
    try await works(["thumbnail", "given.mov", "--at", "2f", "-o", "g.png"], in: folder)
    #expect(folder.read("g.png") == folder.read("m02.png"))
    try await refuses(
      ["apply", "plain.mov", "-o", "x.mov"], in: folder, code: 64,
      naming: ["--changes", "--blur-scale"])
    try await works(["thumbnail", "look.mov", "--at", "2f", "-o", "t.png"], in: folder)
    try await works(["thumbnail", "plain.mov", "--at", "2f", "-o", "u.png"] + look, in: folder)
    #expect(folder.read("t.png") == folder.read("m02.png"))
    #expect(folder.read("u.png") == folder.read("m02.png"))
    // The script that comes out carries it, and renders with it; what is not known is kept and named.
    try await works(["extract", "look.mov", "--script", "-o", "look.json"], in: folder)
    let text = String(decoding: folder.read("look.json"), as: UTF8.self)
    #expect(text.contains("\"blurScale\": 0.4") && text.contains("\"apertureBlades\": 5"))
    folder.write(
      Array(text.replacing("\"look\": {", with: "\"look\": {\"flare\": [1, 2], ").utf8),
      to: "newer.json")
    let render = ["render", "s/clip.mp4", "--disparity", "s/disparity/%04d.png", "--frames", "2"]
    try await works(render + ["--script", "look.json", "-o", "r%02d.png"], in: folder)
    try await works(render + ["--script", "s/script.json", "-o", "w%02d.png"] + look, in: folder)
    #expect(folder.read("r02.png") == folder.read("w02.png"))
    let newer = try await works(
      render + ["--script", "newer.json", "-o", "v%02d.png"], in: folder)
    #expect(newer.errors.contains("flare") && folder.read("v02.png") == folder.read("r02.png"))
    try await works(
      [
        "import", "s/clip.mp4", "--disparity", "s/disparity/%04d.png", "--script", "newer.json",
        "-o", "newer.mov",
      ], in: folder)
    try await works(["apply", "newer.mov", "--changes", "c.focus", "-o", "kept.mov"], in: folder)
    try await works(["extract", "kept.mov", "--script", "-o", "kept.json"], in: folder)
    #expect(
      String(decoding: folder.read("kept.json"), as: UTF8.self).contains("\"flare\": [1, 2]"))
    for options in [["--blur-scale", "17"], ["--blur-scale", "nan"]] {
      try await refuses(
        ["import"] + clip + options + ["-o", "x.mov"], in: folder, naming: ["blur scale"])
    }
    for command in [
      ["export", "look.mov"], ["thumbnail", "look.mov", "--at", "0"], ["import"] + clip,
    ] {
      try await refuses(
        command + ["--blades", "2", "-o", "x.mov"], in: folder, code: 64, naming: ["--blades"])
    }
  }

  /// A script of another clip, and more maps than frames, are noticed in a line each.
  @Test func importsNoticeWhatIsNotTheirs() async throws {
    let folder = Folder()
    try await ScriptMaterial.sample(in: folder, frames: 6)
    try await works(
      ["sample", "-o", "t", "--size", "192x108", "--frames", "3", "--samples", "1"], in: folder)
    let outcome = try await works(
      [
        "import", "t/clip.mp4", "--disparity", "s/disparity/%04d.png", "--script", "s/script.json",
        "-o", "a.mov",
      ], in: folder)
    let notes = outcome.errorLines.filter { $0.hasPrefix("focal: ") }
    #expect(notes.count == 2, "\(outcome.errors)")
    #expect(notes.contains { $0.contains("s/script.json") && $0.contains("6 frames") })
    #expect(notes.contains { $0.contains("6 maps for 3 frames") })
    let right = try await works(
      [
        "import", "s/clip.mp4", "--disparity", "s/disparity/%04d.png", "--script", "s/script.json",
        "-o", "b.mov",
      ], in: folder)
    #expect(!right.errors.contains("focal: "), "\(right.errors)")
  }
}
