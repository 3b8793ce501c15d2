// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Testing

@testable import FocalCaptions

/// The behaviour of a receiver with codes that interrupt each other, and with files that are not in order.
struct ReceiverTests {
  private func screen(_ write: (inout PairWriter) -> Void) throws -> CEA608.Screen {
    var writer = PairWriter()
    writer.line(at: 100)
    write(&writer)
    return try #require(try Playback(writer.bytes).changes.last?.screen)
  }

  /// 47 CFR 79.101(f)(1)(ii): the address of a row moves the window at once, an empty one, too; each line is where the
  /// receiver shows it, and written again it stands there.
  @Test(arguments: [0x1140, 0x1160, 0x1560, 0x1340] as [UInt16]) func windowElsewhere(
    address: UInt16
  ) throws {
    var writer = PairWriter()
    for (number, text) in ["ONE", "TWO", "THREE"].enumerated() {
      writer.line(at: 60 + 90 * number)
      writer.control(0x1425)
      writer.control(0x142D)
      writer.control(address | 0x10)
      writer.characters(text)
    }
    writer.line(at: 400)
    writer.control(0x142C)
    let document = try CaptionDocument(reading: writer.bytes)
    let row = try #require(CEA608.Preamble(code: address)?.row)
    #expect(document.issues.isEmpty && document.captions.count == 3)
    for caption in document.captions {
      #expect(caption.region?.origin == .cell(column: 0, row: max(1, row) - 1))
    }
    let written = try document.written(as: .scc)
    #expect(try Playback(written.bytes) == Playback(writer.bytes) && written.losses.isEmpty)
  }

  /// 47 CFR 79.101(f)(1)(ix) and (f)(2)(iv), CTA-608-E, C.15: captions go on where text has interrupted them.
  @Test func interruptions() throws {
    let rolled = try screen {
      $0.control(0x1425)
      $0.control(0x142D)
      $0.control(0x1470)
      $0.characters("HELL")
      $0.control(0x142A)
      $0.characters("zzzz")
      $0.control(0x1425)
      $0.characters("O!")
    }
    #expect(rolled.text(row: 14) == "HELLO!")
    let popped = try screen {
      $0.control(0x1420)
      $0.control(0x142E)
      $0.control(0x1470)
      $0.characters("ab")
      $0.control(0x142A)
      $0.characters("zz")
      $0.control(0x1470)
      $0.control(0x1420)
      $0.characters("cd")
      $0.control(0x142F)
    }
    #expect(popped.text(row: 14) == "abcd")
  }

  /// CTA-608-E, C.10, and 47 CFR 79.101(f)(1)(x): the other styles' commands leave a rolled-up caption where it is;
  /// a roll-up command erases the captions of the other styles alone.
  @Test(arguments: [0x1420, 0x1429] as [UInt16]) func styles(command: UInt16) throws {
    func roll(_ writer: inout PairWriter) {
      writer.control(0x1425)
      writer.control(0x142D)
      writer.control(0x1370)  // row 13
      writer.characters("ONE")
    }
    let kept = try screen {
      roll(&$0)
      $0.control(command)
      if command == 0x1420 {
        $0.control(0x1470)
        $0.characters("pop")
      }
      $0.control(0x1425)
      $0.control(0x142D)
      $0.characters("TWO")
    }
    #expect(kept.text(row: 11) == "ONE" && kept.text(row: 12) == "TWO")
    let erased = try screen {
      $0.control(0x1429)
      $0.control(0x1140)
      $0.characters("paint")
      roll(&$0)
    }
    #expect(erased.text(row: 0) == nil && erased.text(row: 12) == "ONE")
  }

