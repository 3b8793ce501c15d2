// SPDX-License-Identifier: Apache-2.0

/// The unmoving things on the terrace: railing, lamps on strings, crates, pots and grass.
struct Terrace {
  let seed: UInt64

  private static let bulbColors = [
    Vector(1.0, 0.56, 0.2), Vector(1.0, 0.66, 0.3), Vector(1.0, 0.48, 0.16),
    Vector(1.0, 0.74, 0.42),
  ]

  /// - Parameter time: seconds; the wind moves the strings and the grass.
  func build(on stage: inout Stage, time: Float) {
    railing(&stage)
    strings(&stage, time)
    streetLamps(&stage)
    crates(&stage)
    grass(&stage, time)
  }

  private func railing(_ stage: inout Stage) {
    let z: Float = Stage.terraceEnd - 0.25
    let paint = Vector(0.035, 0.04, 0.05)
    var x: Float = -5.2
    while x <= 5.2 {
      stage.addCapsule(Vector(x, 0, z), Vector(x, 0.72, z), 0.009, .metal, paint)
      x += 0.13
    }
    for height: Float in [0.1, 0.72] {
      var x: Float = -5.2
      while x < 5.2 {
        stage.addCapsule(Vector(x, height, z), Vector(x + 1.3, height, z), 0.018, .metal, paint)
        x += 1.3
      }
    }
    for x: Float in [-4.1, -1.4, 1.4, 4.1] {
      stage.addCapsule(Vector(x, 0, z), Vector(x, 2.5, z), 0.035, .metal, paint * 1.3)
    }
  }

  /// Lamps on strings: two that run from the railing's posts over the camera, three that cross.
  private func strings(_ stage: inout Stage, _ time: Float) {
    let z: Float = Stage.terraceEnd - 0.25
    let wind = 0.02 * sineOfTurns(time * 0.31)
    string(
      &stage, from: Vector(-4.1, 2.5, z), to: Vector(-0.66, 1.17, 1.55), sag: 0.2, bulbs: 21,
      sway: wind, salt: 1)
    string(
      &stage, from: Vector(4.1, 2.5, z), to: Vector(0.56, 1.07, 1.6), sag: 0.24, bulbs: 21,
      sway: -wind, salt: 2)
    string(
      &stage, from: Vector(-4.1, 2.5, z), to: Vector(-1.4, 2.42, z), sag: 0.4, bulbs: 8, sway: wind,
      salt: 3)
    string(
      &stage, from: Vector(-1.4, 2.42, z), to: Vector(1.4, 2.42, z), sag: 0.5, bulbs: 9,
      sway: -wind, salt: 4)
    string(
      &stage, from: Vector(1.4, 2.42, z), to: Vector(4.1, 2.5, z), sag: 0.4, bulbs: 8, sway: wind,
      salt: 5)
    string(
      &stage, from: Vector(-2.7, 1.9, 6.8), to: Vector(2.9, 1.86, 7.4), sag: 0.34, bulbs: 13,
      sway: wind, salt: 6)
  }

  private func string(
    _ stage: inout Stage, from a: Vector, to b: Vector, sag: Float, bulbs: Int, sway: Float,
    salt: UInt64
  ) {
    var generator = SeededGenerator(seed: seed &* 31 &+ salt)
    func at(_ t: Float) -> Vector {
      let hang = 4 * t * (1 - t)
      return mix(a, b, t) + Vector(sway * hang, -sag * hang, 0)
    }
    let pieces = bulbs * 3
    for i in 0..<pieces {
      stage.addCapsule(
        at(Float(i) / Float(pieces)), at(Float(i + 1) / Float(pieces)), 0.0032, .metal,
        Vector(0.02, 0.02, 0.022))
    }
    for i in 0..<bulbs {
      let t = (Float(i) + 0.5) / Float(bulbs)
      let color = Self.bulbColors[Int(generator.next() % 4)]
      let radius = generator.between(0.021, 0.026)
      // Strings that come close to the camera carry weaker lamps: their discs are large.
      let power = generator.between(9, 26) * (at(t).z < 3 ? 0.35 : 1)
      stage.addBulb(at(t) - Vector(0, radius * 2.4, 0), radius, color, power: power)
    }
  }

