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

  init(count: Int, styles: [(range: Range<Int>, style: Caption.Style)]) {
    self.init(count: count)
    for (range, style) in styles where !style.isPlain { change(range) { $0 = style } }
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
    func append(_ end: Int, _ style: Caption.Style) {
      if let last = pieces.last, last.style == style, style.ruby == nil {
        pieces[pieces.count - 1].end = end
      } else {
        pieces.append(Run(end: end, style: style))
      }
    }
    for (old, style) in all {
      let inside = old.clamped(to: range)
      if inside.isEmpty || !old.overlaps(range) {
        append(old.upperBound, style)
        continue
      }
      if old.lowerBound < inside.lowerBound { append(inside.lowerBound, style) }
      var changed = style
      edit(&changed)
      append(inside.upperBound, changed)
      if inside.upperBound < old.upperBound { append(old.upperBound, style) }
    }
    runs = pieces.count == 1 && pieces[0].style.isPlain ? [] : pieces
  }
}
