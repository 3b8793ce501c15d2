// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import FocalMedia
import MovieKit
import Testing

/// Edit lists that show a few samples again and again: a small file, and a day's work.
@Suite struct MultipliedEditTests {
  /// A movie of twelve samples, all of which each edit shows.
  private static func asset(edits: Int) -> Asset {
    var layout = PhoneMovie.layout()
    layout.tracks[0].edits = Array(repeating: (240, 0, 1 << 16), count: edits)
    return Asset(source: MemorySource(layout.bytes()))
  }

  @Test func repetitionsAreShown() async throws {
    let track = try #require(try await Self.asset(edits: 100).load(.tracks).first)
    #expect(try await track.load(.timeline).count == 1200)
  }

  @Test func aMillionOfTwelveAreRefused() async throws {
    let track = try #require(try await Self.asset(edits: 90_000).load(.tracks).first)
    let error = await failure { () async throws(CinematicError) in
      _ = try await track.load(.timeline)
    }
    #expect(error?.code == .malformed)
    #expect(error?.message.contains("edit list") == true, "\(error as Any)")
  }
}