  /// CTA-608-E, C.7: beside a character, the next one has its attributes. C.14: so it has those of what was deleted,
  /// and at a row's start those of its address. 6.2: black ends flash.
  @Test func attributes() throws {
    let beside = try screen {
      $0.control(0x1429)
      $0.control(0x1148)  // row 1, red
      $0.characters("red abcd")
      $0.control(0x1154)  // column 8, white
      $0.characters("XY")
      $0.control(0x1158)  // column 16, white
      $0.characters("Z")
    }
    #expect(beside[0, 8]?.pen.color == .red && beside[0, 9]?.pen.color == .red)
    #expect(beside[0, 16]?.pen.color == .white)
    let deleted = try screen {
      $0.control(0x1429)
      $0.control(0x1148)
      $0.characters("red ")
      $0.control(0x1124)  // blue
      $0.characters("blue")
      $0.control(0x1152)  // column 4
      $0.control(0x1721)  // the first blue letter
      $0.control(0x1424)
      $0.characters("x")
    }
    #expect(deleted[0, 5]?.pen.color == .blue)
    #expect(deleted.text(row: 0)?.hasSuffix("x") == true)
    let black = try screen {
      $0.control(0x1429)
      $0.control(0x1470)
      $0.control(0x1428)
      $0.characters("ab ")
      $0.pair(0x172E)
      $0.pair(0x172E)
      $0.characters("cd")
    }
    let cells = (0..<32).compactMap { black[14, $0] }
    #expect(cells.contains { $0.character == "a" && $0.pen.flashes })
    #expect(cells.contains { $0.character == "c" && !$0.pen.flashes && $0.pen.color == .black })
  }

  /// CTA-608-E, 6.4.2 and C.13: an extended character in the last column goes to the one before; what is written has
  /// none there.
  @Test func lastColumn() throws {
    let last = try screen {
      $0.control(0x1429)
      $0.control(0x147E)  // column 28
      $0.characters("abcE")
      $0.control(0x1221)
    }
    #expect(last.text(row: 14) == String(repeating: " ", count: 28) + "abÉE")
    let range = TimeRange(start: frames(300), end: frames(600))
    for count in [31, 63] {
      let text = String(repeating: "A", count: count) + "É"
      let document = CaptionDocument(captions: [Caption(text, timeRange: range)], format: .subRip)
      let written = try document.written(as: .scc)
      let back = try CaptionDocument(reading: written.bytes)
      #expect(back.captions.map(\.text).joined() == text)
      #expect(written.losses.contains { $0.reason.contains("broken") })
    }
    var right = Caption(String(repeating: "A", count: 30) + "É", timeRange: range)
    right.textAlignment = .end
    let moved = try CaptionDocument(captions: [right], format: .subRip).written(as: .scc)
    #expect(try CaptionDocument(reading: moved.bytes).captions.map(\.text) == [right.text])
  }

  /// CTA-608-E, 8.4 and B.11.6: commands of field 2 begin with 15 and 1D; files for it stay what they are.
  @Test func fieldTwo() throws {
    var writer = PairWriter()
    writer.line(at: 60)
    for code in [0x1520, 0x152E, 0x1470] as [UInt16] { writer.control(code) }
    writer.characters("field two")
    writer.control(0x152F)
    writer.line(at: 200)
    writer.control(0x152C)
    let document = try CaptionDocument(reading: writer.bytes)
    #expect(document.field == .two && document.captions.map(\.text) == ["field two"])
    #expect(document.issues.count == 1 && document.issues[0].reason.contains("field 2"))
    let written = try document.written(as: .scc)
    let text = String(decoding: written.bytes, as: UTF8.self)
    #expect(text.contains("1520 1520") && text.contains("152f 152f") && !text.contains("9420"))
    #expect(try CaptionDocument(reading: written.bytes).captions == document.captions)
  }

  /// A time code that there is not does not move what comes after it; lines in disorder are sent in the order of their
  /// times; midnight is passed.
  @Test func timeCodes() throws {
    func document(_ lines: [String]) throws -> CaptionDocument {
      try CaptionDocument(
        reading: Array("Scenarist_SCC V1.0\n\n\(lines.joined(separator: "\n\n"))\n".utf8))
    }
    func starts(_ document: CaptionDocument) -> [Int] {
      document.captions.map { Int($0.timeRange.start.seconds.rounded()) }
    }
    let caption = "9420 9420 94ae 94ae 9470 9470 c8e9 942f 942f"
    let typo = try document([
      "00:01:00:00\t\(caption)", "00:61:02:35\t942c 942c", "00:01:10:00\t\(caption)",
      "00:01:12:00\t942c 942c",
    ])
    #expect(starts(typo) == [60, 70])
    #expect(typo.issues.map(\.line) == [5, 5])
    let disorder = try document([
      "00:01:00:00\t\(caption)", "00:01:02:00\t942c 942c", "00:00:10:00\t\(caption)",
      "00:00:12:00\t942c 942c",
    ])
    #expect(starts(disorder) == [10, 60] && disorder.issues.map(\.line) == [7])
    #expect(disorder.captions.allSatisfy { $0.timeRange.duration < Time(value: 3, timescale: 1) })
    let midnight = try document([
      "23:59:58:00\t\(caption)", "00:00:01:00\t942c 942c", "00:00:02:00\t\(caption)",
      "00:00:05:00\t942c 942c",
    ])
    #expect(midnight.captions.map { Int($0.timeRange.duration.seconds.rounded()) } == [3, 3])
    #expect(midnight.issues.map(\.line) == [5])
    let written = try midnight.written(as: .scc)
    #expect(try CaptionDocument(reading: written.bytes).captions == midnight.captions)
    #expect(String(decoding: written.bytes, as: UTF8.self).contains("\n00:00:01:00\t942c"))
    // CTA-608-E, C.9: no receiver erases by itself before 16 s.
    let endless = try document(["00:00:10:00\t\(caption)"])
    #expect(endless.captions.first?.timeRange.duration == frames(480 + 2))
    #expect(endless.issues.count == 1)
  }

