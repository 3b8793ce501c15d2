// SPDX-License-Identifier: Apache-2.0

/// The background, painted on the plane of the greatest depth: an evening sky and a city with lit
/// windows.
struct Backdrop {
  let noise: NoiseField
  /// ``Stage/evening``; windows are lit as they are.
  var evening: Float = 1

  static let horizonColor = Vector(1.0, 0.42, 0.17)
  static let zenithColor = Vector(0.035, 0.075, 0.21)

  /// The light that arrives from a point of the backdrop, linear.
  ///
  /// - Parameters:
  ///   - x: world units to the right.
  ///   - y: world units above the ground.
  func radiance(_ x: Float, _ y: Float) -> Vector {
    // Three rows of houses, the nearer the darker and the lower; the nearest that is met hides the
    // rest.
    if let light = houses(x, y, row: 2, width: 1.6, base: 0.7, spread: 1.5, haze: 0.07) {
      return light
    }
    if let light = houses(x, y, row: 1, width: 1.0, base: 1.9, spread: 2.3, haze: 0.22) {
      return light
    }
    if let light = houses(x, y, row: 0, width: 1.35, base: 3.0, spread: 2.6, haze: 0.4) {
      return light
    }
    return sky(x, y) * evening
  }

  private func sky(_ x: Float, _ y: Float) -> Vector {
    let h = saturate((y - 0.3) / 7.5)
    let a = mix(Self.horizonColor * 0.8, Vector(0.36, 0.13, 0.22), smoothstep(0, 0.42, h))
    let b = mix(a, Self.zenithColor * 1.2, smoothstep(0.25, 1.0, h))
    // The last light is brighter to the right.
    let sun = Vector(1.0, 0.5, 0.16) * (0.8 / (1 + ((x - 5) * (x - 5) * 0.03 + y * y * 0.12)))
    let cloud = noise.fractal(x * 0.16 + 2, y * 1.1)
    let streak = smoothstep(0.48, 0.78, cloud)
    let lit = mix(Vector(0.75, 0.24, 0.22), Vector(0.2, 0.12, 0.2), smoothstep(1, 7, y))
    return mix(b + sun * 0.5, lit, streak * 0.55)
  }

  /// A row of houses, or `nil` above its roofs.
  private func houses(
    _ x: Float, _ y: Float, row: UInt32, width: Float, base: Float, spread: Float, haze: Float
  ) -> Vector? {
    let position = x / width + Float(row) * 0.37
    let column = floorInteger(position)
    let key = hashUnit(column, Int32(row), 11)
    let height = base + spread * key * key
    let inColumn = fraction(position)
    // Some roofs are gabled.
    let gable =
      hashUnit(column, Int32(row), 12) > 0.5 ? (0.5 - abs(inColumn - 0.5)) * width * 0.9 : 0
    if y > height + gable { return nil }
    let tone = 0.7 + 0.6 * hashUnit(column, Int32(row), 13)
    let wall = mix(Vector(0.035, 0.032, 0.055) * tone, Vector(0.4, 0.15, 0.16), haze) * evening
    if y > height { return wall }
    // Windows: a grid a house, some lit, each with its own lamp's colour.
    let across: Float = 3 + Float(Int32(hashUnit(column, Int32(row), 14) * 3))
    let u = inColumn * across
    let v = y * 2.6
    let cellX = floorInteger(u)
    let cellY = floorInteger(v)
    let fu = fraction(u)
    let fv = fraction(v)
    let pane = fu > 0.24 && fu < 0.76 && fv > 0.2 && fv < 0.8
    if !pane { return wall }
    let salt = 31 &+ row &* 7
    let id = hashUnit(column &* 8 &+ cellX, cellY, salt)
    if id > 0.3 { return mix(wall, Vector(0.09, 0.1, 0.17) * evening, 0.5) }
    let bar = abs(fu - 0.5) < 0.025 || abs(fv - 0.52) < 0.025
    let warmth = hashUnit(column &* 8 &+ cellX, cellY, salt &+ 1)
    let lamp = mix(Vector(1.0, 0.46, 0.13), Vector(1.0, 0.78, 0.45), warmth)
    let power: Float = id < 0.045 ? 5.5 : 0.7 + 1.6 * hashUnit(cellX, column, salt &+ 2)
    return bar ? lamp * 0.2 : lamp * (power * (0.65 + 0.35 * fv))
  }
}
