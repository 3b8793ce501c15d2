// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import FocalMedia
import MovieKit
import Testing

/// Releasing an asset and its tracks releases the file, too.
@Suite struct AssetLifetimeTests {
  private struct Remains {
    weak var source: MemorySource?
  }

  /// Loads what tracks keep, then drops everything.
  private static func load(_ bytes: [UInt8]) async throws -> Remains {
    let source = MemorySource(bytes)
    let asset = Asset(source: source)
    _ = try await asset.load(.duration)
    let tracks = try await asset.load(.tracks)
    #expect(!tracks.isEmpty)
    for track in tracks {
      let (timeline, index) = try await track.load(.timeline, .sampleIndex)
      #expect(timeline.count > 0 && index.count > 0)
      _ = try await track.sampleData(0)
    }
    return Remains(source: source)
  }

  /// The task of a load may end a moment after those who waited for it.
  private static func isReleased(_ remains: Remains) async throws -> Bool {
    for _ in 0..<5000 {
      if remains.source == nil { return true }
      try await Task.sleep(nanoseconds: 1_000_000)
    }
    return false
  }

  @Test(arguments: MovieLayout.Form.allCases)
  func moviesAreReleased(_ form: MovieLayout.Form) async throws {
    let remains = try await Self.load(PhoneMovie.layout(form: form).bytes())
    let isReleased = try await Self.isReleased(remains)
    #expect(isReleased)
  }

  @Test(arguments: StreamTests.kinds)
  func filesOfOtherKindsAreReleased(_ kind: StreamTests.Kind) async throws {
    let remains = try await Self.load(try kind.bytes())
    let isReleased = try await Self.isReleased(remains)
    #expect(isReleased)
  }
}
