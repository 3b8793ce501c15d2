// SPDX-License-Identifier: Apache-2.0

/// A person of simple shapes: about 1.1 units tall, with a painted face and a knitted coat.
struct Figure {
  enum Hair { case bun, cap, short, long }

  var skin = Vector(0.78, 0.48, 0.33)
  var hair = Vector(0.07, 0.032, 0.014)
  var hairStyle = Hair.short
  var eyes = Vector(0.16, 0.3, 0.42)
  var coat = Vector(0.62, 0.07, 0.05)
  var stripes = Vector(0.82, 0.74, 0.56)
  var trousers = Vector(0.06, 0.08, 0.16)
  var scarf: Vector? = nil
  var usesChecks = false
  /// Loose hairs around the head.
  var strands = 0

  /// The figure's pose at the moment.
  struct Pose {
    var position: Vector
    /// In turns; 0 faces the camera.
    var yaw: Float
    /// The head's own turn on top of it.
    var headYaw: Float = 0
    /// Steps walked, in whole strides.
    var stride: Float = 0
    /// 0 stands, 1 walks.
    var walking: Float = 0
    /// 0 open, 1 closed.
    var blink: Float = 0
    /// A raised right arm, 0...1.
    var wave: Float = 0
  }

  /// Where the head and the coat are, for the detections.
  struct Parts {
    var headCenter: Vector
    var headRadius: Float
    var headFront: Vector
    var torsoBottom: Vector
    var torsoTop: Vector
    var torsoRadius: Float
  }

  /// The parts of a figure in a pose, without building it.
  func parts(_ pose: Pose, scale: Float) -> Parts {
    let place = placement(pose, scale)
    let head = Placement(origin: place.origin, yaw: pose.yaw + pose.headYaw, scale: scale)
    return Parts(
      headCenter: place.point(0, 0.93, 0), headRadius: 0.175 * scale, headFront: head.front,
      torsoBottom: place.point(0, 0.3, 0), torsoTop: place.point(0, 0.74, 0),
      torsoRadius: 0.215 * scale)
  }

  private func placement(_ pose: Pose, _ scale: Float) -> Placement {
    let bounce = pose.walking * 0.035 * abs(sineOfTurns(pose.stride))
    return Placement(
      origin: pose.position + Vector(0, bounce * scale, 0), yaw: pose.yaw, scale: scale)
  }

  /// Adds the figure to a stage.
  func build(on stage: inout Stage, pose: Pose, scale: Float, seed: UInt64) {
    let place = placement(pose, scale)
    let legs = stage.addOccluder(place.point(0, 0.05, 0), place.point(0, 0.25, 0), 0.1 * scale)
    let body = stage.addOccluder(place.point(0, 0.4, 0), place.point(0, 0.66, 0), 0.18 * scale)
    let skull = stage.addOccluder(place.point(0, 0.93, 0), place.point(0, 0.93, 0), 0.18 * scale)
    buildLegs(&stage, place, pose, legs)
    buildCoat(&stage, place, pose, body)
    let head = Placement(
      origin: place.origin, yaw: pose.yaw + pose.headYaw, scale: scale)
    buildHead(&stage, head, pose, skull)
    buildHair(&stage, head, skull, seed: seed)
  }

  private func buildLegs(
    _ stage: inout Stage, _ place: Placement, _ pose: Pose, _ occluder: Int16
  ) {
    for side: Float in [-1, 1] {
      let swing = pose.walking * sineOfTurns(pose.stride + (side > 0 ? 0 : 0.5))
      let lift = max(0, pose.walking * cosineOfTurns(pose.stride + (side > 0 ? 0 : 0.5)))
      let hip = place.point(side * 0.085, 0.34, 0)
      let foot = place.point(side * 0.09, 0.06 + 0.05 * lift, swing * 0.16)
      stage.addCapsule(hip, foot, 0.058 * place.scale, .plain, trousers, occluder: occluder)
      var shoe = Primitive(
        shape: .ellipsoid, material: .plain,
        center: foot + place.direction(Vector(0, -0.02, 0.035)) * place.scale,
        color: Vector(0.16, 0.07, 0.035))
      shoe.size = Vector(0.062, 0.045, 0.1) * place.scale
      shoe.right = place.right
      shoe.front = place.front
      shoe.occluder = occluder
      stage.solids.append(shoe)
    }
  }

