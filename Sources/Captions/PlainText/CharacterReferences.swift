// SPDX-License-Identifier: Apache-2.0

/// The names of characters in WebVTT, which are HTML's (13.5): Latin-1, Greek, and what typography adds.
enum CharacterReferences {
  /// From U+00A0.
  private static let latin = """
    nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute
    micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring
    AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml
    times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil
    egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash
    ugrave uacute ucirc uuml yacute thorn yuml
    """
  /// From U+0391, of which U+03A2 is none.
  private static let capitals = """
    Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho Sigma Tau Upsilon Phi
    Chi Psi Omega
    """
  /// From U+03B1.
  private static let small = """
    alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigmaf sigma tau
    upsilon phi chi psi omega
    """
  private static let others: [String: UInt32] = [
    "amp": 0x26, "lt": 0x3C, "gt": 0x3E, "quot": 0x22, "apos": 0x27, "OElig": 0x152,
    "oelig": 0x153, "Scaron": 0x160, "scaron": 0x161, "Zcaron": 0x17D, "zcaron": 0x17E,
    "Yuml": 0x178, "fnof": 0x192, "circ": 0x2C6, "tilde": 0x2DC, "ensp": 0x2002, "emsp": 0x2003,
    "thinsp": 0x2009, "hairsp": 0x200A, "zwnj": 0x200C, "zwj": 0x200D, "lrm": 0x200E,
    "rlm": 0x200F, "hyphen": 0x2010, "ndash": 0x2013, "mdash": 0x2014, "horbar": 0x2015,
    "lsquo": 0x2018, "rsquo": 0x2019, "sbquo": 0x201A, "ldquo": 0x201C, "rdquo": 0x201D,
    "bdquo": 0x201E, "dagger": 0x2020, "Dagger": 0x2021, "bull": 0x2022, "hellip": 0x2026,
    "permil": 0x2030, "prime": 0x2032, "Prime": 0x2033, "lsaquo": 0x2039, "rsaquo": 0x203A,
    "oline": 0x203E, "frasl": 0x2044, "euro": 0x20AC, "trade": 0x2122, "larr": 0x2190,
    "uarr": 0x2191, "rarr": 0x2192, "darr": 0x2193, "harr": 0x2194, "lArr": 0x21D0,
    "rArr": 0x21D2, "forall": 0x2200, "part": 0x2202, "exist": 0x2203, "empty": 0x2205,
    "minus": 0x2212, "radic": 0x221A, "infin": 0x221E, "asymp": 0x2248, "ne": 0x2260,
    "equiv": 0x2261, "le": 0x2264, "ge": 0x2265, "loz": 0x25CA, "spades": 0x2660,
    "clubs": 0x2663, "hearts": 0x2665, "diams": 0x2666, "check": 0x2713, "cross": 0x2717,
    "male": 0x2642, "female": 0x2640, "phone": 0x260E, "star": 0x2606, "starf": 0x2605,
    "sung": 0x266A, "flat": 0x266D, "natural": 0x266E, "sharp": 0x266F, "numero": 0x2116,
    "half": 0xBD, "frac13": 0x2153, "frac23": 0x2154, "frac18": 0x215B, "frac38": 0x215C,
    "frac58": 0x215D, "frac78": 0x215E,
  ]

  private static let values: [String: String] = {
    var codes = others
    for (names, first) in [(latin, 0xA0), (capitals, 0x391), (small, 0x3B1)] as [(String, UInt32)] {
      for (code, name) in zip(first..., names.split(whereSeparator: \.isWhitespace)) {
        // No capital stands where the small letter has a form for the end of words.
        codes[String(name)] = first == 0x391 && code > 0x3A1 ? code + 1 : code
      }
    }
    return codes.compactMapValues { code in Unicode.Scalar(code).map { String($0) } }
  }()

  /// The characters of the longest name.
  static let longestName = 10

  /// The character of a name, or of a number as `#233` and `#xE9`; `nil` for others.
  static func text(_ name: Substring) -> String? {
    guard name.first == "#" else { return values[String(name)] }
    let digits = name.dropFirst()
    let isHexadecimal = digits.first == "x" || digits.first == "X"
    let code = isHexadecimal ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
    return code.flatMap(Unicode.Scalar.init).map { String($0) }
  }
}
