// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Testing

@testable import FocalCaptions

/// The codes of a `.scc` file, judged as they are.
struct TransmissionTests {
  private func read(_ write: (inout PairWriter) -> Void) throws -> CaptionDocument {
    var writer = PairWriter()
    write(&writer)
    return try CaptionDocument(reading: writer.bytes)
  }

  private func load(_ writer: inout PairWriter, _ text: String, erase: Bool = true) {
    writer.control(0x1420)
    if erase { writer.control(0x142E) }
    writer.control(0x1470)
    writer.characters(text)
    writer.control(0x142F)
  }

  @Test func loads() throws {
    let document = try read {
      $0.line(at: 100)
      load(&$0, "one")
      $0.line(at: 105)
      load(&$0, "two")
      $0.line(at: 400)
      $0.control(0x142C)
    }
    let transmission = try #require(document.transmission)
    // Four codes, doubled, and two pairs of characters; the second one waits for five frames.
    #expect(transmission.loads.map(\.pairCount) == [9, 9])
    #expect(transmission.loads.map(\.start) == [frames(100), frames(110)])
    #expect(transmission.loads.map(\.shown) == [frames(108), frames(118)])
    #expect(transmission.loads.map(\.delay) == [.zero, frames(5)])
    #expect(transmission.loads.map(\.line) == [3, 4])
    #expect(transmission.issues.count == 1, "\(transmission.issues)")
    #expect(transmission.issues.first?.time == frames(118))
    #expect(transmission.pairCount == 22)
  }

  /// Each fault is named once, and no other one.
  @Test func faults() throws {
    func reasons(_ write: (inout PairWriter) -> Void) throws -> [String] {
      let document = try read(write)
      return (document.issues + (document.transmission?.issues ?? [])).map(\.description)
    }
    func only(_ word: String, _ write: (inout PairWriter) -> Void) throws {
      let found = try reasons(write)
      #expect(found.count == 1 && found.first?.contains(word) == true, "\(word): \(found)")
    }
    try only("before the first command") {
      $0.line(at: 50)
      $0.characters("nobody")
      $0.line(at: 100)
      load(&$0, "x")
      $0.control(0x142C)
    }
    try only("erased before it was shown") {
      $0.line(at: 100)
      $0.control(0x1420)
      $0.control(0x1470)
      $0.characters("gone")
      load(&$0, "x")
      $0.control(0x142C)
    }
    try only("never shown") {
      $0.line(at: 100)
      load(&$0, "x")
      $0.control(0x142C)
      $0.control(0x1420)
      $0.characters("gone")
    }
    try only("column 32") {
      $0.line(at: 100)
      load(&$0, String(repeating: "x", count: 34))
      $0.control(0x142C)
    }
    try only("means nothing") {
      $0.line(at: 100)
      $0.control(0x1420)
      $0.control(0x1060)
      $0.control(0x1060)
      load(&$0, "x")
      $0.control(0x142C)
    }
    try only("Text service") {
      $0.line(at: 100)
      load(&$0, "x")
      $0.control(0x142C)
      $0.control(0x142A)
      $0.characters("news")
    }
    try only("older caption") {
      $0.line(at: 100)
      load(&$0, "a long one")
      $0.line(at: 200)
      load(&$0, "x")
      $0.line(at: 300)
      load(&$0, "y", erase: false)
      $0.line(at: 400)
      load(&$0, "z", erase: false)
      $0.line(at: 500)
      $0.control(0x142C)
    }
    try only("5 rows") {
      $0.line(at: 100)
      $0.control(0x1420)
      for row: UInt16 in [0x1140, 0x1240, 0x1540, 0x1640, 0x1740] {
        $0.control(row)
        $0.characters("row")
      }
      $0.control(0x142F)
      $0.line(at: 300)
      $0.control(0x142C)
    }
    try only("sent once among") {
      $0.line(at: 100)
      load(&$0, "x")
      $0.line(at: 200)
      $0.pair(0x142C)
    }
  }

  /// A file whose codes are all sent once has a note, and files that are written have nothing.
  @Test func fine() throws {
    var writer = PairWriter(doubles: false)
    writer.line(at: 100)
    load(&writer, "x")
    writer.line(at: 200)
    writer.control(0x142C)
    let single = try CaptionDocument(reading: writer.bytes)
    #expect(single.transmission?.issues.map(\.severity) == [.note] && single.issues.isEmpty)
    var random = Seeded(57)
    for number in 0..<300 {
      var captions: [Caption] = []
      var start = 30
      for line in 0..<6 {
        let text = String((0..<(1 + random.below(40))).map { _ in random.pick(Array("abc é♪ d")) })
        captions.append(
          Caption(
            "\(line)\(text)x", timeRange: TimeRange(start: frames(start), end: frames(start + 30))))
        start += 30 + random.pick([0, 0, 3, 40])
      }
      let bytes = try CaptionDocument(captions: captions, format: .subRip).written(as: .scc).bytes
      let back = try CaptionDocument(reading: bytes)
      let found = back.issues + (back.transmission?.issues ?? [])
      try #require(found.isEmpty, "case \(number): \(found)")
    }
  }

  /// 47 CFR 79.101(i)(1): in field 1, a byte below 0x10 is ignored alone; in field 2 it is another service's.
  @Test func otherServices() throws {
    for (command, text) in [(0x1420, "aBb"), (0x1520, "ab")] as [(UInt16, String)] {
      let document = try read {
        $0.line(at: 100)
        $0.control(command)
        $0.control(0x1470)
        $0.pair(0x6100)
        $0.pair(0x0142)
        $0.pair(0x6200)
        $0.control(command | 0x0F)
        $0.line(at: 300)
        $0.control(command | 0x0C)
      }
      #expect(document.captions.map(\.text) == [text])
    }
  }

  /// Of codes that come late, none leaves a frame empty: not where the screen is erased between them either.
  @Test func noIdleFrame() throws {
    var random = Seeded(71)
    var late = 0
    for number in 0..<2000 {
      let text = { (random: inout Seeded) in
        (0..<(1 + random.below(3))).map { _ in
          String(repeating: "x", count: 1 + random.below(32))
        }.joined(separator: "\n")
      }
      let first = 60 + random.below(20)
      let end = first + 3 + random.below(40)
      let next = end + 1 + random.below(8)
      let captions = [
        Caption(text(&random), timeRange: TimeRange(start: frames(first), end: frames(end))),
        Caption(text(&random), timeRange: TimeRange(start: frames(next), end: frames(next + 200))),
      ]
      let conversion = CaptionConversion(captions, doubling: true)
      guard conversion.warnings.map(\.captions) == [[1]] else { continue }
      let shown = conversion.sent.indices.filter {
        conversion.sent[$0].pair == CEA608.Command.endOfCaption.code
      }
      // From the first caption's second code to the second one's first, all frames are sent in, unless it is shown as
      // soon as the screen is erased.
      try #require(shown.count == 4)
      let (from, to) = (conversion.sent[shown[1]].frame, conversion.sent[shown[2]].frame)
      guard to > end + 2 else { continue }
      late += 1
      try #require(
        to - from == shown[2] - shown[1],
        "case \(number): \(captions.map { ($0.text, $0.timeRange) })")
    }
    #expect(late > 300, "\(late)")
  }
}
