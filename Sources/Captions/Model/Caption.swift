// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// A caption: text, when it is seen, where, and in which styles.
///
/// The counterpart of `AVCaption` and `AVMutableCaption`. A caption on two rows of a CEA-608 screen is
/// two captions of one time range, each in a region one cell high; other formats have line breaks.
public struct Caption: Hashable, Sendable {
  /// Where lines begin within the region.
  public enum TextAlignment: Int, Hashable, Sendable, CaseIterable {
    case start = 0
    case end = 1
    case center = 2
    case left = 3
    case right = 4
  }

  /// How the text comes.
  public enum Animation: Int, Hashable, Sendable {
    /// At once.
    case none = 0
    /// Character by character.
    case characterReveal = 1
  }

  /// The characters. A new text is in plain style.
  public var text: String {
    didSet {
      runs = StyleRuns(count: text.utf8.count)
      revealTimes = []
    }
  }
  /// When it is seen.
  public var timeRange: TimeRange
  /// Where; `nil` leaves it to the screen.
  public var region: CaptionRegion?
  /// `nil` leaves it to the region.
  public var textAlignment: TextAlignment?
  public var animation: Animation = .none
  /// For ``Animation-swift.enum/characterReveal``: how long after the caption's start each character is
  /// there, one time a `Character` of the text, never falling. Empty for the pace of CEA-608, two
  /// characters a frame.
  public var revealTimes: [Time] = []

  /// A name within its file, which WebVTT and TTML have; `nil` for none.
  public var identifier: String?
  /// Remarks that stand before it in a WebVTT file and are not seen.
  public var comments: [String] = []

  private var runs: StyleRuns

  public init(_ text: String, timeRange: TimeRange) {
    self.text = text
    self.timeRange = timeRange
    runs = StyleRuns(count: text.utf8.count)
  }

  /// Text with its styles.
  ///
  /// - Parameter pieces: the text's parts in order; styles of neighbours that are alike grow together,
  ///   unless they have ruby.
  public init(pieces: [(text: String, style: Style)], timeRange: TimeRange) {
    var text = ""
    var styles: [(range: Range<Int>, style: Style)] = []
    var start = 0
    for piece in pieces {
      text += piece.text
      let end = start + piece.text.utf8.count
      styles.append((start..<end, piece.style))
      start = end
    }
    self.text = text
    self.timeRange = timeRange
    runs = StyleRuns(count: start, styles: styles)
  }

  /// Where lines begin: as the caption says, or its region; else in a region with a size at their start (TTML1, 8.2.18),
  /// and without one in the middle.
  package var shownAlignment: TextAlignment {
    textAlignment ?? region?.textAlignment ?? (region?.size == nil ? .center : .start)
  }

  /// The end of the caption's time range.
  public var end: Time { timeRange.end }

  /// The text in stretches of one style each; none for an empty text.
  public var styledRanges: [StyledRange] {
    runs.all.map { StyledRange(range: indices($0.range), style: $0.style) }
  }

  /// The text's parts in one style each.
  public var pieces: [(text: String, style: Style)] {
    styledRanges.map { (String(text[$0.range]), $0.style) }
  }

  /// The style at a place, and the range that has it.
  public func style(at index: String.Index) -> StyledRange {
    let run = runs.run(at: offset(index))
    return StyledRange(range: indices(run.range), style: run.style)
  }

  /// Changes the styles within a range; parts of it beyond the text are left out.
  public mutating func changeStyle(in range: Range<String.Index>, _ edit: (inout Style) -> Void) {
    let (start, end) = (offset(range.lowerBound), offset(range.upperBound))
    runs.change(min(start, end)..<max(start, end), edit)
  }

  private func offset(_ index: String.Index) -> Int {
    text.utf8.distance(
      from: text.startIndex, to: Swift.min(Swift.max(index, text.startIndex), text.endIndex))
  }

  private func indices(_ range: Range<Int>) -> Range<String.Index> {
    let start = text.utf8.index(text.startIndex, offsetBy: range.lowerBound)
    return start..<text.utf8.index(start, offsetBy: range.count)
  }
}

// MARK: - One property at a time, as Apple's caption has them

extension Caption {
  /// A property of the style at a place, and the whole range around it in which it is the same.
  public func value<Value: Equatable>(
    _ property: KeyPath<Style, Value>, at index: String.Index
  ) -> (value: Value, range: Range<String.Index>) {
    let ranges = styledRanges
    guard
      var first = ranges.firstIndex(where: { index < $0.range.upperBound }) ?? ranges.indices.last
    else { return (Style.plain[keyPath: property], text.startIndex..<text.endIndex) }
    var last = first
    let value = ranges[first].style[keyPath: property]
    while first > 0, ranges[first - 1].style[keyPath: property] == value { first -= 1 }
    while last + 1 < ranges.count, ranges[last + 1].style[keyPath: property] == value { last += 1 }
    return (value, ranges[first].range.lowerBound..<ranges[last].range.upperBound)
  }

  public func fontWeight(at index: String.Index) -> (FontWeight?, Range<String.Index>) {
    value(\.fontWeight, at: index)
  }
  public func fontStyle(at index: String.Index) -> (FontStyle?, Range<String.Index>) {
    value(\.fontStyle, at: index)
  }
  public func decoration(at index: String.Index) -> (Decoration?, Range<String.Index>) {
    value(\.decoration, at: index)
  }
  public func textColor(at index: String.Index) -> (Color?, Range<String.Index>) {
    value(\.textColor, at: index)
  }
  public func backgroundColor(at index: String.Index) -> (Color?, Range<String.Index>) {
    value(\.backgroundColor, at: index)
  }
  public func textCombine(at index: String.Index) -> (TextCombine?, Range<String.Index>) {
    value(\.textCombine, at: index)
  }
  public func ruby(at index: String.Index) -> (Ruby?, Range<String.Index>) {
    value(\.ruby, at: index)
  }

  /// Sets a property in a range; `nil` removes it.
  public mutating func setFontWeight(_ weight: FontWeight?, in range: Range<String.Index>) {
    changeStyle(in: range) { $0.fontWeight = weight }
  }
  public mutating func setFontStyle(_ style: FontStyle?, in range: Range<String.Index>) {
    changeStyle(in: range) { $0.fontStyle = style }
  }
  public mutating func setDecoration(_ decoration: Decoration?, in range: Range<String.Index>) {
    changeStyle(in: range) { $0.decoration = decoration }
  }
  public mutating func setTextColor(_ color: Color?, in range: Range<String.Index>) {
    changeStyle(in: range) { $0.textColor = color }
  }
  public mutating func setBackgroundColor(_ color: Color?, in range: Range<String.Index>) {
    changeStyle(in: range) { $0.backgroundColor = color }
  }
  public mutating func setTextCombine(_ combine: TextCombine?, in range: Range<String.Index>) {
    changeStyle(in: range) { $0.textCombine = combine }
  }
  public mutating func setRuby(_ ruby: Ruby?, in range: Range<String.Index>) {
    changeStyle(in: range) { $0.ruby = ruby }
  }
}
