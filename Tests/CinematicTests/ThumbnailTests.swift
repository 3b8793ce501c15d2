// SPDX-License-Identifier: Apache-2.0

import FocalCPU
import FocalCinematic
import FocalCore
import FocalMedia
import MovieKit
import Testing

@Suite(.enabled(if: EncodedClip.isPossible, "this FFmpeg has no libx265"))
struct ThumbnailTests {
  // Inlined, it makes the compiler of Swift 6.3.1 crash.
  @inline(never)
  private static func thumbnails(
    _ change: (inout Thumbnails.Settings) -> Void = { _ in }
  ) async throws -> Thumbnails {
    var settings = Thumbnails.Settings()
    change(&settings)
    return try await Thumbnails(
      asset: Movies.asset(Movies.own), devices: [.cpu()], settings: settings)
  }

  /// At any time within a frame, the picture is the export's.
  @Test func equalTheExportsFrames() async throws {
    let folder = Folder()
    // Linear floats: what is written is what was rendered, bit for bit, by BT.709's primaries.
    try await ExportSession(
      assets: [Movies.asset(Movies.own)], to: folder.file("a%02d.pfm"), devices: [.cpu()],
      settings: quick()
    ).export()
    let expected = try await folder.frames("a%02d.pfm").map { $0.picture }
    let thumbnails = try await Self.thumbnails {
      $0.outputFormat = .still(.pfm)
    }
    #expect(thumbnails.dimensions == Dimensions(width: 96, height: 64))
    #expect(thumbnails.timeRange == Movies.frames(0..<Movies.frameCount))
    for number in [7, 0, 11, 3, 4] {
      let (image, time) = try await thumbnails.image(
        at: Movies.time(frame: number) + Time(value: 13, timescale: 600))
      #expect(time == Movies.time(frame: number))
      try PictureWriter.write(image, to: folder.file("b.pfm"), overwrite: true)
      let light = try #require(try await folder.frames("b.pfm").first).picture.allCodes
      #expect(isSame(light, expected[number].allCodes))
    }
  }

  @Test func tolerance() async throws {
    let info = try await AssetInfo(asset: Movies.asset(Movies.own))
    let (index, timeline) = try await info.cinematicVideoTrack.load(.sampleIndex, .timeline)
    let syncs = (0..<timeline.count).filter { index.isSync(timeline[$0].sample) }
    #expect(syncs.count >= 2 && syncs.count < timeline.count)
    let any = try await Self.thumbnails { $0.tolerance = .unlimited }
    for number in 0..<Movies.frameCount {
      let (_, time) = try await any.image(at: Movies.time(frame: number))
      let nearest = syncs.map { abs($0 - number) }.min()
      let found = try #require(syncs.first { Movies.time(frame: $0) == time })
      #expect(abs(found - number) == nearest)
    }
    // Out of reach, it is the exact one.
    let near = try await Self.thumbnails {
      $0.tolerance = .init(before: Movies.time(frame: 1), after: .zero)
    }
    let afterSync = try await near.image(at: Movies.time(frame: syncs[1] + 1)).actualTime
    #expect(afterSync == Movies.time(frame: syncs[1]))
    let beforeSync = try await near.image(at: Movies.time(frame: syncs[1] - 1)).actualTime
    #expect(beforeSync == Movies.time(frame: syncs[1] - 1))
  }

  @Test func severalInTheAskedOrder() async throws {
    let thumbnails = try await Self.thumbnails {
      $0.maximumSize = Dimensions(width: 50, height: 50)
    }
    // Even, and of the movie's shape.
    #expect(thumbnails.dimensions == Dimensions(width: 50, height: 34))
    let numbers = [5, 90, 2, 11]
    var seen: [Int] = []
    for await thumbnail in thumbnails.images(for: numbers.map { Movies.time(frame: $0) }) {
      switch thumbnail {
      case .success(let requested, let image, let actual):
        #expect(requested == actual && image.dimensions == thumbnails.dimensions)
        #expect(image.format == .rgbaFloat)
        seen.append(Int(actual.converted(to: 30).value))
      case .failure(let requested, let error):
        #expect(requested == Movies.time(frame: 90))
        #expect(error.code == .invalidParameter && error.message.contains("memory.mov"))
        seen.append(90)
      }
    }
    #expect(seen == numbers)
    // A cancelled row ends.
    let task = Task { () -> Int in
      var count = 0
      let times = (0..<10000).map { Movies.time(frame: $0 % Movies.frameCount) }
      for await _ in thumbnails.images(for: times) { count += 1 }
      return count
    }
    task.cancel()
    #expect(await task.value < 10000)
  }

  @Test func ofACompositionAndWithOverrides() async throws {
    let info = try await AssetInfo(asset: Movies.asset(Movies.own))
    let part = try await Composition().addTracks(for: info)
    try await part.insertTimeRange(Movies.frames(6..<9), of: info)
    let video = try await VideoComposition(
      cinematic: part, compositor: CinematicCompositor(devices: [.cpu()], quality: .thumbnail))
    let cut = try await Thumbnails(composition: part.composition, videoComposition: video)
    let whole = try await Self.thumbnails()
    let a = try await cut.image(at: Movies.time(frame: 1)).image.allCodes
    let b = try await whole.image(at: Movies.time(frame: 7)).image.allCodes
    #expect(isSame(a, b))
    let sharp = try await Self.thumbnails { $0.overrides.fNumber = .infinity }
    let c = try await sharp.image(at: Movies.time(frame: 7)).image.allCodes
    #expect(!isSame(c, b))
    #expect(whole.movieFocuses.map(\.origin) == [.metadata])
    let error = await failure { () async throws(CinematicError) in
      _ = try await cut.image(at: Movies.time(frame: 3))
    }
    #expect(error?.code == .invalidParameter)
  }
}
