// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import Dispatch
import FocalCore
import FocalMedia
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Streams that end too early, whose pictures are of two moments, or that hold more than they seem to.
@Suite struct PipedClipTests {
  private static let size = Dimensions(width: 64, height: 48)

  /// Sends bytes through a pipe, and reads all that comes out.
  private static func pictures(
    _ bytes: [UInt8], _ options: ReadOptions = ReadOptions()
  ) async throws -> (properties: SourceProperties, frames: [MediaFrame])? {
    let folder = ScratchFolder()
    let path = folder.file("pipe")
    try #require(mkfifo(path, 0o600) == 0)
    // A reader that has seen enough leaves, which the writer hears of.
    DispatchQueue.global().async {
      guard let writer = try? DataWriter(path: path) else { return }
      try? writer.write(bytes)
      try? writer.finish()
    }
    guard case .stream(let pictures) = try await PipedPictures.open(path, options: options) else {
      return nil
    }
    var frames: [MediaFrame] = []
    while let frame = try await pictures.next() { frames.append(frame) }
    return (pictures.properties, frames)
  }

  private static func refusal(
    of bytes: [UInt8], _ options: ReadOptions = ReadOptions()
  ) async -> CinematicError? {
    do {
      _ = try await pictures(bytes, options)
      return nil
    } catch {
      return error as? CinematicError
    }
  }

  private static func matroska(_ folder: ScratchFolder) throws -> [UInt8] {
    var clip = TestClip(
      codec: "ffv1", format: AV_PIX_FMT_YUV420P, size: size, frameCount: 40,
      options: ["level": "3"]
    ) { frame, plane, x, y in (frame * 5 + plane * 50 + x * 3 + y) % 200 + 20 }
    clip.ticks = { Int64($0) * 20 }
    try clip.write(to: folder.file("a.mkv"))
    return folder.read("a.mkv")
  }

