// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import Testing

@Suite struct MovieTests {
  /// Writes frames with their times and returns the reader's view of the movie.
  static func roundTrip(
    _ folder: ScratchFolder, _ name: String, _ settings: WriterSettings,
    times: [Time], lastDuration: Time, frame: (Int) throws -> PixelBuffer
  ) async throws -> (properties: SourceProperties, frames: [MediaFrame]) {
    var settings = settings
    settings.temporaryFiles = folder.temporaryFiles
    let writer = try FrameWriter.create(folder.file(name), settings: settings)
    #expect(!folder.names.contains(name), "the name must not appear before the movie is whole")
    for (index, time) in times.enumerated() {
      let end = index + 1 < times.count ? times[index + 1] : time + lastDuration
      try writer.append(frame(index), time: time, duration: end - time)
    }
    try writer.finish()
    #expect(folder.names.contains(name))
    #expect(folder.temporaryFiles.count == 0)
    #expect(!folder.names.contains { $0.hasSuffix(".tmp") })
    let reader = try await FrameReader.open(folder.file(name))
    var frames: [MediaFrame] = []
    while let frame = try await reader.next() { frames.append(frame) }
    return (reader.properties, frames)
  }

  static func steady(_ count: Int, _ step: Time = Time(value: 1, timescale: 30)) -> [Time] {
    (0..<count).map { step * $0 }
  }

  /// Small pictures full of gradients at the default rate factor: H.264 at 16 keeps 43 dB, and
  /// a swapped plane, a shifted row or a wrong range would fall below 30.
  @Test(arguments: [
    (PixelFormat.yuv420Video8, ColorTags.bt709, "a.mp4", "h264"),
    (.yuv420Full8, .bt709, "a.mov", "h264"),
    (.yuv420Video10, .hlg, "a.mp4", "hevc"),
    (.yuv420Video10, .pq, "a.mov", "hevc"),
    (.yuv420Full10, .bt709, "a.mp4", "hevc"),
  ])
  func picturesAndTags(
    _ format: PixelFormat, tags: ColorTags, name: String, codec: String
  ) async throws {
    let folder = ScratchFolder()
    var settings = WriterSettings(
      dimensions: Dimensions(width: 96, height: 64), pixelFormat: format, tags: tags)
    settings.encoderPreset = "veryfast"
    let source = try (0..<8).map { try Scene.smooth(96, 64, format, tags: tags, phase: Double($0)) }
    let (properties, frames) = try await Self.roundTrip(
      folder, name, settings, times: Self.steady(8), lastDuration: Time(value: 1, timescale: 30)
    ) { source[$0] }
    #expect(properties.pixelFormat == format)
    #expect(properties.tags == tags)
    #expect(properties.colorCodes == ColorCodes(tags))
    #expect(properties.codecDescription.hasPrefix(codec))
    #expect(frames.map(\.time) == Self.steady(8))
    for (frame, source) in zip(frames, source) {
      for plane in 0...1 {
        let (a, b, peak) =
          format.bitsPerComponent == 8
          ? (
            frame.pixelBuffer.values(UInt8.self, ofPlane: plane).map(Double.init),
            source.values(UInt8.self, ofPlane: plane).map(Double.init), 255.0
          )
          : (
            frame.pixelBuffer.values(UInt16.self, ofPlane: plane).map(Double.init),
            source.values(UInt16.self, ofPlane: plane).map(Double.init), 65472.0
          )
        #expect(psnr(a, b, peak: peak) > 42, "plane \(plane) of frame \(frame.index)")
      }
    }
  }

