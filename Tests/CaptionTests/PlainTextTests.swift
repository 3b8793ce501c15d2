// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Testing

@testable import FocalCaptions

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// WebVTT and SubRip.
struct PlainTextTests {
  private func read(_ text: String) throws -> CaptionDocument {
    try CaptionDocument(reading: Array(text.utf8))
  }

  @Test func subRip() throws {
    let document = try read(
      """
      \u{FEFF}1\r
      00:00:01,500 --> 00:00:03,000\r
      <i>Hello</i> <font color="#ff0000">red</font>\r
      a < b\r
      \r
      2\r
      00:00:04.000 --> 00:00:05.000\r
      {\\an8}top\r

      x
      00:00:05,000 --> soon
      lost
      """)
    #expect(document.format == .subRip)
    #expect(document.captions.map(\.text) == ["Hello red\na < b", "top"])
    #expect(document.captions[0].pieces[0].style.fontStyle == .italic)
    #expect(document.captions[0].pieces[2].style.textColor == .red)
    #expect(document.captions[0].region == .subRipTextBottom)
    #expect(document.captions[1].region == .appleITTTop)
    #expect(document.issues.count == 2 && document.issues.allSatisfy { $0.line != nil })
  }

  @Test func windows1252() throws {
    let bytes =
      Array("1\n00:00:01,000 --> 00:00:02,000\n".utf8) + [0x63, 0x61, 0x66, 0xE9, 0x20, 0x80]
    let document = try CaptionDocument(reading: bytes)
    #expect(document.captions.map(\.text) == ["café €"])
    #expect(document.issues.map(\.line) == [3])
    // UTF-16 is seen without its mark.
    for isBig in [true, false] {
      let units = Array("1\n00:00:01,000 --> 00:00:02,000\ncafé ♪\n".utf16)
      let wide = units.flatMap { unit in
        let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
        return isBig ? [high, low] : [low, high]
      }
      let read = try CaptionDocument(reading: wide, format: .subRip)
      #expect(read.captions.map(\.text) == ["café ♪"] && read.issues.isEmpty)
    }
  }

