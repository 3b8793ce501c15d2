// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Captions of CEA-608's screen as other formats have them: rows of one time range as lines of one text,
/// at the top or the bottom; rolling lines one after the other.
struct FreeCaptions {
  private(set) var captions: [Caption] = []
  private(set) var losses: [CaptionIssue] = []

  init(_ source: [Caption]) {
    guard source.contains(where: \.isInCells) else {
      captions = source
      return
    }
    var index = 0
    var toldPlaces = false
    var toldRolling = false
    var toldReveal = false
    while index < source.count {
      let first = source[index]
      guard first.isInCells else {
        captions.append(first)
        index += 1
        continue
      }
      if first.animation != .none, !toldReveal {
        toldReveal = true
        losses.append(
          CaptionIssue(
            time: first.timeRange.start,
            reason: "characters that come one by one, here and later, come at once"))
      }
      if first.region?.scroll == .rollUp {
        if !toldRolling {
          toldRolling = true
          losses.append(
            CaptionIssue(
              time: first.timeRange.start,
              reason: "rolling lines, here and later, are shown one at a time"))
        }
        var start = first.timeRange.start
        if let seen = first.revealTimes.first { start += seen }
        var end = first.timeRange.end
        if let next = source[(index + 1)...].first(where: { $0.region?.scroll == .rollUp }) {
          end = min(end, next.timeRange.start + (next.revealTimes.first ?? .zero))
        }
        add([first], TimeRange(start: start, end: end))
        index += 1
        continue
      }
      var set: [Caption] = []
      while index < source.count, source[index].isInCells,
        source[index].timeRange == first.timeRange, source[index].region?.scroll != .rollUp
      {
        set.append(source[index])
        index += 1
      }
      if !toldPlaces {
        toldPlaces = true
        losses.append(
          CaptionIssue(
            time: first.timeRange.start,
            reason: "places in cells, here and later, become the regions 'top' and 'bottom'"))
      }
      let top = set.filter { $0.cellRow < 7 }
      let bottom = set.filter { $0.cellRow >= 7 }
      if !top.isEmpty { add(top, first.timeRange) }
      if !bottom.isEmpty { add(bottom, first.timeRange) }
    }
  }

  private mutating func add(_ rows: [Caption], _ timeRange: TimeRange) {
    var pieces: [(text: String, style: Caption.Style)] = []
    var last: Int?
    for row in rows.sorted(by: { ($0.cellRow, $0.cellColumn) < ($1.cellRow, $1.cellColumn) }) {
      let trimmed = row.trimmedPieces
      guard !trimmed.isEmpty else { continue }
      if let last { pieces.append((last == row.cellRow ? " " : "\n", .plain)) }
      last = row.cellRow
      pieces += trimmed
    }
    guard !pieces.isEmpty, !timeRange.isEmpty else { return }
    var caption = Caption(pieces: pieces, timeRange: timeRange)
    let isTop = rows.allSatisfy { $0.cellRow < 7 }
    caption.region = isTop ? .appleITTTop : .appleITTBottom
    captions.append(caption)
  }
}

extension Caption {
  /// Whether its region is counted in CEA-608's cells.
  var isInCells: Bool { region?.origin?.x.units == .cells && region?.origin?.y.units == .cells }
  /// The row of a caption in cells; the base row of a rolling one.
  var cellRow: Int {
    guard let y = region?.origin?.y.value, abs(y) < 1000 else { return 0 }
    let depth = region?.scroll == .rollUp ? max(1, min(4, region?.size?.height.value ?? 1)) : 1
    return Int(y) + Int(depth) - 1
  }
  var cellColumn: Int {
    guard let x = region?.origin?.x.value, abs(x) < 1000 else { return 0 }
    return Int(x)
  }

  /// The pieces without white space at both ends, no-break spaces as spaces.
  var trimmedPieces: [(text: String, style: Style)] {
    var pieces = pieces.map { (text: $0.text.replacing("\u{A0}", with: " "), style: $0.style) }
    while let first = pieces.first {
      let text = String(first.text.drop(while: \.isWhitespace))
      pieces[0].text = text
      if !text.isEmpty { break }
      pieces.removeFirst()
    }
    while let last = pieces.last {
      var text = last.text
      while text.last?.isWhitespace == true { text.removeLast() }
      pieces[pieces.count - 1].text = text
      if !text.isEmpty { break }
      pieces.removeLast()
    }
    return pieces
  }
}
