// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import FocalMedia
import Foundation
import Testing

/// An output that does not hold a source as it is says so, in files and pipes, by every command.
@Suite struct OutputNoteTests {
  private static let subRip = "1\n00:00:00,000 --> 00:00:00,050\nOne\n"

  /// Chroma, depth and alpha are lost with the same words whatever loses them; a copy loses nothing.
  @Test func pixels() async throws {
    let folder = Folder()
    folder.write(Array(Self.subRip.utf8), to: "a.srt")
    try FilmFormatTests.clip(CodedPixels(.yuv444, bitDepth: 12, hasAlpha: true), in: folder)
    let start = ["import", "clip.mov", "--disparity", "maps/%04d.png", "--focus", "0.2", "-o"]
    try await works(start + ["movie.mov", "--codec", "prores-4444"], in: folder)
    let lost =
      "nut does not hold all of movie.mov: 12 bits become 10, 4:4:4 becomes 4:2:0, alpha is left out"
    for command in [
      "export movie.mov", "render movie.mov --disparity maps/%04d.png",
      "captions burn a.srt movie.mov",
    ] {
      let outcome = try await Program.shell(
        "focal \(command) -o - --format nut > a.nut", in: folder)
      #expect(outcome.code == 0 && outcome.errors.contains(lost), "\(command): \(outcome.errors)")
    }
    let jpeg = try await works(["export", "movie.mov", "-o", "%d.jpg"], in: folder)
    #expect(jpeg.errors.contains("%d.jpg does not hold all of movie.mov: 12 bits become 8"))
    let film = try await works(["export", "movie.mov", "-o", "film.mp4"], in: folder)
    #expect(film.errors.contains("film.mp4 does not hold all of movie.mov: alpha is left out"))
    let copy = try await works(
      ["import", "movie.mov", "--disparity", "maps/%04d.png", "-o", "again.mov"], in: folder)
    #expect(copy.output.contains("copied") && !copy.errors.contains("does not hold"))
    for name in ["%d.tif", "whole.mov"] {
      let codec = name.hasSuffix("mov") ? ["--codec", "ffv1"] : []
      let whole = try await works(["export", "movie.mov", "-o", name] + codec, in: folder)
      #expect(!whole.errors.contains("does not hold"), "\(whole.errors)")
    }
  }

  /// DPX gets the bits of a film, of which 10 are usual.
  @Test(arguments: [10, 12]) func depthOfDPX(_ depth: Int) async throws {
    let folder = Folder()
    try FilmFormatTests.clip(CodedPixels(.yuv422, bitDepth: depth), in: folder)
    let outcome = try await works(FilmFormatTests.render + ["-o", "%d.dpx"], in: folder)
    #expect(outcome.errors.contains("does not hold all of") == false, "\(outcome.errors)")
    let picture = try await FrameReader.open(folder.file("0.dpx")).properties
    #expect(picture.bitDepth == depth)
  }

