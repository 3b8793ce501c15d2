// SPDX-License-Identifier: Apache-2.0

/// The scene at one moment: solids, what casts shadows, and where the camera stands.
struct Stage {
  var solids: [Primitive] = []
  var occluders: [Occluder] = []
  var camera: Camera
  let noise: NoiseField
  let backdrop: Backdrop
  /// How far the ground reaches, as a world z.
  var groundEnd = Self.terraceEnd
  /// The same of the terrace.
  static let terraceEnd: Float = 11.2
  /// The share of the evening's light that is left: 1 at dusk, less at night. Lamps shine as they do.
  var evening: Float = 1

  /// A thick segment that hides light; `end` equal to `start` is a sphere.
  struct Occluder {
    var start: Vector
    var end: Vector
    var radius: Float
  }

  mutating func addOccluder(_ start: Vector, _ end: Vector, _ radius: Float) -> Int16 {
    occluders.append(Occluder(start: start, end: end, radius: radius))
    return Int16(occluders.count - 1)
  }

  mutating func addSphere(
    _ center: Vector, _ radius: Float, _ material: Material, _ color: Vector,
    accent: Vector = .zero, occluder: Int16 = -1
  ) {
    var solid = Primitive(shape: .sphere, material: material, center: center, color: color)
    solid.radius = radius
    solid.accent = accent
    solid.occluder = occluder
    solids.append(solid)
  }

  mutating func addCapsule(
    _ a: Vector, _ b: Vector, _ radius: Float, _ material: Material, _ color: Vector,
    accent: Vector = .zero, occluder: Int16 = -1
  ) {
    var solid = Primitive(shape: .capsule, material: material, center: a, color: color)
    solid.end = b
    solid.radius = radius
    solid.accent = accent
    solid.occluder = occluder
    // The frame follows the segment, so that patterns run along it.
    let up = normalize(b - a)
    let side = abs(up.z) < 0.9 ? normalize(cross(up, Vector(0, 0, -1))) : Vector(1, 0, 0)
    solid.up = up
    solid.right = side
    solid.front = cross(side, up)
    solids.append(solid)
  }

  mutating func addBox(
    _ center: Vector, halfSides: Vector, _ material: Material, _ color: Vector, tilt: Float = 0
  ) {
    var solid = Primitive(shape: .box, material: material, center: center, color: color)
    solid.size = halfSides
    let (c, s) = (cosineOfTurns(tilt), sineOfTurns(tilt))
    solid.right = Vector(c, s, 0)
    solid.up = Vector(-s, c, 0)
    solids.append(solid)
  }

  /// A light without a socket.
  mutating func addLight(_ center: Vector, _ radius: Float, _ color: Vector, power: Float) {
    addSphere(center, radius, .bulb, color)
    solids[solids.count - 1].emission = power
  }

  /// A light bulb with its socket.
  mutating func addBulb(_ center: Vector, _ radius: Float, _ color: Vector, power: Float) {
    addLight(center, radius, color, power: power)
    addCapsule(
      center + Vector(0, radius * 1.05, 0), center + Vector(0, radius * 1.9, 0), radius * 0.5,
      .metal, Vector(0.03, 0.028, 0.026))
  }
}

/// A standing thing's own axes: where it stands, which way it faces, how large it is.
struct Placement {
  var origin: Vector
  var scale: Float
  let right: Vector
  let front: Vector

  /// - Parameter yaw: in turns; 0 faces the camera, a quarter faces to the right.
  init(origin: Vector, yaw: Float, scale: Float) {
    self.origin = origin
    self.scale = scale
    let c = cosineOfTurns(yaw)
    let s = sineOfTurns(yaw)
    front = Vector(s, 0, -c)
    right = Vector(c, 0, s)
  }

  func point(_ x: Float, _ y: Float, _ z: Float) -> Vector {
    origin + (right * x + Vector(0, y, 0) + front * z) * scale
  }

  func direction(_ v: Vector) -> Vector { right * v.x + Vector(0, v.y, 0) + front * v.z }
}
