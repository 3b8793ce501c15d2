// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import Testing

@testable import FocalCaptions

/// Captions as tracks of movies, coded and read again.
struct TrackTests {
  private static func time(_ value: Int64) -> Time { Time(value: value, timescale: 10) }

  /// Two captions at once, a gap, one in styles.
  private static var captions: [Caption] {
    var style = Caption.Style()
    style.fontStyle = .italic
    style.textColor = .yellow
    var first = Caption("Good morning", timeRange: TimeRange(start: time(10), end: time(30)))
    first.region = .appleITTBottom
    var second = Caption("from above", timeRange: TimeRange(start: time(20), end: time(40)))
    second.region = .appleITTTop
    var third = Caption(
      pieces: [("Ünd ", .plain), ("schräg\nnoch", style)],
      timeRange: TimeRange(start: time(60), end: time(80)))
    third.region = .appleITTBottom
    return [first, second, third]
  }

  private static func track(_ kind: CaptionTrack.Kind) throws -> CaptionTrack {
    try CaptionTrack(
      CaptionDocument(captions: captions, format: .itt, language: "de-AT"), kind: kind)
  }

  @Test(arguments: CaptionTrack.Kind.allCases)
  func samplesFollowEachOther(_ kind: CaptionTrack.Kind) throws {
    let track = try Self.track(kind)
    #expect(CaptionTrack.Kind(track.entry) == kind && track.languageCode == "deu")
    #expect(!track.samples.isEmpty)
    for (a, b) in zip(track.samples, track.samples.dropFirst()) {
      #expect(a.timeRange.end <= b.timeRange.start)
    }
    // An entry names its data reference; whole boxes follow.
    #expect(track.entry.bytes.count >= 16 && track.entry.bytes[15] == 1)
  }

  /// WebVTT and TTML (ISO/IEC 14496-30) keep captions that overlap, places and styles.
  @Test(arguments: [CaptionTrack.Kind.webVTT, .ttml])
  func whole(_ kind: CaptionTrack.Kind) throws {
    let track = try Self.track(kind)
    #expect(track.losses.isEmpty)
    // One sample for each change: 1, 2, 3 and 6 s.
    #expect(track.samples.map(\.timeRange.start) == [10, 20, 30, 60].map(Self.time))
    let back = try CaptionTrack.captions(entry: track.entry, samples: track.samples)
    #expect(back.captions.count == 3 && back.issues.isEmpty, "\(back.captions)")
    for (own, other) in zip(Self.captions, back.captions) {
      #expect(own.text == other.text && own.timeRange == other.timeRange)
      #expect(own.pieces.map(\.style) == other.pieces.map(\.style))
      let places = [own, other].map { ($0.region?.origin?.y.value ?? 85) < 50 }
      #expect(places[0] == places[1])
    }
  }

