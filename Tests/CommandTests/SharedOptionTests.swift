// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import Foundation
import Testing

/// Options that have the same names and forms on every command where they do something, and are refused elsewhere.
@Suite struct SharedOptionTests {
  private static let imported = ["import", "clip.mov", "--disparity", "maps/%04d.png"]

  private static func movie(in folder: Folder, frames: Int = 6) async throws {
    try Material.clip("clip.mov", in: folder, times: Material.steady(frames))
    try Material.numberedMaps(frames, in: folder)
    try await works(imported + ["--focus", "0.5", "-o", "movie.mov"], in: folder)
  }

  /// `--frames` includes its end, as in `render`; `--range` leaves it out.
  @Test func frames() async throws {
    let folder = Folder()
    try await Self.movie(in: folder)
    for (options, name) in [
      (["--frames", "1-3"], "a"), (["--range", "1f-4f"], "b"), (["--frames", "2"], "c"),
    ] {
      try await works(
        ["export", "movie.mov", "-o", "\(name)/%d.png"] + options, in: folder.with(name))
    }
    #expect(folder.names(in: "a") == ["1.png", "2.png", "3.png"])
    #expect(folder.names(in: "b") == folder.names(in: "a"))
    #expect(folder.names(in: "c") == ["2.png"])
    for name in folder.names(in: "a") {
      let isSame = folder.read("a/\(name)") == folder.read("b/\(name)")
      #expect(isSame, "\(name)")
    }
    let long = try await works(
      ["export", "movie.mov", "--frames", "4-9", "-o", "x.mov"], in: folder)
    #expect(long.errors.contains("ends with the last frame, 5f"), "\(long.errors)")
    try await refuses(
      ["export", "movie.mov", "--frames", "6-9", "-o", "y.mov"], in: folder,
      naming: ["there is no frame 6f", "6 frames"])
    let both = try await Program.focal(
      ["export", "movie.mov", "--frames", "1", "--range", "0-1", "-o", "y.mov"], in: folder)
    #expect(both.code == 64 && both.errors.contains("--range or --frames, not both"))
  }

  /// A size, or one number for both sides, on every command.
  @Test func maximumSizes() async throws {
    let folder = Folder()
    try await Self.movie(in: folder, frames: 2)
    for (command, name) in [
      (["thumbnail", "movie.mov", "--at", "0"], "a.png"), (["export", "movie.mov"], "a.mov"),
      (["render", "clip.mov", "--disparity", "maps/%04d.png"], "b.mov"),
    ] {
      for size in ["24", "24x24", "100x24"] {
        try await works(
          command + ["--maximum-size", size, "-o", name, "--force"], in: folder)
        let made = try await FrameReader.open(folder.file(name)).properties.dimensions
        let expected =
          size == "100x24" ? Dimensions(width: 36, height: 24) : Dimensions(width: 24, height: 16)
        #expect(made == expected, "\(name) \(size)")
      }
      for size in ["1", "1x9", "9999999", "big"] {
        let refused = try await Program.focal(
          command + ["--maximum-size", size, "-o", "x\(name)"], in: folder)
        #expect(refused.code == 64 && refused.errors.contains("--maximum-size"), "\(size)")
      }
    }
  }

  @Test func pictureQuality() async throws {
    let folder = Folder()
    try await Self.movie(in: folder, frames: 2)
    folder.write(Array("1\n00:00:00,000 --> 00:00:01,000\nOne\n".utf8), to: "a.srt")
    for (command, name) in [
      (["export", "movie.mov"], "%d.jpg"), (["thumbnail", "movie.mov", "--at", "0"], "0.jpg"),
      (["captions", "burn", "a.srt", "clip.mov"], "%d.jpg"),
    ] {
      var sizes: [Int] = []
      for quality in ["30", "98"] {
        try await works(
          command + ["--picture-quality", quality, "-o", name, "--force"], in: folder)
        sizes.append(folder.read("0.jpg").count)
      }
      #expect(sizes[0] < sizes[1], "\(command) \(sizes)")
      try await refuses(
        command + ["--picture-quality", "30", "-o", name.replacing("jpg", with: "png")],
        in: folder, naming: ["--picture-quality", ".jpg, .heic and .avif"])
    }
  }

