// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import Foundation
import Testing

/// Pictures out of movies and movies out of pictures, as people see them.
@Suite struct PictureColorTests {
  private static let size = Dimensions(width: 448, height: 32)

  /// A movie of one frame without loss: gray from the luma code 64 at the left to 940, two codes a
  /// column. And its maps.
  private static func ramp(_ tags: ColorTags, in folder: Folder) async throws {
    var settings = WriterSettings(dimensions: size, pixelFormat: .yuv420Video10, tags: tags)
    settings.timescale = 30
    settings.encoderPreset = "ultrafast"
    settings.constantRateFactor = 0
    settings.temporaryFiles = TemporaryFiles()
    let writer = try FrameWriter.create(folder.file("clip.mov"), settings: settings)
    let picture = try PixelBuffer(dimensions: size, format: .yuv420Video10, tags: tags)
    for (index, plane) in picture.planes.enumerated() {
      picture.withUnsafeMutableBytes(ofPlane: index) { bytes in
        let codes = bytes.bindMemory(to: UInt16.self)
        for y in 0..<plane.dimensions.height {
          for x in 0..<(plane.bytesPerRow / 2) {
            codes[y * plane.bytesPerRow / 2 + x] =
              (index == 0 ? code(column: x) : 512) << 6
          }
        }
      }
    }
    for time in Material.steady(2) {
      try writer.append(picture, time: time, duration: Time(value: 1, timescale: 30))
    }
    try writer.finish()
    folder.make("maps")
    try PictureWriter.write(Material.map(size), to: folder.file("maps/0000.png"))
    Material.link("maps/0000.png", "maps/0001.png", in: folder)
    try await works(
      ["import", "clip.mov", "--disparity", "maps/%04d.png", "-o", "movie.mov"], in: folder)
  }

  private static func code(column: Int) -> UInt16 { UInt16(min(64 + 2 * column, 940)) }

  /// The first row of a gray picture, 0 to 1 by component.
  private static func row(_ path: String) async throws -> [SIMD4<Float>] {
    let frame = try #require(try await Material.frames(path).frames.first).pixelBuffer
    var tags = frame.tags
    tags.transfer = .linear
    let codes = try frame.tagged(tags).linearRGBA()
    return codes.withUnsafeBytes { bytes in
      (0..<codes.width).map { bytes.load(fromByteOffset: 16 * $0, as: SIMD4<Float>.self) }
    }
  }

  /// The sRGB code of a code of a gray HLG or PQ ramp, in double precision.
  private static func expected(_ code: UInt16, _ tags: ColorTags) throws -> Double {
    let signal = (Double(code) - 64) / 876
    var light: Double
    if tags.transfer == .hlg {
      let scene =
        signal <= 0.5
        ? signal * signal / 3 : (exp((signal - 0.55991073) / 0.17883277) + 0.28466892) / 12
      light = pow(scene / 0.26496256, 1.2)
    } else {
      let power = pow(signal, 32.0 / 2523)
      light =
        pow(max(power - 0.8359375, 0) / (18.8515625 - 18.6875 * power), 8192.0 / 1305) * 10000 / 203
    }
    let mapping = try #require(ToneMapping(from: tags, to: .sRGB))
    if light > 0.55 {
      let peak = Double(mapping.peak)
      let (t, whitePoint) = ((light - 0.55) / 0.45, (peak - 0.55) / 0.45)
      light =
        light >= peak ? 1 : 0.55 + 0.45 * t * (1 + t / (whitePoint * whitePoint)) / (1 + t)
    }
    return light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055
  }