  /// A sample of TTML is moved with its movie: it says no times of its own.
  @Test func movedDocuments() throws {
    let track = try Self.track(.ttml)
    let moved = track.samples.map { sample in
      (
        timeRange: TimeRange(
          start: sample.timeRange.start + Self.time(50), duration: sample.timeRange.duration),
        data: sample.data
      )
    }
    let back = try CaptionTrack.captions(entry: track.entry, samples: moved)
    #expect(back.captions.map(\.timeRange.start) == [60, 70, 110].map(Self.time))
    // Those of others do, and are seen only while their sample is (14496-30, 5.3).
    let document = """
      <tt xmlns="http://www.w3.org/ns/ttml"><body><div><p begin="1s" end="9s">a</p><p begin="4s">b</p></div></body></tt>
      """
    let foreign = try CaptionTrack.captions(
      entry: track.entry,
      samples: [
        (TimeRange(start: Self.time(20), end: Self.time(50)), Array(document.utf8)),
        (TimeRange(start: Self.time(50), end: Self.time(70)), Array(document.utf8)),
      ])
    #expect(foreign.captions.map(\.text) == ["a", "b"])
    #expect(
      foreign.captions.map(\.timeRange) == [
        TimeRange(start: Self.time(20), end: Self.time(70)),
        TimeRange(start: Self.time(40), end: Self.time(70)),
      ])
  }

  /// TS 26.245: one text a sample, styles by ranges of characters.
  @Test(arguments: [CaptionTrack.Kind.timedText, .quickTimeText])
  func timedText(_ kind: CaptionTrack.Kind) throws {
    let track = try Self.track(kind)
    #expect(track.losses.map(\.reason) == ["captions stand at the bottom, here and later"])
    let back = try CaptionTrack.captions(entry: track.entry, samples: track.samples)
    #expect(
      back.captions.map(\.text) == [
        "Good morning", "Good morning\nfrom above", "from above", "Ünd schräg\nnoch",
      ])
    let last = try #require(back.captions.last)
    #expect(last.pieces.map(\.text) == ["Ünd ", "schräg\nnoch"])
    #expect(last.pieces.map(\.style.fontStyle) == [nil, .italic])
    #expect(last.pieces.map(\.style.textColor) == [nil, .yellow])
  }

  /// The pairs of line 21, each in its frame: the screen is that of the .scc file.
  @Test func line21() throws {
    var random = Seeded(41)
    for _ in 0..<50 {
      let document = try CaptionDocument(reading: RoundTripTests.file(&random))
      let track = try CaptionTrack(document, kind: .cea608)
      let back = try CaptionTrack.captions(entry: track.entry, samples: track.samples)
      #expect(back.captions == document.captions)
      // Times on another clock, a tick off at most, are the same frames.
      let rounded = track.samples.map { sample in
        (
          timeRange: TimeRange(
            start: sample.timeRange.start.converted(to: 24000),
            end: sample.timeRange.end.converted(to: 24000)), data: sample.data
        )
      }
      #expect(
        try CaptionTrack.captions(entry: track.entry, samples: rounded).captions
          == document.captions)
    }
  }

  @Test func kinds() {
    for (format, mp4, mov) in [
      (CaptionFormat.scc, CaptionTrack.Kind.cea608, CaptionTrack.Kind.cea608),
      (.itt, .ttml, .timedText), (.ttml, .ttml, .timedText), (.webVTT, .webVTT, .timedText),
      (.subRip, .timedText, .timedText),
    ] {
      #expect(CaptionTrack.Kind(format, inMP4: true) == mp4)
      #expect(CaptionTrack.Kind(format, inMP4: false) == mov)
    }
  }

  @Test func hostileSamples() throws {
    var random = Seeded(42)
    let error = #expect(throws: CinematicError.self) {
      try CaptionTrack.captions(entry: Box("mp4s", data: [0]), samples: [])
    }
    #expect(error?.code == .unsupported)
    for number in 0..<caseCount(600) {
      let track = try Self.track(CaptionTrack.Kind.allCases[number % 5])
      var samples = track.samples
      for _ in 0..<(1 + random.below(4)) {
        let index = random.below(samples.count)
        guard !samples[index].data.isEmpty else { continue }
        let place = random.below(samples[index].data.count)
        switch random.below(3) {
        case 0: samples[index].data[place] = UInt8(random.below(256))
        case 1: samples[index].data.removeLast(random.below(samples[index].data.count))
        default: samples[index].data.insert(UInt8(random.below(256)), at: place)
        }
      }
      let read = try CaptionTrack.captions(entry: track.entry, samples: samples)
      #expect(read.captions.allSatisfy { $0.timeRange.duration >= .zero })
    }
  }

  /// A track's samples begin at zero, as files do.
  @Test func belowZero() throws {
    let early = TimeRange(
      start: Time(value: -1, timescale: 2), end: Time(value: 1, timescale: 2))
    let document = CaptionDocument(captions: [Caption("Hi", timeRange: early)], format: .ttml)
    for kind in CaptionTrack.Kind.allCases {
      #expect(throws: CinematicError.self) { try CaptionTrack(document, kind: kind) }
    }
    let error = #expect(throws: CinematicError.self) {
      try CaptionTrack(document, kind: .timedText)
    }
    #expect(error?.code == .unsupported)
    #expect(error?.message.contains("-0.5 s") == true)
  }
}
