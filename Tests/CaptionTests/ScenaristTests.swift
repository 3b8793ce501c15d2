// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Testing

@testable import FocalCaptions

/// Reading Scenarist caption files.
struct ScenaristTests {
  private func read(_ bytes: [UInt8], channel: CEA608.Channel = .one) throws -> CaptionDocument {
    var options = CaptionReadingOptions()
    options.channel = channel
    return try CaptionDocument(reading: bytes, format: .scc, options: options)
  }

  /// 47 CFR 79.101(f)(2): a caption is loaded out of sight and shown by its end code, at that code's frame.
  @Test(arguments: [true, false]) func popOn(doubles: Bool) throws {
    var writer = PairWriter(doubles: doubles)
    writer.line(at: 100)
    writer.control(0x1420)
    writer.control(0x142E)
    writer.control(0x1372)  // row 13, column 4
    writer.control(0x1722)  // two columns on
    writer.characters("Hello world")
    writer.control(0x1470)  // row 15, column 0
    writer.characters("Two")
    let shown = writer.frame
    writer.control(0x142F)
    writer.line(at: 400)
    writer.control(0x142C)
    let document = try read(writer.bytes)
    #expect(document.issues.isEmpty, "\(document.issues)")
    #expect(document.doublesControlCodes == doubles)
    #expect(document.captions.map(\.text) == ["Hello world", "Two"])
    for caption in document.captions {
      #expect(caption.timeRange == TimeRange(start: frames(shown), end: frames(400)))
      #expect(caption.animation == .none)
    }
    #expect(document.captions[0].region?.origin == .cell(column: 6, row: 12))
    #expect(document.captions[0].region?.size == .cells(11, 1))
    #expect(document.captions[1].region?.origin == .cell(column: 0, row: 14))
  }

  @Test func spellings() throws {
    let variants = [
      "Scenarist_SCC V1.0\r\n\r\n00:00:10:00\t9420 9420 9470 9470 c8e9 942f 942f\r\n\r\n00:00:20:00\t942c 942c\r\n",
      "\u{FEFF}Scenarist_SCC V1.0\n00:00:10:00 9420 9420 9470 9470 C8E9 942F 942F\n00:00:20:00 942C",
      "Scenarist_SCC V1.0\r\r  00:00:10:00  9420 9470 c8e9 8080 942f \r 00:00:20:00\t 942c\r",
    ]
    let starts = [306, 306, 304]
    for (text, start) in zip(variants, starts) {
      let document = try read(Array(text.utf8))
      #expect(document.issues.isEmpty, "\(document.issues)")
      #expect(document.captions.map(\.text) == ["Hi"])
      #expect(document.captions.first?.timeRange.start == frames(start - (start == 306 ? 1 : 0)))
      #expect(document.captions.first?.timeRange.end == frames(600))
    }
    for separator in [";", ".", ","] {
      let text = "Scenarist_SCC V1.0\n\n01:00:00\(separator)00\t9420 9470 c8e9 942f 942c"
      let document = try read(Array(text.utf8))
      #expect(document.timeCodeRate == .ntscDrop)
      #expect(document.captions.first?.timeRange.start == frames(107_892 + 3))
    }
  }

