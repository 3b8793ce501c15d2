// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Eight channels of edges by their direction, a value a cell of pixels, in the manner of
/// histograms of oriented gradients (Dalal and Triggs 2005): they hold through changes of light.
struct GradientFeatures: Sendable {
  typealias Cell = SIMD8<Float>
  /// Directions over half a turn: bright-dark and dark-bright edges count alike.
  static let directions = 8
  private static let cosines = Cell((0..<8).map { Float(cos(Double($0) * .pi / 8)) })
  private static let sines = Cell((0..<8).map { Float(sin(Double($0) * .pi / 8)) })

  /// - Parameters:
  ///   - pixels: `cells · cellSize` squared, brightness 0 to 255.
  ///   - cells: cells of a side.
  ///   - cellSize: pixels of a cell's side.
  /// - Returns: for each cell, row by row, its directions, 0 to 0.4.
  static func cells(
    _ pixels: UnsafePointer<Float>, cells: Int, cellSize: Int
  ) -> [Cell] {
    let width = cells * cellSize
    var sums = [Cell](repeating: .zero, count: cells * cells)
    sums.withUnsafeMutableBufferPointer { sums in
      for y in 0..<width {
        let row = pixels + y * width
        let above = pixels + max(0, y - 1) * width
        let below = pixels + min(width - 1, y + 1) * width
        let output = sums.baseAddress! + y / cellSize * cells
        var x = 0
        for cell in 0..<cells {
          var sum = Cell.zero
          for _ in 0..<cellSize {
            let dx = row[min(width - 1, x + 1)] - row[max(0, x - 1)]
            let dy = below[x] - above[x]
            let magnitude = (dx * dx + dy * dy).squareRoot()
            let along = cosines * dx + sines * dy
            // the two nearest directions: |cos| falls below 0.8 at 37 degrees
            let lobe = (along.replacing(with: -along, where: along .< 0)) - 0.8 * magnitude
            sum += lobe.replacing(with: 0, where: lobe .< 0)
            x += 1
          }
          output[cell] += sum
        }
      }
    }
    return normalized(sums, cells: cells, cellSize: cellSize)
  }

  /// Each cell over the strength of its neighbourhood, so that contrast does not count.
  private static func normalized(_ sums: [Cell], cells: Int, cellSize: Int) -> [Cell] {
    let energies = sums.map { ($0 * $0).sum() }
    // below about two steps of brightness a pixel, edges are noise
    let floor = Float(cellSize * cellSize) * Float(cellSize * cellSize) * 1.0
    var result = sums
    for y in 0..<cells {
      for x in 0..<cells {
        var energy: Float = 0
        for row in max(0, y - 1)...min(cells - 1, y + 1) {
          for column in max(0, x - 1)...min(cells - 1, x + 1) {
            energy += energies[row * cells + column]
          }
        }
        let value = sums[y * cells + x] / (energy / 4 + floor).squareRoot()
        result[y * cells + x] = value.replacing(with: 0.4, where: value .> 0.4)
      }
    }
    return result
  }
}
