// SPDX-License-Identifier: Apache-2.0

extension Primitive {
  /// The nearest positive parameter at which the ray enters the solid, or infinity.
  ///
  /// Solids are hit from outside: no ray starts inside one, because nothing stands nearer to the
  /// camera than its near depth.
  @inline(__always)
  func intersect(_ ray: Ray) -> Float {
    switch shape {
    case .sphere: return intersectSphere(ray, center)
    case .capsule: return intersectCapsule(ray)
    case .ellipsoid: return intersectEllipsoid(ray)
    case .revolution: return intersectRevolution(ray)
    case .box: return intersectBox(ray)
    }
  }

  @inline(__always)
  private func intersectSphere(_ ray: Ray, _ center: Vector) -> Float {
    let oc = ray.origin - center
    let a = dot(ray.direction, ray.direction)
    let b = dot(oc, ray.direction)
    // The discriminant from the distance of centre and ray: b² - ac cancels for thin solids.
    let nearest = oc - ray.direction * (b / a)
    let h = radius * radius - dot(nearest, nearest)
    if h < 0 { return .infinity }
    let t = (-b - (h * a).squareRoot()) / a
    return t > 0 ? t : .infinity
  }

  @inline(__always)
  private func intersectCapsule(_ ray: Ray) -> Float {
    let axis = end - center
    let axisLength2 = dot(axis, axis)
    let oa = ray.origin - center
    // Ray and origin less their parts along the axis: a circle problem across it.
    let along = dot(ray.direction, axis) / axisLength2
    let start = dot(oa, axis) / axisLength2
    let d = ray.direction - axis * along
    let o = oa - axis * start
    let a = dot(d, d)
    let b = dot(o, d)
    if a > 1e-12 {
      let nearest = o - d * (b / a)
      let h = radius * radius - dot(nearest, nearest)
      if h < 0 { return .infinity }
      let t = (-b - (h * a).squareRoot()) / a
      let share = start + along * t
      if share >= 0 && share <= 1 { return t > 0 ? t : .infinity }
      return intersectSphere(ray, share < 0 ? center : end)
    }
    return intersectSphere(ray, along > 0 ? center : end)
  }

  @inline(__always)
  private func intersectEllipsoid(_ ray: Ray) -> Float {
    let inverse = 1 / size
    let o = local(ray.origin) * inverse
    let d =
      Vector(dot(ray.direction, right), dot(ray.direction, up), dot(ray.direction, front)) * inverse
    let a = dot(d, d)
    let b = dot(o, d)
    let nearest = o - d * (b / a)
    let h = 1 - dot(nearest, nearest)
    if h < 0 { return .infinity }
    let t = (-b - (h * a).squareRoot()) / a
    return t > 0 ? t : .infinity
  }

  @inline(__always)
  private func intersectRevolution(_ ray: Ray) -> Float {
    let o = local(ray.origin)
    let d = Vector(
      dot(ray.direction, right), dot(ray.direction, up), dot(ray.direction, front))
    var best = Float.infinity
    // x² + z² - (A + B y + C y²) = 0 along the ray.
    let a = d.x * d.x + d.z * d.z - profile.z * d.y * d.y
    let b = o.x * d.x + o.z * d.z - 0.5 * profile.y * d.y - profile.z * o.y * d.y
    let c = o.x * o.x + o.z * o.z - (profile.x + profile.y * o.y + profile.z * o.y * o.y)
    let h = b * b - a * c
    if h >= 0 && abs(a) > 1e-9 {
      let root = h.squareRoot()
      let t0 = (-b - root) / a
      let t1 = (-b + root) / a
      let y0 = o.y + d.y * t0
      if t0 > 0 && y0 >= 0 && y0 <= size.y { best = t0 }
      let y1 = o.y + d.y * t1
      if t1 > 0 && t1 < best && y1 >= 0 && y1 <= size.y { best = t1 }
    }
    // The flat ends.
    if d.y != 0 {
      let inverse = 1 / d.y
      let t0 = -o.y * inverse
      if t0 > 0 && t0 < best {
        let x = o.x + d.x * t0
        let z = o.z + d.z * t0
        if x * x + z * z <= profile.x { best = t0 }
      }
      let t1 = (size.y - o.y) * inverse
      if t1 > 0 && t1 < best {
        let x = o.x + d.x * t1
        let z = o.z + d.z * t1
        if x * x + z * z <= profile.x + size.y * (profile.y + profile.z * size.y) { best = t1 }
      }
    }
    return best
  }

  @inline(__always)
  private func intersectBox(_ ray: Ray) -> Float {
    let o = local(ray.origin)
    var d = Vector(
      dot(ray.direction, right), dot(ray.direction, up), dot(ray.direction, front))
    // Slabs; a component of zero would give infinity less infinity.
    d.replace(with: 1e-20, where: d .== 0)
    let inverse = 1 / d
    let middle = -o * inverse
    let half = Vector(abs(inverse.x), abs(inverse.y), abs(inverse.z)) * size
    let enter = (middle - half).max()
    let leave = (middle + half).min()
    return enter > 0 && enter <= leave ? enter : .infinity
  }

  /// The unit normal at a point of the surface.
  @inline(__always)
  func normal(at p: Vector) -> Vector {
    switch shape {
    case .sphere: return (p - center) * (1 / radius)
    case .capsule:
      let axis = end - center
      let share = saturate(dot(p - center, axis) / dot(axis, axis))
      return (p - center - axis * share) * (1 / radius)
    case .ellipsoid:
      let q = local(p) / (size * size)
      return normalize(world(q))
    case .revolution:
      let q = local(p)
      if q.y <= size.y * 0.0005 { return -up }
      if q.y >= size.y * 0.9995 { return up }
      return normalize(world(Vector(q.x, -0.5 * profile.y - profile.z * q.y, q.z)))
    case .box:
      let q = local(p) / size
      let ax = abs(q.x)
      let ay = abs(q.y)
      let az = abs(q.z)
      if ax > ay && ax > az { return q.x < 0 ? -right : right }
      if ay > az { return q.y < 0 ? -up : up }
      return q.z < 0 ? -front : front
    }
  }
}
