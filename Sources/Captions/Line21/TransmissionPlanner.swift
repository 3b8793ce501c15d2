// SPDX-License-Identifier: Apache-2.0

/// A caption on the grid and in frames.
struct PlacedCaption {
  enum Kind: Hashable {
    /// All at once: pop-on.
    case popOn
    /// Character by character: paint-on.
    case paintOn
    /// In a window that rolls.
    case rollUp(depth: Int)
  }

  /// In the list that was given.
  var index: Int
  var start: Int
  var end: Int
  var kind: Kind
  var rows: [PlacedRow]
  /// Whether its place is in cells.
  var isFixed = true
  /// To which side it makes room for others.
  var display = CaptionRegion.DisplayAlignment.after
}

/// Fits captions into line 21: a pair a frame, each in a frame of its own.
///
/// Captions of one time range are a set, which is sent or left out whole. Sets are taken in the order of
/// their starts. Each is shown at its start if what it needs can be sent before, after what the sets
/// before it need, and else as soon as it can in any order of its rows; it still ends when it was meant to. A set
/// that could not be shown before its end is left out, and takes no frames. So no smaller shift would do for a set,
/// given those before it, and none that is left out could be added to those that are kept before it.
struct TransmissionPlanner {
  struct Sent: Equatable {
    var frame: Int
    var pair: UInt16
  }

  /// The outcome of a set.
  struct Outcome {
    var captions: [Int]
    var start: Int
    var end: Int
    /// When it is shown; `nil` for one that is left out.
    var shown: Range<Int>?
    /// Frames that its codes take.
    var cost: Int
    /// How many frames a character comes too late at most, beyond the shift of the whole.
    var lateness = 0
  }

  struct ActiveSet {
    var outcome: Int
    var end: Int
    var kind: PlacedCaption.Kind
    var rows: [PlacedRow]
    /// Codes, row by row.
    var rowUnits: [[RowEncoder.Unit]]
  }

  let doubling: Bool
  /// Frames that a control takes.
  let controlCost: Int
  var sent: [Sent] = []
  var outcomes: [Outcome] = []
  /// The first frame that nothing is sent in.
  var free: Int
  var mode = CEA608.Decoder.Mode.none
  /// The captions on the screen, in the order in which they came.
  var active: [ActiveSet] = []
  /// Whether the cursor is behind the last character of the window's last line.
  var isCursorBehindText = true
  /// Since when nothing is meant to be on the screen, though something still is.
  var pendingErase: Int?

  /// - Parameter start: the first frame that something can be sent in.
  init(doubling: Bool, start: Int) {
    self.doubling = doubling
    controlCost = doubling ? 2 : 1
    free = start
  }

  // MARK: Sending

  func cost(_ unit: RowEncoder.Unit) -> Int { unit.isControl ? controlCost : 1 }
  func cost(_ units: some Sequence<RowEncoder.Unit>) -> Int { units.reduce(0) { $0 + cost($1) } }

  static func unit(_ command: CEA608.Command) -> RowEncoder.Unit {
    RowEncoder.Unit(code: command.code, isControl: true, lastCell: nil)
  }

  /// Sends a unit in a frame that is free, and returns the frame after it.
  @discardableResult
  mutating func send(_ unit: RowEncoder.Unit, at frame: Int) -> Int {
    sent.append(Sent(frame: frame, pair: unit.code))
    if unit.isControl, doubling { sent.append(Sent(frame: frame + 1, pair: unit.code)) }
    return frame + cost(unit)
  }

  /// Controls that are sent once and are the same would be taken for one: a filler comes between.
  func parted(_ units: [RowEncoder.Unit]) -> [RowEncoder.Unit] {
    guard !doubling else { return units }
    var parted: [RowEncoder.Unit] = []
    for unit in units {
      if unit.isControl, let last = parted.last, last.isControl, last.code == unit.code {
        parted.append(RowEncoder.Unit(code: 0, isControl: false, lastCell: last.lastCell))
      }
      parted.append(unit)
    }
    return parted
  }

  // MARK: When

  /// When everything on the screen will have ended; `nil` for an empty screen.
  var lastEnd: Int? { active.isEmpty ? pendingErase : active.map(\.end).max() }

  /// The first frame from `target` on before which units can be sent, and when the screen is to be
  /// erased among them.
  ///
  /// - Parameter replaces: whether what comes takes the place of all that is on the screen.
  func earliest(
    _ units: [RowEncoder.Unit], target: Int, replaces: Bool
  ) -> (frame: Int, erase: Int?) {
    let first = max(target, free + cost(units))
    guard let lastEnd, first > lastEnd || (first == lastEnd && !replaces) else {
      return (first, nil)
    }
    let erase = max(lastEnd, free)
    // As much as fits before it, then the rest.
    var room = erase - free
    var index = 0
    while index < units.count, cost(units[index]) <= room {
      room -= cost(units[index])
      index += 1
    }
    let isSplit = room == 1 && index < units.count && isRepeatable(units[index])
    let behind = cost(units[index...]) - (isSplit ? 1 : 0)
    return (max(target, erase + controlCost + behind), erase)
  }

