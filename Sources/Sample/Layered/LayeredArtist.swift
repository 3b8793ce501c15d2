// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Draws the four planes of a ``LayeredScene``.
///
/// Everything is placed in a frame of 1920 units across, its centre at (960, 540), so that every
/// size shows the same scene.
struct LayeredArtist {
  let seed: UInt64
  let dimensions: Dimensions
  let lights: LayeredScene.Lights
  let threads: Int?

  let noise: NoiseField
  /// Pixels a unit.
  let unit: Float
  private let margin: Int

  init(seed: UInt64, dimensions: Dimensions, lights: LayeredScene.Lights, threads: Int?) {
    self.seed = seed
    self.dimensions = dimensions
    self.lights = lights
    self.threads = threads
    noise = NoiseField(seed: seed)
    unit = Float(dimensions.width) / 1920
    // The widest radius is 57.6 units, with the focus on the farthest or on the nearest plane; the
    // bilinear fraction needs a pixel more on each side.
    margin = Int(58 * unit) + 3
  }

  func planes() -> [LayeredPlane] {
    var planes = [wall(), pillars(), head(), leaves()]
    for i in planes.indices { planes[i].findRuns() }
    return planes
  }

  func blank() -> LayeredPlane {
    LayeredPlane(frameWidth: dimensions.width, frameHeight: dimensions.height, margin: margin)
  }

  /// Pixels from units.
  private func x(_ u: Float) -> Float { u * unit }
  private func y(_ u: Float) -> Float { (u - 540) * unit + Float(dimensions.height) * 0.5 }
  /// Units from pixels.
  private func unitX(_ px: Float) -> Float { px / unit }
  private func unitY(_ py: Float) -> Float { (py - Float(dimensions.height) * 0.5) / unit + 540 }

  /// Draws over a box given in units; `body` gets units, and answers colour and coverage.
  func draw(
    _ plane: inout LayeredPlane, _ x0: Float, _ y0: Float, _ x1: Float, _ y1: Float,
    _ body: (Float, Float) -> (Vector, Float)
  ) {
    plane.draw(
      x0: x(x0) - 1, y0: y(y0) - 1, x1: x(x1) + 1, y1: y(y1) + 1, threads: threads
    ) { px, py in body(unitX(px), unitY(py)) }
  }

  /// Draws over the whole plane.
  private func drawAll(
    _ plane: inout LayeredPlane, _ body: (Float, Float) -> (Vector, Float)
  ) {
    plane.draw(
      x0: -1e6, y0: -1e6, x1: 1e6, y1: 1e6, threads: threads
    ) { px, py in body(unitX(px), unitY(py)) }
  }

  /// The far plane: an evening gradient with soft spots and a fine grain, and up to 90 lights.
  private func wall() -> LayeredPlane {
    var plane = blank()
    drawAll(&plane) { u, v in
      let fade = saturate((v + 60) / 1200)
      var color = mix(Vector(0.035, 0.06, 0.16), Vector(0.3, 0.13, 0.07), fade * fade)
      color *= 0.65 + 0.7 * noise.fractal(u * 0.006, v * 0.006)
      color *= 0.9 + 0.2 * noise.value(u * 0.24, v * 0.24)
      return (color, 1)
    }
    if lights == .none { return plane }
    var generator = SeededGenerator(seed: seed &+ 1)
    for _ in 0..<90 {
      let cx = generator.between(-60, 1980)
      let cy = generator.between(-60, 700)
      let r = generator.between(3, 8)
      let hue = generator.unit()
      let brightness = generator.unit()
      let tint =
        hue < 0.6
        ? mix(Vector(1, 0.5, 0.15), Vector(1, 0.85, 0.6), hue / 0.6)
        : hue < 0.8 ? Vector(1, 0.18, 0.1) : Vector(0.4, 0.75, 1)
      let power =
        lights == .standard ? mix(0.6, 1, brightness) : mix(4, 30, brightness * brightness)
      draw(&plane, cx - r, cy - r, cx + r, cy + r) { u, v in
        let d = ((u - cx) * (u - cx) + (v - cy) * (v - cy)).squareRoot()
        return (tint * power, coverage(distance: (d - r) * unit))
      }
    }
    return plane
  }

  /// Five pillars of brick.
  private func pillars() -> LayeredPlane {
    var plane = blank()
    var generator = SeededGenerator(seed: seed &+ 2)
    for i in 0..<5 {
      let middle = 170 + 395 * Float(i) + generator.between(-60, 60)
      let half = generator.between(28, 56)
      let tint = mix(Vector(0.3, 0.13, 0.08), Vector(0.22, 0.2, 0.18), generator.unit())
      let salt = Float(i) * 31
      draw(&plane, middle - half, -1e5, middle + half, 1e5) { u, v in
        let row = floorInteger(v / 26)
        let along = (u - middle) / 52 + (row & 1 == 0 ? 0.5 : 0)
        let joint = min(
          min(fraction(v / 26), 1 - fraction(v / 26)) * 26,
          min(fraction(along), 1 - fraction(along)) * 52)
        let brick = 0.65 + 0.7 * noise.cell(floorInteger(along), row &+ Int32(salt))
        let grain = 0.7 + 0.6 * noise.fractal(u * 0.2 + salt, v * 0.2)
        let round = 1 - 0.75 * ((u - middle) / half) * ((u - middle) / half)
        let color = mix(
          Vector(0.34, 0.32, 0.29), tint * brick, smoothstep(1.2, 2.4, joint))
        return (color * (grain * round), coverage(distance: (abs(u - middle) - half) * unit))
      }
    }
    return plane
  }

  /// Leaves that reach into the frame from its lower left and upper right corners.
  private func leaves() -> LayeredPlane {
    var plane = blank()
    var generator = SeededGenerator(seed: seed &+ 4)
    for i in 0..<30 {
      let right = i % 2 == 0
      let cx = right ? generator.between(1560, 1990) : generator.between(-70, 400)
      let cy = right ? generator.between(-70, 300) : generator.between(760, 1150)
      let length = generator.between(70, 170)
      let width = length * generator.between(0.2, 0.34)
      let turn = (right ? 0.35 : -0.12) + generator.between(-0.12, 0.12)
      let tone = generator.between(0.5, 1.6)
      let c = cosineOfTurns(turn)
      let s = sineOfTurns(turn)
      draw(&plane, cx - length, cy - length, cx + length, cy + length) { u, v in
        let a = ((u - cx) * c + (v - cy) * s) / length
        let b = (-(u - cx) * s + (v - cy) * c) / width
        // A lens shape: two parabolas that meet in points.
        let half = 1 - a * a
        let slope = 2 * a * width / length
        let distance =
          abs(a) >= 1
          ? (abs(a) - 1) * length + abs(b) * width
          : (abs(b) - half) * width / (1 + slope * slope).squareRoot()
        let vein = abs(fraction(a * 7 - abs(b) * 1.4) - 0.5) * 2
        let rib = smoothstep(0.03, 0.07, abs(b))
        let mottle = noise.value(u * 0.16 + Float(i), v * 0.16)
        let color = mix(
          Vector(0.3, 0.4, 0.14), Vector(0.08, 0.22, 0.06) * (0.8 + 0.3 * vein), rib)
        return (color * (tone * (0.7 + 0.6 * mottle)), coverage(distance: distance * unit))
      }
    }
    return plane
  }
}
