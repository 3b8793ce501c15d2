// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// A stretch of cells in its place on CEA-608's grid.
package struct PlacedRow: Hashable {
  package var row: Int
  package var column: Int
  /// `nil` lets the picture be seen.
  package var cells: [CEA608.Cell?]
  /// Frames after the caption's start that each cell comes in; `nil` at the pace of line 21.
  package var reveal: [Int]?
}

/// Where a caption's text stands on CEA-608's grid.
package enum CellLayout {
  package struct Result {
    package var rows: [PlacedRow] = []
    /// Properties that the grid cannot express, a clause each.
    package var lost: [String] = []
    /// Text that the grid cannot show, a clause each.
    package var missing: [String] = []
    /// Rows that the text needs where those are too many.
    package var excessRows: Int?
  }

  package static func layout(_ caption: Caption) -> Result {
    var result = Result()
    let region = caption.region
    let isInCells = caption.isInCells
    var lines = lines(of: caption, keepsTransparentSpaces: isInCells, &result)
    if region?.writingMode == .topToBottomAndRightToLeft {
      result.lost.append("vertical text is set in rows")
    }
    if isInCells, region?.scroll == .rollUp {
      placeRollUp(lines, caption, &result)
      return result
    }
    if region?.scroll == .rollUp { result.lost.append("the region's lines do not roll") }
    if !isInCells { lines = lines.map { trimmed($0) } }
    for line in lines where !fits(line[...]) {
      result.lost.append(
        line.count > CEA608.columnCount
          ? "a line of \(line.count) columns is broken: a row has 32"
          : "a line of 32 columns is broken: its last character cannot stand in the last column")
    }
    lines = lines.flatMap { wrap($0, &result) }
    if lines.count > CEA608.maximumRowsShown {
      let joined = wrap(Array(lines.joined(separator: [CEA608.Cell(" ")])), &result)
      if joined.count > CEA608.maximumRowsShown {
        result.excessRows = joined.count
        return result
      }
      result.lost.append("lines are broken elsewhere, so that four rows hold them")
      lines = joined
    }
    if isInCells {
      placeInCells(lines, caption, &result)
    } else {
      placeFreely(lines.map { trimmed($0) }, caption, &result)
    }
    return result
  }

  private static func lines(
    of caption: Caption, keepsTransparentSpaces: Bool, _ result: inout Result
  ) -> [[CEA608.Cell?]] {
    var lines: [[CEA608.Cell?]] = [[]]
    for piece in caption.pieces {
      let (pen, lostStyles) = CellText.pen(of: piece.style)
      for reason in lostStyles where !result.lost.contains(reason) { result.lost.append(reason) }
      let parts = piece.text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      for (number, part) in parts.enumerated() {
        if number > 0 { lines.append([]) }
        lines[lines.count - 1] += CellText.cells(
          part, pen, keepsTransparentSpaces: keepsTransparentSpaces, lost: &result.lost,
          missing: &result.missing)
      }
    }
    return lines
  }

  /// Whether a cell is written as another one that a code then replaces. The cursor goes back for it, from the last
  /// column to the one before: there is none of them in the last column (CTA-608-E, 6.4.2 and C.13).
  private static func isReplaced(_ cells: ArraySlice<CEA608.Cell?>, _ index: Int) -> Bool {
    guard let cell = cells[index] else { return false }
    if case .extended? = CEA608.coding(of: cell.character) { return true }
    guard cell.isBlank else { return false }
    let before = index > cells.startIndex ? cells[index - 1]?.pen ?? .plain : .plain
    return (cell.pen.background, cell.pen.opacity) != (before.background, before.opacity)
  }

  private static func isReplacedAtEnd(_ cells: [CEA608.Cell?]) -> Bool {
    cells.indices.last.map { isReplaced(cells[...], $0) } ?? false
  }

  private static func fits(_ line: ArraySlice<CEA608.Cell?>) -> Bool {
    line.count < CEA608.columnCount
      || line.count == CEA608.columnCount && !isReplaced(line, line.endIndex - 1)
  }

  /// A line in rows of 32 cells at most, broken at spaces where there are some.
  private static func wrap(_ line: [CEA608.Cell?], _ result: inout Result) -> [[CEA608.Cell?]] {
    guard !fits(line[...]) else { return [line] }
    var rows: [[CEA608.Cell?]] = []
    var rest = line[...]
    while !fits(rest) {
      let last = rest.startIndex + CEA608.columnCount - 1
      let limit = isReplaced(rest, last) ? CEA608.columnCount - 1 : CEA608.columnCount
      let window = rest.prefix(limit + 1)
      let cut = window.lastIndex { $0 == nil || $0?.character == " " }
      if let cut, cut > rest.startIndex {
        rows.append(Array(rest[..<cut]))
        rest = rest[(cut + 1)...]
      } else {
        result.lost.append("a word that is longer than a row is broken")
        rows.append(Array(rest.prefix(limit)))
        rest = rest.dropFirst(limit)
      }
    }
    rows.append(Array(rest))
    return rows
  }

  /// Frames that each cell comes in, where the caption tells them for its cells.
  static func reveal(of caption: Caption, cellCount: Int) -> [Int]? {
    guard caption.animation == .characterReveal, caption.revealTimes.count == cellCount else {
      return nil
    }
    var last = 0
    return caption.revealTimes.map { time in
      last = max(last, TimeCodeRate.ntsc.frame(nearest: time))
      return last
    }
  }

  /// The cell of a coordinate: far beyond the screen for numbers that no screen has, the first for none.
  static func whole(_ value: Double?) -> Int {
    guard let value, value.isFinite else { return 0 }
    return Int(max(-1000, min(1000, value.rounded())))
  }

  private static func placeRollUp(
    _ lines: [[CEA608.Cell?]], _ caption: Caption, _ result: inout Result
  ) {
    let region = caption.region
    let depth = max(2, min(4, whole(region?.size?.height.value)))
    let base = max(depth - 1, min(CEA608.rowCount - 1, whole(region?.origin?.y.value) + depth - 1))
    var cells = Array(lines.joined(separator: [CEA608.Cell(" ")]))
    var column = max(0, min(CEA608.columnCount - 1, whole(region?.origin?.x.value)))
    if column + cells.count > CEA608.columnCount {
      result.missing.append("a rolling line is cut at the screen's right edge")
      cells = Array(cells.prefix(CEA608.columnCount - column))
    }
    if column + cells.count == CEA608.columnCount, isReplacedAtEnd(cells) {
      result.lost.append(
        "the last column cannot have such a character, and the row is moved or cut")
      if column > 0 { column -= 1 } else { cells.removeLast() }
    }
    result.rows = [
      PlacedRow(
        row: base, column: column, cells: cells, reveal: reveal(of: caption, cellCount: cells.count)
      )
    ]
  }

  private static func placeInCells(
    _ lines: [[CEA608.Cell?]], _ caption: Caption, _ result: inout Result
  ) {
    let region = caption.region
    let width = max(0, min(CEA608.columnCount, whole(region?.size?.width.value)))
    let height = max(1, min(CEA608.rowCount, whole(region?.size?.height.value)))
    var top = whole(region?.origin?.y.value)
    if height > lines.count {
      switch region?.displayAlignment ?? .before {
      case .before: break
      case .center: top += (height - lines.count) / 2
      case .after: top += height - lines.count
      }
    }
    let left = whole(region?.origin?.x.value)
    let wanted = top
    top = max(0, min(CEA608.rowCount - lines.count, top))
    var isMoved = top != wanted
    let alignment = caption.textAlignment ?? region?.textAlignment ?? .start
    var start = 0
    let all = reveal(of: caption, cellCount: lines.reduce(lines.count - 1) { $0 + $1.count })
    for (number, line) in lines.enumerated() {
      let space = max(0, width - line.count)
      var column = left
      switch alignment {
      case .start, .left: break
      case .center: column += space / 2
      case .end, .right: column += space
      }
      var inside = max(0, min(CEA608.columnCount - line.count, column))
      if inside + line.count == CEA608.columnCount, isReplacedAtEnd(line) { inside -= 1 }
      isMoved = isMoved || inside != column
      result.rows.append(
        PlacedRow(
          row: top + number, column: inside, cells: line,
          reveal: all.map { Array($0[start..<start + line.count]) }))
      start += line.count + 1
    }
    if isMoved { result.lost.append("text beyond the screen's edge is moved into it") }
  }

  private static func placeFreely(
    _ lines: [[CEA608.Cell?]], _ caption: Caption, _ result: inout Result
  ) {
    let region = caption.region
    if caption.animation != .none, !caption.revealTimes.isEmpty {
      result.lost.append("characters come at the pace of line 21, and not at their times")
    }
    func grid(_ percent: Double, _ count: Int) -> Double {
      // The grid is the middle four fifths of the screen.
      (percent - 10) / 80 * Double(count)
    }
    func value(_ dimension: CaptionDimension?) -> Double? {
      guard let dimension, dimension.units == .percent, dimension.value.isFinite else { return nil }
      return max(-1000, min(1000, dimension.value))
    }
    let y = value(region?.origin?.y)
    let height = value(region?.size?.height)
    var top = CEA608.rowCount - lines.count
    if let y {
      let first = grid(y, CEA608.rowCount)
      let last = grid(y + (height ?? 100 - y), CEA608.rowCount)
      switch region?.displayAlignment ?? .before {
      case .before: top = Int(first.rounded())
      case .center: top = Int(((first + last) / 2 - Double(lines.count) / 2).rounded())
      case .after: top = Int(last.rounded()) - lines.count
      }
    }
    top = max(0, min(CEA608.rowCount - lines.count, top))
    let x = value(region?.origin?.x) ?? 0
    let width = value(region?.size?.width) ?? 100 - x
    let left = max(0, min(31, Int(grid(x, CEA608.columnCount).rounded())))
    let right = max(left + 1, min(32, Int(grid(x + width, CEA608.columnCount).rounded())))
    for (number, line) in lines.enumerated() where !line.isEmpty {
      var column: Int
      switch caption.shownAlignment {
      case .start, .left: column = left
      case .center: column = (left + right - line.count) / 2
      case .end, .right: column = right - line.count
      }
      column = max(0, min(CEA608.columnCount - line.count, column))
      if column + line.count == CEA608.columnCount, isReplacedAtEnd(line) { column -= 1 }
      result.rows.append(PlacedRow(row: top + number, column: column, cells: line, reveal: nil))
    }
  }

  private static func trimmed(_ line: [CEA608.Cell?]) -> [CEA608.Cell?] {
    var line = line[...]
    while line.last.map({ $0?.isBlank ?? true }) == true { line.removeLast() }
    while line.first.map({ $0?.isBlank ?? true }) == true { line.removeFirst() }
    return Array(line)
  }
}
