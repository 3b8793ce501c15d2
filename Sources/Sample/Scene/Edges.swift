// SPDX-License-Identifier: Apache-2.0

/// Bright lamps whose discs are cut: by bars, slats and rings in focus, by heads, by each other and by the border of
/// the picture. The hard places are those where half of a lens sees a lamp and the other half what stands before it.
struct Edges {
  let seed: UInt64

  private static let paint = Vector(0.05, 0.055, 0.065)

  func build(on stage: inout Stage) {
    lamps(&stage)
    bars(&stage)
    slats(&stage)
    ring(&stage)
    nearLamps(&stage)
  }

  /// A wall of lamps far behind, which goes on past the picture's border.
  private func lamps(_ stage: inout Stage) {
    var generator = SeededGenerator(seed: seed &* 97 &+ 11)
    for row in 0..<6 {
      for column in 0..<14 {
        let z = generator.between(15, 30)
        // Spread evenly over the picture, whatever the depth.
        let x = (Float(column) - 6.5) * 0.06 + generator.between(-0.012, 0.012)
        let y = 0.02 + (Float(row) - 1.6) * 0.058 + generator.between(-0.012, 0.012)
        let color = mix(
          Vector(1.0, 0.5, 0.16), Vector(0.75, 0.88, 1.0), generator.unit())
        stage.addLight(
          Vector(x * z, max(0.06, 0.86 + y * z), z), generator.between(0.03, 0.09), color,
          power: generator.between(10, 40))
      }
    }
  }

  /// Upright bars as deep as the lead stands, the farther to the right the thinner.
  private func bars(_ stage: inout Stage) {
    for number in 0..<8 {
      let x = 0.12 + Float(number) * 0.17
      stage.addCapsule(
        Vector(x, 0, 4.15), Vector(x, 2, 4.15), 0.03 / (1 + 0.55 * Float(number)), .metal,
        Self.paint)
    }
  }

  /// Boards at slight angles, whose edges cross pixel rows slowly.
  private func slats(_ stage: inout Stage) {
    for number in 0..<5 {
      stage.addBox(
        Vector(-1.1, 0.55 + Float(number) * 0.22, 4.3), halfSides: Vector(0.3, 0.032, 0.01), .metal,
        Self.paint * 1.6, tilt: 0.002 + 0.006 * Float(number))
    }
  }

  private func ring(_ stage: inout Stage) {
    let pieces = 48
    func point(_ index: Int) -> Vector {
      let angle = Float(index) / Float(pieces)
      return Vector(0.8 + 0.24 * cosineOfTurns(angle), 1.33 + 0.24 * sineOfTurns(angle), 4.0)
    }
    for index in 0..<pieces {
      stage.addCapsule(point(index), point(index + 1), 0.016, .metal, Self.paint)
    }
  }

  /// Lamps before the focus, which cover what is sharp; the outer ones are cut by the border.
  private func nearLamps(_ stage: inout Stage) {
    for (x, y) in [
      (Float(-0.71), Float(0.7)), (-0.35, 1.12), (0.2, 1.17), (0.72, 0.95), (0.58, 0.55),
    ] {
      stage.addBulb(Vector(x, y, 1.95), 0.012, Vector(1.0, 0.62, 0.28), power: 20)
    }
  }
}
