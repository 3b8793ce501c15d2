// SPDX-License-Identifier: Apache-2.0

extension TransmissionPlanner {
  /// Captions of one time range and kind.
  struct CaptionSet {
    var captions: [Int]
    var start: Int
    var end: Int
    var kind: PlacedCaption.Kind
    var rows: [PlacedRow]
  }

  /// Frames that a set is shown at least: its own code, before the next may be sent.
  var minimumDisplay: Int { controlCost }

  /// Plans everything.
  mutating func plan(_ captions: [PlacedCaption]) {
    var sets: [CaptionSet] = []
    let order = captions.sorted { ($0.start, $0.end, $0.index) < ($1.start, $1.end, $1.index) }
    for caption in order {
      // In this order, those of one time range are neighbours but for their kinds.
      let same = sets.indices.suffix(2).last {
        sets[$0].start == caption.start && sets[$0].end == caption.end
          && sets[$0].kind == caption.kind
      }
      if let same, caption.kind == .popOn || caption.kind == .paintOn {
        sets[same].captions.append(caption.index)
        sets[same].rows += caption.rows
      } else {
        sets.append(
          CaptionSet(
            captions: [caption.index], start: caption.start, end: caption.end, kind: caption.kind,
            rows: caption.rows))
      }
    }
    var next = 0
    while next < sets.count {
      let start = sets[next].start
      passEnds(before: start)
      var popOn: [CaptionSet] = []
      var others: [CaptionSet] = []
      while next < sets.count, sets[next].start == start {
        if sets[next].kind == .popOn { popOn.append(sets[next]) } else { others.append(sets[next]) }
        next += 1
      }
      if !popOn.isEmpty { load(popOn, at: start) }
      for set in others { write(set) }
    }
    passEnds(before: .max)
    if let pendingErase { eraseScreen(at: max(pendingErase, free)) }
  }

  /// Ends what ends before a frame; what ends in it ends with what begins there.
  private mutating func passEnds(before frame: Int) {
    while let end = active.map(\.end).min(), end <= frame {
      let rest = active.filter { $0.end > end }
      if rest.isEmpty {
        pendingErase = end
        lingering += active
        active = []
      } else if end < frame, rest.allSatisfy({ !$0.isRolling }),
        reload(rest, at: end, before: frame)
      {
        continue
      } else {
        // Ends with the next change of the screen.
        lingering += active.filter { $0.end <= end }
        active = rest
      }
    }
  }

  /// Shows what stays when a part of the screen ends, if there is time for it.
  private mutating func reload(_ rest: [ActiveSet], at end: Int, before next: Int) -> Bool {
    let units = loadUnits(rest.flatMap(\.rowUnits))
    let frame = max(end, free + cost(units))
    guard frame + controlCost < next, frame < rest.map(\.end).min() ?? 0 else { return false }
    send(units, before: frame, erase: nil)
    free = send(Self.unit(.endOfCaption), at: frame)
    mode = .popOn
    let kept = rest
    active.removeAll { set in kept.contains { $0.outcome == set.outcome } }
    endActive(at: frame)
    active = kept
    return true
  }

  private func loadUnits(_ rows: [RowEncoder.Unit]) -> [RowEncoder.Unit] {
    parted([Self.unit(.resumeCaptionLoading), Self.unit(.eraseNondisplayedMemory)] + rows)
  }

  private func units(_ rows: [PlacedRow]) -> [RowEncoder.Unit] {
    rows.sorted { ($0.row, $0.column) < ($1.row, $1.column) }.flatMap { RowEncoder($0).units }
  }

  // MARK: Pop-on

