// SPDX-License-Identifier: Apache-2.0

import ShaderTypes

/// All that the passes of a frame need to know of its map: buffer sizes and the way in which the map
/// is refined.
///
/// A rendering session finds it out if the caller does not hand it over. A caller that knows it, because
/// it made the map or renders one map several times, spares the session the look. Values handed over must
/// be true of the map: else circles beyond the range are too small, and edges are refined in the wrong way.
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

  /// Reads a map on the calling thread.
  ///
  /// - Throws: `unsupported` for a picture that is no disparity map.
  public init(of map: PixelBuffer) throws(CinematicError) {
    guard map.format.isDisparity else {
      throw CinematicError(
        .unsupported, "a picture (\(map.format)) has no disparities",
        remedy: "use a buffer of a disparity format")
    }
    let size = map.dimensions
    let count = Self.pieceCount(size)
    var parameters = FocalMapParameters()
    parameters.width = Int32(size.width)
    parameters.height = Int32(size.height)
    let columns = count / size.height
    var values = [Float](repeating: 0, count: size.count)
    var ranges = [FocalMapRange](repeating: .init(), count: count)
    var edges = [FocalMapEdges](repeating: .init(), count: count)
    values.withUnsafeMutableBytes { values in
      map.withKernelPlanes { planes in
        runKernel(
          focal_unpackDisparity, [planes[0], values.baseAddress], map.kernelParameters(),
          columns: size.width, rows: 0..<size.height)
      }
      ranges.withUnsafeMutableBytes {
        runKernel(
          focal_measureRange, [values.baseAddress, $0.baseAddress], parameters, columns: columns,
          rows: 0..<size.height)
      }
    }
    self.init(ranges: ranges)
    parameters.edgeThreshold = edgeThreshold
    values.withUnsafeMutableBytes { values in
      edges.withUnsafeMutableBytes {
        runKernel(
          focal_measureEdges, [values.baseAddress, $0.baseAddress], parameters, columns: columns,
          rows: 0..<size.height)
      }
    }
    setEdges(edges)
  }

  /// How many pieces a map is measured in.
  package static func pieceCount(_ size: Dimensions) -> Int {
    (size.width + Int(FOCAL_MAP_PIECE) - 1) / Int(FOCAL_MAP_PIECE) * size.height
  }

  /// The result of the kernel `measureRange`; the edges are not known yet.
  package init(ranges: [FocalMapRange]) {
    let least = ranges.reduce(Float.infinity) { min($0, $1.least) }
    let greatest = ranges.reduce(-Float.infinity) { max($0, $1.greatest) }
    self.init(
      range: least <= greatest ? least...greatest : nil,
      hasHoles: ranges.contains { $0.holes > 0 }, hasSharpEdges: true)
  }

  /// Adds what the kernel `measureEdges` found, given ``edgeThreshold``.
  package mutating func setEdges(_ edges: [FocalMapEdges]) {
    var near = 0.0
    var far = 0.0
    for piece in edges {
      near += Double(piece.near)
      far += Double(piece.far)
    }
    hasSharpEdges = far > 0 ? near / far >= Self.sharpestBlur : true
  }

  /// A step of disparity that counts as an edge, as a share of the map's range. In dB with maps of
  /// 320x180 (`focal_blur.h`), half: traced -0.08, sample -0.17; twice: traced -0.03, sample -0.21.
  private static let edgeShare: Float = 0.03
  /// A step of disparity that counts as an edge.
  package var edgeThreshold: Float {
    range.map { max(($0.upperBound - $0.lowerBound) * Self.edgeShare, 1e-20) } ?? 1
  }

  /// Of the squared differences between cells three apart, the share that is there between neighbours
  /// already. Below it edges are blurred: steps give 1/3, thin things more, steps blurred by a Gaussian
  /// of one cell 0.14. Only pairs that span an edge count: slanted surfaces would pass for blurred edges.
  private static let sharpestBlur = 0.24
}
