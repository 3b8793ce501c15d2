// SPDX-License-Identifier: Apache-2.0

extension Primitive {
  /// How much a point lies inside an ellipse, with an edge `soft` wide in its own radii.
  @inline(__always)
  private func inEllipse(
    _ u: Float, _ v: Float, _ cu: Float, _ cv: Float, _ ru: Float, _ rv: Float, _ soft: Float
  ) -> Float {
    let x = (u - cu) / ru
    let y = (v - cv) / rv
    return smoothstep(1 + soft, 1 - soft, (x * x + y * y).squareRoot())
  }

  /// A painted face, on the front half of a head. `accent` colours the lips and the irises;
  /// `variation` is how far the lids are closed.
  func faceSurface(_ q: Vector, _ noise: NoiseField) -> Surface {
    let u = q.x / size.x
    let v = q.y / size.y
    let pores = noise.value(u * 46, v * 46)
    let patch = noise.fractal(u * 5 + 3, v * 5)
    var albedo = color * (0.86 + 0.1 * pores + 0.12 * patch)
    if q.z <= 0 { return Surface(albedo: albedo, gloss: 0.1) }
    let side = abs(u)
    // Cheeks and freckles.
    let cheek = inEllipse(side, v, 0.5, -0.24, 0.24, 0.17, 0.7)
    albedo = mix(albedo, albedo * Vector(1.12, 0.62, 0.55), cheek * 0.75)
    let freckle = noise.value(u * 30 + 7, v * 30)
    albedo *=
      1 - 0.35 * smoothstep(0.8, 0.9, freckle) * inEllipse(side, v, 0.34, -0.14, 0.34, 0.2, 0.4)
    // Brows: short arcs of fine hairs.
    let brow =
      inEllipse(side, v + 1.3 * (side - 0.34) * (side - 0.34), 0.36, 0.375, 0.19, 0.042, 0.3)
      * (0.6 + 0.4 * noise.value(u * 90, v * 30))
    albedo = mix(albedo, Vector(0.05, 0.03, 0.02), brow)
    // Eyes: white, iris with spokes, pupil, lid line and two reflections.
    let open = 1 - variation
    let eyeHeight = 0.15 * max(open, 0.08)
    let white = inEllipse(side, v, 0.36, 0.08, 0.155, eyeHeight, 0.08)
    let iu = side - 0.35
    let iv = v - 0.075
    let r = (iu * iu + iv * iv).squareRoot()
    let spokes = 0.6 + 0.7 * noise.value(turns(iv, iu) * 40, r * 20)
    var eye = Vector(0.8, 0.79, 0.76) * (0.75 + 0.25 * smoothstep(-0.05, 0.2, 0.08 - v + eyeHeight))
    eye = mix(eye, accent * spokes, smoothstep(0.118, 0.108, r))
    eye = mix(eye, Vector(0.008, 0.008, 0.01), smoothstep(0.066, 0.058, r))
    eye = mix(
      eye, Vector(0.01, 0.008, 0.008), smoothstep(0.1, 0.12, r) * smoothstep(0.13, 0.118, r))
    albedo = mix(albedo, eye, white)
    let lash =
      inEllipse(side, v, 0.36, 0.085, 0.178, eyeHeight + 0.022, 0.1)
      * smoothstep(0.02, 0.06, v - 0.08 + (1 - open) * 0.1) * (1 - white)
    albedo = mix(albedo, Vector(0.02, 0.014, 0.012), lash)
    // Lips: a smiling arc.
    let smile = v + 0.5 - u * u * 1.7
    let lips = smoothstep(0.28, 0.2, side) * smoothstep(0.055, 0.038, abs(smile))
    let lipColor = Vector(0.5, 0.09, 0.08) * (0.8 + 0.4 * noise.value(u * 80, v * 8))
    albedo = mix(albedo, lipColor, lips * 0.9)
    albedo = mix(
      albedo, Vector(0.08, 0.01, 0.012),
      smoothstep(0.29, 0.22, side) * smoothstep(0.016, 0.007, abs(smile)))
    let sparkle =
      inEllipse(u, v, side == u ? 0.385 : -0.325, 0.125, 0.03, 0.034, 0.2) * min(white * 2, 1)
      * open
    return Surface(
      albedo: albedo, gloss: 0.1 + 0.6 * white, glow: Vector(repeating: 1.6 * sparkle))
  }

  /// A cat's face on the front of its head.
  func catFaceSurface(_ q: Vector, _ noise: NoiseField) -> Surface {
    let u = q.x / radius
    let v = q.y / radius
    let fur = noise.value(u * 34, v * 17) * 0.6 + noise.value(u * 80, v * 30) * 0.4
    let mark = fraction(abs(u) * 4.5 + 0.2)
    let forehead = smoothstep(0.25, 0.4, v) * smoothstep(0.3, 0.5, mark) * smoothstep(1, 0.8, mark)
    var albedo = mix(color, accent, forehead * 0.8) * (0.6 + 0.6 * fur)
    if q.z <= 0 { return Surface(albedo: albedo, gloss: 0.04) }
    let side = abs(u)
    let muzzle = inEllipse(side, v, 0.14, -0.34, 0.26, 0.2, 0.25)
    albedo = mix(albedo, Vector(0.72, 0.66, 0.58) * (0.75 + 0.35 * fur), muzzle)
    let eye = inEllipse(
      side, v - 0.25 * (side - 0.4), 0.4, 0.1, 0.17, 0.13 * (1 - variation) + 0.01, 0.1)
    let slit = inEllipse(side, v, 0.4, 0.1, 0.045, 0.14, 0.2)
    var iris = Vector(0.45, 0.62, 0.08) * (0.6 + 0.6 * noise.value(u * 40, v * 40))
    iris = mix(iris, Vector(0.005, 0.005, 0.005), slit)
    albedo = mix(albedo, iris, eye)
    let rim = inEllipse(side, v - 0.25 * (side - 0.4), 0.4, 0.1, 0.2, 0.16, 0.1) * (1 - eye)
    albedo = mix(albedo, Vector(0.02, 0.015, 0.01), rim)
    let nose = inEllipse(u, v, 0, -0.2, 0.09, 0.06, 0.2)
    albedo = mix(albedo, Vector(0.5, 0.16, 0.15), nose)
    let mouth =
      smoothstep(0.03, 0.015, abs(v + 0.42 - abs(side - 0.12) * 0.6)) * smoothstep(0.28, 0.22, side)
    albedo = mix(albedo, Vector(0.05, 0.02, 0.02), mouth)
    let sparkle = inEllipse(u, v, side == u ? 0.44 : -0.36, 0.15, 0.035, 0.035, 0.3) * eye
    return Surface(albedo: albedo, gloss: 0.5 * eye, glow: Vector(repeating: 1.4 * sparkle))
  }
}
