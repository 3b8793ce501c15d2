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

  private let noise: NoiseField
  /// Pixels a unit.
  private let unit: Float
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

  private func blank() -> LayeredPlane {
    LayeredPlane(frameWidth: dimensions.width, frameHeight: dimensions.height, margin: margin)
  }

  /// Pixels from units.
  private func x(_ u: Float) -> Float { u * unit }
  private func y(_ u: Float) -> Float { (u - 540) * unit + Float(dimensions.height) * 0.5 }
  /// Units from pixels.
  private func unitX(_ px: Float) -> Float { px / unit }
  private func unitY(_ py: Float) -> Float { (py - Float(dimensions.height) * 0.5) / unit + 540 }

  /// Draws over a box given in units; `body` gets units, and answers colour and coverage.
  private func draw(
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

  /// The far plane: an evening gradient with soft spots and a fine grain, and 90 lights.
  private func wall() -> LayeredPlane {
    var plane = blank()
    drawAll(&plane) { u, v in
      let fade = saturate((v + 60) / 1200)
      var color = mix(Vector(0.035, 0.06, 0.16), Vector(0.3, 0.13, 0.07), fade * fade)
      color *= 0.65 + 0.7 * noise.fractal(u * 0.006, v * 0.006)
      color *= 0.9 + 0.2 * noise.value(u * 0.24, v * 0.24)
      return (color, 1)
    }
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

  /// A head with shoulders and 160 loose strands of hair.
  private func head() -> LayeredPlane {
    var plane = blank()
    // Shoulders run below the frame.
    draw(&plane, 560, 800, 1360, 1e5) { u, v in
      let dx = (u - 960) / 400
      let top = 1010 - 170 * (1 - dx * dx)
      let weave = 0.7 + 0.3 * (fraction(u * 0.11) < 0.5 ? 1 : 0) + 0.25 * noise.value(u, v)
      let check =
        fraction(v * 0.045 + u * 0.01) < 0.3 ? Vector(0.6, 0.5, 0.3) : Vector(0.1, 0.16, 0.3)
      let slope = 340 * dx / 400
      let distance = (top - v) / (1 + slope * slope).squareRoot()
      let side = abs(u - 960) - 400
      return (check * weave, coverage(distance: max(distance, side) * unit))
    }
    strands(&plane)
    // Hair behind, then the face.
    draw(&plane, 730, 190, 1190, 860) { u, v in
      let (distance, _, _) = ellipse(u, v, 960, 480, 224, 284)
      let lock = noise.value(turns(v - 300, u - 960) * 150, v * 0.012)
      return (
        Vector(0.16, 0.065, 0.025) * (0.35 + 1.1 * lock), coverage(distance: distance * unit)
      )
    }
    draw(&plane, 900, 700, 1020, 900) { u, v in
      (
        Vector(0.5, 0.28, 0.19) * (0.8 + 0.2 * noise.value(u * 0.3, v * 0.3)),
        coverage(distance: (abs(u - 960) - 58) * unit)
          * coverage(distance: (v - 895) * unit)
      )
    }
    draw(&plane, 780, 270, 1140, 780) { u, v in face(u, v) }
    return plane
  }

  private func face(_ u: Float, _ v: Float) -> (Vector, Float) {
    let (distance, a, b) = ellipse(u, v, 960, 530, 172, 232)
    let pores = noise.value(u * 0.35, v * 0.35) * 0.6 + noise.value(u * 0.9, v * 0.9) * 0.4
    var color = Vector(0.68, 0.4, 0.28) * (0.78 + 0.3 * pores) * (1 - 0.35 * (a * a + b * b))
    let side = abs(u - 960)
    let (eye, ex, ey) = ellipse(side, v, 72, 505, 40, 20)
    let iris = (ex * 40 * ex * 40 + ey * 20 * ey * 20).squareRoot()
    let spokes = 0.5 + noise.value(turns(ey, ex) * 60, iris * 0.3)
    var white = mix(
      Vector(0.75, 0.73, 0.7), Vector(0.12, 0.26, 0.3) * spokes, smoothstep(18, 16.5, iris))
    white = mix(white, Vector(0.01, 0.01, 0.01), smoothstep(8.5, 7, iris))
    color = mix(color, white, coverage(distance: eye * unit))
    let (brow, _, _) = ellipse(side, v + 0.003 * (side - 70) * (side - 70), 74, 462, 52, 8)
    color = mix(
      color, Vector(0.07, 0.03, 0.015) * (0.5 + noise.value(u * 0.6, v * 0.2)),
      coverage(distance: brow * unit))
    let (mouth, _, my) = ellipse(u, v - 0.002 * side * side * -1, 960, 655, 62, 15)
    let lip = mix(Vector(0.45, 0.1, 0.09), Vector(0.2, 0.03, 0.03), smoothstep(0.2, 0.05, abs(my)))
    color = mix(
      color, lip * (0.8 + 0.3 * noise.value(u * 0.5, v * 0.1)), coverage(distance: mouth * unit))
    let nose = smoothstep(26, 4, abs(side - 22)) * smoothstep(60, 8, abs(v - 590))
    return (color * (1 - 0.35 * nose), coverage(distance: distance * unit))
  }

  /// Signed distance to an ellipse, to first order, and the point in its radii.
  private func ellipse(
    _ u: Float, _ v: Float, _ cx: Float, _ cy: Float, _ rx: Float, _ ry: Float
  ) -> (Float, Float, Float) {
    let a = (u - cx) / rx
    let b = (v - cy) / ry
    let r2 = a * a + b * b
    let gradient = 2 * ((a / rx) * (a / rx) + (b / ry) * (b / ry)).squareRoot()
    return (gradient > 0 ? (r2 - 1) / gradient : -min(rx, ry), a, b)
  }

  private func strands(_ plane: inout LayeredPlane) {
    var generator = SeededGenerator(seed: seed &+ 3)
    for _ in 0..<160 {
      let angle = generator.between(-0.34, 0.34)
      let s = sineOfTurns(angle)
      let c = cosineOfTurns(angle)
      let reach = generator.between(30, 130)
      let bend = generator.between(-60, 60)
      let width = generator.between(1, 2)
      let tone = generator.between(0.6, 2.2)
      let start = SIMD2(960 + s * 214, 480 - c * 274)
      let end = start + SIMD2(s * reach + c * bend, -c * reach + s * bend + abs(s) * 30)
      let control = start + SIMD2(s, -c) * (reach * 0.6)
      // A curve of eight pieces, drawn at once so that their joints do not add up.
      let points = (0...8).map { i -> SIMD2<Float> in
        let t = Float(i) / 8
        let a = start + (control - start) * t
        let b = control + (end - control) * t
        return a + (b - a) * t
      }
      let x0 = points.map(\.x).min()! - 2
      let x1 = points.map(\.x).max()! + 2
      let y0 = points.map(\.y).min()! - 2
      let y1 = points.map(\.y).max()! + 2
      points.withUnsafeBufferPointer { points in
        draw(&plane, x0, y0, x1, y1) { u, v in
          let p = SIMD2(u, v)
          var nearest = Float.infinity
          for i in 0..<8 {
            let a = points[i]
            let d = points[i + 1] - a
            let q = p - a
            let t = saturate((q.x * d.x + q.y * d.y) / (d.x * d.x + d.y * d.y))
            let r = q - d * t
            nearest = min(nearest, r.x * r.x + r.y * r.y)
          }
          return (
            Vector(0.2, 0.085, 0.035) * tone,
            coverage(lineDistance: nearest.squareRoot() * unit, width: width * unit)
          )
        }
      }
    }
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
