// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore
import MovieKit
import Testing

@testable import FocalMedia

/// Clips of other codes than 4:2:0 of 8 and 10 bits, in and out.
@Suite struct CodedPixelsTests {
  /// FFV1 with noise in every code.
  func noise(_ format: AVPixelFormat, _ size: Dimensions, seed: Int = 1) -> TestClip {
    let depth = PixelLayout(format)!.depth
    return TestClip(codec: "ffv1", format: format, size: size, frameCount: 2) {
      frame, plane, x, y in
      var random = Seeded(UInt64(((frame * 5 + plane) * 1000 + x) * 1000 + y + seed))
      return Int(random.next() >> 16) & ((1 << depth) - 1)
    }
  }

  /// Codes of every format are those that FFmpeg takes out itself, and no row is left for them.
  @Test func everyFormat() throws {
    let size = Dimensions(width: 16, height: 4)
    var random = Seeded(3)
    var next = av_pix_fmt_desc_next(nil)
    var names: Set<String> = []
    while let description = next {
      next = av_pix_fmt_desc_next(description)
      let format = av_pix_fmt_desc_get_id(description)
      guard let layout = PixelLayout(format), !layout.isOpaque, !layout.isFloatingPoint else {
        continue
      }
      let frame = try #require(PictureFrame(format, size))
      let stored = frame.pointer.pointee
      for case let part? in [stored.buf.0, stored.buf.1, stored.buf.2, stored.buf.3] {
        for index in 0..<Int(part.pointee.size) {
          part.pointee.data[index] = UInt8(truncatingIfNeeded: random.next())
        }
      }
      let data = [stored.data.0, stored.data.1, stored.data.2, stored.data.3]
      var planes: [UnsafePointer<UInt8>?] = data.map { UnsafePointer($0) }
      let strides = [
        stored.linesize.0, stored.linesize.1, stored.linesize.2, stored.linesize.3,
      ]
      for (index, component) in layout.components.enumerated() {
        let isChroma = layout.isYUV && (index == 1 || index == 2)
        let count = isChroma ? size.width / layout.chromaColumns : size.width
        var wanted = [UInt32](repeating: 0, count: count)
        av_read_image_line2(
          &wanted, &planes, strides, description, 0, 0, Int32(index), Int32(count), 0, 4)
        var codes = [UInt32](repeating: 0, count: count)
        layout.readCodes(frame, component: index, row: 0, count: count, into: &codes)
        #expect(codes == wanted, "\(layout.name), component \(index)")
        let bits = component.depth + component.shift
        let byteCount = bits <= 8 ? 1 : bits <= 16 ? 2 : 4
        let end = component.offset + (count - 1) * component.step + byteCount
        let rowBytes = av_image_get_linesize(format, Int32(size.width), Int32(component.plane))
        #expect(component.offset >= 0 && end <= Int(rowBytes), "\(layout.name)")
      }
      names.insert(layout.name)
    }
    #expect(names.isSuperset(of: ["rgb555be", "bgr444be", "rgb565be", "nv12", "yuv420p"]))
    #expect(!names.contains("uyyvyy411"))
  }

  /// Films of few bits are the same in either order of bytes.
  @Test(arguments: [
    (AV_PIX_FMT_RGB555BE, AV_PIX_FMT_RGB555LE), (AV_PIX_FMT_RGB565BE, AV_PIX_FMT_RGB565LE),
    (AV_PIX_FMT_BGR444BE, AV_PIX_FMT_BGR444LE),
  ])
  func orderOfBytes(_ big: AVPixelFormat, _ little: AVPixelFormat) async throws {
    let folder = ScratchFolder()
    for format in [big, little] {
      let clip = ClipFile(
        codec: "rawvideo", width: 16, height: 5, pixelFormat: format,
        timeBase: AVRational(num: 1, den: 30))
      try clip.write(to: folder.file("\(format == big).nut"), frames: 1) { frame, _ in
        var random = Seeded(4)
        for y in 0..<5 {
          let row =
            UnsafeMutableRawPointer(frame.pointee.data.0!) + y * Int(frame.pointee.linesize.0)
          for x in 0..<16 {
            let code = UInt16(truncatingIfNeeded: random.next())
            row.storeBytes(
              of: format == big ? code.bigEndian : code.littleEndian, toByteOffset: 2 * x,
              as: UInt16.self)
          }
        }
        return 0
      }
    }
    let found = try #require(try await frames(folder.file("true.nut")).first).pixelBuffer
    let wanted = try #require(try await frames(folder.file("false.nut")).first).pixelBuffer
    #expect(found.packedBytes() == wanted.packedBytes())
    #expect(Set(found.packedBytes()).count > 8)
  }