  /// Shows sets of one start, with all else that is then on the screen.
  private mutating func load(_ sets: [CaptionSet], at start: Int) {
    var sets = sets.map { (set: $0, units: units($0.rows)) }
    var bound = start
    // A grid of 15 rows has no use for more stretches.
    while let last = sets.last,
      sets.reduce(active.reduce(0, { $0 + $1.rows.count }), { $0 + $1.set.rows.count }) > 60
    {
      outcomes.append(
        Outcome(
          captions: last.set.captions, start: start, end: last.set.end, shown: nil,
          cost: cost(last.units)))
      sets.removeLast()
    }
    while !sets.isEmpty {
      let rest = active.filter { $0.end > bound }
      let codes = loadUnits((rest.flatMap(\.rowUnits)) + sets.flatMap(\.units))
      let (frame, erase) = earliest(codes, target: start, replaces: true)
      let late = sets.filter { $0.set.end < frame + minimumDisplay }
      guard late.isEmpty else {
        // The longest of those that come too late first: without it, the others may come in time.
        let worst = late.max { cost($0.units) < cost($1.units) }!
        outcomes.append(
          Outcome(
            captions: worst.set.captions, start: start, end: worst.set.end, shown: nil,
            cost: cost(codes) + controlCost))
        sets.removeAll { $0.set.captions == worst.set.captions }
        continue
      }
      if frame > bound, rest.contains(where: { $0.end <= frame }) {
        bound = frame
        continue
      }
      send(codes, before: frame, erase: erase)
      free = send(Self.unit(.endOfCaption), at: frame)
      mode = .popOn
      pendingErase = nil
      active.removeAll { set in rest.contains { $0.outcome == set.outcome } }
      endActive(at: frame)
      active = rest
      for (set, units) in sets {
        outcomes.append(
          Outcome(
            captions: set.captions, start: start, end: set.end, shown: frame..<set.end,
            cost: cost(codes) + controlCost))
        active.append(
          ActiveSet(
            outcome: outcomes.count - 1, end: set.end, kind: .popOn, rows: set.rows,
            rowUnits: units))
      }
      return
    }
  }

  // MARK: Paint-on and roll-up

  private mutating func write(_ set: CaptionSet) {
    var prefix: [RowEncoder.Unit] = []
    var main: [(unit: RowEncoder.Unit, due: Int?)] = []
    var newMode = CEA608.Decoder.Mode.paintOn
    if case .rollUp(let depth) = set.kind {
      newMode = .rollUp(depth: depth)
      let command: CEA608.Command = depth == 2 ? .rollUp2 : depth == 3 ? .rollUp3 : .rollUp4
      if mode != newMode { prefix.append(Self.unit(command)) }
      main.append((Self.unit(.carriageReturn), set.start))
    } else if mode != .paintOn {
      prefix.append(Self.unit(.resumeDirectCaptioning))
    }
    for row in set.rows.sorted(by: {
      ($0.reveal?.first ?? 0, $0.row) < ($1.reveal?.first ?? 0, $1.row)
    }) {
      for unit in parted(RowEncoder(row).units) {
        let due = unit.lastCell.flatMap { cell in row.reveal.map { set.start + $0[cell] } }
        main.append((unit, due))
      }
    }
    // Up to the first unit that shows something.
    let lead =
      main.firstIndex {
        $0.unit.lastCell != nil || $0.unit.code == CEA608.Command.carriageReturn.code
      }
      ?? main.count
    prefix += main[..<lead].map(\.unit)
    main.removeFirst(lead)
    let target = max(set.start, main.first?.due ?? set.start)
    let (frame, erase) = earliest(prefix, target: target, replaces: false)
    let shift = frame - target
    guard set.end >= set.start + shift + minimumDisplay, !main.isEmpty else {
      outcomes.append(
        Outcome(
          captions: set.captions, start: set.start, end: set.end, shown: nil,
          cost: cost(prefix) + cost(main.map(\.unit))))
      return
    }
    // Beginning to roll clears the screen.
    if case .rollUp = newMode, !isRollingMode, !active.isEmpty || pendingErase != nil, erase == nil
    {
      endActive(at: frame - cost(prefix))
      pendingErase = nil
    }
    send(prefix, before: frame, erase: erase)
    mode = newMode
    var outcome = Outcome(
      captions: set.captions, start: set.start, end: set.end,
      shown: set.start + shift..<set.end, cost: cost(prefix) + cost(main.map(\.unit)))
    if case .rollUp(let depth) = set.kind { rollOut(depth, at: frame) }
    outcome.lateness = send(main, from: frame, shift: shift)
    outcomes.append(outcome)
    active.append(
      ActiveSet(
        outcome: outcomes.count - 1, end: set.end, kind: set.kind, rows: set.rows,
        rowUnits: units(set.rows)))
  }

  private var isRollingMode: Bool { if case .rollUp = mode { true } else { false } }

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
  private mutating func send(
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

extension TransmissionPlanner.ActiveSet {
  var isRolling: Bool { if case .rollUp = kind { true } else { false } }
}
