// SPDX-License-Identifier: Apache-2.0

import FocalCore
import ShaderTypes

/// On which pixels it is decided to which side of an edge they belong, for a window of the picture.
struct DecisionGrid {
  /// Along one axis: in which steps the neighbours lie that a decision looks at, and how many there are each way.
  struct Taps {
    let step: Int
    let count: Int
    /// How many steps away the farthest is.
    let reach: Int

    /// - Parameters:
    ///   - cells: of the map.
    ///   - pixels: that are decided.
    init(cells: Int, pixels: Int, _ settings: RefinementSettings) {
      let perCell = Int(FOCAL_COLOUR_TAPS)
      step = max((2 * pixels + perCell * cells) / (2 * perCell * cells), 1)
      let most = max(Int(FOCAL_COLOUR_REACH) * pixels / (cells * step), 1)
      func steps(_ count: Int) -> Int {
        Int(focal_tap(Int32(count), Int32(settings.denseNeighbours)))
      }
      count = (1...settings.neighbours).last { steps($0) <= most } ?? 1
      reach = steps(count)
    }

    var pixels: Int { step * reach }
  }

  /// Of the whole picture: its own, or half of it.
  let size: Dimensions
  /// Pixels of the picture each way to a decision: 1 or 2.
  let pixels: Int
  let map: Dimensions
  /// How many neighbours follow each other closely.
  let dense: Int
  let across: Taps
  let down: Taps
  /// Radius of the ring in which a far surface in focus is looked at, pixels.
  let ring: (x: Int, y: Int)
  /// The rows that are decided.
  let rows: Range<Int>
  /// The rows whose colours decide.
  let seenRows: Range<Int>

  /// - Parameter rows: of the picture, whose decisions are wanted.
  init(
    map: Dimensions, picture: Dimensions, halves: Bool, rows: Range<Int>,
    _ settings: RefinementSettings
  ) {
    pixels = halves ? 2 : 1
    size = Dimensions(
      width: (picture.width + pixels - 1) / pixels, height: (picture.height + pixels - 1) / pixels)
    across = Taps(cells: map.width, pixels: size.width, settings)
    down = Taps(cells: map.height, pixels: size.height, settings)
    func ring(_ cells: Int, _ pixels: Int) -> Int {
      (2 * Int(FOCAL_RING_REACH) * pixels + cells) / (2 * cells)
    }
    self.ring = (ring(map.width, size.width), ring(map.height, size.height))
    self.map = map
    dense = settings.denseNeighbours
    self.rows = rows.lowerBound / pixels..<(rows.upperBound + pixels - 1) / pixels
    let seen = max(down.pixels, self.ring.y)
    seenRows =
      max(self.rows.lowerBound - seen, 0)..<min(self.rows.upperBound + seen, size.height)
  }

  /// The square of how many steps away the farthest neighbours are: they fill a circle.
  var farthest: Int {
    let most = max(across.reach, down.reach)
    return most * most + 1
  }

  /// How many cells around an edge's the colours are looked at in. A ring that reaches beyond them does without those
  /// places.
  var cells: Int {
    func count(_ taps: Taps, _ cells: Int, _ pixels: Int) -> Int {
      (taps.pixels * cells + pixels - 1) / pixels
    }
    return max(count(across, map.width, size.width), count(down, map.height, size.height))
  }

  /// The kernels' sizes, where buffers hold `rows` of a picture of `size`.
  func refineSize(of size: Dimensions, rows: Range<Int>) -> FocalRefineSize {
    FocalRefineSize(
      mapWidth: Int32(map.width), mapHeight: Int32(map.height), width: Int32(size.width),
      height: Int32(size.height), cellsPerPixelX: Float(map.width) / Float(size.width),
      cellsPerPixelY: Float(map.height) / Float(size.height), originY: Int32(rows.lowerBound),
      rows: Int32(rows.count))
  }
}
