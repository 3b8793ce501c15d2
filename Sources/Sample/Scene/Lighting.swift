// SPDX-License-Identifier: Apache-2.0

/// The scene's light: a low warm lamp with soft shadows, the glow of the horizon from behind, the
/// sky from above, and two lanterns. No random numbers: a surface point has one colour, so that the
/// picture through the lens converges to exactly what the pinhole picture shows.
struct Lighting {
  /// Towards the lamp, from the left and the camera's side.
  static let keyDirection = normalize(Vector(-0.62, 0.82, -0.55))
  static let keyColor = Vector(1.62, 1.05, 0.62)
  /// Towards the horizon.
  static let rimDirection = normalize(Vector(0.42, 0.3, 1))
  static let rimColor = Vector(1.25, 0.5, 0.26)
  static let skyColor = Vector(0.15, 0.19, 0.34)
  static let groundColor = Vector(0.13, 0.07, 0.04)
  /// Where lanterns and the walk of bulbs light their surroundings.
  static let lanterns: [Vector] = [Vector(1.62, 0.76, 5.08), Vector(-2.0, 0.56, 6.36)]
  /// Tangent of the lamp's angular radius: how fast a shadow's edge widens.
  static let keySpread: Float = 0.14

  /// The share of light hidden at a point: the lamp's, and the sky's.
  @inline(__always)
  static func visibility(
    at p: Vector, normal: Vector, own: Int16, occluders: UnsafePointer<Stage.Occluder>,
    list: UnsafeBufferPointer<Int16>
  ) -> (key: Float, sky: Float) {
    var key: Float = 1
    var sky: Float = 1
    for index in list where index != own {
      let occluder = occluders[Int(index)]
      let axis = occluder.end - occluder.start
      let axisLength2 = dot(axis, axis) + 1e-9
      let toStart = p - occluder.start
      // Contact shade: the share of the normal's hemisphere that the nearest sphere of the
      // occluder fills, (r/d)² times the cosine.
      let nearest = saturate(dot(toStart, axis) / axisLength2)
      let gap = axis * nearest - toStart
      let distance2 = max(dot(gap, gap), 1e-6)
      let distance = distance2.squareRoot()
      let facing = dot(gap, normal) / distance
      let near = occluder.radius * occluder.radius / distance2
      sky *= 1 - 0.85 * saturate((facing + 0.25) * 0.8) * min(near, 1)
      // The lamp: closest approach of the ray towards it and the occluder's axis.
      let b = dot(axis, keyDirection)
      let d = dot(axis, toStart)
      let e = dot(keyDirection, toStart)
      let denominator = axisLength2 - b * b
      let share = saturate(denominator > 1e-7 ? (d - b * e) / denominator : 0)
      let along = share * b - e
      if along > 0 {
        let miss = toStart + keyDirection * along - axis * share
        let clearance = dot(miss, miss).squareRoot() - occluder.radius
        let penumbra = keySpread * along + 0.006
        key *= smoothstep(-penumbra, penumbra, clearance)
      }
    }
    return (key, sky)
  }

  /// Light from a surface towards the camera.
  @inline(__always)
  static func shade(
    _ surface: Surface, at p: Vector, normal n: Vector, view: Vector, key: Float, sky: Float
  ) -> Vector {
    let lambert = max(0, dot(n, keyDirection)) * key
    // The horizon is wide: its light wraps around.
    let rim = saturate(dot(n, rimDirection) * 0.7 + 0.3)
    let up = n.y * 0.5 + 0.5
    var light = keyColor * lambert
    light += mix(groundColor, skyColor, up) * sky
    light += rimColor * (rim * rim * 0.45 * sky)
    for lantern in lanterns {
      let to = lantern - p
      let d2 = dot(to, to)
      if d2 < 2.2 {
        // Inverse square with a core, let down to zero where the loop stops.
        let fade = 1 - d2 / 2.2
        let facing = saturate(dot(n, to) / d2.squareRoot() * 0.8 + 0.2)
        light += Vector(1.0, 0.46, 0.15) * (0.32 * facing * fade * fade / (d2 + 0.05))
      }
    }
    // Highlight of the lamp, and the sheen that every surface has at grazing angles.
    let half = normalize(keyDirection - view)
    let h = saturate(dot(n, half))
    let h2 = h * h
    let h8 = h2 * h2 * h2 * h2
    let h32 = h8 * h8 * h8 * h8
    let grazing = 1 - saturate(-dot(n, view))
    let edge = grazing * grazing * grazing
    let shine = surface.gloss * (h32 * 1.3 * key * lambert + 0.05 * edge)
    let backlit = rimColor * (edge * saturate(dot(n, rimDirection) + 0.45) * 0.35 * sky)
    return surface.albedo * (light + backlit) + keyColor * shine + surface.glow
  }

  /// The air between: a little of the horizon's colour with the distance.
  @inline(__always)
  static func haze(_ color: Vector, depth: Float) -> Vector {
    let share = saturate((depth - 2) * 0.016)
    return mix(color, Backdrop.horizonColor * 0.42, share)
  }
}
