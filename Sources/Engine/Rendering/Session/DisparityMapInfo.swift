// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// What the passes of a frame depend on of its disparity map: buffer sizes and the way in which the map
/// is refined.
///
/// A session finds it out if the caller does not hand it over. A caller that knows it, because it made
/// the map or renders one map several times, spares the session the look; what is handed over must be
/// true of the map, or circles of confusion are cut off at the range and edges are refined in the wrong
/// way.
public struct DisparityMapInfo: Hashable, Sendable {
  /// The smallest and largest valid disparity; `nil` if the map has none.
  public var range: ClosedRange<Float>?
  /// Whether any disparity is invalid: not finite, or beyond 10⁶ in magnitude.
  public var hasHoles: Bool
  /// Whether the map's edges are steps from one cell to the next, as in a computed map, and not
  /// blurred over several, as in a measured one.
  public var hasSharpEdges: Bool

  public init(range: ClosedRange<Float>?, hasHoles: Bool, hasSharpEdges: Bool) {
    self.range = range
    self.hasHoles = hasHoles
    self.hasSharpEdges = hasSharpEdges
  }

  /// Of a map without a valid disparity.
  static let empty = DisparityMapInfo(range: nil, hasHoles: true, hasSharpEdges: true)

  /// A step of disparity that counts as an edge, as a share of the map's range.
  private static let edgeShare: Float = 0.03
  /// A step of disparity that counts as an edge.
  var edgeThreshold: Float {
    range.map { max(($0.upperBound - $0.lowerBound) * Self.edgeShare, 1e-20) } ?? 1
  }

  /// Reads a map in host memory on the calling thread.
  ///
  /// - Parameter map: of any of ``RenderingSession/disparityPixelFormats``.
  package init(_ map: PixelBuffer) {
    self.init(range: nil, hasHoles: false, hasSharpEdges: true)
    let values = Self.values(of: map)
    var low = Float.infinity
    var high = -Float.infinity
    values.withUnsafeBufferPointer { values in
      for index in 0..<values.count {
        let value = values[index]
        if abs(value) <= PixelBuffer.largestDisparity {
          low = value < low ? value : low
          high = value > high ? value : high
        } else {
          hasHoles = true
        }
      }
    }
    guard low <= high else { return }
    range = low...high
    hasSharpEdges =
      Self.sharpness(
        values, width: map.width, height: map.height, edgeThreshold: edgeThreshold)
      >= Self.sharpestBlur
  }

  /// Below this share of the differences at lag 3 that is there at lag 1 already, edges are blurred:
  /// steps give 1/3, thin things more, steps blurred by a Gaussian of one cell 0.14.
  private static let sharpestBlur: Float = 0.24

  /// The sum of squared differences between neighbours over that between cells three apart, where
  /// the latter span an edge: slanted surfaces would pass for blurred edges.
  private static func sharpness(
    _ values: [Float], width: Int, height: Int, edgeThreshold: Float
  ) -> Float {
    var lag1: Float = 0
    var lag3: Float = 0
    values.withUnsafeBufferPointer { values in
      func add(_ index: Int, _ step: Int) {
        let far = values[index + 3 * step] - values[index]
        // False where a hole makes it NaN or huge.
        guard abs(far) > edgeThreshold, abs(far) <= PixelBuffer.largestDisparity else { return }
        let near = values[index + step] - values[index]
        guard abs(near) <= PixelBuffer.largestDisparity else { return }
        lag1 += near * near
        lag3 += far * far
      }
      for y in 0..<height {
        for x in 0..<max(width - 3, 0) { add(y * width + x, 1) }
      }
      for y in 0..<max(height - 3, 0) {
        for x in 0..<width { add(y * width + x, width) }
      }
    }
    return lag3 > 0 ? lag1 / lag3 : 1
  }

  private static func values(of map: PixelBuffer) -> [Float] {
    let stride = map.planes[0].bytesPerRow
    return map.withUnsafeBytes { bytes in
      [Float](unsafeUninitializedCapacity: map.dimensions.count) { values, count in
        for y in 0..<map.height {
          let row = bytes.baseAddress! + y * stride
          if map.format == .disparityHalf {
            for x in 0..<map.width {
              let bits = row.loadUnaligned(fromByteOffset: 2 * x, as: UInt16.self)
              values[y * map.width + x] = Float(Float16(bitPattern: bits))
            }
          } else {
            for x in 0..<map.width {
              values[y * map.width + x] = row.loadUnaligned(fromByteOffset: 4 * x, as: Float.self)
            }
          }
        }
        count = map.dimensions.count
      }
    }
  }
}