  /// As it comes out of a program that writes into a pipe: nothing says how long the segment is.
  private static func live(_ bytes: [UInt8]) throws -> [UInt8] {
    let id: [UInt8] = [0x18, 0x53, 0x80, 0x67]
    let place = try #require(
      bytes.indices.first { bytes[$0...].starts(with: id) }, "no segment")
    try #require(bytes[place + 4] == 1)
    var result = bytes
    for index in (place + 5)..<(place + 12) { result[index] = 0xFF }
    return result
  }

  /// YUV4MPEG2 of noise.
  private static func y4m(
    _ count: Int, fields: String = "p", chroma: String = "420jpeg"
  ) -> [UInt8] {
    let perFrame = size.count * (chroma == "444" ? 6 : 3) / 2
    var bytes = Array(
      "YUV4MPEG2 W\(size.width) H\(size.height) F30:1 I\(fields) A1:1 C\(chroma)\n".utf8)
    var state: UInt32 = 7
    for _ in 0..<count {
      bytes += Array("FRAME\n".utf8)
      bytes += (0..<perFrame).map { _ in
        state = state &* 1_664_525 &+ 1_013_904_223
        return UInt8(20 + (state >> 24) * 3 / 4)
      }
    }
    return bytes
  }

  /// Ends of which nothing tells whether they are the film's, and those of which something does.
  @Test func doubtfulEnds() async throws {
    let folder = ScratchFolder()
    let stated = try Self.matroska(folder)
    let live = try Self.live(stated)
    let cluster: [UInt8] = [0x1F, 0x43, 0xB6, 0x75]
    let last = try #require(live.indices.last { live[$0...].starts(with: cluster) })
    let packet: [UInt8] = [0x47] + [UInt8](repeating: 9, count: 187)
    let transport = [[UInt8]](repeating: packet, count: 9).flatMap { $0 }
    var boxes: [UInt8] = [0, 0, 0, 16]
    boxes += Array("ftypisom".utf8)
    boxes += [0, 0, 0, 0, 0, 0, 0, 100]
    boxes += Array("mdat".utf8)
    boxes += [UInt8](repeating: 7, count: 92)
    let disc = [[UInt8]](repeating: [0, 0, 0, 1] + packet, count: 9).flatMap { $0 }
    for (name, bytes, words) in [
      ("stated.mkv", stated, nil), ("live.mkv", live, nil),
      ("cut.mkv", Array(live[..<last]), "says no length"), ("whole.ts", transport, nil),
      ("cut.ts", transport + [0x47, 1, 2], "within a packet"), ("whole.m2ts", disc, nil),
      ("cut.m2ts", Array(disc.dropLast(7)), "within a packet"), ("whole.mp4", boxes, nil),
      ("cut.mp4", Array(boxes.dropLast(60)), "56 of 116 bytes are there"),
      ("short.mkv", Array(stated.dropLast(9)), "is cut short"), ("a.txt", Array("text".utf8), nil),
    ] as [(String, [UInt8], String?)] {
      folder.write(bytes, to: name)
      let doubt = try await Asset.named(folder.file(name)).doubtfulEnd()
      #expect((doubt == nil) == (words == nil), "\(name): \(doubt ?? "none")")
      if let words { #expect(doubt?.contains(words) == true) }
    }
  }

  /// Through a pipe, too, pictures before the clock's zero are pictures.
  @Test func wrappedClock() async throws {
    let folder = ScratchFolder()
    var clip = TestClip(
      codec: "mpeg2video", format: AV_PIX_FMT_YUV420P, size: Self.size, frameCount: 12
    ) { frame, _, x, _ in 60 + frame * 3 + x }
    try clip.write(to: folder.file("a.ts"))
    let plain = try await FrameReader.open(folder.file("a.ts"))
    clip.clockOffset = clip.offset(untilWrap: 0.2, startTime: plain.properties.startTime)
    try clip.write(to: folder.file("b.ts"))
    let read = try #require(try await Self.pictures(folder.read("b.ts")))
    #expect(read.frames.count == 12)
    for frame in read.frames {
      #expect(frame.time == Time(value: Int64(frame.index), timescale: 30))
    }
  }

  @Test(arguments: [false, true]) func cutMatroska(_ isLive: Bool) async throws {
    let folder = ScratchFolder()
    var bytes = try Self.matroska(folder)
    if isLive { bytes = try Self.live(bytes) }
    let whole = try #require(try await Self.pictures(bytes))
    #expect(whole.frames.count == 40)
    folder.write(bytes, to: "whole.mkv")
    #expect(try await frames(folder.file("whole.mkv")).count == 40)
    for share in [0.3, 0.55, 0.8, 0.95] {
      let cut = Array(bytes.prefix(Int(Double(bytes.count) * share)))
      let error = await Self.refusal(of: cut)
      #expect(error?.code == .malformed, "\(share): \(error as Any)")
      #expect(error?.message.contains("pipe") == true && error?.message.contains("cut") == true)
      folder.write(cut, to: "cut.mkv")
      let file = await BadInputTests.reading(folder.file("cut.mkv"))
      #expect(file?.code == .malformed && file?.message.contains("cut.mkv") == true, "\(share)")
    }
  }

  /// Frames to the last byte: a part of one is no end.
  @Test func cutY4M() async throws {
    let folder = ScratchFolder()
    let bytes = Self.y4m(5)
    #expect(try await Self.pictures(bytes)?.frames.count == 5)
    folder.write(bytes, to: "whole.y4m")
    #expect(try await frames(folder.file("whole.y4m")).count == 5)
    for missing in [1, 3000, 4608, 4614, 4616] {
      let cut = Array(bytes.dropLast(missing))
      folder.write(cut, to: "cut.y4m")
      // Without a whole frame with its head, it is a clip of four.
      let isWhole = missing == 4614
      let (piped, file) = (
        await Self.refusal(of: cut), await BadInputTests.reading(folder.file("cut.y4m"))
      )
      for error in [piped, file] {
        #expect((error == nil) == isWhole, "\(missing): \(error as Any)")
        #expect(isWhole || error?.message.contains("cut short") == true)
      }
      #expect(isWhole || file?.message.contains("cut.y4m") == true)
    }
  }

  /// A pipe's pictures are those of a file, whichever way interlaced ones are taken.
  @Test(arguments: [("t", FieldOrder.topFirst), ("b", FieldOrder.bottomFirst)])
  func interlaced(_ letter: String, _ order: FieldOrder) async throws {
    let folder = ScratchFolder()
    let bytes = Self.y4m(6, fields: letter)
    folder.write(bytes, to: "a.y4m")
    let refused = await Self.refusal(of: bytes, InterlacedTests.options(.refuse))
    #expect(refused?.code == .unsupported)
    #expect(refused?.message.contains("interlaced (\(order.title))") == true)
    #expect(refused?.remedy?.contains("Interlacing.deinterlace") == true)
    for interlacing in [Interlacing.deinterlace, .keep] {
      let options = InterlacedTests.options(interlacing)
      let piped = try #require(try await Self.pictures(bytes, options))
      let file = try await frames(folder.file("a.y4m"), options)
      #expect(piped.properties.fieldOrder == order)
      #expect(piped.frames.map(\.timeRange) == file.map(\.timeRange) && file.count == 6)
      for (a, b) in zip(piped.frames, file) {
        for plane in 0...1 {
          let isSame =
            a.pixelBuffer.packedBytes(ofPlane: plane) == b.pixelBuffer.packedBytes(ofPlane: plane)
          #expect(isSame, "\(a.index)")
        }
      }
    }
    let plain = try #require(
      try await Self.pictures(Self.y4m(3), InterlacedTests.options(.deinterlace)))
    #expect(plain.properties.fieldOrder == nil && plain.frames.count == 3)
  }

  /// Nothing of what a file's pictures are known by is lost.
  @Test func properties() async throws {
    let folder = ScratchFolder()
    let bytes = Self.y4m(2, chroma: "444")
    folder.write(bytes, to: "a.y4m")
    let file = try await FrameReader.open(folder.file("a.y4m")).properties
    let piped = try #require(try await Self.pictures(bytes)).properties
    #expect(piped.codedPixels == file.codedPixels && piped.codedPixels?.chroma == .yuv444)
    #expect(piped.codecDescription == file.codecDescription && piped.tags == file.tags)
    var options = ReadOptions()
    options.workingSpace = .log(try #require(LogCurve(rawValue: "slog3")))
    #expect(try await Self.pictures(bytes, options)?.properties.logCoding != nil)
  }

  /// All but the first would be lost without a word.
  @Test(arguments: ["jpg", "tif", "pfm", "exr", "dpx", "heic", "avif"])
  func severalPictures(_ ending: String) async throws {
    let folder = ScratchFolder()
    let isFloat = ending == "pfm" || ending == "exr"
    let picture = try Scene.noise(
      40, 40, isFloat ? .rgbaFloat : .rgba8, tags: isFloat ? .linearBT709 : .sRGB)
    let opaque = try ending == "jpg" ? Scene.smooth(40, 40, .rgba8, tags: .sRGB) : picture
    try PictureWriter.write(opaque, to: folder.file("a.\(ending)"))
    let bytes = folder.read("a.\(ending)")
    let one = try await Self.pictures(bytes)
    #expect(one == nil, "one picture is no stream")
    let error = await Self.refusal(of: bytes + bytes)
    #expect(error?.code == .unsupported, "\(error as Any)")
    #expect(error?.message.contains("several") == true && error?.remedy != nil)
  }

  /// Pages, whose first directory leads to another, are one file.
  @Test func pagesOfTIFF() async throws {
    let folder = ScratchFolder()
    try PictureWriter.write(Scene.noise(40, 40, .rgba8), to: folder.file("a.tif"))
    var bytes = folder.read("a.tif")
    let isBigEndian = bytes[0] == 0x4D
    func number(_ place: Int, _ count: Int) -> Int {
      let part = bytes[place..<(place + count)]
      return (isBigEndian ? Array(part) : part.reversed()).reduce(0) { $0 << 8 | Int($1) }
    }
    let start = number(4, 4)
    let next = start + 2 + 12 * number(start, 2)
    let length = bytes.count
    for index in 0..<4 {
      bytes[next + index] = UInt8(length >> (8 * (isBigEndian ? 3 - index : index)) & 255)
    }
    let read = try await Self.pictures(bytes + folder.read("a.tif"))
    #expect(read == nil)
  }
}
