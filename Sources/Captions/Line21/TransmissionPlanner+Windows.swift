// SPDX-License-Identifier: Apache-2.0

/// Windows that move, or come to have fewer rows, with the lines in them.
extension TransmissionPlanner {
  /// The lines that are in the window, the oldest first.
  var windowLines: [ActiveSet] {
    (lingering + active).filter(\.isRolling).sorted { $0.outcome < $1.outcome }
  }

  /// The sets at the beginning that are the window's lines at another place; none where they are others.
  func movedLines(of sets: ArraySlice<CaptionSet>) -> ArraySlice<CaptionSet> {
    guard let first = sets.first, case .rollUp(let depth) = first.kind,
      case .rollUp(let depthBefore) = mode, let base = first.rows.first?.row
    else { return [] }
    let before = windowLines
    guard let baseBefore = before.last?.rows.first?.row, base != baseBefore || depth != depthBefore,
      before.allSatisfy({ $0.end == first.start })
    else { return [] }
    let lines = before.suffix(depth)
    let moved = sets.prefix(lines.count)
    guard moved.count == lines.count else { return [] }
    for (line, set) in zip(lines, moved) {
      guard set.kind == first.kind, set.start == first.start, let old = line.rows.first,
        let new = set.rows.first, new.row == base, old.column == new.column || old.cells.isEmpty,
        // The last line may go on.
        line.outcome == lines.last?.outcome
          ? new.cells.starts(with: old.cells) : new.cells == old.cells
      else { return [] }
    }
    return moved
  }

  /// Moves the window: the code of a row does it at once (47 CFR 79.101(f)(1)(ii)), one of a depth takes lines off.
  mutating func moveWindow(_ sets: ArraySlice<CaptionSet>) {
    let before = windowLines
    guard let last = sets.last, let row = last.rows.first, let old = before.last?.rows.first,
      case .rollUp(let depth) = last.kind
    else { return }
    // The codes that are sent before the moment, and those that make it.
    var lead: [RowEncoder.Unit] = []
    var codes: [(unit: RowEncoder.Unit, due: Int?)] = []
    // A window that would reach over the screen's top moves down with the code of its depth.
    let base = max(old.row, depth - 1)
    if mode != .rollUp(depth: depth) {
      let unit = Self.unit(Self.command(depth))
      if before.count > depth || base != old.row {
        codes.append((unit, last.start))
      } else {
        lead.append(unit)
      }
    }
    let count = old.cells.count
    var rest = row
    rest.cells = Array(row.cells.dropFirst(count))
    rest.column += count
    rest.reveal = row.reveal.map { Array($0.dropFirst(count)) }
    let moves = base != row.row
    // Codes that are sent before the moment are addressed to where the window is then.
    if !moves { rest.row = old.row }
    var units = parted(
      RowEncoder(
        rest, after: row.cells.prefix(count), isAddressed: !moves && count > 0 && isCursorBehindText
      ).units)
    if moves {
      let end = rest.column
      let isText = !units.isEmpty
      let address = isText ? units.removeFirst() : Self.address(row: row.row, column: end)
      codes.append((address, last.start + cost(codes.map(\.unit))))
      isCursorBehindText = isText || (end % 4 == 0 && end < CEA608.columnCount)
    } else if count == 0 || !isCursorBehindText,
      let text = units.firstIndex(where: { $0.lastCell != nil })
    {
      // The cursor stands at the row's beginning already.
      if count > 0 || units[..<text] != [Self.address(row: old.row)] { lead += units[..<text] }
      units.removeFirst(text)
      isCursorBehindText = true
    }
    codes += units.map { unit in
      (unit, unit.lastCell.flatMap { cell in rest.reveal.map { last.start + $0[cell] } })
    }
    free = max(free, last.start - cost(lead))
    for unit in lead { free = send(unit, at: free) }
    let frame = max(last.start, free)
    for line in before { end(line, at: frame) }
    lingering.removeAll(where: \.isRolling)
    active.removeAll(where: \.isRolling)
    pendingErase = nil
    mode = .rollUp(depth: depth)
    let total = cost(lead) + cost(codes.map(\.unit))
    let lateness = send(codes, from: frame, shift: frame - last.start)
    for set in sets {
      outcomes.append(
        Outcome(
          captions: set.captions, start: set.start, end: set.end,
          shown: set.end > frame ? frame..<set.end : nil, cost: total,
          lateness: set.captions == last.captions ? lateness : 0))
      active.append(
        ActiveSet(
          outcome: outcomes.count - 1, end: set.end, kind: set.kind, rows: set.rows,
          rowUnits: self.units(set.rows)))
    }
  }

  static func command(_ depth: Int) -> CEA608.Command {
    depth == 2 ? .rollUp2 : depth == 3 ? .rollUp3 : .rollUp4
  }

  /// The code that puts the cursor into a row without attributes, up to three columns before one.
  static func address(row: Int, column: Int = 0) -> RowEncoder.Unit {
    RowEncoder.Unit(
      code: CEA608.Preamble(row: row, column: min(28, column / 4 * 4), pen: .plain).code,
      isControl: true, lastCell: nil)
  }

  /// Whether a line is the first in its window, and its text there in its first frame.
  func beginsWithoutReturn(_ set: CaptionSet) -> Bool {
    set.rows.first?.reveal?.first == 0 && active.isEmpty && isErased(before: set)
  }

  /// Whether nothing is on the screen when codes before a line are sent.
  private func isErased(before set: CaptionSet) -> Bool {
    pendingErase.map { $0 + 4 * controlCost <= set.start } ?? windowLines.isEmpty
  }

  /// Takes the address out of a row's codes where its first character would come late for it, and returns what is to
  /// be sent before its carriage return instead: the cursor stands there then by itself.
  func withoutAddress(
    _ set: CaptionSet, _ codes: inout [(unit: RowEncoder.Unit, due: Int?)]
  ) -> [RowEncoder.Unit] {
    guard case .rollUp = set.kind, let row = set.rows.first, let first = row.reveal?.first,
      first < 2 * controlCost, codes.count > 1, codes[1].unit == Self.address(row: row.row)
    else { return [] }
    let lines = windowLines
    if lines.last?.rows.first?.row == row.row, pendingErase == nil || rollsOut(set) {
      codes.remove(at: 1)
      return []
    }
    // Before the return, the code of a row may move nothing that is seen.
    guard isErased(before: set), active.isEmpty else { return [] }
    return [codes.remove(at: 1).unit]
  }
}
