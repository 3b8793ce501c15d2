// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCPU
import FocalCinematic
import FocalCore
import FocalMedia
import FocalSubjects
import MovieKit
import Testing

/// Subjects of movies before another background, through a composition.
@Suite(.enabled(if: EncodedClip.isPossible, "this FFmpeg has no libx265"))
struct SubjectCompositorTests {
  private static let size = Dimensions(width: 192, height: 128)
  private static let frameCount = 6

  /// The middle of a bright disc that moves to the right.
  private static func middle(_ frame: Int) -> (x: Int, y: Int) { (80 + 4 * frame, 64) }

  private static func isInside(_ frame: Int, _ x: Int, _ y: Int) -> Bool {
    let (u, v) = (x - middle(frame).x, y - middle(frame).y)
    return u * u + v * v < 1600
  }

  /// The disc before a dark wall, with its maps.
  private static let movie = Result {
    let picture = try EncodedClip(
      width: size.width, height: size.height, frames: frameCount
    ) { frame, plane, x, y in
      if plane > 0 { return isInside(frame, 2 * x, 2 * y) ? (plane == 1 ? 420 : 620) : 530 }
      return isInside(frame, x, y) ? 700 + (x * 7 + y * 5) % 40 : 200 + (x * 3 + y * 11) % 30
    }
    let map = try EncodedClip(
      width: size.width / 2, height: size.height / 2, frames: frameCount,
      parameters: "lossless=1:keyint=5:bframes=2:log-level=none"
    ) { frame, plane, x, y in
      plane > 0 ? 512 : isInside(frame, 2 * x, 2 * y) ? 800 : 200
    }
    var video = MovieLayout.Track(
      "vide", timescale: 600, entry: picture.entry, samples: picture.samples)
    (video.width, video.height) = (size.width, size.height)
    video.edits = [(frameCount * 20, picture.delay, 1 << 16)]
    var disparity = MovieLayout.Track(
      "auxv", timescale: 600, entry: Box("dish", data: map.entry.data), samples: map.samples)
    disparity.edits = [(frameCount * 20, map.delay, 1 << 16)]
    let metadata = MovieLayout.Track(
      "meta", timescale: 600,
      entry: Entry.metadata(Entry.appleKeys.map { (name: $0.0, type: $0.1) }),
      samples: (0..<frameCount).map { MovieLayout.Sample(PhoneMovie.payload($0), duration: 20) })
    return MovieLayout([video, disparity, metadata]).bytes()
  }

  private static func part() async throws -> CompositionInfo {
    let info = try await AssetInfo(asset: Movies.asset(movie))
    let part = try await Composition().addTracks(for: info)
    try await part.insertTimeRange(of: info)
    return part
  }

  private static func video(
    _ part: CompositionInfo, _ effect: SubjectEffect
  ) async throws -> VideoComposition {
    try await VideoComposition(
      subjectsOf: part.cinematicVideoTrackID, in: part.composition,
      disparityTrackID: part.cinematicDisparityTrackID, effect: effect,
      compositor: SubjectCompositor(devices: [.cpu()]))
  }

  private static let green = SubjectEffect(background: .plain(red: 0, green: 1, blue: 0))

  /// Whether the middle of the disc is its own, and the corner green.
  private static func isRight(_ picture: PixelBuffer, _ frame: Int) throws -> Bool {
    let light = try picture.linearRGBA()
    let stride = light.planes[0].bytesPerRow
    return light.withUnsafeBytes { bytes in
      func pixel(_ x: Int, _ y: Int) -> SIMD4<Float> {
        bytes.load(fromByteOffset: y * stride + 16 * x, as: SIMD4<Float>.self)
      }
      let (own, corner) = (pixel(middle(frame).x, middle(frame).y), pixel(4, 4))
      return own.x > 0.3 && own.y < 0.9 && corner.y > 0.8 && corner.x < 0.1
    }
  }

  @Test func followsThroughAnExport() async throws {
    let folder = Folder()
    let part = try await Self.part()
    let session = try await ExportSession(
      composition: part.composition, videoComposition: Self.video(part, Self.green),
      to: folder.file("green.mov"), settings: quick())
    try await session.export()
    let frames = try await folder.frames("green.mov")
    #expect(frames.count == Self.frameCount)
    for (number, frame) in frames.enumerated() {
      #expect(try Self.isRight(frame.picture, number), "\(number)")
    }
  }