  /// WebM keeps alpha as pictures of their own, which libvpx reads with the others, in order and after a jump.
  @Test(
    .enabled(
      if: TestClip.hasEncoder("libvpx-vp9") && avcodec_find_decoder_by_name("libvpx-vp9") != nil
        && avcodec_find_decoder_by_name("libvpx") != nil, "this FFmpeg has no libvpx"),
    arguments: ["libvpx-vp9", "libvpx"], [AV_PIX_FMT_YUVA420P, AV_PIX_FMT_YUV420P])
  func alphaApart(_ codec: String, _ format: AVPixelFormat) async throws {
    let folder = ScratchFolder()
    var clip = TestClip(
      codec: codec, format: format, size: Dimensions(width: 64, height: 32), frameCount: 6
    ) { frame, plane, x, y in plane == 3 ? 3 * x + 10 * frame : 100 + frame + y }
    clip.options = ["auto-alt-ref": "0", "b": "4M"]
    try clip.write(to: folder.file("a.webm"))
    let reader = try await FrameReader.open(folder.file("a.webm"))
    #expect(!reader.properties.unkeptExtras.contains { $0.contains("alpha") })
    let hasAlpha = format == AV_PIX_FMT_YUVA420P
    #expect(reader.properties.codedPixels?.hasAlpha == hasAlpha)
    guard hasAlpha else { return }
    for number in [0, 1, 2, 5, 3] {
      let picture = try await reader.frame(number: number).pixelBuffer
      #expect(picture.format == .rgbaFloat)
      let values = picture.values(Float.self)
      for x in stride(from: 0, to: 64, by: 9) {
        let alpha = values[4 * (16 * 64 + x) + 3] * 255
        // Both pictures are coded with loss.
        #expect(abs(alpha - Float(3 * x + 10 * number)) < 12, "\(number) \(x)")
      }
    }
  }