  /// WebVTT, 4.2.2 (cue text) and 4.4 (cue settings).
  @Test func webVTT() throws {
    let document = try read(
      """
      WEBVTT - title

      NOTE nothing

      REGION
      id:fred
      width:40%
      lines:3
      regionanchor:0%,100%
      viewportanchor:10%,90%

      id
      00:01.000 --> 00:02.500 align:start region:fred
      <v Mary><b>Bold</b> &amp; <c.yellow.bg_blue>colour</c> <ruby>漢<rt>かん</rt></ruby>

      00:00:03.000 --> 00:00:04.000 line:0% vertical:rl what
      a<00:00:03.500>b
      """)
    #expect(document.captions.map(\.text) == ["Bold & colour 漢", "ab"])
    let first = document.captions[0]
    #expect(first.region?.identifier == "fred" && first.textAlignment == .start)
    #expect(first.pieces[0].style.fontWeight == .bold)
    #expect(
      first.pieces.contains { $0.style.textColor == .yellow && $0.style.backgroundColor == .blue })
    #expect(first.pieces.last?.style.ruby?.text == "かん")
    let second = document.captions[1]
    #expect(second.region?.writingMode == .topToBottomAndRightToLeft)
    #expect(second.revealTimes == [.zero, Time(value: 1, timescale: 2)])
    #expect(
      document.title == "- title" && first.identifier == "id" && first.comments == ["nothing"])
    // The voice, 'what', and the column's place.
    #expect(document.issues.count == 3, "\(document.issues)")
  }

  /// WebVTT, 6.4 (character references are HTML's). What is none stays.
  @Test func characterReferences() throws {
    let document = try read(
      """
      WEBVTT

      00:01.000 --> 00:02.000
      caf&eacute; &hellip; &Eacute;&szlig;&yuml;&nbsp;&Sigma;&sigmaf;&Rho;&euro;&mdash;&amp;lt;

      00:03.000 --> 00:04.000
      a&shy;b &#233;&#xE9; R&D; &unknown; AT&T &;
      """)
    #expect(
      document.captions.map(\.text) == [
        "café … Éßÿ\u{A0}ΣςΡ€—&lt;", "a\u{AD}b éé R&D; &unknown; AT&T &;",
      ])
    #expect(document.issues.isEmpty, "\(document.issues)")
    let back = try CaptionDocument(reading: document.written(as: .webVTT).bytes)
    #expect(back.captions.map(\.text) == document.captions.map(\.text))
  }

  /// SubRip's fonts have colours here, and no faces and sizes.
  @Test func fonts() throws {
    let document = try read(
      """
      1
      00:00:01,000 --> 00:00:02,000
      <font face="Arial Black" color='#00ff00' size=20>one</font> <font color=red>two</font>

      2
      00:00:03,000 --> 00:00:04,000
      <font face="color">three</font> <font color="0000FF">four</font>
      """)
    let colors = document.captions.flatMap { caption in
      caption.pieces.compactMap { $0.style.textColor }
    }
    #expect(colors == [.green, .red, .blue])
    #expect(document.issues.count == 2, "\(document.issues)")
    #expect(document.issues.first?.reason.contains("face, size") == true)
  }

  /// WebVTT, collect a block: a line with times ends a cue, and begins the next one.
  @Test func chainedCues() throws {
    let document = try read(
      """
      WEBVTT
      Language: fr

      00:01.000 --> 00:02.000
      one
      00:03.000 --> 00:04.000
      two
      too
      00:05.000 --> 00:06.000 line:0
      three
      """)
    #expect(document.captions.map(\.text) == ["one", "two\ntoo", "three"])
    #expect(document.captions.map { $0.timeRange.start.seconds } == [1, 3, 5])
    #expect(document.language == "fr" && document.issues.isEmpty)
    // Times that players do not read are read, and told.
    let sloppy = try read("WEBVTT\n\n00:00:16,000 --> 00:00:17.000\nx\n\n0:17.000 --> 00:18.000\ny")
    #expect(sloppy.captions.count == 2 && sloppy.issues.count == 2)
  }

  /// WebVTT, processing cue settings: the size is what there is room for on the position's side.
  @Test(arguments: [
    ("position:20% align:center", 0.0, 40.0), ("position:80% align:end", 0, 80),
    ("position:10%,line-left align:end size:35%", 10, 35),
    ("position:25%,line-right size:50%", 0, 25), ("position:70%,center size:80%", 40, 60),
    ("size:40% align:start", 0, 40), ("size:40% align:right", 60, 40), ("size:40%", 30, 40),
  ]) func positions(settings: String, x: Double, width: Double) throws {
    let document = try read("WEBVTT\n\n00:01.000 --> 00:02.000 \(settings)\nx")
    let region = try #require(document.captions.first?.region)
    #expect(region.origin?.x == .percent(x) && region.size?.width == .percent(width))
    #expect(document.issues.isEmpty)
    // Written again, it stands where it stood.
    let written = try document.written(as: .webVTT)
    let back = try CaptionDocument(reading: written.bytes)
    #expect(written.losses.isEmpty && back.captions == document.captions)
    #expect(back.captions.first?.region?.isIdentical(to: region) == true)
  }

  /// WebVTT, processing cue settings: lines of columns that grow to the left count from the right edge.
  @Test func columns() throws {
    let lines = ["vertical:rl line:0", "vertical:rl", "vertical:lr line:0", "line:50%,center"]
    let text = lines.enumerated().map { "00:0\($0).000 --> 00:0\($0 + 1).000 \($1)\nx" }
    let document = try read("WEBVTT\n\n" + text.joined(separator: "\n\n"))
    let regions = document.captions.map(\.region)
    try #require(regions.count == 4)
    #expect(regions[0] == .appleITTRight && regions[1] == .appleITTLeft)
    #expect(regions[2] == .appleITTLeft && regions[3]?.displayAlignment == .center)
    #expect(document.issues.count == 1 && document.issues[0].reason.contains("vertical:lr"))
    let back = try CaptionDocument(reading: try document.written(as: .webVTT).bytes)
    #expect(back.captions == document.captions && back.issues.isEmpty)
  }

  /// A region is known by its place and not by its name, and its lines begin at their start if nothing else is said.
  @Test func places() throws {
    func caption(_ region: CaptionRegion) -> CaptionDocument {
      var caption = Caption("x", timeRange: TimeRange(start: frames(30), end: frames(60)))
      caption.region = region
      return CaptionDocument(captions: [caption], format: .ttml)
    }
    let named = caption(
      CaptionRegion(
        identifier: "bottom", origin: .percent(10, 60), size: .percent(80, 10),
        displayAlignment: .after))
    let written = try named.written(as: .webVTT)
    let text = String(decoding: written.bytes, as: UTF8.self)
    #expect(text.contains(" line:70%,end position:10% size:80% align:start\n"), "\(text)")
    let high = caption(CaptionRegion(origin: .percent(10, 10), size: .percent(80, 30)))
    let subRip = try high.written(as: .subRip)
    #expect(String(decoding: subRip.bytes, as: UTF8.self).contains("{\\an7}x"))
    #expect(subRip.losses.contains { $0.reason.contains("becomes the top") })
    #expect(
      try named.written(as: .subRip).losses.contains { $0.reason.contains("becomes the bottom") })
    let track = try CaptionTrack(named, kind: .timedText)
    #expect(track.losses.contains { $0.reason.contains("bottom") })
    // WebVTT's columns are centred, and iTT's are not.
    let columns = try CaptionDocument(
      reading: try caption(.appleITTLeft).written(as: .webVTT).bytes)
    #expect(columns.captions.first?.textAlignment == .start)
  }

  /// Regions go into the file's head again.
  @Test func regions() throws {
    let document = try read(
      """
      WEBVTT

      REGION
      id:r
      width:40%
      lines:2
      regionanchor:0%,100%
      viewportanchor:10%,90%
      scroll:up

      00:01.000 --> 00:02.000 region:r
      x

      00:03.000 --> 00:04.000 region:r size:50%
      y
      """)
    #expect(document.captions.first?.region?.scroll == .rollUp)
    #expect(document.captions.last?.region?.identifier == nil && document.issues.count == 1)
    let written = try document.written(as: .webVTT)
    let back = try CaptionDocument(reading: written.bytes)
    let region = try #require(document.captions.first?.region)
    #expect(back.captions.first?.region?.isIdentical(to: region) == true)
    #expect(written.losses.isEmpty && back.issues.isEmpty)
    for format in [CaptionFormat.ttml, .itt, .subRip, .scc] {
      #expect(try document.written(as: format).losses.contains { $0.reason.contains("roll") })
    }
  }

  /// Text that looks like markup, and empty lines, come back; nothing is taken for a tag, a code or a time.
  @Test(arguments: [CaptionFormat.webVTT, .subRip]) func literalText(format: CaptionFormat) throws {
    let texts = [
      "<i>not italic</i> {\\an8} a --> b", "A --> B\n12", "<", "{", "</b", "<\u{2060}b>",
      "12\n--> x",
      "& &amp; &lt;", "<3 you",
    ]
    let captions = texts.enumerated().map { index, text in
      var caption = Caption(
        text, timeRange: TimeRange(start: frames(30 * index), end: frames(30 * index + 30)))
      caption.timeRange = TimeRange(
        start: Time(value: Int64(index), timescale: 1), duration: Time(value: 1, timescale: 1))
      if format == .subRip { caption.region = .subRipTextBottom }
      return caption
    }
    let written = try CaptionDocument(captions: captions, format: format).written(as: format)
    let back = try CaptionDocument(reading: written.bytes)
    #expect(back.captions == captions && back.issues.isEmpty && written.losses.isEmpty)
    let empty = Caption(
      "\none\n\ntwo", timeRange: TimeRange(start: .zero, end: Time(value: 1, timescale: 1)))
    let filled = try CaptionDocument(captions: [empty], format: format).written(as: format)
    #expect(filled.losses.count == 1)
    #expect(
      try CaptionDocument(reading: filled.bytes).captions.map(\.text)
        == ["\u{A0}\none\n\u{A0}\ntwo"])
  }

  /// Text, times and plain styles come back from both formats.
  @Test(arguments: [CaptionFormat.webVTT, .subRip]) func roundTrip(format: CaptionFormat) throws {
    var random = Seeded(41)
    for number in 0..<200 {
      var start: Int64 = 0
      let captions = (0..<(1 + random.below(5))).map { _ in
        start += Int64(random.below(5000))
        let end = start + 1 + Int64(random.below(5000))
        var style = Caption.Style()
        if random.chance(2) { style.fontStyle = .italic }
        if random.chance(2) { style.textColor = random.pick([.red, .cyan, .yellow]) }
        var caption = Caption(
          pieces: [
            ("plain &amp; <b ", .plain), (RandomCaptions.word(&random), style), ("\nend", .plain),
          ],
          timeRange: TimeRange(
            start: Time(value: start, timescale: 1000), end: Time(value: end, timescale: 1000)))
        if format == .subRip { caption.region = .subRipTextBottom }
        return caption
      }
      let document = CaptionDocument(captions: captions, format: format)
      let written = try document.written(as: format)
      #expect(written.losses.isEmpty)
      let back = try CaptionDocument(reading: written.bytes)
      try #require(
        back.captions == captions, "\(number): \(String(decoding: written.bytes, as: UTF8.self))")
    }
  }

  /// Rows of a screen become lines of a text; their places stay where the format has places.
  @Test func fromCells() throws {
    func row(_ text: String, _ row: Int) -> Caption {
      var caption = Caption(text, timeRange: TimeRange(start: frames(300), end: frames(600)))
      caption.region = CaptionRegion(
        origin: .cell(column: 4, row: row), size: .cells(text.count, 1))
      return caption
    }
    let document = CaptionDocument(
      captions: [row(" up", 1), row("first ", 13), row("second", 14)], format: .scc)
    for format in [CaptionFormat.itt, .ttml, .webVTT, .subRip] {
      let written = try document.written(as: format)
      let back = try CaptionDocument(reading: written.bytes, format: format)
      #expect(back.captions.map(\.text) == ["up", "first\nsecond"])
      #expect(back.captions.map { $0.region?.displayAlignment ?? .after } == [.before, .after])
      let hasPlaces = format == .ttml || format == .webVTT
      #expect(
        written.losses.count(where: { $0.reason.contains("cells") }) == (hasPlaces ? 0 : 1))
      guard hasPlaces else { continue }
      // As CEA-608 again, every row is where it was.
      let rows = try CaptionDocument(reading: try back.written(as: .scc).bytes).captions
      #expect(rows.map(\.text) == ["up", "first", "second"])
      #expect(
        rows.map { $0.region?.origin } == [
          .cell(column: 5, row: 1), .cell(column: 4, row: 13), .cell(column: 4, row: 14),
        ])
    }
  }

  /// Two rows in the middle of the screen are one text; two speakers are two.
  @Test func blocks() throws {
    func row(_ text: String, _ column: Int, _ row: Int) -> Caption {
      var caption = Caption(text, timeRange: TimeRange(start: frames(300), end: frames(600)))
      caption.region = CaptionRegion(
        origin: .cell(column: column, row: row), size: .cells(text.count, 1))
      return caption
    }
    let middle = CaptionDocument(
      captions: [row("first of two", 0, 6), row("second \u{2501}", 0, 7)], format: .scc)
    let speakers = CaptionDocument(
      captions: [row("- Left?", 0, 13), row("- Right!", 20, 14)], format: .scc)
    for format in [CaptionFormat.itt, .ttml, .webVTT, .subRip] {
      let texts = try CaptionDocument(
        reading: try middle.written(as: format).bytes, format: format
      ).captions.map(\.text)
      // Alone, the line of boxes is a dash (CTA-608-E, Table 6).
      #expect(texts == ["first of two\nsecond \u{2014}"], "\(format)")
    }
    for format in [CaptionFormat.ttml, .webVTT] {
      let written = try speakers.written(as: format)
      #expect(written.losses.allSatisfy { $0.reason.contains("rounded") })
      let back = try CaptionDocument(reading: written.bytes, format: format)
      #expect(back.captions.map(\.text) == ["- Left?", "- Right!"])
      #expect(try Playback(back.written(as: .scc).bytes) == Playback(speakers.captions))
    }
  }

  /// Characters that are painted one by one keep their times in WebVTT.
  @Test func paintedTimes() throws {
    var caption = Caption("\u{A0}abcd", timeRange: TimeRange(start: frames(300), end: frames(600)))
    caption.region = CaptionRegion(origin: .cell(column: 4, row: 14), size: .cells(5, 1))
    caption.animation = .characterReveal
    caption.revealTimes = [0, 0, 30, 60, 60].map { frames($0) }
    let document = CaptionDocument(captions: [caption], format: .scc)
    let back = try CaptionDocument(reading: try document.written(as: .webVTT).bytes)
    #expect(back.captions.map(\.text) == ["abcd"])
    let times = back.captions.first?.revealTimes.map { Int(($0.seconds * 10).rounded()) }
    #expect(times == [0, 10, 20, 20])
    #expect(try document.written(as: .subRip).losses.contains { $0.reason.contains("at once") })
  }

  /// A title, identifiers and comments are not seen: they are kept where the format has them, and no loss elsewhere.
  @Test func unseen() throws {
    let document = try read(
      """
      WEBVTT Film

      NOTE one line

      NOTE
      two
      lines

      first cue
      00:01.000 --> 00:02.000
      <v Mary>x

      2
      00:03.000 --> 00:04.000
      y

      NOTE behind
      """)
    #expect(document.captions.map(\.identifier) == ["first cue", "2"])
    #expect(document.captions.first?.comments == ["one line", "two\nlines"])
    let back = try CaptionDocument(reading: try document.written(as: .webVTT).bytes)
    #expect(back.captions == document.captions && back.title == "Film" && back.issues.isEmpty)
    // The voice and the last comment are notes, which strictness allows.
    #expect(document.issues.map(\.severity) == [.note, .note])
    var options = CaptionWritingOptions()
    options.isStrict = true
    for format in CaptionFormat.allCases {
      options.timeCodeRate = format == .scc ? .ntsc : .pal
      let losses = try document.written(as: format, options: options).losses
      #expect(losses.isEmpty == (format == .webVTT), "\(format): \(losses)")
    }
    var strict = CaptionReadingOptions()
    strict.isStrict = true
    let text = "WEBVTT\n\nNOTE a\n\n00:01.000 --> 00:02.000 line:0%\nx"
    #expect(try CaptionDocument(reading: Array(text.utf8), options: strict).captions.count == 1)
    let skipped = text.replacing("line:0%", with: "what")
    #expect(throws: CinematicError.self) {
      try CaptionDocument(reading: Array(skipped.utf8), options: strict)
    }
  }

  /// Text in other encodings is read if they are named; without a name, the likely one is said.
  @Test(arguments: [
    ("windows-1251", "Привет, мир. Как дела?"), ("Shift_JIS", "こんにちは、世界の人々"),
    ("GB18030", "你好，世界。我们走吧"), ("EUC-KR", "안녕하세요 세계 여러분"), ("windows-1255", "שלום לכולם"),
    ("EUC-JP", "ありがとうございます"), ("Big5", "你好，我們走吧，謝謝大家"), ("UTF-16LE", "Привет"),
    ("ISO-8859-2", "Žluťoučký kůň"),
  ]) func encodings(name: String, text: String) throws {
    let file = "1\n00:00:01,000 --> 00:00:02,000\n\(text)\n"
    let bytes = try Self.encoded(file, name)
    var options = CaptionReadingOptions()
    options.encoding = name
    let document = try CaptionDocument(reading: bytes, options: options)
    #expect(document.captions.map(\.text) == [text] && document.issues.isEmpty)
    guard name != "UTF-16LE" else { return }
    let unnamed = try CaptionDocument(reading: bytes)
    let issue = try #require(unnamed.issues.first)
    #expect(issue.severity == .error && unnamed.issues.count == 1)
    #expect(issue.reason.contains("it looks like \(name)") == (name != "ISO-8859-2"), "\(issue)")
  }

  /// Text in an encoding, by iconv.
  private static func encoded(_ text: String, _ name: String) throws -> [UInt8] {
    let converter = try #require(iconv_open(name, "UTF-8"))
    defer { iconv_close(converter) }
    var source = Array(text.utf8)
    var result = [UInt8](repeating: 0, count: source.count * 4)
    let count = source.withUnsafeMutableBytes { source in
      result.withUnsafeMutableBytes { result in
        var input = source.baseAddress?.assumingMemoryBound(to: CChar.self)
        var output = result.baseAddress?.assumingMemoryBound(to: CChar.self)
        var (left, room) = (source.count, result.count)
        iconv(converter, &input, &left, &output, &room)
        return result.count - room
      }
    }
    return Array(result.prefix(count))
  }

  @Test func wrongEncodings() throws {
    let file = Array("1\n00:00:01,000 --> 00:00:02,000\na".utf8)
    var options = CaptionReadingOptions()
    options.encoding = "UTF-8"
    let broken = try CaptionDocument(reading: file + [0xE9, 0x62], options: options)
    #expect(broken.captions.map(\.text) == ["a\u{FFFD}b"])
    #expect(broken.issues.map(\.line) == [3] && broken.issues.first?.severity == .error)
    // Longer than a buffer, with a character across its end.
    let long = String(repeating: "é\n", count: 20000)
    options.encoding = "ISO-8859-1"
    let bytes = file + (try Self.encoded(long, "ISO-8859-1")).filter { $0 != 0x0A }
    let whole = try CaptionDocument(reading: bytes, options: options)
    #expect(whole.captions.first?.text.count == 20001)
    for name in ["nonsense", "", "UTF-8//IGNORE", "a b"] {
      options.encoding = name
      #expect(throws: CinematicError.self) { try CaptionDocument(reading: file, options: options) }
    }
    options.encoding = "UTF-8"
    let line21 = Array("Scenarist_SCC V1.0\n\n00:00:01:00\t942c 942c\n".utf8)
    #expect(throws: CinematicError.self) { try CaptionDocument(reading: line21, options: options) }
  }
}
