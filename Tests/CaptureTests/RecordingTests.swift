// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCore
import FocalEyes
import FocalMedia
import FocalScript
import Foundation
import MovieKit
import Testing

@testable import FocalCapture

@Suite struct RecordingTests {
  @Test func everyOutputHoldsWhatCame() async throws {
    let rig = try Rig()
    let (editable, baked) = (rig.path("editable.mov"), rig.path("baked.mp4"))
    try await rig.session.startRecording(
      CaptureRecording(editableMovie: editable, bakedMovie: baked))
    let preview = try await rig.session.preview(maximumSide: 64)
    let full = await rig.session.bakedFrames()
    try await rig.session.start()
    try await rig.give(0..<12)
    try await rig.session.capturePhoto(to: rig.path("still.png"))
    let report = try await rig.session.stopRecording()
    #expect(report.movies.allSatisfy { $0.error == nil })
    #expect(report.frameCount == 12)
    #expect(report.droppedFrameCount == 0)

    let movie = try await MovieScript(asset: Asset(path: editable))
    #expect(movie.info.capability == .renderable)
    #expect(movie.reader.frameCount == 12)
    let script = try Script(recording: try #require(try movie.recording()))
    #expect(script.fNumber == 2.8)
    // Nobody is there: focus is on what is near, and the map has it there.
    let frame = try #require(script.frame(at: TestScene.time(11), tolerance: TestScene.time(1)))
    #expect(abs(frame.focusDisparity - TestScene.near) < 0.05)
    let map = try #require(try await movie.reader.disparity(number: 0))
    let square = TestScene.square(0)
    let found = Detection.disparity(
      in: square, sourceDisparity: map, detectionType: .unknown)
    // Codes of ten bits over the range that was seen, and half of it to either side.
    #expect(abs(found - TestScene.near) < 0.002)

    let film = try await FrameReader.open(baked)
    #expect(film.frameNumbers.count == 12)
    #expect(film.properties.dimensions == TestScene.size)
    let still = try await FrameReader.open(rig.path("still.png"))
    #expect(still.properties.dimensions == TestScene.size)
    var previews = preview.makeAsyncIterator()
    #expect(await previews.next()?.pixelBuffer.dimensions == Dimensions(width: 64, height: 36))
    var frames = full.makeAsyncIterator()
    #expect(await frames.next()?.pixelBuffer.dimensions == TestScene.size)
    await rig.end()
  }

  /// They would end the session with the first frame.
  @Test(arguments: [PixelFormat.disparityFloat, .disparityHalf])
  func previewsOfNoPictureAreRefused(format: PixelFormat) async throws {
    let rig = try Rig()
    let path = rig.path("movie.mov")
    try await rig.session.startRecording(CaptureRecording(editableMovie: path))
    try await rig.session.start()
    let error = await #expect(throws: CinematicError.self) {
      _ = try await rig.session.preview(pixelFormat: format)
    }
    #expect(error?.code == .unsupported)
    #expect(error?.remedy != nil)
    try await rig.give(0..<3)
    let report = try await rig.session.stopRecording()
    #expect(report.frameCount == 3)
    #expect(await rig.session.failure == nil)
    await rig.end()
  }

  /// Baked frames have the format of the source.
  @Test func sourcesOfNoPicturesAreRefused() {
    var properties = TestScene.properties
    #expect(CaptureFormat(properties).isCinematicVideoCaptureSupported)
    for format in [PixelFormat.disparityFloat, .disparityHalf, .gray8] {
      properties.pixelFormat = format
      #expect(!CaptureFormat(properties).isCinematicVideoCaptureSupported)
    }
  }

