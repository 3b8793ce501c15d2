// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Testing

@testable import FocalCaptions

/// Reading and writing TTML and its relatives.
struct TimedTextTests {
  private static func read(_ text: String, _ format: CaptionFormat = .itt) throws -> CaptionDocument
  {
    try CaptionDocument(reading: Array(text.utf8), format: format)
  }

  private static func document(
    _ body: String,
    parameters: String = "ttp:frameRate=\"30\" ttp:frameRateMultiplier=\"1000 1001\"",
    head: String = ""
  ) -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <tt xmlns="http://www.w3.org/ns/ttml" xmlns:ttp="http://www.w3.org/ns/ttml#parameter" \
    xmlns:tts="http://www.w3.org/ns/ttml#styling" \
    xmlns:ry="http://namespace.itunes.apple.com/itt/ttml-extension#ruby" \
    xmlns:vt="http://namespace.itunes.apple.com/itt/ttml-extension#vertical" \
    xml:lang="ja" ttp:timeBase="smpte" \(parameters)>
    <head>\(head)</head><body>\(body)</body></tt>
    """
  }

  /// TTML1 10.3.1 and 6.2: the time base smpte counts frames, and the rate makes seconds of them.
  @Test(arguments: [
    (
      "ttp:frameRate=\"30\" ttp:frameRateMultiplier=\"1000 1001\"",
      Time(value: 1001, timescale: 30000)
    ),
    (
      "ttp:frameRate=\"30\" ttp:frameRateMultiplier=\"999 1000\"",
      Time(value: 1000, timescale: 29970)
    ),
    (
      "ttp:frameRate=\"24\" ttp:frameRateMultiplier=\"1000:1001\"",
      Time(value: 1001, timescale: 24000)
    ),
    ("ttp:frameRate=\"25\" ttp:frameRateMultiplier=\"1 1\"", Time(value: 1, timescale: 25)),
    ("ttp:frameRate=\"25\"", Time(value: 1, timescale: 25)),
    ("ttp:frameRate=\"29.97\"", Time(value: 1001, timescale: 30000)),
  ]) func rates(parameters: String, frame: Time) throws {
    let document = try Self.read(
      Self.document(
        "<div><p begin=\"01:00:00:07\" end=\"01:00:02:00\">x</p></div>", parameters: parameters))
    let rate = try #require(document.timeCodeRate)
    #expect(rate.frameDuration == frame)
    let start = frame * (rate.framesPerSecond * 3600 + 7)
    #expect(document.captions.first?.timeRange.start == start)
    #expect(document.issues.isEmpty == !parameters.contains("29.97"))
  }

  /// TTML1 6.2.3: dropNTSC leaves labels out.
  @Test func dropFrame() throws {
    let document = try Self.read(
      Self.document(
        "<div><p begin=\"01:00:00;00\" end=\"01:00:02;00\">x</p></div>",
        parameters:
          "ttp:frameRate=\"30\" ttp:frameRateMultiplier=\"1000 1001\" ttp:dropMode=\"dropNTSC\""))
    #expect(document.captions.first?.timeRange.start == frames(107_892))
  }

  /// Apple's division moves what it holds to earlier times.
  @Test func negativeDivision() throws {
    let document = try Self.read(
      Self.document(
        "<div begin=\"-01:00:00:00\"><p begin=\"01:00:01:00\" end=\"01:00:02:00\">x</p></div>"))
    #expect(
      document.captions.map(\.timeRange) == [TimeRange(start: frames(30), end: frames(60))])
    #expect(document.issues.isEmpty)
  }

  /// TTML1 10.3.1: every spelling of a time expression.
  @Test func times() throws {
    var clock = TTMLClock()
    clock.framesPerSecond = 25
    clock.ticksPerSecond = 90000
    let cases: [(String, Time?)] = [
      ("00:00:01.5", Time(value: 3, timescale: 2)), ("12.25s", Time(value: 49, timescale: 4)),
      ("2m", Time(value: 120, timescale: 1)), ("1h", Time(value: 3600, timescale: 1)),
      ("250ms", Time(value: 1, timescale: 4)), ("50f", Time(value: 2, timescale: 1)),
      ("45000t", Time(value: 1, timescale: 2)), ("00:00:01:05", Time(value: 6, timescale: 5)),
      ("-00:00:01:00", Time(value: -1, timescale: 1)), ("", nil), ("x", nil), ("1", nil),
      ("00:61:00:00", nil), ("1:2", nil), ("99999999999s", nil), ("--1s", nil), ("1.s", nil),
    ]
    for (text, time) in cases { #expect(clock.time(text) == time, "\(text)") }
  }

  /// TTML1 8.2 and 8.4.1.3 (styles and their chains), 9.1.2 (regions), 8.4.2 (inheritance); Apple's extensions for ruby.
  @Test func stylesRegionsRuby() throws {
    let head = """
      <styling><style xml:id="base" tts:color="white"/><style xml:id="slanted" style="base" \
      tts:fontStyle="italic"/></styling>
      <layout><region xml:id="right" tts:origin="85% 0%" tts:extent="15% 100%" \
      tts:writingMode="tbrl"/><region xml:id="top" tts:origin="0% 0%" tts:extent="100% 15%" \
      tts:textAlign="center" tts:displayAlign="before"/></layout>
      """
    let body = """
      <div region="right"><p begin="00:00:01:00" end="00:00:02:00"><span ry:kind="ruby" \
      ry:position="after" ry:align="center"><span ry:kind="rb">漢字</span><span ry:kind="rt">かんじ</span>\
      </span>と<span vt:combine="all">12</span></p>
      <p region="top" begin="00:00:03:00" end="00:00:04:00">
        <span style="slanted">one<br/>two</span>   <span tts:color="rgba(255,0,0,128)" \
      tts:textDecoration="underline overline">three</span>
      </p></div>
      """
    let document = try Self.read(Self.document(body, head: head))
    #expect(document.issues.isEmpty, "\(document.issues)")
    let first = try #require(document.captions.first)
    #expect(first.text == "漢字と12")
    #expect(first.region?.writingMode == .topToBottomAndRightToLeft)
    #expect(
      first.pieces[0].style.ruby == Caption.Ruby(text: "かんじ", position: .after, alignment: .center))
    #expect(first.pieces.last?.style.textCombine == .all)
    let second = document.captions[1]
    #expect(second.text == "one\ntwo three")
    #expect(second.region == .appleITTTop && second.region?.textAlignment == .center)
    #expect(second.pieces.first?.style.fontStyle == .italic)
    #expect(
      second.pieces.last?.style.textColor == Caption.Color(red: 255, green: 0, blue: 0, alpha: 128))
    #expect(second.pieces.last?.style.decoration == [.underline, .overline])
  }

  /// TTML1 10.2.1 and 10.4: spans with times of their own are captions of their own.
  @Test func timedSpans() throws {
    let text = Self.document(
      "<div><p begin=\"1s\" end=\"5s\"><span>a</span><span begin=\"1s\" end=\"3s\">b</span></p></div>"
    ).replacing("smpte", with: "media")
    let document = try Self.read(text)
    #expect(document.captions.map(\.text) == ["a", "ab", "a"])
    #expect(document.captions.map { $0.timeRange.start.seconds } == [1, 2, 4])
  }

  /// A declaration that does not fit the bytes is mended, and told.
  @Test func wrongEncoding() throws {
    let text = """
      <?xml version="1.0" encoding="UTF-16"?>
      <tt xmlns="http://www.w3.org/ns/ttml"><body><div><p begin="1s" end="2s">über</p></div></body></tt>
      """
    let document = try CaptionDocument(reading: Array(text.utf8))
    #expect(document.captions.map(\.text) == ["über"])
    #expect(document.issues.map(\.line) == [1])
    // UTF-16 text is read as UTF-16.
    var wide: [UInt8] = [0xFE, 0xFF]
    for unit in text.utf16 { wide += [UInt8(unit >> 8), UInt8(unit & 0xFF)] }
    let other = try CaptionDocument(reading: wide, format: .ttml)
    #expect(other.captions.map(\.text) == ["über"] && other.issues.isEmpty)
  }

  @Test func lossesAndFailures() throws {
    let skipped = try Self.read(
      Self.document(
        "<div><p begin=\"00:00:01:00\" end=\"00:00:02:00\" tts:fontSize=\"300%\">x<set/></p>"
          + "<p begin=\"what\" end=\"00:00:03:00\">y</p><p begin=\"00:00:05:00\">z</p></div>"))
    #expect(skipped.captions.map(\.text) == ["x", "y"])
    #expect(skipped.issues.contains { $0.reason.contains("tts:fontSize") && $0.line != nil })
    #expect(skipped.issues.contains { $0.reason.contains("what") })
    let cut = Self.document("<div><p begin=\"00:00:01:00\" end=\"00:00:02:00\">x</p><p beg")
    let partial = try Self.read(String(cut.prefix(cut.count - 14)))
    #expect(partial.captions.map(\.text) == ["x"] && !partial.issues.isEmpty)
    let hostile = [
      "", "<tt/>x", "<a></b>", "<html/>", "not xml",
      "<!DOCTYPE tt [<!ENTITY a \"b\">]><tt xmlns=\"http://www.w3.org/ns/ttml\"/>",
      String(repeating: "<tt>", count: 1000),
      "<tt xmlns=\"http://www.w3.org/ns/ttml\"><body>&undefined;</body></tt>",
    ]
    for text in hostile {
      #expect(throws: CinematicError.self, "\(text.prefix(30))") { try Self.read(text) }
    }
  }

  /// TTML1 8.4.1.3: styles refer to others in any order; a loop is told, and ends. 8.4.4.2: of a region, what it refers
  /// to comes first, then nested styles, then its attributes.
  @Test func styleOrder() throws {
    let head = """
      <styling><style xml:id="c" style="b" tts:fontStyle="italic"/><style xml:id="b" style="a" \
      tts:color="yellow"/><style xml:id="a" tts:fontWeight="bold" tts:color="red"/>\
      <style xml:id="x" style="y" tts:color="blue"/><style xml:id="y" style="x"/></styling>
      <layout><region xml:id="r" style="a" tts:fontStyle="italic"><style tts:color="lime"/>\
      <style tts:fontStyle="normal"/></region></layout>
      """
    let times = "begin=\"00:00:01:00\" end=\"00:00:02:00\""
    let document = try Self.read(
      Self.document(
        "<div><p \(times) style=\"c\">a</p><p \(times) region=\"r\">b</p><p \(times) style=\"x\">c</p></div>",
        head: head))
    let styles = document.captions.map { $0.pieces[0].style }
    try #require(styles.count == 3)
    #expect(styles[0].textColor == .yellow && styles[0].fontWeight == .bold)
    #expect(styles[0].fontStyle == .italic)
    #expect(styles[1].textColor == .green && styles[1].fontWeight == .bold)
    #expect(styles[1].fontStyle == .italic)
    #expect(styles[2].textColor == .blue)
    #expect(document.issues.count(where: { $0.reason.contains("refers to itself") }) == 1)
    #expect(document.issues.count == 1, "\(document.issues)")
    // A chain longer than anyone's is cut, not followed.
    let chain = (0..<5000).map { "<style xml:id=\"s\($0)\" style=\"s\($0 + 1)\"/>" }.joined()
    let long = try Self.read(
      Self.document("<div><p \(times)>a</p></div>", head: "<styling>\(chain)</styling>"))
    #expect(long.captions.count == 1 && !long.issues.isEmpty)
  }

  /// TTML1 9.1.2 and 10.1.2: what is in a region is seen while the region is; 8.2.20: what is hidden is not seen.
  @Test func regionTimesAndVisibility() throws {
    let head = """
      <layout><region xml:id="r" begin="00:00:02:00" end="00:00:03:00"/><region xml:id="s"/></layout>
      """
    let body = """
      <div><p begin="00:00:01:00" end="00:00:05:00" region="r">a</p><p begin="00:00:06:00" end="00:00:07:00" \
      region="r">gone</p><p begin="00:00:08:00" end="00:00:09:00" region="s">b\
      <span tts:visibility="hidden">secret<span tts:visibility="visible">c</span></span></p></div>
      """
    let document = try Self.read(Self.document(body, head: head))
    #expect(document.captions.map(\.text) == ["a", "bc"])
    #expect(document.captions.first?.timeRange == TimeRange(start: frames(60), end: frames(90)))
    #expect(document.issues.contains { $0.reason.contains("visibility") })
    #expect(document.issues.contains { $0.reason.contains("without duration") })
  }

  /// Content without a place in the model is named, once.
  @Test func namedContent() throws {
    let text = Self.document(
      "<div><p xml:id=\"p1\" begin=\"00:00:01:00\" end=\"00:00:02:00\">a<span xml:id=\"s\" xml:lang=\"fr\""
        + " tts:direction=\"rtl\">b</span></p></div>",
      head:
        "<metadata><m:title xmlns:m=\"http://www.w3.org/ns/ttml#metadata\">T</m:title></metadata>")
    let document = try Self.read(text)
    let reasons = document.issues.map(\.reason)
    for name in ["xml:id", "'fr'", "tts:direction"] {
      #expect(reasons.count(where: { $0.contains(name) }) == 1, "\(name): \(reasons)")
    }
    // The title and the caption's name are kept.
    #expect(document.title == "T" && document.captions.first?.identifier == "p1")
    for format in [CaptionFormat.itt, .ttml, .webVTT] {
      let back = try CaptionDocument(reading: try document.written(as: format).bytes)
      #expect(back.title == "T" && back.captions.first?.identifier == "p1")
    }
  }

  /// A title and a language of any characters leave a file that is XML; those that XML does not have are named.
  @Test(arguments: [CaptionFormat.itt, .ttml]) func anyHead(_ format: CaptionFormat) throws {
    let caption = Caption("x", timeRange: TimeRange(start: frames(30), end: frames(60)))
    let document = CaptionDocument(
      captions: [caption], format: .webVTT, language: "en\u{2}\"<]]>",
      title: "a ]]> & <b> \"c\"\u{1}\u{FFFE}\nd")
    let (bytes, losses) = try document.written(as: format)
    let tree = XMLTree(bytes)
    #expect(tree.failure == nil)
    let back = try CaptionDocument(reading: bytes, format: format)
    #expect(back.title == "a ]]> & <b> \"c\"\nd")
    #expect(back.language == "en\"<]]>")
    for name in ["title", "language"] {
      let told = losses.filter { $0.reason.contains("control characters of the \(name)") }
      #expect(told.count == 1 && told.first?.severity == .note, "\(losses)")
    }
  }

  /// TTML1 10.3.1 (frames are below the rate) and 6.2.3 (dropped labels): such times are read, and told.
  @Test func impossibleTimeCodes() throws {
    let parameters =
      "ttp:frameRate=\"30\" ttp:frameRateMultiplier=\"1000 1001\" ttp:dropMode=\"dropNTSC\""
    let document = try Self.read(
      Self.document(
        "<div><p begin=\"00:01:00:00\" end=\"00:01:02:45\">x</p>"
          + "<p begin=\"00:10:00:00\" end=\"00:10:02:29\">y</p></div>", parameters: parameters))
    #expect(document.captions.count == 2 && document.issues.count == 2, "\(document.issues)")
    let film = try Self.read(
      Self.document(
        "<div><p begin=\"00:01:00:00\" end=\"00:01:02:00\">x</p></div>",
        parameters: "ttp:frameRate=\"25\" ttp:dropMode=\"dropNTSC\""))
    #expect(film.captions.first?.timeRange.start == Time(value: 60, timescale: 1))
    #expect(film.issues.count == 1)
  }

  /// IMSC 1.1 is named where there is what 1.0.1 does not have; its alignments of ruby are two (8.4.9).
  @Test func profiles() throws {
    let range = TimeRange(start: frames(30), end: frames(60))
    let plain = CaptionDocument(captions: [Caption("a", timeRange: range)], format: .ttml)
    let old = String(decoding: try plain.written(as: .ttml).bytes, as: UTF8.self)
    #expect(old.contains("ttp:profile=\"http://www.w3.org/ns/ttml/profile/imsc1/text\""))
    var style = Caption.Style()
    style.ruby = Caption.Ruby(text: "b")
    let ruby = CaptionDocument(
      captions: [Caption(pieces: [("a", style)], timeRange: range)], format: .ttml)
    let written = try ruby.written(as: .ttml)
    let new = String(decoding: written.bytes, as: UTF8.self)
    #expect(new.contains("ttp:contentProfiles=\"http://www.w3.org/ns/ttml/profile/imsc1.1/text\""))
    #expect(!new.contains("ttp:profile=") && new.contains("rubyAlign=\"spaceAround\""))
    #expect(written.losses.count == 1)
  }

  /// iTT's captions stand in the order of their times, whatever that of the file: none overlap.
  @Test func order() throws {
    let captions = [5, 1, 3].map { second in
      Caption(
        "\(second)",
        timeRange: TimeRange(
          start: TimeCodeRate.pal.time(ofFrame: second * 25),
          end: TimeCodeRate.pal.time(ofFrame: second * 25 + 25)))
    }
    let document = CaptionDocument(captions: captions, format: .subRip)
    var options = CaptionWritingOptions()
    options.timeCodeRate = .pal
    let written = try document.written(as: .itt, options: options)
    #expect(written.losses.isEmpty, "\(written.losses)")
    let back = try CaptionDocument(reading: written.bytes)
    #expect(back.captions.map(\.text) == ["1", "3", "5"])
    // TTML's stand in the order in which they are stacked.
    let stacked = try CaptionDocument(reading: document.written(as: .ttml, options: options).bytes)
    #expect(stacked.captions.map(\.text) == ["5", "1", "3"])
  }

  /// Work that grew with the square of a text's length took minutes.
  @Test(arguments: [CaptionFormat.itt, .ttml]) func longTexts(_ format: CaptionFormat) throws {
    let range = TimeRange(start: .zero, duration: Time(value: 4, timescale: 1))
    let text = String(repeating: "&<é", count: 100_000)
    let document = CaptionDocument(captions: [Caption(text, timeRange: range)], format: format)
    let start = ContinuousClock.now
    let written = String(decoding: try document.written(as: format).bytes, as: UTF8.self)
    #expect(ContinuousClock.now - start < .seconds(15))
    #expect(written.utf8.count > 1_100_000 && written.contains("é&amp;&lt;é</p>"))
  }

  private static func placed(_ number: Int, name: String?) -> Caption {
    let start = Time(value: Int64(number), timescale: 10)
    var caption = Caption(
      "a", timeRange: TimeRange(start: start, duration: Time(value: 1, timescale: 10)))
    let origin = CaptionPoint.percent(Double(number) / 1000, 10)
    caption.region = CaptionRegion(identifier: name, origin: origin, size: .percent(20, 20))
    return caption
  }

  /// So did that with the square of the number of regions.
  @Test func manyRegions() throws {
    let captions = (0..<20_000).map { Self.placed($0, name: nil) }
    let document = CaptionDocument(captions: captions, format: .ttml)
    let start = ContinuousClock.now
    let written = String(decoding: try document.written(as: .ttml).bytes, as: UTF8.self)
    #expect(ContinuousClock.now - start < .seconds(15))
    #expect(written.contains("xml:id=\"region20000\""))
  }

  /// Regions of one name have numbers behind it, beside names that are like these.
  @Test func regionsOfOneName() throws {
    var captions = (0..<600).map { Self.placed($0, name: "a") }
    captions.append(Self.placed(600, name: "a-3"))
    let document = CaptionDocument(captions: captions, format: .ttml)
    let written = try document.written(as: .ttml).bytes
    let text = String(decoding: written, as: UTF8.self)
    for name in ["a", "a-2", "a-3", "a-4", "a-601"] {
      #expect(text.ranges(of: "<region xml:id=\"\(name)\"").count == 1, "\(name)")
    }
    #expect(written.count < 200_000)
    #expect(try CaptionDocument(reading: written, format: .ttml).captions.count == 601)
  }

  /// Times that are no frames are told once, with how far they move.
  @Test func rounding() throws {
    let captions = (1...40).map {
      Caption(
        "x",
        timeRange: TimeRange(
          start: Time(value: Int64($0) * 137, timescale: 1000),
          duration: Time(value: 7, timescale: 100)))
    }
    let losses = try CaptionDocument(captions: captions, format: .subRip).written(as: .itt).losses
    #expect(losses.count(where: { $0.reason.contains("rounded") }) == 1 && losses.count == 1)
    #expect(losses.first?.reason.contains("0.01") == true, "\(losses)")
  }

  /// Random captions read from their files are equal to them, styles, regions and all.
  @Test(arguments: [CaptionFormat.itt, .ttml]) func roundTrip(format: CaptionFormat) throws {
    var random = Seeded(format == .itt ? 31 : 32)
    for number in 0..<caseCount(300) {
      let rate = random.pick([TimeCodeRate.ntsc, .ntscDrop, .film, .pal])
      let document = CaptionDocument(
        captions: RandomCaptions.free(
          &random, rate: rate,
          alignments: format == .itt
            ? [.start, .center, .distributeSpaceBetween, .distributeSpaceAround]
            : [.center, .distributeSpaceAround]), format: format, language: "en-US",
        timeCodeRate: rate)
      let written = try document.written(as: format)
      try #require(written.losses.isEmpty, "\(number): \(written.losses)")
      let back = try CaptionDocument(reading: written.bytes, format: format)
      // Captions of no region stand in one at the bottom.
      let expected = document.captions.map { caption in
        var caption = caption
        caption.region = caption.region ?? .appleITTBottom
        return caption
      }
      try #require(
        back.captions == expected && back.issues.isEmpty,
        "\(number): \(back.issues) \(String(decoding: written.bytes, as: UTF8.self))")
      for (a, b) in zip(back.captions, expected) {
        try #require(CaptionRegion.areIdentical(a.region, b.region))
      }
      #expect(back.language == "en-US")
      if format == .itt { #expect(back.timeCodeRate == rate) }
    }
  }
}

/// Captions at random.
enum RandomCaptions {
  static let regions: [CaptionRegion?] = [
    .appleITTTop, .appleITTBottom, .appleITTLeft, .appleITTRight, nil,
    CaptionRegion(
      identifier: "own", origin: .percent(12.5, 20), size: .percent(50, 33.25),
      displayAlignment: .after, textAlignment: .end),
  ]

  static func style(
    _ random: inout Seeded, _ alignments: [Caption.Ruby.Alignment]
  ) -> Caption.Style {
    var style = Caption.Style()
    func byte(_ random: inout Seeded) -> UInt8 { UInt8(random.below(256)) }
    if random.chance(3) {
      style.textColor = Caption.Color(
        red: byte(&random), green: byte(&random), blue: byte(&random),
        alpha: random.chance(2) ? 255 : byte(&random))
    }
    if random.chance(6) {
      style.backgroundColor = Caption.Color(red: byte(&random), green: 9, blue: 7)
    }
    if random.chance(4) { style.fontStyle = random.pick([.normal, .italic]) }
    if random.chance(4) { style.fontWeight = random.pick([.normal, .bold]) }
    if random.chance(5) { style.decoration = Caption.Decoration(rawValue: random.below(8)) }
    if random.chance(8) {
      style.textCombine = random.pick([.all, Caption.TextCombine.none, .twoDigits, .fourDigits])
    }
    if random.chance(8) {
      style.ruby = Caption.Ruby(
        text: word(&random), position: random.pick([.before, .after]),
        alignment: random.pick(alignments))
    }
    return style
  }

  static func word(_ random: inout Seeded) -> String {
    let letters = Array("aäß&<>\"'漢字かな😀שלום.,-e\u{301}")
    return String((0..<(1 + random.below(6))).map { _ in random.pick(letters) })
  }

  /// - Parameter alignments: those of ruby; IMSC 1.1 has two (8.4.9, #rubyAlign-minimal).
  static func free(
    _ random: inout Seeded, rate: TimeCodeRate,
    alignments: [Caption.Ruby.Alignment] = [.center, .distributeSpaceAround]
  ) -> [Caption] {
    var frame = random.below(200_000)
    return (0..<(1 + random.below(6))).map { _ in
      frame += random.below(100)
      let start = rate.time(ofFrame: frame)
      frame += 1 + random.below(200)
      var pieces: [(text: String, style: Caption.Style)] = []
      for index in 0..<(1 + random.below(4)) {
        var text = word(&random)
        let style = style(&random, alignments)
        if style.ruby == nil {
          if index > 0, random.chance(3) { text = random.pick(["\n", " ", "  ", "\n "]) + text }
          if random.chance(6) { text += random.pick([" ", "\t", "  "]) }
        }
        pieces.append((text, style))
      }
      var caption = Caption(
        pieces: pieces, timeRange: TimeRange(start: start, end: rate.time(ofFrame: frame)))
      caption.region = random.pick(regions)
      if random.chance(3) { caption.textAlignment = random.pick(Caption.TextAlignment.allCases) }
      return caption
    }
  }
}
