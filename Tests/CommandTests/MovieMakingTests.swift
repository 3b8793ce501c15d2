// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCore
import FocalMedia
import FocalScript
import Foundation
import Testing

/// `focal import`, `edit`, `apply` and `export`.
@Suite struct MovieMakingTests {
  /// `s` holds a sample clip with disparity and script, `movie.mov` is made of them.
  private static func movie(
    in folder: Folder, frames: Int = 12, _ options: [String] = ["--script", "s/script.json"]
  ) async throws -> [String: Any] {
    try await ScriptMaterial.sample(in: folder, frames: frames)
    let outcome = try await works(
      ["import", "s/clip.mp4", "--disparity", "s/disparity/%04d.png", "-o", "movie.mov", "--json"]
        + options, in: folder)
    return try #require(try outcome.objects().last)
  }

  @Test func importsAndShows() async throws {
    let folder = Folder()
    let report = try await Self.movie(in: folder)
    #expect(report["event"] as? String == "done")
    #expect(report["frames"] as? Int == 12)
    #expect(report["video"] as? String == "copied")
    let movie = try await MovieScript(asset: Asset(path: folder.file("movie.mov")))
    let script = try ScriptMaterial.script("s/script.json", in: folder)
    #expect(try movie.recording() == script.recording)
    // The rendering attributes stand with every frame as the script says it.
    for number in 0..<movie.reader.frameCount {
      let group = try await movie.reader.metadataGroup(number)
      let frame = try #require(
        script.frame(at: group.timeRange.start, tolerance: Time(value: 1, timescale: 100)))
      #expect(group.renderingAttributes?.focusDisparity == frame.focusDisparity)
      #expect(group.renderingAttributes?.fNumber == frame.fNumber)
    }
    // Players see an ordinary video.
    #expect(try await Material.frames(folder.file("movie.mov")).frames.count == 12)
  }

  /// Without a script: the focus that was asked for, and a script that holds it.
  @Test func importWithAFocus() async throws {
    let folder = Folder()
    let report = try await Self.movie(
      in: folder, frames: 4,
      ["--focus", "0.625", "--f-number", "4", "--encode", "--disparity-range", "0,2"])
    #expect(report["video"] as? String == "encoded")
    let disparity = try #require(report["disparity"] as? [String: Any])
    #expect(disparity["high"] as? Double == 2)
    let movie = try await MovieScript(asset: Asset(path: folder.file("movie.mov")))
    let script = try Script(recording: #require(try movie.recording()))
    #expect(script.frame(at: .zero, tolerance: .zero)?.focusDisparity == 0.625)
    #expect(script.fNumber == 4)
    // Racks are measured by what the maps span.
    let measure = try #require(script.recording.disparityRange)
    #expect(measure.lowerBound < measure.upperBound && measure.upperBound <= 2)
    #expect(try await movie.reader.metadataGroup(3).renderingAttributes?.focusDisparity == 0.625)
    let original = try await Material.frames(
      folder.file("s/disparity/%04d.png"),
      ReadOptions(content: .disparity(DisparityScale(low: 0, high: 2))))
    for number in 0..<4 {
      let map = try #require(try await movie.reader.frame(number: number).disparity)
      let expected = original.frames[number].pixelBuffer
      var worst: Float = 0
      for y in 0..<map.height {
        for x in 0..<map.width {
          worst = max(
            worst, abs((map.disparity(x: x, y: y) ?? 9) - (expected.disparity(x: x, y: y) ?? -9)))
        }
      }
      // Half a code of ten bits, and single precision.
      #expect(worst <= 1 / 1023 + 1e-6)
    }
  }

  /// Depths with holes: the range is what is there, and holes stay holes.
  @Test func importDepth() async throws {
    let folder = Folder()
    try await ScriptMaterial.sample(in: folder, frames: 3)
    folder.make("depth")
    for number in 0..<3 {
      let map = try PixelBuffer(
        dimensions: Dimensions(width: 64, height: 36), format: .rgbaFloat,
        tags: .linearBT709, bytesPerRowAlignment: 16)
      map.withUnsafeMutableBytes { bytes in
        for pixel in 0..<(64 * 36) {
          let depth: Float = pixel % 11 == 0 ? 0 : 1 + Float(pixel % 64) / 32
          bytes.storeBytes(
            of: SIMD4<Float>(depth, depth, depth, 1), toByteOffset: 16 * pixel,
            as: SIMD4<Float>.self)
        }
      }
      try PictureWriter.write(map, to: folder.file(String(format: "depth/%04d.pfm", number)))
    }
    let outcome = try await works(
      [
        "import", "s/clip.mp4", "--disparity", "depth/%04d.pfm", "--disparity-kind", "depth", "-o",
        "movie.mov", "--focus", "0.7", "--json",
      ], in: folder)
    let report = try #require(try outcome.objects().last?["disparity"] as? [String: Any])
    #expect(report["hasHoles"] as? Bool == true)
    #expect(report["high"] as? Double == 1)
    let reader = try await MovieScript(asset: Asset(path: folder.file("movie.mov"))).reader
    let map = try #require(try await reader.frame(number: 2).disparity)
    for pixel in 0..<(64 * 36) {
      let found = map.disparity(x: pixel % 64, y: pixel / 64)
      if pixel % 11 == 0 {
        #expect(found == nil)
      } else {
        let expected = 1 / (1 + Float(pixel % 64) / 32)
        // From 1/2.97 to 1 in 1022 steps.
        #expect(abs((found ?? 9) - expected) <= (1 - 0.336) / 1022 / 2 + 1e-6)
      }
    }
  }

  @Test func editApplyExport() async throws {
    let folder = Folder()
    _ = try await Self.movie(in: folder)
    let before = folder.read("movie.mov")
    try await works(
      ["edit", "movie.mov", "decide", "--at", "6f", "--disparity", "0.875", "-o", "c.focus"],
      in: folder)
    try await works(["apply", "movie.mov", "--changes", "c.focus", "-o", "new.mov"], in: folder)
    #expect(folder.read("movie.mov") == before)
    let movie = try await MovieScript(asset: Asset(path: folder.file("new.mov")))
    let script = try Script(recording: #require(try movie.recording()))
    #expect(script.userDecisions(in: script.timeRange).count == 1)
    #expect(try await movie.reader.metadataGroup(6).renderingAttributes?.focusDisparity == 0.875)
    #expect(try await movie.reader.metadataGroup(11).renderingAttributes?.focusDisparity == 0.875)
    // Rendering the changed movie and the movie with changes gives the same pictures.
    for arguments in [
      ["export", "new.mov", "-o", "a/%04d.png"],
      ["export", "movie.mov", "--changes", "c.focus", "-o", "b/%04d.png"],
      ["export", "movie.mov", "-o", "c/%04d.png"],
    ] {
      folder.make(String(arguments.last!.prefix(1)))
      try await works(arguments + ["--quality", "thumbnail"], in: folder)
    }
    for number in 0..<12 {
      let name = String(format: "%04d.png", number)
      let picture = folder.read("a/" + name)
      #expect(!picture.isEmpty)
      #expect(picture == folder.read("b/" + name))
      if number >= 6 { #expect(picture != folder.read("c/" + name)) }
    }
    // The script's commands work on the movie, and give the same changes as on its script.
    try await works(
      ["script", "decide", "s/script.json", "--at", "6f", "--disparity", "0.875", "-o", "d.focus"],
      in: folder)
    #expect(folder.read("c.focus") == folder.read("d.focus"))
    try await works(
      ["edit", "movie.mov", "undo", "--changes", "c.focus", "--all", "-o", "e.focus"], in: folder)
    #expect(folder.read("e.focus") != folder.read("c.focus"))
  }

  /// The same rendering as `focal render` of what the movie was made from.
  @Test func exportsWhatRenderRenders() async throws {
    let folder = Folder()
    _ = try await Self.movie(in: folder, frames: 5)
    for name in ["a", "b"] { folder.make(name) }
    try await works(
      ["export", "movie.mov", "-o", "a/%04d.png", "--range", "1f-4f", "--quality", "preview"],
      in: folder)
    try await works(
      [
        "render", "s/clip.mp4", "--disparity", "s/disparity/%04d.png", "--script", "s/script.json",
        "-o", "b/%04d.png", "--frames", "1-3", "--quality", "preview",
      ], in: folder)
    let names = folder.names.filter { $0.hasPrefix("a/") }
    #expect(names == ["a/0001.png", "a/0002.png", "a/0003.png"])
    for name in names {
      let a = try await Material.frames(folder.file(name)).frames[0].pixelBuffer.codes()
      let b = try await Material.frames(folder.file("b" + name.dropFirst())).frames[0].pixelBuffer
        .codes()
      // Maps of sixteen bits became maps of ten: a few codes at most.
      let worst = zip(a, b).map { abs(Int($0) - Int($1)) }.max() ?? 255
      #expect(worst <= 12, "\(name)")
    }
  }

  @Test func badInput() async throws {
    let folder = Folder()
    _ = try await Self.movie(in: folder, frames: 3)
    folder.write(Array("not a movie".utf8), to: "text.mov")
    let disparity = ["--disparity", "s/disparity/%04d.png"]
    try await refuses(
      ["import", "s/clip.mp4"] + disparity + ["-o", "movie.mov"], in: folder, naming: ["movie.mov"])
    try await refuses(
      ["import", "s/clip.mp4"] + disparity + ["-o", "out.mp4"], in: folder, naming: ["out.mp4"])
    try await refuses(
      ["import", "none.mp4"] + disparity + ["-o", "out.mov"], in: folder, naming: ["none.mp4"])
    try await refuses(
      ["import", "s/disparity/0000.png"] + disparity + ["-o", "out.mov"], in: folder,
      naming: ["0000.png"])
    try await refuses(
      ["import", "s/clip.mp4", "--disparity", "s/disparity/0000.png", "-o", "out.mov"], in: folder,
      naming: ["0000.png"])
    try await refuses(
      ["import", "s/clip.mp4"] + disparity + ["-o", "out.mov", "--changes", "x"], in: folder,
      code: 64, naming: ["--script"])
    try await refuses(["export", "text.mov", "-o", "out.mp4"], in: folder, naming: ["text.mov"])
    try await refuses(["export", "s/clip.mp4", "-o", "out.mp4"], in: folder, naming: ["clip.mp4"])
    try await refuses(
      ["export", "movie.mov", "-o", "out.mp4", "--range", "5-6"], in: folder, naming: ["movie.mov"])
    try await refuses(["edit", "movie.mov", "cut"], in: folder, code: 64, naming: ["decide"])
    try await refuses(
      ["apply", "movie.mov", "--changes", "none.focus", "-o", "out.mov"], in: folder,
      naming: ["none.focus"])
  }
}
