// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore
import FocalMedia
import MovieKit
import Testing

@Suite struct DisparityTests {
  static func first(_ path: String, _ scale: DisparityScale = .unit) async throws -> [Float] {
    let frame = try #require(
      try await frames(path, ReadOptions(content: .disparity(scale))).first)
    #expect(frame.pixelBuffer.format == .disparityFloat)
    return frame.pixelBuffer.values(Float.self)
  }

  @Test(arguments: ["png", "tif"], [PixelFormat.gray8, .gray16])
  func codesFillTheRange(_ ending: String, format: PixelFormat) async throws {
    let folder = ScratchFolder()
    let map = try Scene.noise(17, 5, format)
    try PictureWriter.write(map, to: folder.file("a.\(ending)"))
    let codes: [Float] =
      format == .gray8
      ? map.values(UInt8.self).map { Float($0) / 255 }
      : map.values(UInt16.self).map { Float($0) / 65535 }
    #expect(try await Self.first(folder.file("a.\(ending)")) == codes)
    let reversed = try await Self.first(
      folder.file("a.\(ending)"), DisparityScale(low: 2, high: -1))
    #expect(reversed == codes.map { 2 + -3 * $0 })
  }

  /// Gray saved in colour is gray: exactly the code, no rounding by weights.
  @Test func grayInColour() async throws {
    let folder = ScratchFolder()
    let map = try PixelBuffer(dimensions: Dimensions(width: 256, height: 1), format: .rgba8)
    Scene.fill(map) { _, component, x, _ in component == 3 ? 1 : x }
    try PictureWriter.write(map, to: folder.file("a.png"))
    #expect(
      try await Self.first(folder.file("a.png"))
        == stride(from: 0, to: 1024, by: 4).map { Float(map.packedBytes()[$0]) / 255 })
  }

  /// Float files keep their values, whatever the range asked for; depth becomes its reciprocal.
  @Test(arguments: ["pfm", "exr"])
  func floats(_ ending: String) async throws {
    let folder = ScratchFolder()
    let map = try PixelBuffer(
      dimensions: Dimensions(width: 6, height: 1), format: .disparityFloat, tags: .linearBT709)
    let values: [Float] = [0.25, 7.5, 0, -3, .infinity, .nan]
    map.withUnsafeMutableBytes { $0.copyBytes(from: values.withUnsafeBytes { Array($0) }) }
    try PictureWriter.write(map, to: folder.file("a.\(ending)"))
    let read = try await Self.first(folder.file("a.\(ending)"), DisparityScale(low: 5, high: 9))
    #expect(read.prefix(5) == values.prefix(5))
    #expect(read[5].isNaN)
    let depth = try await Self.first(
      folder.file("a.\(ending)"), DisparityScale(low: 0, high: 1, kind: .depth))
    #expect(depth.prefix(2) == [4, 1 / 7.5])
    // Where nothing was hit, depth is infinite.
    #expect(depth[4] == 0)
    for index in [2, 3, 5] { #expect(depth[index].isNaN, "\(index)") }
  }

  /// Gray movies keep all their bits and are full range, also where HEVC marks them otherwise.
  @Test(arguments: [
    ("ffv1", AV_PIX_FMT_GRAY8, 255), ("ffv1", AV_PIX_FMT_GRAY16LE, 65535),
    ("libx265", AV_PIX_FMT_GRAY12LE, 4095),
  ])
  func grayMovies(_ codec: String, format: AVPixelFormat, maximum: Int) async throws {
    try #require(TestClip.hasEncoder(codec))
    let folder = ScratchFolder()
    let size = Dimensions(width: 64, height: 64)
    let clip = TestClip(
      codec: codec, format: format, size: size, frameCount: 3,
      options: codec == "libx265" ? ["x265-params": "lossless=1:log-level=none"] : [:]
    ) { frame, _, x, y in (frame * 301 + x * 1021 + y * 77) % (maximum + 1) }
    try clip.write(to: folder.file("a.mkv"))
    let all = try await frames(
      folder.file("a.mkv"), ReadOptions(content: .disparity(.unit)))
    #expect(all.count == 3)
    for frame in all {
      let values = frame.pixelBuffer.values(Float.self)
      for (x, y) in [(0, 0), (63, 0), (13, 57), (63, 63)] {
        #expect(
          values[y * 64 + x] == Float(clip.value(frame.index, 0, x, y)) / Float(maximum))
      }
    }
  }

  /// Luma of video range: 16 is LO and 235 HI; of full range 0 and 255.
  @Test func lumaRanges() async throws {
    let folder = ScratchFolder()
    var clip = TestClip(
      codec: "ffv1", format: AV_PIX_FMT_YUV420P, size: Dimensions(width: 16, height: 16),
      frameCount: 1
    ) { _, plane, x, _ in plane == 0 ? [16, 235, 126, 0][x % 4] : 128 }
    try clip.write(to: folder.file("video.mkv"))
    let video = try await Self.first(folder.file("video.mkv"), DisparityScale(low: 1, high: 3))
    #expect(abs(video[0] - 1) < 1e-6 && abs(video[1] - 3) < 1e-6)
    #expect(abs(video[2] - (1 + 2 * Float(110) / 219)) < 1e-6)
    clip.range = AVCOL_RANGE_JPEG
    try clip.write(to: folder.file("full.mkv"))
    let full = try await Self.first(folder.file("full.mkv"))
    #expect(full[3] == 0 && full[0] == Float(16) / 255)
  }

  @Test func rangesWithoutExtent() async throws {
    let folder = ScratchFolder()
    try PictureWriter.write(Scene.noise(4, 4, .gray8), to: folder.file("a.png"))
    for (low, high) in [(1, 1), (Float.nan, 1), (0, Float.infinity)] {
      let options = ReadOptions(content: .disparity(DisparityScale(low: low, high: high)))
      #expect(await BadInputTests.reading(folder.file("a.png"), options)?.code == .invalidParameter)
    }
  }

  /// Frames that a clip lacks have no map, however frames and maps belong together, and ask for none.
  @Test(arguments: [DisparityMatcher.Pairing.fileNumber, .frameNumber, .order])
  func framesThatTheClipLacks(_ pairing: DisparityMatcher.Pairing) async throws {
    let folder = ScratchFolder()
    let picture = try Scene.smooth(32, 32, .rgba8, tags: .sRGB)
    let map = try Scene.noise(32, 32, .gray8)
    for number in 0..<3 {
      try PictureWriter.write(
        picture, to: folder.file("f\(number + 5).png"), temporaryFiles: folder.temporaryFiles)
      let mapNumber = pairing == .fileNumber ? number + 5 : number
      try PictureWriter.write(
        map, to: folder.file("m\(mapNumber).png"), temporaryFiles: folder.temporaryFiles)
    }
    var settings = WriterSettings(
      dimensions: picture.dimensions, pixelFormat: .rgba8, tags: .sRGB)
    settings.temporaryFiles = folder.temporaryFiles
    settings.encoderPreset = "ultrafast"
    let film = try FrameWriter.create(folder.file("f.mp4"), settings: settings)
    for number in 0..<3 {
      try film.append(
        picture, time: Time(value: Int64(number), timescale: 30),
        duration: Time(value: 1, timescale: 30))
    }
    try film.finish()
    let name = pairing == .fileNumber ? "f%d.png" : "f.mp4"
    let clip = try await FrameReader.open(folder.file(name))
    let maps = try await FrameReader.open(
      folder.file("m%d.png"), options: ReadOptions(content: .disparity(.unit)))
    let matcher = try DisparityMatcher(maps, for: clip, countsFrames: pairing == .frameNumber)
    #expect(matcher.pairing == pairing)
    func place(_ index: Int) -> FramePlace {
      FramePlace(index: index, time: .zero, duration: Time(value: 1, timescale: 30))
    }
    for index in 0..<3 {
      #expect(matcher.hasMap(for: place(index)))
      _ = try await matcher.map(for: place(index))
    }
    for index in [Int.min, -1, 3, 7, .max] {
      #expect(!matcher.hasMap(for: place(index)), "\(index)")
      let checked = failure { () throws(CinematicError) in try matcher.check(place(index)) }
      let read = await failure { () async throws(CinematicError) in
        _ = try await matcher.map(for: place(index))
      }
      for error in [checked, read] {
        #expect(error?.code == .incomplete, "\(index)")
        #expect(error?.message.contains("no frame \(index)") == true)
      }
      #expect(clip.fileNumber(ofFrame: index) == index)
    }
  }

  /// A map of the shape in which a turned picture is stored lies as its pixels lie, mirrored ones included; one of the
  /// shape that is shown lies as the picture is shown.
  @Test(arguments: 5...8) func mapsOfTurnedPictures(_ orientation: Int) async throws {
    let folder = ScratchFolder()
    try PictureWriter.write(
      Scene.smooth(8, 4, .rgba8, tags: .sRGB), to: folder.file("plain.jpg"),
      temporaryFiles: folder.temporaryFiles)
    folder.write(turnedJPEG(folder.read("plain.jpg"), to: orientation), to: "a.jpg")
    let picture = try await FrameReader.open(folder.file("a.jpg"))
    let strips = try #require(try PictureStripReader.open(folder.file("a.jpg")))
    let isMirrored = orientation == 5 || orientation == 7
    #expect(picture.properties.isMirrored == isMirrored)
    let stored = try Scene.noise(8, 4, .gray8)
    try PictureWriter.write(
      stored, to: folder.file("stored.png"), temporaryFiles: folder.temporaryFiles)
    let shown = try stored.turnedPixels(by: picture.properties.preferredTransform)
    try PictureWriter.write(
      shown, to: folder.file("shown.png"), temporaryFiles: folder.temporaryFiles)
    for name in ["stored", "shown"] {
      let options = ReadOptions(content: .disparity(.unit))
      let maps = try await FrameReader.open(folder.file("\(name).png"), options: options)
      let matcher = try DisparityMatcher(maps, for: picture)
      let place = FramePlace(index: 0, time: .zero, duration: Time(value: 1, timescale: 30))
      let map = try await matcher.map(for: place)
      let values = stored.values(UInt8.self).map { Float($0) / 255 }
      let wanted = stride(from: 0, to: values.count, by: 8).flatMap { row in
        let codes = values[row..<row + 8]
        return isMirrored && name == "stored" ? codes.reversed() : Array(codes)
      }
      #expect(map.values(Float.self) == wanted, "\(name)")
      let ofStrips = try await DisparityMatcher.map(
        maps, for: strips.properties, named: "a.jpg", stretches: false)
      #expect(ofStrips.values(Float.self) == wanted, "\(name)")
    }
  }
}