  @Test func whatComesTooFastIsCountedAndNeverQueued() async throws {
    let gate = Gate(passes: 1)
    let rig = try Rig(provider: SlowProvider(gate: gate))
    let path = rig.path("movie.mov")
    try await rig.session.startRecording(CaptureRecording(editableMovie: path))
    try await rig.session.start()
    try await rig.give(0..<1, hasMap: false)
    for frame in 1..<11 { rig.source.give(try TestScene.picture(frame, hasMap: false)) }
    // One is being worked on, two wait.
    for _ in 0..<10000 where await rig.session.statistics.arrivedFrameCount < 11 || !gate.hasWaiter
    {
      try await Task.sleep(for: .microseconds(500))
    }
    let held = await rig.session.statistics
    #expect(held.droppedFrameCount == 7)
    #expect(held.longestQueue == 2)
    gate.open()
    rig.clock.now = TestScene.time(11)
    try await rig.settle(11)
    let report = try await rig.session.stopRecording()
    #expect(report.frameCount == 4)
    #expect(report.droppedFrameCount == 7)
    let reader = try await FrameReader.open(path)
    // The newest are kept.
    #expect(reader.frameNumbers.count == 4)
    #expect(reader.timeRange(ofFrame: 3).start == TestScene.time(10))
    await rig.end()
  }

