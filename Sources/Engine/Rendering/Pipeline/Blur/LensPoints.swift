// SPDX-License-Identifier: Apache-2.0

import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Points of a lens opening through which a scene is viewed: each stands for the same area.
///
/// The set is closed under a mirror in x where the opening is, so that a mirrored picture is rendered to a mirrored
/// one: then its right half is made. Where the opening is its own mirror image in y, the points' places down are as far
/// above the middle as below it: views are moved by whole cells, and others would move a picture up and down with the
/// radius. The set starts from a low-discrepancy sequence and is relaxed by Lloyd's algorithm: even spacing is what makes
/// a small light a clean disc.
struct LensPoints: Sendable {
  /// In units of the disc's radius, x to the right, y down; by rows, so that neighbouring views read
  /// the same memory.
  let points: [SIMD2<Float>]
  /// The weight of each point, 1 in the mean: an image's parts let through more or less.
  let shares: [Float]

  /// The points of a shape, `count` or about as many; 1 is the pinhole. Computed once a process.
  static func points(count: Int, shape: ApertureShape) -> LensPoints {
    let key = Key(count: count, shape: shape)
    if let known = cache.withLock({ $0[key] }) { return known }
    let opening = LensOpening.Outline(of: shape)
    let made =
      opening.isMirrored || count == 1
      ? LensPoints(count: count, opening) : LensPoints(ofAnyShape: opening, count: count)
    cache.withLock {
      // As many as a few lenses need: somebody may try every roundness.
      if $0.count >= mostKept { $0 = [:] }
      $0[key] = made
    }
    return made
  }

  private static let mostKept = 64

  private struct Key: Hashable {
    var count: Int
    var shape: ApertureShape
  }

  private static let cache = Mutex<[Key: LensPoints]>([:])

  /// Cells of the relaxation's grid along the radius. Half: traced -0.03 dB. Twice: no difference.
  private static let gridSize = 96
  /// Rounds of the relaxation. In dB (`focal_blur.h`), none: traced -0.26, sample -0.21; six: traced +0.01,
  /// sample +0.07.
  private static let rounds = 24

  private init(count: Int, _ opening: LensOpening.Outline) {
    guard count > 1 else {
      points = [.zero]
      shares = [1]
      return
    }
    // Of what is not plain, as many as of a disc: narrow openings are looked through more closely.
    let share = opening.isPlain ? 1 : .pi / max(OpeningMask(opening, side: 64).area, 0.1)
    let cells = Self.cells(ofHalf: opening)
    var half: [SIMD2<Double>] = []
    for index in 0..<Int(Double((count + 1) / 2) * share) {
      // The plastic number's sequence.
      let point = SIMD2(
        fraction(0.5 + Double(index) * 0.754_877_666_246_692_7),
        2 * fraction(0.5 + Double(index) * 0.569_840_290_998_053_2) - 1)
      if opening.contains(point) { half.append(point) }
    }
    if half.isEmpty { half = [SIMD2(0.25, 0)] }
    for _ in 0..<Self.rounds { half = Self.relaxed(half, cells).points }
    if cells.allSatisfy({ opening.contains(SIMD2($0.x, -$0.y)) }) { Self.balance(&half) }
    points = half.flatMap { point in
      [SIMD2(Float(point.x), Float(point.y)), SIMD2(Float(-point.x), Float(point.y))]
    }.sorted { ($0.y, $0.x) < ($1.y, $1.x) }
    shares = points.map { _ in 1 }
  }

  /// Gives each point above the middle one as far below it. The places across stay as many: mirror images down would
  /// show upright edges half as often.
  private static func balance(_ points: inout [SIMD2<Double>]) {
    points.sort { ($0.y, $0.x) < ($1.y, $1.x) }
    for upper in 0..<points.count / 2 {
      let lower = points.count - 1 - upper
      let away = (points[lower].y - points[upper].y) / 2
      (points[upper].y, points[lower].y) = (-away, away)
    }
    if points.count % 2 == 1 { points[points.count / 2].y = 0 }
  }

  /// The points of any opening: as many as a disc's, so that small ones are looked through more closely.
  private init(ofAnyShape opening: LensOpening.Outline, count: Int) {
    let mask = OpeningMask(opening, side: 2 * Self.gridSize)
    let target = max(Int((Double(count) * .pi / 4).rounded()), 1)
    var points: [SIMD2<Double>] = []
    for index in 0..<1000 * target where points.count < target {
      // The plastic number's sequence in three dimensions.
      let point =
        2
        * SIMD2(
          fraction(0.5 + Double(index) * 0.819_172_513_396_164_4),
          fraction(0.5 + Double(index) * 0.671_043_606_703_789_2)) - 1
      if opening.transmission(point) > fraction(Double(index) * 0.549_700_477_901_970_3) {
        points.append(point)
      }
    }
    let centre = mask.centre
    if points.isEmpty { points = [centre] }
    var masses = points.map { _ in 1.0 }
    for _ in 0..<Self.rounds { (points, masses) = Self.relaxed(points, mask.cells) }

    // The points' centre is the opening's.
    let total = masses.reduce(0, +)
    let mean = zip(points, masses).reduce(SIMD2<Double>.zero) { $0 + $1.0 * $1.1 } / total
    let order = points.indices.sorted {
      (points[$0].y, points[$0].x) < (points[$1].y, points[$1].x)
    }
    self.points = order.map { index in
      let place = points[index] + centre - mean
      return SIMD2(Float(place.x), Float(place.y))
    }
    shares = order.map { Float(masses[$0] * Double(points.count) / total) }
  }

  /// Each point moved to the centre of what is nearest to it of the opening, and how much light that lets
  /// through.
  ///
  /// - Parameter cells: of the opening, with the share of light that each lets through.
  private static func relaxed(
    _ points: [SIMD2<Double>], _ cells: [SIMD3<Double>]
  ) -> (points: [SIMD2<Double>], masses: [Double]) {
    var sums = [SIMD3<Double>](repeating: .zero, count: points.count)
    let nearest = NearestPoints(points)
    // Cells follow each other along rows: four are near to each other and to those before.
    var guess = 0
    for first in stride(from: 0, to: cells.count, by: 4) {
      let end = min(first + 4, cells.count)
      var x = SIMD4(repeating: cells[first].x), y = SIMD4(repeating: cells[first].y)
      for index in first..<end {
        (x[index - first], y[index - first]) = (cells[index].x, cells[index].y)
      }
      let indices = nearest.indices(to: (x, y), near: guess)
      for index in first..<end {
        let cell = cells[index]
        guess = Int(indices[index - first])
        sums[guess] += cell.z * SIMD3(cell.x, cell.y, 1)
      }
    }
    return (
      zip(points, sums).map { point, sum in
        sum.z > 0 ? SIMD2(sum.x / sum.z, sum.y / sum.z) : point
      }, sums.map(\.z)
    )
  }

  /// The cells of the right half of an opening that is open or not.
  private static func cells(ofHalf opening: LensOpening.Outline) -> [SIMD3<Double>] {
    var cells: [SIMD3<Double>] = []
    for row in 0..<2 * gridSize {
      for column in 0..<gridSize {
        let place = SIMD2(
          (Double(column) + 0.5) / Double(gridSize), (Double(row) + 0.5) / Double(gridSize) - 1)
        if opening.contains(place) { cells.append(SIMD3(place.x, place.y, 1)) }
      }
    }
    return cells
  }
}

private func fraction(_ value: Double) -> Double { value - value.rounded(.down) }
