// SPDX-License-Identifier: Apache-2.0

import FocalCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The filter's input: the searched square, its channels, and the object's mask.
extension CorrelationTracker {
  var searchSide: Double {
    max(Self.padding * (width * height).squareRoot(), Self.longPadding * max(width, height))
  }

  /// The windowed channels of the searched square, and how well each cell's disparity is the
  /// object's.
  func fields(
    _ luma: inout LumaPyramid, _ map: PixelBuffer?
  ) -> (values: [Float], likelihood: [Float]?) {
    let (cells, size) = (Self.cells, Self.cells * Self.cellSize)
    let count = cells * cells
    var pixels = [Float](repeating: 0, count: size * size)
    let side = searchSide
    pixels.withUnsafeMutableBufferPointer { buffer in
      luma.sample(
        centerX: centerX, centerY: centerY, width: side, height: side, columns: size, rows: size,
        into: buffer.baseAddress!)
    }
    let edges = pixels.withUnsafeBufferPointer {
      GradientFeatures.cells($0.baseAddress!, cells: cells, cellSize: Self.cellSize)
    }
    var values = [Float](repeating: 0, count: Self.channels * count)
    let likelihood = likelihood(map, side: side, luma)
    var brightness = [Float](repeating: 0, count: count)
    for y in 0..<size {
      for x in 0..<size {
        brightness[y / Self.cellSize * cells + x / Self.cellSize] += pixels[y * size + x]
      }
    }
    let area = Float(Self.cellSize * Self.cellSize)
    let mean = brightness.reduce(0, +) / Float(count)
    let likely = likelihood.map { $0.reduce(0, +) / Float(count) } ?? 0
    for y in 0..<cells {
      for x in 0..<cells {
        let index = y * cells + x
        let window = hann[y] * hann[x]
        for direction in 0..<8 {
          values[direction * count + index] = edges[index][direction] * window
        }
        values[8 * count + index] = (brightness[index] - mean) / (255 * area) * window
        if let likelihood {
          values[9 * count + index] = (likelihood[index] - likely) * Self.disparityWeight * window
        }
      }
    }
    return (values, likelihood)
  }

  /// exp(-(d - d₀)² / g²) for each cell, d₀ the object's disparity.
  private func likelihood(
    _ map: PixelBuffer?, side: Double, _ luma: LumaPyramid
  ) -> [Float]? {
    guard let map, let objectDisparity, map.format.isDisparity else { return nil }
    let gate = max(abs(objectDisparity) * Self.disparityGate, 1e-3)
    let (scaleX, scaleY) = (
      Double(map.width) / Double(luma.width), Double(map.height) / Double(luma.height)
    )
    let cell = side / Double(Self.cells)
    var result = [Float](repeating: 0, count: Self.cells * Self.cells)
    DisparitySampling.withRows(of: map) { value in
      for row in 0..<Self.cells {
        let y = (centerY - side / 2 + (Double(row) + 0.5) * cell) * scaleY
        let mapRow = max(0, min(map.height - 1, Int(max(0, y))))
        for column in 0..<Self.cells {
          let x = (centerX - side / 2 + (Double(column) + 0.5) * cell) * scaleX
          let disparity = value(max(0, min(map.width - 1, Int(max(0, x)))), mapRow)
          let distance = (disparity - objectDisparity) / gate
          result[row * Self.cells + column] = distance.isFinite ? exp(-distance * distance) : 0
        }
      }
    }
    return result
  }

  /// Which cells the filter may look at: the object's box, softened by a cell, of it mostly what has
  /// the object's disparity.
  func mask(_ likelihood: [Float]?) -> [Float] {
    let cells = Self.cells
    let perCell = Double(cells) / searchSide
    func share(_ index: Int, _ extent: Double) -> Float {
      let distance = abs(Double(index) + 0.5 - Double(cells) / 2)
      return Float(max(0, min(1, extent * perCell / 2 + 0.5 - distance)))
    }
    var mask = [Float](repeating: 0, count: cells * cells)
    for y in 0..<cells {
      for x in 0..<cells {
        let index = y * cells + x
        let inside = share(x, width) * share(y, height)
        guard inside > 0 else { continue }
        // the corners of a box are rarely the object
        let dx = (Double(x) + 0.5 - Double(cells) / 2) / (width * perCell / 2)
        let dy = (Double(y) + 0.5 - Double(cells) / 2) / (height * perCell / 2)
        let central = Float(max(0.3, 1 - 0.35 * (dx * dx + dy * dy)))
        mask[index] =
          inside * central
          * (likelihood.map { Self.maskFloor + Self.maskRange * $0[index] } ?? 1)
      }
    }
    return mask
  }

  /// The share of the object's box, moved by cells, that has the object's disparity.
  func share(of likelihood: [Float], atX x: Double, y: Double) -> Float {
    let perCell = Double(Self.cells) / searchSide
    let middle = Double(Self.cells) / 2
    func range(_ center: Double, _ extent: Double) -> Range<Int> {
      let low = max(0, min(Self.cells, Int((center - extent * perCell / 2).rounded())))
      return low..<max(low, min(Self.cells, Int((center + extent * perCell / 2).rounded())))
    }
    let (rows, columns) = (range(middle + y, height), range(middle + x, width))
    var sum: Float = 0
    for row in rows {
      for column in columns { sum += likelihood[row * Self.cells + column] }
    }
    let count = rows.count * columns.count
    return count > 0 ? sum / Float(count) : 0
  }
}
