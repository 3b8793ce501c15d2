// SPDX-License-Identifier: Apache-2.0

/// A bulb out of focus as one pixel sees it: through the small part of the lens that looks at it.
///
/// A bulb of a few pixels that shines through hundreds of lens points is met by hardly any ray of a
/// pixel, and each that meets it brings forty times white: the mean is right, but it takes tens of
/// thousands of rays to see it. Sampling just the part of the lens from which the bulb can be seen,
/// and weighing by that part's area, has the same mean and next to no noise.
struct BulbDisc {
  private let index: Int32
  /// Where the pinhole camera sees the bulb's centre, in pixels.
  private let center: SIMD2<Float>
  /// Pixels that the picture moves for one world unit on the lens.
  private let shiftPerUnit: Float
  /// Radius of the part of the lens, in world units.
  private let radius: Float

  /// Rays a pixel and a bulb: few, because almost all of them arrive.
  private static let samples = 24

  init(_ index: Int32, _ bulb: Primitive, _ view: LensView) {
    self.index = index
    let c = view.camera.toCamera(bulb.center)
    center = SIMD2(
      view.size.x * 0.5 + view.focal * c.x / c.z, view.size.y * 0.5 - view.focal * c.y / c.z)
    shiftPerUnit = view.focal * (1 / c.z - view.focusReciprocal)
    radius = view.bulbRadiusOnLens(bulb)
  }

  func light(
    x: Int, y: Int, view: LensView, aperture: Aperture, tracer: Tracer,
    list: UnsafeBufferPointer<Int32>, shift: SIMD2<Float>, pixelShift: SIMD2<Float>
  ) -> Vector {
    // A ray through lens point l sees depth z where a pinhole sees it, less l · shift.
    let middleX = (center.x - (Float(x) + 0.5)) / shiftPerUnit
    let middleY = -(center.y - (Float(y) + 0.5)) / shiftPerUnit
    let reach = view.lensRadius + radius + 0.75 / abs(shiftPerUnit)
    if middleX * middleX + middleY * middleY > reach * reach { return .zero }
    var sum = Vector.zero
    for i in 0..<Self.samples {
      let inside = plasticSequence(i, pixelShift)
      let offset = Aperture.disc.point(hammersley(i, Self.samples, shift)) * radius
      let lens = SIMD2(
        (center.x - (Float(x) + inside.x)) / shiftPerUnit + offset.x,
        -(center.y - (Float(y) + inside.y)) / shiftPerUnit + offset.y)
      if !aperture.contains(lens / view.lensRadius) { continue }
      let ray = view.ray(Float(x) + inside.x, Float(y) + inside.y, lens: lens)
      sum += tracer.bulbRadiance(ray, bulb: index, list)
    }
    let share = .pi * radius * radius / (aperture.area * view.lensRadius * view.lensRadius)
    return sum * (share / Float(Self.samples))
  }
}

extension LensView {
  /// The radius of the part of the lens through which a pixel sees a bulb, with room for the
  /// silhouette of a sphere away from the picture's centre being wider than its radius.
  func bulbRadiusOnLens(_ bulb: Primitive) -> Float {
    let z = camera.toCamera(bulb.center).z
    let apparent = 1.2 * bulb.radius / z
    return apparent / abs(1 / z - focusReciprocal)
  }

  /// Whether a bulb is sampled through the lens: it shines, and is seen through less than a part of
  /// it, so that ordinary rays would rarely meet it.
  func samplesBulb(_ solid: Primitive) -> Bool {
    guard solid.emission > 0, solid.shape == .sphere, lensRadius > 0 else { return false }
    let z = camera.toCamera(solid.center).z
    guard z - solid.radius > 0.05, 1 / z != focusReciprocal else { return false }
    return bulbRadiusOnLens(solid) < 0.5 * lensRadius
  }
}
