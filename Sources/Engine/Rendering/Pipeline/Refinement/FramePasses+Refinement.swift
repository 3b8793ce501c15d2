// SPDX-License-Identifier: Apache-2.0

import FocalCore
import ShaderTypes

/// Brings a map to the picture's size, with edges that follow the picture.
///
/// Each edge of the map gets a front and a back side; the colours of both decide for each pixel
/// near the edge which side's disparity it takes. No pixel takes a mean of the two.
extension FramePasses {
  /// The circles of confusion of the rows of `picture`: signed radii in pixels.
  ///
  /// - Returns: the radii, and the map at the picture's size where it is in memory: where it passes as it is, or
  ///   where the frame shows it.
  mutating func circlesOfConfusion(
    of prepared: PreparedMap?, picture: Window, _ blur: Blur
  ) -> (radius: PassList.Buffer, refined: Window?) {
    let circles = blur.circles.parameters(maximumRadius: blur.settings.maximumRadius)
    let rows = picture.rows
    let refined: Window
    if let prepared, let sides = prepared.sides {
      // The two in one pass, unless the map is to be seen.
      guard frame.view == .refined else {
        return (resolve(prepared.map, sides, as: circles, picture: picture, blur), nil)
      }
      let values = FocalCircles(
        focusDisparity: 0, nearScale: 1, farScale: 1, maximumRadius: .greatestFiniteMagnitude)
      refined = Window(
        buffer: resolve(prepared.map, sides, as: values, picture: picture, blur), rows: rows)
    } else if let map = prepared?.map {
      refined = Window(buffer: map.buffer, rows: 0..<size.height)
    } else {
      refined = Window(buffer: unpackDisparity(blur.disparity, rows: rows).buffer, rows: rows)
    }
    let radius = list.buffer(of: Float.self, count: size.width * rows.count)
    list.add(
      Kernel.CircleOfConfusion(disparity: .buffer(refined.buffer), radius: .buffer(radius)),
      FocalCircleOfConfusionParameters(
        width: Int32(size.width), height: Int32(rows.count), circles: circles,
        originY: Int32(rows.lowerBound - refined.rows.lowerBound)),
      over: Dimensions(width: size.width, height: rows.count))
    return (prepared?.sides == nil ? joinLines(in: radius, of: picture) : radius, refined)
  }

  /// Rows around those whose radii are whole: as far as the ends of a line's gap are looked for, and across it.
  private static let lineMargin = Int(FOCAL_LINE_REACH + FOCAL_LINE_RIM)

  /// Rows of the picture that the circles of confusion of `rows` are made of.
  func rowsOfCircles(for rows: Range<Int>, of prepared: PreparedMap?) -> Range<Int> {
    prepared?.sides == nil ? widened(rows, by: Self.lineMargin) : rows
  }

  /// Radii in which near lines that a map without antialiasing has in dashes are whole.
  private mutating func joinLines(in radius: PassList.Buffer, of picture: Window) -> PassList.Buffer
  {
    let window = Dimensions(width: size.width, height: picture.rows.count)
    let parameters = FocalLinesParameters(
      width: Int32(window.width), height: Int32(window.height), edge: BlurSettings.edge)
    let block = Int(FOCAL_LINE_BLOCK)
    let blocks = Dimensions(
      width: (window.width + block - 1) / block, height: (window.height + block - 1) / block)
    let marks = list.buffer(of: UInt8.self, count: blocks.count)
    list.add(
      Kernel.MarkLines(radius: .buffer(radius), marks: .buffer(marks)), parameters, over: blocks)
    let joined = list.buffer(of: Float.self, count: window.count)
    list.add(
      Kernel.JoinLines(
        source: .buffer(picture.buffer), radius: .buffer(radius), marks: .buffer(marks),
        joined: .buffer(joined)), parameters, over: window)
    return joined
  }

  /// The map of the rows of `picture` at the picture's resolution, as circles of confusion.
  private mutating func resolve(
    _ map: Map, _ sides: Sides, as circles: FocalCircles, picture: Window, _ blur: Blur
  ) -> PassList.Buffer {
    let rows = picture.rows
    let grid = decisionGrid(of: map.size, rows: rows, RefinementSettings(blur.quality))
    let decision = decide(
      map, sides, grid, picture: picture, blur)
    let radius = list.buffer(of: Float.self, count: size.width * rows.count)
    list.add(
      Kernel.ResolveDisparity(
        map: .buffer(map.buffer), front: .buffer(sides.front), back: .buffer(sides.back),
        kind: .buffer(sides.kind), decision: .buffer(decision), radius: .buffer(radius)),
      FocalResolveDisparityParameters(
        size: grid.refineSize(of: size, rows: rows), decisionWidth: Int32(grid.size.width),
        decisionShift: grid.pixels == 2 ? 1 : 0, decisionOriginY: Int32(grid.rows.lowerBound),
        circles: circles),
      over: Dimensions(width: size.width, height: rows.count))
    return radius
  }

