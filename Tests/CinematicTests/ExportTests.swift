// SPDX-License-Identifier: Apache-2.0

import DeviceDoubles
import FocalCPU
import FocalCinematic
import FocalCore
import FocalMedia
import FocalRendering
import FocalScript
import MovieKit
import Synchronization
import Testing

/// Exports of movies that are in no file, joined, trimmed, on failing devices, over HTTP.
@Suite(.enabled(if: EncodedClip.isPossible, "this FFmpeg has no libx265"))
struct ExportTests {
  private static func export(
    _ assets: [Asset], to path: String, _ settings: ExportSession.Settings = quick(),
    devices: [Device] = [.cpu()]
  ) async throws {
    let session = try await ExportSession(
      assets: assets, to: path, devices: devices, settings: settings)
    try await session.export()
    #expect(session.device?.identifier == devices.last?.identifier)
  }

  @Test func joinedEqualsTheSingleOnes() async throws {
    let folder = Folder()
    let (a, b) = (try Movies.asset(Movies.own), try Movies.asset(Movies.other))
    try await Self.export([a], to: folder.file("a%02d.png"))
    try await Self.export([b], to: folder.file("b%02d.png"))
    try await Self.export([a, b, a], to: folder.file("j%02d.png"))
    let single = try await folder.frames("a%02d.png").map(\.codes)
    let other = try await folder.frames("b%02d.png").map(\.codes)
    #expect(single.count == Movies.frameCount && !isSame(single, other))
    let joined = try await folder.frames("j%02d.png").map(\.codes)
    #expect(isSame(joined, single + other + single))
    // As a movie, times go on without a gap.
    try await Self.export([a, b], to: folder.file("j.mp4"))
    #expect(
      try await folder.frames("j.mp4").map(\.time)
        == (0..<(2 * Movies.frameCount)).map { Movies.time(frame: $0) })
  }

  /// A movie in a file, by its path.
  @Test func aPathIsTheMovieInItsFile() async throws {
    let folder = Folder()
    let file = try DataWriter(path: folder.file("own.mov"), temporaryFiles: TemporaryFiles())
    try file.write(try Movies.own.get())
    try file.finish()
    let session = try await ExportSession(
      path: folder.file("own.mov"), to: folder.file("p%02d.png"), device: .cpu(), settings: quick())
    try await session.export()
    try await Self.export([try Movies.asset(Movies.own)], to: folder.file("a%02d.png"))
    let codes = try await folder.frames("p%02d.png").map(\.codes)
    let expected = try await folder.frames("a%02d.png").map(\.codes)
    #expect(codes.count == Movies.frameCount && isSame(codes, expected))
  }

  @Test func trimmedEqualsThePartOfTheWhole() async throws {
    let folder = Folder()
    let asset = try Movies.asset(Movies.own)
    try await Self.export([asset], to: folder.file("a%02d.png"))
    let whole = try await folder.frames("a%02d.png").map(\.codes)
    var settings = quick()
    settings.timeRange = Movies.frames(3..<8)
    try await Self.export([asset], to: folder.file("t%02d.png"), settings)
    // Pictures keep the numbers that they have in the whole.
    #expect(folder.names.filter { $0.hasPrefix("t") }.first == "t03.png")
    #expect(isSame(try await folder.frames("t%02d.png").map(\.codes), Array(whole[3..<8])))
    try await Self.export([asset], to: folder.file("t.mov"), settings)
    #expect(
      try await folder.frames("t.mov").map(\.time) == (0..<5).map { Movies.time(frame: $0) })
    // The same part through a composition of the caller's.
    let info = try await AssetInfo(asset: asset)
    let part = try await Composition().addTracks(for: info)
    try await part.insertTimeRange(Movies.frames(3..<8), of: info)
    let video = try await VideoComposition(
      cinematic: part,
      compositor: CinematicCompositor(devices: [.cpu()], quality: .thumbnail))
    try await ExportSession(
      composition: part.composition, videoComposition: video, to: folder.file("c%02d.png"),
      settings: quick()
    ).export()
    #expect(isSame(try await folder.frames("c%02d.png").map(\.codes), Array(whole[3..<8])))
  }

  /// A part begins with the picture on the screen when the range begins, for the rest of its time, and
  /// ends with the range.
  @Test func partsBeginWithThePictureOnTheScreen() async throws {
    let folder = Folder()
    let asset = try Movies.asset(Movies.own)
    try await Self.export([asset], to: folder.file("a%02d.png"))
    let whole = try await folder.frames("a%02d.png").map(\.codes)
    // A picture is on the screen for 20 ticks: from the middle of 3 to a quarter of 7.
    var settings = quick()
    settings.timeRange = TimeRange(
      start: Time(value: 70, timescale: 600), end: Time(value: 145, timescale: 600))
    try await Self.export([asset], to: folder.file("t%02d.png"), settings)
    #expect(folder.names.filter { $0.hasPrefix("t") }.first == "t03.png")
    #expect(isSame(try await folder.frames("t%02d.png").map(\.codes), Array(whole[3...7])))
    try await Self.export([asset], to: folder.file("t.mov"), settings)
    let times = try await folder.frames("t.mov").map(\.time)
    #expect(times == [0, 10, 30, 50, 70].map { Time(value: $0, timescale: 600) })
    let track = try #require(
      try await Asset(path: folder.file("t.mov")).loadTracks(withMediaType: .video).first)
    #expect(try await track.load(.timeline).shownRange.duration == Time(value: 75, timescale: 600))
  }

  /// A part of a range that the movie does not have is left out, and told.
  @Test func partsEndWithTheMovie() async throws {
    let folder = Folder()
    let asset = try Movies.asset(Movies.own)
    var settings = quick()
    settings.timeRange = Movies.frames(9..<99)
    let session = try await ExportSession(
      assets: [asset], to: folder.file("a.mp4"), devices: [.cpu()], settings: settings)
    #expect(session.timeRange == Movies.frames(9..<Movies.frameCount))
    #expect(session.frameCount == Movies.frameCount - 9)
    let whole = try await ExportSession(
      assets: [asset], to: folder.file("a.mp4"), devices: [.cpu()], settings: quick())
    #expect(whole.timeRange == Movies.frames(0..<Movies.frameCount))
    let joined = try await ExportSession(
      assets: [asset, asset], to: folder.file("a.mp4"), devices: [.cpu()], settings: quick())
    #expect(joined.timeRange == nil)
  }

  /// Where it is asked for, pictures pass code for code; else a movie about whose focus nothing can be
  /// read is focused on the subject of its first map.
  @Test func phoneOriginals() async throws {
    let asset = try Movies.asset(Movies.phone)
    let info = try await AssetInfo(asset: asset)
    let part = try await Composition().addTracks(for: info)
    try await part.insertTimeRange(of: info)
    let compositor = try CinematicCompositor(devices: [.cpu()], quality: .export)
    var asked = FocusOverrides()
    asked.fNumber = .infinity
    let video = try await VideoComposition(
      cinematic: part, compositor: compositor, overrides: asked)
    #expect(video.movieFocuses.map(\.origin) == [.none])
    let format = try await info.cinematicVideoTrack.load(.videoFormat)
    let context = try RenderContext(
      size: video.renderSize, pixelFormat: format.pixelFormat, tags: format.tags)
    let reader = try await CompositionReader(part.composition, video, renderContext: context)
    let source = try await CinematicReader(info)
    for number in 0..<reader.frameCount {
      let picture = try await compositor.compose(reader.request(number: number))
      let image = try await source.frame(number: number).image
      #expect(isSame(picture.allCodes, image.allCodes))
    }
    func rendered(_ overrides: FocusOverrides) async throws -> [UInt8] {
      let blurred = try await VideoComposition(
        cinematic: part, compositor: compositor, overrides: overrides)
      let second = try await CompositionReader(part.composition, blurred, renderContext: context)
      return try await compositor.compose(second.request(number: 4)).allCodes
    }
    let sharp = try await source.frame(number: 4).image.allCodes
    let steady = try await VideoComposition(cinematic: part, compositor: compositor)
    let focus = try #require(steady.movieFocuses.first)
    let subject = try #require(try await source.disparity(number: 0)?.subjectDisparity)
    #expect(focus.origin == .steady && focus.focusDisparity == subject)
    let byItself = try await rendered(FocusOverrides())
    #expect(!isSame(byItself, sharp))
    var overrides = FocusOverrides()
    overrides.focus = .disparity(subject)
    #expect(isSame(try await rendered(overrides), byItself))
    overrides.focus = .point(NormalizedPoint(x: 0.1, y: 0.9))
    overrides.fNumber = 1
    let other = try await rendered(overrides)
    #expect(!isSame(other, byItself) && !isSame(other, sharp))
    // The library's script of such a movie is the same.
    let recording = try await MovieScript(info).recordingOrSteady()
    var scripted = FocusOverrides()
    scripted.script = .given(try Script(recording: recording))
    #expect(isSame(try await rendered(scripted), byItself))
  }

  /// Maps that end a few frames early are held; a movie that lacks them for longer, or at all, is
  /// refused, unless it is asked for sharp.
  @Test func framesWithoutMaps() async throws {
    func movie(maps: Int, enabled: Bool = true) throws -> Asset {
      var layout = try EncodedMovie.layout(frames: 26)
      layout.tracks[1].samples.removeLast(layout.tracks[1].samples.count - maps)
      layout.tracks[1].edits = maps == 0 ? [] : [(maps * 20, layout.tracks[1].edits[0].1, 1 << 16)]
      layout.tracks[1].isEnabled = enabled
      return Asset(source: MemorySource(layout.bytes(), name: "short.mov"))
    }
    func export(_ asset: Asset, _ fNumber: Float?) async throws -> CinematicError? {
      let folder = Folder()
      var settings = quick()
      settings.overrides.fNumber = fNumber
      return await failure { () async throws(CinematicError) in
        try await ExportSession(
          assets: [asset], to: folder.file("a.mov"), devices: [.cpu()], settings: settings
        ).export()
      }
    }
    #expect(try await export(movie(maps: 24), nil) == nil)
    let short = try await export(movie(maps: 6), nil)
    #expect(short?.code == .incomplete && short?.message.contains("short.mov") == true)
    #expect(try await export(movie(maps: 6), .infinity) == nil)
    let none = try await export(movie(maps: 0, enabled: false), 2)
    #expect(none?.code == .incomplete && none?.message.contains("no disparity yet") == true)
    #expect(try await export(movie(maps: 0, enabled: false), .infinity) == nil)
  }

  /// A point is one of the picture as shown, however the movie is stored.
  @Test func disparityAtAPoint() async throws {
    let upright = try await MovieScript(asset: Movies.asset(Movies.upright))
    let stored = try await MovieScript(asset: Movies.asset(Movies.own))
    for (x, y) in [(0.2, 0.3), (0.9, 0.6), (0.5, 0.95)] {
      let shown = NormalizedPoint(x: x, y: y)
      let there = try await upright.disparity(at: Movies.time(frame: 4), point: shown)
      let here = try await stored.disparity(
        at: Movies.time(frame: 4), point: QuarterTurn.clockwise270.applied(to: shown))
      #expect(there == here)
      let map = try await stored.disparity(at: Movies.time(frame: 4))
      #expect(map.disparity(at: QuarterTurn.clockwise270.applied(to: shown)) == here)
    }
    #expect(stored.frameNumber(at: Movies.time(frame: 4) + Time(value: 19, timescale: 600)) == 4)
    // A script of milliseconds says 133 for frame 4.
    #expect(stored.frameNumber(at: Time(value: 133, timescale: 1000)) == 4)
    let error = await failure { () async throws(CinematicError) in
      _ = try await stored.disparity(at: Movies.time(frame: 99))
    }
    #expect(error?.code == .invalidParameter && error?.message.contains("memory.mov") == true)
  }

  /// Every movie of a film keeps its look, and what is given goes before it.
  @Test func looks() async throws {
    let folder = Folder()
    let plain = try Movies.asset(Movies.own)
    let wide = try Movies.asset(Movies.lookingWide)
    var given = quick()
    given.overrides.look.blurScale = 0.5
    try await Self.export([plain], to: folder.file("a%02d.png"))
    try await Self.export([plain], to: folder.file("b%02d.png"), given)
    try await Self.export([wide], to: folder.file("c%02d.png"))
    try await Self.export([plain, wide], to: folder.file("j%02d.png"))
    given.overrides.look.blurScale = RenderingSession.Attributes.defaultBlurScale
    try await Self.export([wide], to: folder.file("d%02d.png"), given)
    func codes(_ name: String) async throws -> [[UInt8]] {
      try await folder.frames(name).map(\.codes)
    }
    let (a, b) = (try await codes("a%02d.png"), try await codes("b%02d.png"))
    #expect(!isSame(a, b))
    #expect(isSame(try await codes("c%02d.png"), b))
    #expect(isSame(try await codes("j%02d.png"), a + b))
    #expect(isSame(try await codes("d%02d.png"), a))
    // A newer version's field has no effect here, and is named.
    let session = try await ExportSession(
      assets: [wide], to: folder.file("e.mov"), devices: [.cpu()], settings: quick())
    #expect(session.movieFocuses.first?.unknownLook == ["flare"])
  }

  /// A movie that was trimmed by its edit lists has the script of the part, though the sample that holds it is hidden.
  @Test func scriptOfATrimmedMovie() async throws {
    let movie = try await MovieScript(asset: Movies.lookingWide(showing: [4..<10]))
    let recording = try #require(try movie.recording())
    #expect(recording.frameTimes.count == 6 && recording.look.blurScale == 0.5)
    #expect(recording.timeRange == Movies.frames(0..<6))
    let script = try Script(recording: recording)
    for frame in 0..<6 {
      let found = try #require(script.frame(at: Movies.time(frame: frame), tolerance: .zero))
      #expect(abs(found.focusDisparity - Float(4 + frame) / 20) < 1e-5)
    }
    #expect(!movie.isScriptCut)
    // The part may begin later in the movie.
    let late = try await MovieScript(asset: Movies.lookingWide(showing: [4..<10], after: 3))
    let moved = try #require(try late.recording())
    #expect(moved.timeRange == Movies.frames(3..<9) && moved.look.blurScale == 0.5)
    let lateScript = try Script(recording: moved)
    for frame in 0..<6 {
      let time = Movies.time(frame: 3 + frame)
      let found = try #require(lateScript.frame(at: time, tolerance: .zero))
      #expect(abs(found.focusDisparity - Float(4 + frame) / 20) < 1e-5)
    }
    // Of several parts the whole script says nothing.
    for parts in [[4..<6, 8..<10], [0..<3, 8..<10]] {
      let cut = try await MovieScript(asset: Movies.lookingWide(showing: parts))
      #expect(cut.isScriptCut && cut.scriptData == nil && cut.hasRenderingAttributes)
    }
    #expect(try await MovieScript(asset: Movies.asset(Movies.own)).isScriptCut == false)
  }

  @Test(arguments: [0, 1, 4, Movies.frameCount - 1])
  func failsOver(_ frame: Int) async throws {
    let folder = Folder()
    let asset = try Movies.asset(Movies.own)
    try await Self.export([asset], to: folder.file("a%02d.png"))
    let told = Told()
    var settings = quick()
    settings.deviceChanged = { told.append($0.new.identifier) }
    try await Self.export(
      [asset], to: folder.file("b%02d.png"), settings,
      devices: [.faulty(.lost(from: frame)), .faulty(.outOfMemory(from: 0)), .cpu()])
    #expect(told.all == ["double:0", "cpu"])
    #expect(
      isSame(
        try await folder.frames("b%02d.png").map(\.codes),
        try await folder.frames("a%02d.png").map(\.codes)))
    // Where no device is left, the failure is the last one's, and nothing stays.
    let error = await failure { () async throws(CinematicError) in
      try await ExportSession(
        assets: [asset], to: folder.file("c.mp4"), devices: [.faulty(.lost(from: frame))],
        settings: quick()
      ).export()
    }
    #expect(error?.code == .deviceLost)
    #expect(!folder.names.contains { $0.contains("c.mp4") })
  }

  private final class Told: Sendable {
    private let names = Mutex<[String]>([])
    func append(_ name: String) { names.withLock { $0.append(name) } }
    var all: [String] { names.withLock { $0 } }
  }

  @Test func overHTTP() async throws {
    let folder = Folder()
    let server = try RangeServer(Movies.own.get())
    defer { server.stop() }
    try await Self.export([Asset.named(server.address)], to: folder.file("h%02d.png"))
    try await Self.export([Movies.asset(Movies.own)], to: folder.file("a%02d.png"))
    #expect(
      isSame(
        try await folder.frames("h%02d.png").map(\.codes),
        try await folder.frames("a%02d.png").map(\.codes)))
    // The samples' blocks once for all tracks, here the whole file, and the boxes beside them.
    #expect(server.bytesSent < 2 * (try Movies.own.get().count))
  }

  /// The first movie decides the size; another shape lies between black bars, in the middle.
  @Test func otherShapesLieBetweenBars() async throws {
    let folder = Folder()
    let (flat, upright) = (try Movies.asset(Movies.own), try Movies.asset(Movies.upright))
    try await Self.export([flat, upright], to: folder.file("j%02d.png"))
    let frames = try await folder.frames("j%02d.png")
    #expect(frames.count == 2 * Movies.frameCount)
    #expect(frames.allSatisfy { $0.picture.dimensions == Dimensions(width: 96, height: 64) })
    func isBlack(_ picture: PixelBuffer, column: Int) throws -> Bool {
      let light = try picture.linearRGBA()
      return light.withUnsafeBytes { bytes in
        (0..<64).allSatisfy { y in
          let pixel = bytes.loadUnaligned(
            fromByteOffset: y * light.planes[0].bytesPerRow + 16 * column, as: SIMD4<Float>.self)
          return pixel.x == 0 && pixel.y == 0 && pixel.z == 0 && pixel.w == 1
        }
      }
    }
    // 64×96 becomes 42×64 from column 26 on.
    for frame in frames.dropFirst(Movies.frameCount) {
      for column in [0, 25, 68, 95] { #expect(try isBlack(frame.picture, column: column)) }
      for column in [26, 47, 67] { #expect(try !isBlack(frame.picture, column: column)) }
    }
    #expect(try !isBlack(frames[0].picture, column: 0))
  }

  @Test func whatDoesNotFitIsNamed() async throws {
    let folder = Folder()
    let asset = try Movies.asset(Movies.own)
    var late = quick()
    late.timeRange = Movies.frames(90..<99)
    var part = quick()
    part.timeRange = Movies.frames(0..<2)
    let cases: [([Asset], String, ExportSession.Settings, String)] = [
      ([], "a.mp4", quick(), "no movie"), ([asset], "a.mp4", late, "memory.mov"),
      ([asset, asset], "a.mp4", part, "time range"), ([asset], "a.png", quick(), "a.png"),
      ([asset], "a.txt", quick(), "a.txt"),
    ]
    for (assets, name, settings, word) in cases {
      let error = await failure { () async throws(CinematicError) in
        _ = try await ExportSession(
          assets: assets, to: folder.file(name), devices: [.cpu()], settings: settings)
      }
      #expect(error?.code == .invalidParameter)
      #expect(error?.message.contains(word) == true, "\(error?.message ?? "no error")")
    }
    let none = await failure { () async throws(CinematicError) in
      _ = try await ExportSession(assets: [asset], to: folder.file("a.mp4"), devices: [])
    }
    #expect(none?.code == .invalidParameter)
    #expect(folder.names.isEmpty)
  }

  /// A track of captions that a movie does not have is not left out of it.
  @Test func captionTracksOutOfRangeAreRefused() async throws {
    let folder = Folder()
    let asset = try Movies.asset(Movies.own)
    for number in [-1, 1000] {
      var settings = quick()
      settings.droppedCaptionTrack = number
      let error = await failure { [settings] () async throws(CinematicError) in
        _ = try await ExportSession(
          assets: [asset], to: folder.file("a.mp4"), devices: [.cpu()], settings: settings)
      }
      #expect(error?.code == .invalidParameter)
      #expect(error?.message.contains("no track of captions \(number)") == true)
    }
    #expect(folder.names.isEmpty)
  }

  /// Sizes that no picture can have are refused before anything is rendered.
  @Test func maximumSizesBelowTwoAreRefused() async throws {
    let folder = Folder()
    let asset = try Movies.asset(Movies.own)
    for side in [-1, 0, 1] {
      let limit = Dimensions(width: side, height: side)
      var settings = quick()
      settings.maximumSize = limit
      let error = await failure { [settings] () async throws(CinematicError) in
        _ = try await ExportSession(
          assets: [asset], to: folder.file("a.mp4"), devices: [.cpu()], settings: settings)
      }
      #expect(error?.code == .invalidParameter)
      var small = Thumbnails.Settings()
      small.maximumSize = limit
      let thumbnails = await failure { [small] () async throws(CinematicError) in
        _ = try await Thumbnails(asset: asset, devices: [.cpu()], settings: small)
      }
      #expect(thumbnails?.code == .invalidParameter)
    }
    #expect(folder.names.isEmpty)
  }

  /// What is said of a single movie is not dropped where a composition is exported.
  @Test func settingsOfMoviesAreRefusedForCompositions() async throws {
    let folder = Folder()
    let info = try await AssetInfo(asset: Movies.asset(Movies.own))
    let part = try await Composition().addTracks(for: info)
    try await part.insertTimeRange(Movies.frames(3..<8), of: info)
    let video = try await VideoComposition(
      cinematic: part, compositor: CinematicCompositor(devices: [.cpu()], quality: .thumbnail))
    var ranged = quick()
    ranged.timeRange = Movies.frames(0..<2)
    var dropping = quick()
    dropping.droppedCaptionTrack = 1
    for (settings, word) in [(ranged, "time range"), (dropping, "captions")] {
      let error = await failure { () async throws(CinematicError) in
        _ = try await ExportSession(
          composition: part.composition, videoComposition: video, to: folder.file("a.mp4"),
          settings: settings)
      }
      #expect(error?.code == .invalidParameter)
      #expect(error?.message.contains(word) == true, "\(error?.message ?? "no error")")
    }
    #expect(folder.names.isEmpty)
  }
}