  @Test func tenBitsStayTenBits() async throws {
    let folder = ScratchFolder()
    var settings = WriterSettings(
      dimensions: Dimensions(width: 64, height: 64), pixelFormat: .yuv420Video10, tags: .hlg)
    settings.constantRateFactor = 0
    let (properties, frames) = try await Self.roundTrip(
      folder, "a.mp4", settings, times: Self.steady(3), lastDuration: Time(value: 1, timescale: 30)
    ) { try Scene.smooth(64, 64, .yuv420Video10, tags: .hlg, phase: Double($0)) }
    #expect(properties.bitDepth == 10)
    // Codes that 8 bits do not have, in every second place or so.
    let fine = frames[0].pixelBuffer.values(UInt16.self).filter { ($0 >> 6) & 3 != 0 }
    #expect(fine.count > 64 * 64 / 2)
  }

  /// Variable frame times survive to the tick, whatever the timescale, reordered frames and all.
  @Test(arguments: ["a.mp4", "a.mov"], [PixelFormat.yuv420Video8, .yuv420Video10])
  func variableFrameTimes(_ name: String, format: PixelFormat) async throws {
    let folder = ScratchFolder()
    var settings = WriterSettings(
      dimensions: Dimensions(width: 64, height: 48), pixelFormat: format, tags: .bt709)
    settings.timescale = 1000
    settings.encoderPreset = "veryfast"
    let ticks: [Int64] = [0, 33, 67, 100, 101, 500, 533, 567, 600, 2000, 2001, 2040]
    let times = ticks.map { Time(value: $0, timescale: 1000) }
    let last = Time(value: 250, timescale: 1000)
    let (_, frames) = try await Self.roundTrip(
      folder, name, settings, times: times, lastDuration: last
    ) { try Scene.smooth(64, 48, format, phase: Double($0)) }
    #expect(frames.map(\.time) == times)
    #expect(frames.last?.duration == last)
  }

  /// 30000/1001 frames a second have no tick in common with a rounded clock; none may drift.
  @Test(arguments: [(1001, 30000), (1001, 24000), (1, 25), (512, 15360), (1, 600)])
  func steadyTimes(_ step: (Int64, Int32)) async throws {
    let folder = ScratchFolder()
    var settings = WriterSettings(
      dimensions: Dimensions(width: 32, height: 32), pixelFormat: .yuv420Video8, tags: .bt709)
    settings.timescale = step.1
    settings.encoderPreset = "ultrafast"
    let duration = Time(value: step.0, timescale: step.1)
    settings.nominalFrameDuration = duration
    let times = Self.steady(40, duration)
    let (properties, frames) = try await Self.roundTrip(
      folder, "a.mp4", settings, times: times, lastDuration: duration
    ) { try Scene.smooth(32, 32, .yuv420Video8, phase: Double($0)) }
    #expect(frames.map(\.time) == times)
    #expect(frames.map(\.duration) == times.map { _ in duration })
    #expect(properties.duration == duration * 40)
    #expect(properties.frameCount == 40)
  }

  /// A movie that begins later than its container keeps the gap; one that is cut starts at zero.
  @Test func timelines() async throws {
    let folder = ScratchFolder()
    var settings = WriterSettings(
      dimensions: Dimensions(width: 32, height: 32), pixelFormat: .yuv420Video8, tags: .bt709)
    settings.timescale = 30
    settings.encoderPreset = "ultrafast"
    let times = (5..<9).map { Time(value: $0, timescale: 30) }
    settings.timelineStart = times[0]
    let cut = try await Self.roundTrip(
      folder, "cut.mp4", settings, times: times, lastDuration: Time(value: 1, timescale: 30)
    ) { try Scene.smooth(32, 32, .yuv420Video8, phase: Double($0)) }
    #expect(cut.frames.map(\.time) == Self.steady(4))
    settings.timelineStart = .zero
    let late = try await Self.roundTrip(
      folder, "late.mp4", settings, times: times, lastDuration: Time(value: 1, timescale: 30)
    ) { try Scene.smooth(32, 32, .yuv420Video8, phase: Double($0)) }
    #expect(late.properties.startTime == times[0] && late.properties.timelineStart == times[0])
    #expect(late.frames.map { $0.time + late.properties.startTime } == times)
  }

