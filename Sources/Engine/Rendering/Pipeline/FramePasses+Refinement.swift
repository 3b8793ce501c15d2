// SPDX-License-Identifier: Apache-2.0

import FocalCore
import ShaderTypes

/// What each quality spends on refining the map.
struct RefinementSettings {
  /// How many cells a plateau's disparity reaches into a blurred edge; even.
  var spreads: Int
  /// How often the colour models are fitted and the pixels decided.
  var fits: Int
  /// Passes of the mean over like-coloured neighbours after each decision.
  var smooths: Int
  /// Cells around an edge's whose colours count.
  var radius: Int32
  /// Whether pixels are decided at half the picture's size, where a cell is four pixels or more.
  var halvesDecision: Bool

  init(_ quality: RenderingQuality) {
    switch quality {
    case .thumbnail:
      self.init(spreads: 6, fits: 1, smooths: 0, radius: 1, halvesDecision: true)
    case .preview:
      self.init(spreads: 6, fits: 1, smooths: 0, radius: 1, halvesDecision: true)
    case .export:
      self.init(spreads: 12, fits: 2, smooths: 1, radius: 2, halvesDecision: false)
    case .exportHigh:
      self.init(spreads: 16, fits: 2, smooths: 1, radius: 2, halvesDecision: false)
    }
  }

  private init(spreads: Int, fits: Int, smooths: Int, radius: Int32, halvesDecision: Bool) {
    self.spreads = spreads
    self.fits = fits
    self.smooths = smooths
    self.radius = radius
    self.halvesDecision = halvesDecision
  }
}

/// Brings a map to the picture's size, with edges that follow the picture.
///
/// Each edge of the map gets a front and a back side; colour models of both decide for each pixel
/// near the edge which side's disparity it takes. No pixel takes a mean of the two.
extension FramePasses {
  /// A map in working memory: one float a cell.
  struct Map {
    var buffer: PassList.Buffer
    var size: Dimensions
  }

