// SPDX-License-Identifier: Apache-2.0

import FocalCore

extension SampleScene {
  /// One of the people: a look, a size and what they do at a time.
  struct Role {
    let figure: Figure
    let scale: Float
    let pose: Figure.Pose
  }

  /// Seconds within the action.
  private func clamped(_ time: Time) -> Float {
    Float(max(0, min(Self.duration.seconds, time.seconds)))
  }

  /// The scene at a time.
  func stage(at time: Time) -> Stage {
    let action = clamped(time)
    // The wind goes on, with a period that keeps floats exact for hours.
    let wind = Float(time.seconds.truncatingRemainder(dividingBy: 10_000))
    var stage = Stage(
      camera: camera(action), noise: noise,
      backdrop: Backdrop(noise: noise, evening: kind == .street ? Street.evening : 1))
    switch kind {
    case .terrace: Terrace(seed: seed).build(on: &stage, time: wind)
    case .street: Street(seed: seed).build(on: &stage, time: action)
    case .spokes: Spokes(seed: seed).build(on: &stage, time: action)
    case .edges: Edges(seed: seed).build(on: &stage)
    }
    for (index, role) in cast(action).enumerated() {
      role.figure.build(
        on: &stage, pose: role.pose, scale: role.scale, seed: seed &+ UInt64(index) &* 977)
    }
    guard kind == .terrace else { return stage }
    let (cat, headYaw) = catPlacement(action)
    Cat().build(
      on: &stage, at: cat, headYaw: headYaw, tail: wind * 0.4, blink: blink(action, 0.61))
    let (ball, radius, roll) = ball(action)
    addBall(&stage, ball, radius, roll)
    return stage
  }

  /// The camera slides a hand's breadth to the right while the action lasts.
  private func camera(_ t: Float) -> Camera {
    let share = t / Float(Self.duration.seconds)
    return Camera(
      position: Vector(mix(-0.07, 0.07, smoothstep(0, 1, share)), 0.86, 0), pitch: 0.047)
  }

  private func blink(_ t: Float, _ phase: Float) -> Float {
    let x = fraction(t * 0.27 + phase)
    return smoothstep(0.03, 0.0, abs(x - 0.5))
  }

  /// The people, in the order of their identifiers.
  func cast(_ t: Float) -> [Role] {
    kind == .terrace ? [lead(t), friend(t), neighbour(t), walker(t)] : [lead(t), friend(t)]
  }

  /// The lead: left of the middle, turns to see who comes.
  private func lead(_ t: Float) -> Role {
    var figure = Figure()
    figure.hairStyle = .bun
    figure.hair = Vector(0.16, 0.058, 0.02)
    figure.coat = Vector(0.6, 0.075, 0.05)
    figure.scarf = Vector(0.75, 0.55, 0.2)
    figure.strands = 42
    let pose = Figure.Pose(
      position: Vector(-0.52, 0, 4.15), yaw: 0.035,
      headYaw: 0.05 * smoothstep(2.5, 3.5, t) - 0.02 + 0.004 * sineOfTurns(t * 0.3),
      blink: blink(t, 0.1), wave: 0)
    return Role(figure: figure, scale: 1.05, pose: pose)
  }

  /// A friend farther back at the right, who waves.
  private func friend(_ t: Float) -> Role {
    var figure = Figure()
    figure.hairStyle = .long
    figure.hair = Vector(0.035, 0.022, 0.016)
    figure.skin = Vector(0.42, 0.22, 0.13)
    figure.eyes = Vector(0.15, 0.07, 0.03)
    figure.coat = Vector(0.07, 0.22, 0.25)
    figure.stripes = Vector(0.8, 0.62, 0.3)
    figure.strands = 14
    let raise = smoothstep(4.2, 5.0, t) * smoothstep(7.4, 6.6, t)
    let pose = Figure.Pose(
      position: Vector(0.42, 0, 5.7), yaw: -0.05, headYaw: 0.01,
      blink: blink(t, 0.45),
      wave: raise * (0.9 + 0.1 * sineOfTurns(t * 1.3)))
    return Role(figure: figure, scale: 1.03, pose: pose)
  }

