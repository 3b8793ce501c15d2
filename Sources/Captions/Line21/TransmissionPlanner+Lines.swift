// SPDX-License-Identifier: Apache-2.0

/// Captions that are written on the screen: painted on, rolled up.
extension TransmissionPlanner {
  mutating func write(_ set: CaptionSet) {
    var prefix: [RowEncoder.Unit] = []
    var main: [(unit: RowEncoder.Unit, due: Int?)] = []
    var newMode = CEA608.Decoder.Mode.paintOn
    var command = CEA608.Command.resumeDirectCaptioning
    if case .rollUp(let depth) = set.kind {
      newMode = .rollUp(depth: depth)
      command = Self.command(depth)
      // A first line whose text is there at once has no return before it.
      if !beginsWithoutReturn(set) { main.append((Self.unit(.carriageReturn), set.start)) }
    } else {
      clearLingering(in: set.rows)
    }
    for row in set.rows.sorted(by: {
      ($0.reveal?.first ?? 0, $0.row) < ($1.reveal?.first ?? 0, $1.row)
    }) {
      for unit in parted(RowEncoder(row).units) {
        let due = unit.lastCell.flatMap { cell in row.reveal.map { set.start + $0[cell] } }
        main.append((unit, due))
      }
    }
    prefix = withoutAddress(set, &main)
    // Up to the first unit that shows something.
    let lead =
      main.firstIndex {
        $0.unit.lastCell != nil || $0.unit.code == CEA608.Command.carriageReturn.code
      }
      ?? main.count
    prefix += main[..<lead].map(\.unit)
    main.removeFirst(lead)
    let target = max(set.start, main.first?.due ?? set.start)
    let replaces = rollsOut(set)
    var (frame, erase) = earliest(prefix, target: target, replaces: replaces)
    // Every row and every burst has its command (CTA-608-E, B.8.1 and B.8.2), unless it would come later for a
    // command that is in force.
    let whole = parted([Self.unit(command)] + prefix)
    let withCommand = earliest(whole, target: target, replaces: replaces)
    if mode != newMode || withCommand.frame == frame {
      prefix = whole
      (frame, erase) = withCommand
    }
    // Beginning to roll clears the screen (47 CFR 79.101(f)(1)(x)): without room for an erasure before its command, the
    // command is the erasure. Sent before one, it would end what is shown too early.
    var clearing: Int?
    if case .rollUp = newMode, !isRollingMode, let end = erase,
      target < end + controlCost + cost(prefix)
    {
      clearing = end
      (frame, erase) = (max(target, end + cost(prefix)), nil)
    }
    let shift = frame - target
    guard set.end >= set.start + shift + minimumDisplay, !main.isEmpty else {
      outcomes.append(
        Outcome(
          captions: set.captions, start: set.start, end: set.end, shown: nil,
          cost: cost(prefix) + cost(main.map(\.unit))))
      return
    }
    let prefixEnd = clearing.map { $0 + cost(prefix) } ?? frame
    if case .rollUp = newMode, !isRollingMode, !active.isEmpty || pendingErase != nil, erase == nil
    {
      endActive(at: prefixEnd - cost(prefix))
      pendingErase = nil
    }
    send(prefix, before: prefixEnd, erase: erase)
    mode = newMode
    isCursorBehindText = true
    var outcome = Outcome(
      captions: set.captions, start: set.start, end: set.end,
      shown: set.start + shift..<set.end, cost: cost(prefix) + cost(main.map(\.unit)))
    if case .rollUp(let depth) = set.kind {
      rollOut(depth, at: frame)
      if replaces, erase == nil {
        for line in lingering { end(line, at: frame) }
        (lingering, pendingErase) = ([], nil)
      }
    }
    outcome.lateness = send(main, from: frame, shift: shift)
    outcomes.append(outcome)
    active.append(
      ActiveSet(
        outcome: outcomes.count - 1, end: set.end, kind: set.kind, rows: set.rows,
        rowUnits: units(set.rows)))
  }

  /// Takes what has ended off the screen if new rows would be written into it.
  private mutating func clearLingering(in rows: [PlacedRow]) {
    let taken = Set(rows.map(\.row))
    let ended = lingering.filter { $0.rows.contains { taken.contains($0.row) } }.map(\.end).max()
    guard let ended, !active.isEmpty else { return }
    let codes = loadUnits(units(active))
    show(codes, active, at: max(ended, free + cost(codes)))
  }

  private var isRollingMode: Bool { if case .rollUp = mode { true } else { false } }

  /// Whether a new line pushes all out of the window that is to go then, and has text.
  func rollsOut(_ set: CaptionSet) -> Bool {
    guard case .rollUp(let depth) = set.kind, isRollingMode, active.isEmpty,
      pendingErase == set.start, lingering.allSatisfy(\.isRolling)
    else { return false }
    return windowLines.suffix(depth - 1).allSatisfy { $0.rows.allSatisfy(\.cells.isEmpty) }
  }

  /// The lines that a new one pushes out.
  private mutating func rollOut(_ depth: Int, at frame: Int) {
    let window = (lingering + active).filter(\.isRolling).map(\.outcome).sorted()
    let out = Set(window.prefix(max(0, window.count - depth + 1)))
    for set in lingering + active where out.contains(set.outcome) { end(set, at: frame) }
    lingering.removeAll { out.contains($0.outcome) }
    active.removeAll { out.contains($0.outcome) }
    if lingering.isEmpty, active.isEmpty { pendingErase = nil }
  }

  /// Sends units when they are due, or as soon after as can be, and returns how much later one came.
  mutating func send(
    _ units: [(unit: RowEncoder.Unit, due: Int?)], from start: Int, shift: Int
  ) -> Int {
    var lateness = 0
    free = start
    var index = 0
    while index < units.count {
      // Units that show nothing go as late as they may before the next that does.
      var end = index
      while end < units.count, units[end].due == nil, units[end].unit.lastCell == nil { end += 1 }
      let lead = cost(units[index..<end].map(\.unit))
      if lead > 0 {
        let due = end < units.count ? units[end].due.map { $0 + shift } : nil
        free = max(free, (due ?? 0) - lead)
      }
      for unit in units[index..<end] { free = send(unit.unit, at: free) }
      guard end < units.count else { break }
      let (unit, due) = units[end]
      if let due, !unit.isReplacement {
        lateness = max(lateness, free - due - shift)
        free = max(free, due + shift)
      }
      free = send(unit, at: free)
      index = end + 1
    }
    return lateness
  }
}
