// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// A picture's light at a smaller size, by the mean over the area of each pixel, from rows in any portions.
package final class LightAverage {
  /// Linear light in floats, of the source's primaries; whole when all rows were added.
  package let light: PixelBuffer
  private let source: Dimensions
  /// Source pixels a pixel, across and down.
  private let step: (x: Double, y: Double)

  /// - Throws: `outOfMemory`.
  package init(
    from source: Dimensions, to size: Dimensions, tags: ColorTags
  ) throws(CinematicError) {
    var tags = tags
    tags.transfer = .linear
    light = try PixelBuffer(
      dimensions: size, format: .rgbaFloat, tags: tags, bytesPerRowAlignment: 16)
    light.withUnsafeMutableBytes { _ = $0.initializeMemory(as: UInt8.self, repeating: 0) }
    self.source = source
    step = (
      Double(source.width) / Double(size.width), Double(source.height) / Double(size.height)
    )
  }

  /// Of a whole picture.
  package static func average(
    _ picture: PixelBuffer, to size: Dimensions
  ) throws(CinematicError) -> PixelBuffer {
    guard size != picture.dimensions else { return try picture.linearRGBA() }
    let average = try LightAverage(from: picture.dimensions, to: size, tags: picture.tags)
    try average.add(picture, at: 0)
    return average.light
  }

  /// Adds rows, each once.
  ///
  /// - Parameter firstRow: where they lie in the source.
  package func add(_ rows: PixelBuffer, at firstRow: Int) throws(CinematicError) {
    // Conversions need their own room: a few rows at a time, of chroma's height.
    let portion = 64
    for first in stride(from: 0, to: rows.height, by: portion) {
      let end = min(first + portion, rows.height)
      let part = try rows.part(columns: 0..<rows.width, rows: first..<end).linearRGBA()
      for y in 0..<part.height { add(row: y, of: part, at: firstRow + first + y) }
    }
  }

  private func add(row: Int, of part: PixelBuffer, at y: Int) {
    let size = light.dimensions
    withUnsafeTemporaryAllocation(of: Float.self, capacity: 4 * size.width) { line in
      part.withUnsafeBytes { bytes in
        let values = (bytes.baseAddress! + row * part.planes[0].bytesPerRow)
          .assumingMemoryBound(to: Float.self)
        for x in 0..<size.width {
          var sum = SIMD4<Float>.zero
          Self.overlap(x, step.x, source.width) { place, weight in
            let pixel = values + 4 * place
            sum += Float(weight / step.x) * SIMD4(pixel[0], pixel[1], pixel[2], pixel[3])
          }
          for component in 0..<4 { line[4 * x + component] = sum[component] }
        }
      }
      light.withUnsafeMutableBytes { bytes in
        // The rows that this one lies in.
        let first = min(Int(Double(y) / step.y), size.height - 1)
        let last = min(Int(Double(y + 1) / step.y), size.height - 1)
        for target in first...last {
          let top = max(Double(y), Double(target) * step.y)
          let bottom = min(Double(y + 1), Double(target + 1) * step.y)
          let weight = Float((bottom - top) / step.y)
          guard weight > 0 else { continue }
          let out = (bytes.baseAddress! + target * light.planes[0].bytesPerRow)
            .assumingMemoryBound(to: Float.self)
          for index in 0..<(4 * size.width) { out[index] += weight * line[index] }
        }
      }
    }
  }

  /// The source pixels that a pixel lies over, and how much of each.
  private static func overlap(
    _ x: Int, _ step: Double, _ count: Int, _ body: (_ place: Int, _ weight: Double) -> Void
  ) {
    let (start, end) = (Double(x) * step, min(Double(x + 1) * step, Double(count)))
    var place = min(Int(start), count - 1)
    while Double(place) < end, place < count {
      body(place, min(Double(place + 1), end) - max(Double(place), start))
      place += 1
    }
  }
}
