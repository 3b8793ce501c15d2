// SPDX-License-Identifier: Apache-2.0

import FocalCore
import ShaderTypes

/// Tables that a session's blur reads, in its device's memory.
struct BlurTables: Sendable {
  /// Lens points of the four sets, one after the other.
  let lens: any DeviceMemory
  let lensStarts: [Int]
  let lensCounts: [Int]
  /// The opening's area in units of the radius squared.
  let area: Float
  /// ``CircleTable``.
  let circles: any DeviceMemory

  /// Side of a lens cell of each set, as a share of the radius.
  var cells: [Float] { lensCounts.map { (area / Float($0)).squareRoot() } }

  /// How far a tile's views and the prefilter reach, as a multiple of the radius: the prefilter is a
  /// triangle two cells wide, and the views move by the radius less the prefilter's variance.
  var apron: Float {
    cells.dropFirst().map { cell in
      (max(1 - 2 * cell * cell / 3, 0)).squareRoot() + cell
    }.max() ?? 1
  }

  init(
    settings: BlurSettings, shape: ApertureShape, backend: any DeviceBackend
  ) throws(CinematicError) {
    let sets = settings.lensCounts.map { LensPoints.points(count: $0, shape: shape) }
    let counts = sets.map(\.points.count)
    lensCounts = counts
    lensStarts = counts.indices.map { counts[..<$0].reduce(0, +) }
    area = sets[0].area
    lens = try Self.memory(sets.flatMap(\.points), backend)
    circles = try Self.memory(CircleTable.values, backend)
  }

  private static func memory<Element: BitwiseCopyable>(
    _ values: [Element], _ backend: any DeviceBackend
  ) throws(CinematicError) -> any DeviceMemory {
    let memory = try backend.makeMemory(byteCount: values.count * MemoryLayout<Element>.stride)
    try values.withUnsafeBytes { bytes in
      Result { () throws(CinematicError) in try memory.write(bytes, at: 0) }
    }.get()
    return memory
  }
}

/// The blur: the picture is taken apart into layers, viewed from many points of the lens, and put
/// together again.
///
/// A *matte* tells at every edge how much of a pixel belongs to the nearer surface. The *layers* hold
/// two surfaces a pixel, the nearer and the one it hides, which a pyramid extends under it. *Slices*
/// of like radius are shifted by the lens point times their radius and composed from near to far: the
/// mean over the lens points is what the lens sees, with exact occlusion. What is nearly in focus is
/// drawn at the picture's own resolution.
extension FramePasses {
  private struct Layers {
    var buffer: PassList.Buffer
    var size: Dimensions
  }

  /// How radii become slices, and where the groups end.
  private struct Slices {
    var slicing: FocalSlicing
    var groups: FocalGroups
    /// Slices go from -bound to bound.
    var bound: Int32
    /// Largest radius of the frame in layer pixels.
    var largest: Float
  }

  /// The tiles of the layers: how many each way, and how large.
  private struct Tiles {
    var across: Int32
    var down: Int32
    var width: Int32
    var height: Int32
    var count: Int { Int(across * down) }

    /// An odd number of nearly equal tiles each way, so that a mirrored picture has mirrored tiles.
    init(_ size: Dimensions) {
      func split(_ length: Int32) -> (count: Int32, side: Int32) {
        let count = 2 * (length / (2 * BlurSettings.tileSide)) + 1
        return (count, (length + count - 1) / count)
      }
      (across, width) = split(Int32(size.width))
      (down, height) = split(Int32(size.height))
    }
  }

