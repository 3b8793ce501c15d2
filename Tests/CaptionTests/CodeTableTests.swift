// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import FocalCaptions

/// CEA-608's codes against tables written down from 47 CFR 79.101 and CTA-608-E.
struct CodeTableTests {
  /// 47 CFR 79.101(e)(1)(i) and CTA-608-E, Table 53, preamble address codes: the first code of each row as it is in files, with
  /// parity: white, green ... magenta, italics, indents 0 to 28, each without and with underline.
  static let preambles: [(row: Int, first: String, seconds: String)] = [
    (1, "91", low), (2, "91", high), (3, "92", low), (4, "92", high), (5, "15", low),
    (6, "15", high),
    (7, "16", low), (8, "16", high), (9, "97", low), (10, "97", high), (11, "10", low),
    (12, "13", low), (13, "13", high), (14, "94", low), (15, "94", high),
  ]
  private static let low =
    "40 c1 c2 43 c4 45 46 c7 c8 49 4a cb 4c cd ce 4f d0 51 52 d3 54 d5 d6 57 58 d9 da 5b dc 5d 5e df"
  private static let high =
    "e0 61 62 e3 64 e5 e6 67 68 e9 ea 6b ec 6d 6e ef 70 f1 f2 73 f4 75 76 f7 f8 79 7a fb 7c fd fe 7f"

  @Test func preambleAddressCodes() throws {
    var count = 0
    for (row, first, seconds) in Self.preambles {
      for (index, second) in seconds.split(separator: " ").enumerated() {
        let coded = try #require(UInt16(first + second, radix: 16))
        let pair = coded & 0x7F7F
        #expect(CEA608.withParity(pair) == coded, "\(row) \(index)")
        let preamble = try #require(CEA608.Preamble(code: pair), "\(row) \(index)")
        var pen = CEA608.Pen()
        pen.isUnderlined = index % 2 == 1
        if index < 14 { pen.color = CEA608.Color.allCases[index / 2] }
        pen.isItalic = index == 14 || index == 15
        let column = index < 16 ? 0 : (index - 16) / 2 * 4
        #expect(preamble == CEA608.Preamble(row: row - 1, column: column, pen: pen))
        // White without an indent has two codes, which do the same.
        #expect(preamble.code == pair || (index < 2 && preamble.code == pair + 16))
        count += 1
      }
    }
    #expect(count == 480)
    for code in 0x1000...0x17FF as ClosedRange<UInt16> where code & 0x80 == 0 && code & 0x40 == 0 {
      #expect(CEA608.Preamble(code: code) == nil)
    }
  }

  /// 47 CFR 79.101(g), the standard characters: ASCII but for these.
  @Test func basicCharacters() {
    let others: [UInt8: Unicode.Scalar] = [
      0x27: "’", 0x2A: "á", 0x5C: "é", 0x5E: "í", 0x5F: "ó", 0x60: "ú", 0x7B: "ç", 0x7C: "÷",
      0x7D: "Ñ", 0x7E: "ñ", 0x7F: "█",
    ]
    for byte in 0x20...0x7F as ClosedRange<UInt8> {
      let character = others[byte] ?? Unicode.Scalar(byte)
      #expect(CEA608.basicCharacters[Int(byte) - 0x20] == character)
      #expect(CEA608.coding(of: character) == .basic(byte))
    }
  }

  /// 47 CFR 79.101(g), the special characters, and CTA-608-E's extended ones, by name.
  @Test func otherCharacters() throws {
    let special: [UInt16: UInt32] = [
      0x1130: 0xAE, 0x1131: 0xB0, 0x1132: 0xBD, 0x1133: 0xBF, 0x1134: 0x2122, 0x1135: 0xA2,
      0x1136: 0xA3, 0x1137: 0x266A, 0x1138: 0xE0, 0x113A: 0xE8, 0x113B: 0xE2, 0x113C: 0xEA,
      0x113D: 0xEE, 0x113E: 0xF4, 0x113F: 0xFB,
    ]
    for (code, value) in special {
      let character = try #require(Unicode.Scalar(value))
      #expect(CEA608.coding(of: character) == .special(code))
    }
    let extended: [UInt16: [UInt32]] = [
      0x1220: [
        0xC1, 0xC9, 0xD3, 0xDA, 0xDC, 0xFC, 0x2018, 0xA1, 0x2A, 0x27, 0x2501, 0xA9, 0x2120, 0x2022,
        0x201C, 0x201D, 0xC0, 0xC2, 0xC7, 0xC8, 0xCA, 0xCB, 0xEB, 0xCE, 0xCF, 0xEF, 0xD4, 0xD9,
        0xF9,
        0xDB, 0xAB, 0xBB,
      ],
      0x1320: [
        0xC3, 0xE3, 0xCD, 0xCC, 0xEC, 0xD2, 0xF2, 0xD5, 0xF5, 0x7B, 0x7D, 0x5C, 0x5E, 0x5F, 0x7C,
        0x7E, 0xC4, 0xE4, 0xD6, 0xF6, 0xDF, 0xA5, 0xA4, 0x2503, 0xC5, 0xE5, 0xD8, 0xF8, 0x250F,
        0x2513, 0x2517, 0x251B,
      ],
    ]
    for (first, values) in extended {
      for (offset, value) in values.enumerated() {
        let code = first + UInt16(offset)
        let character = try #require(Unicode.Scalar(value))
        #expect(CEA608.extendedCharacter(code) == character)
        guard case .extended(let fallback, code)? = CEA608.coding(of: character) else {
          Issue.record("\(character) is sent otherwise")
          continue
        }
        #expect((0x20...0x7F).contains(fallback))
      }
    }
    #expect(CEA608.repertoire.count == 175)
  }

  @Test func attributes() {
    #expect(CEA608.midRowCode(color: .white, isUnderlined: false) == 0x1120)
    #expect(CEA608.midRowCode(color: .magenta, isUnderlined: true) == 0x112D)
    #expect(CEA608.midRowCode(color: nil, isUnderlined: true) == 0x112F)
    #expect(CEA608.backgroundCode(.black, .semitransparent) == 0x102F)
    #expect(CEA608.backgroundCode(.red, .transparent) == 0x172D)
    for character in CEA608.repertoire {
      for color in CEA608.Color.allCases {
        for opacity in CEA608.Opacity.allCases {
          var pen = CEA608.Pen()
          (pen.color, pen.opacity, pen.isUnderlined) = (color, opacity, true)
          pen.background = opacity == .transparent ? .black : .green
          let cell = CEA608.Cell(character, pen)
          #expect(cell.character == character && cell.pen == pen)
        }
      }
    }
  }

  /// Cells hold any character beside any pen; those without a code, too.
  @Test func cellsHoldAnyCharacter() {
    var full = CEA608.Pen()
    (full.color, full.background, full.opacity) = (.black, .magenta, .semitransparent)
    (full.isItalic, full.isUnderlined, full.flashes) = (true, true, true)
    let characters: [Unicode.Scalar] = ["a", "\u{FFFD}", "\u{1D800}", "\u{1F600}", "\u{10FFFF}"]
    for character in characters {
      for pen in [CEA608.Pen.plain, full] {
        let cell = CEA608.Cell(character, pen)
        #expect(cell.character == character && cell.pen == pen && !cell.isBlank)
        var screen = CEA608.Screen()
        screen[3, 0] = cell
        #expect(screen.text(row: 3) == String(character))
      }
    }
    #expect(CEA608.Cell(" ").isBlank)
  }
}
