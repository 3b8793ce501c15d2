// SPDX-License-Identifier: Apache-2.0

import CPango
import FocalCaptions
import FocalCore

/// A character as it stands in a cell.
struct CellGlyph: Hashable {
  var character: Unicode.Scalar
  var isItalic: Bool
}

/// Coverage of a cell and its surroundings, which slanted characters reach into.
struct CellMask {
  /// From the cell's corner.
  var area: PixelRect
  var coverage: [UInt8]
  /// Whether no font has the character.
  var isMissing: Bool
}

/// Draws CEA-608's screen: 15 rows of 32 cells in the middle four fifths of the picture (47 CFR 79.101(d) and
/// (n)(12)), whichever shape the picture has.
struct CellPainter {
  private let dimensions: Dimensions
  private let engine: TextEngine
  private let columns: [Int]
  private let rows: [Int]
  /// The cells' least size.
  private let width: Int
  private let height: Int

  /// Glyphs that fill their cells grow no wider than this over their own shape.
  private static let largestStretch = 1.3
  private static let slant = 0.2

  init(_ dimensions: Dimensions, _ engine: TextEngine) {
    self.dimensions = dimensions
    self.engine = engine
    func edges(_ length: Int, _ count: Int) -> [Int] {
      (0...count).map { index in
        Int((Double(length) * (0.1 + 0.8 * Double(index) / Double(count))).rounded())
      }
    }
    columns = edges(dimensions.width, CEA608.columnCount)
    rows = edges(dimensions.height, CEA608.rowCount)
    width = zip(columns, columns.dropFirst()).map { $1 - $0 }.min() ?? 0
    height = zip(rows, rows.dropFirst()).map { $1 - $0 }.min() ?? 0
  }

  /// - Parameter rolledOut: lines of windows that have just gone, the last one first.
  func draw(
    _ captions: [Caption], rolledOut: [Caption], at time: Time, into overlay: inout CaptionOverlay
  ) {
    // Smaller cells show nothing.
    guard width >= 2, height >= 3 else { return }
    for caption in captions where !caption.isRolling {
      for row in CellLayout.layout(caption).rows {
        draw(row, caption, at: time, lines: 0, shift: 0, window: nil, into: &overlay)
      }
    }
    // A window is known by its last row; its depth is that of the line that came last.
    var windows: [Int: [(caption: Caption, row: PlacedRow, depth: Int)]] = [:]
    var order: [Int] = []
    for caption in captions where caption.isRolling {
      guard let (window, row) = Self.line(caption) else { continue }
      if windows[window.base] == nil { order.append(window.base) }
      windows[window.base, default: []].append((caption, row, window.depth))
    }
    for base in order {
      // Lines of a window that has moved begin together, in their order.
      var lines = Array(
        (windows[base] ?? []).enumerated().sorted {
          ($0.element.caption.timeRange.start, $0.offset)
            > ($1.element.caption.timeRange.start, $1.offset)
        }.map(\.element))
      guard let first = lines.first else { continue }
      let newest = first.caption.timeRange.start
      let window = Window(base: base, depth: first.depth)
      lines = Array(lines.prefix(window.depth))
      let hasMoved = lines.dropFirst().contains { $0.caption.timeRange.start == newest }
      if let gone = rolledOut.first(where: { caption in
        caption.timeRange.end == newest && Self.line(caption)?.window.base == base
      }), let line = Self.line(gone), lines.count == window.depth, !hasMoved {
        lines.append((gone, line.row, window.depth))
      }
      // A line alone has nothing to push, and a window moves at once.
      var shift = 0
      let elapsed = time - newest
      if lines.count > 1, !hasMoved, elapsed < CaptionTimetable.rollDuration {
        let left = 1 - elapsed.seconds / CaptionTimetable.rollDuration.seconds
        shift = Int((left * Double(height)).rounded())
      }
      for (number, line) in lines.enumerated() {
        draw(
          line.row, line.caption, at: time, lines: -number, shift: shift, window: window,
          into: &overlay)
      }
    }
  }

