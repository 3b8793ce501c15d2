// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import MovieKit
import Testing

@testable import FocalMedia

/// The frames that compositors get, one by one.
@Suite(.enabled(if: EncodedClip.isPossible, "this FFmpeg has no libx265"))
struct CompositionReaderTests {
  /// Hands pictures through.
  struct PassingCompositor: VideoCompositor {
    var trackID: UInt32 = 1
    func compose(
      _ request: VideoCompositionRequest
    ) async throws(CinematicError) -> PixelBuffer {
      guard let frame = request.sourceFrame(byTrackID: trackID) else {
        throw CinematicError(.incomplete, "no picture")
      }
      return frame.pixelBuffer
    }
  }

  struct Instruction: VideoCompositionInstruction {
    var timeRange: TimeRange
    var requiredSourceTrackIDs: [UInt32]
    var requiredSourceSampleDataTrackIDs: [UInt32] = []
  }

  static let bytes = Result { try EncodedMovie.layout(frames: 26).bytes() }

  static func movie() async throws -> AssetInfo {
    try await AssetInfo(asset: Asset(source: MemorySource(bytes.get())))
  }

  static func frames(_ first: Int64, _ count: Int64) -> TimeRange {
    TimeRange(
      start: Time(value: first * 20, timescale: 600),
      duration: Time(value: count * 20, timescale: 600))
  }

  static func video(
    _ info: CompositionInfo, instruction: [UInt32]? = nil, listed: [UInt32]? = nil
  ) -> VideoComposition {
    var video = VideoComposition(
      renderSize: info.preferredSize, sourceTrackIDForFrameTiming: info.frameTimingTrackID,
      instructions: [
        Instruction(
          timeRange: info.timeRange, requiredSourceTrackIDs: info.videoCompositionTrackIDs,
          requiredSourceSampleDataTrackIDs: instruction ?? info.sampleDataTrackIDs)
      ], compositor: PassingCompositor(trackID: info.cinematicVideoTrackID))
    video.sourceSampleDataTrackIDs = listed ?? info.sampleDataTrackIDs
    return video
  }

  static func reader(
    _ info: CompositionInfo, _ video: VideoComposition? = nil
  ) async throws -> CompositionReader {
    let video = video ?? Self.video(info)
    return try await CompositionReader(
      info.composition, video,
      renderContext: RenderContext(
        size: video.renderSize, pixelFormat: .yuv420Video10, tags: .bt709))
  }

  /// Compositors scale what they draw themselves.
  @Test func contextsKnowTheirScale() throws {
    let (half, whole) = (Dimensions(width: 48, height: 32), Dimensions(width: 96, height: 64))
    let small = try RenderContext(size: half, pixelFormat: .rgba8, tags: .sRGB, renderSize: whole)
    #expect(small.renderScale == 0.5)
    #expect(try RenderContext(size: half, pixelFormat: .rgba8, tags: .sRGB).renderScale == 1)
  }

  /// Whether two things are equal. Outside of `#expect`, which would take minutes to show how two long
  /// rows of numbers differ.
  func isSame<Value: Equatable>(_ a: Value, _ b: Value) -> Bool { a == b }

