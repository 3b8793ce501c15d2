// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension LensOpening {
  /// Where an opening lets light through: points of the lens in units of the radius, y down.
  struct Outline: Sendable {
    /// The direction that each blade faces.
    let directions: [SIMD2<Double>]
    /// How far out straight sides lie, in units of the radius; 1 for a disc.
    let distance: Double
    /// A blade's arc is where `level - bend * |q|² - slope * (q · direction)` is 0, which within it is about the
    /// distance from it: the circle through two corners and the arc's middle, over twice its radius, so
    /// that it stays finite for straight blades.
    private let level: Double
    private let bend: Double
    private let slope: Double
    let squeeze: Double
    private let image: ApertureImage?
    private let turn: SIMD2<Double>
    /// Whether its left half is the mirror image of its right one, and all that is open is equally so.
    let isMirrored: Bool
    /// Whether a disc's or straight sides' own formula draws it.
    let isPlain: Bool

    init(of shape: ApertureShape) {
      let blades = shape.roundness == 1 ? 0 : shape.bladeCount
      let count = Double(blades)
      // A highlight behind the focus shows the opening upside down: a vertex at the bottom of the
      // opening (y points down) is at the top of the highlight.
      let first = Double.pi / 2 - Double(shape.rotation)
      directions = (0..<blades).map { index in
        let angle = first + 2 * .pi * (Double(index) + 0.5) / count
        return SIMD2(cos(angle), sin(angle))
      }
      distance = blades < 3 ? 1 : cos(.pi / count)
      // Through the corners at the distance 1 and through `middle` on the blade's axis: a centre at `c` on it.
      let middle = distance + Double(shape.roundness) * (1 - distance)
      if blades >= 3, shape.roundness > 0 {
        let c = (middle * middle - 1) / (2 * (middle - distance))
        let radius = middle - c
        level = (radius + c) * (radius - c) / (2 * radius)
        bend = 1 / (2 * radius)
        slope = -c / radius
      } else {
        (level, bend, slope) = blades < 3 ? (0.5, 0.5, 0) : (distance, 0, 1)
      }
      squeeze = Double(shape.squeeze)
      image = shape.image
      turn = SIMD2(cos(Double(shape.rotation)), sin(Double(shape.rotation)))
      isPlain = squeeze == 1 && image == nil && (blades < 3 || bend == 0)
      // Turned by half a blade, a polygon is the mirror image of itself, too.
      let halves = Double(shape.rotation) * count / .pi
      isMirrored = image == nil && (blades < 3 || abs(halves - halves.rounded()) < 1e-6)
    }

    /// The area of a disc or of straight sides.
    var plainArea: Float {
      let count = directions.count
      return count < 3 ? .pi : 0.5 * Float(count) * Float(sin(2 * Double.pi / Double(count)))
    }

    /// About how far within the outline a point lies, in radii; of an image, within the disc.
    func within(_ point: SIMD2<Double>) -> Double {
      let q = unsqueezed(point)
      let square = q.x * q.x + q.y * q.y
      guard image == nil, !directions.isEmpty else { return 1 - square.squareRoot() }
      return directions.reduce(.infinity) {
        min($0, level - bend * square - slope * ($1.x * q.x + $1.y * q.y))
      }
    }

    /// A point as on the disc, before the squeeze.
    func unsqueezed(_ point: SIMD2<Double>) -> SIMD2<Double> { SIMD2(point.x * squeeze, point.y) }

    /// The share of the light that comes through a point.
    func transmission(_ point: SIMD2<Double>) -> Double {
      let q = unsqueezed(point)
      if let image {
        // The table shows a highlight behind the focus: upside down. Counter-clockwise, y down.
        return image.transmission(
          SIMD2(-q.x * turn.x + q.y * turn.y, -q.x * turn.y - q.y * turn.x))
      }
      return contains(point) ? 1 : 0
    }

    func contains(_ point: SIMD2<Double>) -> Bool {
      let q = unsqueezed(point)
      if directions.isEmpty { return q.x * q.x + q.y * q.y <= 1 }
      if bend == 0 { return directions.allSatisfy { $0.x * q.x + $0.y * q.y <= distance } }
      return within(point) >= 0
    }
  }
}

/// An opening as cells of the square around the disc.
struct OpeningMask {
  /// The centres of cells that are not dark, and the share of light that they let through.
  let cells: [SIMD3<Double>]
  /// A cell's area.
  let cellArea: Double

  init(_ opening: LensOpening.Outline, side: Int) {
    cellArea = 4 / Double(side * side)
    var cells: [SIMD3<Double>] = []
    for row in 0..<side {
      for column in 0..<side {
        let place =
          (2 * SIMD2(Double(column) + 0.5, Double(row) + 0.5) / Double(side)) - 1
        let share = opening.transmission(place)
        if share > 0 { cells.append(SIMD3(place.x, place.y, share)) }
      }
    }
    self.cells = cells
  }

  /// The sum of a function's values over the opening, by how much light each cell lets through.
  func integral(_ value: (SIMD2<Double>) -> Double) -> Double {
    cellArea * cells.reduce(0) { $0 + $1.z * value(SIMD2($1.x, $1.y)) }
  }

  /// The opening's area, where it is half open half of it.
  var area: Double { integral { _ in 1 } }

  /// The opening's centre of mass.
  var centre: SIMD2<Double> {
    SIMD2(integral { $0.x }, integral { $0.y }) / max(area, cellArea)
  }
}
