// SPDX-License-Identifier: Apache-2.0

import FocalCore
import ShaderTypes

/// Small lights out of focus, which leave the picture before its layers are made and are drawn over the
/// result as exact discs.
///
/// The blur of a picture with alpha is two pictures', whose lights would not be the same: they stay in
/// the layers.
extension FramePasses {
  /// The lights in some rows of blocks.
  struct Lights {
    let records: PassList.Buffer
    let reach: PassList.Buffer
    /// The rows of blocks of the picture that the buffers hold.
    let blockRows: Range<Int>
  }

  private static let block = Int(FOCAL_LIGHT_BLOCK)
  /// Rows around those that lights are taken out of: of neighbouring cells, of a block above theirs, and of a
  /// block more for the rows at a window's border that chroma may spoil.
  static let lightsMargin = 7 + 2 * Int(FOCAL_LIGHT_BLOCK)

  /// Whether lights of the frame are drawn apart.
  func drawsLights(_ blur: Blur) -> Bool {
    frame.alpha == nil && frame.rendersPicture
      && blur.largestRadius > FOCAL_LIGHT_LEAST_RADIUS_ALONE
  }

  /// Room for the lights in rows of the picture that begin with a block.
  mutating func lights(in rows: Range<Int>, _ blur: Blur) -> Lights {
    let blockRows = rows.lowerBound / Self.block..<(rows.upperBound + Self.block - 1) / Self.block
    let count = blockRows.count * blocksAcross
    return Lights(
      records: list.buffer(of: FocalSmallLight.self, count: count * blur.settings.lightCells),
      reach: list.buffer(of: Float.self, count: count), blockRows: blockRows)
  }

  private var blocksAcross: Int { (size.width + Self.block - 1) / Self.block }

  /// Takes the lights out of a window of the picture.
  ///
  /// - Parameters:
  ///   - window: begins with a block.
  ///   - lights: where those in `kept`, rows of the picture that begin with a block, are written; `nil` if
  ///     they are known.
  mutating func takeLights(
    of window: Window, radius: PassList.Buffer, into lights: Lights?, keeping kept: Range<Int>,
    _ blur: Blur
  ) {
    let down = (window.rows.count + Self.block - 1) / Self.block
    let grid = Dimensions(width: blocksAcross, height: down)
    let first = window.rows.lowerBound / Self.block
    let room = lights ?? self.lights(in: 0..<1, blur)
    var parameters = FocalLightsParameters()
    parameters.width = Int32(size.width)
    parameters.height = Int32(window.rows.count)
    parameters.blocksAcross = Int32(grid.width)
    parameters.blocksDown = Int32(down)
    parameters.cell = blur.settings.lightCell
    parameters.edge = BlurSettings.edge
    parameters.area = blur.tables.area
    parameters.apothem = blur.tables.apothem
    parameters.rim = blur.tables.rim
    parameters.originY = Int32(window.rows.lowerBound)
    parameters.blockOrigin = Int32(first - room.blockRows.lowerBound)
    if lights != nil {
      parameters.firstKept = Int32(kept.lowerBound / Self.block - first)
      parameters.endKept = Int32((kept.upperBound + Self.block - 1) / Self.block - first)
    }
    let blocks = list.buffer(of: SIMD4<Float>.self, count: grid.count)
    let energies = list.buffer(of: Float.self, count: grid.count * blur.settings.lightCells)
    let found = list.buffer(of: FocalSmallLight.self, count: grid.count * blur.settings.lightCells)
    let rims = list.buffer(of: UInt32.self, count: grid.count * Int(FOCAL_LIGHT_RIM_WORDS))
    list.add(
      Kernel.MeasureLights(
        source: .buffer(window.buffer), radius: .buffer(radius), blocks: .buffer(blocks)),
      parameters, items: down, grid: Grid(size.width, down))
    let groups = Grid(grid.width * Int(FOCAL_GROUP_WIDTH), down)
    list.add(
      Kernel.FindLights(
        source: .buffer(window.buffer), radius: .buffer(radius), blocks: .buffer(blocks),
        found: .buffer(found), energies: .buffer(energies), rims: .buffer(rims)),
      parameters, items: down, grid: groups)
    list.add(
      Kernel.TakeLights(
        radius: .buffer(radius), blocks: .buffer(blocks), found: .buffer(found),
        energies: .buffer(energies), rims: .buffer(rims), picture: .buffer(window.buffer),
        lights: .buffer(room.records), reach: .buffer(room.reach)),
      parameters, items: down, grid: groups)
  }

