// SPDX-License-Identifier: Apache-2.0

import ShaderTypes

extension PixelBuffer {
  /// A map whose holes are filled as a rendering fills them: by the means of what lies around them, on the farther side of
  /// edges.
  ///
  /// - Returns: `disparityFloat`; `nil` if there are no holes. Without any disparity all is 0.
  /// - Throws: `unsupported` for a format that is not a disparity, `outOfMemory`.
  package func filledDisparity() throws(CinematicError) -> PixelBuffer? {
    let info = try DisparityMapInfo(of: self)
    guard info.hasHoles else { return nil }
    var levels = [MapLevel(values: try storedAsFloats().cells, size: dimensions)]
    repeat {
      levels.append(levels[levels.count - 1].reduced(spread: info.edgeThreshold))
    } while levels[levels.count - 1].size.count > 1
    var whole = levels.removeLast()
    for level in levels.reversed() { whole = level.filled(from: whole) }
    return try PixelBuffer(
      dimensions: dimensions, format: .disparityFloat, tags: tags, values: whole.values)
  }
}

/// A map at one of the sizes by which holes are filled.
private struct MapLevel {
  var values: [Float]
  var size: Dimensions

  /// At half the size; `spread` keeps sides apart where a cell spans an edge.
  func reduced(spread: Float) -> MapLevel {
    let half = Dimensions(width: (size.width + 1) / 2, height: (size.height + 1) / 2)
    var source = values
    var result = [Float](repeating: 0, count: half.count)
    let parameters = FocalReduceDisparityParameters(
      sourceWidth: Int32(size.width), sourceHeight: Int32(size.height), width: Int32(half.width),
      height: Int32(half.height), spread: spread)
    source.withUnsafeMutableBytes { source in
      result.withUnsafeMutableBytes { result in
        runKernel(
          focal_reduceDisparity, [source.baseAddress, result.baseAddress], parameters,
          columns: half.width, rows: 0..<half.height)
      }
    }
    return MapLevel(values: result, size: half)
  }

  /// - Parameter whole: at half the size, without holes.
  func filled(from whole: MapLevel) -> MapLevel {
    var (map, coarse) = (values, whole.values)
    let parameters = FocalFillDisparityParameters(
      width: Int32(size.width), height: Int32(size.height), coarseWidth: Int32(whole.size.width),
      coarseHeight: Int32(whole.size.height))
    map.withUnsafeMutableBytes { map in
      coarse.withUnsafeMutableBytes { coarse in
        runKernel(
          focal_fillDisparity, [map.baseAddress, coarse.baseAddress], parameters,
          columns: size.width, rows: 0..<size.height)
      }
    }
    return MapLevel(values: map, size: size)
  }
}
