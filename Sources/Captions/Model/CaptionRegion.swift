// SPDX-License-Identifier: Apache-2.0

/// A length in a caption's screen.
public struct CaptionDimension: Hashable, Sendable {
  public enum Units: Int, Hashable, Sendable {
    case unspecified = 0
    /// Columns or rows of CEA-608's grid, 32 by 15.
    case cells = 1
    /// Hundredths of the screen.
    case percent = 2
  }

  public var value: Double
  public var units: Units

  public init(value: Double, units: Units) {
    self.value = value
    self.units = units
  }

  public static func cells(_ value: Int) -> CaptionDimension {
    CaptionDimension(value: Double(value), units: .cells)
  }
  public static func percent(_ value: Double) -> CaptionDimension {
    CaptionDimension(value: value, units: .percent)
  }
}

/// A place of the screen, from its top left corner.
public struct CaptionPoint: Hashable, Sendable {
  public var x: CaptionDimension
  public var y: CaptionDimension

  public init(x: CaptionDimension, y: CaptionDimension) {
    self.x = x
    self.y = y
  }

  /// A cell of CEA-608's grid, both counted from 0.
  public static func cell(column: Int, row: Int) -> CaptionPoint {
    CaptionPoint(x: .cells(column), y: .cells(row))
  }
  public static func percent(_ x: Double, _ y: Double) -> CaptionPoint {
    CaptionPoint(x: .percent(x), y: .percent(y))
  }
}

/// How wide and high a caption's region is, in parts of the screen.
public struct CaptionSize: Hashable, Sendable {
  public var width: CaptionDimension
  public var height: CaptionDimension

  public init(width: CaptionDimension, height: CaptionDimension) {
    self.width = width
    self.height = height
  }

  public static func cells(_ width: Int, _ height: Int) -> CaptionSize {
    CaptionSize(width: .cells(width), height: .cells(height))
  }
  public static func percent(_ width: Double, _ height: Double) -> CaptionSize {
    CaptionSize(width: .percent(width), height: .percent(height))
  }
}

/// A rectangle of the screen that captions are set in.
///
/// Two regions with identifiers are equal when the identifiers are. A region without one equals another
/// without one of the same place and size. See ``isIdentical(to:)`` for every property.
public struct CaptionRegion: Hashable, Sendable {
  /// Whether new lines push older ones up.
  public enum Scroll: Int, Hashable, Sendable {
    case none = 0
    case rollUp = 1
  }

  /// Where the lines of a text stand within the region, across them.
  public enum DisplayAlignment: Int, Hashable, Sendable {
    case before = 0
    case center = 1
    case after = 2
  }

  public enum WritingMode: Int, Hashable, Sendable {
    case leftToRightAndTopToBottom = 0
    case topToBottomAndRightToLeft = 2
  }

  public var identifier: String?
  /// `nil` leaves it to the screen.
  public var origin: CaptionPoint?
  /// `nil` leaves it to the screen.
  public var size: CaptionSize?
  public var scroll: Scroll
  public var displayAlignment: DisplayAlignment
  public var writingMode: WritingMode
  /// For captions in the region that have none of their own.
  public var textAlignment: Caption.TextAlignment?
  /// WebVTT's number of the line that the place was read from, as it stood there (`10`, `-2,end`). It adds nothing to the
  /// place, and counts only where that is still the number's.
  var lineNumber: String?

  public init(
    identifier: String? = nil, origin: CaptionPoint? = nil, size: CaptionSize? = nil,
    scroll: Scroll = .none, displayAlignment: DisplayAlignment = .before,
    writingMode: WritingMode = .leftToRightAndTopToBottom,
    textAlignment: Caption.TextAlignment? = nil
  ) {
    self.identifier = identifier
    self.origin = origin
    self.size = size
    self.scroll = scroll
    self.displayAlignment = displayAlignment
    self.writingMode = writingMode
    self.textAlignment = textAlignment
  }

  public static func == (a: CaptionRegion, b: CaptionRegion) -> Bool {
    if a.identifier != nil || b.identifier != nil { return a.identifier == b.identifier }
    return a.origin == b.origin && a.size == b.size
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(identifier)
    guard identifier == nil else { return }
    hasher.combine(origin)
    hasher.combine(size)
  }

  /// Every property, to look regions up by: equality of regions themselves goes by their names.
  struct Properties: Hashable {
    var identifier: String?
    var origin: CaptionPoint?
    var size: CaptionSize?
    var scroll: Scroll
    var displayAlignment: DisplayAlignment
    var writingMode: WritingMode
    var textAlignment: Caption.TextAlignment?
  }

  var properties: Properties {
    Properties(
      identifier: identifier, origin: origin, size: size, scroll: scroll,
      displayAlignment: displayAlignment, writingMode: writingMode, textAlignment: textAlignment)
  }

  /// Whether every property is the same.
  public func isIdentical(to other: CaptionRegion) -> Bool { properties == other.properties }

  /// Whether captions of both stand in one region: every property is the same, or neither has one.
  package static func areIdentical(_ a: CaptionRegion?, _ b: CaptionRegion?) -> Bool {
    guard let a, let b else { return a == nil && b == nil }
    return a.isIdentical(to: b)
  }

  /// Whether text stands in the same place, whatever the name.
  func hasPlace(of other: CaptionRegion) -> Bool {
    origin == other.origin && size == other.size && displayAlignment == other.displayAlignment
      && writingMode == other.writingMode
  }

  // MARK: Predefined regions

  /// iTT's region along the top.
  public static let appleITTTop = CaptionRegion(
    identifier: "top", origin: .percent(0, 0), size: .percent(100, 15),
    displayAlignment: .before, textAlignment: .center)
  /// iTT's region along the bottom.
  public static let appleITTBottom = CaptionRegion(
    identifier: "bottom", origin: .percent(0, 85), size: .percent(100, 15),
    displayAlignment: .after, textAlignment: .center)
  /// iTT's region of columns at the left.
  public static let appleITTLeft = CaptionRegion(
    identifier: "left", origin: .percent(0, 0), size: .percent(15, 100),
    displayAlignment: .after, writingMode: .topToBottomAndRightToLeft)
  /// iTT's region of columns at the right.
  public static let appleITTRight = CaptionRegion(
    identifier: "right", origin: .percent(85, 0), size: .percent(15, 100),
    displayAlignment: .before, writingMode: .topToBottomAndRightToLeft)
  /// Where players show SubRip's text.
  public static let subRipTextBottom = CaptionRegion(
    identifier: "subRipTextBottom", origin: .percent(0, 85), size: .percent(100, 15),
    displayAlignment: .after, textAlignment: .center)
}
