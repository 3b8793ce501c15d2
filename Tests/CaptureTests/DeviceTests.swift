// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore
import Foundation
import MovieKit
import Testing

@testable import FocalCapture
@testable import FocalMedia

@Suite struct DeviceTests {
  @Test func formatsSayWhetherTheyAreCinematic() {
    func format(_ width: Int, _ height: Int, _ rates: ClosedRange<Double>, color: Bool = true)
      -> CaptureFormat
    {
      CaptureFormat(
        dimensions: Dimensions(width: width, height: height), coding: "YUYV", frameRates: rates,
        hasColor: color)
    }
    let good = format(1920, 1080, 5...120)
    #expect(good.isCinematicVideoCaptureSupported)
    #expect(good.videoFrameRateRangeForCinematicVideo == 5...60)
    #expect(good.minSimulatedAperture < good.defaultSimulatedAperture)
    #expect(good.defaultSimulatedAperture < good.maxSimulatedAperture)
    for bad in [
      format(160, 120, 30...30), format(8192, 4320, 30...30), format(640, 480, 90...120),
      format(640, 480, 30...30, color: false),
    ] {
      #expect(!bad.isCinematicVideoCaptureSupported)
      #expect(bad.videoFrameRateRangeForCinematicVideo == nil)
      #expect(bad.defaultSimulatedAperture == 0)
    }
    let small = SourceProperties(
      dimensions: Dimensions(width: 64, height: 64), pixelFormat: .rgba8, tags: .sRGB)
    #expect(throws: CinematicError.self) {
      try CaptureSession(
        TestSource(small), configuration: .init(devices: [.cpu()]), clock: TestClock())
    }
  }

  @Test func soundCardsThatRecordAreFound() {
    let list = """
      00-00: ALC257 Analog : ALC257 Analog : playback 1 : capture 1
      00-03: HDMI 0 : HDMI 0 : playback 1
      02-00: USB Audio : USB Audio : capture 1
      nonsense
      """
    let found = CaptureDevice.microphones(list)
    #expect(found.map(\.id) == ["alsa:hw:0,0", "alsa:hw:2,0"])
    #expect(CaptureDevice.microphones(nil).isEmpty)
  }

  @Test func idsAreToldFromFiles() {
    for id in ["v4l2:/dev/video0", "/dev/video1", "alsa:default", "lavfi:testsrc"] {
      #expect(DeviceSource.isDevice(id))
    }
    for path in ["clip.mov", "./a:b.mov", "http://host/clip.mov", "frames/%04d.png", ":0"] {
      #expect(!DeviceSource.isDevice(path))
    }
  }

  @Test func missingDevicesAreErrors() async {
    for id in ["v4l2:/dev/video987", "nosuch:thing", "/dev/video987"] {
      #expect(throws: CinematicError.self) { try DeviceSource(id, clock: TestClock()) }
      await #expect(throws: CinematicError.self) { try await CaptureDevice.device(id) }
    }
  }

  /// Before anything is opened: a device would be asked for pictures first.
  @Test(arguments: [(Float.nan, 1), (0, .infinity), (0.5, 0.5), (-3e38, 3e38)] as [(Float, Float)])
  func scalesWithoutExtent(_ low: Float, _ high: Float) async {
    let content = ReadOptions.Content.disparity(DisparityScale(low: low, high: high))
    let device = #expect(throws: CinematicError.self) {
      try DeviceSource("nosuch:thing", content: content, clock: TestClock())
    }
    let file = await #expect(throws: CinematicError.self) {
      try await FileSource(
        "/nosuch.mov", options: ReadOptions(content: content), clock: TestClock())
    }
    for error in [device, file] {
      #expect(error?.code == .invalidParameter)
      #expect(error?.message.contains("extent") == true, "\(error?.message ?? "no error")")
    }
  }

  /// What a session refuses is not listed as a device.
  @Test func onePictureIsNoDevice() async throws {
    let folder = TemporaryFolder.make()
    defer { TemporaryFolder.remove(folder) }
    let size = Dimensions(width: 320, height: 240)
    for name in ["one.png", "0.png", "1.png"] {
      try PictureWriter.write(
        PixelBuffer(
          dimensions: size, format: .rgba8, values: [UInt8](repeating: 99, count: 4 * size.count)),
        to: "\(folder)/\(name)")
    }
    let one = "\(folder)/one.png"
    let listed = await #expect(throws: CinematicError.self) {
      _ = try await CaptureDevice.device(one)
    }
    let played = await #expect(throws: CinematicError.self) {
      _ = try await FileSource(one, clock: TestClock())
    }
    #expect(listed?.code == .invalidParameter && listed == played)
    let numbered = try await CaptureDevice.device("\(folder)/%d.png")
    #expect(numbered.formats.map(\.isCinematicVideoCaptureSupported) == [true])
  }

  /// Whether FFmpeg's library of devices is installed: it is looked up when a device is asked for.
  static var hasDevices: Bool {
    (try? DeviceInput("lavfi:color=size=320x240:rate=30:duration=0.1")) != nil
  }

  @Test(.enabled(if: Self.hasDevices, "libavdevice is not installed"))
  func devicesGivePicturesAndGo() async throws {
    let source = try DeviceSource(
      "lavfi:testsrc2=size=320x240:rate=30:duration=0.2,format=yuyv422", clock: TestClock())
    #expect(source.properties.dimensions == Dimensions(width: 320, height: 240))
    // Cameras' 4:2:2 becomes what stays in planes.
    #expect(source.properties.pixelFormat == .yuv420Video8)
    var times: [Time] = []
    await #expect(throws: CinematicError.self) {
      while let sample = try await source.next() {
        if case .picture(let picture) = sample { times.append(picture.time) }
      }
    }
    #expect(times.count == 6)
    #expect(zip(times, times.dropFirst()).allSatisfy { abs(($1 - $0).seconds - 1.0 / 30) < 1e-4 })
  }

  /// Pictures of a camera that compresses have the time of their own packet, however many a decoder holds, and the last
  /// ones come, too.
  @Test(
    .enabled(if: ForeignClip.canEncode("libx264"), "this FFmpeg has no libx264"),
    arguments: [Int32(0), 2])
  func compressedPicturesKeepTheirTimes(_ bidirectional: Int32) throws {
    let folder = TemporaryFolder.make()
    defer { TemporaryFolder.remove(folder) }
    let path = "\(folder)/clip.mkv"
    var options = ForeignClip.Options()
    (options.frames, options.bidirectional) = (40, bidirectional)
    let bytes = try ForeignClip.bytes(format: "matroska", codec: "libx264", options: options)
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    let expected = try ReferenceDecoder.luma(of: path)
    let device = try DeviceInput(
      name: "a camera", address: path, format: #require(av_find_input_format("matroska")))
    var count = 0
    let error = #expect(throws: CinematicError.self) {
      while let sample = try device.next() {
        guard case .picture(let picture, let time) = sample, count < expected.count else { break }
        #expect(Self.luma(picture) == expected[count].bytes, "\(count)")
        #expect(abs(time.seconds - (expected[count].time ?? -1)) < 1e-5, "\(count)")
        count += 1
      }
    }
    #expect(count == 40 && error?.code == .deviceLost)
  }

  /// A decoder of a camera's pictures holds none back: each comes before the next packet.
  @Test(.enabled(if: ForeignClip.canEncode("libx264"), "this FFmpeg has no libx264"))
  func compressedPicturesComeAtOnce() throws {
    var options = ForeignClip.Options()
    (options.frames, options.bidirectional) = (24, 0)
    let bytes = try ForeignClip.bytes(format: "matroska", codec: "libx264", options: options)
    let input = try InputContext.open(MemorySource(bytes), Interruption())
    let stream = try #require(input.streams[0])
    let decoder = try CodecParameters(stream, name: "a camera")
      .makeDecoder(name: "a camera", base: stream.pointee.time_base, isLive: true)
    let packet = try #require(Packet())
    let frame = try #require(PictureFrame())
    var count = 0
    while av_read_frame(input.pointer, packet.pointer) >= 0 {
      #expect(avcodec_send_packet(decoder.pointer, packet.pointer) == 0)
      #expect(avcodec_receive_frame(decoder.pointer, frame.pointer) == 0, "\(count)")
      #expect(frame.pointer.pointee.best_effort_timestamp == packet.pointer.pointee.pts)
      av_packet_unref(packet.pointer)
      count += 1
    }
    #expect(count == 24)
  }

  @Test func filesArePlayedAtTheirTimesWithTheirSound() async throws {
    let folder = TemporaryFolder.make()
    defer { TemporaryFolder.remove(folder) }
    let path = "\(folder)/clip.mov"
    let format = SoundFormat(sampleRate: 48000, channelCount: 1)
    var settings = WriterSettings(
      dimensions: TestScene.size, pixelFormat: .yuv420Video8, tags: TestScene.properties.tags)
    settings.sound = .live(format)
    let writer = try MovieWriter(path, settings: settings)
    for frame in 0..<6 {
      try writer.append(
        sound: SoundBuffer(
          format: format, samples: [Float](repeating: 0.1, count: 1600),
          time: TestScene.time(frame)))
      try writer.append(
        video: try TestScene.picture(frame).pixelBuffer, time: TestScene.time(frame),
        duration: TestScene.time(1))
    }
    try writer.finish()
    let clock = TestClock()
    let source = try await FileSource(path, times: 2, clock: clock)
    #expect(source.soundFormat == format)
    var pictures: [Time] = []
    var sound = Time.zero
    var heard = 0
    while let sample = try await source.next() {
      // Nothing comes before its time.
      switch sample {
      case .picture(let picture):
        #expect(picture.time <= clock.now)
        pictures.append(picture.time)
      case .sound(let buffer):
        #expect(buffer.time >= sound)
        sound = buffer.time
        heard += buffer.count
      }
    }
    #expect(pictures == (0..<12).map(TestScene.time))
    #expect(abs(heard - 2 * 9600) < 2 * 1024)
  }

  @Test func pairWhoseSecondHalfEndsIsAnError() async throws {
    let (left, right) = (TestSource(), TestSource())
    let pair = try PairedSource(left, right, as: .disparity)
    for frame in 0..<6 { left.give(try TestScene.picture(frame)) }
    for frame in 0..<3 { right.give(try TestScene.picture(frame)) }
    left.end()
    right.end()
    var count = 0
    let error = await #expect(throws: CinematicError.self) {
      while try await pair.next() != nil { count += 1 }
    }
    #expect(count == 3)
    #expect(error?.message.contains("ended at 0.1 s, before") == true)
  }

  /// Numbered maps have no times: they go with the pictures of a clip by order, whatever its rate.
  @Test func filesArePairedInOrder() async throws {
    let (left, right) = (TestSource(), TestSource())
    let pair = try PairedSource(left, right, as: .disparity, inOrder: true)
    let times = [0, 1, 2, 3, 10, 11, 30].map(TestScene.time)
    for (frame, time) in times.enumerated() {
      var picture = try TestScene.picture(frame, hasMap: false)
      picture.time = time
      left.give(picture)
      if frame < 6 { right.give(try TestScene.picture(4 * frame)) }
    }
    left.end()
    right.end()
    for (frame, time) in times.prefix(6).enumerated() {
      guard case .picture(let picture)? = try await pair.next() else {
        Issue.record("no picture came")
        return
      }
      #expect(picture.time == time)
      let map = Self.luma(try #require(picture.disparity))
      #expect(map == Self.luma(try TestScene.picture(4 * frame).pixelBuffer), "\(frame)")
    }
    let error = await #expect(throws: CinematicError.self) { _ = try await pair.next() }
    #expect(error?.code == .incomplete)
    #expect(pair.unpairedCount == 0)
  }

  @Test func mapsOfAnotherShapeAreRefusedWithTheWayToStretchThem() throws {
    let maps = TestSource(
      SourceProperties(
        dimensions: Dimensions(width: 200, height: 180), pixelFormat: .gray8, tags: .sRGB))
    let error = #expect(throws: CinematicError.self) {
      try PairedSource(TestSource(), maps, as: .disparity)
    }
    #expect(error?.code == .incompatible)
    #expect(error?.remedy?.contains("stretches: true") == true)
    _ = try PairedSource(TestSource(), maps, as: .disparity, stretches: true)
  }

  /// Maps lie as turned pictures are shown, unless they have the shape or the rotation of what is stored.
  @Test func mapsOfTurnedPicturesLieAsTheyAreShown() async throws {
    var pictures = TestScene.properties
    pictures.preferredTransform = .clockwise90
    let stored = try TestScene.map(0)
    let shown = try stored.turnedDisparity(by: .clockwise90)
    let cases: [(map: PixelBuffer, turn: QuarterTurn)] = [
      (shown, .identity), (stored, .identity), (stored, .clockwise90),
    ]
    for (map, turn) in cases {
      var properties = SourceProperties(
        dimensions: map.dimensions, pixelFormat: .disparityFloat, tags: .linearBT709)
      properties.preferredTransform = turn
      let (left, right) = (TestSource(pictures), TestSource(properties))
      let pair = try PairedSource(left, right, as: .disparity)
      left.give(try TestScene.picture(0, hasMap: false))
      right.give(CapturedPicture(pixelBuffer: map, time: .zero, duration: TestScene.time(1)))
      left.end()
      right.end()
      guard case .picture(let picture)? = try await pair.next() else {
        Issue.record("no picture came")
        return
      }
      let found = try #require(picture.disparity)
      #expect(found.dimensions == stored.dimensions)
      for (point, disparity) in [
        (NormalizedPoint(x: 0.35, y: 0.5), TestScene.near),
        (NormalizedPoint(x: 0.05, y: 0.1), TestScene.far),
      ] {
        #expect(found.disparity(at: point) == disparity, "\(map.dimensions) \(turn)")
      }
    }
    let square = SourceProperties(
      dimensions: Dimensions(width: 64, height: 64), pixelFormat: .disparityFloat,
      tags: .linearBT709)
    let error = #expect(throws: CinematicError.self) {
      try PairedSource(TestSource(pictures), TestSource(square), as: .disparity)
    }
    #expect(error?.message.contains("180x320 as shown") == true, "\(String(describing: error))")
  }

  private static func luma(_ picture: PixelBuffer) -> [UInt8] {
    picture.withUnsafeBytes(ofPlane: 0) { bytes in
      (0..<picture.height).flatMap { row in
        bytes[(row * picture.planes[0].bytesPerRow)...].prefix(picture.width)
      }
    }
  }

  @Test func eyesInOnePictureAreParted() async throws {
    let source = TestSource()
    let eyes = try StereoSource(source, layout: .sideBySide)
    #expect(eyes.properties.dimensions == Dimensions(width: 160, height: 180))
    let whole = try TestScene.picture(4)
    source.give(whole)
    source.end()
    guard case .picture(let picture)? = try await eyes.next() else {
      Issue.record("no picture came")
      return
    }
    #expect(picture.time == whole.time)
    for (eye, half) in [(picture.pixelBuffer, PictureHalf.left), (picture.otherEye, .right)] {
      let expected = try whole.pixelBuffer.half(half, turn: .identity)
      let found = try Self.luma(#require(eye))
      #expect(found == Self.luma(expected))
    }
    #expect(try await eyes.next() == nil)
    let odd = SourceProperties(
      dimensions: Dimensions(width: 322, height: 180), pixelFormat: .yuv420Video8, tags: .sRGB)
    #expect(throws: CinematicError.self) { try StereoSource(TestSource(odd), layout: .sideBySide) }
  }

  @Test func camerasThatCannotBeOpenedAreListed() throws {
    let folder = TemporaryFolder.make()
    defer { TemporaryFolder.remove(folder) }
    // No camera; something that nobody can open as one; nothing.
    try Data().write(to: URL(fileURLWithPath: "\(folder)/video0"))
    try FileManager.default.createDirectory(
      atPath: "\(folder)/video1", withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(
      atPath: "\(folder)/video2", withDestinationPath: "\(folder)/none")
    let found = CaptureDevice.cameras(in: folder)
    #if os(Linux)
      #expect(found.map(\.localizedName) == ["video1"])
      #expect(found.first?.failure?.code == .unreadable)
    #else
      #expect(found.isEmpty)
    #endif
  }

  @Test func pairsAreMadeByTime() async throws {
    let (left, right) = (TestSource(), TestSource())
    let pair = try PairedSource(left, right, as: .otherEye())
    for frame in 0..<5 {
      left.give(try TestScene.picture(frame))
      // The other eye misses a frame.
      if frame != 2 { right.give(try TestScene.picture(frame)) }
    }
    left.end()
    right.end()
    var times: [Time] = []
    while case .picture(let picture)? = try await pair.next() {
      #expect(picture.otherEye != nil)
      times.append(picture.time)
    }
    #expect(times == [0, 1, 3, 4].map(TestScene.time))
    #expect(pair.unpairedCount == 1)
    let other = SourceProperties(
      dimensions: Dimensions(width: 400, height: 400), pixelFormat: .gray8, tags: .sRGB)
    for kind in [PairedSource.Companion.otherEye(), .disparity] {
      #expect(throws: CinematicError.self) {
        try PairedSource(TestSource(), TestSource(other), as: kind)
      }
    }
  }
}
