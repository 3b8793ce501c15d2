// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// The change made to the edges of a map before it is used.
public struct MapShaping: Hashable, Sendable {
  /// By how many of the map's pixels near surfaces shrink; below zero they grow.
  public var erosion = 0.0
  /// Over how many of the map's pixels edges are softened, on both sides.
  public var feather = 0.0

  /// More is no edge any more.
  public static let mostPixels = 256.0

  public init(erosion: Double = 0, feather: Double = 0) {
    self.erosion = erosion
    self.feather = feather
  }

  var isIdentity: Bool { erosion == 0 && feather == 0 }

  /// - Throws: `invalidParameter` for numbers outside their ranges.
  public func validate() throws(CinematicError) {
    guard erosion.magnitude <= Self.mostPixels, (0...Self.mostPixels).contains(feather) else {
      throw CinematicError(
        .invalidParameter,
        "a map cannot be eroded by \(erosion) and feathered by \(feather) pixels",
        remedy:
          "erode by -\(Self.mostPixels) to \(Self.mostPixels), feather by 0 to \(Self.mostPixels)")
    }
  }

  /// A map, shaped; the same where nothing is to be done.
  ///
  /// - Precondition: `disparityFloat`.
  /// - Throws: `invalidParameter` for numbers outside their ranges, `outOfMemory`.
  package func shaped(_ map: PixelBuffer) throws(CinematicError) -> PixelBuffer {
    guard !isIdentity else { return map }
    try validate()
    let result = try PixelBuffer(
      dimensions: map.dimensions, format: map.format, tags: map.tags)
    result.cells = map.cells
    apply(to: result)
    return result
  }

  /// Shapes a map in place. Holes stay holes, and count for nothing.
  ///
  /// - Precondition: `disparityFloat`; the numbers are in their ranges.
  func apply(to map: PixelBuffer) {
    if erosion != 0 { shrink(map) }
    if feather > 0 { soften(map) }
  }

  /// Takes the least of the disparities within a disc, or the largest. A radius between two whole numbers is
  /// their mean.
  private func shrink(_ map: PixelBuffer) {
    let radius = erosion.magnitude
    let (inner, share) = (radius.rounded(.down), Float(radius - radius.rounded(.down)))
    let before = map.cells
    let whole =
      inner > 0 ? Self.extremes(before, map.dimensions, inner, least: erosion > 0) : before
    var result = whole
    if share > 0 {
      let next = Self.extremes(before, map.dimensions, inner + 1, least: erosion > 0)
      for index in result.indices { result[index] += share * (next[index] - result[index]) }
    }
    map.cells = zip(before, result).map { $0.isFinite ? $1 : $0 }
  }

  /// The least or the largest disparity of the disc around each cell, as far as it lies in the map: of each of its rows
  /// by a window that slides (van Herk), then of the rows.
  private static func extremes(
    _ values: [Float], _ size: Dimensions, _ radius: Double, least: Bool
  ) -> [Float] {
    let (width, height) = (size.width, size.height)
    let nothing: Float = least ? .infinity : -.infinity
    func better(_ a: Float, _ b: Float) -> Float { least ? min(a, b) : max(a, b) }
    var result = [Float](repeating: nothing, count: values.count)
    var row = [Float](repeating: nothing, count: width)
    // Rows beyond the map's height meet none of it.
    let reach = min(Int(radius), height - 1)
    for dy in -reach...reach {
      let half = Int((radius * radius - Double(dy * dy)).squareRoot())
      for y in max(0, -dy)..<min(height, height - dy) {
        let start = (y + dy) * width
        for x in 0..<width {
          let value = values[start + x]
          row[x] = value.isFinite ? value : nothing
        }
        let best = slidingExtremes(row, half, nothing, better)
        for x in 0..<width { result[y * width + x] = better(result[y * width + x], best[x]) }
      }
    }
    return result
  }

  /// Blocks of the window's length: from the left within each, from the right within each; a window is the
  /// end of one and the start of the next.
  private static func slidingExtremes(
    _ row: [Float], _ half: Int, _ nothing: Float, _ better: (Float, Float) -> Float
  ) -> [Float] {
    guard half > 0 else { return row }
    let length = 2 * half + 1
    let count = row.count
    func value(_ x: Int) -> Float { row.indices.contains(x - half) ? row[x - half] : nothing }
    let padded = count + 2 * half
    var ahead = [Float](repeating: nothing, count: padded)
    var behind = ahead
    for x in 0..<padded { ahead[x] = x % length == 0 ? value(x) : better(ahead[x - 1], value(x)) }
    for x in (0..<padded).reversed() {
      behind[x] =
        x % length == length - 1 || x == padded - 1 ? value(x) : better(behind[x + 1], value(x))
    }
    return (0..<count).map { better(behind[$0], ahead[$0 + length - 1]) }
  }

  /// A triangle along rows, then along columns, as wide on each side as the feather; holes do not count.
  private func soften(_ map: PixelBuffer) {
    let reach = Int(feather.rounded(.up))
    let weights = (-reach...reach).map { Float(max(0, 1 - Double($0.magnitude) / (feather + 1))) }
    let before = map.cells
    let (width, height) = (map.width, map.height)
    func pass(_ values: [Float], _ step: Int, _ count: Int, _ place: (Int) -> Int) -> [Float] {
      var result = values
      for index in values.indices where values[index].isFinite {
        let position = place(index)
        var (sum, total): (Float, Float) = (0, 0)
        for offset in max(-reach, -position)...min(reach, count - 1 - position) {
          let value = values[index + offset * step]
          guard value.isFinite else { continue }
          sum += weights[offset + reach] * value
          total += weights[offset + reach]
        }
        result[index] = sum / total
      }
      return result
    }
    let rows = pass(before, 1, width) { $0 % width }
    map.cells = pass(rows, width, height) { $0 / width }
  }
}
