// SPDX-License-Identifier: Apache-2.0

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

/// Named pipes between a writer and a reader of one process.
@Suite struct PipeTests {
  private static func settings(_ stream: StreamFormat) -> WriterSettings {
    var settings = WriterSettings(
      dimensions: Dimensions(width: 32, height: 32),
      pixelFormat: stream == .pictures(.png) ? .rgba8 : .yuv420Video8,
      tags: stream == .pictures(.png) ? .sRGB : .bt709)
    settings.stream = stream
    return settings
  }

  private static func picture(_ index: Int, _ stream: StreamFormat) throws -> PixelBuffer {
    let picture = try Scene.noise(32, 32, .rgba8, seed: UInt64(index + 1))
    guard stream != .pictures(.png) else { return picture }
    let film = try PixelBuffer(
      dimensions: picture.dimensions, format: .yuv420Video8, tags: .bt709)
    try film.store(linearRGBA: picture.linearRGBA())
    return film
  }

  private static func codes(_ picture: PixelBuffer) -> [[UInt8]] {
    picture.planes.indices.map { index in
      let plane = picture.planes[index]
      let count = plane.dimensions.width * plane.bytesPerElement
      return picture.withUnsafeBytes(ofPlane: index) { bytes in
        (0..<plane.dimensions.height).flatMap { bytes[($0 * plane.bytesPerRow)...].prefix(count) }
      }
    }
  }

  private static func pipe(in folder: ScratchFolder) throws -> String {
    let path = folder.file("pipe")
    try #require(mkfifo(path, 0o600) == 0)
    return path
  }

