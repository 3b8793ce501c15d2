// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalEyes

/// The range of a session's estimated disparities, which is settled while pictures come: renderer and movies get shares
/// of it, 0 to 1, as those of an imported clip.
///
/// The first map with an extent settles it; a black picture is waited through for a second. It holds as long as maps stay
/// within a quarter of it to either side, and then becomes wider, never narrower. Before it is settled nothing is near or
/// far, and all of a map is at one half.
struct LiveRange: Sendable {
  /// The shares that codes of movies stand for: what lies beyond a quarter widens the range before.
  static let codes: ClosedRange<Float> = -0.5...1.5
  /// The share of a map of which no distances are known yet.
  static let middle: Float = 0.5

  /// `nil` as long as no map had an extent.
  private(set) var settled: EstimatedRange?
  /// Whether the caller gave it: it stays.
  private let isGiven: Bool
  /// All that was seen since it was settled, without outliers.
  private var seen: ClosedRange<Float>?
  private var darkSince: Time?
  private var latest: PixelBuffer?

  /// A range is wider than what was seen by this part on either side, as that of a clip is.
  private static let margin: Float = 0.05
  /// Maps may reach beyond by this part.
  private static let slack: Float = 0.25
  /// Disparities that differ by less than this part of their magnitude are one: noise of numbers of 16 bits.
  private static let leastExtent: Float = 1e-3
  /// The parts of a map below and above which values are outliers, as for clips.
  private static let outliers = (0.002, 0.998)
  private static let sampleCount = 4096
  /// A picture whose brightest tenth is darker shows nothing.
  private static let black = 0.05
  private static let patience = 1.0

  init(_ given: EstimatedRange?) {
    settled = given
    isGiven = given != nil
  }

  /// Takes the next map in.
  ///
  /// - Parameters:
  ///   - map: in the provider's own numbers.
  ///   - picture: that it is of.
  /// - Returns: shares of the range; of a picture without any disparity those of the one before.
  /// - Throws: `unsupported` for a map of neither disparity format, `outOfMemory`.
  mutating func shares(
    of map: PixelBuffer, _ picture: PixelBuffer, at time: Time
  ) throws(CinematicError) -> PixelBuffer {
    let map = try map.storedAsFloats()
    let cells = map.cells
    let valid = Self.extent(of: cells)
    if !isGiven, let valid { widen(to: valid, map, picture, time) }
    let shares: PixelBuffer
    if valid == nil, let latest, latest.dimensions == map.dimensions {
      shares = latest
    } else if let settled {
      shares = try settled.shares(of: map)
    } else {
      let values = cells.map { abs($0) <= PixelBuffer.largestDisparity ? Self.middle : .nan }
      shares = try .map(values, map.dimensions)
    }
    latest = shares
    return shares
  }

  private mutating func widen(
    to extent: ClosedRange<Float>, _ map: PixelBuffer, _ picture: PixelBuffer, _ time: Time
  ) {
    if let settled, let seen {
      self.seen = Self.union(seen, extent)
      let slack = Self.slack * (settled.high - settled.low)
      let isInside =
        extent.lowerBound >= settled.low - slack && extent.upperBound <= settled.high + slack
      guard !isInside else { return }
    } else {
      let (low, high) = (extent.lowerBound, extent.upperBound)
      guard high - low > Self.leastExtent * max(abs(low), abs(high)) else { return }
      if let level = SceneMonitor.level(of: picture), level < Self.black {
        let since = darkSince ?? time
        darkSince = since
        guard (time - since).seconds >= Self.patience else { return }
      }
    }
    // Rarely, and then by all of the map.
    let whole = NormalizedRect(x: 0, y: 0, width: 1, height: 1)
    var all = Self.union(seen ?? extent, extent)
    if let low = map.disparity(in: whole, share: Self.outliers.0),
      let high = map.disparity(in: whole, share: Self.outliers.1)
    {
      all = Self.union(seen ?? low...high, low...high)
    }
    seen = all
    let margin = Self.margin * (all.upperBound - all.lowerBound)
    let wider = EstimatedRange(low: all.lowerBound - margin, high: all.upperBound + margin)
    guard wider.hasExtent else { return }
    settled = wider
  }

  private static func union(
    _ a: ClosedRange<Float>, _ b: ClosedRange<Float>
  ) -> ClosedRange<Float> {
    min(a.lowerBound, b.lowerBound)...max(a.upperBound, b.upperBound)
  }

  /// The extent of some of a map's disparities; `nil` if there is none.
  private static func extent(of cells: [Float]) -> ClosedRange<Float>? {
    var values = stride(from: 0, to: cells.count, by: max(1, cells.count / sampleCount)).map {
      cells[$0]
    }.filter { abs($0) <= PixelBuffer.largestDisparity }
    if values.isEmpty { values = cells.filter { abs($0) <= PixelBuffer.largestDisparity } }
    guard !values.isEmpty else { return nil }
    values.sort()
    func value(_ share: Double) -> Float {
      values[min(values.count - 1, Int(share * Double(values.count)))]
    }
    return value(outliers.0)...value(outliers.1)
  }
}

extension EstimatedRange {
  /// A disparity of the provider's as a share.
  func share(of value: Float) -> Float { (value - low) / (high - low) }

  /// A share of this range as one of another range.
  func share(_ share: Float, in other: EstimatedRange) -> Float {
    other.share(of: low + share * (high - low))
  }
}