  /// Where a window rolls.
  private struct Window {
    /// From 0.
    var base: Int
    var depth: Int
  }

  private static func line(_ caption: Caption) -> (window: Window, row: PlacedRow)? {
    guard let row = CellLayout.layout(caption).rows.first else { return nil }
    let height = caption.region?.size?.height.value ?? 2
    let depth = height.isFinite ? Int(max(2, min(4, height.rounded()))) : 2
    return (Window(base: row.row, depth: depth), row)
  }

  // MARK: Rows

  private func draw(
    _ placed: PlacedRow, _ caption: Caption, at time: Time, lines: Int, shift: Int, window: Window?,
    into overlay: inout CaptionOverlay
  ) {
    let row = placed.row + lines
    // The line that rolls out stands above the window, which nothing may be.
    guard row >= -1, row < CEA608.rowCount, placed.column >= 0 else { return }
    let cells = placed.cells.prefix(CEA608.columnCount - placed.column)
    let count = revealed(placed, caption, at: time)
    var piece = CaptionOverlay.Piece()
    let top = row < 0 ? rows[0] - height : rows[row]
    let bottom = row < 0 ? rows[0] : rows[row + 1]
    var start = 0
    while start < min(count, cells.count) {
      guard cells[start] != nil else {
        start += 1
        continue
      }
      var end = start
      while end < min(count, cells.count), cells[end] != nil { end += 1 }
      append(
        cells[start..<end].compactMap { $0 }, column: placed.column + start, rows: top..<bottom,
        to: &piece, &overlay.missingCharacters)
      start = end
    }
    guard let window else {
      if !piece.layers.isEmpty { overlay.pieces.append(piece) }
      return
    }
    let bounds = PixelRect(
      columns: 0..<dimensions.width,
      rows: rows[max(0, window.base - window.depth + 1)]..<rows[window.base + 1])
    piece.layers = piece.layers.compactMap { $0.moved(down: shift).clipped(to: bounds) }
    if !piece.layers.isEmpty { overlay.pieces.append(piece) }
  }

  private func revealed(_ placed: PlacedRow, _ caption: Caption, at time: Time) -> Int {
    guard caption.animation == .characterReveal, let reveal = placed.reveal else {
      return caption.revealedCount(of: placed.cells.count, at: time)
    }
    let frame = TimeCodeRate.ntsc.frame(nearest: time - caption.timeRange.start)
    return reveal.count { $0 <= frame }
  }

  /// Boxes, underlines and characters of cells side by side.
  private func append(
    _ cells: [CEA608.Cell], column: Int, rows: Range<Int>, to piece: inout CaptionOverlay.Piece,
    _ missing: inout Set<Unicode.Scalar>
  ) {
    func stretches(
      _ value: (CEA608.Cell) -> Caption.Color?, _ add: (Range<Int>, Caption.Color) -> Void
    ) {
      var start = 0
      while start < cells.count {
        let color = value(cells[start])
        var end = start
        while end < cells.count, value(cells[end]) == color { end += 1 }
        if let color { add(columns[column + start]..<columns[column + end], color) }
        start = end
      }
    }
    stretches({ cell in
      let pen = cell.pen
      return pen.opacity == .transparent
        ? nil : pen.background.color.withAlpha(pen.opacity.alpha)
    }) { columns, color in
      piece.layers.append(
        .init(area: PixelRect(columns: columns, rows: rows), color: color))
    }
    let thickness = max(1, height / 18)
    let line = rows.lowerBound + Int((Double(height) * 0.9).rounded(.down))
    stretches({ $0.pen.isUnderlined ? $0.pen.color.color : nil }) { columns, color in
      piece.layers.append(
        .init(
          area: PixelRect(columns: columns, rows: line..<min(rows.upperBound, line + thickness)),
          color: color))
    }
    var colors: [Caption.Color] = []
    for cell in cells where cell.character != " " && !colors.contains(cell.pen.color.color) {
      colors.append(cell.pen.color.color)
    }
    for color in colors {
      piece.layers.append(
        glyphs(of: cells, in: color, column: column, top: rows.lowerBound, &missing))
    }
  }

