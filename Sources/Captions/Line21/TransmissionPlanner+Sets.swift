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
      var rest = others[...]
      while let set = rest.first {
        let lines = movedLines(of: rest)
        if lines.isEmpty { write(set) } else { moveWindow(lines) }
        rest = rest.dropFirst(max(1, lines.count))
      }
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
    show(units, rest, at: frame)
    return true
  }

  /// Sends codes, and shows with them what stays on the screen.
  mutating func show(_ units: [RowEncoder.Unit], _ rest: [ActiveSet], at frame: Int) {
    send(units, before: frame, erase: nil)
    free = send(Self.unit(.endOfCaption), at: frame)
    mode = .popOn
    active.removeAll { set in rest.contains { $0.outcome == set.outcome } }
    endActive(at: frame)
    active = rest
  }

  func loadUnits(_ rows: [[RowEncoder.Unit]]) -> [RowEncoder.Unit] {
    parted(
      [Self.unit(.resumeCaptionLoading), Self.unit(.eraseNondisplayedMemory)] + rows.joined())
  }

  func units(_ rows: [PlacedRow]) -> [[RowEncoder.Unit]] {
    rows.sorted { ($0.row, $0.column) < ($1.row, $1.column) }.map { RowEncoder($0).units }
  }

  /// The codes of sets on the screen, of rolled-up lines in the rows where they have come to stand.
  func units(_ sets: [ActiveSet]) -> [[RowEncoder.Unit]] {
    let lines = sets.filter(\.isRolling).map(\.outcome).sorted()
    return sets.flatMap { set -> [[RowEncoder.Unit]] in
      guard let place = lines.firstIndex(of: set.outcome) else { return set.rowUnits }
      return units(
        set.rows.map { row in
          var row = row
          row.row = max(0, row.row - (lines.count - 1 - place))
          return row
        })
    }
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
          cost: cost(last.units.joined())))
      sets.removeLast()
    }
    while !sets.isEmpty {
      let rest = active.filter { $0.end > bound }
      let (codes, frame, erase) = earliest(
        loading: units(rest) + sets.flatMap(\.units), target: start)
      let late = sets.filter { $0.set.end < frame + minimumDisplay }
      guard late.isEmpty else {
        // The longest of those that come too late first: without it, the others may come in time.
        let worst = late.max { cost($0.units.joined()) < cost($1.units.joined()) }!
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
}

extension TransmissionPlanner.ActiveSet {
  var isRolling: Bool { if case .rollUp = kind { true } else { false } }
}
