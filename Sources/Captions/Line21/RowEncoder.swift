// SPDX-License-Identifier: Apache-2.0

/// A row's codes: where it stands, its attributes, its characters.
struct RowEncoder {
  /// A pair that is not parted from its repetition.
  struct Unit: Hashable {
    var code: UInt16
    /// Controls are sent twice.
    var isControl: Bool
    /// The last cell that the unit shows; `nil` for one that shows none.
    var lastCell: Int?
    /// Whether the unit replaces a simpler character that was sent for it.
    var isReplacement = false
  }

  private(set) var units: [Unit] = []
  /// Attributes that have no space to stand in, and are left out.
  private(set) var lostAttributes = 0
  private var half: (byte: UInt8, cell: Int)?
  private var pen = CEA608.Pen()
  private let placed: PlacedRow

  /// - Parameters:
  ///   - written: the cells before it that are on the screen already.
  ///   - isAddressed: whether the cursor stands at the row's place.
  init(
    _ placed: PlacedRow, after written: ArraySlice<CEA608.Cell?> = [], isAddressed: Bool = false
  ) {
    self.placed = placed
    guard placed.cells.contains(where: { $0 != nil }) else { return }
    let neighbour = Self.pen(beside: written)
    if isAddressed {
      pen = neighbour ?? .plain
      if let last = written.last ?? nil {
        (pen.background, pen.opacity) = (last.pen.background, last.pen.opacity)
      }
    } else {
      address(beside: neighbour)
    }
    encode()
  }

  /// The attributes that a character takes from those before it, wherever the cursor came from (CTA-608-E, C.7).
  private static func pen(beside written: ArraySlice<CEA608.Cell?>) -> CEA608.Pen? {
    for cell in written.reversed() {
      guard let cell else { return nil }
      guard cell.isBlank else {
        var pen = cell.pen
        (pen.background, pen.opacity) = (.black, .opaque)
        return pen
      }
    }
    return nil
  }

  private mutating func append(_ code: UInt16, control: Bool, cell: Int?, replaces: Bool = false) {
    flush()
    units.append(Unit(code: code, isControl: control, lastCell: cell, isReplacement: replaces))
  }

  private mutating func flush() {
    guard let half else { return }
    self.half = nil
    units.append(Unit(code: UInt16(half.byte) << 8, isControl: false, lastCell: half.cell))
  }

  private mutating func append(byte: UInt8, cell: Int) {
    // Two characters are a pair if they come together.
    if let first = half, placed.reveal == nil || placed.reveal?[first.cell] == placed.reveal?[cell]
    {
      half = nil
      units.append(
        Unit(code: UInt16(first.byte) << 8 | UInt16(byte), isControl: false, lastCell: cell))
    } else {
      flush()
      half = (byte, cell)
    }
  }

  private mutating func address(beside neighbour: CEA608.Pen?) {
    var column = placed.column
    if neighbour == nil, let cell = placed.cells.first ?? nil, !cell.isBlank {
      pen = cell.pen
      if let letter = placed.cells.first(where: { $0?.character != " " }) ?? nil {
        pen.isItalic = letter.pen.isItalic
      }
      pen.background = .black
      pen.opacity = .opaque
      pen.flashes = false
      if pen.color == .black { pen.color = .white }
      // One code has a colour or italics.
      if pen.color != .white, pen.isItalic { pen.isItalic = false }
    }
    // A code with a colour stands in the first column.
    let start = pen.color == .white && !pen.isItalic ? column / 4 * 4 : 0
    append(
      CEA608.Preamble(row: placed.row, column: start, pen: pen).code, control: true, cell: nil)
    column -= start
    while column > 0 {
      append(0x1720 | UInt16(min(3, column)), control: true, cell: nil)
      column -= 3
    }
    if let neighbour { pen = neighbour }
  }