  private func buildCoat(
    _ stage: inout Stage, _ place: Placement, _ pose: Pose, _ occluder: Int16
  ) {
    let s = place.scale
    var solid = Primitive(
      shape: .revolution, material: usesChecks ? .check : .knit, center: place.point(0, 0.27, 0),
      color: coat)
    // Squared radius 0.215² at the hem to 0.1² at the neck, bulging: r² = A + B h + C h².
    let h = 0.5 * s
    let a = 0.205 * 0.205 * s * s
    let top = 0.085 * 0.085 * s * s
    let bend: Float = -0.06
    solid.size = Vector(0, h, 0)
    solid.profile = Vector(a, (top - a - bend * h * h) / h, bend)
    solid.accent = stripes
    solid.right = place.right
    solid.front = place.front
    solid.occluder = occluder
    stage.solids.append(solid)
    for side: Float in [-1, 1] {
      let swing = pose.walking * 0.12 * sineOfTurns(pose.stride + (side > 0 ? 0.5 : 0))
      let raised = side > 0 ? pose.wave : 0
      let shoulder = place.point(side * 0.125, 0.68, 0)
      let elbow = place.point(
        side * mix(0.225, 0.3, raised), mix(0.52, 0.66, raised), swing * 0.5 + 0.02)
      let hand = place.point(
        side * mix(0.215, 0.34, raised), mix(0.37, 0.88, raised), swing + 0.07)
      stage.addCapsule(
        shoulder, elbow, 0.052 * s, .knit, coat, accent: coat * 1.1, occluder: occluder)
      stage.addCapsule(
        elbow, hand, 0.047 * s, .knit, coat, accent: coat * 1.1, occluder: occluder)
      stage.addSphere(hand, 0.05 * s, .plain, skin, occluder: occluder)
    }
    // Buttons down the front follow the coat's outline.
    for i in 0..<4 {
      let y = 0.36 + 0.095 * Float(i)
      let hh = (y - 0.27) * s
      let r = (solid.profile.x + hh * (solid.profile.y + solid.profile.z * hh)).squareRoot() / s
      stage.addSphere(
        place.point(0, y, r), 0.0135 * s, .metal, Vector(0.6, 0.5, 0.3), occluder: occluder)
    }
    if let scarf {
      var wrap = Primitive(
        shape: .ellipsoid, material: .knit, center: place.point(0, 0.755, 0.005), color: scarf)
      wrap.size = Vector(0.13, 0.06, 0.13) * s
      wrap.accent = scarf * 0.5
      wrap.right = place.right
      wrap.front = place.front
      wrap.occluder = occluder
      stage.solids.append(wrap)
      stage.addCapsule(
        place.point(0.05, 0.73, 0.11), place.point(0.075, 0.54, 0.185), 0.034 * s, .knit, scarf,
        accent: scarf * 0.5, occluder: occluder)
    }
  }

  private func buildHead(
    _ stage: inout Stage, _ head: Placement, _ pose: Pose, _ occluder: Int16
  ) {
    let s = head.scale
    stage.addCapsule(
      head.point(0, 0.7, 0), head.point(0, 0.82, 0), 0.06 * s, .plain, skin, occluder: occluder)
    var skull = Primitive(
      shape: .ellipsoid, material: .face, center: head.point(0, 0.93, 0), color: skin)
    skull.size = Vector(0.158, 0.178, 0.162) * s
    skull.accent = eyes
    skull.variation = pose.blink
    skull.right = head.right
    skull.front = head.front
    skull.occluder = occluder
    stage.solids.append(skull)
    stage.addSphere(
      head.point(0, 0.912, 0.166), 0.025 * s, .plain, skin * Vector(1, 0.86, 0.8),
      occluder: occluder)
    for side: Float in [-1, 1] {
      stage.addSphere(
        head.point(side * 0.158, 0.925, -0.01), 0.034 * s, .plain, skin * Vector(1, 0.84, 0.78),
        occluder: occluder)
    }
  }
}
