// SPDX-License-Identifier: Apache-2.0

extension LayeredArtist {
  /// A head with shoulders and 160 loose strands of hair.
  func head() -> LayeredPlane {
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
}