  /// Every code above black is brighter than the one before, up to the peak, and is what the formulas say.
  @Test(arguments: [ColorTags.hlg, .pq])
  func highDynamicRange(_ tags: ColorTags) async throws {
    let folder = Folder()
    try await Self.ramp(tags, in: folder)
    try await works(
      ["thumbnail", "movie.mov", "--at", "0", "--f-number", "inf", "-o", "t.png"], in: folder)
    try await works(
      [
        "render", "clip.mov", "--disparity", "maps/%04d.png", "--f-number", "inf", "--frames",
        "0-0",
        "-o", "r.png", "--before-after", "b.png",
      ], in: folder)
    #expect(try await Material.frames(folder.file("t.png")).properties.bitDepth == 16)
    #expect(folder.read("t.png") == folder.read("r.png"))
    let row = try await Self.row(folder.file("t.png"))
    let sides = try await Self.row(folder.file("b.png"))
    var last = -1.0
    // One column of the brightest code is enough.
    for x in 0..<Self.size.width where x == 0 || Self.code(column: x - 1) < 940 {
      let (code, value) = (Self.code(column: x), row[x])
      let expected = try Self.expected(code, tags)
      // 16 bits, and light of single precision on the way.
      #expect(abs(Double(value.y) - expected) < 5e-5, "\(code)")
      #expect(max(abs(value.x - value.y), abs(value.z - value.y)) < 5e-5)
      // PQ ends at its peak of 1000 cd/m²; HLG with its last code.
      #expect(Double(value.y) > last || expected > 1 - 1e-9 || expected == 0, "\(code)")
      last = Double(value.y)
      // Eight bits with their dither, sharp and rendered: both the same picture. The line between is white.
      let isLine = abs(x - Self.size.width / 2) <= 1
      #expect(isLine || abs(Double(sides[x].y) - expected) < 1.01 / 255, "\(code)")
    }
    #expect(last == 1)
  }

  /// Light of a picture without codes ends at white where the output is one of codes, and that is said.
  @Test func lightAboveWhite() async throws {
    let folder = Folder()
    try PictureWriter.write(
      Material.picture(Material.size, .rgbaFloat, tags: .linearBT709), to: folder.file("in.exr"))
    try PictureWriter.write(Material.map(), to: folder.file("map.png"))
    for (name, says) in [
      ("a.png", true), ("a.jpg", true), ("a.dpx", true), ("a.mov", true), ("a.exr", false),
      ("a.pfm", false),
    ] {
      let outcome = try await works(
        ["render", "in.exr", "--disparity", "map.png", "-o", name], in: folder)
      #expect(outcome.errors.contains("no light above white") == says, "\(outcome.errors)")
    }
  }

  /// H.264 has standard range: the codes of the picture, in the movie's own range of codes.
  @Test func highDynamicRangeInH264() async throws {
    let folder = Folder()
    try await Self.ramp(.hlg, in: folder)
    let outcome = try await works(
      ["export", "movie.mov", "--f-number", "inf", "--preset", "h264-1080p", "-o", "film.mp4"],
      in: folder)
    #expect(outcome.errors.contains("high dynamic range becomes standard"))
    let json = try await works(
      ["export", "movie.mov", "--codec", "h264", "-o", "film2.mp4", "--json"], in: folder)
    #expect(try json.objects().last?["isToneMapped"] as? Bool == true)
    let film = try await Material.frames(folder.file("film.mp4"))
    #expect(film.properties.tags == .bt709 && film.properties.pixelFormat == .yuv420Video8)
    let luma = try #require(film.frames.first).pixelBuffer.codes()
    var worst = 0.0
    for x in 0..<Self.size.width {
      let code = try 16 + 219 * Self.expected(Self.code(column: x), .hlg)
      worst = max(worst, abs(Double(luma[16 * Self.size.width + x]) - code))
    }
    // Dither, rounding and the encoder's loss at a factor of 18.
    #expect(worst < 4)
    // A thumbnail of the film is one of the movie.
    try await works(
      ["render", "film.mp4", "--disparity", "maps/%04d.png", "--f-number", "inf", "-o", "f%d.png"],
      in: folder)
    let row = try await Self.row(folder.file("f0.png"))
    for x in 0..<Self.size.width {
      let expected = try Self.expected(Self.code(column: x), .hlg)
      #expect(abs(Double(row[x].y) - expected) < 6.0 / 255)
    }
  }

