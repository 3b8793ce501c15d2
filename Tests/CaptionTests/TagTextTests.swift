// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Testing

@testable import FocalCaptions

/// Tags, signs and ruby in the texts of WebVTT and SubRip.
struct TagTextTests {
  /// Marks that combine with a sign make one `Character` of both: with ">" U+0338 is "≯".
  private static let marks = ["\u{338}", "\u{200C}", "\u{301}", "\u{93F}", "\u{FE0F}"]

  @Test(arguments: [TagText.Dialect.webVTT, .subRip], marks)
  func tagsBeforeMarks(_ dialect: TagText.Dialect, _ mark: String) {
    let tags = TagText("<i>\(mark)one</i>\(mark) two", dialect)
    #expect(tags.skipped.isEmpty, "\(tags.skipped)")
    #expect(tags.pieces.map(\.text).joined() == "\(mark)one\(mark) two")
    #expect(tags.pieces.first?.style.fontStyle == .italic)
    #expect(tags.pieces.last?.style == .plain)
  }

  /// Signs of the text are none of the format's, whatever stands on them: in every byte.
  @Test(arguments: [CaptionFormat.webVTT, .subRip], marks)
  func signsWithMarks(_ format: CaptionFormat, _ mark: String) throws {
    let text =
      "a <\(mark) b >\(mark) &\(mark)amp; {\(mark)\\an8} -->\(mark) <i\(mark)> &lt;\(mark)"
    var caption = Caption(
      text, timeRange: TimeRange(start: .zero, end: Time(value: 1, timescale: 1)))
    if format == .subRip { caption.region = .subRipTextBottom }
    let written = try CaptionDocument(captions: [caption], format: format).written(as: format)
    let back = try CaptionDocument(reading: written.bytes, format: format)
    #expect(back.issues.isEmpty, "\(back.issues)")
    let scalars = back.captions.map { Array($0.text.unicodeScalars) }
    #expect(scalars == [Array(text.unicodeScalars)])
    // Others look for bytes.
    let lines = written.bytes.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
    let body = try #require(lines.last).unicodeScalars
    if format == .webVTT { #expect(!body.contains("<") && !body.contains(">")) }
  }

  /// WebVTT, 5.1: the base is all that stands before a ruby text.
  @Test(
    arguments: [
      ("<ruby>漢<rt>かん</rt></ruby>の", ["漢", "の"], ["かん", nil]),
      ("<ruby>漢<rt><i>かん</i></rt></ruby>の", ["漢", "の"], ["かん", nil]),
      ("<ruby>漢<rt>かん</rt>字<rt>じ</ruby>の", ["漢", "字", "の"], ["かん", "じ", nil]),
      ("<ruby>漢<i>字</i><rt>かんじ</rt></ruby>", ["漢字"], ["かんじ"]),
      ("a<ruby><rt>x</rt></ruby>b", ["ab"], [nil]), ("a<rt>b</rt>", ["ab"], [nil]),
      ("<ruby>漢<rt>かん</rt>字</ruby>", ["漢", "字"], ["かん", nil]),
    ] as [(String, [String], [String?])])
  func ruby(source: String, texts: [String], rubies: [String?]) throws {
    let document = try CaptionDocument(
      reading: Array("WEBVTT\n\n00:01.000 --> 00:02.000\n\(source)\n".utf8))
    let pieces = try #require(document.captions.first).pieces
    #expect(pieces.map(\.text) == texts)
    #expect(pieces.map(\.style.ruby?.text) == rubies)
    // Text without its place, and styles within, are told.
    let isWhole = !source.contains("<i>") && !source.contains("a<")
    #expect(document.issues.isEmpty == isWhole, "\(document.issues)")
  }

  /// Times within a cue count what a receiver counts, styles between them or not.
  @Test func timesBetweenStyles() throws {
    let source = "e<00:01.500>\u{301}<b>x</b><00:01.800>y"
    let document = try CaptionDocument(
      reading: Array("WEBVTT\n\n00:01.000 --> 00:02.000\n\(source)\n".utf8))
    let caption = try #require(document.captions.first)
    #expect(caption.text == "e\u{301}xy")
    #expect(
      caption.revealTimes == [.zero, Time(value: 1, timescale: 2), Time(value: 4, timescale: 5)])
    let back = try CaptionDocument(reading: document.written(as: .webVTT).bytes)
    #expect(back.captions == document.captions)
  }

  /// Tags that there are not open nothing: what was open before ends where it is closed.
  @Test(arguments: [TagText.Dialect.webVTT, .subRip]) func unknownTags(_ dialect: TagText.Dialect) {
    let tags = TagText("<i>one<p.red>two</i> three</p> <x>four", dialect)
    #expect(tags.pieces.map(\.text).joined() == "onetwo three four")
    #expect(tags.pieces.map(\.style.fontStyle) == [.italic, nil])
    #expect(tags.pieces.allSatisfy { $0.style.textColor == nil })
    #expect(tags.skipped.count == 2, "\(tags.skipped)")
  }

