// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import MovieKit
import Testing

@testable import FocalMedia

/// What lies beside pictures and sound in files that other programs wrote.
@Suite struct StoredCompanionTests {
  /// Three seconds of pictures, which nobody decodes.
  static func pictures() -> MovieLayout.Track {
    var track = MovieLayout.Track(
      "vide", timescale: 600, entry: Entry.visual("hvc1", width: 64, height: 48, []),
      samples: (0..<75).map { MovieLayout.Sample([UInt8($0), 1, 2], duration: 24) })
    (track.width, track.height) = (64, 48)
    return track
  }

  static func companions(_ layout: MovieLayout) async throws -> FilmCompanions {
    try await FilmCompanions(
      Asset(source: MemorySource(layout.bytes())), frameDuration: Time(value: 1, timescale: 25))
  }

  /// A movie that was trimmed by its edit lists begins later on the clock.
  @Test(arguments: [(0, "01:00:00:00"), (600, "01:00:01:00"), (1248, "01:00:02:02")])
  func timecodeOfATrimmedMovie(_ start: Int, _ text: String) async throws {
    let clock = try #require(
      Timecode("01:00:00:00", frameDuration: Time(value: 1, timescale: 25)))
    var layout = MovieLayout([
      Self.pictures(),
      MovieLayout.Track(
        "tmcd", timescale: 600, entry: clock.sampleEntry,
        samples: [MovieLayout.Sample(clock.sample, duration: 1800)]),
    ])
    for index in 0..<2 { layout.tracks[index].edits = [(300, start, 1 << 16)] }
    let found = try await Self.companions(layout)
    #expect(found.timecode?.text == text)
    #expect(found.timecodeTime == .zero && found.leftOut.isEmpty)
  }

  /// Edits make hundreds of megabytes of a short sample: no more is taken than a movie's text may have.
  @Test(arguments: [false, true]) func textThatEditsRepeat(isChapters: Bool) async throws {
    var text = MovieLayout.Track(
      isChapters ? "text" : "sbtl", timescale: 600,
      entry: isChapters ? SampleEntry.text : SampleEntry.timedText,
      samples: [
        MovieLayout.Sample(
          SampleEntry.textSample(String(repeating: "a", count: 60_000)), duration: 1_000_000)
      ])
    text.edits = [(Int, Int, Int)](repeating: (10, 0, 1 << 16), count: 3000)
    var layout = MovieLayout([Self.pictures(), text])
    if isChapters { layout.tracks[0].references = [("chap", [2])] }
    let found = try await Self.companions(layout)
    #expect(found.captionTrackCount == 0 && found.chapters.isEmpty)
    let kind = isChapters ? "chapters" : "captions"
    #expect(found.leftOut == ["the \(kind) of track 2, more than 64 MB of text"])
  }
}
