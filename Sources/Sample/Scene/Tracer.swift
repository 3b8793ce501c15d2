// SPDX-License-Identifier: Apache-2.0

/// Follows rays through a stage, from inside one tile of a picture.
///
/// It holds addresses of the stage's arrays and lives no longer than the closure that lends them.
struct Tracer {
  let solids: UnsafePointer<Primitive>
  /// Each solid's nearest depth, in the solids' order: rising.
  let nearDepths: UnsafePointer<Float>
  /// Bulbs whose light the caller adds by sampling the lens towards them; a ray that meets one
  /// stops there and brings nothing.
  let sampledBulbs: UnsafePointer<Bool>
  let occluders: UnsafePointer<Stage.Occluder>
  let grid: ShadowGrid.View
  let noise: NoiseField
  let backdrop: Backdrop
  /// ``Stage/groundEnd`` and ``Stage/evening``.
  let groundEnd: Float
  let evening: Float

  /// Numbers of solids in ``Hit/index`` that stand for the two surfaces without bounds.
  static let backdropIndex: Int32 = -1
  static let deckIndex: Int32 = -2

  struct Hit {
    /// Depth along the camera's axis.
    var depth: Float
    var index: Int32
  }

  /// The first surface that a ray meets. Every ray meets something: the backdrop has no edge.
  @inline(__always)
  func trace(_ ray: Ray, _ list: UnsafeBufferPointer<Int32>) -> Hit {
    var hit = Hit(depth: Camera.farDepth, index: Self.backdropIndex)
    if ray.direction.y < 0 {
      let t = -ray.origin.y / ray.direction.y
      if t < hit.depth && ray.origin.z + t * ray.direction.z < groundEnd {
        hit = Hit(depth: t, index: Self.deckIndex)
      }
    }
    for index in list {
      if nearDepths[Int(index)] > hit.depth { break }
      let t = solids[Int(index)].intersect(ray)
      if t < hit.depth { hit = Hit(depth: t, index: index) }
    }
    return hit
  }

  /// The light that comes back along a ray, linear.
  @inline(__always)
  func radiance(_ ray: Ray, _ hit: Hit) -> Vector {
    let p = ray.origin + ray.direction * hit.depth
    if hit.index == Self.backdropIndex { return backdrop.radiance(p.x, p.y) }
    let view = normalize(ray.direction)
    if hit.index == Self.deckIndex {
      let (surface, normal) = Deck.surface(p.x, p.z, noise: noise)
      let (key, sky) = Lighting.visibility(
        at: p, normal: Vector(0, 1, 0), own: -1, occluders: occluders, list: grid.list(p))
      return Lighting.haze(
        Lighting.shade(surface, at: p, normal: normal, view: view, key: key, sky: sky),
        depth: hit.depth) * evening
    }
    return solidRadiance(p, view, hit)
  }

  private func solidRadiance(_ p: Vector, _ view: Vector, _ hit: Hit) -> Vector {
    let index = Int(hit.index)
    var normal = solids[index].normal(at: p)
    if solids[index].emission > 0 {
      if sampledBulbs[index] { return .zero }
      return Self.emission(solids[index], normal: normal, view: view)
    }
    if dot(normal, view) > 0 { normal = -normal }
    let (key, sky) = Lighting.visibility(
      at: p, normal: normal, own: solids[index].occluder, occluders: occluders,
      list: grid.list(p))
    let surface = solids[index].surface(at: p, noise: noise)
    let color = Lighting.shade(surface, at: p, normal: normal, view: view, key: key, sky: sky)
    return Lighting.haze(color, depth: hit.depth) * evening
  }

  /// A bulb's light: brighter in its middle than at its limb, as frosted glass is.
  @inline(__always)
  static func emission(_ bulb: Primitive, normal: Vector, view: Vector) -> Vector {
    let facing = saturate(-dot(normal, view))
    return bulb.color * (bulb.emission * (0.3 + 0.7 * facing * facing))
  }

  /// The light of one bulb along a ray: nothing unless the bulb is the first thing it meets.
  @inline(__always)
  func bulbRadiance(_ ray: Ray, bulb: Int32, _ list: UnsafeBufferPointer<Int32>) -> Vector {
    let hit = trace(ray, list)
    if hit.index != bulb { return .zero }
    let p = ray.origin + ray.direction * hit.depth
    let solid = solids[Int(bulb)]
    return Self.emission(solid, normal: solid.normal(at: p), view: normalize(ray.direction))
  }
}
