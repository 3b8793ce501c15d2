// SPDX-License-Identifier: Apache-2.0

/// A width and a height in pixels.
public struct Dimensions: Hashable, Sendable, CustomStringConvertible {
  /// Columns.
  public var width: Int
  /// Rows.
  public var height: Int

  /// A size in pixels.
  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  /// `width × height`.
  public var count: Int { width * height }
  /// The same with width and height exchanged.
  public var transposed: Dimensions { Dimensions(width: height, height: width) }

  public var description: String { "\(width)x\(height)" }
}

/// Columns and rows of a picture, origin at the top left.
public struct PixelRect: Hashable, Sendable, CustomStringConvertible {
  public var columns: Range<Int>
  public var rows: Range<Int>

  public init(columns: Range<Int>, rows: Range<Int>) {
    self.columns = columns
    self.rows = rows
  }

  /// - Precondition: `width` and `height` are not negative.
  public init(x: Int, y: Int, width: Int, height: Int) {
    self.init(columns: x..<x + width, rows: y..<y + height)
  }

  /// A picture as a whole.
  public init(_ dimensions: Dimensions) {
    self.init(x: 0, y: 0, width: dimensions.width, height: dimensions.height)
  }

  public var x: Int { columns.lowerBound }
  public var y: Int { rows.lowerBound }
  public var width: Int { columns.count }
  public var height: Int { rows.count }
  public var dimensions: Dimensions { Dimensions(width: width, height: height) }

  public var description: String { "\(width)x\(height) at \(x),\(y)" }

  /// Where it lies once a picture of a size has been turned.
  package func turned(by turn: QuarterTurn, in size: Dimensions) -> PixelRect {
    let mirroredColumns = size.width - columns.upperBound..<size.width - columns.lowerBound
    let mirroredRows = size.height - rows.upperBound..<size.height - rows.lowerBound
    return switch turn {
    case .identity: self
    case .clockwise90: PixelRect(columns: mirroredRows, rows: columns)
    case .clockwise180: PixelRect(columns: mirroredColumns, rows: mirroredRows)
    case .clockwise270: PixelRect(columns: rows, rows: mirroredColumns)
    }
  }

  /// Whether the other one lies in this one.
  public func contains(_ other: PixelRect) -> Bool {
    columns.lowerBound <= other.columns.lowerBound && columns.upperBound >= other.columns.upperBound
      && rows.lowerBound <= other.rows.lowerBound && rows.upperBound >= other.rows.upperBound
  }
}

/// A point of a picture in shares of its width and height: (0, 0) is the top left corner, (1, 1)
/// the bottom right.
public struct NormalizedPoint: Hashable, Sendable {
  /// From the left edge.
  public var x: Double
  /// From the top edge.
  public var y: Double

  /// A point at these shares of the width and the height.
  public init(x: Double, y: Double) {
    self.x = x
    self.y = y
  }

  /// The pixel that covers the point in a picture of `size`, clamped to the picture.
  public func pixel(in size: Dimensions) -> (x: Int, y: Int) {
    func clamp(_ share: Double, _ count: Int) -> Int {
      share.isNaN ? 0 : Int(max(0, min(Double(count - 1), (share * Double(count)).rounded(.down))))
    }
    return (clamp(x, size.width), clamp(y, size.height))
  }
}

/// A rectangle of a picture in shares of its width and height, origin at the top left.
public struct NormalizedRect: Hashable, Sendable {
  /// The left edge.
  public var x: Double
  /// The upper edge.
  public var y: Double
  /// From the left edge to the right one.
  public var width: Double
  /// From the upper edge to the lower one.
  public var height: Double