  /// Photographs of more bits than the file has.
  @Test func photographs() async throws {
    let folder = Folder()
    try PictureWriter.write(
      Material.picture(Material.size, .rgbaFloat, tags: .sRGB), to: folder.file("in.png"))
    try PictureWriter.write(Material.map(), to: folder.file("map.png"))
    let render = ["render", "in.png", "--disparity", "map.png", "-o"]
    for (name, bits) in [("a.jpg", 8), ("a.heic", 10), ("a.avif", 12)] {
      let outcome = try await works(render + [name], in: folder)
      #expect(
        outcome.errors.contains("\(name) does not hold all of in.png: 16 bits become \(bits)"))
    }
    for ending in ["heic", "avif"] {
      let first = try await works(render + ["a.\(ending)", "--force"], in: folder)
      #expect(first.errors.contains("RGB becomes 4:2:0"), "\(first.errors)")
      let again = try await works(
        ["render", "a.\(ending)", "--disparity", "map.png", "-o", "b.\(ending)"], in: folder)
      #expect(!again.errors.contains("does not hold"), "\(again.errors)")
      let source = try await FrameReader.open(folder.file("a.\(ending)")).properties
      #expect(source.codedPixels?.chroma == .yuv420)
    }
    let film = try await works(render + ["film.mov"], in: folder)
    #expect(film.errors.contains("16 bits become 10, RGB becomes 4:2:0"), "\(film.errors)")
    for name in ["a.png", "a.tif", "a.exr"] {
      let outcome = try await works(render + [name], in: folder)
      #expect(!outcome.errors.contains("does not hold"), "\(outcome.errors)")
    }
  }

  /// Sound, companions, times and light where captions are drawn into a film.
  @Test func burnt() async throws {
    let folder = Folder()
    folder.write(Array(Self.subRip.utf8), to: "a.srt")
    folder.write(Material.wave(seconds: 0.2), to: "sound.wav")
    var companions = FilmCompanions()
    companions.timecode = Timecode("10:20:30:12", frameDuration: Time(value: 1, timescale: 30))
    companions.chapters = [Chapter(time: .zero, title: "Morning")]
    try Material.clip(
      "clip.mov", in: folder, times: [0, 1, 5].map { Time(value: $0, timescale: 30) },
      size: Dimensions(width: 144, height: 96), tags: .hlg,
      sound: try await AssetSound(Asset.named(folder.file("sound.wav"))), companions: companions)
    let burn = "focal captions burn a.srt clip.mov"
    let stream = try await Program.shell("\(burn) -o - > a.y4m", in: folder)
    #expect(stream.code == 0)
    for said in [
      "standard output does not keep the timecode, the chapters",
      "y4m is written without sound: that of clip.mov is left out", "y4m has one frame rate",
      "y4m does not say that the colours are bt2020 with hlg",
    ] {
      #expect(stream.errors.contains(said), "\(said): \(stream.errors)")
    }
    // Pictures in a pipe have no sound either.
    let pictures = try await Program.shell("\(burn) -o - --format png > all", in: folder)
    let silence = "png is written without sound: that of clip.mov is left out"
    #expect(pictures.code == 0 && pictures.errors.contains(silence), "\(pictures.errors)")
    // What y4m does not say is said of it, where the output states it.
    let assumed = "a.y4m does not say its colours, which are taken for smpte170m with bt709"
    let read = try await Program.shell("focal captions burn a.srt a.y4m -o b.mov", in: folder)
    #expect(read.code == 0 && read.errors.contains(assumed), "\(read.errors)")
    let passed = try await Program.shell(
      "focal captions burn a.srt a.y4m -o - --format nut > b.nut", in: folder)
    #expect(passed.code == 0 && !passed.errors.contains("its colours"), "\(passed.errors)")
    let film = try await Program.shell("\(burn) --codec h264 -o film.mp4", in: folder)
    #expect(film.errors.contains("the sound (pcm_s16le) is encoded as AAC"), "\(film.errors)")
    #expect(film.errors.contains("high dynamic range becomes standard: film.mp4 holds no more"))
    #expect(!film.errors.contains("does not keep"))
    let light = try Material.picture(
      Dimensions(width: 144, height: 96), .rgbaFloat, tags: .linearBT709)
    try PictureWriter.write(light, to: folder.file("0.exr"))
    try PictureWriter.write(light, to: folder.file("1.exr"))
    let cut = try await works(
      ["captions", "burn", "a.srt", "%d.exr", "-o", "out%d.png"], in: folder)
    #expect(cut.errors.contains("out%d.png holds no light above white"), "\(cut.errors)")
  }

  /// Times and the shape of pixels, which pictures do not say; OpenEXR says the shape.
  @Test func shapesAndTimes() async throws {
    let folder = Folder()
    var settings = WriterSettings(
      dimensions: Material.size, pixelFormat: .yuv420Video8, tags: .bt709)
    let shape = PixelAspectRatio(horizontal: 4, vertical: 3)
    settings.pixelAspectRatio = shape
    settings.timescale = 30
    settings.temporaryFiles = TemporaryFiles()
    let writer = try FrameWriter.create(folder.file("clip.mov"), settings: settings)
    for (time, length) in [(0, 1), (1, 4), (5, 1)] as [(Int64, Int64)] {
      try writer.append(
        Material.picture(Material.size, .yuv420Video8, tags: .bt709),
        time: Time(value: time, timescale: 30), duration: Time(value: length, timescale: 30))
    }
    try writer.finish()
    try Material.numberedMaps(3, in: folder)
    let render = FilmFormatTests.render + ["-o"]
    let pictures = try await works(render + ["%d.png"], in: folder)
    #expect(
      pictures.errors.contains("%d.png does not say that pixels are 4 wide and 3 high"),
      "\(pictures.errors)")
    #expect(pictures.errors.contains("the frames of clip.mov are not equally long"))
    let light = try await works(render + ["%d.exr"], in: folder)
    #expect(!light.errors.contains("4 wide"), "\(light.errors)")
    #expect(try await FrameReader.open(folder.file("0.exr")).properties.pixelAspectRatio == shape)
    let film = try await works(
      ["render", "%d.exr", "--disparity", "maps/%04d.png", "-o", "film.mov"], in: folder)
    #expect(!film.errors.contains("4 wide") && !film.errors.contains("equally"))
    let made = try await FrameReader.open(folder.file("film.mov")).properties
    #expect(made.pixelAspectRatio == shape)
    // A thumbnail says what an export of the same picture does.
    try await works(
      ["import", "clip.mov", "--disparity", "maps/%04d.png", "--focus", "0.2", "-o", "movie.mov"],
      in: folder)
    let thumbnail = ["thumbnail", "movie.mov", "--at", "0f", "-o"]
    let still = try await works(thumbnail + ["still.png"], in: folder)
    #expect(
      still.errors.contains("still.png does not say that pixels are 4 wide and 3 high"),
      "\(still.errors)")
    let bright = try await works(thumbnail + ["still.exr"], in: folder)
    #expect(!bright.errors.contains("4 wide"), "\(bright.errors)")
    let stored = try await FrameReader.open(folder.file("still.exr")).properties
    #expect(stored.pixelAspectRatio == shape)
  }

  /// A movie that is encoded in a codec of standard range gets its light as an export would.
  @Test func importedRange() async throws {
    let folder = Folder()
    try Material.clip(
      "clip.mov", in: folder, times: Material.steady(2), format: .yuv420Video10, tags: .hlg)
    try Material.numberedMaps(2, in: folder)
    let outcome = try await works(
      [
        "import", "clip.mov", "--disparity", "maps/%04d.png", "--codec", "h264", "--rate-factor",
        "0", "-o", "movie.mov",
      ], in: folder)
    #expect(outcome.errors.contains("high dynamic range becomes standard"), "\(outcome.errors)")
    try await works(
      [
        "render", "clip.mov", "--disparity", "maps/%04d.png", "--f-number", "inf", "--codec",
        "h264", "--rate-factor", "0", "-o", "film.mov",
      ], in: folder)
    let (movie, film) = (
      try await Material.frames(folder.file("movie.mov")),
      try await Material.frames(folder.file("film.mov"))
    )
    #expect(movie.properties.tags.transfer == .bt709)
    for (a, b) in zip(movie.frames, film.frames) {
      let differences = zip(a.pixelBuffer.codes(), b.pixelBuffer.codes()).map {
        abs(Int($0) - Int($1))
      }
      // The renderer dithers.
      #expect((differences.max() ?? 255) <= 1)
    }
  }
}
