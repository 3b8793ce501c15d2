// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Disparities of a provider as shares of a range that is settled once for a clip: 0 is far, 1 near.
///
/// A provider's numbers have a scale of its own. Renderer and movies take any, but files of whole numbers hold 0 to 1,
/// and the usual blur scale is meant for that.
public struct EstimatedRange: Hashable, Sendable {
  /// The disparity that becomes 0.
  public var low: Float
  /// The disparity that becomes 1: finite, as the other one, and not equal to it.
  public var high: Float
  /// Whether single values of a photograph lie far beyond all others: shares are then cut to 0 to 1.
  public private(set) var cutsOutliers = false

  /// The parts of a map below and above which values may be outliers.
  private static let outliers = (0.002, 0.998)
  /// How much wider a clip's range is than that of its samples.
  private static let margin: Float = 0.1
  /// Single values of a photograph stay that lie beyond the others by less than this part of their range.
  private static let spared: Float = 0.5
  /// How far around a value others are looked for that are like it.
  private static let reach = 2

  public init(low: Float, high: Float) {
    (self.low, self.high) = (low, high)
  }

  /// The range of some maps of a clip; of a photograph's one map.
  ///
  /// Of a photograph it is that of all disparities, but for single ones that lie far beyond nearly all others.
  ///
  /// - Returns: `nil` if no map holds a disparity. A range of maps that hold a single one has an extent all the same.
  public init?(of maps: [PixelBuffer]) {
    var (low, high) = (Float.infinity, -Float.infinity)
    for map in maps {
      let whole = NormalizedRect(x: 0, y: 0, width: 1, height: 1)
      guard let least = map.disparity(in: whole, share: Self.outliers.0),
        let most = map.disparity(in: whole, share: Self.outliers.1)
      else { continue }
      (low, high) = (min(low, least), max(high, most))
    }
    guard low <= high else { return nil }
    if maps.count > 1 {
      let margin = Self.margin * (high - low) / 2
      (self.low, self.high) = (low - margin, high + margin)
    } else {
      let range = Self.range(of: maps[0], around: low...high)
      (self.low, self.high) = (range.kept.lowerBound, range.kept.upperBound)
      cutsOutliers = range.kept != range.all
    }
    if !hasExtent { (self.low, self.high) = (self.low - 0.5, self.low + 0.5) }
  }

  /// All disparities of a map, and those without single ones far beyond the others. What most of its neighbours are like
  /// is not single, however small: a bird before the sky.
  ///
  /// - Parameter usual: nearly all of them.
  private static func range(
    of map: PixelBuffer, around usual: ClosedRange<Float>
  ) -> (all: ClosedRange<Float>, kept: ClosedRange<Float>) {
    var (least, greatest) = (usual.lowerBound, usual.upperBound)
    var (low, high) = (least, greatest)
    for y in 0..<map.height {
      for x in 0..<map.width {
        guard let value = map.disparity(x: x, y: y), !usual.contains(value) else { continue }
        (least, greatest) = (min(least, value), max(greatest, value))
        guard let middle = middle(of: map, around: x, y) else { continue }
        (low, high) = (min(low, middle), max(high, middle))
      }
    }
    let all = least...greatest
    let slack = spared * (high - low)
    let keptLow = least < low - slack ? low : least
    let keptHigh = greatest > high + slack ? high : greatest
    return (all, keptLow...keptHigh)
  }

  /// The median around a place; `nil` among holes.
  private static func middle(of map: PixelBuffer, around x: Int, _ y: Int) -> Float? {
    let columns = max(0, x - reach)...min(map.width - 1, x + reach)
    let rows = max(0, y - reach)...min(map.height - 1, y + reach)
    var values: [Float] = []
    for row in rows {
      for column in columns {
        if let value = map.disparity(x: column, y: row) { values.append(value) }
      }
    }
    guard 2 * values.count > rows.count * columns.count else { return nil }
    values.sort()
    return values[values.count / 2]
  }

  /// Whether there is more than one disparity between the ends, so that there are shares. The larger end may be either.
  public var hasExtent: Bool {
    let extent = high - low
    return extent.isFinite && (1 / extent).isFinite
  }

  /// Whether maps become shares of it.
  ///
  /// - Throws: `invalidParameter` for a range without extent (``hasExtent``), and one that is not finite.
  public func validate() throws(CinematicError) {
    guard !hasExtent else { return }
    throw CinematicError(
      .invalidParameter, "estimated disparities from \(low) to \(high) have no extent",
      remedy: "give two different finite numbers")
  }

  /// A map as shares of the range; what lies beyond is below 0 or above 1, or cut (``cutsOutliers``).
  ///
  /// - Parameter map: `disparityFloat` or `disparityHalf`.
  /// - Returns: `disparityFloat`.
  /// - Throws: `invalidParameter` for a range without extent, `unsupported` for another format, `outOfMemory`.
  public func shares(of map: PixelBuffer) throws(CinematicError) -> PixelBuffer {
    try validate()
    let (low, scale, isCut) = (low, 1 / (high - low), cutsOutliers)
    let shares = try map.storedAsFloats().cells.map { (value: Float) -> Float in
      let share = (value - low) * scale
      // Holes stay holes.
      guard isCut, abs(value) <= PixelBuffer.largestDisparity else { return share }
      return max(0, min(1, share))
    }
    return try .map(shares, map.dimensions)
  }

  /// A map of shares in the provider's own numbers again.
  ///
  /// - Parameter shares: `disparityFloat` or `disparityHalf`.
  /// - Returns: `disparityFloat`.
  /// - Throws: `unsupported` for another format, `outOfMemory`.
  public func values(of shares: PixelBuffer) throws(CinematicError) -> PixelBuffer {
    let (low, scale) = (low, high - low)
    return try .map(shares.storedAsFloats().cells.map { $0 * scale + low }, shares.dimensions)
  }
}
