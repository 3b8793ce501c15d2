// SPDX-License-Identifier: Apache-2.0

import FocalCore
import ShaderTypes

/// Brings a map to the picture's size, with edges that follow the picture.
///
/// Each edge of the map gets a front and a back side; colour models of both decide for each pixel
/// near the edge which side's disparity it takes. No pixel takes a mean of the two.
extension FramePasses {
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

  /// Weights of the log-odds of the colour and of the map in a pixel's decision; the map's are the surer
  /// ones. Colours alone mistake lit windows beside a head for its hair, and change sides as a map flickers.
  ///
  /// In dB with maps of 320x180, preview, export: 1.0 for the colour's has traced -0.11, -0.03, the sample's terrace
  /// at 1280x720 -0.22, -0.08, the bench's small map -0.43, -0.14 and a film of flickering maps -2.1; 0.4 has
  /// traced +0.11, -0.08, the terrace +0.20, +0.02, the small map +0.06, -0.06 and the film +0.7, but leaves more of an outline
  /// behind that a map draws too small, as in photographs.
  private static let colourWeight: Float = 0.6
  private static let mapWeight: Float = 2.5

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
        FocalDecideSidesParameters(
          size: size, colourWeight: Self.colourWeight, mapWeight: Self.mapWeight), over: window)
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
