// SPDX-License-Identifier: Apache-2.0

extension Figure {
  /// Hair, hat and loose strands around a head.
  func buildHair(_ stage: inout Stage, _ head: Placement, _ occluder: Int16, seed: UInt64) {
    let s = head.scale
    func ellipsoid(
      _ center: Vector, _ size: Vector, _ material: Material, _ color: Vector,
      accent: Vector = .zero
    ) {
      var solid = Primitive(shape: .ellipsoid, material: material, center: center, color: color)
      solid.size = size * s
      solid.accent = accent
      solid.right = head.right
      solid.front = head.front
      solid.occluder = occluder
      stage.solids.append(solid)
    }
    switch hairStyle {
    case .short:
      ellipsoid(head.point(0, 0.985, -0.035), Vector(0.168, 0.146, 0.16), .hair, hair)
    case .bun:
      ellipsoid(head.point(0, 0.98, -0.035), Vector(0.17, 0.152, 0.162), .hair, hair)
      ellipsoid(head.point(0, 1.14, -0.05), Vector(0.078, 0.07, 0.078), .hair, hair)
    case .long:
      ellipsoid(head.point(0, 0.98, -0.04), Vector(0.178, 0.155, 0.165), .hair, hair)
      for side: Float in [-1, 1] {
        ellipsoid(
          head.point(side * 0.135, 0.85, -0.05), Vector(0.062, 0.19, 0.085), .hair, hair)
      }
    case .cap:
      ellipsoid(head.point(0, 0.975, -0.04), Vector(0.165, 0.13, 0.155), .hair, hair)
      ellipsoid(
        head.point(0, 1.015, -0.012), Vector(0.172, 0.128, 0.168), .knit, coat, accent: stripes)
      ellipsoid(
        head.point(0, 1.155, -0.012), Vector(0.045, 0.042, 0.045), .knit, stripes, accent: stripes)
    }
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<strands {
      strand(&stage, head, &generator)
    }
  }

  /// One loose hair: a bent line a thousandth of the figure thick, from the scalp outwards.
  private func strand(
    _ stage: inout Stage, _ head: Placement, _ generator: inout SeededGenerator
  ) {
    let s = head.scale
    let angle = generator.between(-0.36, 0.36)
    let back = generator.between(-0.14, 0.05)
    let out = generator.between(0.05, 0.12)
    let curl = generator.between(-0.06, 0.06)
    let c = sineOfTurns(angle)
    let d = cosineOfTurns(angle)
    var previous = head.point(c * 0.155, 0.985 + d * 0.13, -0.035 + back)
    for step in 1...5 {
      let t = Float(step) / 5
      let reach = 0.15 + out * t
      // Rises away from the head, then falls by its weight.
      let next = head.point(
        c * (reach + 0.012) + curl * t * t, 0.985 + d * reach * 0.9 - 0.09 * t * t * abs(c),
        -0.035 + back * (1 - 0.4 * t))
      stage.addCapsule(previous, next, 0.0011 * s, .plain, hair * 2.4 + Vector(0.02, 0.012, 0.006))
      previous = next
    }
  }
}
