// SPDX-License-Identifier: Apache-2.0

import FocalCore
import ShaderTypes

/// The blurred picture, put together again.
extension FramePasses {
  /// Puts rows of the picture together from the focus plate and the views; a window like that of
  /// `surfaces`, of which only `rows` are written: whole tiles.
  mutating func composite(
    _ surfaces: Surfaces, _ rows: Range<Int>, _ layers: Layers, views: PassList.Buffer, _ blur: Blur
  ) -> PassList.Buffer {
    let scale = blur.settings.scale
    let result = list.buffer(of: SIMD4<Float>.self, count: size.width * surfaces.rows.count)
    let across = (size.width + Int(FOCAL_COMPOSITE_WIDTH) - 1) / Int(FOCAL_COMPOSITE_WIDTH)
    let height = Int(FOCAL_COMPOSITE_HEIGHT)
    let first = (rows.lowerBound - surfaces.rows.lowerBound) / height
    let down = (rows.count + height - 1) / height
    let (nearRange, farRange) = (BlurSettings.nearRange, BlurSettings.farRange)
    let parameters = FocalCompositeParameters(
      width: Int32(size.width), height: Int32(surfaces.rows.count),
      layerWidth: Int32(layers.size.width), layerHeight: Int32(layers.rows.count),
      scale: scale, tilesAcross: Int32(across), split: scale > 1 ? 1 : 0,
      focusLow: farRange.lowerBound,
      focusInverseWidth: 1 / (farRange.upperBound - farRange.lowerBound),
      nearLow: nearRange.lowerBound,
      nearInverseWidth: 1 / (nearRange.upperBound - nearRange.lowerBound),
      focus: BlurSettings.focusRange, edge: BlurSettings.edge,
      tableScale: Float(CircleTable.entriesPerPixel), tableCount: Int32(CircleTable.count),
      layerOriginY: Int32(surfaces.rows.lowerBound / Int(scale) - layers.rows.lowerBound),
      firstTile: Int32(first * across), tileCount: Int32(down * across))
    let source = PassList.Argument.buffer(surfaces.picture)
    let radius = PassList.Argument.buffer(surfaces.radius)
    let matte = PassList.Argument.buffer(surfaces.matte)
    let layerPlanes = PassList.Argument.buffer(layers.buffer)
    let flags = PassList.Argument.buffer(surfaces.flags)
    let table = PassList.Argument.external(.memory(blur.tables.circles))
    if blur.fusesTiles {
      list.add(
        Kernel.Composite(
          source: source, radius: radius, matte: matte, layers: layerPlanes, views: .buffer(views),
          table: table, destination: .buffer(result), flags: flags),
        parameters, items: across * down)
    } else {
      let tiles = PassList.Argument.buffer(list.buffer(of: UInt32.self, count: across * down))
      list.add(
        Kernel.ClassifyFocus(
          source: source, radius: radius, matte: matte, layers: layerPlanes, views: .buffer(views),
          table: table, tiles: tiles, flags: flags),
        parameters, items: across * down, grid: Grid(across * Int(FOCAL_FOCUS_GROUP), down))
      list.add(
        Kernel.Compose(
          source: source, radius: radius, matte: matte, layers: layerPlanes, views: .buffer(views),
          table: table, destination: .buffer(result), tiles: tiles),
        parameters, items: across * down, grid: Grid(size.width, down * height))
    }
    return result
  }
}