  /// Whether a code may be sent once before the erasure and once behind it, so that no frame is left empty: obeyed
  /// twice, it does what it does once.
  private func isRepeatable(_ unit: RowEncoder.Unit) -> Bool {
    guard doubling, unit.isControl else { return false }
    switch unit.code {
    case CEA608.Command.resumeCaptionLoading.code, CEA608.Command.resumeDirectCaptioning.code,
      CEA608.Command.eraseNondisplayedMemory.code:
      return true
    default: return CEA608.Preamble(code: unit.code) != nil
    }
  }

  /// Codes that load rows, when they can have been sent, and when the screen is erased among them.
  ///
  /// A doubled code that neither fits in front of the erasure nor may be parted by it leaves a frame empty; another
  /// order of codes and rows may not.
  func earliest(
    loading rows: [[RowEncoder.Unit]], target: Int
  ) -> (codes: [RowEncoder.Unit], frame: Int, erase: Int?) {
    func attempt(
      _ rows: [[RowEncoder.Unit]]
    ) -> (codes: [RowEncoder.Unit], frame: Int, erase: Int?) {
      var codes = loadUnits(rows)
      var (frame, erase) = earliest(codes, target: target, replaces: true)
      // The nondisplayed memory may be erased anywhere before the first character.
      guard doubling, let erase, frame > leastFrame(codes, target, erase) else {
        return (codes, frame, erase)
      }
      let text = codes.firstIndex { $0.lastCell != nil } ?? codes.count
      var other = codes
      for place in 1..<max(1, text - 1) {
        other.swapAt(place, place + 1)
        let attempt = earliest(other, target: target, replaces: true)
        if attempt.frame < frame { (codes, frame) = (other, attempt.frame) }
      }
      return (codes, frame, erase)
    }
    let first = attempt(rows)
    guard let erase = first.erase, (2...4).contains(rows.count) else { return first }
    let least = leastFrame(first.codes, target, erase)
    guard first.frame > least else { return first }
    var best = first
    /// Every order, in turn.
    func permute(_ chosen: [[RowEncoder.Unit]], _ left: [[RowEncoder.Unit]]) {
      guard best.frame > least else { return }
      guard !left.isEmpty else {
        let other = attempt(chosen)
        if other.frame < best.frame { best = other }
        return
      }
      for index in left.indices {
        var rest = left
        let row = rest.remove(at: index)
        permute(chosen + [row], rest)
      }
    }
    permute([], rows)
    return best
  }

  /// The first frame before which codes could be sent if none was left empty.
  private func leastFrame(_ codes: [RowEncoder.Unit], _ target: Int, _ erase: Int) -> Int {
    max(target, erase + controlCost + max(0, cost(codes) - (erase - free)))
  }

  /// Sends units as late as they may be before a frame, with the screen erased in between.
  mutating func send(_ units: [RowEncoder.Unit], before frame: Int, erase: Int?) {
    var index = units.count
    var position = frame
    if let erase {
      while index > 0, position - cost(units[index - 1]) >= erase + controlCost {
        index -= 1
        position -= cost(units[index])
      }
      // A code is parted by the erasure where there is a frame for it on both sides, and no room on one.
      let isSplit =
        index > 0 && position == erase + controlCost + 1 && isRepeatable(units[index - 1])
        && cost(units[..<index]) > erase - free
      let first = isSplit ? index - 1 : index
      var before = erase - cost(units[..<first]) - (isSplit ? 1 : 0)
      for unit in units[..<first] { before = send(unit, at: before) }
      if isSplit { sent.append(Sent(frame: before, pair: units[first].code)) }
      eraseScreen(at: erase)
      if isSplit { sent.append(Sent(frame: position - 1, pair: units[first].code)) }
      for unit in units[index...] { position = send(unit, at: position) }
    } else {
      position -= cost(units)
      for unit in units { position = send(unit, at: position) }
    }
  }

  /// Empties the screen.
  mutating func eraseScreen(at frame: Int) {
    free = send(Self.unit(.eraseDisplayedMemory), at: frame)
    endActive(at: frame)
    pendingErase = nil
  }

  /// The captions on the screen end.
  mutating func endActive(at frame: Int) {
    for set in active { end(set, at: frame) }
    active = []
    for set in lingering { end(set, at: frame) }
    lingering = []
  }

  mutating func end(_ set: ActiveSet, at frame: Int) {
    guard let start = outcomes[set.outcome].shown?.lowerBound else { return }
    outcomes[set.outcome].shown = start..<max(start, frame)
  }

  /// Sets whose end has come, but that stay until the screen changes.
  var lingering: [ActiveSet] = []
}
