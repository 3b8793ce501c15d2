// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Testing

@testable import FocalCaptions

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
    #expect(document.issues.count == 3, "\(document.issues)")
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
      // SubRip has no signs for < and >: texts that look like tags cannot come back.
      guard format == .webVTT else { continue }
      let back = try CaptionDocument(reading: written.bytes)
      try #require(
        back.captions == captions, "\(number): \(String(decoding: written.bytes, as: UTF8.self))")
    }
  }

  /// Rows of a screen become lines of a text, and come back as rows.
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
      #expect(written.losses.count(where: { $0.reason.contains("cells") }) == 1)
    }
  }
}
