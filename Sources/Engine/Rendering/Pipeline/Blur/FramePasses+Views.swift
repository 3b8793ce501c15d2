// SPDX-License-Identifier: Apache-2.0

import FocalCore
import ShaderTypes

/// The layers, cut into slices and viewed through the lens tile by tile.
extension FramePasses {
  /// How radii become slices, and where the groups end.
  struct Slices {
    let slicing: FocalSlicing
    let groups: FocalGroups
    /// The farthest and the nearest slice.
    let first: Int32
    let last: Int32
    /// Largest radius of the frame in layer pixels.
    let largest: Float

    init(_ blur: Blur) {
      let scale = Float(blur.settings.scale)
      largest = blur.largestRadius / scale
      let knee = min(blur.settings.knee, largest)
      func range(_ radius: Float) -> Float { min(radius, knee) + 0.5 * max(radius - knee, 0) }
      let near = range(blur.largestNear / scale)
      let far = range(blur.largestFar / scale)
      let slicing = FocalSlicing(
        density: min(BlurSettings.slicesPerPixel, BlurSettings.mostSlices / max(near + far, 1e-6)),
        knee: knee)
      self.slicing = slicing
      // One beyond the largest radius, which rounding may reach.
      func bound(_ range: Float) -> Int32 { Int32((range * slicing.density).rounded(.up)) + 1 }
      first = -bound(far)
      last = bound(near)
      let fade = BlurSettings.nearRange
      groups = FocalGroups(
        split: scale > 1 ? 1 : 0, nearLow: fade.lowerBound / scale,
        nearInverseWidth: scale / (fade.upperBound - fade.lowerBound),
        farLow: BlurSettings.farthestFocus / scale)
    }

    /// Layer pixels around a tile that it may read.
    func apron(_ blur: Blur) -> Int32 {
      // The outermost slice may lie a little beyond the largest radius.
      let size = Float(max(-first, last)) / slicing.density
      let inner = min(size, slicing.knee)
      return Int32((inner + 2 * (size - inner)) * blur.tables.apron) + 4
    }
  }

  /// The tiles of the layers: how many each way, and how large.
  struct Tiles {
    let across: Int32
    let down: Int32
    let width: Int32
    let height: Int32
    private let size: Dimensions

    /// An odd number of nearly equal tiles each way, so that a mirrored picture has mirrored tiles.
    init(_ size: Dimensions) {
      func split(_ length: Int32) -> (count: Int32, side: Int32) {
        let count = 2 * (length / (2 * BlurSettings.tileSide)) + 1
        return (count, (length + count - 1) / count)
      }
      self.size = size
      (across, width) = split(Int32(size.width))
      (down, height) = split(Int32(size.height))
    }

    /// Where a row of tiles begins, as `classifyTiles` has it.
    private func boundary(_ row: Int) -> Int {
      2 * row < down ? row * Int(height) : size.height - (Int(down) - row) * Int(height)
    }

    /// The rows of tiles that lie under rows of the picture, and the rows of the layers that are
    /// needed to view them.
    ///
    /// - Parameter margin: rows of the picture that its composite reads around its own.
    func rows(
      under picture: Range<Int>, margin: Int, _ slices: Slices, _ blur: Blur
    ) -> (tiles: Range<Int>, layers: Range<Int>) {
      let scale = Int(blur.settings.scale)
      // The views are enlarged linearly, and looked at one row farther.
      let first = max(picture.lowerBound / scale - 1, 0)
      let end = min((picture.upperBound + scale - 1) / scale + 2, size.height)
      let under = (0..<Int(down)).filter { boundary($0 + 1) > first && boundary($0) < end }
      let tiles = under.first!..<under.last! + 1
      let top = boundary(tiles.lowerBound)
      let bottom = boundary(tiles.upperBound)
      // The area that a tile reads, the blocks that its slices are looked for in, and the composite's rows.
      let apron = Int(slices.apron(blur))
      let block = Int(FOCAL_BLOCK)
      let blocks = block * (Int(slices.largest + 2) / block + 2)
      let reach = max(apron, blocks)
      let read = min(top - reach, (picture.lowerBound - margin) / scale - 1)
      let past = max(bottom + reach, (picture.upperBound + margin) / scale + 1)
      let layers = FrameCut.widened(
        max(read, 0)..<min(past, size.height), by: BackPyramid.margin, unit: BackPyramid.unit,
        height: size.height)
      return (tiles, layers)
    }
  }

  /// The blurred groups of a window of the layers, and which slices its blocks have.
  struct Views {
    let planes: PassList.Buffer
    let blocks: PassList.Buffer
  }

