// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore
import FocalMedia
import Testing

@Suite struct JPEGTests {
  /// JPEG-LS begins as JPEG does, and is no damaged one.
  @Test func jpegLS() async {
    let folder = ScratchFolder()
    let segment = PhotographMaterial.segment(0xF7, [8, 0, 4, 0, 4, 1, 1, 0x11, 0])
    folder.write([0xFF, 0xD8] + segment + [0xFF, 0xD9], to: "a.jpg")
    let error = await BadInputTests.reading(folder.file("a.jpg"))
    #expect(error?.code == .unsupported)
    #expect(error?.message.contains("a picture of a kind that is not read (JPEG-LS)") == true)
  }

  /// A JPEG of one colour given as full-range BT.601 codes, made by FFmpeg's encoder.
  func jpeg(
    _ folder: ScratchFolder, _ format: AVPixelFormat, _ size: Dimensions,
    value: @escaping (Int, Int, Int, Int) -> Int
  ) throws -> [UInt8] {
    var clip = TestClip(
      codec: "mjpeg", format: format, size: size, frameCount: 1, options: ["qscale": "1"],
      value: value)
    clip.range = AVCOL_RANGE_JPEG
    // The container stores the picture as it is: a whole JPEG file between its heads.
    try clip.write(to: folder.file("a.mjpeg"))
    return folder.read("a.mjpeg")
  }

  /// Full-range BT.601: Y 76, Cb 85, Cr 255 is pure red.
  @Test(arguments: [AV_PIX_FMT_YUVJ420P, AV_PIX_FMT_YUVJ444P])
  func rangeAndMatrix(_ format: AVPixelFormat) async throws {
    let folder = ScratchFolder()
    let bytes = try jpeg(folder, format, Dimensions(width: 33, height: 17)) { _, plane, _, _ in
      [76, 85, 255][plane]
    }
    folder.write(bytes, to: "red.jpg")
    let reader = try await FrameReader.open(folder.file("red.jpg"))
    #expect(reader.properties.kind == .still)
    #expect(reader.properties.tags == .sRGB)
    let buffer = try #require(try await reader.next()).pixelBuffer
    #expect(buffer.format == .rgba8)
    for pixel in stride(from: 0, to: buffer.packedBytes().count, by: 4 * 97) {
      let codes = buffer.packedBytes()[pixel..<(pixel + 4)].map(Int.init)
      #expect(codes[0] >= 252 && codes[1] <= 3 && codes[2] <= 3 && codes[3] == 255, "\(codes)")
    }
    for share in [0.2, 0.6, 0.95] {
      folder.write(Array(bytes.prefix(Int(Double(bytes.count) * share))), to: "cut.jpg")
      #expect(await BadInputTests.reading(folder.file("cut.jpg"))?.code == .malformed)
    }
  }

  /// EXIF orientation 6 means: turn clockwise by 90° to show; 5 and 7 are mirrored besides.
  @Test(arguments: [
    (1, QuarterTurn.identity, false), (3, .clockwise180, false), (6, .clockwise90, false),
    (8, .clockwise270, false), (2, .identity, true),
  ])
  func orientation(_ tag: UInt8, turn: QuarterTurn, isMirrored: Bool) async throws {
    let folder = ScratchFolder()
    let bytes = try jpeg(folder, AV_PIX_FMT_YUVJ444P, Dimensions(width: 32, height: 16)) {
      _, plane, x, _ in plane == 0 ? (x < 16 ? 40 : 200) : 128
    }
    // TIFF head, one directory with one entry: orientation, short, one value.
    let exif: [UInt8] =
      Array("Exif\0\0MM\0*".utf8) + [0, 0, 0, 8, 0, 1, 1, 18, 0, 3, 0, 0, 0, 1, 0, tag, 0, 0]
      + [0, 0, 0, 0]
    let segment: [UInt8] = [0xFF, 0xE1, 0, UInt8(exif.count + 2)] + exif
    folder.write(Array(bytes.prefix(2)) + segment + bytes.dropFirst(2), to: "a.jpg")
    let reader = try await FrameReader.open(folder.file("a.jpg"))
    #expect(reader.properties.preferredTransform == turn)
    let left = try #require(try await reader.next()).pixelBuffer.packedBytes()[0]
    #expect(isMirrored ? left > 150 : left < 90)
  }

  /// Pictures that are given up give back what they took, however far they came. In a process of its own: memory that
  /// is freed twice ends it.
  @Test func unfinishedPictures() async {
    await #expect(processExitsWith: .success) {
      let folder = ScratchFolder()
      let noise = try Scene.noise(256, 256, .rgba8)
      for count in stride(from: 0, through: 256, by: 16) {
        var settings = WriterSettings(
          dimensions: noise.dimensions, pixelFormat: .rgba8, tags: .sRGB)
        settings.overwrite = true
        settings.temporaryFiles = folder.temporaryFiles
        let writer = try PictureStripWriter(
          folder.file("a.jpg"), settings: settings, hasAlpha: false)
        if count > 0 { try writer.append(noise.part(columns: 0..<256, rows: 0..<count)) }
        if count == 256 { try writer.finish() }
      }
      guard folder.names == ["a.jpg"] else { throw CinematicError(.incomplete, "no picture") }
    }
  }
}