  /// Picture and map, code for code.
  static func codes(_ request: VideoCompositionRequest, _ info: CompositionInfo) throws -> [[UInt8]]
  {
    try info.videoCompositionTrackIDs.map {
      ReaderTests.codes(try #require(request.sourceFrame(byTrackID: $0)).pixelBuffer)
    }
  }

  /// Parts of two movies one after another give the frames of the movies, in any order.
  @Test func joinedFramesAreThoseOfTheMovies() async throws {
    let (first, second) = (try await Self.movie(), try await Self.movie())
    let expected = try await ReaderTests.sequential(CinematicReader(first))
    let composition = Composition()
    let info = try await composition.addTracks(for: first)
    try await info.insertTimeRange(Self.frames(9, 12), of: first)
    try await info.insertTimeRange(Self.frames(0, 5), of: second)
    try await info.insertTimeRange(Self.frames(20, 6), of: second, at: Self.frames(3, 0).start)
    let numbers = Array(9..<12) + Array(20..<26) + Array(12..<21) + Array(0..<5)
    let reader = try await Self.reader(info)
    #expect(reader.frameCount == numbers.count)
    #expect(reader.timescale == 600)
    var random = Seeded(7)
    let order =
      Array(numbers.indices) + (0..<40).map { _ in Int(random.next() % UInt64(numbers.count)) }
    for number in order {
      let request = try await reader.request(number: number)
      #expect(request.number == number)
      #expect(request.timeRange == Self.frames(Int64(number), 1))
      #expect(reader.frameNumber(at: request.timeRange.start) == number)
      #expect(isSame(try Self.codes(request, info), expected[numbers[number]]))
      let track = info.sampleDataTrackIDs[0]
      #expect(request.sourceSampleData(byTrackID: track) == PhoneMovie.payload(numbers[number]))
      #expect(
        request.sourceTimeRange(byTrackID: info.cinematicVideoTrackID)
          == Self.frames(Int64(numbers[number]), 1))
    }
    #expect(try await reader.openFeedCount() <= 6)
  }

