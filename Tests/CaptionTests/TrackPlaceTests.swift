// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import Testing

@testable import FocalCaptions

/// Places, regions and inner times of captions in movies' tracks.
struct TrackPlaceTests {
  private static func webVTT(_ cues: String, head: String = "") throws -> CaptionDocument {
    try CaptionDocument(reading: Array("WEBVTT\n\n\(head)\(cues)".utf8))
  }

  private static func back(
    _ document: CaptionDocument, _ kind: CaptionTrack.Kind
  ) throws -> (track: CaptionTrack, captions: [Caption]) {
    let track = try CaptionTrack(document, kind: kind)
    let read = try CaptionTrack.captions(entry: track.entry, samples: track.samples)
    #expect(read.issues.isEmpty, "\(read.issues)")
    return (track, read.captions)
  }

  /// Cues that differ in nothing but the side that their lines grow from stay apart, at once and one after the other.
  @Test(arguments: [CaptionTrack.Kind.webVTT, .ttml]) func sides(_ kind: CaptionTrack.Kind) throws {
    let places = ["line:-1", "line:0", "line:50%,center"]
    for isAtOnce in [true, false] {
      let cues = places.enumerated().map { index, place in
        let start = isAtOnce ? 1 : index + 1
        return "00:0\(start).000 --> 00:0\(start + 1).000 \(place)\nNo!"
      }
      let document = try Self.webVTT(cues.joined(separator: "\n\n"))
      let captions = try Self.back(document, kind).captions
      #expect(captions.map { $0.region?.displayAlignment } == [.after, .before, .center])
      #expect(captions.map(\.timeRange) == document.captions.map(\.timeRange))
    }
  }

