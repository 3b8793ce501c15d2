// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Captions of CEA-608's screen as other formats have them: rows of one time range that stand under each other as
/// lines of one text; rolling lines one after the other.
struct FreeCaptions {
  enum Target {
    case webVTT, ttml, itt, subRip, timedText

    /// Whether captions have places of their own. iTT has four regions.
    var hasPlaces: Bool { self == .webVTT || self == .ttml }
    /// Whether parts of a text have times.
    var hasReveal: Bool { self == .webVTT }
  }

  private(set) var captions: [Caption] = []
  private(set) var losses: [CaptionIssue] = []
  private let target: Target
  private var told: Set<String> = []
  /// The rolling line that was added last.
  private var rolling: Caption?
  /// Between a carriage return and the row's address there are few codes.
  private static let longestMove = Time(value: 1, timescale: 2)

  init(_ source: [Caption], for target: Target) {
    self.target = target
    guard source.contains(where: \.isInCells) else {
      captions = source
      return
    }
    // When the next rolling line comes, from each on.
    var nextRoll: [Time?] = []
    var next: Time?
    for caption in source.reversed() {
      nextRoll.append(next)
      if caption.isInCells, caption.region?.scroll == .rollUp {
        next = caption.timeRange.start + (caption.revealTimes.first ?? .zero)
      }
    }
    nextRoll.reverse()
    var index = 0
    while index < source.count {
      let first = source[index]
      guard first.isInCells else {
        captions.append(first)
        index += 1
        continue
      }
      if first.animation != .none, !target.hasReveal {
        tell(first, "characters that come one by one, here and later, come at once")
      }
      if first.region?.scroll == .rollUp {
        tell(first, "rolling lines, here and later, are shown one at a time")
        let start = first.timeRange.start + (first.revealTimes.first ?? .zero)
        let end = nextRoll[index].map { min(first.timeRange.end, $0) } ?? first.timeRange.end
        if end > start { addRolling(first, TimeRange(start: start, end: end)) }
        index += 1
        continue
      }
      var rows: [CellRow] = []
      while index < source.count, source[index].isInCells,
        source[index].timeRange == first.timeRange, source[index].region?.scroll != .rollUp
      {
        rows.append(CellRow(source[index]))
        index += 1
      }
      for block in blocks(rows) { add(block, first.timeRange) }
    }
  }

  private mutating func tell(_ caption: Caption, _ reason: String) {
    tell(caption.timeRange.start, reason)
  }

  private mutating func tell(_ time: Time, _ reason: String) {
    if told.insert(reason).inserted { losses.append(CaptionIssue(time: time, reason: reason)) }
  }

  /// Rows that are one text: of those formats that have places, rows under each other that have columns in
  /// common; else all of the upper and all of the lower half.
  private func blocks(_ rows: [CellRow]) -> [[CellRow]] {
    let rows = rows.filter { !$0.pieces.isEmpty }
      .sorted { ($0.row, $0.column) < ($1.row, $1.column) }
    var blocks: [[CellRow]] = []
    for row in rows {
      let place = blocks.lastIndex { block in
        guard let last = block.last else { return false }
        guard target.hasPlaces else { return row.row - last.row <= 1 }
        return last.row == row.row
          ? row.column - last.columns.upperBound <= 2
          : row.row == last.row + 1
            && block.contains {
              $0.row == last.row && $0.columns.overlaps(row.columns)
            }
      }
      if let place { blocks[place].append(row) } else { blocks.append([row]) }
    }
    guard !target.hasPlaces else { return blocks }
    // One text for each of two places.
    return [true, false].map { isTop in
      blocks.filter { CellPlace($0).isInUpperHalf == isTop }.flatMap { $0 }
    }.filter { !$0.isEmpty }
  }

  /// A line that was there before its window moved goes on.
  private mutating func addRolling(_ caption: Caption, _ timeRange: TimeRange) {
    var line = caption
    var range = timeRange
    if let before = rolling, line.revealTimes.first == .zero, line.text.hasPrefix(before.text),
      before.animation == line.animation, let end = captions.last?.timeRange.end,
      range.start - end <= Self.longestMove
    {
      let count = before.text.count
      line.timeRange = TimeRange(start: before.timeRange.start, end: caption.end)
      line.revealTimes =
        before.revealTimes
        + caption.revealTimes.dropFirst(count).map {
          $0 + (caption.timeRange.start - before.timeRange.start)
        }
      range = TimeRange(start: captions.removeLast().timeRange.start, end: range.end)
    }
    let count = captions.count
    add([CellRow(line)], range)
    if captions.count > count { rolling = line }
  }

  private mutating func add(_ rows: [CellRow], _ timeRange: TimeRange) {
    var pieces: [(text: String, style: Caption.Style)] = []
    var times: [Time] = []
    var last: Int?
    for row in rows where !row.pieces.isEmpty {
      let reveal = row.reveal.map { max(.zero, row.start + $0 - timeRange.start) }
      if let last {
        pieces.append((last == row.row ? " " : "\n", .plain))
        times.append(reveal.first ?? .zero)
      }
      last = row.row
      pieces += row.pieces
      times += reveal
    }
    guard !pieces.isEmpty, !timeRange.isEmpty else { return }
    var caption = Caption(pieces: pieces, timeRange: timeRange)
    if target.hasReveal, times.count == caption.text.count, times.contains(where: { $0 > .zero }) {
      var latest = Time.zero
      caption.animation = .characterReveal
      caption.revealTimes = times.map {
        latest = max(latest, $0)
        return latest
      }
    }
    let place = CellPlace(rows)
    if target.hasPlaces {
      caption.region = place.region
      if rows.contains(where: \.isMoved) {
        tell(timeRange.start, "text beyond the screen's edge, here and later, is moved into it")
      }
      if !place.isExact {
        tell(timeRange.start, "indents of single rows, here and later, become one alignment")
      }
    } else {
      tell(
        timeRange.start,
        "places in cells, here and later, become the regions 'top' and 'bottom'")
      caption.region = place.isInUpperHalf ? .appleITTTop : .appleITTBottom
      caption.textAlignment = place.side
    }
    captions.append(caption)
  }
}

extension Caption {
  /// Whether its region is counted in CEA-608's cells.
  package var isInCells: Bool {
    region?.origin?.x.units == .cells && region?.origin?.y.units == .cells
  }
}
