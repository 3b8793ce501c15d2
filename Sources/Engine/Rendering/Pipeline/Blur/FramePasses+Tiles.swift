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

  /// Batches of tiles: their slices are cut into a pool, spread along columns into its twin and along
  /// rows back, twice, and viewed.
  mutating func blurBatches(_ tiles: SlicedTiles, _ blur: Blur) {
    let largest = tiles.largest
    let capacity = Int(largest.stride) * Int(largest.rows) * Int(largest.slots)
    let spread = Self.spreadSlots(tiles, blur)
    let twinCapacity = Int(largest.stride) * Int(largest.rows) * spread
    let element = MemoryLayout<SIMD4<Float>>.stride
    let fitting = min(
      frame.largestBindingByteCount / (capacity * element),
      BlurSettings.poolByteCount / ((capacity + twinCapacity) * element))
    let batch = max(min(cut.tilesAtOnce, tiles.count, fitting), 1)
    let cell = Kernel.assembleSlices.workgroup
    let across = (Int(largest.stride) + cell.x - 1) / cell.x
    let down = (Int(largest.rows) + cell.y - 1) / cell.y
    let pool = list.buffer(of: SIMD4<Float>.self, count: capacity * batch)
    let twin = list.buffer(of: SIMD4<Float>.self, count: twinCapacity * batch)
    let cells = list.buffer(of: UInt64.self, count: across * down * batch)

    var parameters = tiles.parameters
    parameters.tileCapacity = Int32(capacity)
    parameters.cellsAcross = Int32(across)
    parameters.cellsDown = Int32(down)
    parameters.twinCapacity = Int32(twinCapacity)
    parameters.twinSlots = Int32(spread)
    for first in stride(from: 0, to: tiles.count, by: batch) {
      let count = min(batch, tiles.count - first)
      let window = Grid(Int(largest.stride), Int(largest.rows), count)
      parameters.firstTile = Int32(first)
      parameters.tileCount = Int32(count)
      parameters.axis = 0
      list.add(
        Kernel.AssembleSlices(
          layers: .buffer(tiles.layers), tiles: .buffer(tiles.records), pool: .buffer(pool),
          cells: .buffer(cells), blocks: .buffer(tiles.blocks)),
        parameters, items: count, grid: window)
      for _ in 0..<(spread > 0 ? 2 : 0) {
        for (axis, from, to) in [(0, pool, twin), (1, twin, pool)] {
          parameters.axis = Int32(axis)
          list.add(
            Kernel.PrefilterSlices(
              tiles: .buffer(tiles.records), source: .buffer(from), result: .buffer(to),
              cells: .buffer(cells)),
            parameters, items: count, grid: window)
        }
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

  /// The most slots of a tile that are spread over their lens cell.
  private static func spreadSlots(_ tiles: SlicedTiles, _ blur: Blur) -> Int {
    let views = tiles.parameters
    let counts = [
      views.lensCount.0, views.lensCount.1, views.lensCount.2, views.lensCount.3,
    ]
    let cells = [views.cell.0, views.cell.1, views.cell.2, views.cell.3]
    let slices = views.firstSlice..<views.firstSlice + tiles.sliceCount
    let spread = slices.filter { slice in
      let radius = focal_radiusOf(views.slicing, Float(slice))
      // A set is that of tiles whose circles are no larger than its own.
      return counts.indices.contains {
        abs(radius) <= BlurSettings.lensRadii[$0]
          && focal_spreadWidth(radius, counts[$0], cells[$0]) > 1
      }
    }
    return min(spread.count, Int(tiles.largest.slots))
  }
}
