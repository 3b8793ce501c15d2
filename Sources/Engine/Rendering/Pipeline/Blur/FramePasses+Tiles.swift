// SPDX-License-Identifier: Apache-2.0

import FocalCore
import ShaderTypes

/// The tiles of the layers, blurred: by a processor one after the other from end to end while they
/// are in its cache, by a graphics device pass by pass over as many as its memory may hold.
extension FramePasses {
  /// Tiles whose slices are known.
  struct SlicedTiles {
    let layers: PassList.Buffer
    let records: PassList.Buffer
    let blocks: PassList.Buffer
    /// The planes that are made of them.
    let views: PassList.Buffer
    let lens: PassList.Argument
    let count: Int
    /// Slices of the frame.
    let sliceCount: Int32
    /// The largest tile that there can be.
    let largest: FocalTile
    /// Without what depends on how the tiles are worked on.
    var parameters: FocalViewsParameters
  }

  /// As many items as tiles are in work at once; each takes its share of the tiles, one after the other,
  /// and owns a part of the pool.
  mutating func blurTiles(_ tiles: SlicedTiles, _ blur: Blur) {
    var largest = tiles.largest
    let floats = focal_tilePoolFloats(&largest, Int32(blur.tables.lensCounts.max() ?? 1))
    let capacity = (floats + 79) / 16 * 16
    let fitting = frame.largestBindingByteCount / (capacity * MemoryLayout<Float>.stride)
    let atOnce = max(min(cut.tilesAtOnce, tiles.count, fitting), 1)
    let pool = list.buffer(of: Float.self, count: capacity * atOnce)
    var parameters = tiles.parameters
    parameters.tileCapacity = Int32(capacity)
    parameters.tileCount = Int32(tiles.count)
    parameters.tilesAtOnce = Int32(atOnce)
    list.add(
      Kernel.BlurTiles(
        layers: .buffer(tiles.layers), tiles: .buffer(tiles.records), pool: .buffer(pool),
        lens: tiles.lens, views: .buffer(tiles.views), blocks: .buffer(tiles.blocks)),
      parameters, items: atOnce)
  }

  /// Batches of tiles: their slices are cut into a pool, spread and viewed. Those that are spread lie in the pool's twin
  /// before, where both boxes are one pass, or between the boxes.
  mutating func blurBatches(_ tiles: SlicedTiles, _ blur: Blur) {
    let largest = tiles.largest
    let capacity = Int(largest.stride) * Int(largest.rows) * Int(largest.slots)
    let spread = SpreadSlots(tiles)
    let twinCapacity = Int(largest.stride) * Int(largest.rows) * spread.count
    let element = MemoryLayout<SIMD4<Float>>.stride
    let fitting = min(
      frame.largestBindingByteCount / (capacity * element),
      cut.poolByteCount / ((capacity + twinCapacity) * element))
    let batch = max(min(cut.tilesAtOnce, tiles.count, fitting), 1)
    let cell = Kernel.assembleSlices.workgroup
    let across = (Int(largest.stride) + cell.x - 1) / cell.x
    let down = (Int(largest.rows) + cell.y - 1) / cell.y
    let pool = list.buffer(of: SIMD4<Float>.self, count: capacity * batch)
    let twin = list.buffer(of: SIMD4<Float>.self, count: max(twinCapacity * batch, 1))
    let cells = list.buffer(of: UInt64.self, count: across * down * batch)

    var parameters = tiles.parameters
    parameters.tileCapacity = Int32(capacity)
    parameters.cellsAcross = Int32(across)
    parameters.cellsDown = Int32(down)
    parameters.twinCapacity = Int32(twinCapacity)
    parameters.twinSlots = Int32(spread.count)
    parameters.boxes = spread.boxesAtOnce
    for first in stride(from: 0, to: tiles.count, by: batch) {
      let count = min(batch, tiles.count - first)
      let window = Grid(Int(largest.stride), Int(largest.rows), count)
      parameters.firstTile = Int32(first)
      parameters.tileCount = Int32(count)
      list.add(
        Kernel.AssembleSlices(
          layers: .buffer(tiles.layers), tiles: .buffer(tiles.records), pool: .buffer(pool),
          twin: .buffer(twin), cells: .buffer(cells), blocks: .buffer(tiles.blocks)),
        parameters, items: count, grid: window)
      for isFromPool in spread.passes {
        parameters.isFromPool = isFromPool ? 1 : 0
        list.add(
          Kernel.PrefilterSlices(
            tiles: .buffer(tiles.records), source: .buffer(isFromPool ? pool : twin),
            result: .buffer(isFromPool ? twin : pool), cells: .buffer(cells)),
          parameters, items: count, grid: window)
      }
      let viewed = Grid(Int(largest.width), Int(largest.height), count)
      if blur.tables.opening.isWeighted {
        list.add(
          Kernel.WeightedViews(
            tiles: .buffer(tiles.records), pool: .buffer(pool), cells: .buffer(cells),
            lens: tiles.lens, views: .buffer(tiles.views)),
          parameters, items: count, grid: viewed)
      } else {
        list.add(
          Kernel.LensViews(
            tiles: .buffer(tiles.records), pool: .buffer(pool), cells: .buffer(cells),
            lens: tiles.lens, views: .buffer(tiles.views)),
          parameters, items: count, grid: viewed)
      }
    }
  }

  /// The slots of a tile that are spread over their lens cell.
  private struct SpreadSlots {
    /// The most in one tile.
    let count: Int
    /// How many of the two boxes a workgroup has memory for at once.
    let boxesAtOnce: Int32

    /// Whether each pass reads the pool and writes its twin, or the other way round.
    var passes: [Bool] {
      if count == 0 { return [] }
      return boxesAtOnce > 1 ? [false] : [true, false]
    }

    init(_ tiles: SlicedTiles) {
      let views = tiles.parameters
      let counts = [
        views.lensCount.0, views.lensCount.1, views.lensCount.2, views.lensCount.3,
      ]
      let cells = [views.cell.0, views.cell.1, views.cell.2, views.cell.3]
      let slices = views.firstSlice..<views.firstSlice + tiles.sliceCount
      let widths = slices.map { slice in
        let radius = focal_radiusOf(views.slicing, Float(slice))
        // A set is that of tiles whose circles are no larger than its own.
        return counts.indices.filter { abs(radius) <= BlurSettings.lensRadii[$0] }
          .map { focal_spreadWidth(radius, counts[$0], cells[$0]) }.max() ?? 1
      }
      count = min(widths.count { $0 > 1 }, Int(tiles.largest.slots))
      let taps = focal_spreadTaps(widths.max() ?? 1)
      boxesAtOnce = Self.elements(boxes: 2, taps: taps) <= FOCAL_SPREAD_ELEMENTS ? 2 : 1
    }

    /// Elements of a workgroup's memory for a cell with its surroundings, and for what is filtered of them along columns.
    private static func elements(boxes: Int32, taps: Int32) -> Int32 {
      let across = FOCAL_CELL_WIDTH + 2 * boxes * taps
      let down = FOCAL_CELL_HEIGHT + 2 * boxes * taps
      return across * (2 * down - 2 * taps)
    }
  }
}
