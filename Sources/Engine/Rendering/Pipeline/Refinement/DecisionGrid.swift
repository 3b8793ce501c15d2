// SPDX-License-Identifier: Apache-2.0

import FocalCore
import ShaderTypes

/// On which pixels it is decided to which side of an edge they belong, for a window of the picture.
struct DecisionGrid {
  /// Of the whole picture: its own, or half of it.
  let size: Dimensions
  /// Pixels of the picture each way to a decision: 1 or 2.
  let pixels: Int
  let map: Dimensions
  /// The rows that are decided: whole cells, and with the window's own all those that its decisions
  /// come from.
  let rows: Range<Int>
  /// The rows of cells of ``rows``.
  let cells: Range<Int>

  /// - Parameter rows: of the picture, whose decisions are wanted.
  init(
    map: Dimensions, picture: Dimensions, halves: Bool, rows: Range<Int>,
    _ settings: RefinementSettings
  ) {
    let pixels = halves ? 2 : 1
    let size = Dimensions(
      width: (picture.width + pixels - 1) / pixels, height: (picture.height + pixels - 1) / pixels)
    var reach = rows.lowerBound / pixels..<(rows.upperBound + pixels - 1) / pixels
    var cells = 0..<map.height
    // Back from the last decision to the first colours: a decision is smoothed over its neighbours and
    // comes from the models of its cell, these from the sums of the cells around it.
    for _ in 0..<settings.fits {
      let first = max(reach.lowerBound - settings.smooths, 0)
      let last = min(reach.upperBound + settings.smooths, size.height) - 1
      func cell(of row: Int) -> Int {
        Int(focal_cell_of(Int32(row), Int32(map.height), Int32(size.height)))
      }
      func begin(of cell: Int) -> Int {
        Int(focal_cell_begin(Int32(cell), Int32(map.height), Int32(size.height)))
      }
      let radius = Int(settings.radius)
      cells = max(cell(of: first) - radius, 0)..<min(cell(of: last) + radius + 1, map.height)
      reach = begin(of: cells.lowerBound)..<begin(of: cells.upperBound)
    }
    self.size = size
    self.pixels = pixels
    self.map = map
    self.rows = reach
    self.cells = cells
  }

  /// The kernels' sizes, where buffers hold `rows` of a picture of `size`.
  func refineSize(of size: Dimensions, rows: Range<Int>) -> FocalRefineSize {
    FocalRefineSize(
      mapWidth: Int32(map.width), mapHeight: Int32(map.height), width: Int32(size.width),
      height: Int32(size.height), cellsPerPixelX: Float(map.width) / Float(size.width),
      cellsPerPixelY: Float(map.height) / Float(size.height), originY: Int32(rows.lowerBound),
      rows: Int32(rows.count), mapOriginY: Int32(cells.lowerBound), mapRows: Int32(cells.count))
  }
}
