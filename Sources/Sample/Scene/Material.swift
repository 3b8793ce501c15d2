// SPDX-License-Identifier: Apache-2.0

/// The material of a solid: how its colour varies over it, and how it shines.
enum Material: UInt8 {
  /// One colour with a fine grain.
  case plain
  /// Knitted wool with stripes of the accent colour.
  case knit
  /// A painted face: skin, eyes, brows, cheeks, a mouth.
  case face
  /// Combed hair.
  case hair
  /// A ball with six stripes.
  case ball
  /// A light bulb.
  case bulb
  /// A leaf or a blade of grass.
  case leaf
  /// Boards of a crate.
  case crate
  /// Dark painted metal.
  case metal
  /// A cat's tabby coat.
  case tabby
  /// A cat's face.
  case catFace
  /// Checked cloth.
  case check
}

/// A surface point's colour and gloss.
struct Surface {
  /// Diffuse reflectance, linear.
  var albedo: Vector
  /// Strength of the highlight.
  var gloss: Float
  /// Light it gives off by itself.
  var glow: Vector = .zero
}

extension Primitive {
  /// The surface at a world point on the solid.
  @inline(__always)
  func surface(at p: Vector, noise: NoiseField) -> Surface {
    let q = local(p)
    switch material {
    case .plain: return plainSurface(q, noise)
    case .knit: return knitSurface(q, noise)
    case .face: return faceSurface(q, noise)
    case .hair: return hairSurface(q, noise)
    case .ball: return ballSurface(q, noise)
    case .bulb: return Surface(albedo: color, gloss: 0)
    case .leaf: return leafSurface(q, noise)
    case .crate: return crateSurface(q, noise)
    case .metal: return Surface(albedo: color, gloss: 0.5)
    case .tabby: return tabbySurface(q, noise)
    case .catFace: return catFaceSurface(q, noise)
    case .check: return checkSurface(q, noise)
    }
  }

  private func plainSurface(_ q: Vector, _ noise: NoiseField) -> Surface {
    let grain = noise.value(q.x * 140 + variation, (q.y + q.z) * 140)
    return Surface(albedo: color * (0.9 + 0.2 * grain), gloss: 0.12)
  }

  private func knitSurface(_ q: Vector, _ noise: NoiseField) -> Surface {
    // Stitches are small Vs: columns around the body, rows up it, each row bent by its column.
    let around = turns(q.x, q.z) * 72
    let column = abs(fraction(around) - 0.5) * 2
    let row = fraction(q.y * 62 + column * 0.9)
    let stitch = 0.55 + 0.45 * smoothstep(0, 0.35, row) * smoothstep(1, 0.75, row)
    let valley = 0.75 + 0.25 * smoothstep(0.0, 0.3, column) * smoothstep(1, 0.8, column)
    let band = fraction(q.y * 7 + variation)
    let thread = mix(color, accent, smoothstep(0.62, 0.64, band) * smoothstep(1, 0.98, band))
    let fuzz = noise.value(around * 3, q.y * 160)
    return Surface(albedo: thread * (stitch * valley * (0.85 + 0.3 * fuzz)), gloss: 0.02)
  }

  private func checkSurface(_ q: Vector, _ noise: NoiseField) -> Surface {
    let u = turns(q.x, q.z) * 16
    let v = q.y * 22
    let a: Float = fraction(u) < 0.5 ? 1 : 0
    let b: Float = fraction(v) < 0.5 ? 1 : 0
    let thread = fraction((u + v) * 5) < 0.5 ? Float(0.9) : 1.08
    return Surface(albedo: mix(color, accent, (a + b) * 0.5) * thread, gloss: 0.03)
  }

  private func hairSurface(_ q: Vector, _ noise: NoiseField) -> Surface {
    let angle = turns(q.x, q.y + 0.35 * size.y)
    let strand = noise.value(angle * 190, q.z * 5 + variation)
    let lock = noise.value(angle * 34, q.z * 3)
    return Surface(albedo: color * (0.45 + 0.75 * strand + 0.4 * lock), gloss: 0.28)
  }

  private func ballSurface(_ q: Vector, _ noise: NoiseField) -> Surface {
    let wedge = floorInteger(turns(q.x, q.z) * 6)
    let cap = abs(q.y) > radius * 0.93
    let seam = smoothstep(0.0, 0.03, abs(fraction(turns(q.x, q.z) * 6 + 0.5) - 0.5))
    let base = cap || wedge & 1 == 0 ? Vector(0.82, 0.8, 0.74) : wedge == 1 ? color : accent
    let scuff = noise.fractal(q.x * 40, q.y * 40 + q.z * 23)
    return Surface(albedo: base * (0.6 + 0.4 * seam) * (0.82 + 0.3 * scuff), gloss: 0.35)
  }

  private func leafSurface(_ q: Vector, _ noise: NoiseField) -> Surface {
    let vein = abs(fraction(q.y * 60 + abs(q.x) * 40) - 0.5) * 2
    let middle = smoothstep(0.0, 0.002, abs(q.x))
    let mottle = noise.value(q.x * 70 + variation * 9, q.y * 70)
    return Surface(
      albedo: mix(accent, color, middle * (0.7 + 0.3 * vein)) * (0.75 + 0.5 * mottle), gloss: 0.22)
  }

  private func crateSurface(_ q: Vector, _ noise: NoiseField) -> Surface {
    // Boards lie across each side; the narrow gaps between them are dark.
    let board = q.y / size.y * 2 + 2
    let gap = abs(fraction(board) - 0.5)
    let index = floorInteger(board)
    let along = q.x + q.z
    let grain = noise.fractal(along * 5 + Float(index) * 9, q.y * 120)
    let fine = noise.value(along * 22, q.y * 420)
    let tone = 0.75 + 0.4 * noise.cell(index, Int32(variation))
    let edge = max(abs(q.x) / size.x, abs(q.z) / size.z)
    let frame = edge > 0.82 && edge < 0.999 ? Float(0.78) : 1
    return Surface(
      albedo: color
        * (tone * frame * (0.55 + 0.5 * grain + 0.25 * fine)
          * smoothstep(0.5, 0.455, gap)),
      gloss: 0.05)
  }

  private func tabbySurface(_ q: Vector, _ noise: NoiseField) -> Surface {
    let wave = noise.value(q.x * 9 + 5, q.y * 9)
    let stripe = fraction(q.y * 13 + wave * 1.2 + abs(q.x) * 4)
    let fur = noise.value(q.x * 90, q.y * 45 + q.z * 90)
    let fine = noise.value(q.x * 260, q.y * 110)
    return Surface(
      albedo: mix(color, accent, smoothstep(0.3, 0.42, stripe) * smoothstep(0.9, 0.72, stripe))
        * (0.6 + 0.45 * fur + 0.25 * fine), gloss: 0.04)
  }
}