  /// Lamps of a distant street, just in front of the backdrop.
  private func streetLamps(_ stage: inout Stage) {
    var generator = SeededGenerator(seed: seed &* 31 &+ 90)
    for i in 0..<26 {
      let x = -17 + 34 * (Float(i) + generator.between(-0.35, 0.35)) / 25
      let y = generator.between(-0.1, 1.7)
      let z = generator.between(30, 36)
      let warm = generator.unit()
      let color =
        warm < 0.7
        ? mix(Vector(1.0, 0.5, 0.18), Vector(1.0, 0.75, 0.45), warm)
        : warm < 0.85 ? Vector(1.0, 0.16, 0.1) : Vector(0.45, 0.8, 1.0)
      let radius = generator.between(0.045, 0.075)
      let power = generator.between(10, 40)
      stage.addSphere(Vector(x, y, z), radius, .bulb, color)
      stage.solids[stage.solids.count - 1].emission = power
    }
  }

  private func crates(_ stage: inout Stage) {
    crate(&stage, Vector(1.64, 0.21, 5.1), Vector(0.3, 0.21, 0.24), yaw: 0.06, salt: 3)
    crate(&stage, Vector(1.67, 0.55, 5.12), Vector(0.2, 0.13, 0.18), yaw: -0.03, salt: 8)
    crate(&stage, Vector(-2.0, 0.24, 6.4), Vector(0.34, 0.24, 0.28), yaw: -0.07, salt: 5)
    crate(&stage, Vector(2.7, 0.24, 8.6), Vector(0.4, 0.24, 0.3), yaw: 0.02, salt: 6)
    lantern(&stage, Vector(1.62, 0.68, 5.08))
    lantern(&stage, Vector(-2.0, 0.48, 6.36))
    pot(&stage, Vector(-1.62, 0, 6.0), height: 0.26, radius: 0.14, salt: 1)
    pot(&stage, Vector(2.15, 0, 6.5), height: 0.34, radius: 0.18, salt: 2)
    pot(&stage, Vector(-2.9, 0, 9.6), height: 0.4, radius: 0.22, salt: 3)
    pot(&stage, Vector(2.2, 0, 10.2), height: 0.4, radius: 0.22, salt: 4)
  }

  private func crate(
    _ stage: inout Stage, _ center: Vector, _ size: Vector, yaw: Float, salt: Float
  ) {
    let place = Placement(origin: center, yaw: yaw, scale: 1)
    var solid = Primitive(
      shape: .box, material: .crate, center: center, color: Vector(0.42, 0.25, 0.12))
    solid.size = size
    solid.right = place.right
    solid.front = place.front
    solid.variation = salt
    let r = min(size.x, size.z) * 0.95
    let half = place.right * max(0, size.x - r)
    solid.occluder = stage.addOccluder(center - half, center + half, r)
    stage.solids.append(solid)
  }

  /// A candle behind glass: a bright core between four rods and a roof.
  private func lantern(_ stage: inout Stage, _ p: Vector) {
    let paint = Vector(0.05, 0.045, 0.04)
    for (x, z) in [(-1, -1), (1, -1), (-1, 1), (1, 1)] as [(Float, Float)] {
      stage.addCapsule(
        p + Vector(x * 0.06, 0, z * 0.06), p + Vector(x * 0.06, 0.17, z * 0.06), 0.005, .metal,
        paint)
    }
    var roof = Primitive(
      shape: .revolution, material: .metal, center: p + Vector(0, 0.17, 0), color: paint)
    roof.size = Vector(0, 0.07, 0)
    roof.profile = Vector(0.0081, -0.2, 1.25)
    stage.solids.append(roof)
    stage.addSphere(p + Vector(0, 0.075, 0), 0.034, .bulb, Vector(1.0, 0.5, 0.16))
    stage.solids[stage.solids.count - 1].emission = 16
  }

