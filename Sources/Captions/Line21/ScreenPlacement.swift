// SPDX-License-Identifier: Apache-2.0

/// Finds rows for captions that are on the screen together.
///
/// A caption that is there already stays. Those that begin together stand one above the other in their order, at
/// the bottom upwards from their place, at the top downwards; side by side only where that is their place. Captions
/// with a place in cells come first, and are moved if another one has it. A screen has four rows (47 CFR 79.101(d);
/// a receiver may erase all of them for a fifth: CTA-608-E, C.6): a caption without a place in cells waits until
/// there is room for it, and is left out where there is none before its end.
struct ScreenPlacement {
  /// The captions in their rows, in frames from when there is room.
  private(set) var placed: [PlacedCaption] = []
  /// Captions without room, by index.
  private(set) var leftOut: Set<Int> = []
  /// Captions in cells that are not in theirs.
  private(set) var moved: Set<Int> = []
  /// The rows on the screen from a caption's start, where they are more than four.
  private(set) var crowded: [(index: Int, rows: Int)] = []
  /// Whether any captions are on the screen together.
  private(set) var overlaps = false

  /// A caption that waits more often is left out; a broken file may have any number at once.
  private static let mostDelays = 16

  private struct Candidate {
    var caption: PlacedCaption
    var delays = 0
  }

  private var active: [PlacedCaption] = []

  init(_ captions: [PlacedCaption], minimumDisplay: Int) {
    placed.reserveCapacity(captions.count)
    let order = captions.sorted { ($0.start, $0.index) < ($1.start, $1.index) }
    // By starts, of which there are few.
    var waiting: [(start: Int, candidates: [Candidate])] = []
    var next = 0
    while next < order.count || !waiting.isEmpty {
      let start = min(
        next < order.count ? order[next].start : .max, waiting.first?.start ?? .max)
      active.removeAll { $0.end <= start }
      var batch: [Candidate] = []
      if let first = waiting.first, first.start == start {
        batch = first.candidates
        waiting.removeFirst()
      }
      while next < order.count, order[next].start == start {
        batch.append(Candidate(caption: order[next]))
        next += 1
      }
      if batch.count == 1, active.isEmpty {
        take(batch[0].caption)
        continue
      }
      overlaps = true
      batch.sort { $0.caption.index < $1.caption.index }
      let refused = accept(batch)
      guard !refused.isEmpty else { continue }
      let end = active.map(\.end).min() ?? .max
      var late: [Candidate] = []
      for var candidate in refused {
        candidate.delays += 1
        if end > candidate.caption.end - minimumDisplay || candidate.delays > Self.mostDelays {
          leftOut.insert(candidate.caption.index)
        } else {
          candidate.caption.start = end
          late.append(candidate)
        }
      }
      guard !late.isEmpty else { continue }
      let place = waiting.firstIndex { $0.start >= end } ?? waiting.count
      if place < waiting.count, waiting[place].start == end {
        waiting[place].candidates += late
      } else {
        waiting.insert((end, late), at: place)
      }
    }
  }

  private mutating func take(_ caption: PlacedCaption) {
    placed.append(caption)
    if caption.end > caption.start { active.append(caption) }
  }

  /// Places those of a batch that there is room for, and returns the others.
  private mutating func accept(_ batch: [Candidate]) -> [Candidate] {
    var accepted: [PlacedCaption] = []
    var places: [PlacedCaption] = []
    var refused: [Candidate] = []
    let taken = active.flatMap { Self.stretches($0) }
    for isFixed in [true, false] {
      for candidate in batch where candidate.caption.isFixed == isFixed {
        if let arranged = Self.arrange(accepted + [candidate.caption], taken) {
          accepted.append(candidate.caption)
          places = arranged
        } else {
          refused.append(candidate)
        }
      }
    }
    for place in places {
      let wanted = accepted.first { $0.index == place.index }
      if place.isFixed, place.rows != wanted?.rows { moved.insert(place.index) }
      take(place)
    }
    let rows = Set((taken + places.flatMap { Self.stretches($0) }).map(\.row)).count
    if rows > CEA608.maximumRowsShown, let first = places.first {
      crowded.append((first.index, rows))
    }
    return refused.sorted { $0.caption.index < $1.caption.index }
  }

  /// Cells side by side.
  private struct Stretch {
    var row: Int
    var columns: Range<Int>
    var time: Range<Int>
    /// Frames after the start that each cell comes in.
    var reveal: [Int]?
    var isFixed: Bool

    /// Whether cells are written over those of another stretch. A free cell keeps words apart, but for those whose
    /// place is in cells.
    func collides(with other: Stretch, rowOffset: Int) -> Bool {
      guard row + rowOffset == other.row else { return false }
      guard isFixed, other.isFixed else {
        return columns.lowerBound <= other.columns.upperBound
          && other.columns.lowerBound <= columns.upperBound
      }
      let end = min(time.upperBound, other.time.upperBound)
      return columns.clamped(to: other.columns).contains {
        max(start(of: $0), other.start(of: $0)) < end
      }
    }

    private func start(of column: Int) -> Int {
      let place = column - columns.lowerBound
      guard let reveal, reveal.indices.contains(place) else { return time.lowerBound }
      return time.lowerBound + reveal[place]
    }
  }

  /// The cells that a caption takes; of a window that rolls, all.
  private static func stretches(_ caption: PlacedCaption) -> [Stretch] {
    let time = caption.start..<max(caption.start, caption.end)
    if case .rollUp(let depth) = caption.kind, let base = caption.rows.first?.row {
      return (max(0, base - depth + 1)...base).map {
        Stretch(row: $0, columns: 0..<CEA608.columnCount, time: time, isFixed: false)
      }
    }
    return caption.rows.map {
      Stretch(
        row: $0.row, columns: $0.column..<$0.column + $0.cells.count, time: time,
        reveal: $0.reveal, isFixed: caption.isFixed)
    }
  }

  /// Captions that begin together, each in its place; `nil` where there is no room for one of them.
  private static func arrange(_ captions: [PlacedCaption], _ before: [Stretch]) -> [PlacedCaption]?
  {
    var taken = before
    var places: [PlacedCaption] = []
    let upward = captions.filter { !$0.isFixed && $0.display == .after }
    let others = captions.filter { !$0.isFixed && $0.display != .after }
    for caption in captions.filter(\.isFixed) + others + upward.reversed() {
      guard let place = placed(caption, taken) else { return nil }
      places.append(place)
      taken += stretches(place)
    }
    let hasFree = captions.contains { !$0.isFixed }
    guard !hasFree || Set(taken.map(\.row)).count <= CEA608.maximumRowsShown else { return nil }
    return places.sorted { $0.index < $1.index }
  }

  /// A caption in the rows nearest to its own that are free.
  private static func placed(_ caption: PlacedCaption, _ taken: [Stretch]) -> PlacedCaption? {
    let own = stretches(caption)
    if case .rollUp = caption.kind { return caption }
    guard let top = own.map(\.row).min(), let bottom = own.map(\.row).max() else { return caption }
    let up = Array((-top...0).reversed())
    let down = Array(0...max(0, CEA608.rowCount - 1 - bottom))
    let offsets: [Int]
    switch caption.display {
    case .after: offsets = up + down
    case .before: offsets = down + up
    case .center: offsets = (up + down).sorted { abs($0) < abs($1) }
    }
    for offset in offsets {
      let collides = own.contains { stretch in
        taken.contains { stretch.collides(with: $0, rowOffset: offset) }
      }
      guard !collides else { continue }
      var place = caption
      for index in place.rows.indices { place.rows[index].row += offset }
      return place
    }
    return nil
  }
}
