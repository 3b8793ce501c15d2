// SPDX-License-Identifier: Apache-2.0

import FocalCore
import ShaderTypes

/// Frames that show how their blur was decided.
///
/// All but marked detail replace the picture: the passes go as far as the matte, then one kernel looks at what
/// there is. Detail is marked over the rendered picture.
extension FramePasses {
  /// Rows beyond those that are shown, for the matte's window.
  private static let showMargin = 8

  /// The passes of a frame that shows `view` in place of its picture.
  mutating func show(_ view: RenderingSession.DebugView, _ blur: Blur, _ tile: Tile?) {
    let prepared = prepareMap(blur)
    let map =
      view == .disparity
      ? unpackDisparity(blur.disparity, rows: 0..<blur.disparity.dimensions.height) : nil
    for rows in strips(of: tile?.rows ?? 0..<size.height) {
      let drawn = drawn(rows)
      let surfaces = makeReady(
        widened(drawn, by: Self.showMargin), of: prepared, lights: nil, keeping: 0..<0, blur)
      let result = list.buffer(of: SIMD4<Float>.self, count: size.width * surfaces.rows.count)
      show(view, surfaces, of: map, on: result, isRendered: false, rows: drawn, blur)
      pack(Window(buffer: result, rows: surfaces.rows), rows: rows)
      list.cut()
    }
  }

  /// Shows rows of a window, or marks them.
  ///
  /// - Parameter isRendered: whether `result` holds the rendered picture.
  mutating func show(
    _ view: RenderingSession.DebugView, _ surfaces: Surfaces, of map: Map?,
    on result: PassList.Buffer, isRendered: Bool, rows: Range<Int>, _ blur: Blur
  ) {
    let slices = Slices(blur)
    let range = blur.map.range ?? 0...1
    let cells = map?.size ?? Dimensions(width: 1, height: 1)
    var parameters = FocalShowParameters()
    parameters.width = Int32(size.width)
    parameters.firstRow = Int32(rows.lowerBound - surfaces.rows.lowerBound)
    parameters.rows = Int32(rows.count)
    parameters.windowRows = Int32(surfaces.rows.count)
    parameters.view = view.kernel
    parameters.marksSource = isRendered ? 0 : 1
    let refinedRows = surfaces.refined?.rows ?? surfaces.rows
    parameters.refinedOriginY = Int32(surfaces.rows.lowerBound - refinedRows.lowerBound)
    parameters.originY = Int32(surfaces.rows.lowerBound)
    parameters.mapWidth = Int32(cells.width)
    parameters.mapHeight = Int32(cells.height)
    parameters.cellsAcross = Float(cells.width) / Float(size.width)
    parameters.cellsDown = Float(cells.height) / Float(size.height)
    parameters.least = range.lowerBound
    parameters.perRange = 1 / max(range.upperBound - range.lowerBound, 1e-12)
    parameters.sharp = sharpRadius
    parameters.perScale = 1 / Float(blur.settings.scale)
    parameters.drawnFrom = slices.groups.split != 0 ? slices.groups.farLow : 0
    parameters.slicing = slices.slicing
    list.add(
      Kernel.Show(
        source: .buffer(surfaces.picture), map: .buffer(map?.buffer ?? surfaces.radius),
        refined: .buffer(surfaces.refined?.buffer ?? surfaces.radius),
        radius: .buffer(surfaces.radius),
        matte: .buffer(surfaces.matte), result: .buffer(result)),
      parameters, over: Dimensions(width: size.width, height: rows.count))
  }

  /// A circle of confusion counts as sharp up to a diameter of 1/1500 of the picture's diagonal, as in tables of
  /// depth of field, and always where it lies within a pixel.
  private var sharpRadius: Float {
    let (width, height) = (Float(size.width), Float(size.height))
    return max((width * width + height * height).squareRoot() / 3000, 0.5)
  }
}