  /// Frames by themselves, in any order, and one twice; half as large, between black bars.
  @Test func composesSingleFrames() async throws {
    let part = try await Self.part()
    let video = try await Self.video(part, Self.green)
    let context = try RenderContext(size: Self.size, pixelFormat: .rgba8, tags: .sRGB)
    let reader = try await CompositionReader(part.composition, video, renderContext: context)
    var first: [UInt8] = []
    for number in [4, 1, 2, 4, 4] {
      let picture = try await video.compositor.compose(reader.request(number: number))
      #expect(try Self.isRight(picture, number), "\(number)")
      if number == 4, first.isEmpty { first = picture.allCodes }
      if number == 4 { #expect(isSame(first, picture.allCodes)) }
    }
    let small = try RenderContext(
      size: Dimensions(width: 96, height: 96), pixelFormat: .rgba8, tags: .sRGB)
    let reduced = try await CompositionReader(part.composition, video, renderContext: small)
    let picture = try await video.compositor.compose(reduced.request(number: 0))
    let codes = picture.allCodes
    #expect(Array(codes[0..<4]) == [0, 0, 0, 255])
    #expect(codes[4 * (20 * 96 + 2) + 1] > 240)
  }

  /// A transparent background needs alpha.
  @Test func leavesTransparency() async throws {
    let folder = Folder()
    let part = try await Self.part()
    let clear = SubjectEffect(background: .transparent)
    let session = try await ExportSession(
      composition: part.composition, videoComposition: Self.video(part, clear),
      to: folder.file("%04d.png"), settings: quick())
    try await session.export()
    let picture = try #require(try await folder.frames("%04d.png").first).picture
    let light = try picture.linearRGBA()
    let alpha = light.withUnsafeBytes { bytes in
      [(4, 4), Self.middle(0)].map { x, y in
        bytes.load(
          fromByteOffset: y * light.planes[0].bytesPerRow + 16 * x + 12, as: Float.self)
      }
    }
    #expect(alpha == [0, 1])
    let opaque = try await ExportSession(
      composition: part.composition, videoComposition: Self.video(part, clear),
      to: folder.file("clear.mov"), settings: quick())
    let error = await failure { () async throws(CinematicError) in try await opaque.export() }
    #expect(error?.code == .invalidParameter, "\(String(describing: error))")
    #expect(!folder.names.contains("clear.mov"))
  }

  private static func pixels(_ picture: PixelBuffer) throws -> [SIMD4<Float>] {
    let light = try picture.linearRGBA()
    return light.withUnsafeBytes { Array($0.bindMemory(to: SIMD4<Float>.self)) }
  }

  /// OpenEXR has colours multiplied by alpha, from exports and thumbnails alike, and so have pictures whose context says
  /// so.
  @Test func multipliesByAlpha() async throws {
    let folder = Folder()
    let part = try await Self.part()
    func video() async throws -> VideoComposition {
      try await Self.video(part, SubjectEffect(background: .transparent))
    }
    var settings = Thumbnails.Settings()
    settings.outputFormat = .still(.openEXR)
    let thumbnails = try await Thumbnails(
      composition: part.composition, videoComposition: video(), settings: settings)
    func composed(_ holdsPremultipliedAlpha: Bool) async throws -> [SIMD4<Float>] {
      let transparent = try await video()
      let context = try RenderContext(
        size: Self.size, pixelFormat: .rgbaFloat, tags: thumbnails.writerSettings.tags,
        holdsPremultipliedAlpha: holdsPremultipliedAlpha)
      let reader = try await CompositionReader(
        part.composition, transparent, renderContext: context)
      let picture = try await transparent.compositor.compose(reader.request(number: 0))
      return try Self.pixels(picture)
    }
    let straight = try await composed(false)
    let expected = straight.map { SIMD4($0.x * $0.w, $0.y * $0.w, $0.z * $0.w, $0.w) }
    let softCount = straight.count { $0.w > 0.2 && $0.w < 0.8 && $0.x > 0.1 }
    #expect(softCount > 20)
    #expect(isSame(try await composed(true), expected))
    let thumbnail = try await thumbnails.image(at: .zero).image
    #expect(isSame(try Self.pixels(thumbnail), expected))
    try await ExportSession(
      composition: part.composition, videoComposition: video(), to: folder.file("%04d.exr"),
      settings: quick()
    ).export()
    // Both files are read in the same primaries. The export's holds half floats, of 11 bits.
    try PictureWriter.write(
      thumbnail, to: folder.file("t.exr"), temporaryFiles: TemporaryFiles())
    let exported = try #require(try await folder.frames("%04d.exr").first).picture
    let written = try #require(try await folder.frames("t.exr").first).picture
    let off = zip(try Self.pixels(exported), try Self.pixels(written)).map { pair -> Float in
      let off: SIMD4<Float> = pair.0 - pair.1
      return max(off.max(), -off.min()) / max(pair.1.max(), 1 / 1024)
    }
    #expect(try #require(off.max()) <= 1 / 1024)
  }

  @Test func refusesOtherInstructionsAndNumbers() async throws {
    let part = try await Self.part()
    let wrong = SubjectEffect(look: .posterized(levels: 1))
    await #expect(throws: CinematicError.self) { try await Self.video(part, wrong) }
    var video = try await VideoComposition(
      cinematic: part, compositor: SubjectCompositor(devices: [.cpu()]))
    let context = try RenderContext(size: Self.size, pixelFormat: .rgba8, tags: .sRGB)
    let reader = try await CompositionReader(part.composition, video, renderContext: context)
    let request = try await reader.request(number: 0)
    let compositor = video.compositor
    let error = await failure { () async throws(CinematicError) in
      _ = try await compositor.compose(request)
    }
    #expect(error?.code == .incompatible)
    video.instructions = []
    #expect(throws: CinematicError.self) { try video.validate(for: part.composition) }
  }
}