  @Test func deviceThatGoesLeavesWholeMovie() async throws {
    let rig = try Rig()
    let path = rig.path("movie.mov")
    try await rig.session.startRecording(CaptureRecording(editableMovie: path))
    try await rig.session.start()
    try await rig.give(0..<5)
    rig.source.fail(CinematicError(.deviceLost, "a test's camera has gone"))
    let report = try #require(
      await event(of: rig.session) { event in
        if case .recordingEnded(let report) = event { report } else { nil }
      })
    #expect(report.endedBy?.code == .deviceLost)
    #expect(report.frameCount == 5)
    #expect(try await FrameReader.open(path).frameNumbers.count == 5)
    // The caller who stops it learns the same.
    #expect(try await rig.session.stopRecording().frameCount == 5)
    #expect(try FileManager.default.contentsOfDirectory(atPath: rig.folder) == ["movie.mov"])
    await #expect(throws: CinematicError.self) {
      try await rig.session.startRecording(CaptureRecording(editableMovie: rig.path("b.mov")))
    }
    await rig.end()
  }

  /// Two stops and the end of the source at the same time: whoever asks learns the same, once the movie is whole.
  @Test func everyStopGetsTheReport() async throws {
    let gate = Gate(passes: 1)
    let rig = try Rig(provider: SlowProvider(gate: gate))
    let session = rig.session
    let path = rig.path("movie.mov")
    try await session.startRecording(CaptureRecording(editableMovie: path))
    try await session.start()
    try await rig.give(0..<1, hasMap: false)
    rig.source.give(try TestScene.picture(1, hasMap: false))
    for _ in 0..<10000 where !gate.hasWaiter { try await Task.sleep(for: .microseconds(500)) }
    let first = Task { try await session.stopRecording() }
    for _ in 0..<10000 where await session.recording?.stop == nil {
      try await Task.sleep(for: .microseconds(500))
    }
    rig.source.end()
    let second = Task { await session.stop() }
    gate.open()
    #expect(try await first.value.frameCount == 2)
    let stopped = try #require(await second.value)
    #expect(stopped.frameCount == 2 && stopped.movies.allSatisfy { $0.error == nil })
    await session.ended()
    #expect(try await session.stopRecording().frameCount == 2)
    #expect(try await FrameReader.open(path).frameNumbers.count == 2)
    #expect(try FileManager.default.contentsOfDirectory(atPath: rig.folder) == ["movie.mov"])
    await rig.end()
  }

  /// Pictures that waited when the recording was told to stop are part of it, however many come before they are worked on;
  /// sound ends at the stop.
  @Test(.timeLimit(.minutes(10)), arguments: [false, true])
  func stopKeepsWhatWaits(endsSession: Bool) async throws {
    let gate = Gate()
    let format = SoundFormat(sampleRate: 48000, channelCount: 1)
    let rig = try Rig(sound: format, provider: SlowProvider(gate: gate))
    let path = rig.path("movie.mov")
    try await rig.session.startRecording(CaptureRecording(editableMovie: path))
    try await rig.session.start()
    func arrive(_ frame: Int, counted count: Int) async throws {
      rig.source.give(try TestScene.picture(frame, hasMap: false))
      for _ in 0..<10000 where await rig.session.statistics.arrivedFrameCount < count {
        try await Task.sleep(for: .microseconds(500))
      }
    }
    try await arrive(0, counted: 1)
    for _ in 0..<10000 where !gate.hasWaiter { try await Task.sleep(for: .microseconds(500)) }
    try await arrive(1, counted: 2)
    try await arrive(2, counted: 3)
    rig.clock.now = Time(value: 5, timescale: 60)
    let session = rig.session
    let ending = Task {
      endsSession ? await session.stop() : try? await session.stopRecording()
    }
    for _ in 0..<10000 where await session.recording?.stop == nil {
      try await Task.sleep(for: .microseconds(500))
    }
    for frame in 3..<6 {
      rig.source.give(try TestScene.picture(frame, hasMap: false))
    }
    let half = SoundBuffer(
      format: format, samples: [Float](repeating: 0.5, count: 9600), time: .zero)
    rig.source.give(half)
    for _ in 0..<10000 where await session.heardUntil < half.duration {
      try await Task.sleep(for: .microseconds(500))
    }
    gate.open()
    let report = try #require(await ending.value)
    #expect(report.frameCount == 3)
    #expect(report.droppedFrameCount == 0)
    if endsSession { #expect(await session.statistics.arrivedFrameCount == 3) }
    let sound = try #require(try await Asset(path: path).loadTracks(withMediaType: .audio).first)
    let heard = try await sound.load(.timeRange).duration.seconds
    #expect(abs(heard - 5 / 60.0) < 0.03, "\(heard)")
    await rig.end()
  }

  /// A provider that hangs is not waited for, and its cancellation is no failure.
  @Test(.timeLimit(.minutes(10))) func stopDoesNotWaitForProvider() async throws {
    let gate = Gate()
    let rig = try Rig(provider: SlowProvider(gate: gate))
    try await rig.session.start()
    rig.source.give(try TestScene.picture(0, hasMap: false))
    for _ in 0..<10000 where !gate.hasWaiter { try await Task.sleep(for: .microseconds(500)) }
    await rig.session.stop()
    #expect(!gate.hasWaiter)
    #expect(await rig.session.failure == nil)
    await rig.end()
  }

  /// `FOCAL_CAPTURE_COUNT=100` is the long run.
  @Test func apertureIsLockedWhileRecordingAndKeptByEachMovie() async throws {
    let rig = try Rig()
    try await rig.session.start()
    try await rig.give(0..<1)
    for wrong: Float in [1.9, 16.1, -1, .nan, .infinity] {
      await #expect(throws: CinematicError.self) {
        try await rig.session.setSimulatedAperture(wrong)
      }
    }
    let count = ProcessInfo.processInfo.environment["FOCAL_CAPTURE_COUNT"].flatMap { Int($0) } ?? 4
    for number in 0..<count {
      let fNumber = 2 + Float(number * 7 % 140) / 10
      try await rig.session.setSimulatedAperture(fNumber)
      let path = rig.path("\(number).mov")
      try await rig.session.startRecording(CaptureRecording(editableMovie: path))
      await #expect(throws: CinematicError.self) {
        try await rig.session.setSimulatedAperture(4)
      }
      try await rig.give((1 + 2 * number)..<(3 + 2 * number))
      let report = try await rig.session.stopRecording()
      #expect(report.movies.allSatisfy { $0.error == nil })
      let movie = try await MovieScript(asset: Asset(path: path))
      #expect(try movie.recording()?.fNumber == fNumber)
      #expect(movie.reader.frameCount == 2)
    }
    await rig.end()
  }

  @Test func soundIsInStepWithPictures() async throws {
    let format = SoundFormat(sampleRate: 48000, channelCount: 2)
    let rig = try Rig(sound: format)
    let path = rig.path("movie.mov")
    try await rig.session.startRecording(CaptureRecording(editableMovie: path))
    try await rig.session.start()
    // A click with the frame 10; pieces of sound jitter, and one is missing.
    for frame in 0..<20 {
      if frame != 4 {
        var samples = [Float](repeating: 0, count: 2 * 1600)
        if frame == 10 {
          for index in 0..<800 { samples[index] = index % 20 < 10 ? 0.8 : -0.8 }
        }
        let jitter = Time(value: Int64(frame * 7919 % 11) - 5, timescale: 1000)
        rig.source.give(
          SoundBuffer(format: format, samples: samples, time: TestScene.time(frame) + jitter))
      }
      try await rig.give(frame..<(frame + 1))
    }
    let report = try await rig.session.stopRecording()
    #expect(report.droppedSoundCount == 0)
    let sound = try #require(try await AssetSound(Asset(path: path)))
    let feed = try #require(try SoundFeed(sound))
    var click: Time?
    var end = Time.zero
    while let buffer = try feed.next() {
      if click == nil, let place = buffer.samples.firstIndex(where: { abs($0) > 0.3 }) {
        click = buffer.time + Time(value: Int64(place / 2), timescale: format.sampleRate)
      }
      end = buffer.time + buffer.duration
    }
    let heard = try #require(click)
    #expect(abs((heard - TestScene.time(10)).seconds) < 0.04)
    #expect(abs((end - TestScene.time(20)).seconds) < 0.04)
    await rig.end()
  }

  /// The luma or chroma of a bi-planar picture, rows without their padding.
  private static func codes(_ picture: PixelBuffer, ofPlane index: Int) -> [Int] {
    let plane = picture.planes[index]
    let isDeep = picture.format.bitsPerComponent == 10
    let count = plane.dimensions.width * plane.bytesPerElement / picture.format.bytesPerComponent
    return picture.withUnsafeBytes(ofPlane: index) { bytes in
      (0..<plane.dimensions.height).flatMap { y in
        let row = y * plane.bytesPerRow
        return (0..<count).map { x -> Int in
          guard isDeep else { return Int(bytes[row + x]) }
          return Int(bytes.loadUnaligned(fromByteOffset: row + 2 * x, as: UInt16.self)) >> 6
        }
      }
    }
  }

  /// Eight bits of HLG and PQ become ten, of the same codes. H.264 of eight bits has standard range.
  @Test(arguments: [ColorTags.hlg, .pq])
  func highDynamicRangeOfEightBitsGetsTen(_ tags: ColorTags) async throws {
    let properties = SourceProperties(
      dimensions: TestScene.size, pixelFormat: .yuv420Video8, tags: tags)
    let rig = try Rig(properties)
    var recording = CaptureRecording(
      editableMovie: rig.path("editable.mov"), bakedMovie: rig.path("baked.mp4"))
    try await rig.session.startRecording(recording)
    try await rig.session.start()
    try await rig.give(0..<3)
    let report = try await rig.session.stopRecording()
    #expect(report.movies.allSatisfy { $0.error == nil }, "\(report.movies)")
    for movie in report.movies {
      let found = try await FrameReader.open(movie.path).properties
      #expect(found.tags == tags && found.bitDepth == 10, "\(movie.path)")
    }
    let picture = try TestScene.picture(0, tags: tags).pixelBuffer
    let stored = try StoredForm(
      rig.path("editable.mov"), properties, recording, isUpright: false
    ).stored(picture)
    #expect(stored.format == .yuv420Video10 && stored.tags == tags)
    for plane in 0..<2 {
      let expected = Self.codes(picture, ofPlane: plane).map { 4 * $0 }
      #expect(Self.codes(stored, ofPlane: plane) == expected, "plane \(plane)")
    }
    recording.coding = FilmCoding(.h264)
    let standard = try recording.pixels(for: properties, in: rig.path("baked.mp4"))
    #expect(standard.tags.transfer.isStandardRange && standard.format == .yuv420Video8)
    // What is of standard range stays of eight bits.
    let plain = try CaptureRecording().pixels(
      for: TestScene.properties, in: rig.path("baked.mp4"))
    #expect(plain.tags == TestScene.properties.tags && plain.format == .yuv420Video8)
    await rig.end()
  }

  /// Two sessions and one name: the second learns it before it begins.
  @Test func nameThatIsRecordedElsewhere() async throws {
    let (rig, other) = (try Rig(), try Rig())
    let path = rig.path("movie.mov")
    try await rig.session.startRecording(CaptureRecording(editableMovie: path))
    try await rig.session.start()
    try await rig.give(0..<2)
    for recording in [
      CaptureRecording(editableMovie: path),
      CaptureRecording(editableMovie: other.path("own.mov"), bakedMovie: path),
    ] {
      let error = await #expect(throws: CinematicError.self) {
        try await other.session.startRecording(recording)
      }
      #expect(error?.code == .invalidState && error?.message.contains(path) == true)
    }
    #expect(await !other.session.isRecording)
    let report = try await rig.session.stopRecording()
    #expect(report.movies.map(\.frameCount) == [2])
    await rig.end()
    await other.end()
  }

  /// A movie that cannot be begun has no frames, whatever the other one has.
  @Test func framesAreCountedByMovie() async throws {
    let rig = try Rig()
    let (editable, baked) = (rig.path("editable.mov"), rig.path("baked.mp4"))
    try await rig.session.startRecording(
      CaptureRecording(editableMovie: editable, bakedMovie: baked))
    // Somebody takes the name of the growing file before the first picture.
    try Data([1]).write(to: URL(fileURLWithPath: InterruptedRecording.path(for: baked)))
    try await rig.session.start()
    try await rig.give(0..<5)
    let failed = await event(of: rig.session) { event in
      if case .movieFailed(let path, let kept, _) = event { [path, kept ?? "none"] } else { nil }
    }
    #expect(failed == [baked, "none"])
    let report = try await rig.session.stopRecording()
    #expect(report.movies.map(\.frameCount) == [5, 0])
    #expect(report.frameCount == 5)
    #expect(report.movies.map { $0.error == nil } == [true, false])
    await rig.end()
  }

  @Test func namesOfStillsAreCheckedBeforehand() throws {
    let folder = TemporaryFolder.make()
    defer { TemporaryFolder.remove(folder) }
    let taken = "\(folder)/taken.png"
    try Data([1]).write(to: URL(fileURLWithPath: taken))
    let cases: [(path: String, code: CinematicError.Code)] = [
      (taken, .unwritable), ("\(folder)/missing/a.png", .unwritable),
      ("\(folder)/a.mov", .invalidParameter), ("\(folder)/%d.png", .invalidParameter),
      ("/dev/full", .invalidParameter),
    ]
    for (path, code) in cases {
      let error = #expect(throws: CinematicError.self) {
        try CaptureSession.checkPhotoName(path)
      }
      #expect(error?.code == code, "\(path)")
    }
    try CaptureSession.checkPhotoName("\(folder)/a.png")
    try CaptureSession.checkPhotoName(taken, overwrite: true)
  }

  @Test func wrongRecordingsAreErrors() async throws {
    let rig = try Rig()
    for recording in [
      CaptureRecording(), CaptureRecording(editableMovie: rig.path("a.mp4")),
      CaptureRecording(bakedMovie: rig.path("a.png")),
      CaptureRecording(editableMovie: rig.path("a.mov"), bakedMovie: rig.path("a.mov")),
      CaptureRecording(editableMovie: rig.path("missing/a.mov")),
    ] {
      let error = await #expect(throws: CinematicError.self) {
        try await rig.session.startRecording(recording)
      }
      #expect(error?.code == .invalidParameter || error?.code == .unwritable)
    }
    await rig.end()
  }
}

/// A provider that waits for the test.
struct SlowProvider: DisparityProvider {
  let name = "a slow provider"
  let gate: Gate

  func estimate(_ input: EstimationInput) async throws(CinematicError) -> DisparityEstimate {
    try await gate.pass()
    do {
      return DisparityEstimate(map: try TestScene.map(0), kind: .metric)
    } catch {
      throw CinematicError(.unknown, "\(error)")
    }
  }
}