  /// A picture that is on the screen at a cut is shown for the rest of its time, with its own map and
  /// metadata.
  @Test func cutsWithinAFrame() async throws {
    let movie = try await Self.movie()
    let expected = try await ReaderTests.sequential(CinematicReader(movie))
    let info = try await Composition().addTracks(for: movie)
    // From the second half of frame 5 to the first quarter of frame 10.
    try await info.insertTimeRange(
      TimeRange(start: Time(value: 110, timescale: 600), end: Time(value: 205, timescale: 600)),
      of: movie)
    let reader = try await Self.reader(info)
    #expect(reader.frameCount == 6)
    var time = Time.zero
    for number in 0..<6 {
      let request = try await reader.request(number: number)
      let ticks: Int64 = number == 0 ? 10 : number == 5 ? 5 : 20
      #expect(
        request.timeRange == TimeRange(start: time, duration: Time(value: ticks, timescale: 600)))
      time = request.timeRange.end
      #expect(isSame(try Self.codes(request, info), expected[5 + number]))
      #expect(
        request.sourceSampleData(byTrackID: info.sampleDataTrackIDs[0])
          == PhoneMovie.payload(5 + number))
    }
    // A cut that rounding put beside a picture's edge shows no sliver of its neighbour.
    let rounded = try await Composition().addTracks(for: movie)
    try await rounded.insertTimeRange(
      TimeRange(
        start: Time(value: 99999, timescale: 1_000_000),
        end: Time(value: 200001, timescale: 1_000_000)), of: movie)
    let exact = try await Self.reader(rounded)
    #expect(exact.frameCount == 3)
    #expect(exact.timeRange(ofFrame: 0).start == .zero)
    #expect(
      exact.timeRange(ofFrame: 2).end == Time(value: 100002, timescale: 1_000_000))
    #expect(isSame(try Self.codes(try await exact.request(number: 0), rounded), expected[3]))
  }

  /// Steady frames of one timescale and an end of another are whole numbers of ticks.
  @Test func ticksOfSteadyFrames() async throws {
    let movie = try await Self.movie()
    let info = try await Composition().addTracks(for: movie)
    try await info.insertTimeRange(
      TimeRange(start: .zero, end: Time(value: 40001, timescale: 48000)), of: movie)
    var video = Self.video(info)
    video.sourceTrackIDForFrameTiming = nil
    video.frameDuration = Time(value: 1001, timescale: 30000)
    let reader = try await Self.reader(info, video)
    #expect(reader.timescale == 240_000)
    #expect(reader.frameCount == 25)
    for number in 0..<reader.frameCount {
      let range = reader.timeRange(ofFrame: number)
      let start = range.start.converted(to: reader.timescale)
      let end = range.end.converted(to: reader.timescale)
      #expect(start == range.start && end == range.end)
      if number < 24 { #expect(end.value - start.value == 8008) }
    }
  }

  /// As those of other large buffers: devices that share memory use them in place.
  @Test func planesOfLargePicturesBeginOnPages() throws {
    for format in [PixelFormat.rgba8, .yuv420Video10] {
      let context = try RenderContext(
        size: Dimensions(width: 250, height: 122), pixelFormat: format, tags: .bt709)
      let pictures = try (0..<4).map { _ in try context.newPixelBuffer() }
      for picture in pictures {
        for index in picture.planes.indices {
          picture.withUnsafeBytes(ofPlane: index) { bytes in
            #expect(Int(bitPattern: bytes.baseAddress) % 4096 == 0)
          }
        }
      }
    }
  }

  @Test func timescalesWithoutACommonOne() {
    var common = CommonTimescale()
    common.include(30000)
    // Exact on the timescale that is there.
    common.include(Time(value: 96000, timescale: 48000))
    #expect(common.timescale == 30000)
    common.include(Time(value: 1, timescale: .max))
    #expect(common.isTooFine)
    #expect(common.timescale == 1_000_000)
    common.include(Time(value: 1, timescale: .max - 1))
    #expect(common.timescale == 1_000_000)
  }

  /// Metadata arrive only where the video composition and the instruction both list their track.
  @Test func metadataNeedBothLists() async throws {
    let movie = try await Self.movie()
    let info = try await Composition().addTracks(for: movie)
    try await info.insertTimeRange(Self.frames(0, 4), of: movie)
    let track = info.sampleDataTrackIDs[0]
    for (instruction, listed, arrives) in [
      ([track], [track], true), ([track], [], false), ([], [track], false), ([], [], false),
    ] {
      let video = Self.video(info, instruction: instruction, listed: listed)
      let request = try await Self.reader(info, video).request(number: 2)
      let group = request.sourceTimedMetadata(byTrackID: track)
      #expect((group != nil) == arrives)
      #expect(request.sourceSampleDataTrackIDs == (arrives ? [track] : []))
      guard arrives else { continue }
      #expect(group?.items.map(\.key.identifier) == Entry.appleKeys.map(\.0))
      #expect(request.sourceSampleData(byTrackID: track) == PhoneMovie.payload(2))
    }
  }

  /// Without a track that gives the times, frames come steadily, and show what is on the screen.
  @Test func steadyFrames() async throws {
    let movie = try await Self.movie()
    let expected = try await ReaderTests.sequential(CinematicReader(movie))
    let composition = Composition()
    let info = try await composition.addTracks(for: movie)
    try await info.insertTimeRange(Self.frames(0, 6), of: movie)
    try composition.insertEmptyTimeRange(Self.frames(3, 2))
    var video = Self.video(info)
    video.sourceTrackIDForFrameTiming = nil
    video.frameDuration = Time(value: 1, timescale: 60)
    let reader = try await Self.reader(info, video)
    #expect(reader.frameCount == 16)
    for number in 0..<16 {
      let request = try await reader.request(number: number)
      #expect(request.timeRange.start == Time(value: Int64(number), timescale: 60))
      let source = number / 2 < 3 ? number / 2 : number / 2 < 5 ? nil : number / 2 - 2
      if let source {
        #expect(isSame(try Self.codes(request, info), expected[source]))
      } else {
        #expect(request.sourceTrackIDs.isEmpty)
      }
    }
  }

  /// A hundred clips hold the feeds of two, and pictures to compose into go round.
  @Test func manyClipsHoldFewFeeds() async throws {
    let composition = Composition()
    let info = try await composition.addTracks(for: Self.movie())
    func first(_ clip: Int) -> Int { clip * 7 % 24 }
    for clip in 0..<100 {
      try await info.insertTimeRange(Self.frames(Int64(first(clip)), 2), of: Self.movie())
    }
    let expected = try await ReaderTests.sequential(CinematicReader(Self.movie()))
    let reader = try await Self.reader(info)
    #expect(reader.frameCount == 200)
    var most = 0
    for number in 0..<200 {
      let request = try await reader.request(number: number)
      most = max(most, try await reader.openFeedCount())
      let isRight = try Self.codes(request, info) == expected[first(number / 2) + number % 2]
      #expect(isRight, "frame \(number)")
      let picture = try request.renderContext.newPixelBuffer()
      #expect(picture.dimensions == request.renderContext.size)
    }
    #expect(most <= 6)
    #expect(reader.renderContext.allocationCount == 1)
  }

  @Test func cancelledRequestsEnd() async throws {
    let movie = try await Self.movie()
    let info = try await Composition().addTracks(for: movie)
    try await info.insertTimeRange(of: movie)
    let reader = try await Self.reader(info)
    for number in 0..<20 {
      let task = Task { try await reader.request(number: (number * 7) % 26).number }
      if number % 2 == 0 { await Task.yield() }
      task.cancel()
      if case .failure(let error) = await task.result {
        #expect((error as? CinematicError)?.code == .cancelled)
      }
    }
    #expect(try await reader.request(number: 13).number == 13)
  }

  // MARK: - Wrong video compositions

  private func refuses(
    _ info: CompositionInfo, _ code: CinematicError.Code, _ name: String,
    sourceLocation: SourceLocation = #_sourceLocation, _ change: (inout VideoComposition) -> Void
  ) throws {
    var video = Self.video(info)
    change(&video)
    #expect(sourceLocation: sourceLocation) {
      try video.validate(for: info.composition)
    } throws: { error in
      guard let error = error as? CinematicError else { return false }
      return error.code == code && error.message.contains(name) && error.remedy != nil
    }
  }

  @Test func whatDoesNotFitIsNamed() async throws {
    let movie = try await Self.movie()
    let info = try await Composition().addTracks(for: movie)
    try refuses(info, .invalidParameter, "shows nothing") { _ in }
    try await info.insertTimeRange(of: movie)
    try Self.video(info).validate(for: info.composition)
    func instruction(_ first: Int64, _ count: Int64, _ tracks: [UInt32] = [1]) -> Instruction {
      Instruction(timeRange: Self.frames(first, count), requiredSourceTrackIDs: tracks)
    }
    try refuses(info, .invalidParameter, "before") {
      $0.instructions = [instruction(0, 10), instruction(9, 17)]
    }
    try refuses(info, .invalidParameter, "after") {
      $0.instructions = [instruction(0, 10), instruction(11, 15)]
    }
    try refuses(info, .invalidParameter, "end") { $0.instructions = [instruction(0, 25)] }
    try refuses(info, .invalidParameter, "no time") {
      $0.instructions = [instruction(0, 26), instruction(26, 0)]
    }
    try refuses(info, .invalidParameter, "no instruction") { $0.instructions = [] }
    try refuses(info, .invalidParameter, "track 9") { $0.instructions = [instruction(0, 26, [9])] }
    try refuses(info, .incompatible, "track 3") { $0.instructions = [instruction(0, 26, [3])] }
    try refuses(info, .incompatible, "track 1") { $0.sourceSampleDataTrackIDs = [1] }
    try refuses(info, .invalidParameter, "track 8") { $0.sourceTrackIDForFrameTiming = 8 }
    try refuses(info, .invalidParameter, "0x4") { $0.renderSize = Dimensions(width: 0, height: 4) }
    try refuses(info, .invalidParameter, "frames of") {
      $0.sourceTrackIDForFrameTiming = nil
      $0.frameDuration = .zero
    }
  }
}