  /// Opening a pipe waits for its other end: not on one of the few threads that tests share.
  private static func write(_ count: Int, _ stream: StreamFormat, to path: String) async throws {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(
          with: Result {
            let writer = try FrameWriter.create(path, settings: settings(stream))
            for index in 0..<count {
              try writer.append(
                picture(index, stream), time: Time(value: Int64(index), timescale: 30),
                duration: Time(value: 1, timescale: 30))
            }
            try writer.finish()
          })
      }
    }
  }

  @Test(arguments: [StreamFormat.y4m, .nut, .pictures(.png)])
  func framesInTheirOrder(_ stream: StreamFormat) async throws {
    let folder = ScratchFolder()
    let path = try Self.pipe(in: folder)
    async let written: Void = Self.write(5, stream, to: path)
    async let opened = PipedPictures.open(path)
    try await written
    guard case .stream(let pictures) = try await opened else {
      Issue.record("a stream is no picture")
      return
    }
    #expect(pictures.name == path && pictures.properties.frameCount == 0)
    #expect(pictures.properties.kind == (stream == .pictures(.png) ? .numbered : .clip))
    let first = try await pictures.frame(number: 0)
    #expect(first?.index == 0 && first?.time == .zero)
    // The same again, then a later one; what lies between is gone.
    #expect(try await pictures.frame(number: 0)?.pixelBuffer === first?.pixelBuffer)
    let third = try #require(try await pictures.frame(number: 2))
    #expect(third.timeRange.start == Time(value: 2, timescale: 30))
    #expect(third.duration == Time(value: 1, timescale: 30))
    let sent = try Self.picture(2, stream)
    let isSame = Self.codes(third.pixelBuffer) == Self.codes(sent)
    #expect(isSame)
    let error = await #expect(throws: CinematicError.self) {
      try await pictures.frame(number: 1)
    }
    #expect(error?.code == .invalidParameter && error?.message.contains("gone by") == true)
    #expect(try await pictures.next()?.index == 3)
    #expect(try await pictures.next()?.duration == Time(value: 1, timescale: 30))
    #expect(try await pictures.next() == nil)
  }

  /// The process has not asked to ignore the signal, and lives on.
  @Test(arguments: [StreamFormat.y4m, .nut, .pictures(.png)])
  func aReaderThatLeaves(_ stream: StreamFormat) throws {
    let folder = ScratchFolder()
    let path = try Self.pipe(in: folder)
    let reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    try #require(reader >= 0)
    let writer = try FrameWriter.create(path, settings: Self.settings(stream))
    close(reader)
    let error = #expect(throws: CinematicError.self) {
      try writer.append(
        Self.picture(0, stream), time: .zero, duration: Time(value: 1, timescale: 30))
      try writer.finish()
    }
    #expect(error?.code == .pipeClosed)
    let data = try #require(try? DataWriter(path: folder.file("a.txt")))
    try data.write([1])
    try data.finish()
  }

  /// A film's planes are copied by its own size: neither less nor more is there to take.
  @Test(
    arguments: [StreamFormat.y4m, .nut],
    [(48, PixelFormat.yuv420Video8), (16, .yuv420Video8), (32, .rgba8)])
  func framesOfAnotherSizeOrFormat(
    _ stream: StreamFormat, _ frame: (Int, PixelFormat)
  ) throws {
    let (side, format) = frame
    let folder = ScratchFolder()
    let path = try Self.pipe(in: folder)
    let reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    try #require(reader >= 0)
    defer { close(reader) }
    let writer = try FrameWriter.create(path, settings: Self.settings(stream))
    let picture = try PixelBuffer(
      dimensions: Dimensions(width: side, height: side), format: format, tags: .bt709)
    let error = failure { () throws(CinematicError) in
      try writer.append(picture, time: .zero, duration: Time(value: 1, timescale: 30))
    }
    #expect(error?.code == .incompatible)
    #expect(error?.message.contains("\(picture.dimensions)") == true)
    writer.cancel()
    // Nothing was sent, not even the head of a film.
    var byte: UInt8 = 0
    let sent = read(reader, &byte, 1)
    #expect(sent == 0)
  }

  /// Each call after a stream's end is answered with what ended it, as those of files are.
  @Test(arguments: [StreamFormat.y4m, .nut, .pictures(.png), .pictures(.tiff)])
  func callsAfterTheEnd(_ stream: StreamFormat) throws {
    let folder = ScratchFolder()
    let path = try Self.pipe(in: folder)
    let reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    try #require(reader >= 0)
    defer { close(reader) }
    let isStill = stream == .pictures(.tiff)
    let picture = try Self.picture(0, isStill ? .pictures(.png) : stream)
    var settings = Self.settings(isStill ? .pictures(.png) : stream)
    settings.stream = stream
    let length = Time(value: 1, timescale: 30)
    func codes(_ writer: FrameWriter) -> [CinematicError.Code?] {
      let frame = failure { () throws(CinematicError) in
        try writer.append(picture, time: length, duration: length)
      }
      let end = failure { () throws(CinematicError) in try writer.finish() }
      return [frame?.code, end?.code]
    }
    let cancelled = try FrameWriter.create(path, settings: settings)
    try cancelled.append(picture, time: .zero, duration: length)
    cancelled.cancel()
    #expect(codes(cancelled) == [.cancelled, .cancelled])
    let empty = try FrameWriter.create(path, settings: settings)
    #expect(failure { () throws(CinematicError) in try empty.finish() }?.code == .incomplete)
    #expect(codes(empty) == [.incomplete, .incomplete])
    let finished = try FrameWriter.create(path, settings: settings)
    try finished.append(picture, time: .zero, duration: length)
    if isStill {
      // A second picture is refused, and the first one stays.
      let error = failure { () throws(CinematicError) in
        try finished.append(picture, time: length, duration: length)
      }
      #expect(error?.code == .invalidParameter)
    }
    try finished.finish()
    #expect(codes(finished) == [.invalidState, .invalidState])
  }

  @Test func formatsAndNames() throws {
    let folder = ScratchFolder()
    let path = try Self.pipe(in: folder)
    #expect(PipePath.isPipe(path) && PipePath.isPipe("-") && !PipePath.isPipe(folder.path))
    #expect(try OutputFormat(path: path, stream: .nut) == .stream(.nut))
    for (path, stream) in [(path, nil), ("-", nil), ("a.mp4", StreamFormat.y4m)] {
      #expect(throws: CinematicError.self) { try OutputFormat(path: path, stream: stream) }
    }
    for format in StreamFormat.all { #expect(StreamFormat(named: format.name) == format) }
    #expect(StreamFormat(named: "mp4") == nil)
    let wide = ColorTags(primaries: .bt2020, transfer: .hlg, matrix: .bt2020)
    let (small, large) = (Dimensions(width: 640, height: 480), Dimensions(width: 1280, height: 720))
    let old = ColorTags(primaries: .smpte170m, transfer: .bt709, matrix: .bt601)
    #expect(StreamFormat.y4m.unsaid(of: wide, large)?.contains("hlg") == true)
    // Readers tell both by the size, as this package does.
    for (width, height) in [(1280, 544), (1024, 600)] {
      let size = Dimensions(width: width, height: height)
      #expect(StreamFormat.y4m.unsaid(of: .bt709, size) == nil)
      #expect(StreamFormat.y4m.unsaid(of: old, size) != nil)
    }
    let mixed = ColorTags(primaries: .bt709, transfer: .bt709, matrix: .bt601)
    #expect(StreamFormat.y4m.unsaid(of: mixed, large)?.hasSuffix("the matrix of bt601") == true)
    #expect(StreamFormat.y4m.unsaid(of: .bt709, large) == nil)
    #expect(StreamFormat.y4m.unsaid(of: old, small) == nil)
    #expect(StreamFormat.nut.unsaid(of: .bt709, small)?.contains("bt709 with bt709") == true)
    #expect(StreamFormat.nut.unsaid(of: old, large)?.contains("smpte170m") == true)
    #expect(StreamFormat.pictures(.png).unsaid(of: wide, small) == nil)
  }
}