  /// CTA-608-E, B.8.1 and B.8.2: every row that rolls up, and every burst that is painted on, has its command.
  @Test func commandsAgain() throws {
    func caption(_ text: String, _ start: Int, _ end: Int, rolls: Bool) -> Caption {
      var caption = Caption(text, timeRange: TimeRange(start: frames(start), end: frames(end)))
      caption.region = CaptionRegion(
        origin: .cell(column: 0, row: rolls ? 13 : start / 100),
        size: .cells(text.count, rolls ? 2 : 1), scroll: rolls ? .rollUp : .none,
        displayAlignment: .after)
      caption.animation = .characterReveal
      return caption
    }
    for (rolls, command) in [(true, "9425"), (false, "9429")] {
      let captions = [
        caption("one", 100, 400, rolls: rolls), caption("two", 200, 400, rolls: rolls),
        caption("three", 300, 400, rolls: rolls),
      ]
      let written = try CaptionDocument(captions: captions, format: .scc).written(as: .scc)
      let text = String(decoding: written.bytes, as: UTF8.self)
      #expect(text.ranges(of: "\(command) \(command)").count == 3, "\(text)")
    }
  }

  /// The mark of the dash and of lines of boxes is one (CTA-608-E, Table 6): nothing is lost.
  @Test func dash() throws {
    let caption = Caption(
      "No\u{2014}yes", timeRange: TimeRange(start: frames(300), end: frames(600)))
    let written = try CaptionDocument(captions: [caption], format: .subRip).written(as: .scc)
    #expect(written.losses.isEmpty)
    let back = try CaptionDocument(reading: written.bytes).written(as: .webVTT)
    #expect(try CaptionDocument(reading: back.bytes).captions.map(\.text) == ["No\u{2014}yes"])
  }

  /// Time codes have no days: what is not read again at its time is an error.
  @Test(arguments: [TimeCodeRate.ntsc, .ntscDrop]) func days(rate: TimeCodeRate) throws {
    func losses(_ hours: [Int]) throws -> [CaptionIssue] {
      let captions = hours.map { hour in
        Caption(
          "hour \(hour)",
          timeRange: TimeRange(
            start: Time(value: Int64(hour) * 3600 + 600, timescale: 1),
            duration: Time(value: 2, timescale: 1)))
      }
      let document = CaptionDocument(captions: captions, format: .subRip)
      var options = CaptionWritingOptions()
      options.timeCodeRate = rate
      let written = try document.written(as: .scc, options: options)
      let read = try CaptionDocument(reading: written.bytes).captions.map {
        Int(($0.timeRange.start.seconds - 600).rounded()) / 3600
      }
      #expect((read == hours) == written.losses.isEmpty, "\(read) for \(hours)")
      options.isStrict = true
      if !written.losses.isEmpty {
        let error = #expect(throws: CinematicError.self) {
          try document.written(as: .scc, options: options)
        }
        #expect(error?.code == .incompatible)
      }
      return written.losses
    }
    for hours in [[0, 23], [1, 12, 23, 25, 36, 47, 49]] { #expect(try losses(hours).isEmpty) }
    for (hours, first) in [([25], 25), ([100, 101], 100), ([20, 23, 37], 37), ([1, 60], 60)] {
      let found = try losses(hours)
      #expect(found.map(\.severity) == [.error])
      let time = try #require(found.first?.time).seconds / 3600
      #expect(abs(time - Double(first) - 1.0 / 6) < 0.01)
    }
  }
}
