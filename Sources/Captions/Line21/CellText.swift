// SPDX-License-Identifier: Apache-2.0

/// Between cells and styled text.
enum CellText {
  /// Cells as text in styles. White on an opaque black box is plain; no cell is a no-break space; a
  /// space between two characters of one pen has their style, so that a style runs through words.
  static func pieces(_ cells: [CEA608.Cell?]) -> [(text: String, style: Caption.Style)] {
    var pieces: [(text: String, style: Caption.Style)] = []
    var scalars = String.UnicodeScalarView()
    var current: Caption.Style?
    var last: CEA608.Pen?
    func flush() {
      if let current { pieces.append((String(scalars), current)) }
      scalars = String.UnicodeScalarView()
    }
    for index in cells.indices {
      var pen = CEA608.Pen.plain
      var character: Unicode.Scalar = "\u{A0}"
      if let cell = cells[index] {
        (character, pen) = (cell.character, cell.pen)
        if cell.character == " ", let before = last,
          let next = cells[index...].first(where: { $0.map { $0.character != " " } == true })??.pen,
          sameText(before, next)
        {
          pen.isItalic = before.isItalic
          if cell.isBlank { pen.color = before.color }
        } else if cell.character != " " {
          last = pen
        }
      }
      let style = style(of: pen)
      if style != current {
        flush()
        current = style
      }
      scalars.append(character)
    }
    flush()
    return pieces
  }

  private static func sameText(_ a: CEA608.Pen, _ b: CEA608.Pen) -> Bool {
    a.color == b.color && a.isItalic == b.isItalic
  }

  static func style(of pen: CEA608.Pen) -> Caption.Style {
    var style = Caption.Style()
    if pen.color != .white { style.textColor = pen.color.color }
    if pen.isItalic { style.fontStyle = .italic }
    if pen.isUnderlined { style.decoration = .underline }
    if !pen.hasPlainBox {
      style.backgroundColor = pen.background.color.withAlpha(pen.opacity.alpha)
      if pen.opacity == .transparent { style.backgroundColor = .transparent }
    }
    return style
  }

  /// The pen of a style, and what of the style it does not have.
  static func pen(of style: Caption.Style) -> (pen: CEA608.Pen, lost: [String]) {
    var pen = CEA608.Pen()
    var lost: [String] = []
    if let color = style.textColor {
      pen.color = CEA608.Color(nearest: color)
      if pen.color.color != color { lost.append("the text's colour is the nearest of eight") }
    }
    pen.isItalic = style.fontStyle == .italic
    if style.fontWeight == .bold { lost.append("bold text is not bold") }
    if let decoration = style.decoration {
      pen.isUnderlined = decoration.contains(.underline)
      if !decoration.subtracting(.underline).isEmpty {
        lost.append("lines through and over text are left out")
      }
    }
    if let background = style.backgroundColor {
      pen.opacity = CEA608.Opacity(nearest: background.alpha)
      pen.background = pen.opacity == .transparent ? .black : CEA608.Color(nearest: background)
      let exact = pen.background.color.withAlpha(pen.opacity.alpha)
      if exact != background, pen.opacity != .transparent || background.alpha != 0 {
        lost.append("the box's colour is the nearest of eight, opaque, half or clear")
      }
    }
    if style.ruby != nil { lost.append("ruby text is left out") }
    if let combine = style.textCombine, combine != .none {
      lost.append("characters are not combined")
    }
    return (pen, lost)
  }

  /// Characters in a pen as cells; those outside of the repertoire are replaced (`lost`), or left out (`missing`).
  static func cells(
    _ text: some StringProtocol, _ pen: CEA608.Pen, keepsTransparentSpaces: Bool,
    lost: inout [String], missing: inout [String]
  ) -> [CEA608.Cell?] {
    var cells: [CEA608.Cell?] = []
    for scalar in normalized(text).unicodeScalars {
      if scalar == "\u{A0}", keepsTransparentSpaces {
        cells.append(nil)
      } else if CEA608.coding(of: scalar) != nil, scalar != "\u{A0}" {
        cells.append(CEA608.Cell(scalar, pen))
      } else if let replacement = CEA608.replacement(for: scalar) {
        // The dash and the line that draws boxes are one character (CTA-608-E, Table 6).
        if scalar != "\u{A0}", scalar != "\t", scalar != "\u{2014}" {
          lost.append("'\(scalar)' is shown as '\(replacement)'")
        }
        cells += replacement.unicodeScalars.map { CEA608.Cell($0, pen) }
      } else if CEA608.isInvisible(scalar) {
        continue
      } else {
        missing.append(
          "'\(scalar)' (U+\(String(scalar.value, radix: 16, uppercase: true))) has no code and is left out"
        )
      }
    }
    return cells
  }

  /// Letters with their accents as one character where the repertoire may have it.
  private static func normalized(_ text: some StringProtocol) -> String {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return String(text) }
    var result = String.UnicodeScalarView()
    for character in text {
      let scalars = character.unicodeScalars
      if scalars.count > 1, let match = CEA608.composed[String(character)] {
        result.append(match)
      } else {
        // Appending them together copies all that is there.
        for scalar in scalars { result.append(scalar) }
      }
    }
    return String(result)
  }
}

extension CEA608 {
  /// The repertoire by characters: canonically equal texts find the same.
  fileprivate static let composed: [String: Unicode.Scalar] = {
    var table: [String: Unicode.Scalar] = [:]
    for scalar in repertoire where scalar.value >= 0x80 { table[String(scalar)] = scalar }
    return table
  }()
}