  /// Adds the discs of lights to rows of the result, whole tiles of it.
  mutating func drawLights(
    _ lights: Lights, onto result: PassList.Buffer, rows: Range<Int>, _ surfaces: Surfaces,
    _ layers: Layers, _ views: Views, _ blur: Blur
  ) {
    let slices = Slices(blur)
    let farRange = BlurSettings.farRange
    let across = (size.width + Int(FOCAL_COMPOSITE_WIDTH) - 1) / Int(FOCAL_COMPOSITE_WIDTH)
    let height = Int(FOCAL_COMPOSITE_HEIGHT)
    let down = (rows.count + height - 1) / height
    var parameters = FocalDrawLightsParameters()
    parameters.width = Int32(size.width)
    parameters.height = Int32(surfaces.rows.count)
    parameters.pictureHeight = Int32(size.height)
    parameters.originY = Int32(surfaces.rows.lowerBound)
    parameters.tilesAcross = Int32(across)
    parameters.firstTile = Int32((rows.lowerBound - surfaces.rows.lowerBound) / height * across)
    parameters.tileCount = Int32(down * across)
    parameters.blocksAcross = Int32(blocksAcross)
    parameters.blocksDown = Int32(lights.blockRows.count)
    parameters.firstBlockRow = Int32(lights.blockRows.lowerBound)
    parameters.cells = Int32(blur.settings.lightCells)
    // A light is as soft as its cell is wide, as far as its disc has room.
    let softness = min(
      Float(blur.settings.lightCell) + 1, FOCAL_LIGHT_SOFTEST * blur.largestRadius)
    parameters.farthest = blur.largestRadius + softness / blur.tables.rim + 1
    parameters.scale = blur.settings.scale
    parameters.layerWidth = Int32(layers.size.width)
    parameters.layerHeight = Int32(layers.size.height)
    parameters.layerOriginY = Int32(layers.rows.lowerBound)
    parameters.layerRows = Int32(layers.rows.count)
    parameters.slicing = slices.slicing
    parameters.groups = slices.groups
    parameters.firstSlice = slices.first
    parameters.lastSlice = slices.last
    parameters.focusLow = farRange.lowerBound
    parameters.focusInverseWidth = 1 / (farRange.upperBound - farRange.lowerBound)
    parameters.focus = BlurSettings.focusRange
    parameters.blades = Int32(blur.tables.bladeCount)
    parameters.apothem = blur.tables.apothem
    parameters.rim = blur.tables.rim
    let opening = blur.tables.opening
    let items = across * down
    let grid = Grid(size.width, down * height)
    let layerPlanes = PassList.Argument.buffer(layers.buffer)
    let floats = PassList.Argument.external(.memory(blur.tables.openingFloats))
    guard opening.isShaped else {
      list.add(
        Kernel.DrawLights(
          lights: .buffer(lights.records), reach: .buffer(lights.reach), layers: layerPlanes,
          blocks: .buffer(views.blocks), radius: .buffer(surfaces.radius),
          matte: .buffer(surfaces.matte), opening: floats, destination: .buffer(result)),
        parameters, items: items, grid: grid)
      return
    }
    parameters.isTable = opening.isTable ? 1 : 0
    parameters.tables = opening.tables
    parameters.places = opening.places
    parameters.widths = opening.widths
    parameters.isProfiled = opening.isProfiled ? 1 : 0
    parameters.squeeze = Float(opening.outline.squeeze)
    let (base, slope) = (opening.base, opening.slope)
    parameters.base = (base[0], base[1], base[2], base[3], base[4], base[5])
    parameters.slope = (slope[0], slope[1], slope[2], slope[3], slope[4], slope[5])
    parameters.barrel = opening.barrel(width: size.width, height: size.height, scale: 1)
    list.add(
      Kernel.DrawShapes(
        lights: .buffer(lights.records), reach: .buffer(lights.reach), layers: layerPlanes,
        blocks: .buffer(views.blocks), radius: .buffer(surfaces.radius),
        matte: .buffer(surfaces.matte), opening: floats, destination: .buffer(result)),
      parameters, items: items, grid: grid)
  }
}
