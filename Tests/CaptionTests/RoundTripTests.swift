// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Testing

@testable import FocalCaptions

/// Scenarist files read and written again show the same screen at every frame.
struct RoundTripTests {
  /// A file of captions of every kind, with room between them.
  static func file(_ random: inout Seeded) -> [UInt8] {
    var writer = PairWriter(doubles: !random.chance(4))
    var frame = 60 + random.below(100)
    func text(_ random: inout Seeded, _ count: Int) -> String {
      let letters = Array("ABC DEFG hij klmnop, qrs. TUV wx yz")
      return String((0..<max(1, count)).map { _ in letters[random.below(letters.count)] })
        .split(separator: " ").joined(separator: " ")
    }
    for _ in 0..<(2 + random.below(5)) {
      writer.line(at: frame)
      switch random.below(3) {
      case 0:
        writer.control(0x1420)
        writer.control(0x142E)
        for row in 0..<(1 + random.below(3)) {
          // Rows 12 to 15, a colour or an indent of at most 12, so that no row is too long.
          let place: UInt16 = [0x1340, 0x1360, 0x1440, 0x1460][row]
          writer.control(place | UInt16(random.below(24)))
          if random.chance(3) { writer.control(0x1721 + UInt16(random.below(3))) }
          writer.characters("w" + text(&random, random.below(10)))
          if random.chance(2) {
            writer.control(0x1120 | UInt16(random.below(16)))
            writer.characters("m" + text(&random, random.below(4)))
          }
        }
        writer.control(0x142F)
      case 1:
        // A window of two to four rows anywhere on the screen, which stays where it is until it is erased.
        let depth = UInt16(random.below(3))
        let base: UInt16 = random.pick([0x1440, 0x1460, 0x1140, 0x1160, 0x1240, 0x1560, 0x1360])
        for _ in 0..<(1 + random.below(5)) {
          writer.control(0x1425 + depth)
          writer.control(0x142D)
          writer.control(base | 0x10)
          writer.characters("r" + text(&random, random.below(25)))
          writer.line(at: writer.frame + 20 + random.below(40))
        }
      default:
        writer.control(0x1429)
        writer.control(0x1440 | UInt16(random.below(24)))  // row 14, up to column 12
        writer.characters("p" + text(&random, random.below(14)))
        if random.chance(2) {
          writer.control(0x1472)  // row 15
          writer.characters("q" + text(&random, random.below(14)))
        }
      }
      frame = writer.frame + 30 + random.below(60)
      writer.line(at: frame)
      writer.control(0x142C)
      frame = writer.frame + 150 + random.below(90)
    }
    return writer.bytes
  }

  @Test func sameScreenAtEveryFrame() throws {
    var random = Seeded(7)
    for number in 0..<caseCount(400) {
      let bytes = Self.file(&random)
      let document = try CaptionDocument(reading: bytes)
      let written = try document.written(as: .scc)
      let (before, after) = (try Playback(bytes), try Playback(written.bytes))
      try #require(
        before == after,
        "case \(number): \(before.difference(from: after)) \(String(decoding: bytes, as: UTF8.self))"
      )
      #expect(written.losses.isEmpty, "case \(number): \(written.losses)")
    }
  }

  /// A window that begins to roll takes a pop-on caption off the screen, with its command and not before.
  @Test(arguments: [true, false]) func rollUpAfterPopOn(_ doubles: Bool) throws {
    for gap in [0, 1, 2, 4, 30] {
      var writer = PairWriter(doubles: doubles)
      writer.line(at: 60)
      writer.control(0x1420)
      writer.control(0x142E)
      writer.control(0x1470)
      writer.characters("pops")
      writer.control(0x142F)
      writer.line(at: 150)
      writer.control(0x1426)
      if gap > 0 { writer.line(at: writer.frame + gap) }
      writer.control(0x142D)
      writer.control(0x1470)
      writer.characters("rolls")
      writer.line(at: 240)
      writer.control(0x142C)
      let document = try CaptionDocument(reading: writer.bytes)
      let written = try document.written(as: .scc)
      #expect(written.losses.isEmpty, "\(written.losses)")
      let (before, after) = (try Playback(writer.bytes), try Playback(written.bytes))
      #expect(before == after, "\(gap): \(before.difference(from: after))")
      #expect(after.screen(at: 149).text(row: 14) == "pops")
      #expect(after.screen(at: 150) == CEA608.Screen())
    }
  }

  /// Written and read again, the second file is the first, byte by byte.
  @Test func writingSettles() throws {
    var random = Seeded(8)
    for _ in 0..<100 {
      let first = try CaptionDocument(reading: Self.file(&random)).written(as: .scc).bytes
      let again = try CaptionDocument(reading: first)
      #expect(try again.written(as: .scc).bytes == first)
    }
  }

  @Test func everyCharacter() throws {
    let characters = CEA608.repertoire.subtracting([" "]).sorted()
    for start in stride(from: 0, to: characters.count, by: 24) {
      var text = String.UnicodeScalarView()
      text.append(contentsOf: characters[start..<min(start + 24, characters.count)])
      let caption = Caption(
        String(text), timeRange: TimeRange(start: frames(300), end: frames(600)))
      let document = CaptionDocument(captions: [caption], format: .subRip)
      let written = try document.written(as: .scc)
      #expect(written.losses.isEmpty)
      let back = try CaptionDocument(reading: written.bytes)
      #expect(back.captions.map(\.text) == [String(text)])
      #expect(back.captions.first?.timeRange == caption.timeRange)
    }
  }
}
