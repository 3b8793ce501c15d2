// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import FocalMedia
import MovieKit
import Synchronization
import Testing

@Suite struct AssetTests {
  @Test(arguments: MovieLayout.Form.allCases)
  func propertiesOfAPhonesMovie(_ form: MovieLayout.Form) async throws {
    let asset = Asset(source: MemorySource(PhoneMovie.layout(form: form).bytes()))
    let (duration, tracks) = try await asset.load(.duration, .tracks)
    #expect(duration == Time(value: 12, timescale: 30))
    #expect(tracks.map(\.mediaType) == [.video, .auxiliaryPicture, .audio, .metadata])
    #expect(
      try await asset.load(.containsFragments) == (form != .movieLast && form != .movieFirst))
    #expect(try await asset.load(.fileType)?.isQuickTime == true)
    let video = try #require(try await asset.loadTrack(withTrackID: 1))
    let (size, range) = try await video.load(.naturalSize, .timeRange)
    #expect(size == Dimensions(width: 1920, height: 1080))
    #expect(range == TimeRange(start: .zero, duration: duration))
    let (matrix, rate, timeline) = try await video.load(
      .preferredTransform, .nominalFrameRate, .timeline)
    #expect(matrix.quarterTurn == .clockwise90)
    #expect(abs(rate - 30) < 1e-9)
    #expect(timeline.count == 12)
    #expect(try await tracks[3].load(.references) == ["cdsc": [1]])
    #expect(try await asset.loadTracks(withMediaType: .text).isEmpty)
    #expect(try await asset.loadTrack(withTrackID: 9) == nil)
    #expect(
      try await asset.loadTracks(withMediaCharacteristic: .containsHDRVideo).map(\.trackID) == [1])
    #expect(try await asset.loadTracks(withMediaCharacteristic: .audible).map(\.trackID) == [3])
  }

  @Test func metadataItemsLoadTheirValues() async throws {
    let source = MemorySource(PhoneMovie.layout().bytes())
    let asset = Asset(source: source)
    let items = try await asset.load(.metadata)
    #expect(
      items.map(\.key) == ["com.apple.quicktime.make", "com.apple.quicktime.cinematic-video"])
    guard case .notYetLoaded = items[0].status(of: .value) else {
      Issue.record("the value is there before it was loaded")
      return
    }
    #expect(try await items[0].load(.stringValue) == "Apple")
    #expect(try await items[0].load(.value) == .text("Apple"))
    #expect(try await items[1].load(.dataValue) == [])
  }

  /// Texts of QuickTime's user data, each with its length and language in front, of the movie and of a track. Damaged
  /// ones are none.
  @Test func userDataTexts() async throws {
    func text(_ type: FourCC, _ language: UInt16, _ bytes: [UInt8], missing: Int = 0) -> Box {
      Box(type) { writer in
        writer.u16(UInt16(bytes.count + missing))
        writer.u16(language)
        writer.append(bytes)
      }
    }
    let long = [UInt8](repeating: 0x61, count: 300)
    let boxes = [
      text("©nam", 0x15C7, Array("Tür".utf8)), text("©cmt", 0, long),
      text("©ART", 0, [0x8A]), text("©inf", 0, [1, 2], missing: 1), Box("©day", data: [0, 1, 0]),
      Box("name", data: Array("no text".utf8)), text("©xyz", 0x15C7, Array("+1+2/".utf8)),
    ]
    let ended = boxes.flatMap(\.bytes) + [0, 0, 0, 0]
    var layout = PhoneMovie.layout()
    layout.extras.append(Box("udta", data: ended))
    layout.tracks[0].extras = [Box("udta", data: ended)]
    let asset = Asset(source: MemorySource(layout.bytes()))
    let track = try #require(try await asset.loadTrack(withTrackID: 1))
    for items in [try await asset.load(.metadata), try await track.load(.metadata)] {
      let texts = items.filter { $0.namespace == "udta" }
      try #require(texts.map(\.key) == ["©nam", "©cmt", "©ART", "©xyz"])
      #expect(try await texts[0].load(.stringValue) == "Tür")
      #expect(texts[1].byteCount == 300)
      #expect(try await texts[1].load(.dataValue) == long)
      // What old systems call ä is none of UTF-8's.
      #expect(texts[2].dataType == 0)
    }
    var damaged = PhoneMovie.layout()
    damaged.extras.append(Box("udta", data: Array(ended.prefix(12))))
    let other = Asset(source: MemorySource(damaged.bytes()))
    #expect(try await other.load(.metadata).count == 2)
  }

  /// A movie of more than 2 GB: what a duration and the tracks cost.
  @Test(arguments: [MovieLayout.Form.movieLast, .movieFirst])
  func onlyWhatIsNeededIsRead(_ form: MovieLayout.Form) async throws {
    var layout = PhoneMovie.layout(frames: 3000, form: form)
    layout.gap = 2 << 30
    let source = MemorySource(layout.pieces())
    let asset = Asset(source: source)
    #expect(source.readCount == 0)
    #expect(try await asset.load(.duration) == Time(value: 100, timescale: 1))
    #expect(source.bytesRead <= 256, "\(source.readRanges)")
    #expect(source.readCount <= 3)
    let tracks = try await asset.load(.tracks)
    // The heads of four tracks, and not their tables of 3000 samples.
    #expect(source.bytesRead <= 6000, "\(source.readRanges)")
    #expect(source.readCount <= 20)
    let before = source.readCount
    for _ in 0..<3 { _ = try await asset.load(.duration, .tracks) }
    #expect(source.readCount == before)
    _ = try await tracks[0].load(.formatDescriptions)
    #expect(source.bytesRead <= 8000, "\(source.readRanges)")
  }

  /// An index of fragments says their length; without one, their heads are read and no media.
  @Test func fragmentsCostTheirHeads() async throws {
    var layout = PhoneMovie.layout(frames: 400, form: .indexedFragments)
    for sample in layout.tracks[0].samples.indices {
      layout.tracks[0].samples[sample].data = [UInt8](repeating: 1, count: 5000)
    }
    let indexed = MemorySource(layout.bytes())
    let duration = try await Asset(source: indexed).load(.duration)
    #expect(abs(duration.seconds - 400.0 / 30) < 1e-9)
    #expect(indexed.bytesRead <= 4096, "\(indexed.readRanges)")
    layout.form = .fragments
    let plain = MemorySource(layout.bytes())
    #expect(abs(try await Asset(source: plain).load(.duration).seconds - 400.0 / 30) < 1e-6)
    #expect(plain.bytesRead < 200_000, "of two million: \(plain.bytesRead)")
  }

  @Test func howeverManyAskItIsReadOnce() async throws {
    let alone = MemorySource(PhoneMovie.layout().bytes())
    _ = try await Asset(source: alone).load(.duration, .tracks, .metadata)
    let source = MemorySource(PhoneMovie.layout().bytes())
    let asset = Asset(source: source)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<50 {
        group.addTask { _ = try await asset.load(.duration, .tracks, .metadata) }
      }
      try await group.waitForAll()
    }
    #expect(source.readCount == alone.readCount)
    #expect(source.bytesRead == alone.bytesRead)
  }

  /// Holds reads up until it is opened.
  private final class Gate: Sendable {
    private let state = Mutex<(isOpen: Bool, waiting: [CheckedContinuation<Void, Never>])>(
      (false, []))

    func pass() async {
      await withCheckedContinuation { continuation in
        let isOpen = state.withLock { state in
          if !state.isOpen { state.waiting.append(continuation) }
          return state.isOpen
        }
        if isOpen { continuation.resume() }
      }
    }

    func open() {
      let waiting = state.withLock { state in
        state.isOpen = true
        defer { state.waiting = [] }
        return state.waiting
      }
      for continuation in waiting { continuation.resume() }
    }
  }

  @Test func oneWaitersCancellationHurtsNoOther() async throws {
    let gate = Gate()
    let source = MemorySource([(0, PhoneMovie.layout().bytes())]) { await gate.pass() }
    let asset = Asset(source: source)
    guard case .notYetLoaded = asset.status(of: .duration) else {
      Issue.record("loaded before it was asked for")
      return
    }
    let impatient = Task { try await asset.load(.duration) }
    let patient = Task { try await asset.load(.duration) }
    while case .notYetLoaded = asset.status(of: .duration) { await Task.yield() }
    guard case .loading = asset.status(of: .duration) else {
      Issue.record("it is not loading")
      return
    }
    impatient.cancel()
    // It ends while the read still waits.
    let result = await impatient.result
    #expect(throws: CinematicError.self) { try result.get() }
    gate.open()
    #expect(try await patient.value == Time(value: 12, timescale: 30))
    #expect(asset.status(of: .duration).value == Time(value: 12, timescale: 30))
  }

  /// After a cancellation the load is given up, and the next one begins anew.
  @Test func aCancelledLoadCanBeginAgain() async throws {
    let gate = Gate()
    let source = MemorySource([(0, PhoneMovie.layout().bytes())]) { await gate.pass() }
    let asset = Asset(source: source)
    let task = Task { try await asset.load(.tracks).count }
    while case .notYetLoaded = asset.status(of: .tracks) { await Task.yield() }
    task.cancel()
    _ = await task.result
    gate.open()
    #expect(try await asset.load(.tracks).count == 4)
  }

  @Test func failuresAreKeptAndNamed() async throws {
    let bytes = PhoneMovie.layout(form: .movieFirst).bytes()
    let moov = try #require(try Box.parse(bytes[...]).first { $0.type == "moov" })
    let cases: [([UInt8], String)] = [
      (Array(bytes.prefix(moov.size / 2)), "cut short"),
      (Array(PhoneMovie.layout(form: .movieLast).bytes().prefix(200)), "cut short"),
      (Box("free", data: [1, 2, 3]).bytes, "no movie header"),
      (Array("This is a text and not a movie.".utf8), "no movie of a known kind"),
    ]
    for (bytes, reason) in cases {
      let asset = Asset(source: MemorySource(bytes, name: "IMG_7.MOV"))
      let error = await failure { () async throws(CinematicError) in
        _ = try await asset.load(.duration)
      }
      #expect(error?.message.contains("IMG_7.MOV") == true, "\(String(describing: error))")
      #expect(error?.message.contains(reason) == true, "\(String(describing: error))")
      #expect(error?.remedy != nil)
      guard case .failed(let kept) = asset.status(of: .duration) else {
        Issue.record("the failure is not kept")
        continue
      }
      #expect(kept == error)
    }
    let missing = await failure { () async throws(CinematicError) in
      _ = try await Asset(path: "/nowhere/a.mov").load(.duration)
    }
    #expect(missing?.code == .unreadable)
  }

  /// Everything that can be loaded of a small movie that ends at any byte: values or errors.
  @Test(arguments: [MovieLayout.Form.movieFirst, .fragments])
  func truncatedAtEveryByte(_ form: MovieLayout.Form) async throws {
    let bytes = PhoneMovie.layout(frames: 2, form: form).bytes()
    for count in 1..<bytes.count {
      let asset = Asset(source: MemorySource(Array(bytes.prefix(count))))
      let error = await failure { () async throws(CinematicError) in try await Self.loadAll(asset) }
      if let error {
        #expect([.malformed, .unsupported].contains(error.code), "\(count): \(error)")
      }
    }
  }

  @Test func hostileFiles() async throws {
    let seeds = MovieLayout.Form.allCases.map { PhoneMovie.layout(frames: 3, form: $0).bytes() }
    var fuzzer = Fuzzer(seed: 5, seeds)
    for _ in 0..<2000 {
      let asset = Asset(source: MemorySource(fuzzer.next()))
      _ = await failure { () async throws(CinematicError) in try await Self.loadAll(asset) }
    }
  }

  static func loadAll(_ asset: Asset) async throws(CinematicError) {
    let (_, tracks, items) = try await asset.load(.duration, .tracks, .metadata)
    for item in items { _ = try await item.load(.value) }
    for track in tracks {
      _ = try await track.load(
        .formatDescriptions, .naturalSize, .references, .mediaCharacteristics)
      _ = try await track.load(.timeRange, .nominalFrameRate, .estimatedDataRate, .metadata)
    }
    _ = await AssetInfo.isCinematic(asset)
  }
}

/// The error that `body` throws, or `nil`.
func failure(_ body: () async throws(CinematicError) -> Void) async -> CinematicError? {
  do throws(CinematicError) {
    try await body()
    return nil
  } catch {
    return error
  }
}
