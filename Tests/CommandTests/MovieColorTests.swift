// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import Foundation
import Testing

/// Colours on the way through a Cinematic movie.
@Suite struct MovieColorTests {
  /// Ten bits of HLG and PQ come out as such, and a picture without blur keeps its codes as far as
  /// the codec does.
  @Test(arguments: [ColorTags.hlg, .pq])
  func highDynamicRange(_ tags: ColorTags) async throws {
    let folder = Folder()
    try Material.clip(
      "clip.mov", in: folder, times: Material.steady(6), format: .yuv420Video10, tags: tags)
    try Material.numberedMaps(6, in: folder)
    let source = try await Material.frames(folder.file("clip.mov"))
    #expect(source.properties.tags == tags)
    try await works(
      ["import", "clip.mov", "--disparity", "maps/%04d.png", "--focus", "0.5", "-o", "movie.mov"],
      in: folder)
    let movie = try await Material.frames(folder.file("movie.mov"))
    #expect(movie.properties.tags == tags)
    #expect(movie.properties.colorCodes == source.properties.colorCodes)
    for (a, b) in zip(movie.frames, source.frames) {
      #expect(a.pixelBuffer.codes() == b.pixelBuffer.codes())
      #expect(a.pixelBuffer.codes(ofPlane: 1) == b.pixelBuffer.codes(ofPlane: 1))
    }
    try await works(
      ["export", "movie.mov", "--f-number", "inf", "-o", "film.mov"], in: folder)
    let film = try await Material.frames(folder.file("film.mov"))
    #expect(film.properties.tags == tags)
    #expect(film.properties.colorCodes == source.properties.colorCodes)
    #expect(film.frames.map(\.time) == source.frames.map(\.time))
    for (a, b) in zip(film.frames, source.frames) {
      let pairs = zip(Self.luma(a.pixelBuffer), Self.luma(b.pixelBuffer))
      let square = pairs.reduce(0.0) { $0 + pow(Double($1.0) - Double($1.1), 2) }
      // Two lossy encodings: 40 dB of 1023 codes.
      #expect((square / Double(Material.size.width * Material.size.height)).squareRoot() < 10.23)
    }
  }

  /// Two frames without loss whose file says a curve.
  private static func film(
    _ name: String, _ pixels: CodedPixels, curve: UInt32, primaries: UInt32 = 1, in folder: Folder
  ) throws {
    var settings = WriterSettings(
      dimensions: Material.size, pixelFormat: .rgbaFloat, tags: .sRGB)
    settings.codec = .ffv1
    settings.codedPixels = pixels
    settings.colorCodes = ColorCodes(primaries: primaries, transfer: curve, matrix: 1)
    settings.timescale = 30
    let writer = try FrameWriter.create(folder.file(name), settings: settings)
    for time in Material.steady(2) {
      try writer.append(
        Material.picture(Material.size, .rgbaFloat), time: time,
        duration: Time(value: 1, timescale: 30))
    }
    try writer.finish()
  }