  /// The pixels that are decided for rows of the picture.
  func decisionGrid(
    of map: Dimensions, rows: Range<Int>, _ settings: RefinementSettings
  ) -> DecisionGrid {
    let halves =
      settings.halvesDecision && 4 * map.width <= size.width && 4 * map.height <= size.height
    return DecisionGrid(map: map, picture: size, halves: halves, rows: rows, settings)
  }

  /// To which side of its cell's edge each pixel of the grid's rows belongs.
  private mutating func decide(
    _ map: Map, _ sides: Sides, _ grid: DecisionGrid, picture: Window, _ blur: Blur
  ) -> PassList.Buffer {
    let seen = grid.size.width * grid.seenRows.count
    let guide = list.buffer(of: UInt32.self, count: seen)
    let values = list.buffer(of: Float.self, count: seen)
    makeGuide(guide, values, map, sides, grid, picture: picture)
    let decision = list.buffer(of: Float.self, count: grid.size.width * grid.rows.count)
    list.add(
      Kernel.DecideSides(
        map: .buffer(map.buffer), front: .buffer(sides.front), back: .buffer(sides.back),
        kind: .buffer(sides.kind), guide: .buffer(guide), values: .buffer(values),
        decision: .buffer(decision)),
      FocalDecideSidesParameters(
        size: grid.refineSize(of: grid.size, rows: grid.seenRows),
        stepX: Int32(grid.across.step), stepY: Int32(grid.down.step),
        across: Int32(grid.across.count), down: Int32(grid.down.count),
        dense: Int32(grid.dense), farthest: Int32(grid.farthest),
        firstRow: Int32(grid.rows.lowerBound), decidedRows: Int32(grid.rows.count),
        perThreshold: 1 / blur.map.edgeThreshold, ringX: Int32(grid.ring.x),
        ringY: Int32(grid.ring.y),
        circles: blur.circles.parameters(maximumRadius: blur.settings.maximumRadius)),
      over: Dimensions(width: grid.size.width, height: grid.rows.count))
    return decision
  }

  /// The guide of the rows that are seen, and the map: from `picture` where it has them, else from pieces of the
  /// source.
  private mutating func makeGuide(
    _ guide: PassList.Buffer, _ values: PassList.Buffer, _ map: Map, _ sides: Sides,
    _ grid: DecisionGrid, picture: Window
  ) {
    let seen = grid.seenRows
    let height = size.height
    let width = size.width
    let unit = grid.pixels
    func add(_ list: inout PassList, _ rows: Range<Int>, from picture: Window) {
      guard !rows.isEmpty else { return }
      list.add(
        Kernel.MakeGuide(
          source: .buffer(picture.buffer), map: .buffer(map.buffer), reach: .buffer(sides.reach),
          guide: .buffer(guide), values: .buffer(values)),
        FocalMakeGuideParameters(
          size: grid.refineSize(of: grid.size, rows: seen), sourceWidth: Int32(width),
          sourceHeight: Int32(height), halve: unit == 2 ? 1 : 0, firstRow: Int32(rows.lowerBound),
          rows: Int32(rows.count), sourceOriginY: Int32(picture.rows.lowerBound)),
        over: Dimensions(width: grid.size.width, height: rows.count))
    }
    // Two rows at the border of a window may not be those of the whole picture.
    let first = picture.rows.lowerBound == 0 ? 0 : (picture.rows.lowerBound + 2) / unit
    let end =
      picture.rows.upperBound == height
      ? seen.upperBound : (picture.rows.upperBound - 2) / unit
    add(&list, first..<max(end, first), from: picture)
    for outside in [seen.lowerBound..<first, max(end, first)..<seen.upperBound] {
      for rows in FrameCut.pieces(of: outside, step: max(picture.rows.count / unit, 1)) {
        let read = unit * rows.lowerBound..<min(unit * rows.upperBound, height)
        add(&list, rows, from: linear(widened(read, by: 2, unit: 2)))
      }
    }
  }
}
