// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore
import MovieKit
import Testing

@testable import FocalMedia

@Suite struct ClipReadingTests {
  /// Lossless FFV1 with a different code in every place.
  func clip(_ format: AVPixelFormat, _ size: Dimensions, maximum: Int) -> TestClip {
    TestClip(codec: "ffv1", format: format, size: size) { frame, plane, x, y in
      (frame * 37 + plane * 91 + x * 7 + y * 13) % (maximum + 1)
    }
  }

  @Test(arguments: [Dimensions(width: 16, height: 8), Dimensions(width: 17, height: 9)])
  func eightBitPlanesKeepTheirCodes(_ size: Dimensions) async throws {
    let folder = ScratchFolder()
    let clip = clip(AV_PIX_FMT_YUV420P, size, maximum: 255)
    try clip.write(to: folder.file("a.mkv"))
    let all = try await frames(folder.file("a.mkv"))
    #expect(all.count == 5)
    for frame in all {
      let buffer = frame.pixelBuffer
      #expect(buffer.format == .yuv420Video8)
      #expect(buffer.dimensions == size)
      #expect(
        buffer.packedBytes(ofPlane: 0)
          == plane(size) { UInt8(clip.value(frame.index, 0, $0, $1)) })
      let half = Dimensions(width: (size.width + 1) / 2, height: (size.height + 1) / 2)
      let chroma = buffer.packedBytes(ofPlane: 1)
      let blue = plane(half) { UInt8(clip.value(frame.index, 1, $0, $1)) }
      let red = plane(half) { UInt8(clip.value(frame.index, 2, $0, $1)) }
      #expect(chroma == zip(blue, red).flatMap { [$0, $1] })
    }
  }

  @Test(arguments: [Dimensions(width: 16, height: 8), Dimensions(width: 17, height: 9)])
  func tenBitPlanesKeepTheirCodes(_ size: Dimensions) async throws {
    let folder = ScratchFolder()
    let clip = clip(AV_PIX_FMT_YUV420P10LE, size, maximum: 1023)
    try clip.write(to: folder.file("a.mkv"))
    let all = try await frames(folder.file("a.mkv"))
    for frame in all {
      #expect(frame.pixelBuffer.format == .yuv420Video10)
      let luma = frame.pixelBuffer.values(UInt16.self)
      #expect(luma == plane(size) { UInt16(clip.value(frame.index, 0, $0, $1)) << 6 })
      let half = Dimensions(width: (size.width + 1) / 2, height: (size.height + 1) / 2)
      let blue = plane(half) { UInt16(clip.value(frame.index, 1, $0, $1)) << 6 }
      let red = plane(half) { UInt16(clip.value(frame.index, 2, $0, $1)) << 6 }
      #expect(
        frame.pixelBuffer.values(UInt16.self, ofPlane: 1) == zip(blue, red).flatMap { [$0, $1] })
    }
  }

  @Test func fullRangeIsKept() async throws {
    let folder = ScratchFolder()
    var clip = clip(AV_PIX_FMT_YUV420P, Dimensions(width: 16, height: 16), maximum: 255)
    clip.range = AVCOL_RANGE_JPEG
    try clip.write(to: folder.file("a.mkv"))
    #expect(try await FrameReader.open(folder.file("a.mkv")).properties.pixelFormat == .yuv420Full8)
  }

  @Test func redGreenBlueMovies() async throws {
    let folder = ScratchFolder()
    let size = Dimensions(width: 9, height: 7)
    // Planes of GBR: green, blue, red.
    let clip = clip(AV_PIX_FMT_GBRP10LE, size, maximum: 1023)
    try clip.write(to: folder.file("a.mkv"))
    let buffer = try #require(try await frames(folder.file("a.mkv")).first).pixelBuffer
    #expect(buffer.format == .rgbaFloat)
    let values = buffer.values(Float.self)
    #expect(values[4 * 5 + 0] == Float(clip.value(0, 2, 5, 0)) / 1023)
    #expect(values[4 * 5 + 1] == Float(clip.value(0, 0, 5, 0)) / 1023)
    #expect(values[4 * 5 + 2] == Float(clip.value(0, 1, 5, 0)) / 1023)
    #expect(values[4 * 5 + 3] == 1)
  }

  @Test func variableFrameTimesAreExact() async throws {
    let folder = ScratchFolder()
    let times: [Int64] = [0, 40, 50, 133, 900]
    var clip = clip(AV_PIX_FMT_YUV420P, Dimensions(width: 16, height: 16), maximum: 255)
    clip.timeBase = AVRational(num: 1, den: 1000)
    clip.ticks = { times[$0] }
    try clip.write(to: folder.file("a.mkv"))
    let reader = try await FrameReader.open(folder.file("a.mkv"))
    #expect(reader.properties.timescale == 1000)
    var read: [MediaFrame] = []
    while let frame = try await reader.next() { read.append(frame) }
    #expect(read.map(\.time) == times.map { Time(value: $0, timescale: 1000) })
    #expect(read.map(\.index) == [0, 1, 2, 3, 4])
    for (frame, next) in zip(read, read.dropFirst()) {
      #expect(frame.time + frame.duration == next.time)
    }
    #expect(read[4].duration > .zero)
  }

  /// Transport streams start at any time; the reader starts them at zero and says what it took away.
  @Test func transportStreamsStartAtZero() async throws {
    let folder = ScratchFolder()
    let clip = TestClip(
      codec: "mpeg2video", format: AV_PIX_FMT_YUV420P, size: Dimensions(width: 64, height: 48),
      frameCount: 12
    ) { frame, _, x, _ in 60 + frame * 3 + x }
    try clip.write(to: folder.file("a.ts"))
    let reader = try await FrameReader.open(folder.file("a.ts"))
    #expect(reader.properties.startTime > .zero)
    // What the clock happened to show is no time in which nothing is shown.
    #expect(reader.properties.timelineStart == .zero)
    #expect(
      WriterSettings(
        keeping: reader.properties, dimensions: reader.properties.dimensions,
        pixelFormat: reader.properties.pixelFormat, tags: reader.properties.tags
      ).timelineStart == .zero)
    var count = 0
    while let frame = try await reader.next() {
      #expect(frame.time == Time(value: Int64(count) * 3003 / 3003, timescale: 30))
      count += 1
    }
    #expect(count == 12)
  }

  /// A broadcast's clock starts again from zero after 26.5 hours: within a clip, or soon after one.
  @Test(arguments: [0.2, 2]) func transportStreamsWhoseClockWraps(_ rest: Double) async throws {
    let folder = ScratchFolder()
    var clip = TestClip(
      codec: "mpeg2video", format: AV_PIX_FMT_YUV420P, size: Dimensions(width: 64, height: 48),
      frameCount: 12
    ) { frame, _, x, _ in 60 + frame * 3 + x }
    try clip.write(to: folder.file("a.ts"))
    let plain = try await FrameReader.open(folder.file("a.ts"))
    clip.clockOffset = clip.offset(
      untilWrap: rest, startTime: plain.properties.startTime)
    try clip.write(to: folder.file("b.ts"))
    let reader = try await FrameReader.open(folder.file("b.ts"))
    // Up to a frame: pictures are stored in another order than they are shown.
    #expect(abs(reader.properties.startTime.seconds + rest) < 0.05)
    #expect(reader.properties.timelineStart == .zero)
    #expect(reader.properties.frameCount == 12)
    while let frame = try await reader.next() {
      let expected = try await plain.frame(number: frame.index)
      #expect(frame.time == expected.time)
      #expect(Self.codes(frame.pixelBuffer) == Self.codes(expected.pixelBuffer), "\(frame.index)")
    }
  }

  private static func codes(_ picture: PixelBuffer) -> [UInt8] {
    picture.withUnsafeBytes(ofPlane: 0) { bytes in
      (0..<picture.height).flatMap {
        bytes[($0 * picture.planes[0].bytesPerRow)...].prefix(picture.width)
      }
    }
  }

  /// Pictures that move in a PNG are a clip, with alpha, whatever stands in front of them; one alone is a picture.
  @Test(
    .enabled(if: TestClip.hasEncoder("apng"), "this FFmpeg has no encoder of APNG"),
    arguments: [0, 200_000])
  func animatedPNG(_ textSize: Int) async throws {
    let folder = ScratchFolder()
    let file = ClipFile(
      codec: "apng", width: 32, height: 24, pixelFormat: AV_PIX_FMT_RGBA,
      timeBase: AVRational(num: 1, den: 10))
    try file.write(to: folder.file("a.apng"), frames: 5) { frame, index in
      for y in 0..<24 {
        let row = frame.pointee.data.0! + y * Int(frame.pointee.linesize.0)
        for x in 0..<32 {
          row[4 * x] = UInt8(8 * x)
          row[4 * x + 1] = UInt8(10 * y)
          row[4 * x + 2] = UInt8(50 * index)
          row[4 * x + 3] = UInt8(100 + 30 * index + x)
        }
      }
      return Int64(index)
    }
    let bytes = folder.read("a.apng")
    let text = PNGFormat.chunk(
      "tEXt", Array("Comment\0".utf8) + [UInt8](repeating: 0x61, count: textSize))
    // Behind the signature and the header.
    folder.write(Array(bytes[..<33]) + text + Array(bytes[33...]), to: "a.png")
    #expect(try PictureStripReader.open(folder.file("a.png")) == nil)
    let reader = try await FrameReader.open(folder.file("a.png"))
    #expect(reader.properties.kind == .clip && reader.properties.frameCount == 5)
    #expect(reader.properties.codedPixels?.hasAlpha == true)
    for number in [0, 1, 4, 2] {
      let frame = try await reader.frame(number: number)
      #expect(frame.time == Time(value: Int64(number), timescale: 10))
      let picture = frame.pixelBuffer
      let values =
        picture.format == .rgba8
        ? picture.packedBytes().map { Float($0) / 255 } : picture.values(Float.self)
      for x in 0..<32 {
        let expected = Float(100 + 30 * number + x) / 255
        #expect(abs(values[4 * (12 * 32 + x) + 3] - expected) < 0.01, "\(number) \(x)")
      }
    }
    #expect(!PNGAnimation.moves([0, 0, 0, 1, 0, 0, 0, 0]) && PNGAnimation.moves([0, 0, 0, 2]))
    var search = PNGAnimation()
    search.take([0, 0, 0, 13] + Array("IHDR".utf8) + [0, 0, 0, 1])
    #expect(search.isFound == nil && search.place == 33)
    search.take(Array("cut".utf8))
    #expect(search.isFound == false)
  }

  /// Columns and rows that a stream does not show are cut off on all sides, whatever their number.
  @Test(
    .enabled(if: TestClip.hasEncoder("libx264"), "this FFmpeg has no libx264"),
    arguments: ["a.ts", "a.mp4"])
  func croppedStreams(_ name: String) async throws {
    let folder = ScratchFolder()
    let clip = TestClip(
      codec: "libx264", format: AV_PIX_FMT_YUV420P, size: Dimensions(width: 64, height: 48),
      frameCount: 2,
      options: ["qp": "0", "preset": "ultrafast", "x264-params": "crop-rect=6,2,4,6"]
    ) { _, plane, x, y in plane == 0 ? 20 + 2 * x + y : 128 }
    try clip.write(to: folder.file(name))
    let reader = try await FrameReader.open(folder.file(name))
    let dimensions = Dimensions(width: 54, height: 40)
    #expect(reader.properties.dimensions == dimensions)
    let frame = try #require(try await reader.next())
    var expected: [UInt8] = []
    for y in 2..<42 {
      for x in 6..<60 { expected.append(UInt8(20 + 2 * x + y)) }
    }
    #expect(Self.codes(frame.pixelBuffer) == expected)
  }

  /// Recordings one behind the other begin their clock anew; the pictures follow each other.
  @Test func transportStreamsFollowEachOther() async throws {
    let folder = ScratchFolder()
    let clip = TestClip(
      codec: "mpeg2video", format: AV_PIX_FMT_YUV420P, size: Dimensions(width: 64, height: 48),
      frameCount: 6
    ) { frame, _, x, _ in 60 + frame * 10 + x }
    try clip.write(to: folder.file("a.ts"))
    folder.write(folder.read("a.ts") + folder.read("a.ts"), to: "aa.ts")
    let once = try await FrameReader.open(folder.file("a.ts"))
    var pictures: [[UInt8]] = []
    while let frame = try await once.next() { pictures.append(Self.codes(frame.pixelBuffer)) }
    #expect(pictures.count == 6)
    let twice = try await FrameReader.open(folder.file("aa.ts"))
    #expect(twice.properties.frameCount == 12)
    while let frame = try await twice.next() {
      #expect(frame.time == Time(value: Int64(frame.index), timescale: 30))
      #expect(Self.codes(frame.pixelBuffer) == pictures[frame.index % 6], "\(frame.index)")
    }
  }

  @Test(arguments: [0...0, 2...3, 3...99, 4...4])
  func selections(_ range: ClosedRange<Int>) async throws {
    let folder = ScratchFolder()
    let size = Dimensions(width: 16, height: 16)
    let clip = clip(AV_PIX_FMT_YUV420P, size, maximum: 255)
    try clip.write(to: folder.file("a.mkv"))
    let read = try await frames(folder.file("a.mkv"), ReadOptions(frames: range))
    #expect(read.map(\.index) == Array(range.clamped(to: 0...4)))
    for frame in read {
      #expect(frame.pixelBuffer.packedBytes()[0] == UInt8(clip.value(frame.index, 0, 0, 0)))
      #expect(frame.time == Time(value: Int64(frame.index), timescale: 30).converted(to: 1000))
    }
  }

  @Test func selectionBeyondTheEnd() async throws {
    let folder = ScratchFolder()
    try clip(AV_PIX_FMT_YUV420P, Dimensions(width: 16, height: 16), maximum: 255)
      .write(to: folder.file("a.mkv"))
    let error = await failure { () async throws(CinematicError) in
      _ = try await frames(folder.file("a.mkv"), ReadOptions(frames: 7...9))
    }
    #expect(error?.code == .invalidParameter)
    #expect(error?.message.contains("a.mkv has no frame 7: it has 5") == true)
  }

  /// A decoder holds frames back for reordering; all of them must come.
  @Test func delayedFramesArrive() async throws {
    let folder = ScratchFolder()
    let clip = TestClip(
      codec: "mpeg4", format: AV_PIX_FMT_YUV420P, size: Dimensions(width: 64, height: 48),
      frameCount: 11, options: ["bf": "2"]
    ) { frame, _, x, y in 40 + frame * 10 + (x + y) / 4 }
    try clip.write(to: folder.file("a.avi"))
    let read = try await frames(folder.file("a.avi"))
    #expect(read.count == 11)
    #expect(
      read.map { $0.pixelBuffer.packedBytes()[0] }
        == read.map {
          $0.pixelBuffer.packedBytes()[0]
        }.sorted())
  }

  /// Red, green and blue that a code stands for.
  private static func color(_ code: Int, ofPalette palette: Int) -> [UInt8] {
    [code * 7 + palette * 40, 255 - code + palette * 90, code * 3].map { UInt8($0 % 256) }
  }

  private static func code(_ frame: Int, _ x: Int, _ y: Int) -> Int { (frame * 5 + x + y) % 256 }

  /// A clip of 12 pictures of codes, as of a microscope, of which some in a row have one palette.
  private static func writeCodes(to path: String, picturesPerPalette: Int) throws {
    let (width, height) = (32, 24)
    var file = ClipFile(
      codec: "rawvideo", width: width, height: height, pixelFormat: AV_PIX_FMT_PAL8,
      timeBase: AVRational(num: 1, den: 30))
    file.prepare = { encoder, _ in encoder.pointee.framerate = AVRational(num: 30, den: 1) }
    file.describe = { stream, encoder, _ in
      stream.pointee.avg_frame_rate = encoder.pointee.framerate
    }
    try file.write(to: path, frames: 12) { frame, number in
      let (codes, palette) = (frame.pointee.data.0!, UnsafeMutableRawPointer(frame.pointee.data.1!))
      for y in 0..<height {
        for x in 0..<width {
          codes[y * Int(frame.pointee.linesize.0) + x] = UInt8(Self.code(number, x, y))
        }
      }
      for code in 0..<256 {
        let color = Self.color(code, ofPalette: number / picturesPerPalette)
        let value = color.reduce(UInt32(0xFF)) { $0 << 8 | UInt32($1) }
        palette.storeBytes(of: value, toByteOffset: 4 * code, as: UInt32.self)
      }
      return Int64(number)
    }
  }

  /// AVI and QuickTime say a palette once, beside the first picture that it is for; NUT in every picture.
  @Test(arguments: [("a.avi", 12), ("a.avi", 3), ("a.mov", 12), ("a.nut", 3)])
  func palettes(_ name: String, _ picturesPerPalette: Int) async throws {
    let folder = ScratchFolder()
    try Self.writeCodes(to: folder.file(name), picturesPerPalette: picturesPerPalette)
    func check(_ frame: MediaFrame) {
      let buffer = frame.pixelBuffer
      var expected: [UInt8] = []
      for y in 0..<24 {
        for x in 0..<32 {
          let code = Self.code(frame.index, x, y)
          expected += Self.color(code, ofPalette: frame.index / picturesPerPalette) + [255]
        }
      }
      #expect(buffer.format == .rgba8 && buffer.packedBytes() == expected, "\(frame.index)")
    }
    let all = try await frames(folder.file(name))
    #expect(all.count == 12)
    for frame in all { check(frame) }
    let reader = try await FrameReader.open(folder.file(name))
    for number in [11, 0, 7, 2, 3, 8, 5] { check(try await reader.frame(number: number)) }
  }

  /// Without its palette, a clip would be black.
  @Test func missingPalette() async throws {
    let folder = ScratchFolder()
    try Self.writeCodes(to: folder.file("whole.avi"), picturesPerPalette: 12)
    var bytes = folder.read("whole.avi")
    let name = Array("strf".utf8)
    let place = try #require(bytes.indices.first { bytes[$0...].starts(with: name) })
    // What follows the 40 bytes of the bitmap's head, 256 colours, becomes a piece that nobody reads.
    bytes.replaceSubrange((place + 4)..<(place + 8), with: [40, 0, 0, 0])
    bytes.replaceSubrange(
      (place + 48)..<(place + 56), with: Array("JUNK".utf8) + [0xF8, 3, 0, 0])
    folder.write(bytes, to: "a.avi")
    let error = await BadInputTests.reading(folder.file("a.avi"))
    #expect(error?.code == .malformed && error?.remedy != nil)
    #expect(error?.message.contains("a.avi") == true && error?.message.contains("palette") == true)
  }

  /// Matroska's mark of both eyes in one picture is kept by no other file, unless one of them is read.
  @Test(arguments: ["left_right", "mono"]) func stereoMark(_ mode: String) async throws {
    let folder = ScratchFolder()
    var clip = clip(AV_PIX_FMT_YUV420P, Dimensions(width: 32, height: 16), maximum: 255)
    clip.streamTags = ["stereo_mode": mode]
    try clip.write(to: folder.file("a.mkv"))
    let whole = try await FrameReader.open(folder.file("a.mkv")).properties
    let marks = mode == "mono" ? [] : ["the mark of stereo pictures (left_right)"]
    #expect(whole.unkeptMarks == marks && whole.unkeptExtras == marks)
    var options = ReadOptions()
    options.half = PictureHalf.allCases.first
    let half = try await FrameReader.open(folder.file("a.mkv"), options: options).properties
    #expect(half.unkeptExtras.isEmpty)
  }

  private func plane<Value>(_ size: Dimensions, _ value: (Int, Int) -> Value) -> [Value] {
    (0..<size.height).flatMap { y in (0..<size.width).map { x in value(x, y) } }
  }
}