  /// Results for programs, on standard error where standard output carries the content.
  @Test func reports() async throws {
    let folder = Folder()
    try await Self.movie(in: folder, frames: 3)
    let picture = try await works(
      ["thumbnail", "movie.mov", "--at", "1f", "-o", "a.png", "--json"], in: folder)
    let told = try #require(try picture.objects().last)
    #expect(told["event"] as? String == "done" && told["output"] as? String == "a.png")
    #expect(told["width"] as? Int == 48 && told["height"] as? Int == 32)
    #expect(abs((told["time"] as? Double ?? 9) - 1.0 / 30) < 1e-6)
    #expect(told["frames"] as? Int == 1 && told["device"] as? String == "cpu")
    for (option, output, count) in [
      ("--disparity", "m%d.png", 3), ("--metadata", "a.jsonl", 3), ("--script", "a.json", 1),
    ] {
      let outcome = try await works(
        ["extract", "movie.mov", option, "-o", output, "--json"], in: folder)
      let told = try #require(try outcome.objects().last)
      #expect(told["content"] as? String == String(option.dropFirst(2)))
      #expect(told["count"] as? Int == count, "\(told)")
      #expect(told["width"] as? Int == (option == "--disparity" ? 48 : nil))
    }
    let piped = try await Program.shell(
      "focal extract movie.mov --script -o - --json > b.json", in: folder)
    #expect(piped.code == 0 && folder.read("b.json") == folder.read("a.json"))
    #expect(try piped.errorObjects().last?["event"] as? String == "done")
    let wrong = try await Program.focal(
      ["extract", "none.mov", "--script", "-o", "c.json", "--json"], in: folder)
    #expect(try wrong.errorObjects().last?["event"] as? String == "error")
  }

  /// Edges of a movie's maps are moved as those of files are.
  @Test func shapedMaps() async throws {
    let folder = Folder()
    try await Self.movie(in: folder, frames: 2)
    let shape = ["--erode", "2.5", "--feather", "1"]
    let look = ["--f-number", "1.4", "--focus", "0.9"]
    let render = ["render", "clip.mov", "--disparity", "maps/%04d.png"] + look
    for (command, name) in [
      (["export", "movie.mov"] + look, "a%d.png"),
      (["export", "movie.mov"] + look + shape, "b%d.png"),
      (render, "c%d.png"), (render + shape, "d%d.png"),
    ] {
      try await works(command + ["-o", name], in: folder)
    }
    try await works(
      ["thumbnail", "movie.mov", "--at", "0", "-o", "t.png"] + look + shape, in: folder)
    #expect(folder.read("t.png") == folder.read("b0.png"))
    func difference(_ a: String, _ b: String) async throws -> Double {
      var codes: [[UInt8]] = []
      for name in [a, b] {
        codes.append(try await Material.frames(folder.file(name)).frames[0].pixelBuffer.codes())
      }
      return zip(codes[0], codes[1]).reduce(0.0) { $0 + abs(Double($1.0) - Double($1.1)) }
        / Double(codes[0].count)
    }
    let (shaped, same) = (
      try await difference("a0.png", "b0.png"), try await difference("b0.png", "d0.png")
    )
    // The movie's maps have ten bits, the files' sixteen.
    #expect(shaped > 0 && same < shaped / 4, "\(shaped) \(same)")
    try await refuses(
      ["export", "movie.mov", "--feather", "-1", "-o", "x.mov"], in: folder, naming: ["feathered"])
    // A movie that is made of shaped maps has them.
    try await works(Self.imported + look + shape + ["-o", "shaped.mov"], in: folder)
    try await works(["export", "shaped.mov", "-o", "e%d.png"], in: folder)
    let stored = try await difference("e0.png", "b0.png")
    #expect(stored < shaped / 4, "\(shaped) \(stored)")
  }

  /// Options about files are refused with the reason.
  @Test(
    arguments: [
      (["--lens", "50mm"], "a map in metres"), (["--transfer", "hlg"], "focal import"),
      (["--lut", "a.cube"], "focal import"), (["--disparity-range", "-1,1"], "focal import"),
    ])
  func refusedOnMovies(_ options: [String], _ reason: String) async throws {
    let folder = Folder()
    for command in [["export", "movie.mov"], ["thumbnail", "movie.mov", "--at", "0"]] {
      let outcome = try await Program.focal(command + options + ["-o", "x.png"], in: folder)
      #expect(outcome.code == 64, "\(outcome.errors)")
      #expect(outcome.errors.contains(options[0]) && outcome.errors.contains(reason))
    }
  }

