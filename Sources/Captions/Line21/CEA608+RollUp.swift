// SPDX-License-Identifier: Apache-2.0

/// The window that rolls up.
extension CEA608.Decoder {
  mutating func resumeRollUp(depth: Int) {
    mode = .rollUp(depth: depth)
    defer { self.depth = depth }
    guard showsWindow, !screen.isEmpty else {
      // Captions of the other styles go from both memories (47 CFR 79.101(f)(1)(x)).
      if !screen.isEmpty { effects.insert(.erased) }
      screen.clear()
      eraseLoaded()
      if baseRow != 14 { effects.insert(.moved) }
      baseRow = 14
      placeCursor()
      return
    }
    eraseLoaded()
    if depth != self.depth {
      effects.insert(.moved)
      // A window that would reach over the screen's top moves down, and rows above it go.
      if baseRow < depth - 1 { moveWindow(to: depth - 1, depth: self.depth) }
      for row in 0..<baseRow - depth + 1 { screen.clear(row: row) }
      if isCursorInWindow { row = baseRow }
    }
    // Text goes on where other data have interrupted it (79.101(f)(1)(ix); CTA-608-E, C.15).
    if !isCursorInWindow { placeCursor() }
  }

  private mutating func placeCursor() {
    (row, column, pen, addressedPen) = (baseRow, 0, .plain, .plain)
    (isCursorInWindow, isPlaced, isAtEnd) = (true, false, false)
  }

  mutating func returnCarriage() {
    guard case .rollUp(let depth) = mode else { return }
    let top = max(0, baseRow - depth + 1)
    for row in top..<baseRow { screen.copy(row: row + 1, to: row) }
    screen.clear(row: baseRow)
    placeCursor()
    effects.insert(.rolled)
  }

  mutating func address(_ preamble: CEA608.Preamble) {
    if case .rollUp(let depth) = mode {
      // The row is the window's last one, and the window moves at once (47 CFR 79.101(f)(1)(ii)).
      let base = max(preamble.row, depth - 1)
      if base != baseRow { moveWindow(to: base, depth: depth) }
      row = baseRow
      isCursorInWindow = true
    } else {
      row = preamble.row
      isCursorInWindow = false
    }
    column = preamble.column
    isAtEnd = false
    (pen, addressedPen, isPlaced) = (preamble.pen, preamble.pen, true)
  }

  private mutating func moveWindow(to base: Int, depth: Int) {
    let top = max(0, baseRow - depth + 1)
    var moved = CEA608.Screen()
    for row in top...baseRow where screen.isFilled(row) {
      for column in 0..<CEA608.columnCount {
        moved[row - baseRow + base, column] = screen[row, column]
      }
    }
    effects.insert(.moved)
    screen = moved
    baseRow = base
  }
}
