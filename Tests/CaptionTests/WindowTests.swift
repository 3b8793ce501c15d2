// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Testing

@testable import FocalCaptions

/// Roll-up windows that move, or change their depth, with text in them (47 CFR 79.101(f)(1)(ii)).
struct WindowTests {
  private static let rows: [UInt16] = [
    0x1140, 0x1160, 0x1240, 0x1560, 0x1660, 0x1760, 0x1040, 0x1340, 0x1360, 0x1440, 0x1460,
  ]

  /// Lines that roll in windows which move before, after and between the codes of a line, in the middle of one, and
  /// change their depth.
  static func file(_ random: inout Seeded) -> [UInt8] {
    var writer = PairWriter(doubles: !random.chance(4))
    writer.line(at: 60 + random.below(50))
    var depth = UInt16(random.below(3))
    var base = random.pick(rows)
    func text(_ count: Int, _ random: inout Seeded) -> String {
      String((0..<count).map { _ in random.pick(Array("ABCdefGHIjkl")) })
    }
    for _ in 0..<(3 + random.below(7)) {
      if random.chance(3) { depth = UInt16(random.below(3)) }
      if random.chance(2) { base = random.pick(rows) }
      writer.control(0x1425 + depth)
      if random.chance(4) {
        // The window moves, then rolls.
        writer.control(base | 0x10)
        writer.control(0x142D)
      } else {
        writer.control(0x142D)
        if random.chance(8) { writer.line(at: writer.frame + 20) }
        let color = random.chance(3) ? UInt16(2 * random.below(7)) : 0x10
        writer.control(base | color)
      }
      let count = 4 * (1 + random.below(3))
      writer.characters(text(count, &random))
      if random.chance(3) {
        // It moves while its last line is being written, which goes on there.
        if random.chance(2) { writer.line(at: writer.frame + 15) }
        base = random.pick(rows)
        writer.control(base | 0x10 | UInt16(count / 2))
        writer.characters(text(2 * random.below(5), &random))
      }
      if random.chance(5) {
        writer.line(at: writer.frame + 10)
        depth = UInt16(random.below(3))
        writer.control(0x1425 + depth)
        writer.characters(text(2 * random.below(3), &random))
      }
      writer.line(at: writer.frame + 10 + random.below(40))
    }
    writer.control(0x142C)
    return writer.bytes
  }

  @Test func sameScreenAtEveryFrame() throws {
    var random = Seeded(31)
    for number in 0..<caseCount(1000) {
      let bytes = Self.file(&random)
      let document = try CaptionDocument(reading: bytes)
      let written = try document.written(as: .scc)
      let (before, after) = (try Playback(bytes), try Playback(written.bytes))
      try #require(
        before == after,
        "case \(number): \(before.difference(from: after)) \(String(decoding: bytes, as: UTF8.self))"
      )
      try #require(
        written.losses.isEmpty && document.issues.isEmpty,
        "case \(number): \(document.issues) \(written.losses)")
    }
  }

  /// In other formats, a line that has moved goes on, and is not shown twice.
  @Test func asText() throws {
    var writer = PairWriter()
    for (number, text) in ["ONE", "TWO", "THREE"].enumerated() {
      writer.line(at: 60 + 90 * number)
      writer.control(0x1425)
      writer.control(0x142D)
      writer.control(number == 2 ? 0x1140 : 0x1470)
      writer.characters(text)
    }
    writer.line(at: 330)
    writer.control(0x1370)  // row 13
    writer.line(at: 400)
    writer.control(0x142C)
    let document = try CaptionDocument(reading: writer.bytes)
    for format in [CaptionFormat.webVTT, .subRip, .itt] {
      let back = try CaptionDocument(
        reading: try document.written(as: format).bytes, format: format)
      #expect(back.captions.map(\.text) == ["ONE", "TWO", "THREE"], "\(format)")
      #expect(abs((back.captions.last?.timeRange.end.seconds ?? 0) - 400 * 1.001 / 30) < 0.04)
    }
  }
}
