// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Testing

@testable import FocalCaptions

/// Paragraphs of TTML: their parts, places and white space.
struct ParagraphTests {
  private static func read(
    _ body: String, _ attributes: String = "", head: String = ""
  ) throws -> CaptionDocument {
    let text = """
      <tt xmlns="http://www.w3.org/ns/ttml" xmlns:ttp="http://www.w3.org/ns/ttml#parameter" \
      xmlns:tts="http://www.w3.org/ns/ttml#styling" \(attributes)><head>\(head)</head>\
      <body><div>\(body)</div></body></tt>
      """
    return try CaptionDocument(reading: Array(text.utf8), format: .ttml)
  }

  private static func second(_ value: Int64) -> Time { Time(value: value, timescale: 1) }

  /// A caption of no region stands at the screen's bottom here, and at the top in TTML: it is written with a region.
  @Test(arguments: [CaptionFormat.itt, .ttml]) func withoutPlace(_ format: CaptionFormat) throws {
    let range = TimeRange(start: Self.second(1), end: Self.second(2))
    var other = Caption("b", timeRange: range)
    other.region = CaptionRegion(identifier: "own", displayAlignment: .before)
    let captions = [Caption("a", timeRange: range), other]
    let bytes = try CaptionDocument(captions: captions, format: .webVTT).written(as: format).bytes
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(text.contains(" region=\"bottom\">a</p>") && text.contains(" region=\"own\">b</p>"))
    let back = try CaptionDocument(reading: bytes, format: format)
    for caption in back.captions {
      let region = try #require(caption.region)
      #expect(region.origin == .percent(0, 85) && region.size == .percent(100, 15))
      #expect(region.displayAlignment == .after && caption.shownAlignment == .center)
    }
    // No language is made up.
    #expect(!text.contains("xml:lang=\"en\""))
  }

  /// TTML1 8.2.7 and 8.2.14: a region that says no place is the whole screen.
  @Test func regionsWithoutPlace() throws {
    let head = """
      <layout><region xml:id="r" tts:displayAlign="before" tts:textAlign="center"/>\
      <region xml:id="s" tts:origin="10% 20%"/></layout>
      """
    let document = try Self.read(
      "<p region=\"r\" begin=\"1s\" end=\"2s\">a</p><p region=\"s\" begin=\"1s\" end=\"2s\">b</p>",
      head: head)
    let regions = document.captions.compactMap(\.region)
    #expect(regions.map(\.origin) == [.percent(0, 0), .percent(10, 20)])
    #expect(regions.map(\.size) == [.percent(100, 100), .percent(90, 80)])
    let subRip = try document.written(as: .subRip)
    #expect(String(decoding: subRip.bytes, as: UTF8.self).contains("{\\an8}a"))
    let webVTT = try document.written(as: .webVTT)
    #expect(String(decoding: webVTT.bytes, as: UTF8.self).contains(" line:0%"))
  }

  @Test func preservedSpace() throws {
    let paragraph = "<p begin=\"1s\" end=\"2s\">A   B</p>"
    #expect(try Self.read(paragraph, "xml:space=\"preserve\"").captions.map(\.text) == ["A   B"])
    #expect(try Self.read(paragraph).captions.map(\.text) == ["A B"])
  }

  @Test(arguments: [
    ("25.0", Time(value: 1, timescale: 25)), ("23.98", Time(value: 1001, timescale: 24000)),
    ("59.94", Time(value: 1001, timescale: 60000)), ("24.5", Time(value: 1, timescale: 30)),
  ]) func decimalRates(text: String, frame: Time) throws {
    let document = try Self.read(
      "<p begin=\"01:00:00:00\" end=\"01:00:02:00\">x</p>",
      "ttp:timeBase=\"smpte\" ttp:frameRate=\"\(text)\"")
    #expect(document.timeCodeRate?.frameDuration == frame)
    #expect(document.issues.count == 1)
  }