  /// H.264 and HEVC in 4:2:0 have even sizes: the movie says which part is shown.
  @Test(
    arguments: [(1, 1), (33, 47), (64, 35), (7, 64)], [PixelFormat.yuv420Video8, .yuv420Video10])
  func oddSizes(_ size: (Int, Int), format: PixelFormat) async throws {
    let folder = ScratchFolder()
    var settings = WriterSettings(
      dimensions: Dimensions(width: size.0, height: size.1), pixelFormat: format, tags: .bt709)
    settings.constantRateFactor = 1
    let source = try Scene.smooth(size.0, size.1, format)
    let (properties, frames) = try await Self.roundTrip(
      folder, "a.mp4", settings, times: Self.steady(3), lastDuration: Time(value: 1, timescale: 30)
    ) { _ in source }
    #expect(properties.dimensions == Dimensions(width: size.0, height: size.1))
    #expect(frames.count == 3)
    let luma = frames[1].pixelBuffer
    func code(_ buffer: PixelBuffer, _ x: Int, _ y: Int) -> Int {
      buffer.withUnsafeBytes { bytes in
        let row = bytes.baseAddress! + y * buffer.planes[0].bytesPerRow
        return buffer.format.bitsPerComponent == 8
          ? Int(row.load(fromByteOffset: x, as: UInt8.self))
          : Int(row.load(fromByteOffset: 2 * x, as: UInt16.self) >> 8)
      }
    }
    // At rate factor 1 codes differ by a few at most.
    for (x, y) in [(0, 0), (size.0 - 1, 0), (0, size.1 - 1), (size.0 - 1, size.1 - 1)] {
      #expect(abs(code(luma, x, y) - code(source, x, y)) <= 4)
    }
  }