  /// A real lens, and metric maps, in a movie as in a rendering.
  @Test func lensOfMovies() async throws {
    let folder = Folder()
    try Material.clip("clip.mov", in: folder, times: Material.steady(2))
    let metres = try PixelBuffer(
      dimensions: Material.size, format: .disparityFloat, tags: .linearBT709)
    metres.withUnsafeMutableBytes { bytes in
      let values = bytes.bindMemory(to: Float.self)
      for index in values.indices { values[index] = 1 + Float(index % Material.size.width) / 8 }
    }
    folder.make("metres")
    for number in 0..<2 {
      try PictureWriter.write(metres, to: folder.file(String(format: "metres/%04d.exr", number)))
    }
    let maps = [
      "--disparity", "metres/%04d.exr", "--disparity-kind", "depth", "--lens", "50mm", "--sensor",
      "36mm", "--focus-distance", "2m", "--f-number", "1.4",
    ]
    try await works(["import", "clip.mov"] + maps + ["-o", "movie.mov"], in: folder)
    let info = try await works(["info", "movie.mov"], in: folder)
    #expect(info.output.contains("blurScale"), "\(info.output)")
    try await works(["export", "movie.mov", "-o", "a%d.png"], in: folder)
    try await works(["render", "clip.mov"] + maps + ["-o", "b%d.png"], in: folder)
    let (a, b) = (
      try await Material.frames(folder.file("a0.png")).frames[0].pixelBuffer.codes(),
      try await Material.frames(folder.file("b0.png")).frames[0].pixelBuffer.codes()
    )
    // The movie's maps have ten bits.
    let largest = zip(a, b).map { abs(Int($0) - Int($1)) }.max() ?? 255
    #expect(largest <= 3, "\(largest)")
    try Material.numberedMaps(2, in: folder)
    try await refuses(
      Self.imported + [
        "--lens", "50mm", "--sensor", "36mm", "--focus-distance", "2m", "-o", "x.mov",
      ],
      in: folder, naming: ["--lens needs a map in metres"])
    let both = try await Program.focal(
      ["import", "clip.mov"] + maps + ["--focus", "1", "-o", "x.mov"], in: folder)
    #expect(both.code == 64 && both.errors.contains("--lens says focus and blur"))
  }

  /// Channels, transfer functions, halves and rates are heeded where a movie is made.
  @Test func importedMeaning() async throws {
    let folder = Folder()
    try Material.clip("clip.mov", in: folder, times: Material.steady(2))
    // Halves keep their values, which need not lie between 0 and 1.
    let halves = try PixelBuffer(
      dimensions: Material.size, format: .disparityHalf, tags: .linearBT709)
    halves.withUnsafeMutableBytes { bytes in
      let values = bytes.bindMemory(to: Float16.self)
      for index in values.indices { values[index] = Float16(index % Material.size.width) / 16 }
    }
    folder.make("halves")
    for number in 0..<2 {
      try PictureWriter.write(halves, to: folder.file(String(format: "halves/%04d.exr", number)))
    }
    let start = ["import", "clip.mov", "--disparity", "halves/%04d.exr", "-o"]
    let made = try await works(start + ["movie.mov", "--json"], in: folder)
    let disparity = try #require(try made.objects().last?["disparity"] as? [String: Any])
    #expect(disparity["high"] as? Double == 47.0 / 16, "\(disparity)")
    try await refuses(
      start + ["x.mov", "--disparity-channel", "none"], in: folder, naming: ["none"])
    // Numbered maps belong to the pictures in their order: a rate would do nothing.
    for (command, maps) in [
      ("import", "clip.mov"), ("import", "halves/%04d.exr"), ("render", "halves/%04d.exr"),
    ] {
      try await refuses(
        [command, "clip.mov", "--disparity", maps, "--frame-rate", "25", "-o", "x.mov"],
        in: folder, naming: ["--frame-rate is for numbered pictures"])
    }
    let told = try await works(start + ["hlg.mov", "--transfer", "hlg"], in: folder)
    #expect(told.output.contains("encoded"))
    let hlg = try await FrameReader.open(folder.file("hlg.mov")).properties
    #expect(hlg.tags.transfer == .hlg)
    folder.write(Array("1\n00:00:00,000 --> 00:00:01,000\nOne\n".utf8), to: "a.srt")
    for (options, words) in [
      (["-o", "%d.png", "--codec", "h264"], "--codec is for movies"),
      (["-o", "%d.png", "--no-sound"], "--no-sound is for movies"),
      (["-o", "y.mov", "--frame-rate", "25"], "--frame-rate is for numbered pictures"),
    ] {
      try await refuses(
        ["captions", "burn", "a.srt", "clip.mov"] + options, in: folder, naming: [words])
    }
  }
}
