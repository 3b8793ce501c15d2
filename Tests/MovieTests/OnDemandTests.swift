// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import FocalMedia
import MovieKit
import Testing

/// The cost of a length and of the tracks of a movie of more than 2 GB, by bytes and reads.
@Suite struct OnDemandTests {
  struct Cost: CustomStringConvertible {
    var bytes: Int64
    var reads: Int
    var description: String { "\(bytes) bytes in \(reads) reads" }
  }

  /// Forty seconds in 300 fragments, or in one piece, with nothing between their media.
  static func source(_ form: MovieLayout.Form) -> MemorySource {
    let isWhole = form == .movieLast || form == .movieFirst
    var layout = PhoneMovie.layout(frames: 1200, form: form)
    if isWhole { layout.gap = 2 << 30 } else { layout.fragmentGap = (2 << 30) / 298 }
    return MemorySource(layout.pieces())
  }

  static let duration = Time(value: 40, timescale: 1)

  /// The limits are those of what has to be read: heads, `mvhd`, indices, first and last fragment.
  @Test(arguments: [
    (MovieLayout.Form.movieLast, Cost(bytes: 256, reads: 3), Cost(bytes: 6000, reads: 20)),
    (.movieFirst, Cost(bytes: 256, reads: 3), Cost(bytes: 6000, reads: 20)),
    (.indexedFragments, Cost(bytes: 6000, reads: 16), Cost(bytes: 9000, reads: 24)),
    (.nestedIndices, Cost(bytes: 4000, reads: 16), Cost(bytes: 7000, reads: 24)),
    (.trailingIndex, Cost(bytes: 30_000, reads: 64), Cost(bytes: 30_000, reads: 64)),
    (.fragments, Cost(bytes: 250_000, reads: 1000), Cost(bytes: 250_000, reads: 1000)),
  ])
  func whatALengthAndTheTracksCost(
    _ form: MovieLayout.Form, _ forDuration: Cost, _ forTracks: Cost
  ) async throws {
    let source = Self.source(form)
    #expect(try await source.byteCount() > 2 << 30)
    let asset = Asset(source: source)
    #expect(source.readCount == 0)
    #expect(try await asset.load(.duration) == Self.duration)
    let first = Cost(bytes: source.bytesRead, reads: source.readCount)
    #expect(first.bytes <= forDuration.bytes && first.reads <= forDuration.reads, "\(first)")
    #expect(try await asset.load(.tracks).count == 4)
    let both = Cost(bytes: source.bytesRead, reads: source.readCount)
    #expect(both.bytes <= forTracks.bytes && both.reads <= forTracks.reads, "\(both)")
    print("on demand, \(form): duration \(first), with tracks \(both)")
  }

  /// When tracks are shown costs no more than the length where an index tells of the last fragments.
  @Test(arguments: [
    MovieLayout.Form.indexedFragments, .nestedIndices, .trailingIndex,
  ])
  func whenTracksAreShown(_ form: MovieLayout.Form) async throws {
    let source = Self.source(form)
    let asset = Asset(source: source)
    for track in try await asset.load(.tracks) {
      let range = try await track.load(.timeRange)
      #expect(range == TimeRange(start: .zero, duration: Self.duration), "\(track.mediaType)")
    }
    #expect(source.bytesRead <= 40_000, "\(source.bytesRead)")
    // And it is what all fragments say together.
    let video = try await asset.load(.tracks)[0]
    #expect(try await video.load(.timeline).shownRange.duration == Self.duration)
  }

  @Test(arguments: [
    MovieLayout.Form.movieLast, .movieFirst, .indexedFragments, .nestedIndices, .trailingIndex,
  ])
  func overHTTP(_ form: MovieLayout.Form) async throws {
    let server = try RangeServer(Self.source(form))
    defer { server.stop() }
    let asset = try Asset.named(server.address)
    #expect(try await asset.load(.duration) == Self.duration)
    let isWhole = form == .movieLast || form == .movieFirst
    let (bytes, requests) = (server.bytesSent, server.requestCount)
    // Where the length is looked for behind the fragments, one read brings what the server prefers.
    #expect(bytes <= (isWhole ? 192 : 140_000), "\(bytes)")
    #expect(requests <= (isWhole ? 2 : 8), "\(requests)")
    print("on demand over HTTP, \(form): duration \(bytes) bytes in \(requests) requests")
  }

  /// An index that ends before the last fragments, or leads nowhere, costs a walk and no truth.
  @Test func wrongIndices() async throws {
    for form in [MovieLayout.Form.trailingIndex, .indexedFragments, .nestedIndices] {
      let whole = PhoneMovie.layout(frames: 40, form: form).bytes()
      let expected = try await Self.ranges(whole)
      let boxes = try Box.parse(whole[...])
      let type: FourCC = form == .trailingIndex ? "mfra" : "sidx"
      let place = boxes.prefix { $0.type != type }.reduce(0) { $0 + $1.size }
      let size = try #require(boxes.first { $0.type == type }).size
      // Every number of the index in turn becomes another one: the tracks are shown when they were.
      for offset in stride(from: place + 24, to: place + size - 16, by: 4) {
        var bytes = whole
        bytes[offset + 3] ^= 0x15
        let ranges = try await Self.ranges(bytes)
        #expect(ranges == expected, "\(form) \(offset - place)")
        guard form != .trailingIndex else { continue }
        // The length of the movie is what the index of segments says: a wrong duration in it is a
        // wrong length. An index that cannot be read or leads nowhere must not stop anything.
        let duration: Time = try await Asset(source: MemorySource(bytes)).load(.duration)
        #expect(duration > .zero, "\(form) \(offset - place)")
      }
    }
  }

  private static func ranges(_ bytes: [UInt8]) async throws -> [TimeRange] {
    var ranges: [TimeRange] = []
    for track in try await Asset(source: MemorySource(bytes)).load(.tracks) {
      ranges.append(try await track.load(.timeRange))
    }
    return ranges
  }
}
