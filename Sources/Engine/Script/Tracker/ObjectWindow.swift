// SPDX-License-Identifier: Apache-2.0

import FocalCore
import TrackingKernels

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A square of the picture around a place, as a filter sees it.
struct ObjectWindow {
  /// Cells of a side: a power of two, for the transform.
  static let cells = 64
  /// Of edges, of colours, of brightness; an even number.
  static let channels = Int(FOCAL_TRACK_GRADIENTS) + Int(FOCAL_TRACK_COLORS) + 1

  /// Its middle and side, in pixels.
  let centerX: Double
  let centerY: Double
  let side: Double
  /// A field a channel: edges, colours, brightness.
  private(set) var fields: [Float]
  /// The colour of every sample, two to a cell's side.
  private(set) var bins: [UInt16]

  /// Pixels of a cell's side.
  var cell: Double { side / Double(Self.cells) }

  init(_ picture: PicturePlanes, centerX: Double, centerY: Double, side: Double) {
    (self.centerX, self.centerY, self.side) = (centerX, centerY, side)
    let (cells, count) = (Self.cells, Self.cells * Self.cells)
    let size = cells * Int(FOCAL_TRACK_CELL)
    let half = 2 * cells
    fields = [Float](repeating: 0, count: Self.channels * count)
    bins = [UInt16](repeating: 0, count: half * half)
    // pixels, the three components at half of that, and the gradients' workspace
    let workspace = 19 * count + 2 * size
    withUnsafeTemporaryAllocation(
      of: Float.self, capacity: size * size + 3 * half * half + workspace
    ) { memory in
      let pixels = memory.baseAddress!
      let luma = pixels + size * size
      let blue = luma + half * half
      let red = blue + half * half
      let scratch = red + half * half
      picture.sample(
        centerX: centerX, centerY: centerY, width: side, height: side, columns: size, rows: size,
        into: pixels)
      picture.sample(
        .blue, centerX: centerX, centerY: centerY, width: side, height: side, columns: half,
        rows: half, into: blue)
      picture.sample(
        .red, centerX: centerX, centerY: centerY, width: side, height: side, columns: half,
        rows: half, into: red)
      for y in 0..<half {
        let upper = pixels + 2 * y * size
        let lower = upper + size
        for x in 0..<half {
          luma[y * half + x] =
            0.25 * (upper[2 * x] + upper[2 * x + 1] + lower[2 * x] + lower[2 * x + 1])
        }
      }
      fields.withUnsafeMutableBufferPointer { fields in
        let colors = fields.baseAddress! + Int(FOCAL_TRACK_GRADIENTS) * count
        focal_track_gradients(pixels, Int32(cells), Int32(cells), fields.baseAddress!, scratch)
        focal_track_colors(luma, blue, red, Int32(cells), Int32(cells), colors)
        let brightness = colors + Int(FOCAL_TRACK_COLORS) * count
        var sum: Float = 0
        for y in 0..<cells {
          for x in 0..<cells {
            let at = 2 * y * half + 2 * x
            let value =
              0.25 / 255 * (luma[at] + luma[at + 1] + luma[at + half] + luma[at + half + 1])
            brightness[y * cells + x] = value
            sum += value
          }
        }
        let mean = sum / Float(count)
        for index in 0..<count { brightness[index] -= mean }
      }
      focal_track_bins(luma, blue, red, Int32(half * half), &bins)
    }
  }

  /// How well each cell's disparity is the object's, once it was measured.
  private(set) var likelihood: [Float]?

  /// Measures how well each cell's disparity is the object's: exp(-(d - d₀)² / g²).
  ///
  /// - Parameters:
  ///   - disparity: d₀, the object's.
  ///   - gate: g.
  mutating func measure(
    _ map: PixelBuffer, of picture: PicturePlanes, disparity: Float, gate: Float
  ) {
    let (scaleX, scaleY) = (
      Double(map.width) / Double(picture.width), Double(map.height) / Double(picture.height)
    )
    let cells = Self.cells
    var values = [Float](repeating: 0, count: cells * cells)
    DisparitySampling.withRows(of: map) { value in
      for row in 0..<cells {
        let y = (centerY - side / 2 + (Double(row) + 0.5) * cell) * scaleY
        let mapRow = max(0, min(map.height - 1, Int(max(0, y))))
        for column in 0..<cells {
          let x = (centerX - side / 2 + (Double(column) + 0.5) * cell) * scaleX
          let found = value(max(0, min(map.width - 1, Int(max(0, x)))), mapRow)
          let distance = (found - disparity) / gate
          values[row * cells + column] = distance.isFinite ? exp(-distance * distance) : 0
        }
      }
    }
    likelihood = values
  }

  /// Whether the object in the window's middle differs from what is around it by its disparity: thin
  /// things, of which a box shows little, and what stands on the ground do not.
  func tellsByDisparity(width: Double, height: Double) -> Bool {
    guard let likelihood else { return true }
    let (columns, rows) = (shares(width), shares(height))
    var (own, ownCount, other, otherCount): (Float, Float, Float, Float) = (0, 1e-6, 0, 1e-6)
    for y in 0..<Self.cells {
      for x in 0..<Self.cells {
        let share = rows[y] * columns[x]
        let value = likelihood[y * Self.cells + x]
        own += share * value
        ownCount += share
        other += (1 - share) * value
        otherCount += 1 - share
      }
    }
    return own / ownCount > 2 * other / otherCount
  }

  /// Weights by which every kind of channel counts by its number of channels, not by its units.
  func balancedWeights() -> [Float] {
    let count = Self.cells * Self.cells
    let (edges, colors) = (Int(FOCAL_TRACK_GRADIENTS), Int(FOCAL_TRACK_COLORS))
    var weights = [Float](repeating: 0, count: Self.channels)
    for kind in [0..<edges, edges..<(edges + colors), (edges + colors)..<Self.channels] {
      let energy = fields[(kind.lowerBound * count)..<(kind.upperBound * count)].reduce(0) {
        $0 + $1 * $1
      }
      let weight = energy > 0 ? (Float(count * kind.count) / energy).squareRoot() : 0
      for channel in kind { weights[channel] = weight }
    }
    return weights
  }

  /// The share of each row or column of cells that lies within an extent around the middle.
  private func shares(_ extent: Double) -> [Float] {
    (0..<Self.cells).map { index in
      let distance = abs(Double(index) + 0.5 - Double(Self.cells) / 2)
      return Float(max(0, min(1, extent / cell / 2 + 0.5 - distance)))
    }
  }

  /// Which cells a filter may look at: the object's box, softened by a cell.
  func mask(width: Double, height: Double) -> [Float] {
    let (columns, rows) = (shares(width), shares(height))
    return rows.flatMap { row in columns.map { row * $0 } }
  }

  /// Fields times a window and each channel's weight.
  func weighted(_ weights: [Float], window: [Float]) -> [Float] {
    let count = Self.cells * Self.cells
    var result = fields
    for channel in 0..<Self.channels {
      let weight = weights[channel]
      for index in 0..<count { result[channel * count + index] *= weight * window[index] }
    }
    return result
  }

  /// 1 for every cell.
  static let even = [Float](repeating: 1, count: cells * cells)

  /// Falls from 1 in the middle to 0 at the border, for every cell.
  static let hann: [Float] = {
    let line = (0..<cells).map { index in
      0.5 - 0.5 * cos(2 * .pi * (Double(index) + 0.5) / Double(cells))
    }
    return (0..<(cells * cells)).map { Float(line[$0 / cells] * line[$0 % cells]) }
  }()
}
