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