  /// A rectangle of these shares of the width and the height.
  public init(x: Double, y: Double, width: Double, height: Double) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  /// The horizontal centre.
  public var midX: Double { x + width / 2 }
  /// The vertical centre.
  public var midY: Double { y + height / 2 }
  /// The right edge.
  public var maxX: Double { x + width }
  /// The lower edge.
  public var maxY: Double { y + height }
  /// The centre.
  public var center: NormalizedPoint { NormalizedPoint(x: midX, y: midY) }
  /// Zero for a rectangle with a side that is not positive.
  public var area: Double { width > 0 && height > 0 ? width * height : 0 }

  /// Whether the point lies inside, the left and top edges included.
  public func contains(_ point: NormalizedPoint) -> Bool {
    point.x >= x && point.x < maxX && point.y >= y && point.y < maxY
  }

  /// The common part of two rectangles; of zero area where there is none.
  public func intersection(_ other: NormalizedRect) -> NormalizedRect {
    let left = max(x, other.x)
    let top = max(y, other.y)
    return NormalizedRect(
      x: left, y: top, width: max(0, min(maxX, other.maxX) - left),
      height: max(0, min(maxY, other.maxY) - top))
  }

  /// The pixels of a picture of `size` that the rectangle touches; `nil` where none is.
  public func pixels(in size: Dimensions) -> PixelRect? {
    let part = intersection(NormalizedRect(x: 0, y: 0, width: 1, height: 1))
    guard part.area > 0 else { return nil }
    let (left, top) = NormalizedPoint(x: part.x, y: part.y).pixel(in: size)
    let (right, bottom) = NormalizedPoint(x: part.maxX, y: part.maxY).pixel(in: size)
    return PixelRect(columns: left..<right + 1, rows: top..<bottom + 1)
  }
}

/// A turn by a multiple of 90 degrees, clockwise, from how a picture is stored to how it is shown.
public enum QuarterTurn: Int, Hashable, Sendable, CaseIterable {
  case identity = 0
  case clockwise90 = 90
  case clockwise180 = 180
  case clockwise270 = 270

  /// The turn that undoes this one.
  public var inverse: QuarterTurn {
    switch self {
    case .identity: .identity
    case .clockwise90: .clockwise270
    case .clockwise180: .clockwise180
    case .clockwise270: .clockwise90
    }
  }

  /// This turn and then another one, as one.
  package func followed(by other: QuarterTurn) -> QuarterTurn {
    QuarterTurn(rawValue: (rawValue + other.rawValue) % 360) ?? .identity
  }

  /// The size of the turned picture.
  public func applied(to size: Dimensions) -> Dimensions {
    self == .clockwise90 || self == .clockwise270 ? size.transposed : size
  }

  /// Where a point of the stored picture lies in the shown one.
  public func applied(to point: NormalizedPoint) -> NormalizedPoint {
    switch self {
    case .identity: point
    case .clockwise90: NormalizedPoint(x: 1 - point.y, y: point.x)
    case .clockwise180: NormalizedPoint(x: 1 - point.x, y: 1 - point.y)
    case .clockwise270: NormalizedPoint(x: point.y, y: 1 - point.x)
    }
  }

  /// Where a rectangle of the stored picture lies in the shown one.
  public func applied(to rect: NormalizedRect) -> NormalizedRect {
    // Sides that are worked out from corners are rounded.
    guard self != .identity else { return rect }
    let a = applied(to: NormalizedPoint(x: rect.x, y: rect.y))
    let b = applied(to: NormalizedPoint(x: rect.maxX, y: rect.maxY))
    return NormalizedRect(
      x: min(a.x, b.x), y: min(a.y, b.y), width: abs(a.x - b.x), height: abs(a.y - b.y))
  }

  /// The place in the stored picture of one in the shown picture.
  ///
  /// - Parameters:
  ///   - width: of the stored picture, like `height`.
  package func stored(_ x: Int, _ y: Int, width: Int, height: Int) -> (x: Int, y: Int) {
    switch self {
    case .identity: (x, y)
    case .clockwise90: (y, height - 1 - x)
    case .clockwise180: (width - 1 - x, height - 1 - y)
    case .clockwise270: (width - 1 - y, x)
    }
  }
}
