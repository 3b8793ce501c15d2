// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Testing

@testable import FocalCaptions

/// Values of TTML's attributes, as they are read and written.
struct TimedTextValueTests {
  private static func read(
    _ body: String, head: String = "", parameters: String = "ttp:timeBase=\"media\""
  ) throws -> CaptionDocument {
    let text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <tt xmlns="http://www.w3.org/ns/ttml" xmlns:ttp="http://www.w3.org/ns/ttml#parameter" \
      xmlns:tts="http://www.w3.org/ns/ttml#styling" xml:lang="en" \(parameters)>
      <head>\(head)</head><body><div>\(body)</div></body></tt>
      """
    return try CaptionDocument(reading: Array(text.utf8), format: .ttml)
  }

  /// A value that there is not leaves what is inherited, or what a style says that is referred to, and is told.
  @Test(arguments: [
    ("color", "red", "reddish"), ("fontStyle", "italic", "slanted"), ("fontWeight", "bold", "700"),
    ("textAlign", "right", "justify"), ("textDecoration", "underline", "blink"),
    ("backgroundColor", "blue", "bluish"),
  ]) func wrongValues(name: String, value: String, wrong: String) throws {
    let head = "<styling><style xml:id=\"s\" tts:\(name)=\"\(value)\"/></styling>"
    func paragraph(_ attributes: String) -> String {
      "<p begin=\"1s\" end=\"2s\" \(attributes)><span>x</span></p>"
    }
    let right = try Self.read(paragraph("tts:\(name)=\"\(value)\""))
    let wrongs = [
      try Self.read(paragraph("style=\"s\" tts:\(name)=\"\(wrong)\""), head: head),
      try Self.read(
        "<div tts:\(name)=\"\(value)\">\(paragraph("tts:\(name)=\"\(wrong)\""))</div>"),
    ]
    #expect(right.issues.isEmpty && right.captions.count == 1)
    for document in wrongs {
      #expect(document.captions == right.captions)
      #expect(document.captions.first?.textAlignment == right.captions.first?.textAlignment)
      #expect(document.issues.count == 1 && document.issues[0].reason.contains(wrong))
    }
  }

  /// So does a region's.
  @Test func wrongValuesOfRegions() throws {
    let document = try Self.read(
      "<p begin=\"1s\" end=\"2s\" region=\"r\">x</p>",
      head: """
        <styling><style xml:id="s" tts:displayAlign="after" tts:textAlign="end"/></styling>\
        <layout><region xml:id="r" style="s" tts:displayAlign="below" tts:textAlign="x"/></layout>
        """)
    let region = try #require(document.captions.first?.region)
    #expect(region.displayAlignment == .after && region.textAlignment == .end)
    #expect(document.issues.count == 2)
  }

  /// Times of a clock on the wall, or of none that there is, are taken for the media's, and told.
  @Test(arguments: ["media", "smpte", "clock", "x"]) func timeBases(_ base: String) throws {
    let document = try Self.read(
      "<p begin=\"00:00:01:00\" end=\"00:00:02:00\">x</p>",
      parameters: "ttp:timeBase=\"\(base)\" ttp:frameRate=\"25\"")
    #expect(document.captions.first?.timeRange.start == Time(value: 1, timescale: 1))
    let told = document.issues.filter { $0.reason.contains("ttp:timeBase '\(base)'") }
    #expect(told.count == (["media", "smpte"].contains(base) ? 0 : 1))
    #expect(told.allSatisfy { $0.severity == .warning })
  }

  /// Places that are none are left out and told, and all others are numbers that TTML has.
  @Test(arguments: [CaptionFormat.ttml, .itt]) func places(_ format: CaptionFormat) throws {
    func write(
      _ origin: CaptionPoint, _ size: CaptionSize
    ) throws -> (region: CaptionRegion, text: String, told: Int) {
      var caption = Caption("x", timeRange: TimeRange(start: frames(30), end: frames(60)))
      caption.region = CaptionRegion(identifier: "r", origin: origin, size: size)
      let (bytes, losses) = try CaptionDocument(captions: [caption], format: .ttml)
        .written(as: format)
      let back = try CaptionDocument(reading: bytes, format: format)
      #expect(back.issues.isEmpty, "\(back.issues)")
      return (
        try #require(back.captions.first?.region), String(decoding: bytes, as: UTF8.self),
        losses.count { $0.reason.contains("the region's place is none") }
      )
    }
    let whole = CaptionSize.percent(80, 20)
    let mixed = CaptionPoint(x: .percent(10), y: .cells(3))
    let origins: [CaptionPoint] = [
      .percent(.nan, 10), .percent(10, .infinity), .percent(-1e9, 0), mixed,
    ]
    for origin in origins {
      let (region, text, told) = try write(origin, whole)
      #expect(told == 1 && !text.contains("nan") && !text.contains("inf"), "\(text)")
      #expect(region.hasPlace(of: .appleITTBottom))
    }
    for size in [CaptionSize.percent(.nan, 1), .percent(-5, 20), .cells(20, 2)] {
      let (region, text, told) = try write(.percent(10, 20), size)
      #expect(told == 1 && !text.contains("tts:extent"), "\(text)")
      #expect(region.origin == .percent(10, 20) && region.size == .percent(90, 80))
    }
    for value in [0.1, 1e-9, 33.25, -10, 999_999] {
      let (region, text, told) = try write(.percent(value, 10), whole)
      #expect(told == 0 && !text.contains("e-"), "\(text)")
      #expect(abs((region.origin?.x.value ?? .nan) - value) < 1e-4)
    }
  }

  /// A background that is transparent is text without a box, however it is written; formats without such say so once, and
  /// it is no loss.
  @Test func transparentBackgrounds() throws {
    let values = ["transparent", "#00000000", "#ffffff00", "rgba(1,2,3,0)"]
    let paragraphs = values.enumerated().map {
      "<p begin=\"\($0)s\" end=\"\($0 + 1)s\" region=\"bottom\""
        + " tts:backgroundColor=\"\($1)\">x</p>"
    }
    let document = try Self.read(paragraphs.joined())
    let colors = document.captions.flatMap(\.pieces).map(\.style.backgroundColor)
    #expect(colors == Array(repeating: .transparent, count: 4))
    var strict = CaptionWritingOptions()
    strict.isStrict = true
    for format in [CaptionFormat.webVTT, .subRip] {
      let losses = try document.written(as: format, options: strict).losses
        .filter { $0.reason.contains("boxes") }
      #expect(losses.count == 1 && losses.first?.severity == .note, "\(losses)")
    }
    let track = try CaptionTrack(document, kind: .timedText)
    let told = track.losses.filter { $0.reason.contains("boxes") }
    #expect(told.count == 1 && told.first?.severity == .note, "\(track.losses)")
    let back = try CaptionDocument(reading: try document.written(as: .itt).bytes)
    #expect(back.captions.flatMap(\.pieces).map(\.style.backgroundColor) == colors)
  }
}
