// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// A caption in cells as a row of text: without white space at both ends, within the screen.
struct CellRow {
  let row: Int
  let column: Int
  let columns: Range<Int>
  let pieces: [(text: String, style: Caption.Style)]
  let start: Time
  /// After the start, a time for each character; empty for those that come at once.
  let reveal: [Time]
  /// Whether some of it was beyond the screen's edge.
  let isMoved: Bool

  init(_ caption: Caption) {
    let region = caption.region
    let depth = region?.scroll == .rollUp ? max(1, min(4, region?.size?.height.value ?? 1)) : 1
    let placedRow = CellLayout.whole(region?.origin?.y.value) + Int(depth) - 1
    row = max(0, min(CEA608.rowCount - 1, placedRow))
    start = caption.timeRange.start
    let characters = Array(caption.text)
    let isBlank = characters.map(\.isWhitespace)
    let first = isBlank.firstIndex(of: false) ?? characters.count
    let last = isBlank.lastIndex(of: false) ?? -1
    // As of captions that are written in cells. A text that is wider than the screen has its whole width.
    let count = max(0, last + 1 - first)
    let placedColumn = CellLayout.whole(region?.origin?.x.value) + first
    column = max(0, min(CEA608.columnCount - count, placedColumn))
    columns = column..<min(CEA608.columnCount, column + count)
    isMoved = row != placedRow || column != placedColumn || columns.count < count
    let isAnimated =
      caption.animation == .characterReveal && caption.revealTimes.count == characters.count
    reveal =
      first > last
      ? []
      : isAnimated
        ? Array(caption.revealTimes[first...last])
        : Array(repeating: .zero, count: last + 1 - first)
    // A horizontal line of drawn boxes stays as it is; alone it is a dash (CTA-608-E, Table 6).
    let isDrawing = caption.text.contains { "┃┏┓┗┛".contains($0) }
    var position = 0
    pieces = caption.pieces.compactMap { piece in
      var text = ""
      for character in piece.text {
        if position >= first, position <= last {
          switch character {
          case "\u{A0}": text.append(" ")
          case "\u{2501}" where !isDrawing: text.append("\u{2014}")
          default: text.append(character)
          }
        }
        position += 1
      }
      return text.isEmpty ? nil : (text, piece.style)
    }
  }
}

/// Where rows of cells stand, in hundredths of the screen, whose middle four fifths are the grid.
struct CellPlace {
  let region: CaptionRegion
  /// Whether every row is where it was.
  let isExact: Bool
  let isInUpperHalf: Bool
  /// For a format without places: the side of the screen; `nil` for its middle.
  let side: Caption.TextAlignment?

  init(_ rows: [CellRow]) {
    let top = rows.map(\.row).min() ?? 14
    let bottom = rows.map(\.row).max() ?? 14
    isInUpperHalf = top + bottom < CEA608.rowCount - 1
    // Stretches of one row are one.
    var lines: [Int: Range<Int>] = [:]
    for row in rows {
      let line = lines[row.row] ?? row.columns
      lines[row.row] =
        min(line.lowerBound, row.columns.lowerBound)..<max(line.upperBound, row.columns.upperBound)
    }
    let columns = Array(lines.values)
    let left = columns.map(\.lowerBound).min() ?? 0
    let right = columns.map(\.upperBound).max() ?? CEA608.columnCount
    let middle = left + right
    side = middle < 24 ? .start : middle > 40 ? .end : nil

    /// Columns around which lines are centred, as wide as can be.
    func around(_ line: Range<Int>) -> Range<Int> {
      let doubled = line.lowerBound + line.upperBound
      return doubled <= CEA608.columnCount
        ? 0..<doubled : doubled - CEA608.columnCount..<CEA608.columnCount
    }
    func isCentred(_ frame: Range<Int>) -> Bool {
      columns.allSatisfy { $0.lowerBound == (frame.lowerBound + frame.upperBound - $0.count) / 2 }
    }
    let whole = 0..<CEA608.columnCount
    let widest = columns.max { $0.count < $1.count } ?? whole
    var frame = left..<CEA608.columnCount
    var alignment = Caption.TextAlignment.start
    var isExact = true
    if isCentred(whole) {
      (frame, alignment) = (whole, .center)
    } else if columns.allSatisfy({ $0.lowerBound == left }) {
      alignment = .start
    } else if isCentred(around(widest)) {
      (frame, alignment) = (around(widest), .center)
    } else if columns.allSatisfy({ $0.upperBound == right }) {
      (frame, alignment) = (0..<right, .end)
    } else {
      isExact = false
      let doubled = widest.lowerBound + widest.upperBound
      if columns.allSatisfy({ abs($0.lowerBound + $0.upperBound - doubled) <= 4 }) {
        (frame, alignment) = (around(widest), .center)
      }
    }
    self.isExact = isExact
    func x(_ column: Int) -> Double { 10 + Double(column) / Double(CEA608.columnCount) * 80 }
    func y(_ row: Int) -> Double { 10 + Double(row) / Double(CEA608.rowCount) * 80 }
    let width = x(frame.upperBound) - x(frame.lowerBound)
    region =
      isInUpperHalf
      ? CaptionRegion(
        origin: .percent(x(frame.lowerBound), y(top)), size: .percent(width, 90 - y(top)),
        displayAlignment: .before, textAlignment: alignment)
      : CaptionRegion(
        origin: .percent(x(frame.lowerBound), 10), size: .percent(width, y(bottom + 1) - 10),
        displayAlignment: .after, textAlignment: alignment)
  }
}
