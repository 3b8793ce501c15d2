// SPDX-License-Identifier: Apache-2.0

extension CEA608 {
  /// How a character is sent.
  enum Coding: Hashable {
    /// One byte, two of them a pair.
    case basic(UInt8)
    /// A pair of its own.
    case special(UInt16)
    /// A basic character that simple decoders show, and a pair that replaces it.
    case extended(fallback: UInt8, UInt16)
  }

  /// Bytes 0x20 to 0x7F: ASCII but for eleven (47 CFR 79.101(g)).
  static let basicCharacters: [Unicode.Scalar] = {
    var table = (0x20...0x7F).compactMap { Unicode.Scalar(UInt8($0)) }
    let others: [Int: Unicode.Scalar] = [
      0x27: "\u{2019}", 0x2A: "á", 0x5C: "é", 0x5E: "í", 0x5F: "ó", 0x60: "ú", 0x7B: "ç", 0x7C: "÷",
      0x7D: "Ñ", 0x7E: "ñ", 0x7F: "\u{2588}",
    ]
    for (code, character) in others { table[code - 0x20] = character }
    return table
  }()

  /// 0x1130 to 0x113F; the tenth is the transparent space (47 CFR 79.101(g)).
  static let specialCharacters = Array("®°½¿™¢£♪à\u{A0}èâêîôû".unicodeScalars)
  static let transparentSpace: UInt16 = 0x1139

  /// 0x1220 to 0x123F and 0x1320 to 0x133F (CTA-608-E, extended characters), each with the basic
  /// character that is sent before it.
  static let extendedCharacters:
    [(first: UInt16, characters: [Unicode.Scalar], fallbacks: [UInt8])] =
      [
        (
          0x1220,
          Array("ÁÉÓÚÜü\u{2018}¡*'\u{2501}©\u{2120}\u{2022}\u{201C}\u{201D}".unicodeScalars),
          Array("AEOUUu'!.'-cs.\"\"".utf8)
        ),
        (0x1230, Array("ÀÂÇÈÊËëÎÏïÔÙùÛ«»".unicodeScalars), Array("AACEEEeIIiOUuU\"\"".utf8)),
        (0x1320, Array("ÃãÍÌìÒòÕõ{}\\^_|~".unicodeScalars), Array("AaIIiOoOo()/-- -".utf8)),
        (
          0x1330,
          Array("ÄäÖöß¥¤\u{2503}ÅåØø\u{250F}\u{2513}\u{2517}\u{251B}".unicodeScalars),
          Array("AaOosYo AaOo    ".utf8)
        ),
      ]

  /// A pair's character among the extended ones.
  static func extendedCharacter(_ code: UInt16) -> Unicode.Scalar? {
    for block in extendedCharacters where code >= block.first && code < block.first + 16 {
      return block.characters[Int(code - block.first)]
    }
    return nil
  }

  private static let codings: [Unicode.Scalar: Coding] = {
    var codings: [Unicode.Scalar: Coding] = [:]
    for (offset, character) in basicCharacters.enumerated() {
      codings[character] = .basic(UInt8(0x20 + offset))
    }
    for (offset, character) in specialCharacters.enumerated() {
      codings[character] = .special(0x1130 + UInt16(offset))
    }
    for block in extendedCharacters {
      for (offset, character) in block.characters.enumerated() {
        codings[character] = .extended(
          fallback: block.fallbacks[offset], block.first + UInt16(offset))
      }
    }
    return codings
  }()

  /// How a character is sent; `nil` for one that is not of the repertoire.
  static func coding(of character: Unicode.Scalar) -> Coding? {
    if let ascii = UInt8(exactly: character.value), ascii >= 0x20, ascii < 0x7F,
      basicCharacters[Int(ascii) - 0x20] == character
    {
      return .basic(ascii)
    }
    return codings[character]
  }

  /// The characters that can be shown: 175, the transparent space not counted.
  public static let repertoire: Set<Unicode.Scalar> = Set(codings.keys).subtracting(["\u{A0}"])

  /// The nearest equivalent of a character outside the repertoire, perhaps several; `nil`
  /// where nothing does.
  static func replacement(for character: Unicode.Scalar) -> String? {
    switch character {
    case "\u{2013}", "\u{2010}", "\u{2011}", "\u{2212}": "-"
    case "\u{2014}", "\u{2015}", "\u{2500}": "\u{2501}"
    case "\u{2026}": "..."
    case "\u{201A}", "\u{2039}": "\u{2018}"
    case "\u{201B}", "\u{203A}", "\u{2032}", "`", "\u{B4}": "\u{2019}"
    case "\u{201E}", "\u{201F}": "\u{201C}"
    case "\u{2033}": "\""
    case "\u{A0}", "\u{2002}", "\u{2003}", "\u{2007}", "\u{2009}", "\u{202F}", "\u{3000}", "\t": " "
    case "\u{266B}", "\u{2669}", "\u{266C}", "\u{1F3B5}": "♪"
    case "\u{2502}": "\u{2503}"
    case "œ": "oe"
    case "Œ": "OE"
    case "æ": "ae"
    case "Æ": "AE"
    case "€": "EUR"
    default: nil
    }
  }

  /// Characters that take no place and change nothing here: marks of direction, joiners, soft hyphens.
  static func isInvisible(_ character: Unicode.Scalar) -> Bool {
    switch character.value {
    case 0xAD, 0x200B...0x200F, 0x202A...0x202E, 0x2060, 0x2066...0x2069, 0xFEFF: true
    default: false
    }
  }
}