  /// HTML's line break, which neither format has, glues no words together.
  @Test(
    arguments: [TagText.Dialect.webVTT, .subRip], ["<br>", "<br/>", "<BR />", "<br clear=all>"])
  func lineBreaks(_ dialect: TagText.Dialect, _ tag: String) {
    let tags = TagText("<i>one\(tag)two</i> three", dialect)
    #expect(tags.pieces.map(\.text) == ["one\ntwo", " three"])
    #expect(tags.pieces.map(\.style.fontStyle) == [.italic, nil])
    #expect(tags.skipped.map(\.reason) == ["<br> was read as a line break"])
    #expect(tags.skipped.first?.severity == .warning)
  }

  /// Codes of SubStation Alpha in braces, one or several at once: those that captions have are taken, the rest is named.
  @Test(
    arguments: [
      ("{\\an8\\i1}a{\\i0}b", 8, ["a", "b"], [.italic, nil], nil),
      ("{\\i1}a{\\i0}b", nil, ["a", "b"], [.italic, nil], nil),
      ("{\\i1\\a6}a", 8, ["a"], [.italic], nil), ("{\\a1}a", 1, ["a"], [nil], nil),
      ("{\\a11}a", 6, ["a"], [nil], nil),
      ("{\\a4\\an0\\an10\\anx}a", nil, ["a"], [nil], "{\\a4\\an0\\an10\\anx}"),
      ("{\\an9\\pos(1,2)\\i1}a", 9, ["a"], [.italic], "{\\pos(1,2)}"),
      ("{\\}a", nil, ["a"], [nil], "{\\}"), ("{a}", nil, ["{a}"], [nil], nil),
    ] as [(String, Int?, [String], [Caption.FontStyle?], String?)])
  func overrides(
    source: String, place: Int?, texts: [String], slants: [Caption.FontStyle?], named: String?
  ) {
    let tags = TagText(source, .subRip)
    #expect(tags.placement == place && tags.pieces.map(\.text) == texts)
    #expect(tags.pieces.map(\.style.fontStyle) == slants)
    let reasons = tags.skipped.map(\.reason)
    #expect(reasons == (named.map { ["\($0.prefix(20)) was skipped"] } ?? []))
  }

  @Test func overridesOfWeight() {
    let tags = TagText("{\\b1}a{\\u1}b{\\b0}c{\\u0}d<i>{\\b1}e</i>f", .subRip)
    #expect(tags.pieces.map(\.text) == ["a", "b", "c", "d", "e", "f"])
    #expect(tags.pieces.map(\.style.fontWeight) == [.bold, .bold, nil, nil, .bold, nil])
    #expect(tags.pieces.map(\.style.decoration) == [nil, .underline, .underline, nil, nil, nil])
    #expect(tags.skipped.isEmpty)
  }

  /// Signs that begin nothing are not looked for again and again, and styles are put one behind the other.
  @Test(.timeLimit(.minutes(10))) func longTexts() {
    let braces = TagText(String(repeating: "{\\", count: 400_000), .subRip)
    #expect(braces.pieces.map(\.text.count) == [800_000])
    let count = 200_000
    let styled = TagText(String(repeating: "<b>a</b>b", count: count), .webVTT)
    let caption = Caption(pieces: styled.pieces, timeRange: .zero)
    #expect(caption.styledRanges.count == 2 * count)
    let ruby = TagText(String(repeating: "<ruby>a<rt>b</rt></ruby>", count: count), .webVTT)
    #expect(ruby.pieces.count == count && ruby.skipped.isEmpty)
  }

  /// windows-1258 waits with a letter for its mark, ISO-2022-JP leaves its shift open.
  @Test func lastLetters() throws {
    let head = Array("1\n00:00:01,000 --> 00:00:02,000\n".utf8)
    for (encoding, bytes, text) in [
      ("windows-1258", [0x74, 0x6F], "to"), ("windows-1258", [0x61, 0x62, 0x41], "abA"),
      ("windows-1258", [0x74, 0x6F, 0xEC], "to\u{301}"), ("UTF-7", [0x61, 0x62], "ab"),
    ] as [(String, [UInt8], String)] {
      var options = CaptionReadingOptions()
      options.encoding = encoding
      let document = try CaptionDocument(reading: head + bytes, options: options)
      #expect(document.captions.map(\.text) == [text] && document.issues.isEmpty, "\(encoding)")
    }
  }
}
