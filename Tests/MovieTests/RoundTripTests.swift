// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import FocalMedia
import MovieKit
import Testing

/// How many questions a server is asked: each costs a round trip, whatever it brings.
@Suite struct RoundTripTests {
  static let forms: [MovieLayout.Form] = MovieLayout.Form.allCases

  /// All that `focal info` tells of a movie.
  static func describe(_ asset: Asset) async throws {
    _ = try await asset.load(.duration, .tracks, .metadata)
    _ = try await asset.load(.fileType, .containsFragments)
    for item in try await asset.load(.metadata) { _ = try await item.load(.stringValue) }
    #expect(try await AssetInfo.capability(for: asset) == .renderable)
    _ = try await AssetInfo(asset: asset)
    for track in try await asset.load(.tracks) {
      _ = try await track.load(.formatDescriptions, .naturalSize, .timeRange, .timeline)
      _ = try await track.load(.nominalFrameRate, .isEnabled, .metadata, .references)
    }
  }

  /// Forty seconds of which nothing but the head fits into a read.
  static func distant(_ form: MovieLayout.Form, frames: Int = 1200) -> MemorySource {
    let isWhole = form == .movieLast || form == .movieFirst
    var layout = PhoneMovie.layout(frames: frames, form: form)
    if isWhole { layout.gap = 2 << 30 } else { layout.fragmentGap = 1 << 20 }
    return MemorySource(layout.pieces())
  }

  /// Head and `moov`: the length needs the first bytes of both, everything else a read that brings the
  /// rest of `moov`. With `moov` behind the media its place is a question of its own.
  @Test(arguments: [(MovieLayout.Form.movieLast, 4), (.movieFirst, 3)])
  func aWholeMovieTakesAHandful(_ form: MovieLayout.Form, _ limit: Int) async throws {
    let server = try RangeServer(Self.distant(form))
    defer { server.stop() }
    let asset = try Asset.named(server.address)
    #expect(try await asset.load(.duration) == OnDemandTests.duration)
    #expect(server.requestCount <= 2)
    #expect(server.bytesSent <= 192)
    try await Self.describe(asset)
    #expect(server.requestCount <= limit, "\(server.requestCount)")
    print("round trips, \(form): \(server.requestCount), \(server.bytesSent) bytes")
  }

  /// Ten minutes: `moov` is larger than what is read at once. A read for what the server prefers in
  /// each track, and one for the rest of its tables.
  @Test func aLongMovie() async throws {
    let source = Self.distant(.movieLast, frames: 18_000)
    let server = try RangeServer(source)
    defer { server.stop() }
    let asset = try Asset.named(server.address)
    try await Self.describe(asset)
    #expect(server.requestCount <= 8, "\(server.requestCount)")
    // Nothing comes twice: what is sent is `moov` and a few heads.
    let size = try await source.byteCount()
    let moov = try #require(try await BoxBrowser(source).topLevel("moov"))
    #expect(moov.end == size)
    #expect(Int64(server.bytesSent) <= moov.size + 256, "\(server.bytesSent) of \(moov.size)")
    print("round trips, long: \(server.requestCount), \(server.bytesSent) of \(moov.size) bytes")
  }

  /// Tracks of a long movie cost no more beyond their heads than the source prefers.
  @Test func tracksAlone() async throws {
    let server = try RangeServer(Self.distant(.movieLast, frames: 100_000))
    defer { server.stop() }
    let asset = try Asset.named(server.address)
    #expect(try await asset.load(.tracks).count == 4)
    #expect(server.requestCount <= 7, "\(server.requestCount)")
    #expect(server.bytesSent <= 5 * asset.source.preferredReadSize, "\(server.bytesSent)")
  }

  /// One question a fragment, since every sample is wanted, and a few before and behind them.
  @Test(arguments: [MovieLayout.Form.fragments, .indexedFragments, .nestedIndices, .trailingIndex])
  func fragments(_ form: MovieLayout.Form) async throws {
    let source = Self.distant(form)
    let count = try await BoxBrowser(source).topLevel().filter { $0.type == "moof" }.count
    let server = try RangeServer(source)
    defer { server.stop() }
    try await Self.describe(Asset.named(server.address))
    #expect(server.requestCount <= count + 16, "\(server.requestCount) for \(count) fragments")
    print("round trips, \(form): \(server.requestCount) for \(count), \(server.bytesSent) bytes")
  }

  /// Fragments that lie close together come several at a time.
  @Test func smallFragments() async throws {
    let source = MemorySource(PhoneMovie.layout(frames: 4000, form: .fragments).pieces())
    let count = try await BoxBrowser(source).topLevel().filter { $0.type == "moof" }.count
    let server = try RangeServer(source)
    defer { server.stop() }
    try await Self.describe(Asset.named(server.address))
    #expect(server.requestCount <= count / 4, "\(server.requestCount) for \(count) fragments")
    #expect(Int64(server.bytesSent) <= (try await source.byteCount()) + 1 << 20)
  }

  /// Reading ahead changes no result.
  @Test(arguments: forms) func theSameAsWithSmallReads(_ form: MovieLayout.Form) async throws {
    let layout = PhoneMovie.layout(frames: 300, form: form)
    let near = Asset(source: MemorySource(layout.pieces()))
    for size in [1, 100, 3000, 1 << 20] {
      let far = Asset(source: MemorySource(layout.pieces(), preferredReadSize: size))
      #expect(try await far.load(.duration) == (try await near.load(.duration)))
      #expect(try await far.load(.metadata).map(\.key) == near.load(.metadata).map(\.key))
      let tracks = try await (near.load(.tracks), far.load(.tracks))
      #expect(tracks.0.count == tracks.1.count)
      for (a, b) in zip(tracks.0, tracks.1) { try await Self.compare(a, b) }
    }
  }

  private static func compare(_ a: AssetTrack, _ b: AssetTrack) async throws {
    #expect(try await a.load(.timeRange) == (try await b.load(.timeRange)))
    #expect(try await a.load(.formatDescriptions) == (try await b.load(.formatDescriptions)))
    let indices = try await (a.load(.sampleIndex), b.load(.sampleIndex))
    #expect(indices.0.count == indices.1.count)
    for number in 0..<indices.0.count {
      #expect(indices.0[number].offset == indices.1[number].offset)
      #expect(indices.0[number].size == indices.1[number].size)
    }
  }

  /// Nor is one that claims to be larger than any file.
  @Test func nonsenseSize() async throws {
    let pieces = PhoneMovie.layout().pieces()
    for size in [0, 1 << 20] {
      let end = pieces.map { $0.offset + Int64($0.bytes.count) }.max() ?? 0
      let source = MemorySource(pieces, extra: .max - end, preferredReadSize: size)
      let error = await failure { () async throws(CinematicError) in
        _ = try await Asset(source: source).load(.tracks)
      }
      #expect(error?.code == .malformed, "\(String(describing: error))")
    }
  }

  /// A source that prefers nonsense is not believed.
  @Test(arguments: [Int.min, -1, .max]) func nonsense(_ size: Int) async throws {
    let source = MemorySource(PhoneMovie.layout().pieces(), preferredReadSize: size)
    try await Self.describe(Asset(source: source))
  }
}