  /// A neighbour close to the camera at the left, cut by the frame.
  private func neighbour(_ t: Float) -> Role {
    var figure = Figure()
    figure.hairStyle = .cap
    figure.hair = Vector(0.3, 0.17, 0.06)
    figure.skin = Vector(0.82, 0.53, 0.4)
    figure.eyes = Vector(0.12, 0.3, 0.16)
    figure.coat = Vector(0.1, 0.16, 0.4)
    figure.stripes = Vector(0.78, 0.3, 0.1)
    figure.strands = 8
    let pose = Figure.Pose(
      position: Vector(-0.86, 0, 2.45), yaw: 0.1,
      headYaw: 0.03 * sineOfTurns(t * 0.11) - 0.02, blink: blink(t, 0.8))
    return Role(figure: figure, scale: 0.98, pose: pose)
  }

  /// Someone who comes from the far end to the camera.
  private func walker(_ t: Float) -> Role {
    var figure = Figure()
    figure.hairStyle = .short
    figure.hair = Vector(0.02, 0.018, 0.02)
    figure.skin = Vector(0.6, 0.35, 0.22)
    figure.eyes = Vector(0.1, 0.06, 0.03)
    figure.coat = Vector(0.78, 0.52, 0.12)
    figure.stripes = Vector(0.1, 0.09, 0.1)
    figure.usesChecks = true
    figure.scarf = Vector(0.1, 0.3, 0.2)
    let start: Float = 0.5
    let end: Float = 9
    let share = saturate((t - start) / (end - start))
    let from = Vector(1.75, 0, 10.3)
    let to = Vector(0.75, 0, 2.75)
    let walking = smoothstep(0, 0.6, t - start) * smoothstep(0, 0.5, end - t)
    let heading = to - from
    let pose = Figure.Pose(
      position: mix(from, to, share), yaw: turns(heading.x, -heading.z), headYaw: 0.012,
      stride: share * 8, walking: walking, blink: blink(t, 0.3))
    return Role(figure: figure, scale: 1.0, pose: pose)
  }

  /// The cat, on the boards right of the middle, looks after the ball.
  func catPlacement(_ t: Float) -> (Placement, Float) {
    let place = Placement(origin: Vector(0.3, 0, 3.45), yaw: -0.04, scale: 1)
    let (position, _, _) = ball(t)
    let to = position - place.origin
    let yaw = turns(to.x, -to.z)
    // Within what a neck allows, measured from the camera's direction.
    let signed = yaw > 0.5 ? yaw - 1 : yaw
    return (place, max(-0.14, min(0.14, signed)))
  }

  /// Centre, radius and turns rolled.
  func ball(_ t: Float) -> (Vector, Float, Float) {
    let radius: Float = 0.15
    let x = mix(-1.1, -0.12, 1 - (1 - saturate(t / 6.5)) * (1 - saturate(t / 6.5)))
    let z = mix(3.5, 2.85, saturate(t / 6.5))
    return (Vector(x, radius, z), radius, -x / (2 * .pi * radius))
  }

  private func addBall(_ stage: inout Stage, _ center: Vector, _ radius: Float, _ roll: Float) {
    var solid = Primitive(
      shape: .sphere, material: .ball, center: center, color: Vector(0.7, 0.09, 0.05))
    solid.radius = radius
    solid.accent = Vector(0.06, 0.28, 0.42)
    let c = cosineOfTurns(roll)
    let s = sineOfTurns(roll)
    // It rolls to the right: its axes turn about the line of sight; the stripes' pole is tipped.
    solid.right = Vector(c, s, 0)
    solid.up = normalize(Vector(-s * 0.8, c * 0.8, -0.6))
    solid.front = cross(solid.right, solid.up)
    solid.occluder = stage.addOccluder(center, center, radius)
    stage.solids.append(solid)
  }
}