  /// Marks how far down each surface goes on in the slices below its own.
  mutating func connectSlices(of layers: Layers, _ slices: Slices, _ blur: Blur) {
    let scale = Float(blur.settings.scale)
    let far = BlurSettings.farRange
    let hasPlate = slices.groups.split != 0
    var parameters = FocalConnectSlicesParameters()
    parameters.width = Int32(layers.window.width)
    parameters.height = Int32(layers.window.height)
    parameters.edge = BlurSettings.edge / scale
    parameters.slicing = slices.slicing
    parameters.focusLow = far.lowerBound / scale
    parameters.focusInverseWidth = hasPlate ? scale / (far.upperBound - far.lowerBound) : 0
    // The smaller sets' circles are not spread.
    parameters.cell = blur.tables.cells[2]
    parameters.cellLimit = BlurSettings.lensRadii[2]
    parameters.wideCell = blur.tables.cells[3]
    list.add(
      Kernel.ConnectSlices(layers: .buffer(layers.buffer)), parameters, over: layers.window)
  }

  /// The blurred near and far groups, tile by tile, in a window like that of the layers; `rows` are
  /// those of the tiles.
  mutating func viewTiles(
    of layers: Layers, _ tiles: Tiles, rows: Range<Int>, _ slices: Slices, _ blur: Blur
  ) -> Views {
    let size = layers.size
    let window = layers.window
    let tables = blur.tables
    let count = rows.count * Int(tiles.across)
    let block = Int(FOCAL_BLOCK)
    let blocksAcross = (window.width + block - 1) / block
    let blocksDown = (window.height + block - 1) / block
    let blocks = list.buffer(of: UInt64.self, count: blocksAcross * blocksDown)
    let tileRecords = list.buffer(of: FocalTile.self, count: count)
    let radii = BlurSettings.lensRadii
    let originY = Int32(layers.rows.lowerBound)
    let classify = FocalClassifyTilesParameters(
      width: Int32(size.width), height: Int32(size.height), tileWidth: tiles.width,
      tileHeight: tiles.height, tilesAcross: tiles.across, tilesDown: tiles.down,
      slicing: slices.slicing, firstSlice: slices.first, lastSlice: slices.last,
      maximumRadius: slices.largest, groups: slices.groups,
      lensSetRadius: (radii[0], radii[1], radii[2], radii[3]), lensSets: Int32(radii.count),
      apron: tables.apron, originY: originY, rows: Int32(window.height),
      firstTileRow: Int32(rows.lowerBound))
    list.add(
      Kernel.ClassifyBlocks(layers: .buffer(layers.buffer), blocks: .buffer(blocks)), classify,
      items: blocksDown, grid: Grid(window.width, blocksDown))
    list.add(
      Kernel.ClassifyTiles(tiles: .buffer(tileRecords), blocks: .buffer(blocks)), classify,
      items: count, grid: Grid(Int(tiles.across) * Int(FOCAL_CLASSIFY_GROUP), rows.count))

    let views = list.buffer(of: Float.self, count: window.count * Int(FocalViewPlanes))
    let counts = tables.lensCounts.map { Int32($0) }
    let starts = tables.lensStarts.map { Int32($0) }
    let cells = tables.cells
    let sliced = SlicedTiles(
      layers: layers.buffer, records: tileRecords, blocks: blocks, views: views,
      lens: .external(.memory(tables.lens)), count: count,
      sliceCount: slices.last - slices.first + 1, largest: largestTile(tiles, slices, blur),
      parameters: FocalViewsParameters(
        width: Int32(size.width), height: Int32(size.height), slicing: slices.slicing,
        groups: slices.groups, firstSlice: slices.first, firstTile: 0, tileCapacity: 0,
        tileCount: 0, tilesAtOnce: 0,
        lensCount: (counts[0], counts[1], counts[2], counts[3]),
        lensStart: (starts[0], starts[1], starts[2], starts[3]),
        cell: (cells[0], cells[1], cells[2], cells[3]),
        extraVariance: blur.settings.samplingVariance, narrowX: tables.opening.narrowness.x,
        narrowY: tables.opening.narrowness.y, isWeighted: tables.opening.isWeighted ? 1 : 0,
        isColoured: tables.opening.isColoured ? 1 : 0, weightStart: Int32(tables.weightStart),
        barrel: tables.opening.barrel(
          width: self.size.width, height: self.size.height, scale: blur.settings.scale),
        originY: originY,
        rows: Int32(window.height), cellsAcross: 0, cellsDown: 0, twinCapacity: 0, twinSlots: 0,
        boxes: 0, isFromPool: 0))
    if blur.fusesTiles {
      blurTiles(sliced, blur)
    } else {
      blurBatches(sliced, blur)
    }
    return Views(planes: views, blocks: blocks)
  }

  /// The largest tile that there can be: with an apron of the largest radius, in as many slices as
  /// the frame has.
  private func largestTile(_ tiles: Tiles, _ slices: Slices, _ blur: Blur) -> FocalTile {
    var tile = FocalTile()
    let apron = slices.apron(blur)
    tile.width = tiles.width
    tile.height = tiles.height
    tile.stride = tiles.width + Int32(FOCAL_VIEW_LANES) + 2 * apron
    tile.rows = tiles.height + 2 * apron
    tile.slots = min(slices.last - slices.first + 1, FOCAL_MAXIMUM_SLOTS)
    return tile
  }
}
