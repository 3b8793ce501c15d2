// SPDX-License-Identifier: Apache-2.0

/// Things as thin as a pixel: wheels that turn, a fence of wire, and what shines through them. The difficulty is that
/// almost every pixel of a wheel holds an edge, and that a map of fewer pixels has none of them.
struct Spokes {
  let seed: UInt64

  private static let steel = Vector(0.3, 0.31, 0.33)
  private static let rubber = Vector(0.03, 0.03, 0.035)

  /// - Parameter time: seconds; the wheels turn.
  func build(on stage: inout Stage, time: Float) {
    // In front of the lead, as far as the lead, and behind the friend.
    wheel(&stage, Vector(0.3, 0.5, 2.3), radius: 0.3, spokes: 28, turn: time * 0.031)
    wheel(&stage, Vector(0.36, 0.62, 4.15), radius: 0.42, spokes: 36, turn: -time * 0.02)
    wheel(&stage, Vector(-1.5, 0.7, 7.2), radius: 0.62, spokes: 32, turn: time * 0.017)
    fence(&stage)
    lamps(&stage)
  }

  private func wheel(
    _ stage: inout Stage, _ center: Vector, radius: Float, spokes: Int, turn: Float
  ) {
    func rim(_ angle: Float, _ r: Float) -> Vector {
      center + Vector(r * cosineOfTurns(angle), r * sineOfTurns(angle), 0)
    }
    let pieces = 60
    for piece in 0..<pieces {
      let (a, b) = (Float(piece) / Float(pieces), Float(piece + 1) / Float(pieces))
      stage.addCapsule(rim(a, radius), rim(b, radius), radius * 0.035, .metal, Self.rubber)
      stage.addCapsule(
        rim(a, radius * 0.95), rim(b, radius * 0.95), radius * 0.014, .metal, Self.steel)
    }
    for spoke in 0..<spokes {
      // Spokes leave the hub sideways, by turns on either side of it.
      let lean: Float = spoke % 2 == 0 ? 0.02 : -0.02
      let angle = Float(spoke) / Float(spokes) + turn
      let depth = Vector(0, 0, spoke % 4 < 2 ? 0.02 : -0.02)
      stage.addCapsule(
        rim(angle + lean * 4, radius * 0.09) + depth, rim(angle, radius * 0.94), 0.0013, .metal,
        Self.steel)
    }
    stage.addSphere(center, radius * 0.09, .metal, Self.steel)
  }

  /// Wire in both diagonals, at the right, far behind the wheels.
  private func fence(_ stage: inout Stage) {
    let (z, height, width): (Float, Float, Float) = (6.4, 1.5, 2.3)
    let step: Float = 0.075
    var x: Float = 0.5 - height
    while x < 0.5 + width {
      for direction: Float in [-1, 1] {
        let from = direction > 0 ? x : x + height
        let low = max(0, direction > 0 ? 0.5 - from : from - (0.5 + width))
        let high = min(height, direction > 0 ? 0.5 + width - from : from - 0.5)
        if high - low > 0.01 {
          stage.addCapsule(
            Vector(from + direction * low, low, z), Vector(from + direction * high, high, z),
            0.0022,
            .metal, Self.steel)
        }
      }
      x += step
    }
    for x: Float in [0.5, 1.65, 2.8] {
      stage.addCapsule(Vector(x, 0, z), Vector(x, height, z), 0.022, .metal, Self.steel)
    }
  }

  private func lamps(_ stage: inout Stage) {
    var generator = SeededGenerator(seed: seed &* 71 &+ 3)
    for row in 0..<3 {
      let z = 9.5 + Float(row) * 0.6
      for column in 0..<11 {
        let x = (Float(column) - 5) * 0.62 + generator.between(-0.1, 0.1)
        stage.addLight(
          Vector(x, 0.5 + Float(row) * 0.62 + generator.between(-0.06, 0.06), z),
          generator.between(0.018, 0.04),
          mix(Vector(1.0, 0.5, 0.17), Vector(0.9, 0.95, 1.0), generator.unit()),
          power: generator.between(12, 40))
      }
    }
  }
}