  /// Spans that follow each other, more than a thousand.
  @Test func manyParts() throws {
    let spans = (0..<1200).map { "<span begin=\"\($0)s\" end=\"\($0 + 1)s\">w\($0)</span>" }
    let document = try Self.read("<p begin=\"0s\" end=\"1200s\">\(spans.joined())</p>")
    #expect(document.captions.map(\.text) == (0..<1200).map { "w\($0)" })
    #expect(document.issues.isEmpty)
  }

  /// Spans that stay until the end: every one makes a caption of all, up to a limit, which is told.
  @Test(.timeLimit(.minutes(10))) func growingParts() throws {
    func paragraph(_ count: Int) -> String {
      let spans = (0..<count).map { "<span begin=\"\($0)s\">a</span>" }
      return "<p begin=\"0s\" end=\"\(count)s\">\(spans.joined())</p>"
    }
    let few = try Self.read(paragraph(300))
    #expect(few.captions.map(\.text.count) == Array(1...300) && few.issues.isEmpty)
    let many = try Self.read(paragraph(3000))
    #expect(many.captions.count > 1000)
    #expect(many.issues.map(\.severity) == [.error] && many.issues.first?.line == 1)
  }

  /// Spans that begin before their region does, or after it has ended, take no time each of them.
  @Test(.timeLimit(.minutes(10))) func partsBesideTheirRegion() throws {
    let count = 30_000
    let head = """
      <layout><region xml:id="ended" begin="0s" end="2s"/>\
      <region xml:id="late" begin="\(count)s"/></layout>
      """
    let spans = (1...count).map { "<span begin=\"\($0)s\">a</span>" }.joined()
    let paragraphs = ["ended", "late"].map { region in
      "<p region=\"\(region)\" begin=\"0s\" end=\"\(count + 1)s\">\(spans)</p>"
    }
    let document = try Self.read(paragraphs.joined(), head: head)
    #expect(document.captions.map(\.text.count) == [1, count])
    #expect(
      document.captions.map(\.timeRange.start) == [Self.second(1), Self.second(Int64(count))])
    #expect(document.issues.isEmpty)
  }

  /// TTML1 10.2.3 on paragraphs and spans.
  @Test func sequences() throws {
    let document = try Self.read(
      """
      <p begin="1s" end="9s" timeContainer="seq"><span dur="1s">A</span> <span begin="1s" dur="2s">B</span>\
      <span timeContainer="seq"><span dur="1s">C</span>lost</span><span>never</span></p>
      """)
    #expect(document.captions.map(\.text) == ["A", "B", "C"])
    #expect(document.captions.map(\.timeRange.start) == [1, 3, 5].map(Self.second))
    #expect(document.captions.map(\.timeRange.end) == [2, 5, 6].map(Self.second))
    #expect(document.issues.map(\.severity) == [.error, .error], "\(document.issues)")
  }

  /// A rate that TTML has no use for is named.
  @Test func unusedRates() throws {
    let range = TimeRange(start: Self.second(1), end: Self.second(2))
    let document = CaptionDocument(captions: [Caption("a", timeRange: range)], format: .ttml)
    var options = CaptionWritingOptions()
    options.timeCodeRate = .pal
    let losses = try document.written(as: .ttml, options: options).losses
    #expect(losses.map(\.severity) == [.note] && losses[0].reason.contains("no frame rate"))
    let framed = CaptionDocument(
      captions: [Caption("a", timeRange: TimeRange(start: frames(1), end: frames(9)))],
      format: .ttml)
    options.timeCodeRate = .ntscDrop
    let dropped = try framed.written(as: .ttml, options: options).losses
    #expect(dropped.map(\.severity) == [.note] && dropped[0].reason.contains("drop"))
    options.timeCodeRate = .ntsc
    #expect(try framed.written(as: .ttml, options: options).losses.isEmpty)
  }
}
