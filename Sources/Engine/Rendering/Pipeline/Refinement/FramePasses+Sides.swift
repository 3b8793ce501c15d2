// SPDX-License-Identifier: Apache-2.0

import FocalCore
import ShaderTypes

/// The part that is found of a map alone, before any picture: it is filled, brought to a size that fits the
/// picture, and each of its edges gets a front and a back side.
extension FramePasses {
  /// A map in working memory: one float a cell.
  struct Map {
    var buffer: PassList.Buffer
    var size: Dimensions
  }

  /// A map made ready, and what is found of it alone: the same for all windows of the picture.
  struct PreparedMap {
    var map: Map
    /// The sides of its edges; `nil` where the map passes as it is.
    var sides: Sides?
  }

  /// The map, filled and of a size that fits the picture; `nil` where each window can read its own
  /// rows of it.
  mutating func prepareMap(_ blur: Blur) -> PreparedMap? {
    let analysis = blur.map
    let isSharp = analysis.hasSharpEdges
    let passes = isSharp && blur.disparity.dimensions == size
    if passes, !analysis.hasHoles { return nil }
    var map = unpackDisparity(blur.disparity, rows: 0..<blur.disparity.dimensions.height)
    let threshold = analysis.edgeThreshold
    if analysis.hasHoles { fillHoles(of: map, spread: threshold) }
    // A blurred map holds no detail below a few of its cells; a sharp one only needs to fit into the
    // picture. Above a fifth of the picture's size instead of two fifths: sample -0.89 dB (focal_blur.h).
    while map.size.width > 8, map.size.height > 8,
      map.size.width > size.width || map.size.height > size.height
        || (!isSharp
          && (map.size.width > size.width * 2 / 5 || map.size.height > size.height * 2 / 5))
    {
      map = reduce(map, spread: isSharp ? threshold : FOCAL_NO_LABEL)
    }
    let settings = RefinementSettings(blur.quality)
    let fits = isSharp && map.size == size
    return PreparedMap(
      map: map,
      sides: fits ? nil : findSides(of: map, isSharp: isSharp, threshold: threshold, settings))
  }

  /// Rows of the map as floats, holes marked.
  mutating func unpackDisparity(_ disparity: StoredPicture, rows: Range<Int>) -> Map {
    let window = disparity.window(rows)
    let size = Dimensions(width: disparity.dimensions.width, height: rows.count)
    let map = Map(buffer: list.buffer(of: Float.self, count: size.count), size: size)
    list.add(
      Kernel.UnpackDisparity(words: .external(window.planes[0]), map: .buffer(map.buffer)),
      window.parameters, over: size)
    return map
  }

  /// The map at half its size; `spread` keeps sides apart where a cell spans an edge.
  private mutating func reduce(_ map: Map, spread: Float) -> Map {
    let size = Dimensions(width: (map.size.width + 1) / 2, height: (map.size.height + 1) / 2)
    let half = Map(buffer: list.buffer(of: Float.self, count: size.count), size: size)
    list.add(
      Kernel.ReduceDisparity(source: .buffer(map.buffer), result: .buffer(half.buffer)),
      FocalReduceDisparityParameters(
        sourceWidth: Int32(map.size.width), sourceHeight: Int32(map.size.height),
        width: Int32(size.width), height: Int32(size.height), spread: spread),
      over: size)
    return half
  }

  /// Fills holes in place: means down to one cell, then back up.
  private mutating func fillHoles(of map: Map, spread: Float) {
    var levels = [map]
    while let last = levels.last, last.size.count > 1 {
      levels.append(reduce(last, spread: spread))
    }
    if levels.count == 1 { levels.append(reduce(map, spread: spread)) }
    for (fine, coarse) in zip(levels, levels.dropFirst()).reversed() {
      list.add(
        Kernel.FillDisparity(map: .buffer(fine.buffer), coarse: .buffer(coarse.buffer)),
        FocalFillDisparityParameters(
          width: Int32(fine.size.width), height: Int32(fine.size.height),
          coarseWidth: Int32(coarse.size.width), coarseHeight: Int32(coarse.size.height)),
        over: fine.size)
    }
  }

  /// The nearer and the farther disparity of every cell, and whether it lies at an edge.
  struct Sides {
    var front: PassList.Buffer
    var back: PassList.Buffer
    var kind: PassList.Buffer
    var reach: PassList.Buffer
  }

  private mutating func findSides(
    of map: Map, isSharp: Bool, threshold: Float, _ settings: RefinementSettings
  ) -> Sides {
    let cells = map.size.count
    func labels() -> (front: PassList.Buffer, back: PassList.Buffer) {
      (list.buffer(of: Float.self, count: cells), list.buffer(of: Float.self, count: cells))
    }
    var found = labels()
    let kind = list.buffer(of: UInt8.self, count: cells)
    let reach = list.buffer(of: UInt8.self, count: cells)
    let parameters = FocalFindSidesParameters(
      width: Int32(map.size.width), height: Int32(map.size.height), edgeThreshold: threshold)
    let values = PassList.Argument.buffer(map.buffer)
    if isSharp {
      list.add(
        Kernel.FindSidesSharp(
          map: values, front: .buffer(found.front), back: .buffer(found.back), kind: .buffer(kind)),
        parameters, over: map.size)
    } else {
      var other = labels()
      list.add(
        Kernel.SeedSides(
          map: values, front: .buffer(found.front), back: .buffer(found.back), kind: .buffer(kind)),
        parameters, over: map.size)
      for _ in 0..<settings.spreads {
        list.add(
          Kernel.SpreadSides(
            map: values, frontIn: .buffer(found.front), backIn: .buffer(found.back),
            front: .buffer(other.front), back: .buffer(other.back)),
          parameters, over: map.size)
        swap(&found, &other)
      }
      list.add(
        Kernel.FinishSides(
          map: values, frontIn: .buffer(found.front), backIn: .buffer(found.back),
          front: .buffer(other.front), back: .buffer(other.back), kind: .buffer(kind)),
        parameters, over: map.size)
      found = other
    }
    let grid = decisionGrid(of: map.size, rows: 0..<size.height, settings)
    list.add(
      Kernel.MarkReach(kind: .buffer(kind), reach: .buffer(reach)),
      FocalMarkReachParameters(
        width: Int32(map.size.width), height: Int32(map.size.height), radius: Int32(grid.cells)),
      over: map.size)
    return Sides(front: found.front, back: found.back, kind: kind, reach: reach)
  }
}