  /// A map made ready, and what is found of it alone: the same for all windows of the picture.
  struct PreparedMap {
    fileprivate var map: Map
    fileprivate var threshold: Float
    /// The sides of its edges; `nil` where the map passes as it is.
    fileprivate var sides: Sides?
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
    // picture.
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
      map: map, threshold: threshold,
      sides: fits ? nil : findSides(of: map, isSharp: isSharp, threshold: threshold, settings))
  }

  /// The full-resolution map of the rows of `picture`.
  mutating func refine(_ prepared: PreparedMap?, picture: Window, _ blur: Blur) -> Window {
    let rows = picture.rows
    guard let prepared else {
      return Window(buffer: unpackDisparity(blur.disparity, rows: rows).buffer, rows: rows)
    }
    let map = prepared.map
    guard let sides = prepared.sides else {
      return Window(buffer: map.buffer, rows: 0..<size.height)
    }
    let settings = RefinementSettings(blur.quality)
    let halves =
      settings.halvesDecision && 4 * map.size.width <= size.width
      && 4 * map.size.height <= size.height
    let grid = DecisionGrid(map: map.size, picture: size, halves: halves, rows: rows, settings)
    let decision = decide(
      map, sides, grid, picture: picture, threshold: prepared.threshold, settings)

    let result = list.buffer(of: Float.self, count: size.width * rows.count)
    list.add(
      Kernel.ResolveDisparity(
        map: .buffer(map.buffer), front: .buffer(sides.front), back: .buffer(sides.back),
        kind: .buffer(sides.kind), models: .buffer(decision.models),
        decision: .buffer(decision.buffer), result: .buffer(result)),
      FocalResolveDisparityParameters(
        size: grid.refineSize(of: size, rows: rows), decisionWidth: Int32(grid.size.width),
        decisionShift: halves ? 1 : 0, decisionOriginY: Int32(grid.rows.lowerBound)),
      over: Dimensions(width: size.width, height: rows.count))
    return Window(buffer: result, rows: rows)
  }

  /// Rows of the map as floats, holes marked.
  private mutating func unpackDisparity(_ disparity: StoredPicture, rows: Range<Int>) -> Map {
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
  fileprivate struct Sides {
    var front: PassList.Buffer
    var back: PassList.Buffer
    var kind: PassList.Buffer
    var reach: PassList.Buffer
  }

  private mutating func findSides(
    of map: Map, isSharp: Bool, threshold: Float, _ settings: RefinementSettings
  ) -> Sides {
    let cells = map.size.count
    let sides = Sides(
      front: list.buffer(of: Float.self, count: cells),
      back: list.buffer(of: Float.self, count: cells),
      kind: list.buffer(of: UInt8.self, count: cells),
      reach: list.buffer(of: UInt8.self, count: cells))
    let parameters = FocalFindSidesParameters(
      width: Int32(map.size.width), height: Int32(map.size.height), edgeThreshold: threshold)
    let values = PassList.Argument.buffer(map.buffer)
    let kind = PassList.Argument.buffer(sides.kind)
    let found = (
      front: PassList.Argument.buffer(sides.front), back: PassList.Argument.buffer(sides.back)
    )
    if isSharp {
      list.add(
        Kernel.FindSidesSharp(map: values, front: found.front, back: found.back, kind: kind),
        parameters, over: map.size)
    } else {
      let other = (
        front: PassList.Argument.buffer(list.buffer(of: Float.self, count: cells)),
        back: PassList.Argument.buffer(list.buffer(of: Float.self, count: cells))
      )
      list.add(
        Kernel.SeedSides(map: values, front: other.front, back: other.back, kind: kind),
        parameters, over: map.size)
      for _ in 0..<settings.spreads / 2 {
        for (from, to) in [(other, found), (found, other)] {
          list.add(
            Kernel.SpreadSides(
              map: values, frontIn: from.front, backIn: from.back, front: to.front, back: to.back),
            parameters, over: map.size)
        }
      }
      list.add(
        Kernel.FinishSides(
          map: values, frontIn: other.front, backIn: other.back, front: found.front,
          back: found.back, kind: kind),
        parameters, over: map.size)
    }
    list.add(
      Kernel.MarkReach(kind: kind, reach: .buffer(sides.reach)),
      FocalMarkReachParameters(
        width: Int32(map.size.width), height: Int32(map.size.height), radius: settings.radius),
      over: map.size)
    return sides
  }

  /// To which side of its cell's edge each pixel belongs, and the models that decided.
  private struct Decision {
    var buffer: PassList.Buffer
    var models: PassList.Buffer
  }

  private mutating func decide(
    _ map: Map, _ sides: Sides, _ grid: DecisionGrid, picture: Window, threshold: Float,
    _ settings: RefinementSettings
  ) -> Decision {
    let window = Dimensions(width: grid.size.width, height: grid.rows.count)
    let cells = Dimensions(width: map.size.width, height: grid.cells.count)
    let size = grid.refineSize(of: grid.size, rows: grid.rows)
    let records = cells.count * Int(FocalSideCount)
    let guide = makeGuide(sides, grid, picture: picture)
    let sums = list.buffer(of: FocalSideSums.self, count: records)
    let models = list.buffer(of: FocalSideModel.self, count: records)
    var decision = list.buffer(of: Float.self, count: window.count)
    var other = decision
    if settings.smooths > 0 { other = list.buffer(of: Float.self, count: window.count) }
    let values = PassList.Argument.buffer(map.buffer)
    let front = PassList.Argument.buffer(sides.front)
    let back = PassList.Argument.buffer(sides.back)
    let kind = PassList.Argument.buffer(sides.kind)
    for fit in 0..<settings.fits {
      list.add(
        Kernel.SumColours(
          map: values, front: front, back: back, kind: kind, reach: .buffer(sides.reach),
          guide: .buffer(guide), decision: fit > 0 ? .buffer(decision) : .external(.none),
          sums: .buffer(sums)),
        FocalSumColoursParameters(size: size, decided: fit > 0 ? 1 : 0), over: cells)
      list.add(
        Kernel.FitSides(
          map: values, front: front, back: back, kind: kind, sums: .buffer(sums),
          models: .buffer(models)),
        FocalFitSidesParameters(
          width: Int32(map.size.width), height: Int32(map.size.height), radius: settings.radius,
          edgeThreshold: threshold, originY: size.mapOriginY, rows: size.mapRows), over: cells)
      list.add(
        Kernel.DecideSides(
          map: values, front: front, back: back, kind: kind, reach: .buffer(sides.reach),
          guide: .buffer(guide), models: .buffer(models), decision: .buffer(decision)),
        FocalDecideSidesParameters(size: size, colourWeight: 1, mapWeight: 2.5), over: window)
      for _ in 0..<settings.smooths {
        list.add(
          Kernel.SmoothDecision(
            kind: kind, guide: .buffer(guide), source: .buffer(decision), result: .buffer(other)),
          FocalSmoothDecisionParameters(size: size), over: window)
        swap(&decision, &other)
      }
    }
    return Decision(buffer: decision, models: models)
  }

  /// The guide of the grid's rows: from `picture` where it has them, else from pieces of the source.
  private mutating func makeGuide(
    _ sides: Sides, _ grid: DecisionGrid, picture: Window
  ) -> PassList.Buffer {
    let guide = list.buffer(of: UInt32.self, count: grid.size.width * grid.rows.count)
    let height = size.height
    let width = size.width
    let unit = grid.pixels
    func add(_ list: inout PassList, _ rows: Range<Int>, from picture: Window) {
      guard !rows.isEmpty else { return }
      list.add(
        Kernel.MakeGuide(
          source: .buffer(picture.buffer), reach: .buffer(sides.reach), guide: .buffer(guide)),
        FocalMakeGuideParameters(
          size: grid.refineSize(of: grid.size, rows: grid.rows), sourceWidth: Int32(width),
          sourceHeight: Int32(height), halve: unit == 2 ? 1 : 0, firstRow: Int32(rows.lowerBound),
          rows: Int32(rows.count), sourceOriginY: Int32(picture.rows.lowerBound)),
        over: Dimensions(width: grid.size.width, height: rows.count))
    }
    // Two rows at the border of a window may not be those of the whole picture.
    let first = picture.rows.lowerBound == 0 ? 0 : (picture.rows.lowerBound + 2) / unit
    let end =
      picture.rows.upperBound == height
      ? grid.rows.upperBound : (picture.rows.upperBound - 2) / unit
    add(&list, first..<max(end, first), from: picture)
    for outside in [grid.rows.lowerBound..<first, max(end, first)..<grid.rows.upperBound] {
      for rows in FrameCut.pieces(of: outside, step: max(picture.rows.count / unit, 1)) {
        let read = unit * rows.lowerBound..<min(unit * rows.upperBound, height)
        add(&list, rows, from: linear(widened(read, by: 2, unit: 2)))
      }
    }
    return guide
  }
}