  /// Damage is told with its line, and the rest is read.
  @Test func damage() throws {
    let text = """
      Scenarist_SCC V1.0

      nonsense
      00:00:10:00\t9420 94z0 9470 48e9 942f
      00:00:10:02\t942c
      00:00:61:00\t942c
      """
    let document = try read(Array(text.utf8))
    #expect(document.captions.map(\.text) == ["Hi"])
    #expect(document.issues.map(\.line) == [3, 4, 4, 5, 6])
    var options = CaptionReadingOptions()
    options.isStrict = true
    #expect(throws: CinematicError.self) {
      try CaptionDocument(reading: Array(text.utf8), options: options)
    }
    for bad in ["", "hello", "\n\n\n"] {
      #expect(throws: CinematicError.self) {
        try CaptionDocument(reading: Array(bad.utf8), format: .scc)
      }
    }
  }

  /// A first time code that there is not moves no other line: its own comes from the next one.
  @Test func impossibleFirstTimeCode() throws {
    let load = "9420 9470"
    let rest = "00:00:10:00\t\(load) 6162 942f\n00:00:20:00\t942c"
    func starts(_ code: String, _ rest: String) throws -> [Time] {
      let document = try read(
        Array("Scenarist_SCC V1.0\n\n\(code)\t\(load) c8e9 942f\n\(rest)".utf8))
      #expect(document.captions.map(\.text) == (rest.isEmpty ? ["Hi"] : ["Hi", "ab"]))
      #expect(document.issues.first?.line == 3 && document.issues.first?.severity == .error)
      // Of a caption that nothing erases a time is said, and no line.
      #expect(document.issues.compactMap(\.line).allSatisfy { $0 == 3 }, "\(document.issues)")
      return document.captions.map(\.timeRange.start)
    }
    for code in ["99:99:99:99", "00:00:09:59", "00:75:00:00"] {
      #expect(try starts(code, rest) == [frames(299), frames(303)])
    }
    // One that fits is kept.
    #expect(try starts("00:00:04:31", rest) == [frames(154), frames(303)])
    #expect(try starts("99:99:99:99", "") == [frames(3)])
    #expect(try starts("00:00:61:00", "") == [frames(1833)])
  }

  /// 47 CFR 79.101(f)(1)(vi): a mid-row code takes a cell; CTA-608-E, 6.2 and 6.4.2: a background attribute and an
  /// extended character take the place of the character before them.
  @Test func attributesAndCharacters() throws {
    var writer = PairWriter()
    writer.line(at: 100)
    writer.control(0x1420)
    writer.control(0x1146)  // row 1, cyan
    writer.characters("a")
    writer.control(0x112E)  // italics, in a cell
    writer.characters("b ")
    writer.control(0x1024)  // the space becomes a blue box
    writer.characters("cE")
    writer.control(0x1221)  // É for E
    writer.control(0x1137)
    writer.control(0x1137)
    writer.control(0x142F)
    writer.line(at: 200)
    writer.control(0x142C)
    let caption = try #require(try read(writer.bytes).captions.first)
    #expect(caption.text == "a b cÉ♪♪")
    let pieces = caption.pieces
    #expect(pieces.first?.style.textColor == .cyan && pieces.first?.style.fontStyle == nil)
    #expect(pieces.last?.style.textColor == .cyan && pieces.last?.style.fontStyle == .italic)
    #expect(pieces.last?.style.backgroundColor == .blue)
  }

  /// 47 CFR 79.101(f)(1)(iii): a row for each carriage return, which pushes the others up; the window's depth
  /// takes the oldest off.
  @Test func rollUp() throws {
    var writer = PairWriter()
    var returns: [Int] = []
    for (number, text) in ["ONE", "TWO", "THREE", "FOUR"].enumerated() {
      writer.line(at: 100 + number * 60)
      writer.control(0x1425)
      returns.append(writer.frame)
      writer.control(0x142D)
      writer.control(0x1470)
      writer.characters(text)
    }
    writer.line(at: 500)
    writer.control(0x142C)
    let document = try read(writer.bytes)
    #expect(document.captions.map(\.text) == ["ONE", "TWO", "THREE", "FOUR"])
    for (index, caption) in document.captions.enumerated() {
      #expect(caption.timeRange.start == frames(returns[index]))
      #expect(caption.timeRange.end == frames(index < 2 ? returns[index + 2] : 500))
      #expect(caption.region?.scroll == .rollUp)
      #expect(caption.region?.size?.height == .cells(2))
      #expect(caption.region?.origin == .cell(column: 0, row: 13))
      #expect(caption.animation == .characterReveal)
      #expect(caption.revealTimes.first == frames(4))
    }
  }

  /// 47 CFR 79.101(f)(3): characters are shown as they come.
  @Test func paintOn() throws {
    var writer = PairWriter()
    writer.line(at: 100)
    writer.control(0x1429)
    writer.control(0x1470)
    let first = writer.frame
    writer.characters("abcdef")
    writer.line(at: 300)
    writer.control(0x142C)
    let caption = try #require(try read(writer.bytes).captions.first)
    #expect(caption.text == "abcdef")
    #expect(caption.timeRange == TimeRange(start: frames(first), end: frames(300)))
    #expect(caption.revealTimes == [0, 0, 1, 1, 2, 2].map { frames($0) })
  }

  /// 47 CFR 79.101(c): both channels of field 1, pair by pair among each other.
  @Test func channels() throws {
    var writer = PairWriter()
    writer.line(at: 100)
    writer.control(0x1420)
    writer.control(0x1470)
    writer.characters("one")
    writer.channel = 0x0800
    writer.control(0x1420)
    writer.control(0x1470)
    writer.characters("zwei")
    writer.control(0x142F)
    writer.channel = 0
    writer.control(0x142F)
    writer.line(at: 300)
    writer.control(0x142C)
    writer.channel = 0x0800
    writer.control(0x142C)
    #expect(try read(writer.bytes).captions.map(\.text) == ["one"])
    #expect(try read(writer.bytes, channel: .two).captions.map(\.text) == ["zwei"])
    // Written in channel 2, the same captions come back from it.
    var options = CaptionWritingOptions()
    options.channel = .two
    let written = try read(writer.bytes).written(as: .scc, options: options)
    #expect(try read(written.bytes).captions.isEmpty)
    #expect(try Playback(written.bytes, channel: .two) == Playback(writer.bytes))
  }

  /// CTA-608-E, C.13 (after 79.101(f)(1)(v)): characters behind column 32 replace each other there, tab offsets
  /// end there, and a backspace before or after its character erases column 31, too; in column 1 it is ignored.
  @Test func rightMargin() throws {
    func row(_ write: (inout PairWriter) -> Void) throws -> String? {
      var writer = PairWriter()
      writer.line(at: 100)
      writer.control(0x1429)
      writer.control(0x147E)  // row 15, column 28
      write(&writer)
      return try Playback(writer.bytes).changes.last?.screen.text(row: 14)
    }
    let lead = String(repeating: " ", count: 28)
    #expect(try row { $0.characters("abcdef") } == lead + "abcf")
    #expect(
      try row {
        $0.characters("abcd")
        $0.control(0x1421)
      } == lead + "ab")
    #expect(
      try row {
        $0.characters("abcd")
        $0.control(0x1421)
        $0.characters("x")
      } == lead + "abx")
    #expect(
      try row {
        $0.control(0x1723)
        $0.control(0x1723)
        $0.characters("z")
      } == lead + "   z")
    var writer = PairWriter()
    writer.line(at: 100)
    writer.control(0x1429)
    writer.control(0x1470)
    writer.control(0x1421)
    writer.characters("ab")
    #expect(try Playback(writer.bytes).changes.last?.screen.text(row: 14) == "ab")
  }

  /// 47 CFR 79.101(f)(2)(ii) and (iii): a receiver's corrections, backspace and delete to the end of the row.
  @Test func corrections() throws {
    var writer = PairWriter()
    writer.line(at: 100)
    writer.control(0x1420)
    writer.control(0x1470)
    writer.characters("abcd")
    writer.control(0x1421)
    writer.characters("xy")
    writer.control(0x1470)
    writer.control(0x1723)
    writer.control(0x1424)
    writer.control(0x142F)
    let playback = try Playback(writer.bytes)
    #expect(playback.changes.last?.screen.text(row: 14) == "abc")
  }
}
