// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore
import FocalMedia
import Foundation
import MovieKit
import Testing

/// Codecs, chroma and depth of films, interlaced clips and curves of cameras on the command line.
@Suite struct FilmFormatTests {
  static let render = ["render", "clip.mov", "--disparity", "maps/%04d.png", "--f-number", "inf"]

  /// A clip in FFV1 of floats with alpha, as `clip.mov`, and maps.
  static func clip(_ pixels: CodedPixels, in folder: Folder) throws {
    var settings = WriterSettings(
      dimensions: Material.size, pixelFormat: .rgbaFloat, tags: .bt709)
    settings.codec = .ffv1
    settings.codedPixels = pixels
    settings.temporaryFiles = TemporaryFiles()
    let writer = try FrameWriter.create(folder.file("clip.mov"), settings: settings)
    for number in 0..<3 {
      try writer.append(
        Material.picture(Material.size, .rgbaFloat, tags: .bt709, phase: Double(number)),
        time: Time(value: Int64(number), timescale: 30), duration: Time(value: 1, timescale: 30))
    }
    try writer.finish()
    try Material.numberedMaps(3, in: folder)
  }

  /// Views of gray clips have colours, in FFV1 too, which leaves other films of them gray.
  @Test func colorsOverGray() async throws {
    let folder = Folder()
    try Self.clip(CodedPixels(.gray, bitDepth: 8, isFullRange: true), in: folder)
    let maps = ["clip.mov", "--disparity", "maps/%04d.png", "--codec", "ffv1"]
    let view = ["render"] + maps + ["--f-number", "1", "--focus", "0.5", "--show", "coc"]
    try await works(view + ["-o", "view.mov"], in: folder)
    let film = try await Material.frames(folder.file("view.mov"))
    #expect(film.properties.codedPixels?.chroma == .rgb)
    let light = try #require(film.frames.first).pixelBuffer.linearRGBA()
    let isColored = (0..<light.dimensions.count).contains { place in
      let pixel = LiftOptionTests.pixel(place % light.width, place / light.width, of: light)
      return abs(pixel.x - pixel.z) > 0.3
    }
    #expect(isColored)
    try await works(["render"] + maps + ["-o", "gray.mov"], in: folder)
    let gray = try await Material.frames(folder.file("gray.mov")).properties
    #expect(gray.codedPixels?.chroma == .gray)
    let refused = try await Program.focal(
      view + ["--chroma", "gray", "-o", "no.mov"], in: folder)
    expectOneLine(refused, naming: ["gray holds no colours", "--chroma rgb"])
  }

  @Test func codecsChromaAndDepth() async throws {
    let folder = Folder()
    try Self.clip(CodedPixels(.yuv444, bitDepth: 12), in: folder)
    func film(
      _ name: String, _ options: [String], _ pixels: String, says loss: String? = nil
    ) async throws {
      let outcome = try await Program.focal(Self.render + ["-o", name] + options, in: folder)
      #expect(outcome.code == 0, "\(outcome.errors)")
      #expect(
        outcome.errors.contains("\(name) does not hold") == (loss != nil), "\(outcome.errors)")
      if let loss { #expect(outcome.errors.contains(loss)) }
      let properties = try await FrameReader.open(folder.file(name)).properties
      #expect(properties.codedPixels?.description == pixels)
      #expect(properties.dimensions == Material.size)
    }
    try await film("a.mov", [], "4:4:4 of 12 bits")
    try await film("b.mov", ["--codec", "ffv1"], "4:4:4 of 12 bits")
    try await film(
      "c.mov", ["--preset", "prores-422-hq"], "4:2:2 of 10 bits",
      says: "clip.mov: 12 bits become 10, 4:4:4 becomes 4:2:2")
    try await film(
      "d.mp4", ["--codec", "h264"], "4:2:0 of 8 bits", says: "12 bits become 8, 4:4:4 becomes 4:2:0"
    )
    try await film(
      "e.mp4", ["--codec", "hevc", "--chroma", "422", "--bit-depth", "10"], "4:2:2 of 10 bits",
      says: "4:4:4 becomes 4:2:2")
    for (options, message) in [
      (["-o", "x.mp4", "--codec", "prores-422"], "x.mp4 cannot hold Apple ProRes 422"),
      (["-o", "x.mov", "--codec", "prores-422", "--chroma", "444"], "has no chroma of 444"),
      (["-o", "x.mov", "--codec", "ffv1", "--rate-factor", "3"], "FFV1 has no rate factor"),
      (["-o", "%04d.png", "--chroma", "422"], "--chroma is for movies"),
      (["-o", "x.mov", "--deinterlace", "--log", "vlog", "--lut", "a.cube"], "curve or --lut"),
    ] {
      let outcome = try await Program.focal(Self.render + options, in: folder)
      #expect(outcome.code != 0 && outcome.errors.contains(message), "\(outcome.errors)")
    }
    #expect(!folder.names.contains { $0.hasPrefix("x.") })
  }

