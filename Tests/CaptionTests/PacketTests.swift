// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Testing

@testable import FocalCaptions

/// Captions of containers that have them one by one.
struct PacketTests {
  private static func read(
    _ text: String, _ format: CaptionFormat, settings: String = ""
  ) -> CaptionDocument {
    CaptionDocument(
      packets: [
        CaptionPacket(
          timeRange: TimeRange(
            start: Time(value: 61, timescale: 1), duration: Time(value: 2, timescale: 1)),
          text: text, settings: settings)
      ], format: format)
  }

  @Test(arguments: [
    ("I <3 you, and 1 < 2 > 0", "I <3 you, and 1 < 2 > 0", CaptionFormat.subRip),
    ("<i>so</i> <b>it</b> <font color=\"red\">is</font>", "so it is", .subRip),
    ("<v Anna>Salt &amp; pepper &lt;", "Salt & pepper <", .webVTT),
    ("{\\an8}above", "above", .subRip), ("one\r\ntwo", "one\ntwo", .subRip),
    ("a {b} &c; <c.yellow>d</c> <00:01:01.500>e", "a {b} &c; d e", .webVTT),
  ]) func words(_ source: String, _ words: String, _ format: CaptionFormat) {
    #expect(Self.read(source, format).captions.map(\.text) == [words])
  }

  /// Styles, places and times within a text are kept.
  @Test func looks() throws {
    let subRip = try #require(
      Self.read("{\\an8}<i>Italic</i> <font color=\"#ff0000\">red</font>", .subRip).captions.first)
    #expect(subRip.region == .appleITTTop)
    #expect(subRip.pieces.map(\.style.fontStyle) == [.italic, nil, nil])
    #expect(subRip.pieces.last?.style.textColor == .red)
    let webVTT = try #require(
      Self.read("caf&eacute; <00:01:02.000>x", .webVTT, settings: "line:0 align:left").captions
        .first)
    #expect(webVTT.identifier == nil)
    #expect(webVTT.text == "café x" && webVTT.textAlignment == .left)
    #expect(webVTT.region?.displayAlignment == .before)
    #expect(webVTT.revealTimes.last == Time(value: 1, timescale: 1))
    #expect(webVTT.timeRange.start == Time(value: 61, timescale: 1))
  }

  /// What is skipped is told, with its time; signs without an end are looked for once.
  @Test(.timeLimit(.minutes(10))) func faults() {
    let document = Self.read("{\\pos(1,2)}a", .subRip)
    #expect(document.issues.map(\.time) == [Time(value: 61, timescale: 1)])
    let signs = String(repeating: "<", count: 400_000)
    #expect(Self.read(signs, .subRip).captions.map(\.text) == [signs])
  }
}