  /// - Parameters:
  ///   - disparity: the refined map.
  ///   - radiusScale: pixels of radius a unit of disparity.
  ///   - largestRadius: of the frame, in picture pixels.
  mutating func blur(
    _ picture: PassList.Buffer, disparity: PassList.Buffer, size: Dimensions,
    focusDisparity: Float, radiusScale: Float, largestRadius: Float, settings: BlurSettings,
    tables: BlurTables, laneCount: Int
  ) -> PassList.Buffer {
    let scale = settings.scale
    let most = BlurSettings.largestLayerRadius * Float(scale)
    let largest = min(largestRadius, most)

    let radius = list.buffer(of: Float.self, count: size.count)
    list.add(
      .circleOfConfusion, [.buffer(disparity), .buffer(radius)],
      FocalCircleOfConfusionParameters(
        width: Int32(size.width), height: Int32(size.height), focusDisparity: focusDisparity,
        radiusScale: radiusScale, maximumRadius: most, originY: 0), over: size)

    let focus = FocalFocusRange(
      smallest: BlurSettings.smallestRadius, farLimit: -BlurSettings.farRange.upperBound,
      nearLimit: BlurSettings.nearRange.upperBound)
    let flagColumns = (size.width + Int(FOCAL_FLAG_BLOCK) - 1) / Int(FOCAL_FLAG_BLOCK)
    let flags = list.buffer(of: UInt8.self, count: flagColumns * size.height)
    let matte = list.buffer(
      of: Float.self, count: size.count * (1 + FocalMatteRecordFloats))
    list.add(
      .matte, [.buffer(picture), .buffer(radius), .buffer(matte), .buffer(flags)],
      FocalMatteParameters(
        width: Int32(size.width), height: Int32(size.height), focus: focus,
        edge: BlurSettings.edge, trust: BlurSettings.matteTrust,
        impure: BlurSettings.matteImpurity, window: settings.matteWindow), over: size)

    let layers = gatherLayers(
      picture, radius: radius, matte: matte, flags: flags, size: size, scale: scale)
    let edge = BlurSettings.edge / Float(scale)
    extendBacks(of: layers, edge: edge, largest: largest / Float(scale))
    let slices = connectSlices(of: layers, edge: edge, scale: scale, largest: largest)
    let views = viewTiles(
      of: layers, slices, settings: settings, tables: tables, laneCount: laneCount)

    let result = list.buffer(of: SIMD4<Float>.self, count: size.count)
    let across = (size.width + Int(FOCAL_COMPOSITE_WIDTH) - 1) / Int(FOCAL_COMPOSITE_WIDTH)
    let down = (size.height + Int(FOCAL_COMPOSITE_HEIGHT) - 1) / Int(FOCAL_COMPOSITE_HEIGHT)
    let farRange = BlurSettings.farRange
    list.add(
      .composite,
      [
        .buffer(picture), .buffer(radius), .buffer(matte), .buffer(layers.buffer), .buffer(views),
        .external(.memory(tables.circles)), .buffer(result), .buffer(flags),
      ],
      FocalCompositeParameters(
        width: Int32(size.width), height: Int32(size.height),
        layerWidth: Int32(layers.size.width), layerHeight: Int32(layers.size.height),
        scale: scale, tilesAcross: Int32(across), split: scale > 1 ? 1 : 0,
        focusLow: farRange.lowerBound,
        focusInverseWidth: 1 / (farRange.upperBound - farRange.lowerBound), focus: focus,
        tableScale: Float(CircleTable.entriesPerPixel), tableCount: Int32(CircleTable.count),
        layerOriginY: 0, firstTile: 0, tileCount: 0),
      items: across * down)
    return result
  }

  /// Two surfaces a pixel, at the layers' resolution.
  private mutating func gatherLayers(
    _ picture: PassList.Buffer, radius: PassList.Buffer, matte: PassList.Buffer,
    flags: PassList.Buffer, size: Dimensions, scale: Int32
  ) -> Layers {
    let step = Int(scale)
    let layerSize = Dimensions(
      width: (size.width + step - 1) / step, height: (size.height + step - 1) / step)
    let layers = Layers(
      buffer: list.buffer(of: Float.self, count: layerSize.count * FocalLayerPlanes),
      size: layerSize)
    list.add(
      .gatherLayers,
      [
        .buffer(picture), .buffer(radius), .buffer(matte), .buffer(layers.buffer), .buffer(flags),
      ],
      FocalGatherLayersParameters(
        width: Int32(size.width), height: Int32(size.height), layerWidth: Int32(layerSize.width),
        layerHeight: Int32(layerSize.height), scale: scale, edge: BlurSettings.edge,
        layerOriginY: 0, rows: 0),
      over: layerSize)
    return layers
  }