  private func glyphs(
    of cells: [CEA608.Cell], in color: Caption.Color, column: Int, top: Int,
    _ missing: inout Set<Unicode.Scalar>
  ) -> CaptionOverlay.Layer {
    let margin = height / 3
    let area = PixelRect(
      columns: columns[column] - margin..<columns[column + cells.count] + margin,
      rows: top..<top + height)
    var mask = [UInt8](repeating: 0, count: area.width * area.height)
    for (index, cell) in cells.enumerated()
    where cell.character != " " && cell.pen.color.color == color {
      let glyph = self.mask(of: CellGlyph(character: cell.character, isItalic: cell.pen.isItalic))
      if glyph.isMissing { missing.insert(cell.character) }
      let x = columns[column + index] - area.x + glyph.area.x
      for y in 0..<glyph.area.height {
        let from = y * glyph.area.width
        let to = (y + glyph.area.y) * area.width + x
        for offset in 0..<glyph.area.width where glyph.coverage[from + offset] != 0 {
          mask[to + offset] = max(mask[to + offset], glyph.coverage[from + offset])
        }
      }
    }
    return CaptionOverlay.Layer(area: area, color: color, mask: mask)
  }

  // MARK: Characters

  private func mask(of glyph: CellGlyph) -> CellMask {
    if let known = engine.cellMasks[glyph] { return known }
    let made = makeMask(of: glyph)
    engine.cellMasks[glyph] = made
    return made
  }

  private func makeMask(of glyph: CellGlyph) -> CellMask {
    let margin = glyph.isItalic ? height / 3 : 0
    let area = PixelRect(columns: -margin..<width + margin, rows: 0..<height)
    guard let canvas = MaskCanvas(area) else {
      return CellMask(
        area: area, coverage: [UInt8](repeating: 0, count: area.width * area.height),
        isMissing: false)
    }
    // The block is the cell itself.
    if glyph.character == "\u{2588}" {
      cairo_paint(canvas.cairo)
      return CellMask(area: area, coverage: canvas.finish(), isMissing: false)
    }
    let em = 100.0
    let layout = engine.layout(String(glyph.character), engine.fonts.monospaced, em: em)
    let letter = engine.layout("M", engine.fonts.monospaced, em: em)
    guard let line = layout.lines.first, let own = letter.lines.first?.extents else {
      return CellMask(area: area, coverage: canvas.finish(), isMissing: true)
    }
    // A line's height fills the cell; a letter may be wider than it would be, and never than its cell.
    let full = Double(height) / (own.ascent + own.descent)
    let baseline = own.ascent * full
    let fits = Double(width) / own.width
    let isDrawing = (0x2500...0x257F).contains(glyph.character.value)
    var horizontal = isDrawing ? fits : min(fits, full * Self.largestStretch)
    let advance = line.extents.width
    if advance > own.width { horizontal = min(horizontal, Double(width) / advance) }
    // Accents of capitals reach a line's top, and would run into the box's edge: such letters are lowered.
    var vertical = full
    let ink = line.inkExtents
    if !isDrawing {
      let room = baseline - Double(height) / 16
      if ink.above > 0 { vertical = min(vertical, room / ink.above) }
      if ink.below > 0 { vertical = min(vertical, (Double(height) - baseline) / ink.below) }
    }
    cairo_translate(canvas.cairo, (Double(width) - advance * horizontal) / 2, baseline)
    var matrix = cairo_matrix_t()
    cairo_matrix_init(
      &matrix, horizontal, 0, glyph.isItalic ? -Self.slant * vertical : 0, vertical, 0, 0)
    cairo_transform(canvas.cairo, &matrix)
    cairo_move_to(canvas.cairo, 0, 0)
    line.show(canvas.cairo)
    let isMissing = !layout.missingCharacters.isEmpty
    return CellMask(area: area, coverage: canvas.finish(), isMissing: isMissing)
  }
}
