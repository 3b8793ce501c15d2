// SPDX-License-Identifier: Apache-2.0

extension CEA608 {
  /// Commands of a caption channel (CTA-608-E, Table 52).
  enum Command: UInt8 {
    case resumeCaptionLoading = 0x20
    case backspace = 0x21
    case alarmOff = 0x22
    case alarmOn = 0x23
    case deleteToEndOfRow = 0x24
    case rollUp2 = 0x25
    case rollUp3 = 0x26
    case rollUp4 = 0x27
    case flashOn = 0x28
    case resumeDirectCaptioning = 0x29
    case textRestart = 0x2A
    case resumeTextDisplay = 0x2B
    case eraseDisplayedMemory = 0x2C
    case carriageReturn = 0x2D
    case eraseNondisplayedMemory = 0x2E
    case endOfCaption = 0x2F

    var code: UInt16 { 0x1400 | UInt16(rawValue) }
  }

  /// Where a preamble address code puts the cursor, and with which pen.
  struct Preamble: Hashable {
    /// From 0.
    var row: Int
    /// From 0, a multiple of 4.
    var column: Int
    var pen: Pen

    /// First bytes of rows 1 to 15; codes of the second row of a pair have bit 5 set.
    private static let rows: [(first: UInt8, second: UInt8)] = [
      (0x11, 0x40), (0x11, 0x60), (0x12, 0x40), (0x12, 0x60), (0x15, 0x40), (0x15, 0x60),
      (0x16, 0x40), (0x16, 0x60), (0x17, 0x40), (0x17, 0x60), (0x10, 0x40), (0x13, 0x40),
      (0x13, 0x60), (0x14, 0x40), (0x14, 0x60),
    ]

    init(row: Int, column: Int, pen: Pen) {
      self.row = row
      self.column = column
      self.pen = pen
    }

    /// `nil` for a code that is none.
    init?(code: UInt16) {
      let (first, second) = (UInt8(code >> 8), UInt8(code & 0x7F))
      guard
        let row = Self.rows.firstIndex(where: {
          $0.first == first && $0.second == second & 0x60
        })
      else { return nil }
      let attribute = second & 0x1F
      var pen = Pen()
      pen.isUnderlined = attribute & 1 != 0
      var column = 0
      if attribute >= 0x10 {
        column = Int(attribute & 0x0E) * 2
      } else if attribute >= 0x0E {
        pen.isItalic = true
      } else {
        pen.color = Color(rawValue: attribute >> 1) ?? .white
      }
      self.init(row: row, column: column, pen: pen)
    }

    /// The code; colour and italics are lost where the column is not 0.
    var code: UInt16 {
      let place = Self.rows[row]
      var attribute: UInt8 = pen.isUnderlined ? 1 : 0
      if column > 0 || (pen.color == .white && !pen.isItalic) {
        attribute |= 0x10 | UInt8(column / 4) << 1
      } else if pen.isItalic {
        attribute |= 0x0E
      } else {
        attribute |= pen.color.rawValue << 1
      }
      return UInt16(place.first) << 8 | UInt16(place.second | attribute)
    }
  }

  /// The code of a mid-row attribute: a colour, which ends italics, or italics, which keep the colour.
  static func midRowCode(color: Color?, isUnderlined: Bool) -> UInt16 {
    0x1120 | UInt16(color.map { $0.rawValue << 1 } ?? 0x0E) | (isUnderlined ? 1 : 0)
  }

  /// The code of a box; black has two opacities like all, and one code says that there is none.
  static func backgroundCode(_ color: Color, _ opacity: Opacity) -> UInt16 {
    opacity == .transparent
      ? 0x172D : 0x1020 | UInt16(color.rawValue) << 1 | (opacity == .semitransparent ? 1 : 0)
  }

  /// A byte with odd parity in bit 7.
  static func withParity(_ byte: UInt8) -> UInt8 {
    byte & 0x7F | ((byte & 0x7F).nonzeroBitCount & 1 == 0 ? 0x80 : 0)
  }

  /// A pair with parity, as files and line 21 have it.
  static func withParity(_ pair: UInt16) -> UInt16 {
    UInt16(withParity(UInt8(pair >> 8))) << 8 | UInt16(withParity(UInt8(pair & 0xFF)))
  }
}
