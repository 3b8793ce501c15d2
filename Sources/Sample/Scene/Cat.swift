// SPDX-License-Identifier: Apache-2.0

/// A cat that sits.
struct Cat {
  var coat = Vector(0.5, 0.27, 0.12)
  var stripes = Vector(0.13, 0.06, 0.03)

  /// Where its head is, and how large.
  static func head(_ place: Placement) -> (Vector, Float) {
    (place.point(0, 0.335, 0.05), 0.1 * place.scale)
  }

  /// - Parameters:
  ///   - tail: where in its swing the tail is, in turns.
  ///   - blink: 0 open, 1 closed.
  func build(
    on stage: inout Stage, at place: Placement, headYaw: Float, tail: Float, blink: Float
  ) {
    let s = place.scale
    let body = stage.addOccluder(place.point(0, 0.1, 0), place.point(0, 0.2, 0.02), 0.11 * s)
    let (headCenter, headRadius) = Self.head(place)
    let skull = stage.addOccluder(headCenter, headCenter, headRadius)
    var torso = Primitive(
      shape: .revolution, material: .tabby, center: place.point(0, 0, 0), color: coat)
    torso.size = Vector(0, 0.29 * s, 0)
    let a = 0.135 * 0.135 * s * s
    torso.profile = Vector(a, 0.012 * s, -0.27)
    torso.accent = stripes
    torso.right = place.right
    torso.front = place.front
    torso.occluder = body
    stage.solids.append(torso)
    for side: Float in [-1, 1] {
      stage.addCapsule(
        place.point(side * 0.05, 0.2, 0.1), place.point(side * 0.05, 0.03, 0.135), 0.03 * s,
        .tabby, coat * 1.1, accent: coat, occluder: body)
    }
    var previous = place.point(0.1, 0.04, -0.1)
    for i in 1...8 {
      let t = Float(i) / 8
      let swing = sineOfTurns(tail + t * 0.3) * 0.07 * t
      let next = place.point(
        0.1 + 0.2 * sineOfTurns(t * 0.3), 0.04 + 0.2 * t * t, -0.1 + 0.1 * t + swing)
      stage.addCapsule(previous, next, (0.026 - 0.008 * t) * s, .tabby, coat, accent: stripes)
      previous = next
    }
    let turned = Placement(origin: headCenter, yaw: headYaw, scale: s)
    var head = Primitive(shape: .sphere, material: .catFace, center: headCenter, color: coat)
    head.radius = headRadius
    head.accent = stripes
    head.right = turned.right
    head.front = turned.front
    head.variation = blink
    head.occluder = skull
    stage.solids.append(head)
    for side: Float in [-1, 1] {
      buildEar(&stage, turned, side, skull)
      for i in 0..<4 {
        let droop = Float(i) * 0.022
        stage.addCapsule(
          turned.point(side * 0.03, -0.032 - droop * 0.4, 0.094),
          turned.point(side * 0.175, -0.005 - droop * 1.6, 0.085), 0.0008 * s, .plain,
          Vector(0.75, 0.72, 0.66))
      }
    }
  }

  private func buildEar(
    _ stage: inout Stage, _ head: Placement, _ side: Float, _ occluder: Int16
  ) {
    var ear = Primitive(
      shape: .revolution, material: .tabby, center: head.point(side * 0.058, 0.06, 0), color: coat)
    // A cone: the squared radius falls as the square of what is left of the height.
    let s = head.scale
    let h = 0.085 * s
    let r = 0.042 * s
    ear.size = Vector(0, h, 0)
    ear.profile = Vector(r * r, -2 * r * r / h, r * r / (h * h))
    ear.up = normalize(Vector(head.right.x * side * 0.35, 1, head.right.z * side * 0.35))
    ear.right = normalize(head.right - ear.up * dot(head.right, ear.up))
    ear.front = cross(ear.right, ear.up)
    if dot(ear.front, head.front) < 0 { ear.front = -ear.front }
    ear.accent = stripes
    ear.occluder = occluder
    stage.solids.append(ear)
  }
}