  /// Extends what lies behind each edge under the nearer surface, as far as the lens can see it.
  private mutating func extendBacks(of layers: Layers, edge: Float, largest: Float) {
    var levels: [(buffer: PassList.Buffer, size: Dimensions)] = []
    var size = layers.size
    repeat {
      levels.append(
        (list.buffer(of: Float.self, count: size.count * FocalPyramidPlanes), size))
      size = Dimensions(width: (size.width + 1) / 2, height: (size.height + 1) / 2)
    } while levels.last!.size.width >= 4 || levels.last!.size.height >= 4
      ? 1 << levels.count <= 8 * Int(largest) + 8 && levels.count < 12 : false
    // The lens looks behind an edge as far as the radii differ. A smaller step between the large
    // cells of a coarse level is the slant of one surface, which does not hide itself.
    func parameters(_ level: Int, _ coarse: Dimensions?, last: Bool) -> FocalPyramidParameters {
      let fine = levels[level].size
      return FocalPyramidParameters(
        fineWidth: Int32(fine.width), fineHeight: Int32(fine.height),
        coarseWidth: Int32(coarse?.width ?? 0), coarseHeight: Int32(coarse?.height ?? 0),
        edge: max(edge, BlurSettings.steepestSlant * Float(1 << level)), last: last ? 1 : 0,
        rowShift: 0, firstRow: 0, rows: 0)
    }
    let whole = PassList.Argument.buffer(layers.buffer)
    let nothing = PassList.Argument.external(.none)
    list.add(
      .pyramidBase, [whole, .buffer(levels[0].buffer), nothing],
      parameters(0, nil, last: false), over: layers.size)
    for (index, (fine, coarse)) in zip(levels, levels.dropFirst()).enumerated() {
      list.add(
        .pyramidDown, [nothing, .buffer(fine.buffer), .buffer(coarse.buffer)],
        parameters(index, coarse.size, last: false), over: coarse.size)
    }
    for index in levels.indices.reversed() {
      let coarse = levels[min(index + 1, levels.count - 1)]
      list.add(
        .pyramidUp,
        [index == 0 ? whole : nothing, .buffer(levels[index].buffer), .buffer(coarse.buffer)],
        parameters(index, coarse.size, last: index == levels.count - 1),
        over: levels[index].size)
    }
    list.add(
      .pyramidStore, [whole, .buffer(levels[0].buffer), nothing],
      parameters(0, nil, last: false), over: layers.size)
  }

  /// Marks how far down each surface goes on in the slices below its own.
  private mutating func connectSlices(
    of layers: Layers, edge: Float, scale: Int32, largest: Float
  ) -> Slices {
    let largest = largest / Float(scale)
    let knee = min(BlurSettings.knee, largest)
    let range = knee + 0.5 * (largest - knee)
    let slicing = FocalSlicing(
      density: min(BlurSettings.slicesPerPixel, BlurSettings.mostSlices / max(range, 1e-6)),
      knee: knee)
    list.add(
      .connectSlices, [.buffer(layers.buffer)],
      FocalConnectSlicesParameters(
        width: Int32(layers.size.width), height: Int32(layers.size.height), edge: edge,
        slicing: slicing), over: layers.size)
    let near = BlurSettings.nearRange
    return Slices(
      slicing: slicing,
      groups: FocalGroups(
        split: scale > 1 ? 1 : 0, nearLow: near.lowerBound / Float(scale),
        nearInverseWidth: Float(scale) / (near.upperBound - near.lowerBound),
        farLow: BlurSettings.farthestFocus / Float(scale)),
      bound: Int32((range * slicing.density).rounded(.up)) + 1, largest: largest)
  }