  /// What says sRGB says it afterwards, red, green and blue as luma and chroma.
  @Test(arguments: [CodedPixels.Chroma.rgb, .yuv444]) func statedCurve(
    _ chroma: CodedPixels.Chroma
  ) async throws {
    let folder = Folder()
    try Material.numberedMaps(2, in: folder)
    let pixels = CodedPixels(chroma, bitDepth: 10, isFullRange: chroma == .rgb)
    try Self.film("clip.mov", pixels, curve: 13, in: folder)
    let maps = ["--disparity", "maps/%04d.png", "--focus", "0.5"]
    let runs: [(command: String, options: [String], name: String)] = [
      ("render clip.mov --codec ffv1", maps, "a.mov"), ("render clip.mov", maps, "b.mp4"),
      ("import clip.mov", maps, "movie.mov"), ("export movie.mov", [], "c.mov"),
    ]
    for (command, options, name) in runs {
      let words = command.split(separator: " ").map(String.init)
      let outcome = try await works(words + options + ["-o", name], in: folder)
      #expect(!outcome.errors.contains("linear"), "\(outcome.errors)")
      #expect(
        outcome.output.contains("encoded (its codec is none that is copied)")
          == (name == "movie.mov"), "\(outcome.output)")
      let made = try await FrameReader.open(folder.file(name)).properties
      #expect(made.colorCodes.transfer == 13 && made.tags.transfer == .srgb, "\(name)")
    }
  }

  /// Linear light becomes codes, and it is said.
  @Test func linearFilm() async throws {
    let folder = Folder()
    try Material.numberedMaps(2, in: folder)
    try Self.film("clip.mov", CodedPixels(.yuv444, bitDepth: 10), curve: 8, in: folder)
    let render = ["render", "clip.mov", "--disparity", "maps/%04d.png", "--focus", "0.5", "-o"]
    let film = try await works(render + ["film.mov"], in: folder)
    #expect(
      film.errors.contains("clip.mov is linear light, which film.mov does not hold"),
      "\(film.errors)")
    let light = try await works(render + ["%d.exr"], in: folder)
    #expect(!light.errors.contains("linear light"), "\(light.errors)")
  }

  /// What a table makes is of BT.709's colours, whatever the clip says.
  @Test func coloursOfATable() async throws {
    let folder = Folder()
    try Material.numberedMaps(2, in: folder)
    try Self.film(
      "clip.mov", CodedPixels(.yuv444, bitDepth: 10), curve: 1, primaries: 9, in: folder)
    let corners = (0..<8).map { "\($0 & 1) \($0 >> 1 & 1) \($0 >> 2)" }
    folder.write(
      Array((["LUT_3D_SIZE 2"] + corners).joined(separator: "\n").utf8), to: "same.cube")
    try await works(
      [
        "render", "clip.mov", "--disparity", "maps/%04d.png", "--focus", "0.5", "--lut",
        "same.cube", "-o", "film.mov",
      ], in: folder)
    let made = try await FrameReader.open(folder.file("film.mov")).properties
    #expect(made.tags.primaries == .bt709 && made.colorCodes.primaries == 1)
  }

  /// Ten bits of HLG, half of them in focus, through an export without loss: codes in focus are within
  /// one of the source's, and what else is said stays, also with the encoder's usual loss.
  @Test func sharpAreasKeepTheirCodes() async throws {
    let folder = Folder()
    let hdr = HDRMetadata(
      masteringDisplay: .init(
        red: .init(x: 35400, y: 14600), green: .init(x: 8500, y: 39850),
        blue: .init(x: 6550, y: 2300), white: .init(x: 15635, y: 16450),
        maximumLuminance: 10_000_000, minimumLuminance: 50),
      contentLight: .init(maximum: 1000, maximumFrameAverage: 400))
    try Self.clip("clip.mov", in: folder, rate: 0, hdr)
    try Self.halves(4, in: folder)
    try await works(
      [
        "import", "clip.mov", "--disparity", "maps/%04d.png", "--focus", "0.25", "--f-number", "1",
        "-o", "movie.mov",
      ], in: folder)
    let source = try await Material.frames(folder.file("movie.mov"))
    #expect(source.properties.hdrMetadata == hdr)
    try await works(
      ["export", "movie.mov", "-o", "exact.mov", "--preset", "hevc-lossless"], in: folder)
    let exact = try await Material.frames(folder.file("exact.mov"))
    #expect(exact.properties.tags == .hlg)
    #expect(exact.properties.colorCodes == source.properties.colorCodes)
    #expect(exact.properties.hdrMetadata == hdr)
    for (a, b) in zip(exact.frames, source.frames) {
      // The map's ten bits lie up to half a step beside the focus, which
      // is a circle of a twentieth of a pixel.
      #expect(Self.worst(a.pixelBuffer, b.pixelBuffer, columns: 0..<Self.sharpColumns) <= 1)
      // And the other half is blurred.
      #expect(
        Self.worst(a.pixelBuffer, b.pixelBuffer, columns: Self.size.width / 2..<Self.size.width)
          > 16)
    }
    try await works(["export", "movie.mov", "-o", "film.mov"], in: folder)
    let film = try await Material.frames(folder.file("film.mov"))
    #expect(film.properties.tags == .hlg)
    #expect(film.properties.colorCodes == source.properties.colorCodes)
    #expect(film.properties.hdrMetadata == hdr)
    #expect(film.frames.count == source.frames.count)
  }

  private static let size = Dimensions(width: 128, height: 72)
  /// As far from the blurred half as its circles reach.
  private static let sharpColumns = 40

  /// Noise of ten bits.
  private static func clip(
    _ name: String, in folder: Folder, rate: Double, _ hdr: HDRMetadata
  ) throws {
    var settings = WriterSettings(dimensions: size, pixelFormat: .yuv420Video10, tags: .hlg)
    settings.timescale = 30
    settings.encoderPreset = "ultrafast"
    settings.constantRateFactor = rate
    settings.hdrMetadata = hdr
    settings.temporaryFiles = TemporaryFiles()
    let writer = try FrameWriter.create(folder.file(name), settings: settings)
    for (number, time) in Material.steady(4).enumerated() {
      let picture = try PixelBuffer(dimensions: size, format: .yuv420Video10, tags: .hlg)
      var state = UInt32(number + 1)
      for (index, plane) in picture.planes.enumerated() {
        picture.withUnsafeMutableBytes(ofPlane: index) { bytes in
          for place in stride(from: 0, to: plane.byteCount, by: 2) {
            state = state &* 1_664_525 &+ 1_013_904_223
            // Colours that exist, from dark to light.
            let code = index == 0 ? 300 + (state >> 16) % 400 : 482 + (state >> 16) % 61
            bytes.storeBytes(of: UInt16(code) << 6, toByteOffset: place, as: UInt16.self)
          }
        }
      }
      try writer.append(picture, time: time, duration: Time(value: 1, timescale: 30))
    }
    try writer.finish()
  }

  /// Maps of the picture's size: a quarter at the left, far nearer at the right.
  private static func halves(_ count: Int, in folder: Folder) throws {
    folder.make("maps")
    let map = try PixelBuffer(dimensions: size, format: .gray16, tags: .linearBT709)
    map.withUnsafeMutableBytes { bytes in
      for y in 0..<size.height {
        for x in 0..<size.width {
          // A quarter of 65535 steps is a whole code of ten bits, too, but for its rounding.
          bytes.storeBytes(
            of: x < size.width / 2 ? UInt16(16384) : 60000,
            toByteOffset: y * map.planes[0].bytesPerRow + 2 * x, as: UInt16.self)
        }
      }
    }
    for number in 0..<count {
      try PictureWriter.write(map, to: folder.file(String(format: "maps/%04d.png", number)))
    }
  }

  /// The largest difference of luma and chroma codes in some columns.
  private static func worst(_ a: PixelBuffer, _ b: PixelBuffer, columns: Range<Int>) -> Int {
    var worst = 0
    for plane in 0...1 {
      let layout = a.planes[plane]
      // Chroma has half the columns, two codes each.
      let (first, second) = (a.codes(ofPlane: plane), b.codes(ofPlane: plane))
      let width = layout.dimensions.width * layout.bytesPerElement
      for y in 0..<layout.dimensions.height {
        for x in columns {
          let place = y * width + 2 * x
          func code(_ bytes: [UInt8]) -> Int {
            Int(UInt16(bytes[place]) | UInt16(bytes[place + 1]) << 8) >> 6
          }
          worst = max(worst, abs(code(first) - code(second)))
        }
      }
    }
    return worst
  }

  private static func luma(_ buffer: PixelBuffer) -> [UInt16] {
    buffer.codes().withUnsafeBytes { bytes in
      bytes.bindMemory(to: UInt16.self).map { $0 >> 6 }
    }
  }
}
