// SPDX-License-Identifier: Apache-2.0

/// A street at night, seen from its middle: lamps on posts, cars that come and go, signs and windows along the
/// houses. The difficulty is the number of small lights, hundreds of them, much brighter than all around them.
struct Street {
  let seed: UInt64

  /// The light that the night leaves.
  static let evening: Float = 0.13

  private static let paint = Vector(0.03, 0.032, 0.04)
  private static let signs = [
    Vector(1.0, 0.25, 0.12), Vector(0.2, 0.5, 1.0), Vector(0.25, 1.0, 0.45), Vector(1.0, 0.3, 0.8),
    Vector(1.0, 0.72, 0.35), Vector(0.95, 0.95, 1.0),
  ]

  /// - Parameter time: seconds; the cars move.
  func build(on stage: inout Stage, time: Float) {
    stage.groundEnd = 36
    stage.evening = Self.evening
    posts(&stage)
    cars(&stage, time)
    houses(&stage)
    crossing(&stage)
  }

  private func posts(_ stage: inout Stage) {
    for side: Float in [-1, 1] {
      for number in 0..<9 {
        let z = 5.2 + Float(number) * 3.3 + (side > 0 ? 1.5 : 0)
        let x = side * 2.3
        stage.addCapsule(Vector(x, 0, z), Vector(x, 2.7, z), 0.035, .metal, Self.paint)
        stage.addCapsule(
          Vector(x, 2.7, z), Vector(x - side * 0.6, 2.78, z), 0.025, .metal, Self.paint)
        let isWarm = number % 3 != 1
        stage.addBulb(
          Vector(x - side * 0.6, 2.66, z), 0.05,
          isWarm ? Vector(1.0, 0.6, 0.24) : Vector(0.85, 0.93, 1.0), power: 38)
      }
    }
  }

  /// Those in the left lane come, those in the right one go.
  private func cars(_ stage: inout Stage, _ time: Float) {
    for number in 0..<5 {
      let coming = 8.5 + fraction(Float(number) * 0.23 - time * 0.04) * 24
      car(&stage, x: -1.15, z: coming, comes: true, number)
      let going = 7.5 + fraction(Float(number) * 0.19 + 0.1 + time * 0.03) * 26
      car(&stage, x: 1.2, z: going, comes: false, number)
    }
  }

  private func car(
    _ stage: inout Stage, x: Float, z: Float, comes: Bool, _ number: Int
  ) {
    let color = mix(Self.paint * 2, Vector(0.2, 0.05, 0.04), Float(number % 2))
    stage.addBox(
      Vector(x, 0.42, z + 1.1), halfSides: Vector(0.62, 0.24, 1.05), .metal, color)
    stage.addBox(
      Vector(x, 0.8, z + 1.25), halfSides: Vector(0.5, 0.2, 0.6), .metal, color * 0.6)
    for side: Float in [-1, 1] {
      let center = Vector(x + side * 0.46, 0.46, z)
      if comes {
        stage.addLight(center, 0.055, Vector(1.0, 0.95, 0.85), power: 40)
      } else {
        stage.addLight(center, 0.04, Vector(1.0, 0.06, 0.03), power: 16)
        stage.addLight(center - Vector(side * 0.12, 0, 0), 0.025, Vector(1.0, 0.1, 0.04), power: 12)
      }
    }
  }

  /// Fronts on both sides, with signs and strings of small lights.
  private func houses(_ stage: inout Stage) {
    var generator = SeededGenerator(seed: seed &* 53 &+ 7)
    for side: Float in [-1, 1] {
      for number in 0..<6 {
        let z = 6.5 + Float(number) * 5
        let tone = generator.between(0.5, 1.2)
        stage.addBox(
          Vector(side * 5.2, 2.2, z + 1.6), halfSides: Vector(1.7, 2.6, 1.9), .crate,
          Vector(0.1, 0.085, 0.08) * tone)
      }
      for _ in 0..<110 {
        let z = generator.between(5.5, 34)
        let at = Vector(
          side * generator.between(2.7, 3.42), generator.between(0.35, 3.2), z)
        let color = Self.signs[Int(generator.unit() * Float(Self.signs.count))]
        stage.addLight(
          at, generator.between(0.008, 0.03), color, power: generator.between(5, 36))
      }
    }
  }

  /// Traffic lights over the street, and a string of bulbs across it.
  private func crossing(_ stage: inout Stage) {
    for (number, z) in [Float(12), 21, 30].enumerated() {
      stage.addCapsule(
        Vector(-2.6, 2.25, z), Vector(2.6, 2.25, z), 0.012, .metal, Self.paint)
      for x: Float in [-0.9, 0.9] {
        stage.addBox(
          Vector(x, 2.0, z + 0.06), halfSides: Vector(0.1, 0.22, 0.05), .metal, Self.paint)
        let isRed = number != 1
        stage.addLight(
          Vector(x, isRed ? 2.12 : 1.88, z), 0.05,
          isRed ? Vector(1.0, 0.05, 0.02) : Vector(0.1, 1.0, 0.4), power: 22)
      }
    }
  }
}
