// SPDX-License-Identifier: Apache-2.0

/// The effects of characters and attributes on the memories.
extension CEA608.Decoder {
  /// Whether codes and characters are those of captions.
  var isCaptioning: Bool {
    switch mode {
    case .popOn, .paintOn, .rollUp: true
    case .none, .text: false
    }
  }

  func cell(at column: Int) -> CEA608.Cell? {
    mode == .popOn ? nondisplayed[row, column] : screen[row, column]
  }

  mutating func backspace() {
    guard isCaptioning, column > 0 else { return }
    // There is no column behind the last one: before or after its character, the one before it goes, and it
    // goes, too (CTA-608-E, C.13).
    if column == CEA608.columnCount - 1 { put(nil, at: column) }
    column -= 1
    isAtEnd = false
    put(nil, at: column)
  }

  mutating func deleteToEndOfRow() {
    guard isCaptioning else { return }
    // The next character has the attributes of the first one deleted if one stands before it, and else those of
    // the row's address (CTA-608-E, C.14).
    let deleted = cell(at: column)
    if column > 0, cell(at: column - 1) != nil {
      if let deleted, !deleted.isBlank { takeAttributes(of: deleted.pen) }
    } else {
      takeAttributes(of: addressedPen)
    }
    isPlaced = false
    for column in column..<CEA608.columnCount { put(nil, at: column) }
  }

  mutating func takeAttributes(of other: CEA608.Pen) {
    (pen.color, pen.isItalic) = (other.color, other.isItalic)
    (pen.isUnderlined, pen.flashes) = (other.isUnderlined, other.flashes)
  }

  mutating func moveBack() {
    column = max(0, column - 1)
    isAtEnd = false
  }

  /// An attribute stands as a space in its place.
  mutating func writeAttribute(_ change: (inout CEA608.Pen) -> Void) {
    takeAttributesOfNeighbour()
    change(&pen)
    var space = pen
    space.isUnderlined = false
    write(CEA608.Cell(" ", space))
  }

  mutating func write(_ character: Unicode.Scalar) {
    guard isCaptioning else { return }
    takeAttributesOfNeighbour()
    if pen.flashes { effects.insert(.flashed) }
    write(CEA608.Cell(character, pen))
  }

  /// Beside a character, what follows has that one's attributes, and not those of the code that placed the
  /// cursor (CTA-608-E, C.7; 47 CFR 79.101(h)(1)(i)). Spaces are kept without theirs: the character before them tells.
  private mutating func takeAttributesOfNeighbour() {
    guard isPlaced else { return }
    var left = column - 1
    while left >= 0, let neighbour = cell(at: left) {
      if !neighbour.isBlank { return takeAttributes(of: neighbour.pen) }
      left -= 1
    }
  }

  mutating func write(_ cell: CEA608.Cell?) {
    if isAtEnd { effects.insert(.overflowed) }
    put(cell, at: column)
    isAtEnd = column == CEA608.columnCount - 1
    column = min(CEA608.columnCount - 1, column + 1)
    isPlaced = false
  }

  mutating func put(_ cell: CEA608.Cell?, at column: Int) {
    switch mode {
    case .popOn:
      nondisplayed[row, column] = cell
      loaded[row] |= 1 << UInt32(column)
      isCursorInWindow = false
    case .paintOn:
      screen[row, column] = cell
      effects.insert(.wrote)
      (showsWindow, isCursorInWindow) = (false, false)
    case .rollUp:
      screen[row, column] = cell
      effects.insert(.wrote)
      (showsWindow, isCursorInWindow) = (true, true)
    case .none, .text: break
    }
  }
  // MARK: Loaded text

  /// Whether text was loaded since the last caption was shown.
  var hasLoaded: Bool { loaded.contains { $0 != 0 } }

  /// Whether there are cells that were not loaded since the last caption was shown: those of the one before it.
  var hasLeftovers: Bool {
    for row in loaded.indices where nondisplayed.isFilled(row) {
      for column in 0..<CEA608.columnCount
      where loaded[row] >> UInt32(column) & 1 == 0 && nondisplayed[row, column] != nil {
        return true
      }
    }
    return false
  }

  /// Whether there is text that was loaded and not shown.
  var hasUnseenText: Bool {
    loaded.indices.contains { row in
      loaded[row] != 0
        && (0..<CEA608.columnCount).contains { column in
          loaded[row] >> UInt32(column) & 1 != 0
            && nondisplayed[row, column].map { $0.character != " " } == true
        }
    }
  }

  mutating func forgetLoaded() {
    for row in loaded.indices { loaded[row] = 0 }
  }

  mutating func eraseLoaded() {
    if hasLoaded, hasUnseenText { effects.insert(.unseen) }
    forgetLoaded()
    nondisplayed.clear()
  }
}