  /// HLG of 8 bits becomes standard range in H.264, as that of 10 bits does.
  @Test(arguments: [PixelFormat.yuv420Video8, .yuv420Video10])
  func highRangeInH264(_ format: PixelFormat) async throws {
    let folder = Folder()
    try Material.clip(
      "clip.mov", in: folder, times: Material.steady(3), format: format, tags: .hlg)
    try Material.numberedMaps(3, in: folder)
    let outcome = try await Program.focal(
      Self.render + ["--preset", "h264-720p", "-o", "a.mp4"], in: folder)
    #expect(outcome.code == 0 && outcome.errors.contains("becomes standard"), "\(outcome.errors)")
    let properties = try await FrameReader.open(folder.file("a.mp4")).properties
    #expect(properties.tags.transfer == .bt709 && properties.tags.primaries == .bt709)
    #expect(properties.codecDescription.hasPrefix("h264"))
    let imported = try await Program.focal(
      ["import", "clip.mov", "--disparity", "maps/%04d.png", "-o", "movie.mov"], in: folder)
    #expect(imported.code == 0, "\(imported.errors)")
    let exported = try await Program.focal(
      ["export", "movie.mov", "--codec", "h264", "-o", "b.mp4"], in: folder)
    #expect(exported.code == 0 && exported.errors.contains("becomes standard"))
    #expect(
      try await FrameReader.open(folder.file("b.mp4")).properties.tags.transfer == .bt709)
  }

  /// A factor of 0 loses nothing, AV1 has whole ones, and its encoders print nothing.
  @Test(
    .enabled(
      if: avcodec_find_encoder_by_name("libaom-av1") != nil
        && avcodec_find_encoder_by_name("libsvtav1") != nil, "this FFmpeg has no AV1"))
  func ratesOfAV1() async throws {
    let folder = Folder()
    let size = Dimensions(width: 96, height: 64)
    try PictureWriter.write(Material.picture(size), to: folder.file("0.png"))
    try PictureWriter.write(Material.picture(size, phase: 1), to: folder.file("1.png"))
    try Material.numberedMaps(2, in: folder)
    let start = [
      "render", "%d.png", "--disparity", "maps/%04d.png", "--f-number", "inf", "--progress", "none",
      "--focus", "0.5",
    ]
    try await works(start + ["--codec", "ffv1", "--chroma", "420", "-o", "exact.mov"], in: folder)
    var sizes: [Int] = []
    for rate in [0, 1, 35] {
      let outcome = try await Program.focal(
        start + ["--codec", "av1", "--rate-factor", "\(rate)", "-o", "\(rate).mp4"], in: folder)
      let said = ["focal: \(rate).mp4 does not hold all of %d.png: RGB becomes 4:2:0"]
      #expect(outcome.code == 0 && outcome.errorLines == said, "\(outcome.errors)")
      sizes.append(folder.read("\(rate).mp4").count)
    }
    #expect(sizes[0] > sizes[1] && sizes[1] > sizes[2], "\(sizes)")
    let exact = try await Material.frames(folder.file("exact.mov")).frames
    let coded = try await Material.frames(folder.file("0.mp4")).frames
    for (a, b) in zip(exact, coded) {
      let isSame = (0...1).allSatisfy {
        a.pixelBuffer.codes(ofPlane: $0) == b.pixelBuffer.codes(ofPlane: $0)
      }
      #expect(isSame, "\(a.index)")
    }
    for codec in ["av1", "vp9"] {
      let refused = try await Program.focal(
        start + ["--codec", codec, "--rate-factor", "20.5", "-o", "x.mp4"], in: folder)
      #expect(refused.code == 1 && refused.errors.contains("20.5"), "\(refused.errors)")
    }
  }

  /// Of a file that is VP9 unasked, the rate factors are VP9's; a codec that is named has its own.
  @Test(
    .enabled(
      if: avcodec_find_encoder_by_name("libvpx-vp9") != nil, "this FFmpeg has no VP9"))
  func ratesOfTheEnding() async throws {
    let folder = Folder()
    try Material.clip("clip.mov", in: folder, times: Material.steady(3))
    try Material.numberedMaps(3, in: folder)
    let render = [
      "render", "clip.mov", "--disparity", "maps/%04d.png", "--focus", "0.5", "--rate-factor",
    ]
    for rate in ["52", "63"] {
      for codec in [[], ["--codec", "automatic"]] {
        try await works(render + [rate, "-o", "a.webm", "--force"] + codec, in: folder)
      }
      try await refuses(
        render + [rate, "-o", "a.mp4"], in: folder, naming: ["no rate factor of \(rate)", "to 51"])
      try await refuses(
        render + [rate, "-o", "a.mp4", "--codec", "h264"], in: folder, code: 64,
        naming: ["--rate-factor", "0 to 51"])
    }
  }

  /// Fields of two moments, dark and bright: pictures as they are have both, those that are made whole have one.
  @Test func fieldsAreKeptOrMadeWhole() async throws {
    let folder = Folder()
    let file = ClipFile(
      codec: "ffv1", width: 48, height: 32, pixelFormat: AV_PIX_FMT_YUV420P,
      timeBase: AVRational(num: 1, den: 30), options: [("level", "3")])
    try file.write(to: folder.file("clip.mkv"), frames: 2) { frame, number in
      focal_frame_set_interlaced(frame, 1)
      for (plane, data) in [frame.pointee.data.0, frame.pointee.data.1, frame.pointee.data.2]
        .enumerated()
      {
        let stride = [
          frame.pointee.linesize.0, frame.pointee.linesize.1, frame.pointee.linesize.2,
        ][plane]
        for y in 0..<(plane == 0 ? 32 : 16) {
          // What does not change would be whole.
          let code: UInt8 = plane > 0 ? 128 : (y + number) % 2 == 0 ? 40 : 200
          data?.advanced(by: y * Int(stride)).update(repeating: code, count: Int(stride))
        }
      }
      return Int64(number)
    }
    try Material.numberedMaps(2, in: folder)
    let comb = (0..<32).map { $0 % 2 == 0 ? UInt8(40) : 200 }
    let whole = [UInt8](repeating: 40, count: 32)
    for (option, expected) in [("--progressive", comb), ("--deinterlace", whole)] {
      for (command, more) in [("render", ["--f-number", "inf"]), ("import", ["--focus", "0.5"])] {
        try await works(
          [
            command, "clip.mkv", "--disparity", "maps/%04d.png", option, "--codec", "ffv1",
            "--force", "-o", "film.mov",
          ] + more, in: folder)
        let first = try #require(try await Material.frames(folder.file("film.mov")).frames.first)
        let codes = first.pixelBuffer.codes()
        try #require(codes.count == 48 * 32)
        let column = (0..<32).map { codes[48 * $0 + 9] }
        #expect(column == expected, "\(command) \(option)")
      }
    }
  }

  @Test func interlacedClips() async throws {
    let folder = Folder()
    let file = ClipFile(
      codec: "ffv1", width: 48, height: 32, pixelFormat: AV_PIX_FMT_YUV420P,
      timeBase: AVRational(num: 1, den: 30), options: [("level", "3")])
    try file.write(to: folder.file("clip.mkv"), frames: 3) { frame, number in
      focal_frame_set_interlaced(frame, 1)
      for (plane, data) in [frame.pointee.data.0, frame.pointee.data.1, frame.pointee.data.2]
        .enumerated()
      {
        let stride = [
          frame.pointee.linesize.0, frame.pointee.linesize.1, frame.pointee.linesize.2,
        ][plane]
        data?.update(repeating: UInt8(100 + number), count: Int(stride) * (plane == 0 ? 32 : 16))
      }
      return Int64(number)
    }
    try Material.numberedMaps(3, in: folder)
    for command in ["render", "import"] {
      let start = [command, "clip.mkv", "--disparity", "maps/%04d.png", "-o", "\(command).mov"]
      let refused = try await Program.focal(start, in: folder)
      #expect(refused.code != 0 && refused.errors.contains("is interlaced (top field first)"))
      #expect(refused.errors.contains("--deinterlace"))
      for option in ["--deinterlace", "--progressive"] {
        let outcome = try await Program.focal(start + [option, "--force"], in: folder)
        #expect(outcome.code == 0 && !outcome.errors.contains("progressive:"), "\(outcome.errors)")
      }
    }
    let maps = ["--disparity", "maps/%04d.png"]
    for command in [
      ["capture", "record", "clip.mkv", "--no-detections", "-o", "a.mov"],
      ["script", "detect", "clip.mkv", "--detect-helper", "cat", "-o", "a.json"],
      ["lift", "render.mov", "--background", "clip.mkv", "-o", "b.mov"],
    ] {
      let refused = try await Program.focal(command + maps, in: folder)
      #expect(refused.code != 0, "\(command)")
      #expect(refused.errors.contains("clip.mkv is interlaced"), "\(refused.errors)")
      #expect(refused.errors.contains("--deinterlace"), "\(refused.errors)")
    }
    // The option may be meant for what is lifted, or for what is behind it; where it is for neither, that is said.
    try Material.still(in: folder)
    for (input, background, note) in [
      ("render.mov", "clip.mkv", nil), ("render.mov", "in.png", "render.mov begins progressive"),
      ("render.mov", "render.mov", "render.mov and render.mov begin progressive"),
      ("clip.mkv", "in.png", nil),
    ] as [(String, String, String?)] {
      let lifted = try await Program.focal(
        [
          "lift", input, "--background", background, "--deinterlace", "-o", "c.mov", "--force",
        ] + maps, in: folder)
      #expect(lifted.code == 0, "\(input), \(background): \(lifted.errors)")
      #expect(lifted.errors.contains("progressive:") == (note != nil), "\(lifted.errors)")
      if let note { #expect(lifted.errors.contains(note), "\(lifted.errors)") }
    }
    let told = try await Program.focal(["info", "clip.mkv"], in: folder)
    #expect(told.output.contains("interlaced, top field first"), "\(told.output)")
    let done = try await Program.focal(["info", "render.mov"], in: folder)
    #expect(!done.output.contains("interlaced"))
    // Pictures are never interlaced; a progressive clip says that there is nothing to do.
    let still = try await Program.focal(
      ["render", "in.png", "--disparity", "map.png", "-o", "a.png", "--deinterlace"], in: folder)
    #expect(still.code != 0 && still.errors.contains("--deinterlace is for movies"))
  }

  /// ProRes lies in the movie as it lay in the clip.
  @Test func importsOfProRes() async throws {
    let folder = Folder()
    try Self.clip(CodedPixels(.yuv444, bitDepth: 10), in: folder)
    let made = try await Program.focal(
      Self.render + ["--codec", "prores-4444", "-o", "prores.mov"], in: folder)
    #expect(made.code == 0, "\(made.errors)")
    let start = ["import", "prores.mov", "--disparity", "maps/%04d.png", "--json", "-o"]
    let copied = try await Program.focal(start + ["a.mov"], in: folder)
    #expect(try copied.objects().last?["video"] as? String == "copied", "\(copied.errors)")
    let before = try await Material.frames(folder.file("prores.mov"))
    let after = try await Material.frames(folder.file("a.mov"))
    for (a, b) in zip(before.frames, after.frames) {
      #expect(a.pixelBuffer.isEqual(to: b.pixelBuffer))
    }
    let encoded = try await Program.focal(start + ["b.mov", "--codec", "dnxhr-444"], in: folder)
    #expect(encoded.code != 0 && encoded.errors.contains("dnxhd"), "\(encoded.errors)")
    let deep = try await Program.focal(start + ["c.mov", "--chroma", "422"], in: folder)
    #expect(try deep.objects().last?["video"] as? String == "encoded", "\(deep.errors)")
    let film = try await Program.focal(["export", "a.mov", "-o", "film.mov"], in: folder)
    #expect(film.code == 0, "\(film.errors)")
    #expect(
      try await FrameReader.open(folder.file("film.mov")).properties.codedPixels?.chroma == .yuv444)
  }

  /// Sharp pixels keep their codes, and OpenEXR gets light.
  @Test func camerasCurves() async throws {
    let folder = Folder()
    try Self.clip(CodedPixels(.yuv422, bitDepth: 10), in: folder)
    let outcome = try await Program.focal(
      Self.render + ["--log", "slog3", "--codec", "ffv1", "-o", "a.mov"], in: folder)
    #expect(outcome.code == 0, "\(outcome.errors)")
    let before = try await Material.frames(folder.file("clip.mov"))
    let after = try await Material.frames(folder.file("a.mov"))
    #expect(after.properties.codedPixels == before.properties.codedPixels)
    for (a, b) in zip(before.frames, after.frames) {
      #expect(a.pixelBuffer.isEqual(to: b.pixelBuffer))
    }
    let light = try await Program.focal(
      Self.render + ["--log", "slog3", "--frames", "0", "-o", "a.exr"], in: folder)
    #expect(light.code == 0, "\(light.errors)")
    var identity = "LUT_3D_SIZE 2\n"
    for number in 0..<8 { identity += "\(number & 1) \(number >> 1 & 1) \(number >> 2)\n" }
    folder.write(Array(identity.utf8), to: "a.cube")
    let table = try await Program.focal(
      Self.render + ["--lut", "a.cube", "--codec", "ffv1", "-o", "b.mov"], in: folder)
    #expect(table.code == 0, "\(table.errors)")
    let same = try await Material.frames(folder.file("b.mov"))
    for (a, b) in zip(before.frames, same.frames) {
      #expect(a.pixelBuffer.isEqual(to: b.pixelBuffer))
    }
    let missing = try await Program.focal(
      Self.render + ["--lut", "none.cube", "-o", "c.mov"], in: folder)
    #expect(missing.code != 0 && missing.errors.contains("none.cube"))
  }

  /// A movie carries its camera's curve: exports blur its light, and write the curve's codes.
  @Test func curvesOfMovies() async throws {
    let folder = Folder()
    try Self.clip(CodedPixels(.yuv422, bitDepth: 10), in: folder)
    let start = ["import", "clip.mov", "--disparity", "maps/%04d.png", "--focus", "0.2", "-o"]
    try await works(start + ["log.mov", "--log", "slog3"], in: folder)
    try await works(start + ["plain.mov"], in: folder)
    #expect(try await works(["info", "log.mov"], in: folder).output.contains("logCurve \"slog3\""))
    func film(_ line: [String], _ name: String) async throws -> [[UInt8]] {
      try await works(line + ["--codec", "ffv1", "-o", name], in: folder)
      return try await Material.frames(folder.file(name)).frames.map { $0.pixelBuffer.codes() }
    }
    /// The mean difference of two films of floats.
    func difference(_ a: [[UInt8]], _ b: [[UInt8]]) -> Float {
      let values = [a, b].map { film in
        film.flatMap { $0.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) } }
      }
      return zip(values[0], values[1]).reduce(0) { $0 + abs($1.0 - $1.1) }
        / Float(values[0].count)
    }
    let stored = try await Material.frames(folder.file("log.mov")).frames.map {
      $0.pixelBuffer.codes()
    }
    let isSharp =
      try await film(["export", "log.mov", "--f-number", "inf"], "sharp.mov") == stored
    #expect(isSharp)
    let blurred = try await film(["export", "log.mov", "--f-number", "1.4"], "a.mov")
    let rendered = try await film(
      [
        "render", "log.mov", "--disparity", "maps/%04d.png", "--focus", "0.2", "--f-number", "1.4",
        "--log", "slog3",
      ], "b.mov")
    let plain = try await film(["export", "plain.mov", "--f-number", "1.4"], "c.mov")
    // The movie's map has ten bits, the files' sixteen.
    let (near, far) = (difference(blurred, rendered), difference(blurred, plain))
    #expect(near < 5e-4 && far > 10 * near, "\(near) \(far)")
    let without = try await film(
      ["export", "log.mov", "--f-number", "1.4", "--log", "none"], "d.mov")
    let given = try await film(
      ["export", "plain.mov", "--f-number", "1.4", "--log", "slog3"], "e.mov")
    let isSame = (without == plain, given == blurred)
    #expect(isSame.0 && isSame.1)
    // Pictures of light get the light.
    try await works(["export", "log.mov", "--f-number", "inf", "-o", "%d.exr"], in: folder)
    let light = try await Material.frames(folder.file("0.exr"))
    #expect(light.properties.tags.transfer == .linear)
    // JPEG has too few codes for the curve, by every command.
    for arguments in [
      ["export", "log.mov", "-o", "%d.jpg"], ["thumbnail", "log.mov", "--at", "0", "-o", "x.jpg"],
      ["render", "log.mov", "--disparity", "maps/%04d.png", "--log", "slog3", "-o", "%d.jpg"],
    ] {
      try await refuses(arguments, in: folder, naming: ["JPEG", "S-Log3", ".exr"])
    }
    try await works(
      ["export", "log.mov", "--frames", "0-1", "--log", "none", "-o", "%d.jpg"], in: folder)
    // A table is applied while the movie is made.
    var identity = "LUT_3D_SIZE 2\n"
    for number in 0..<8 { identity += "\(number & 1) \(number >> 1 & 1) \(number >> 2)\n" }
    folder.write(Array(identity.utf8), to: "a.cube")
    let table = try await works(start + ["table.mov", "--lut", "a.cube"], in: folder)
    #expect(table.output.contains("encoded"))
    let both = try await Program.focal(
      start + ["x.mov", "--lut", "a.cube", "--log", "vlog"], in: folder)
    #expect(both.code != 0 && both.errors.contains("not both"))
  }
}

extension PixelBuffer {
  /// Whether every byte of both, but for the padding, is the same.
  fileprivate func isEqual(to other: PixelBuffer) -> Bool {
    guard format == other.format, dimensions == other.dimensions else { return false }
    for index in planes.indices {
      let same = withUnsafeBytes(ofPlane: index) { a in
        other.withUnsafeBytes(ofPlane: index) { b in
          (0..<planes[index].dimensions.height).allSatisfy { y in
            let count = planes[index].dimensions.width * planes[index].bytesPerElement
            return a[(y * planes[index].bytesPerRow)...].prefix(count)
              .elementsEqual(b[(y * other.planes[index].bytesPerRow)...].prefix(count))
          }
        }
      }
      if !same { return false }
    }
    return true
  }
}
