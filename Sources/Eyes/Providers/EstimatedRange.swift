// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Disparities of a provider as shares of a range that is settled once for a clip: 0 is far, 1 near.
///
/// A provider's numbers have a scale of its own. Renderer and movies take any, but files of whole numbers hold 0 to 1,
/// and the usual blur scale is meant for that.
public struct EstimatedRange: Hashable, Sendable {
  /// The disparity that becomes 0.
  public var low: Float
  /// The disparity that becomes 1.
  public var high: Float

  /// The parts of a clip's map below and above which values are outliers.
  private static let outliers = (0.002, 0.998)
  /// How much wider a clip's range is than that of its samples.
  private static let margin: Float = 0.1

  public init(low: Float, high: Float) {
    (self.low, self.high) = (low, high)
  }

  /// The range of some maps of a clip; of a photograph's one map.
  ///
  /// - Returns: `nil` if no map holds a disparity. A range of maps that hold a single one has an extent all the same.
  public init?(of maps: [PixelBuffer]) {
    var (low, high) = (Float.infinity, -Float.infinity)
    let shares = maps.count > 1 ? Self.outliers : (0, 1)
    for map in maps {
      let whole = NormalizedRect(x: 0, y: 0, width: 1, height: 1)
      guard let least = map.disparity(in: whole, share: shares.0),
        let most = map.disparity(in: whole, share: shares.1)
      else { continue }
      (low, high) = (min(low, least), max(high, most))
    }
    guard low <= high else { return nil }
    let margin = maps.count > 1 ? Self.margin * (high - low) / 2 : 0
    (self.low, self.high) = (low - margin, high + margin)
    if self.low == self.high { (self.low, self.high) = (low - 0.5, low + 0.5) }
  }

  /// A map as shares of the range; what lies beyond is below 0 or above 1.
  ///
  /// - Parameter map: `disparityFloat` or `disparityHalf`.
  /// - Returns: `disparityFloat`.
  /// - Throws: `unsupported` for another format, `outOfMemory`.
  public func shares(of map: PixelBuffer) throws(CinematicError) -> PixelBuffer {
    let (low, scale) = (low, 1 / (high - low))
    return try .map(map.storedAsFloats().cells.map { ($0 - low) * scale }, map.dimensions)
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
