// SPDX-License-Identifier: Apache-2.0

/// Styles along a text: runs that follow each other and cover it, each at least one byte of UTF-8 long,
/// no two neighbours alike. Ruby of one range never grows together with its neighbour's.
struct StyleRuns: Hashable, Sendable {
  struct Run: Hashable, Sendable {
    /// Where the run ends, in bytes of UTF-8.
    var end: Int
    var style: Caption.Style
  }

  /// Empty for a text in plain style.
  private(set) var runs: [Run] = []
  private let count: Int

  /// - Parameter count: the text's bytes of UTF-8.
  init(count: Int) { self.count = count }

  /// - Parameter styles: of ranges in order, none over another; what is between them is plain.
  init(count: Int, styles: [(range: Range<Int>, style: Caption.Style)]) {
    self.init(count: count)
    var pieces: [Run] = []
    var position = 0
    for (range, style) in styles {
      let range = range.clamped(to: position..<max(position, count))
      guard !range.isEmpty else { continue }
      if range.lowerBound > position { Self.append(range.lowerBound, .plain, to: &pieces) }
      Self.append(range.upperBound, style, to: &pieces)
      position = range.upperBound
    }
    if position < count { Self.append(count, .plain, to: &pieces) }
    take(pieces)
  }

  /// The run that covers a byte.
  func run(at position: Int) -> (range: Range<Int>, style: Caption.Style) {
    var start = 0
    for run in runs {
      if position < run.end { return (start..<run.end, run.style) }
      start = run.end
    }
    return (0..<count, .plain)
  }

  /// Every run from the first to the last.
  var all: [(range: Range<Int>, style: Caption.Style)] {
    guard !runs.isEmpty else { return count > 0 ? [(0..<count, .plain)] : [] }
    var start = 0
    return runs.map { run in
      defer { start = run.end }
      return (start..<run.end, run.style)
    }
  }

  mutating func change(_ range: Range<Int>, _ edit: (inout Caption.Style) -> Void) {
    let range = range.clamped(to: 0..<count)
    guard !range.isEmpty else { return }
    var pieces: [Run] = []
    for (old, style) in all {
      let inside = old.clamped(to: range)
      if inside.isEmpty || !old.overlaps(range) {
        Self.append(old.upperBound, style, to: &pieces)
        continue
      }
      if old.lowerBound < inside.lowerBound { Self.append(inside.lowerBound, style, to: &pieces) }
      var changed = style
      edit(&changed)
      Self.append(inside.upperBound, changed, to: &pieces)
      if inside.upperBound < old.upperBound { Self.append(old.upperBound, style, to: &pieces) }
    }
    take(pieces)
  }

  /// Adds a run, or lets the last one go on.
  private static func append(_ end: Int, _ style: Caption.Style, to pieces: inout [Run]) {
    if let last = pieces.last, last.style == style, style.ruby == nil {
      pieces[pieces.count - 1].end = end
    } else {
      pieces.append(Run(end: end, style: style))
    }
  }

  private mutating func take(_ pieces: [Run]) {
    runs = pieces.count == 1 && pieces[0].style.isPlain ? [] : pieces
  }
}