  /// Every pixel of 4:4:4, RGB and gray by the formulas of ITU-T H.273.
  @Test(
    arguments: [
      AV_PIX_FMT_YUV444P, AV_PIX_FMT_YUV444P10LE, AV_PIX_FMT_YUV444P12LE, AV_PIX_FMT_YUV444P16LE,
      AV_PIX_FMT_YUVA444P10LE,
    ], [AVCOL_RANGE_MPEG, AVCOL_RANGE_JPEG])
  func fullChroma(_ format: AVPixelFormat, range: AVColorRange) async throws {
    let folder = ScratchFolder()
    let size = Dimensions(width: 17, height: 9)
    var clip = noise(format, size)
    clip.range = range
    try clip.write(to: folder.file("a.mkv"))
    let reader = try await FrameReader.open(folder.file("a.mkv"))
    let layout = try #require(PixelLayout(format))
    let isFull = range == AVCOL_RANGE_JPEG
    #expect(
      reader.properties.codedPixels
        == CodedPixels(
          .yuv444, bitDepth: layout.depth, isFullRange: isFull, hasAlpha: layout.hasAlpha))
    let buffer = try #require(try await reader.next()).pixelBuffer
    #expect(buffer.format == .rgbaFloat && buffer.dimensions == size)
    let values = buffer.values(Float.self)
    let (unit, most) = (Double(1 << (layout.depth - 8)), Double(1 << layout.depth) - 1)
    // BT.601: what an untagged small clip is.
    let (kr, kb) = (0.299, 0.114)
    for y in 0..<size.height {
      for x in 0..<size.width {
        func code(_ plane: Int) -> Double { Double(clip.value(0, plane, x, y)) }
        let luma = isFull ? code(0) / most : (code(0) - 16 * unit) / (219 * unit)
        let scale = isFull ? most : 224 * unit
        let (cb, cr) = ((code(1) - 128 * unit) / scale, (code(2) - 128 * unit) / scale)
        let (red, blue) = (luma + 2 * (1 - kr) * cr, luma + 2 * (1 - kb) * cb)
        let green = (luma - kr * red - kb * blue) / (1 - kr - kb)
        let alpha = layout.hasAlpha ? code(3) / most : 1
        let at = 4 * (y * size.width + x)
        for (index, wanted) in [red, green, blue, alpha].enumerated() {
          #expect(abs(Double(values[at + index]) - wanted) < 2e-6)
        }
      }
    }
  }

  /// A written picture has the codes that were read: at odd sizes, too.
  @Test(
    arguments: [
      AV_PIX_FMT_YUV420P12LE, AV_PIX_FMT_YUV422P, AV_PIX_FMT_YUV422P10LE, AV_PIX_FMT_YUV422P12LE,
      AV_PIX_FMT_YUV444P, AV_PIX_FMT_YUV444P10LE, AV_PIX_FMT_YUV444P12LE, AV_PIX_FMT_YUVA444P10LE,
      AV_PIX_FMT_YUVA422P10LE, AV_PIX_FMT_GBRP10LE, AV_PIX_FMT_GBRP12LE, AV_PIX_FMT_GBRAP12LE,
      AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUV420P10LE,
    ],
    [
      Dimensions(width: 32, height: 16), Dimensions(width: 33, height: 17),
      Dimensions(width: 1, height: 1),
    ])
  func codesComeBack(_ format: AVPixelFormat, size: Dimensions) async throws {
    let folder = ScratchFolder()
    try noise(format, size).write(to: folder.file("a.mkv"))
    let reader = try await FrameReader.open(folder.file("a.mkv"))
    let source = reader.properties
    let pixels = try OutputFormat(path: "b.mov").pixelFormat(for: source, coding: FilmCoding(.ffv1))
    #expect(pixels.coded == source.codedPixels)
    #expect(pixels.format == source.pixelFormat)
    var settings = WriterSettings(
      keeping: source, dimensions: source.dimensions, pixelFormat: pixels.format, tags: pixels.tags)
    settings.codec = .ffv1
    settings.codedPixels = pixels.coded
    let original = try await frames(folder.file("a.mkv"))
    let copy = try await MovieTests.roundTrip(
      folder, "b.mov", settings, times: original.map(\.time), lastDuration: original[0].duration
    ) { original[$0].pixelBuffer }
    #expect(copy.properties.dimensions == size)
    #expect(copy.properties.codedPixels == source.codedPixels)
    // Untagged RGB has sRGB's curve, which films call BT.709's.
    if source.codedPixels?.isLumaAndChroma == true {
      #expect(copy.properties.tags == source.tags)
    }
    for (a, b) in zip(original, copy.frames) {
      for plane in a.pixelBuffer.planes.indices {
        #expect(
          a.pixelBuffer.packedBytes(ofPlane: plane) == b.pixelBuffer.packedBytes(ofPlane: plane))
      }
    }
  }

  /// Coarser chroma than 4:2:0, and 4:4:0, lies where it should: a ramp stays a ramp.
  @Test(arguments: [AV_PIX_FMT_YUV411P, AV_PIX_FMT_YUV440P, AV_PIX_FMT_YUV410P])
  func rareSubsampling(_ format: AVPixelFormat) async throws {
    let folder = ScratchFolder()
    let layout = try #require(PixelLayout(format))
    let (columns, rows) = (layout.chromaColumns, layout.chromaRows)
    let clip = TestClip(
      codec: "ffv1", format: format, size: Dimensions(width: 64, height: 32), frameCount: 1
    ) { _, plane, x, y in plane == 0 ? 126 : 100 + (plane == 1 ? x * columns : y * rows) / 2 }
    try clip.write(to: folder.file("a.mkv"))
    let buffer = try #require(try await frames(folder.file("a.mkv")).first).pixelBuffer
    let values = buffer.values(Float.self)
    for (x, y) in [(16, 16), (17, 16), (19, 18), (30, 21)] {
      let at = 4 * (y * 64 + x)
      let luma = (126.0 - 16) / 219
      // Chroma is sited on the left column and in the middle of its rows.
      let down = (Double(y) - Double(rows - 1) / 2) / Double(rows)
      let cb = (100 + Double(x) / 2 - 128) / 224
      let cr = (100 + down * Double(rows) / 2 - 128) / 224
      #expect(abs(Double(values[at + 2]) - (luma + 1.772 * cb)) < 0.004)
      #expect(abs(Double(values[at]) - (luma + 1.402 * cr)) < 0.004)
    }
  }

  /// Every codec with what it can hold, in the file that holds it.
  @Test(arguments: [
    (WriterSettings.Codec.hevc, CodedPixels(.yuv422, bitDepth: 10), "a.mov", "hvc1"),
    (.hevc, CodedPixels(.yuv444, bitDepth: 12), "a.mp4", "hvc1"),
    (.hevc, CodedPixels(.rgb, bitDepth: 8, isFullRange: true), "a.mp4", "hvc1"),
    (.h264, CodedPixels(.yuv422, bitDepth: 10), "a.mp4", "avc1"),
    (.h264, CodedPixels(.yuv444, bitDepth: 8), "a.mov", "avc1"),
    (.proResProxy, CodedPixels(.yuv422, bitDepth: 10), "a.mov", "apco"),
    (.proRes422, CodedPixels(.yuv422, bitDepth: 10), "a.mov", "apcn"),
    (.proRes422HQ, CodedPixels(.yuv422, bitDepth: 10), "a.mov", "apch"),
    (.proRes4444, CodedPixels(.yuv444, bitDepth: 10, hasAlpha: true), "a.mov", "ap4h"),
    (.proRes4444XQ, CodedPixels(.yuv444, bitDepth: 10), "a.mov", "ap4x"),
    (.dnxHRLB, CodedPixels(.yuv422, bitDepth: 8), "a.mov", "AVdh"),
    (.dnxHRHQX, CodedPixels(.yuv422, bitDepth: 10), "a.mov", "AVdh"),
    (.dnxHR444, CodedPixels(.yuv444, bitDepth: 10), "a.mov", "AVdh"),
    (.ffv1, CodedPixels(.yuv444, bitDepth: 16), "a.mov", "FFV1"),
    (.vp9, CodedPixels(.yuv422, bitDepth: 10), "a.mp4", "vp09"),
    (.av1, CodedPixels(.yuv444, bitDepth: 10), "a.mp4", "av01"),
  ])
  func codecs(
    _ codec: WriterSettings.Codec, pixels: CodedPixels, name: String, entry: String
  ) async throws {
    let folder = ScratchFolder()
    let size = Dimensions(width: 257, height: 131)
    let tags = ColorTags(primaries: .bt2020, transfer: .hlg, matrix: .bt2020)
    var settings = WriterSettings(dimensions: size, pixelFormat: .rgbaFloat, tags: tags)
    settings.codec = codec
    settings.codedPixels = pixels
    settings.encoderPreset = "veryfast"
    let source = try (0..<4).map { number in
      let picture = try Scene.smooth(257, 131, .rgbaFloat, tags: tags, phase: Double(number) / 4)
      if pixels.hasAlpha { picture.setAlpha { x, _ in Float(x) / 256 } }
      return picture
    }
    let film = try await MovieTests.roundTrip(
      folder, name, settings, times: MovieTests.steady(4),
      lastDuration: Time(value: 1, timescale: 30)
    ) { source[$0] }
    let found = try #require(film.properties.codedPixels)
    #expect(found.chroma == pixels.chroma && found.hasAlpha == pixels.hasAlpha)
    // FFmpeg's decoder of ProRes 4444 gives its 10 bits as 12.
    #expect(
      found.bitDepth == (codec == .proRes4444 || codec == .proRes4444XQ ? 12 : pixels.bitDepth))
    #expect(film.properties.dimensions == size)
    #expect(film.properties.tags.primaries == tags.primaries)
    #expect(film.properties.tags.transfer == tags.transfer)
    let asset = Asset(path: folder.file(name))
    let track = try #require(try await asset.loadTracks(withMediaType: .video).first)
    let entries = try await track.load(.formatDescriptions)
    #expect(entries.first?.format.description == entry)
    if codec.isDNxHR {
      // Readers that believe the pictures find BT.2020 in their headers, too.
      let bytes = folder.read(name)
      let header = try #require(bytes.firstRange(of: [0, 0, 2, 0x80, 3, 1, 0x80, 0xA0] as [UInt8]))
      #expect(bytes[header.lowerBound + 0x2C] >> 1 & 3 == 1)
    }
    #expect(film.frames.map(\.time) == MovieTests.steady(4))
    for (frame, original) in zip(film.frames, source) {
      let decoded = try frame.pixelBuffer.rgbValues()
      let quality = psnr(decoded, original.values(Float.self).map(Double.init), peak: 1)
      #expect(quality > (codec == .proResProxy || codec == .dnxHRLB ? 33 : 38), "\(quality)")
    }
  }

  /// Luma of video range has fewer codes than gray of as many bits.
  @Test func grayAsLuma() {
    let gray = CodedPixels(.gray, bitDepth: 10, isFullRange: true)
    #expect(
      gray.loss(in: CodedPixels(.yuv420, bitDepth: 10))
        == "gray of full range becomes 4:2:0 of video range")
    #expect(gray.loss(in: CodedPixels(.yuv420, bitDepth: 12)) == nil)
    #expect(gray.loss(in: gray) == nil)
  }

  /// Each codec's form of each source by default.
  @Test func choices() throws {
    func chosen(
      _ codec: WriterSettings.Codec, _ source: CodedPixels, isClip: Bool = true,
      chroma: CodedPixels.Chroma? = nil, bitDepth: Int? = nil
    ) throws -> String {
      let coding = FilmCoding(codec, chroma: chroma, bitDepth: bitDepth)
      return try coding.pixels(for: source, isClip: isClip, isDeep: source.bitDepth > 8).description
    }
    let plain = CodedPixels(.yuv420, bitDepth: 8)
    let proRes = CodedPixels(.yuv422, bitDepth: 10)
    let cinema = CodedPixels(.yuv444, bitDepth: 12, hasAlpha: true)
    let rgb = CodedPixels(.rgb, bitDepth: 8, isFullRange: true, hasAlpha: true)
    #expect(try chosen(.automatic, plain) == "4:2:0 of 8 bits")
    #expect(try chosen(.automatic, proRes) == "4:2:2 of 10 bits")
    #expect(try chosen(.hevc, cinema) == "4:4:4 of 12 bits")
    #expect(try chosen(.h264, cinema) == "4:2:0 of 8 bits")
    #expect(try chosen(.h264, cinema, chroma: .yuv422, bitDepth: 10) == "4:2:2 of 10 bits")
    #expect(try chosen(.proRes422, plain) == "4:2:2 of 10 bits")
    #expect(try chosen(.proRes4444, cinema) == "4:4:4 of 10 bits with alpha")
    #expect(try chosen(.proRes4444, rgb) == "4:4:4 of 10 bits with alpha")
    #expect(try chosen(.dnxHR444, plain) == "4:4:4 of 10 bits")
    #expect(try chosen(.dnxHR444, rgb) == "RGB of 10 bits")
    #expect(try chosen(.ffv1, cinema) == "4:4:4 of 12 bits with alpha")
    #expect(try chosen(.ffv1, rgb, isClip: false) == "RGB of 8 bits with alpha")
    #expect(try chosen(.av1, proRes) == "4:2:2 of 10 bits")
    #expect(try chosen(.automatic, rgb, isClip: false) == "4:2:0 of 8 bits")
    #expect(try chosen(.hevc, rgb, chroma: .rgb) == "RGB of 8 bits")
    // Of films, too, the chroma is kept: in the matrix's components, with the bits that they take.
    for codec in [WriterSettings.Codec.automatic, .hevc, .av1, .vp9] {
      let kept = try FilmCoding(codec).pixels(for: rgb, isClip: true, isDeep: false)
      #expect(kept == CodedPixels(.yuv444, bitDepth: 10), "\(codec)")
      #expect(CodedPixels(.rgb, bitDepth: 8, isFullRange: true).loss(in: kept) == nil)
    }
    #expect(try chosen(.h264, rgb) == "4:2:0 of 8 bits")
    #expect(try chosen(.hevc, rgb, chroma: .yuv420) == "4:2:0 of 8 bits")
    #expect(try chosen(.ffv1, rgb) == "RGB of 8 bits with alpha")
    for (codec, chroma, depth) in [
      (WriterSettings.Codec.proRes422, CodedPixels.Chroma.yuv444, nil), (.h264, .rgb, nil),
      (.h264, nil, 12), (.hevc, nil, 9), (.dnxHRSQ, nil, 10), (.av1, .gray, nil),
    ] as [(WriterSettings.Codec, CodedPixels.Chroma?, Int?)] {
      let error = failure { () throws(CinematicError) in
        _ = try FilmCoding(codec, chroma: chroma, bitDepth: depth)
          .pixels(for: plain, isClip: true, isDeep: false)
      }
      #expect(error?.code == .invalidParameter)
      #expect(error?.message.contains(codec.title) == true && error?.remedy != nil)
    }
    #expect(proRes.loss(in: plain)?.contains("becomes 4:2:0") == true)
    #expect(proRes.loss(in: plain)?.contains("become 8") == true)
    #expect(plain.loss(in: proRes) == nil)
    #expect(cinema.loss(in: CodedPixels(.yuv444, bitDepth: 12)) != nil)
    #expect(rgb.loss(in: CodedPixels(.yuv444, bitDepth: 10, hasAlpha: true)) == nil)
  }

  @Test func filesThatDoNotHoldACodec() throws {
    let folder = ScratchFolder()
    for (codec, name) in [
      (WriterSettings.Codec.proRes422, "a.mp4"), (.ffv1, "a.mp4"), (.dnxHRHQ, "a.mp4"),
      (.av1, "a.mov"), (.vp9, "a.mov"),
    ] {
      var settings = WriterSettings(
        dimensions: Dimensions(width: 64, height: 64), pixelFormat: .rgbaFloat, tags: .bt709)
      settings.codec = codec
      settings.temporaryFiles = folder.temporaryFiles
      let error = failure { () throws(CinematicError) in
        _ = try FrameWriter.create(folder.file(name), settings: settings)
      }
      #expect(error?.code == .invalidParameter)
      #expect(error?.message.contains("cannot hold") == true)
    }
    for (codec, rate) in [(WriterSettings.Codec.proRes422, 10.0), (.hevc, 52), (.av1, 64)] {
      let error = failure { () throws(CinematicError) in try codec.check(rateFactor: rate) }
      #expect(error?.code == .invalidParameter)
    }
    #expect(folder.names.isEmpty)
  }

  /// Colours between which and light lies more than a matrix and a curve.
  @Test(arguments: [AVCOL_SPC_YCGCO, AVCOL_SPC_ICTCP, AVCOL_SPC_BT2020_CL])
  func coloursThatAreRefused(_ matrix: AVColorSpace) async throws {
    let folder = ScratchFolder()
    var clip = noise(AV_PIX_FMT_YUV444P10LE, Dimensions(width: 32, height: 32))
    clip.matrix = matrix
    try clip.write(to: folder.file("a.mkv"))
    let error = await BadInputTests.reading(folder.file("a.mkv"))
    #expect(error?.code == .unsupported)
    #expect(error?.message.contains("a.mkv has colours in") == true)
  }
}

extension PixelBuffer {
  /// Gives every pixel an alpha by its place.
  func setAlpha(_ value: (_ x: Int, _ y: Int) -> Float) {
    withUnsafeMutableBytes { bytes in
      for y in 0..<height {
        for x in 0..<width {
          bytes.storeBytes(
            of: value(x, y), toByteOffset: y * planes[0].bytesPerRow + 16 * x + 12, as: Float.self)
        }
      }
    }
  }

  /// R'G'B' and alpha, 0 to 1, of a buffer of RGBA.
  func rgbValues() throws -> [Double] {
    format == .rgba8
      ? values(UInt8.self).map { Double($0) / 255 } : values(Float.self).map(Double.init)
  }
}