  @Test(arguments: QuarterTurn.allCases)
  func rotation(_ turn: QuarterTurn) async throws {
    let folder = ScratchFolder()
    var settings = WriterSettings(
      dimensions: Dimensions(width: 32, height: 32), pixelFormat: .yuv420Video8, tags: .bt709)
    settings.preferredTransform = turn
    settings.encoderPreset = "ultrafast"
    settings.pixelAspectRatio = PixelAspectRatio(horizontal: 4, vertical: 3)
    let (properties, _) = try await Self.roundTrip(
      folder, "a.mp4", settings, times: Self.steady(2), lastDuration: Time(value: 1, timescale: 30)
    ) { _ in try Scene.smooth(32, 32, .yuv420Video8) }
    #expect(properties.preferredTransform == turn)
    #expect(properties.pixelAspectRatio == PixelAspectRatio(horizontal: 4, vertical: 3))
    // Also of a square picture, whose size says nothing of its turn.
    let isUpright = turn == .identity || turn == .clockwise180
    #expect(
      properties.shownPixelAspectRatio
        == PixelAspectRatio(horizontal: isUpright ? 4 : 3, vertical: isUpright ? 3 : 4))
  }

  /// RGBA goes through the matrix of its tags: pure red has BT.709's luma 63, Cb 102, Cr 240.
  @Test func moviesFromRGBA() async throws {
    let folder = ScratchFolder()
    let settings = WriterSettings(
      dimensions: Dimensions(width: 33, height: 31), pixelFormat: .rgba8, tags: .bt709)
    let red = try PixelBuffer(
      dimensions: Dimensions(width: 33, height: 31), format: .rgba8, tags: .bt709)
    Scene.fill(red) { _, component, _, _ in component == 0 || component == 3 ? 1 : 0 }
    let (properties, frames) = try await Self.roundTrip(
      folder, "a.mp4", settings, times: Self.steady(2), lastDuration: Time(value: 1, timescale: 30)
    ) { _ in red }
    #expect(properties.tags == .bt709)
    for code in frames[0].pixelBuffer.values(UInt8.self) { #expect(abs(Int(code) - 63) <= 1) }
    let chroma = frames[0].pixelBuffer.values(UInt8.self, ofPlane: 1)
    for pair in stride(from: 0, to: chroma.count, by: 2) {
      #expect(abs(Int(chroma[pair]) - 102) <= 1)
      #expect(abs(Int(chroma[pair + 1]) - 240) <= 1)
    }
  }

  /// The stream's own codes are stored even where several mean the same to the renderer.
  @Test func colorCodesAreKept() async throws {
    let folder = ScratchFolder()
    let tags = ColorTags(primaries: .smpte170m, transfer: .bt709, matrix: .bt601)
    var settings = WriterSettings(
      dimensions: Dimensions(width: 64, height: 64), pixelFormat: .yuv420Video8, tags: tags)
    settings.colorCodes = ColorCodes(primaries: 6, transfer: 6, matrix: 6)
    let (properties, _) = try await Self.roundTrip(
      folder, "a.mp4", settings, times: Self.steady(2), lastDuration: Time(value: 1, timescale: 30)
    ) { _ in try Scene.smooth(64, 64, .yuv420Video8) }
    #expect(properties.colorCodes == ColorCodes(primaries: 6, transfer: 6, matrix: 6))
    #expect(properties.tags == tags)
    #expect(properties.pictureMetadata.assumption == nil)
  }

  /// Code 2 says nothing: that part is told, and no other.
  @Test(arguments: [
    (ColorCodes(primaries: 2, transfer: 1, matrix: 1), "the primaries of bt709 are assumed"),
    (
      ColorCodes(primaries: 1, transfer: 2, matrix: 2),
      "the transfer of bt709 and the matrix of bt601 are assumed"
    ),
    (ColorCodes(primaries: 2, transfer: 2, matrix: 2), "does not say its colours, which are taken"),
  ])
  func assumedPartsOfColoursAreTold(codes: ColorCodes, words: String) async throws {
    let folder = ScratchFolder()
    var settings = WriterSettings(
      dimensions: Dimensions(width: 64, height: 64), pixelFormat: .yuv420Video8, tags: .bt709)
    settings.colorCodes = codes
    let (properties, _) = try await Self.roundTrip(
      folder, "a.mp4", settings, times: Self.steady(2), lastDuration: Time(value: 1, timescale: 30)
    ) { _ in try Scene.smooth(64, 64, .yuv420Video8) }
    let told = try #require(properties.pictureMetadata.assumption)
    #expect(told.contains(words), "\(told)")
    // A transfer that the caller gives is not assumed; the rest still is.
    let given = try await FrameReader.open(
      folder.file("a.mp4"), options: ReadOptions(transfer: .hlg)
    ).properties.pictureMetadata.assumption
    #expect(given?.contains("transfer") != true && given?.contains("hlg") != true)
    #expect((given != nil) == (codes.primaries == 2 || codes.matrix == 2))
  }

  @Test func settingsKeepWhatASourceHas() async throws {
    let folder = ScratchFolder()
    var first = WriterSettings(
      dimensions: Dimensions(width: 64, height: 64), pixelFormat: .yuv420Video10, tags: .hlg)
    first.preferredTransform = .clockwise90
    first.timescale = 90000
    let source = try await Self.roundTrip(
      folder, "one.mov", first, times: Self.steady(2), lastDuration: Time(value: 1, timescale: 30)
    ) { _ in try Scene.smooth(64, 64, .yuv420Video10) }
    let settings = WriterSettings(
      keeping: source.properties, dimensions: source.properties.dimensions,
      pixelFormat: source.properties.pixelFormat, tags: source.properties.tags)
    #expect(settings.sound == nil)
    let copy = try await Self.roundTrip(
      folder, "two.mov", settings, times: source.frames.map(\.time),
      lastDuration: source.frames[1].duration
    ) { source.frames[$0].pixelBuffer }
    #expect(copy.properties.preferredTransform == .clockwise90)
    #expect(copy.properties.tags == .hlg)
    #expect(copy.frames.map(\.time) == source.frames.map(\.time))
    #expect(copy.frames.map(\.duration) == source.frames.map(\.duration))
  }
}
