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
/// The set is closed under a mirror in x, so that a mirrored picture is rendered to a mirrored one.
/// The right half starts from a low-discrepancy sequence and is relaxed by Lloyd's algorithm: even
/// spacing is what makes a small light a clean disc.
struct LensPoints: Sendable {
  /// In units of the disc's radius, x to the right, y down; by rows, so that neighbouring views read
  /// the same memory.
  let points: [SIMD2<Float>]
  /// The opening's area in units of the radius squared: pi for a disc.
  let area: Float

  /// The points of a shape, `count` or about as many; 1 is the pinhole. Computed once a process.
  static func points(count: Int, shape: ApertureShape) -> LensPoints {
    let key = Key(count: count, shape: shape)
    if let known = cache.withLock({ $0[key] }) { return known }
    let made = LensPoints(count: count, shape: shape)
    cache.withLock { $0[key] = made }
    return made
  }

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

  private init(count: Int, shape: ApertureShape) {
    let blades = shape.bladeCount
    area =
      blades < 3 ? .pi : 0.5 * Float(blades) * Float(sin(2 * Double.pi / Double(blades)))
    guard count > 1 else {
      points = [.zero]
      return
    }
    let opening = Sides(of: shape)
    var half: [SIMD2<Double>] = []
    for index in 0..<(count + 1) / 2 {
      // The plastic number's sequence.
      let point = SIMD2(
        fraction(0.5 + Double(index) * 0.754_877_666_246_692_7),
        2 * fraction(0.5 + Double(index) * 0.569_840_290_998_053_2) - 1)
      if opening.contains(point) { half.append(point) }
    }
    if half.isEmpty { half = [SIMD2(0.25, 0)] }
    for _ in 0..<Self.rounds { half = Self.relaxed(half, opening) }

    // The centre of a disc's points moves nothing; a polygon's is where it is.
    let mean = half.reduce(0) { $0 + $1.y } / Double(half.count)
    let shift = blades < 3 ? mean : 0
    points = half.flatMap { point in
      [
        SIMD2(Float(point.x), Float(point.y - shift)),
        SIMD2(Float(-point.x), Float(point.y - shift)),
      ]
    }.sorted { ($0.y, $0.x) < ($1.y, $1.x) }
  }

  /// Each point moved to the centre of the part of the opening that is nearest to it.
  private static func relaxed(
    _ points: [SIMD2<Double>], _ opening: Sides
  ) -> [SIMD2<Double>] {
    var sums = [SIMD3<Double>](repeating: .zero, count: points.count)
    for row in 0..<2 * gridSize {
      for column in 0..<gridSize {
        let place = SIMD2(
          (Double(column) + 0.5) / Double(gridSize), (Double(row) + 0.5) / Double(gridSize) - 1)
        guard opening.contains(place) else { continue }
        var nearest = Double.infinity
        var best = 0
        points.withUnsafeBufferPointer { points in
          for index in 0..<points.count {
            let x = place.x - points[index].x
            let y = place.y - points[index].y
            let distance = x * x + y * y
            if distance < nearest {
              nearest = distance
              best = index
            }
          }
        }
        sums[best] += SIMD3(place.x, place.y, 1)
      }
    }
    return zip(points, sums).map { point, sum in
      sum.z > 0 ? SIMD2(sum.x / sum.z, sum.y / sum.z) : point
    }
  }

  /// The straight sides of an opening, none for a disc.
  struct Sides {
    /// The direction that each blade faces.
    let directions: [SIMD2<Double>]
    /// How far out they lie, in units of the radius; 1 for a disc.
    let distance: Double

    init(of shape: ApertureShape) {
      let count = Double(shape.bladeCount)
      // A highlight behind the focus shows the opening upside down: a vertex at the bottom of the
      // opening (y points down) is at the top of the highlight.
      let first = Double.pi / 2 - Double(shape.rotation)
      directions =
        shape.bladeCount < 3
        ? []
        : (0..<shape.bladeCount).map { index in
          let angle = first + 2 * .pi * (Double(index) + 0.5) / count
          return SIMD2(cos(angle), sin(angle))
        }
      distance = shape.bladeCount < 3 ? 1 : cos(.pi / count)
    }

    func contains(_ point: SIMD2<Double>) -> Bool {
      if directions.isEmpty { return point.x * point.x + point.y * point.y <= 1 }
      return directions.allSatisfy { $0.x * point.x + $0.y * point.y <= distance }
    }
  }
}

private func fraction(_ value: Double) -> Double { value - value.rounded(.down) }
