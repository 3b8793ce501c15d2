// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import MovieKit
import Testing

@testable import FocalMedia

/// Each number of a movie's index at the ends of what it holds: values or errors, whatever is added and multiplied.
@Suite struct ExtremeNumberTests {
  /// A recording of three frames with a clock, an edit that begins later, and another rate.
  private static func layout(_ form: MovieLayout.Form) throws -> MovieLayout {
    var layout = PhoneMovie.layout(frames: 3, form: form)
    let clock = try #require(
      Timecode("01:00:00:00", frameDuration: Time(value: 20, timescale: 600)))
    layout.tracks.append(
      MovieLayout.Track(
        "tmcd", timescale: 600, entry: clock.sampleEntry,
        samples: [.init(clock.sample, duration: 60)]))
    layout.tracks[4].id = 5
    layout.tracks[0].references = [("tmcd", [5])]
    layout.tracks[2].edits = [(20, -1, 1 << 16), (40, 1470, 1 << 16)]
    for index in 0..<3 { layout.tracks[0].samples[index].compositionOffset = 20 * index }
    return layout
  }

  /// Ends of numbers of 4 and 8 bytes, signed and not.
  private static let ends: [[UInt8]] = [
    [0, 0, 0, 0], [0x7F, 0xFF, 0xFF, 0xFF], [0x80, 0, 0, 0], [0xFF, 0xFF, 0xFF, 0xFF],
    [0x7F] + [UInt8](repeating: 0xFF, count: 7), [0x80] + [UInt8](repeating: 0, count: 7),
  ]

  @Test(arguments: [MovieLayout.Form.movieFirst, .indexedFragments])
  func numbersOfTheIndex(_ form: MovieLayout.Form) async throws {
    let whole = try Self.layout(form).bytes()
    var (read, refused) = (0, 0)
    var start = 0
    for box in try Box.parse(whole[...]) {
      defer { start += box.size }
      guard box.type != "mdat" else { continue }
      // Numbers begin at even places; of fragments, which are read by the same means, some are enough.
      let step = form == .movieFirst ? 2 : 6
      for place in stride(from: start + 8, to: start + box.size - 8, by: step) {
        for end in Self.ends {
          var bytes = whole
          bytes.replaceSubrange(place..<place + end.count, with: end)
          if await Self.reads(bytes) { read += 1 } else { refused += 1 }
        }
      }
    }
    #expect(read > 200 && refused > 200, "\(read) \(refused)")
  }

  /// Looks at what players and exports ask for.
  private static func reads(_ bytes: [UInt8]) async -> Bool {
    let asset = Asset(source: MemorySource(bytes))
    let errors = [
      await failure { () async throws(CinematicError) in
        for track in try await asset.load(.tracks) {
          let timeline = try await track.load(.timeline)
          _ = timeline.shownRange
          for number in 0..<min(timeline.count, 20) { _ = timeline[number].timeRange.end }
          _ = timeline.number(at: Time(value: 1, timescale: 30))
        }
      },
      await failure { () async throws(CinematicError) in
        _ = try await AssetInfo(asset: asset).timeRange.end
      },
      await failure { () async throws(CinematicError) in
        let companions = try await FilmCompanions(
          asset, frameDuration: Time(value: 1, timescale: 30))
        _ = companions.timecode?.advanced(by: companions.timecodeTime).text
      },
    ]
    return errors.allSatisfy { $0 == nil }
  }
}