  private mutating func encode() {
    let cells = placed.cells
    // The pen of the next character that can be seen, and how many spaces there are up to it.
    var index = 0
    while index < cells.count {
      guard let cell = cells[index] else {
        append(CEA608.transparentSpace, control: true, cell: index)
        index += 1
        continue
      }
      guard cell.isBlank else {
        write(cell, index)
        index += 1
        continue
      }
      var end = index
      while end < cells.count, cells[end]?.isBlank == true { end += 1 }
      var next = end < cells.count ? cells[end]?.pen : nil
      if let letter = cells[end...].first(where: { $0?.character != " " }) ?? nil {
        next?.isItalic = letter.pen.isItalic
      }
      writeSpaces(index..<end, before: next)
      index = end
    }
    flush()
  }

  private mutating func write(_ cell: CEA608.Cell, _ index: Int) {
    var wanted = cell.pen
    // Whether a space slants cannot be seen.
    if cell.character == " " { wanted.isItalic = pen.isItalic }
    if wanted != pen { lostAttributes += 1 }
    switch CEA608.coding(of: cell.character) {
    case .basic(let byte): append(byte: byte, cell: index)
    case .special(let code): append(code, control: true, cell: index)
    case .extended(let fallback, let code):
      append(byte: fallback, cell: index)
      append(code, control: true, cell: index, replaces: true)
    case nil: append(byte: 0x20, cell: index)
    }
  }

  /// The codes that lead from the pen to another one; none where it is that already.
  ///
  /// A space that is not underlined cannot be written with a pen that underlines: then a code stands for
  /// it even if the pen stays.
  private func codes(to next: CEA608.Pen?) -> [UInt16] {
    guard let next, next.color != .black else { return [] }
    let isSame =
      (next.color, next.isItalic, next.isUnderlined) == (pen.color, pen.isItalic, pen.isUnderlined)
    guard !isSame || pen.isUnderlined else { return [] }
    var codes: [UInt16] = []
    if !next.isItalic || next.color != pen.color {
      codes.append(
        CEA608.midRowCode(color: next.color, isUnderlined: next.isUnderlined && !next.isItalic))
    }
    if next.isItalic {
      codes.append(CEA608.midRowCode(color: nil, isUnderlined: next.isUnderlined))
    }
    return codes
  }

  private mutating func appendMidRow(_ code: UInt16, _ color: CEA608.Color, _ index: Int) {
    append(code, control: true, cell: index)
    if code & 0x0E == 0x0E {
      pen.isItalic = true
    } else {
      (pen.color, pen.isItalic) = (color, false)
    }
    pen.isUnderlined = code & 1 != 0
  }

  /// Spaces, in which the attributes of what follows stand.
  private mutating func writeSpaces(_ range: Range<Int>, before next: CEA608.Pen?) {
    for index in range {
      guard let space = placed.cells[index] else { continue }
      let left = range.upperBound - index
      let codes = codes(to: next)
      if space.pen.background != pen.background || space.pen.opacity != pen.opacity {
        append(byte: 0x20, cell: index)
        append(
          CEA608.backgroundCode(space.pen.background, space.pen.opacity), control: true,
          cell: index, replaces: true)
        (pen.background, pen.opacity) = (space.pen.background, space.pen.opacity)
      } else if let next, next.color == .black, pen.color != .black, left == 1 {
        append(byte: 0x20, cell: index)
        append(0x172E | (next.isUnderlined ? 1 : 0), control: true, cell: index, replaces: true)
        (pen.color, pen.isItalic, pen.isUnderlined) = (.black, false, next.isUnderlined)
      } else if let next, left <= codes.count {
        appendMidRow(codes[codes.count - left], next.color, index)
      } else if pen.isUnderlined, pen.color != .black {
        appendMidRow(
          CEA608.midRowCode(color: pen.isItalic ? nil : pen.color, isUnderlined: false), pen.color,
          index)
      } else {
        append(byte: 0x20, cell: index)
      }
    }
  }
}