  /// Regions are in the sample entry, and times within a cue count from where it began in the file.
  @Test func regionsAndTimes() throws {
    let head = """
      REGION
      id:fred
      width:40%
      lines:3
      regionanchor:0%,0%
      viewportanchor:10%,10%
      scroll:up


      """
    let document = try Self.webVTT(
      """
      00:01.000 --> 00:02.000 region:fred align:left
      Hello

      00:03.000 --> 00:05.000
      One <00:04.000>two

      00:04.500 --> 00:06.000 line:0
      over
      """, head: head)
    let (track, captions) = try Self.back(document, .webVTT)
    #expect(captions == document.captions && track.losses.isEmpty)
    let region = try #require(document.captions.first?.region)
    #expect(captions.first?.region?.isIdentical(to: region) == true)
    let head14496 = try #require(
      try Box.prefix(track.entry.bytes[16...], count: .max).first { $0.type == "vttC" })
    let text = String(decoding: head14496.data, as: UTF8.self)
    #expect(text.hasPrefix("WEBVTT\n\nREGION\nid:fred\n"))
    let cue = try #require(try Box.prefix(track.samples[1].data[...], count: .max).first)
    let parts = try Box.prefix(cue.data, count: .max)
    func part(_ type: FourCC) -> String? {
      parts.first { $0.type == type }.map { String(decoding: $0.data, as: UTF8.self) }
    }
    #expect(part("ctim") == "00:00:03.000" && part("payl") == "One <00:00:04.000>two")
    // A cue that says no beginning has times of the movie.
    let bare = Box("vttc", [Box("payl", data: Array("One <00:00:04.000>two".utf8))])
    let read = try CaptionTrack.captions(
      entry: track.entry, samples: [(document.captions[1].timeRange, bare.bytes)])
    #expect(read.captions.map(\.revealTimes) == [document.captions[1].revealTimes])
  }

  /// A cue that goes on over several samples says in each which time it begins at (ISO/IEC 14496-30, `ctim`). It is one,
  /// also on another clock and where its beginning is cut off; what an edit shows again is another one.
  @Test func cuesInSeveralSamples() throws {
    let document = try Self.webVTT(
      """
      00:01.000 --> 00:04.000
      Hi <00:03.000>later

      00:02.000 --> 00:05.000
      Other
      """)
    let (track, captions) = try Self.back(document, .webVTT)
    #expect(captions == document.captions)
    let times = try track.samples.flatMap { sample in
      try Box.prefix(sample.data[...], count: .max).compactMap { cue in
        try Box.prefix(cue.data, count: .max).first { $0.type == "ctim" }
          .map { String(decoding: $0.data, as: UTF8.self) }
      }
    }
    #expect(times == ["00:00:01.000", "00:00:02.000"])
    func read(_ samples: [CaptionTrack.Sample]) throws -> [Caption] {
      try CaptionTrack.captions(entry: track.entry, samples: samples).captions
    }
    let moved = Time(value: 7, timescale: 30)
    let other = try read(
      track.samples.map { sample in
        (
          TimeRange(
            start: (sample.timeRange.start + moved).converted(to: 1001),
            end: (sample.timeRange.end + moved).converted(to: 1001)), sample.data
        )
      })
    #expect(other.map(\.text) == ["Hi later", "Other"])
    #expect(abs((other[0].revealTimes.last?.seconds ?? 0) - 2) < 0.002)
    let start = Time(value: 5, timescale: 2)
    let cut = try read(
      track.samples.dropFirst().map { sample in
        let first = max(sample.timeRange.start, start)
        return (
          TimeRange(start: first - start, end: sample.timeRange.end - start),
          CaptionTrack.data(of: sample, in: track.entry, from: first)
        )
      })
    #expect(cut.map(\.text) == ["Hi later", "Other"])
    #expect(
      cut[0].timeRange == TimeRange(start: .zero, duration: Time(value: 3, timescale: 2))
        && cut[0].revealTimes.last == Time(value: 1, timescale: 2))
    // Of others, times that nothing is said of are the movie's.
    let bare = Box("vttc", [Box("payl", data: Array("Hi <00:00:03.000>later".utf8))])
    let range = TimeRange(start: Time(value: 1, timescale: 1), end: Time(value: 4, timescale: 1))
    let bytes = CaptionTrack.data(of: (range, bare.bytes), in: track.entry, from: start)
    let rest = try read([(TimeRange(start: .zero, end: range.end - start), bytes)])
    #expect(rest.map { $0.revealTimes.last } == [Time(value: 1, timescale: 2)])
    let again = TimeRange(start: range.end, end: range.end + range.duration)
    let twice = try read([(range, bytes), (again, bytes)])
    #expect(twice.map(\.timeRange) == [range, again])
  }

  /// ISO/IEC 14496-30, `vsid`: the parts of a cue have one number, so that cues alike, one behind the other, stay apart.
  @Test func sourcesOfCues() throws {
    let document = try Self.webVTT(
      """
      00:01.000 --> 00:03.000
      No!

      00:02.000 --> 00:04.000
      Yes

      00:03.000 --> 00:05.000
      No!

      00:05.000 --> 00:06.000
      No!
      """)
    let (track, captions) = try Self.back(document, .webVTT)
    #expect(captions == document.captions)
    func sources(_ sample: CaptionTrack.Sample) throws -> [[UInt8]?] {
      try Box.prefix(sample.data[...], count: .max).map { cue in
        try Box.prefix(cue.data, count: .max).first { $0.type == "vsid" }.map { Array($0.data) }
      }
    }
    // From 1, 2, 3, 4 and 5 s: of the last cue there is no second part.
    let written = try track.samples.map { try sources($0) }
    let first: [UInt8]? = [0, 0, 0, 1]
    let second: [UInt8]? = [0, 0, 0, 2]
    let third: [UInt8]? = [0, 0, 0, 3]
    let expected: [Set<[UInt8]?>] = [[first], [first, second], [second, third], [third], [nil]]
    #expect(written.map { Set($0) } == expected)
    // Of others, whose cues say nothing, those alike are one.
    func cue(_ source: UInt8?) -> [UInt8] {
      var boxes = [Box("payl", data: Array("No!".utf8))]
      if let source { boxes.insert(Box("vsid", data: [255, 0, 0, source]), at: 0) }
      return Box("vttc", boxes).bytes
    }
    let cases: [([UInt8?], Int)] = [
      ([nil, nil, nil], 1), ([7, 7, 7], 1), ([7, 8, 8], 2), ([7, nil, nil], 3), ([7, nil, 7], 3),
    ]
    for (sources, count) in cases {
      let samples = sources.enumerated().map { number, source -> CaptionTrack.Sample in
        let start = Time(value: Int64(number), timescale: 1)
        return (TimeRange(start: start, duration: Time(value: 1, timescale: 1)), cue(source))
      }
      let read = try CaptionTrack.captions(entry: track.entry, samples: samples)
      #expect(read.captions.count == count, "\(sources)")
    }
  }

  /// Regions of one name that differ are not one: the second one becomes a place.
  @Test func regionsOfOneName() throws {
    var regions: [CaptionRegion] = []
    for y in [10.0, 60] {
      regions.append(
        CaptionRegion(
          identifier: "r", origin: .percent(0, y), size: .percent(100, 3 * 5.33),
          displayAlignment: .after, textAlignment: .center))
    }
    let captions = regions.enumerated().map { index, region in
      var caption = Caption(
        "x",
        timeRange: TimeRange(
          start: Time(value: Int64(index), timescale: 1), duration: Time(value: 1, timescale: 1)))
      caption.region = region
      return caption
    }
    let document = CaptionDocument(captions: captions, format: .webVTT)
    let file = try CaptionDocument(reading: document.written(as: .webVTT).bytes)
    for read in [file.captions, try Self.back(document, .webVTT).captions] {
      #expect(read.map { $0.region?.identifier } == ["r", nil])
      let ends = read.map {
        ($0.region?.origin?.y.value ?? 0) + ($0.region?.size?.height.value ?? 0)
      }
      #expect(zip(ends, [25.99, 75.99]).allSatisfy { abs($0 - $1) < 0.01 }, "\(ends)")
    }
  }

  /// TS 26.245, 5.16: the entry says where captions stand. Those that stand elsewhere are told.
  @Test func justification() throws {
    func subRip(_ texts: [String]) throws -> CaptionDocument {
      let cues = texts.enumerated().map {
        "\($0 + 1)\n00:00:0\($0),000 --> 00:00:0\($0),500\n\($1)"
      }
      return try CaptionDocument(reading: Array(cues.joined(separator: "\n\n").utf8))
    }
    let top = try Self.back(subRip(["{\\an7}a", "{\\an7}b"]), .timedText)
    #expect(top.track.losses.isEmpty, "\(top.track.losses)")
    #expect(top.captions.allSatisfy { $0.region == .appleITTTop && $0.textAlignment == .left })
    let mixed = try Self.back(subRip(["{\\an3}a", "{\\an8}b", "{\\an3}c"]), .timedText)
    #expect(
      mixed.track.losses.map(\.reason) == [
        "captions stand at the bottom, here and later", "lines stand at the right, here and later",
      ])
    #expect(mixed.captions.allSatisfy { $0.textAlignment == .right })
  }

  /// A foreign entry: the style of text that has none of its own.
  @Test func styleOfTheEntry() throws {
    var bytes = SampleEntry.timedText(justification: (1, 1)).bytes
    // Behind the box's head: 8 bytes of every entry, 4, 2, 4 and 8; then a range and a font.
    let face = 8 + 8 + 18 + 6
    (bytes[face], bytes[face + 4]) = (2, 0)
    let entry = try #require(try Box.parse(bytes[...]).first)
    let document = try CaptionTrack.captions(
      entry: entry,
      samples: [
        (
          TimeRange(start: .zero, duration: Time(value: 1, timescale: 1)),
          SampleEntry.textSample("words")
        )
      ])
    let caption = try #require(document.captions.first)
    #expect(caption.region?.displayAlignment == .center)
    #expect(caption.pieces.map(\.style.fontStyle) == [.italic])
    #expect(caption.pieces.map(\.style.textColor) == [.yellow])
  }

  /// QuickTime File Format, Text Media: records of 20 bytes, each in force to the next one. FFmpeg's are 3GPP's.
  @Test func quickTimeStyles() throws {
    let records: [(start: UInt32, face: UInt8, color: [UInt16])] = [
      (0, 1, [0xFFFF, 0, 0]), (4, 0, [0xFFFF, 0xFFFF, 0xFFFF]), (9, 6, [0, 0x8000, 0xFFFF]),
    ]
    let styles = Box("styl") { writer in
      writer.u16(UInt16(records.count))
      for record in records {
        writer.u32(record.start)
        for size in [20, 16, 4] as [UInt16] { writer.u16(size) }
        writer.u8(record.face)
        writer.u8(0)
        writer.u16(14)
        for value in record.color { writer.u16(value) }
      }
    }
    let range = TimeRange(start: .zero, duration: Time(value: 1, timescale: 1))
    let document = try CaptionTrack.captions(
      entry: SampleEntry.text,
      samples: [(range, SampleEntry.textSample("red and blue") + styles.bytes)])
    let pieces = try #require(document.captions.first).pieces
    #expect(pieces.map(\.text) == ["red ", "and b", "lue"])
    #expect(
      pieces.map(\.style.textColor) == [.red, nil, Caption.Color(red: 0, green: 128, blue: 255)])
    #expect(pieces.map(\.style.fontWeight) == [.bold, nil, nil])
    #expect(pieces.map(\.style.fontStyle) == [nil, nil, .italic])
    #expect(pieces.map(\.style.decoration) == [nil, nil, .underline])
  }

  /// TS 26.245, 5.17: what samples say beside their styles, and texts that are cut off, are told once each.
  @Test func unreadModifiers() throws {
    func read(_ samples: [[UInt8]]) throws -> CaptionDocument {
      try CaptionTrack.captions(
        entry: SampleEntry.timedText(justification: (1, -1)),
        samples: samples.enumerated().map { number, data -> CaptionTrack.Sample in
          let start = Time(value: Int64(number), timescale: 1)
          return (TimeRange(start: start, duration: Time(value: 1, timescale: 1)), data)
        })
    }
    let types: [FourCC] = ["tbox", "hlit", "krok", "dlay", "href", "blnk"]
    for type in types {
      let sample = SampleEntry.textSample("words") + Box(type, data: [0, 0, 0, 0]).bytes
      let document = try read([SampleEntry.textSample("others"), sample, sample])
      #expect(document.captions.map(\.text) == ["others", "words"])
      #expect(document.issues.count == 1, "\(type)")
      #expect(document.issues.first?.time == Time(value: 1, timescale: 1))
      #expect(document.issues.first?.reason.contains("('\(type)')") == true)
      #expect(document.issues.first?.severity == (type == "href" ? .note : .warning))
    }
    // Samples without text are no fault.
    let short = Array(SampleEntry.textSample("a text that is cut off").dropLast(4))
    let cut = try read([[], [0, 0], short, SampleEntry.textSample("whole"), [0]])
    #expect(cut.captions.map(\.text) == ["whole"])
    #expect(cut.issues.map(\.severity) == [.error])
    #expect(cut.issues.first?.time == Time(value: 2, timescale: 1))
  }

  /// TS 26.245, 5.16: the entry says the colour behind all captions. Colours that differ are told.
  @Test func backgrounds() throws {
    let color = Caption.Color(red: 10, green: 20, blue: 200, alpha: 128)
    func document(_ colors: [Caption.Color?]) -> CaptionDocument {
      let captions = colors.enumerated().map { index, color in
        var (plain, slanted) = (Caption.Style(), Caption.Style())
        (plain.backgroundColor, slanted.backgroundColor) = (color, color)
        slanted.fontStyle = .italic
        return Caption(
          pieces: [("words ", plain), ("slant", slanted)],
          timeRange: TimeRange(
            start: Time(value: Int64(index), timescale: 1), duration: Time(value: 1, timescale: 1)))
      }
      return CaptionDocument(captions: captions, format: .webVTT)
    }
    func colors(_ captions: [Caption]) -> Set<Caption.Color?> {
      Set(captions.flatMap(\.pieces).map(\.style.backgroundColor))
    }
    let told = ["boxes have the player's colour, here and later"]
    let own = try Self.back(document([color, color]), .timedText)
    #expect(own.track.losses.isEmpty && colors(own.captions) == [color], "\(own.track.losses)")
    #expect(own.captions.allSatisfy { $0.pieces.map(\.style.fontStyle) == [nil, .italic] })
    for other in [[color, nil], [color, .red]] as [[Caption.Color?]] {
      let mixed = try Self.back(document(other), .timedText)
      #expect(mixed.track.losses.map(\.reason) == told && colors(mixed.captions) == [nil])
    }
    #expect(try Self.back(document([color]), .quickTimeText).track.losses.map(\.reason) == told)
    let black = try Self.back(document([.black]), .timedText)
    #expect(black.track.losses.isEmpty && colors(black.captions) == [.black])
    // Blanks between spans that have a colour each have none.
    let spans = document([color, color]).captions.map { caption in
      let style = caption.pieces[0].style
      return Caption(
        pieces: [("one", style), (" ", .plain), ("two", style), ("\n", .plain), ("three", style)],
        timeRange: caption.timeRange)
    }
    let joined = try Self.back(
      CaptionDocument(captions: spans, format: .webVTT), .timedText)
    #expect(joined.track.losses.isEmpty && colors(joined.captions) == [color])
    let none = try Self.back(document([nil]), .timedText)
    #expect(none.track.losses.isEmpty && colors(none.captions) == [nil])
  }

  /// The black that FFmpeg writes unasked says nothing; in any other entry black is meant.
  @Test func blackBackgrounds() throws {
    func background(_ entry: [UInt8]) throws -> Caption.Color? {
      let box = Box("tx3g", data: entry)
      let samples: [CaptionTrack.Sample] = [
        (
          TimeRange(start: .zero, end: Time(value: 1, timescale: 1)),
          SampleEntry.textSample("words")
        )
      ]
      let captions = try CaptionTrack.captions(entry: box, samples: samples).captions
      #expect(captions.map(\.text) == ["words"])
      return captions.first?.pieces.first?.style.backgroundColor
    }
    func entry(_ font: String, size: UInt8, justification: [UInt8] = [1, 0xFF]) -> [UInt8] {
      let head: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0]
      let black: [UInt8] = [0, 0, 0, 0xFF]
      let style: [UInt8] = [0, 0, 0, 0, 0, 1, 0, size, 0xFF, 0xFF, 0xFF, 0xFF]
      let count: [UInt8] = [0, 1, 0, 1, UInt8(font.utf8.count)]
      var bytes = head
      bytes += justification
      bytes += black
      bytes += [UInt8](repeating: 0, count: 8)
      bytes += style
      bytes += Box("ftab", data: count + Array(font.utf8)).bytes
      return bytes
    }
    #expect(try background(entry("Arial", size: 16)) == nil)
    let rate = Box("btrt", data: [UInt8](repeating: 0, count: 12))
    #expect(try background(entry("Arial", size: 60) + rate.bytes) == nil)
    #expect(try background(entry("Verdana", size: 20)) == .black)
    #expect(try background(entry("Arial", size: 16, justification: [1, 0])) == .black)
    #expect(try background(entry("Serif", size: 18)) == .black)
  }

  /// A text that no sample holds is cut, and that is an error.
  @Test func longText() throws {
    let text = String(repeating: "wörd ", count: 20_000)
    let caption = Caption(
      text, timeRange: TimeRange(start: .zero, end: Time(value: 1, timescale: 1)))
    let track = try CaptionTrack(
      CaptionDocument(captions: [caption], format: .subRip), kind: .timedText)
    #expect(track.losses.map(\.severity) == [.error])
    let read = try CaptionTrack.captions(entry: track.entry, samples: track.samples)
    let cut = try #require(read.captions.first).text
    #expect(text.hasPrefix(cut) && cut.utf8.count > 65_500)
  }

  /// Thousands of captions at once: as many as can be read are kept, and the rest is told.
  @Test(
    .timeLimit(.minutes(10)), arguments: [CaptionTrack.Kind.timedText, .webVTT, .ttml])
  func crowds(_ kind: CaptionTrack.Kind) throws {
    let captions = (0..<4000).map { number in
      Caption(
        "line \(number)",
        timeRange: TimeRange(
          start: Time(value: Int64(number), timescale: 1000), end: Time(value: 9, timescale: 1)))
    }
    let document = CaptionDocument(captions: captions, format: .subRip)
    let track = try CaptionTrack(document, kind: kind)
    #expect(track.samples.count == 100)
    #expect(track.losses.map(\.severity) == [.error], "\(track.losses)")
    let read = try CaptionTrack.captions(entry: track.entry, samples: track.samples)
    #expect(read.captions.count == 100)
    // Groups that become no track leave nothing out.
    let few = Array(captions.prefix(150))
    #expect(CaptionGrouper.groups(of: few).last?.captions == few)
  }

  /// Samples of captions that lie over each other all the time would have hundreds of megabytes: there are none.
  @Test(
    .timeLimit(.minutes(10)), arguments: [CaptionTrack.Kind.timedText, .webVTT, .ttml])
  func crowdsOfLongTexts(_ kind: CaptionTrack.Kind) throws {
    let text = String(repeating: "a caption of many words ", count: 25)
    let captions = (0..<5000).map { number in
      Caption(
        text,
        timeRange: TimeRange(
          start: Time(value: Int64(number), timescale: 100), duration: Time(value: 1, timescale: 1))
      )
    }
    let error = #expect(throws: CinematicError.self) {
      try CaptionTrack(CaptionDocument(captions: captions, format: .subRip), kind: kind)
    }
    #expect(error?.code == .unsupported)
    let few = CaptionDocument(captions: Array(captions.prefix(150)), format: .subRip)
    #expect(try !CaptionTrack(few, kind: kind).samples.isEmpty)
  }
}
