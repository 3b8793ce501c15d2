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

  /// Of many boxes that nothing is known of, a dozen are named, each once, and the others counted.
  @Test(.timeLimit(.minutes(10))) func manyUnknownBoxes() async throws {
    let count = 40_000
    var layout = MovieLayout([Self.pictures()])
    layout.extras = (0..<2).flatMap { _ in
      (0..<count).map { Box(FourCC(rawValue: 0x7A00_0000 + UInt32($0)), data: [UInt8]()) }
    }
    let found = try await Self.companions(layout)
    #expect(found.leftOut.count == 13)
    #expect(found.leftOut.last == "\(count - 12) more boxes of the movie")
  }

  /// Metadata of the pictures' track, and beside the movie, are kept; what nothing is known of is named.
  @Test func metadataOfTracksAndFiles() async throws {
    var layout = MovieLayout([Self.pictures()])
    layout.tracks[0].extras = [
      Entry.items([("com.apple.quicktime.camera.lens_model", 1, Array("26 mm".utf8))]),
      Box("abcd", data: [1]),
    ]
    layout.extras = [Box("csgm", data: [1, 2]), Box("udta", data: [0, 0, 0, 0])]
    var packet = Box("uuid", data: Array("<x:xmpmeta/>".utf8))
    packet.extendedType = [
      0xBE, 0x7A, 0xCF, 0xCB, 0x97, 0xA9, 0x42, 0xE8, 0x9C, 0x71, 0x99, 0x94, 0x91, 0xE3, 0xAF,
      0xAC,
    ]
    var other = packet
    other.extendedType = [UInt8](0..<16)
    let handler = Box.full("hdlr") { builder in
      builder.u32(0)
      builder.code("nrtm")
      builder.zeros(13)
    }
    let camera = Box(
      "meta", leading: [0, 0, 0, 0], [handler, Box("xml ", data: [0, 0, 0, 0, 65])])
    let items = Box("meta", leading: [0, 0, 0, 0], [handler, Box("iloc", data: [0, 0, 0, 0])])
    let bytes =
      layout.bytes() + packet.bytes + camera.bytes + other.bytes + items.bytes
      + [UInt8](repeating: 0, count: 37)
    let found = try await FilmCompanions(
      Asset(source: MemorySource(bytes)), frameDuration: Time(value: 1, timescale: 25))
    #expect(found.fileBoxes.map(\.bytes) == [packet.bytes, camera.bytes])
    #expect(found.pictureBoxes.map(\.type) == ["meta"])
    #expect(
      found.leftOut == [
        "the box 'csgm' of the movie",
        "the box 'uuid' 000102030405060708090a0b0c0d0e0f of the file",
        "the box 'meta' of the file", "the box 'abcd' of track 1",
      ])
    // MP4's has a version in front.
    let written = try #require(found.pictureDescriptions(in: .mp4).first)
    #expect(written.data.prefix(4).elementsEqual([0, 0, 0, 0]))
  }

  /// Chapters that begin when nothing is left to be shown are named, and those before are kept.
  @Test(arguments: [(3, "2 chapters that begin"), (4, "a chapter that begins")])
  func chaptersBehindTheEnd(_ kept: Int, _ words: String) async throws {
    let titles = ["one", "two", "three", "four", "five"]
    let text = MovieLayout.Track(
      "text", timescale: 600, entry: SampleEntry.text,
      samples: titles.map { MovieLayout.Sample(SampleEntry.textSample($0), duration: 600) })
    var pictures = Self.pictures()
    // A second more.
    if kept == 4 { pictures.samples[74].duration += 600 }
    var layout = MovieLayout([pictures, text])
    layout.tracks[0].references = [("chap", [2])]
    let found = try await Self.companions(layout)
    #expect(found.chapters.map(\.title) == Array(titles.prefix(kept)))
    #expect(found.leftOut == ["\(words) behind the end"])
  }

  /// Chapters before all pictures and sound are named where the film begins with these; a part does not name those before it.
  @Test(
    arguments: [
      ([-30, -21, -10, 5], 0, ["2 chapters that end before the beginning", Self.cutChapter]),
      ([-30, -21, -10, 5], 10, ["2 chapters that end before the beginning", Self.cutChapter]),
      ([-30, -21, -10, 5], -30, []),
      ([-30, 0, 5], 0, ["a chapter that ends before the beginning"]),
      ([0, 5], 10, []), ([-3], 0, []), ([-30], 0, [Self.cutChapter]), ([], 0, []),
    ] as [([Int64], Int64, [String])])
  func chaptersBeforeTheBeginning(_ chapters: [Int64], _ start: Int64, _ words: [String]) {
    func time(_ tenths: Int64) -> Time { Time(value: tenths, timescale: 10) }
    var companions = FilmCompanions()
    companions.chapters = chapters.map { Chapter(time: time($0), title: "at \($0)") }
    #expect(companions.chaptersBeforeStart(time(start), slack: time(4)) == words)
    companions.origin = time(start)
    #expect(companions.chaptersBeforeStart(.zero, slack: time(4)) == words)
  }

  private static let cutChapter = "the first part of the chapter that goes on at the beginning"

  /// Captions that begin then are named, and those that are cut, but for less than a frame; blank samples are none.
  @Test(arguments: [
    (1790, [String]()), (1824, []), (1825, ["the rest of a caption that goes on behind the end"]),
  ])
  func captionsBehindTheEnd(_ end: Int, _ cut: [String]) async throws {
    func layout(_ texts: [(String, Int)]) -> MovieLayout {
      let text = MovieLayout.Track(
        "sbtl", timescale: 600, entry: SampleEntry.timedText(justification: (1, -1)),
        samples: texts.map { MovieLayout.Sample(SampleEntry.textSample($0.0), duration: $0.1) })
      return MovieLayout([Self.pictures(), text])
    }
    // The pictures end at 1800 of 600 a second.
    let found = try await Self.companions(layout([("one", 1200), ("two", end - 1200), ("", 900)]))
    #expect(found.leftOut == cut && found.captionTrackCount == 1)
    let late = try await Self.companions(layout([("one", 1800), ("two", 300), ("three", 1)]))
    #expect(late.leftOut == ["2 captions that begin behind the end"])
    let last = try await Self.companions(layout([("one", 1200), ("", 900), ("three", 60)]))
    #expect(last.leftOut == ["a caption that begins behind the end"])
  }

  /// Sound that movies share has the descriptions that all of them have; others are named, those of the first movie, too.
  @Test func metadataOfJoinedSound() {
    func movie(_ trackID: UInt32, _ microphone: String) -> FilmCompanions {
      var companions = FilmCompanions()
      companions.soundBoxes = [
        (trackID, [Entry.items([("com.example.microphone", 1, Array(microphone.utf8))])])
      ]
      return companions
    }
    var film = movie(2, "lavalier")
    film.leaveOut(movie(3, "lavalier"), of: "b.mov")
    film.leaveOut(FilmCompanions(), of: "c.mov")
    #expect(film.leftOut.isEmpty)
    for name in ["d.mov", "e.mov"] { film.leaveOut(movie(3, "boom"), of: name) }
    let own = "the metadata of the sound track 2"
    let others = ["d.mov", "e.mov"].map { "the metadata of the sound track 3 of \($0)" }
    #expect(film.leftOut == [own] + others)
    #expect(film.losses(in: .webM) == film.leftOut)
    var silent = FilmCompanions()
    silent.leaveOut(movie(2, "boom"), of: "b.mov")
    #expect(silent.leftOut.isEmpty)
  }

  /// Edits make hundreds of megabytes of a short sample: no more is taken than a movie's text may have.
  @Test(arguments: [false, true]) func textThatEditsRepeat(isChapters: Bool) async throws {
    var text = MovieLayout.Track(
      isChapters ? "text" : "sbtl", timescale: 600,
      entry: isChapters ? SampleEntry.text : SampleEntry.timedText(justification: (1, -1)),
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