  /// Patches of colour through a Cinematic movie and back, and through a film: the same codes.
  @Test func picturesThroughMovies() async throws {
    let folder = Folder()
    let size = Dimensions(width: 256, height: 64)
    let source = try PixelBuffer(dimensions: size, format: .rgba8, tags: .sRGB)
    source.withUnsafeMutableBytes { bytes in
      for y in 0..<size.height {
        for x in 0..<size.width {
          let level = x / 16 * 17
          // Gray, and colours around it.
          let shift = y / 16 * 12
          for (channel, value) in [level, max(level - shift, 0), min(level + shift, 255), 255]
            .enumerated()
          {
            bytes[y * source.planes[0].bytesPerRow + 4 * x + channel] = UInt8(value)
          }
        }
      }
    }
    folder.make("in")
    folder.make("maps")
    for number in 0..<2 {
      try PictureWriter.write(source, to: folder.file("in/000\(number).png"))
      try PictureWriter.write(Material.map(size), to: folder.file("maps/000\(number).png"))
    }
    try await works(
      ["import", "in/%04d.png", "--disparity", "maps/%04d.png", "-o", "movie.mov"], in: folder)
    try await works(
      [
        "render", "in/%04d.png", "--disparity", "maps/%04d.png", "--f-number", "inf", "-o",
        "film.mp4",
      ], in: folder)
    for name in ["movie.mov", "film.mp4"] {
      #expect(
        try await FrameReader.open(folder.file(name)).properties.colorCodes == ColorCodes(.bt709))
      try await works(
        [
          "render", name, "--disparity", "maps/%04d.png", "--f-number", "inf", "--frames", "0-0",
          "-o", "\(name).png",
        ], in: folder)
      let codes = try #require(
        try await Material.frames(folder.file("\(name).png")).frames.first
      ).pixelBuffer
      #expect(codes.tags == .sRGB)
      let differences = Self.patches(codes, source)
      // 219 steps of luma and 224 of chroma for 255 of each colour, rounded twice, and what the encoder
      // loses of a flat patch. Another curve would shift dark grays by 20 codes.
      #expect(differences.max()! <= 4, "\(name)")
      #expect(differences.reduce(0, +) / Double(differences.count) < 1.2, "\(name)")
    }
    try await works(
      ["thumbnail", "movie.mov", "--at", "0", "--f-number", "inf", "-o", "t.png"], in: folder)
    #expect(folder.read("t.png") == folder.read("movie.mov.png"))
    // Viewers are told that the codes are sRGB's, not a camera's.
    #expect(folder.read("t.png").firstRange(of: Array("sRGB".utf8)) != nil)
    // Codes of a picture and of the movie that it became compare as equal as they look.
    let row = try await works(["compare", "film.mp4", "in/%04d.png", "--json"], in: folder)
      .objects()
    #expect((row.first?["psnr"] as? Double) ?? 0 > 34)
  }

  /// The mean difference in the middle of each patch of 16 pixels, by component, without its sign.
  private static func patches(_ a: PixelBuffer, _ b: PixelBuffer) -> [Double] {
    let (first, second) = (a.codes(), b.codes())
    let channels = first.count / a.dimensions.count
    var result: [Double] = []
    for top in stride(from: 4, to: a.height, by: 16) {
      for left in stride(from: 4, to: a.width, by: 16) {
        for channel in 0..<3 {
          var sum = 0
          for y in top..<(top + 8) {
            for x in left..<(left + 8) {
              sum +=
                Int(first[(y * a.width + x) * channels + channel])
                - Int(second[(y * a.width + x) * 4 + channel])
            }
          }
          result.append(abs(Double(sum)) / 64)
        }
      }
    }
    return result
  }
}