  /// The blurred near and far groups, tile by tile.
  private mutating func viewTiles(
    of layers: Layers, _ slices: Slices, settings: BlurSettings, tables: BlurTables, laneCount: Int
  ) -> PassList.Buffer {
    let size = layers.size
    let tiles = Tiles(size)
    let block = Int(FOCAL_BLOCK)
    let blocksAcross = (size.width + block - 1) / block
    let blocksDown = (size.height + block - 1) / block
    let blocks = list.buffer(of: UInt64.self, count: blocksAcross * blocksDown)
    let tileRecords = list.buffer(of: FocalTile.self, count: tiles.count)
    let radii = BlurSettings.lensRadii
    let classify = FocalClassifyTilesParameters(
      width: Int32(size.width), height: Int32(size.height), tileWidth: tiles.width,
      tileHeight: tiles.height, tilesAcross: tiles.across, tilesDown: tiles.down,
      slicing: slices.slicing, firstSlice: -slices.bound, lastSlice: slices.bound,
      maximumRadius: slices.largest, groups: slices.groups,
      lensSetRadius: (radii[0], radii[1], radii[2], radii[3]), lensSets: Int32(radii.count),
      apron: tables.apron, originY: 0, rows: 0, firstTileRow: 0, tileRows: 0)
    let bindings: [PassList.Argument] = [
      .buffer(layers.buffer), .buffer(tileRecords), .buffer(blocks),
    ]
    list.add(.classifyBlocks, bindings, classify, items: blocksDown)
    list.add(.classifyTiles, bindings, classify, items: tiles.count)

    let lanes = min(laneCount, tiles.count)
    let capacity = tileCapacity(tiles, slices, tables)
    let pool = list.buffer(of: Float.self, count: capacity * lanes)
    let views = list.buffer(of: Float.self, count: size.count * FocalViewPlanes)
    let counts = tables.lensCounts.map { Int32($0) }
    let starts = tables.lensStarts.map { Int32($0) }
    let cells = tables.cells
    list.add(
      .blurTiles,
      [
        .buffer(layers.buffer), .buffer(tileRecords), .buffer(pool),
        .external(.memory(tables.lens)),
        .buffer(views), .buffer(blocks),
      ],
      FocalViewsParameters(
        width: Int32(size.width), height: Int32(size.height), slicing: slices.slicing,
        groups: slices.groups, firstSlice: -slices.bound, firstTile: 0,
        tileCapacity: Int32(capacity), tileCount: Int32(tiles.count), laneCount: Int32(lanes),
        lensCount: (counts[0], counts[1], counts[2], counts[3]),
        lensStart: (starts[0], starts[1], starts[2], starts[3]),
        cell: (cells[0], cells[1], cells[2], cells[3]),
        extraVariance: settings.samplingVariance, originY: 0, rows: 0), items: lanes)
    return views
  }

  /// Floats that the slices of the largest tile that there can be need: the tile with an apron of
  /// the largest radius, in as many slices as the frame has.
  private func tileCapacity(_ tiles: Tiles, _ slices: Slices, _ tables: BlurTables) -> Int {
    var tile = FocalTile()
    // The outermost slice may lie a little beyond the largest radius.
    let size = Float(slices.bound) / slices.slicing.density
    let inner = min(size, slices.slicing.knee)
    let apron = Int32((inner + 2 * (size - inner)) * tables.apron) + 4
    tile.stride = tiles.width + 16 + 2 * apron
    tile.rows = tiles.height + 2 * apron
    tile.slots = min(2 * slices.bound + 1, FOCAL_MAXIMUM_SLOTS)
    let floats = focal_tilePoolFloats(&tile, Int32(tables.lensCounts.max() ?? 1))
    return (floats + 79) / 16 * 16
  }
}
