// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import FocalMedia
import MovieKit
import Testing

@Suite struct HTTPTests {
  @Test func onlyRangesAreTransferred() async throws {
    let bytes = PhoneMovie.layout(frames: 300).bytes()
    let server = try RangeServer(bytes)
    defer { server.stop() }
    let asset = try Asset.named(server.address)
    #expect(server.requestCount == 0)
    #expect(try await asset.load(.duration) == Time(value: 10, timescale: 1))
    #expect(server.requestCount <= 3)
    #expect(server.bytesSent <= 256)
    #expect(try await asset.load(.tracks).count == 4)
    // The rest of the movie header, and nothing of the media.
    let moov = try #require(try Box.parse(bytes[...]).first { $0.type == "moov" })
    #expect(server.bytesSent <= moov.size + 256)
    let info = try await AssetInfo(asset: asset)
    #expect(info.capability == .renderable)
  }

  @Test(.enabled(if: EncodedClip.isPossible, "this FFmpeg has no libx265"))
  func framesOverHTTPAreTheSame() async throws {
    let bytes = try ReaderTests.layout().bytes()
    let server = try RangeServer(bytes)
    defer { server.stop() }
    let remote = try await CinematicReader(AssetInfo(asset: try Asset.named(server.address)))
    let local = try await CinematicReader(AssetInfo(asset: Asset(source: MemorySource(bytes))))
    for number in [7, 0, 25] {
      let (a, b) = (try await remote.frame(number: number), try await local.frame(number: number))
      #expect(ReaderTests.codes(a.image) == ReaderTests.codes(b.image))
      #expect(a.metadata == b.metadata)
    }
  }

  @Test func refusals() async throws {
    for (behaviour, code) in [
      (RangeServer.Behaviour.wholeFile, CinematicError.Code.unsupported),
      (.notFound, .unreadable),
    ] {
      let server = try RangeServer(PhoneMovie.layout().bytes(), behaviour: behaviour)
      defer { server.stop() }
      let asset = try Asset.named(server.address)
      let error = await failure { () async throws(CinematicError) in
        _ = try await asset.load(.duration)
      }
      #expect(error?.code == code, "\(String(describing: error))")
      #expect(error?.message.contains(server.address) == true)
      #expect(error?.remedy != nil)
    }
    let server = try RangeServer([1])
    server.stop()
    let gone = await failure { () async throws(CinematicError) in
      _ = try await Asset.named(server.address).load(.duration)
    }
    #expect(gone?.code == .downloadFailed, "\(String(describing: gone))")
    #expect(throws: CinematicError.self) { try HTTPByteSource("ftp://a/b") }
  }
}
