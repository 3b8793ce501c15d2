// SPDX-License-Identifier: Apache-2.0

/// A ray through the scene. Its direction has a component of exactly 1 along the camera's axis and
/// its origin lies on the lens plane, so that the parameter of a point *is* its depth.
struct Ray {
  var origin: Vector
  var direction: Vector
}

/// A solid of the sample scene, in world coordinates.
///
/// One flat struct for every shape: the tracer walks arrays of them, and enumerations with payloads
/// or protocols would cost more than the intersections.
struct Primitive {
  enum Shape: UInt8 {
    /// Centre and radius.
    case sphere
    /// A segment from `center` to `end`, thickened by `radius`.
    case capsule
    /// Half axes `size` along the frame; flat ones are leaves.
    case ellipsoid
    /// Around the frame's second axis from height 0 to `size.y`, flat ends: the squared radius at
    /// height h is `profile.x + profile.y h + profile.z h²`. A cylinder, a cone, a coat, a pot.
    case revolution
    /// Half sides `size` along the frame.
    case box
  }

  var shape: Shape
  var material: Material
  /// Which of the scene's occluders this solid belongs to: it casts no shadow on itself.
  var occluder: Int16 = -1
  /// Whether the solid shines, and how brightly: radiance over display white.
  var emission: Float = 0
  /// A number that tells like solids apart in procedural surfaces.
  var variation: Float = 0
  var radius: Float = 0
  var center: Vector
  var end: Vector = .zero
  var size: Vector = .zero
  var profile: Vector = .zero
  /// The frame: unit vectors to the object's right, up and front.
  var right: Vector = Vector(1, 0, 0)
  var up: Vector = Vector(0, 1, 0)
  var front: Vector = Vector(0, 0, -1)
  var color: Vector
  var accent: Vector = .zero

  /// A point in the frame, from the centre, in world units.
  @inline(__always)
  func local(_ p: Vector) -> Vector {
    let q = p - center
    return Vector(dot(q, right), dot(q, up), dot(q, front))
  }

  /// The frame's vector as the world's.
  @inline(__always)
  func world(_ v: Vector) -> Vector { right * v.x + up * v.y + front * v.z }

  /// Two spheres whose convex hull contains the solid; often the same sphere twice.
  var bounds: (Vector, Vector, Float) {
    switch shape {
    case .sphere: return (center, center, radius)
    case .capsule: return (center, end, radius)
    case .ellipsoid: return (center, center, size.max())
    case .box: return (center, center, length(size))
    case .revolution:
      // The largest squared radius is at an end or at the parabola's vertex.
      let h = size.y
      var largest = max(profile.x, profile.x + profile.y * h + profile.z * h * h)
      if profile.z < 0 {
        let vertex = -profile.y / (2 * profile.z)
        if vertex > 0 && vertex < h {
          largest = max(largest, profile.x + profile.y * vertex + profile.z * vertex * vertex)
        }
      }
      // From the middle of the axis, the farthest point is on the rim of a cylinder around it.
      return (
        center + up * (h / 2), center + up * (h / 2), (largest + h * h / 4).squareRoot()
      )
    }
  }
}
