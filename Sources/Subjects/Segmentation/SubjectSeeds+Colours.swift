// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalEyes
import SubjectKernels

/// Seeds by the picture's colours alone.
extension SubjectSeeds {
  /// The seed of the pixels that have the colours of the tap rather than those of the borders.
  ///
  /// - Returns: `nil` of a plain background.
  func colourSeed(_ x: Int, _ y: Int) throws(CinematicError) -> SubjectSeed? {
    let (width, height) = (size.width, size.height)
    var tap = [UInt8](repeating: 0, count: size.count)
    let reach = max(2, max(width, height) / 60)
    for j in max(0, y - reach)...min(height - 1, y + reach) {
      for i in max(0, x - reach)...min(width - 1, x + reach) { tap[j * width + i] = 1 }
    }
    var border = [UInt8](repeating: 0, count: size.count)
    for j in 0..<height {
      for i in 0..<width where i == 0 || j == 0 || i == width - 1 || j == height - 1 {
        border[j * width + i] = 1
      }
    }
    var (near, far) = (tap.map { _ in Float(0) }, tap.map { _ in Float(0) })
    try kernel(size) { focal_barrier(view.codes, tap, Int32(width), Int32(height), &near) }
    try kernel(size) { focal_barrier(view.codes, border, Int32(width), Int32(height), &far) }
    // A plain colour that goes on to the picture's borders is a sky or a wall. Subjects often stand on the lower one.
    var (plain, all) = (0, 0)
    for place in 0..<near.count - width where border[place] != 0 {
      all += 1
      if near[place] < Self.plainExtent { plain += 1 }
    }
    let standing = 1 - Float(plain) / (Self.mostBorder * Float(max(1, all)))
    guard standing > 0 else { return nil }
    var seed = SubjectSeed(labels: tap)
    var fixed = tap
    var prior = near
    for place in prior.indices {
      let share = (far[place] - near[place]) / (far[place] + near[place] + 0.05)
      // Nearness on the picture counts as well.
      let (i, j) = (place % width, place / width)
      let away = Float((i - x) * (i - x) + (j - y) * (j - y)).squareRoot()
      prior[place] = 2.5 * share + 0.5 - 2 * away / Float(max(width, height))
      seed.labels[place] = prior[place] > 0.3 || tap[place] != 0 ? 1 : 0
      if tap[place] == 0, border[place] != 0 { fixed[place] = 2 }
    }
    seed.fixed = fixed
    seed.prior = prior
    (seed.nearby, seed.cells, seed.smoothness) = (0.3, 16, 4)
    seed.isMeasured = false
    seed.standing = standing
    return seed
  }

  /// Up to which extent of codes a way to the border is plain, and of how much of the borders.
  private static let plainExtent: Float = 0.1
  private static let mostBorder: Float = 0.25

  /// The seeds of the parts that stand out from the colours of the borders.
  func salient() throws(CinematicError) -> [SubjectSeed] {
    let coarse = size.fitting(longerSide: Self.salientSide)
    var codes = [Float](repeating: 0, count: 3 * coarse.count)
    for y in 0..<coarse.height {
      for x in 0..<coarse.width {
        let from = y * size.height / coarse.height * size.width + x * size.width / coarse.width
        for part in 0..<3 { codes[3 * (y * coarse.width + x) + part] = view.codes[3 * from + part] }
      }
    }
    var saliency = [Float](repeating: 0, count: coarse.count)
    try kernel(coarse) {
      focal_saliency(codes, Int32(coarse.width), Int32(coarse.height), &saliency)
    }
    let values = try PixelBuffer.map(saliency, coarse).resizedMap(to: size).cells
    guard let threshold = Self.threshold(of: values) else { return [] }
    var seed = SubjectSeed(labels: values.map { $0 > threshold ? 1 : 0 })
    let edge = max(2, max(size.width, size.height) / 100)
    var fixed = [UInt8](repeating: 0, count: size.count)
    for place in fixed.indices {
      let (x, y) = (place % size.width, place / size.width)
      let isBorder = x < edge || y < edge || x >= size.width - edge
      let value = values[place]
      fixed[place] =
        isBorder || value < 0.12 * threshold
        ? 2 : value > min(0.95, threshold + 0.6 * (1 - threshold)) ? 1 : 0
    }
    seed.fixed = fixed
    seed.prior = values.map { 2 * max(-1, min(1, ($0 - threshold) / threshold)) }
    (seed.nearby, seed.cells, seed.smoothness) = (0.3, 16, 4)
    seed.isMeasured = false
    return [seed]
  }

  private static let salientSide = 200
  /// Parts that are not even this much apart are no subject and background.
  private static let leastSpread: Float = 0.12

  /// The value that divides values (0 to 1) into two groups best, by Otsu's method; `nil` where they are one group.
  static func threshold(of values: [Float]) -> Float? {
    var counts = [Double](repeating: 0, count: 256)
    for value in values { counts[Int(max(0, min(255, value * 255)))] += 1 }
    let total = Double(values.count)
    let sum = counts.enumerated().reduce(0) { $0 + Double($1.offset) * $1.element }
    var (count, part, best, found) = (0.0, 0.0, 0.0, 0)
    var apart = 0.0
    for level in 0..<255 {
      count += counts[level]
      part += Double(level) * counts[level]
      guard count > 0, count < total else { continue }
      let gap = (sum - part) / (total - count) - part / count
      let between = count * (total - count) * gap * gap
      if between > best { (best, found, apart) = (between, level, gap) }
    }
    guard Float(apart / 255) >= leastSpread else { return nil }
    return (Float(found) + 0.5) / 255
  }
}