  /// A flower pot with a bush of leaves.
  private func pot(
    _ stage: inout Stage, _ p: Vector, height: Float, radius: Float, salt: UInt64
  ) {
    var generator = SeededGenerator(seed: seed &* 31 &+ 200 &+ salt)
    var solid = Primitive(
      shape: .revolution, material: .plain, center: p, color: Vector(0.45, 0.17, 0.09))
    solid.size = Vector(0, height, 0)
    let low = radius * radius * 0.5
    solid.profile = Vector(low, (radius * radius - low) / height, 0)
    solid.occluder = stage.addOccluder(
      p + Vector(0, height * 0.4, 0), p + Vector(0, height + radius, 0), radius * 1.15)
    stage.solids.append(solid)
    let crown = p + Vector(0, height + radius * 0.9, 0)
    for _ in 0..<64 {
      let angle = generator.unit()
      let rise = generator.between(-0.5, 1)
      let out = (1 - rise * rise * 0.8) * radius * generator.between(0.7, 1.25)
      let c = cosineOfTurns(angle)
      let s = sineOfTurns(angle)
      leaf(
        &stage, at: crown + Vector(c * out, rise * radius * 1.2, s * out),
        along: normalize(Vector(c, 0.5 + rise * 0.5, s)),
        size: radius * generator.between(0.26, 0.4),
        tone: generator.between(0.7, 1.3), occluder: solid.occluder, turn: generator.unit())
    }
  }

  private func leaf(
    _ stage: inout Stage, at p: Vector, along: Vector, size: Float, tone: Float, occluder: Int16,
    turn: Float
  ) {
    var solid = Primitive(
      shape: .ellipsoid, material: .leaf, center: p, color: Vector(0.1, 0.24, 0.06) * tone)
    solid.size = Vector(size * 0.45, size, size * 0.07)
    solid.accent = Vector(0.24, 0.38, 0.12) * tone
    solid.up = along
    let side = normalize(cross(along, Vector(0.3, 0.2, -1)))
    let other = cross(side, along)
    solid.right = side * cosineOfTurns(turn * 0.3) + other * sineOfTurns(turn * 0.3)
    solid.front = cross(solid.right, along)
    solid.variation = tone
    solid.occluder = occluder
    stage.solids.append(solid)
  }

  /// Tall grass at the right, near the camera: blades, and ears on hair-thin stalks.
  private func grass(_ stage: inout Stage, _ time: Float) {
    var generator = SeededGenerator(seed: seed &* 31 &+ 300)
    for i in 0..<34 {
      let depth = generator.between(1.5, 2.15)
      let root = Vector(generator.between(0.5, 0.82) * depth / 1.75, 0.02, depth)
      let height = generator.between(0.45, 0.98)
      let lean = generator.between(-0.2, 0.1)
      let phase = generator.unit()
      let sway = 0.025 * sineOfTurns(time * 0.37 + phase)
      let thin = i % 3 == 0
      let tone = generator.between(0.6, 1.25)
      var previous = root
      let steps = 7
      for step in 1...steps {
        let t = Float(step) / Float(steps)
        let next =
          root
          + Vector((lean * 0.7 + sway) * t * t, height * t * (1 - 0.14 * t), -0.1 * lean * t * t)
        let radius: Float = thin ? 0.0016 : mix(0.0062, 0.0012, t * t)
        stage.addCapsule(
          previous, next, radius, .leaf, Vector(0.13, 0.22, 0.06) * tone,
          accent: Vector(0.2, 0.28, 0.09) * tone)
        if thin && step > 4 {
          for k: Float in [-1, 1] {
            leaf(
              &stage, at: mix(previous, next, 0.5) + Vector(k * 0.01, 0.006, 0),
              along: normalize(Vector(k * 0.6, 1, -0.2)), size: 0.021, tone: 2.2 * tone,
              occluder: -1, turn: phase)
          }
        }
        previous = next
      }
    }
  }
}
