// SPDX-License-Identifier: Apache-2.0

/// The scene's camera: where it stands, and how pixels, depth and disparity correspond.
///
/// Camera space: x to the right, y up, z along the axis (the depth). A pixel's direction is
/// (x, y, 1) in it. The focal length is a share of the picture's width, so that one of another
/// size shows the same scene; another aspect shows more or less above and below.
struct Camera {
  /// Nearest depth that anything stands at: relative disparity 1.
  static let nearDepth: Float = 1.3
  /// Depth of the backdrop, a plane across the axis: relative disparity 0.
  static let farDepth: Float = 40
  /// Focal length over picture width: a horizontal field of view of 40 degrees.
  static let focalLength: Float = 1.373_739

  /// 1/near - 1/far: what a relative disparity of 1 is in reciprocal depth.
  static let disparitySpan: Float = 1 / nearDepth - 1 / farDepth

  var position: Vector
  let right: Vector
  let up: Vector
  let forward: Vector

  /// A camera that looks along z, tilted down by an angle whose tangent is `pitch`.
  init(position: Vector, pitch: Float) {
    self.position = position
    let forward = normalize(Vector(0, -pitch, 1))
    self.forward = forward
    self.right = Vector(1, 0, 0)
    self.up = Vector(0, forward.z, -forward.y)
  }

  /// A world point in camera space.
  @inline(__always)
  func toCamera(_ p: Vector) -> Vector {
    let q = p - position
    return Vector(dot(q, right), dot(q, up), dot(q, forward))
  }

  /// The relative disparity of a depth: affine in its reciprocal, 1 near and 0 far.
  @inline(__always)
  static func disparity(atDepth z: Float) -> Float {
    (1 / z - 1 / farDepth) / disparitySpan
  }

  /// The reciprocal depth of a relative disparity.
  static func reciprocalDepth(ofDisparity d: Float) -> Float {
    d * disparitySpan + 1 / farDepth
  }
}

/// The camera with a picture's size and a lens: what a render needs of both.
struct LensView {
  let camera: Camera
  let size: SIMD2<Float>
  /// Focal length in pixels.
  let focal: Float
  /// Radius of the lens in world units; 0 is a pinhole.
  let lensRadius: Float
  /// Reciprocal of the depth in focus.
  let focusReciprocal: Float

  init(camera: Camera, width: Int, height: Int, lensRadius: Float, focusReciprocal: Float) {
    self.camera = camera
    size = SIMD2(Float(width), Float(height))
    focal = Camera.focalLength * Float(width)
    self.lensRadius = lensRadius
    self.focusReciprocal = focusReciprocal
  }

  /// The radius of the lens for which a plane of disparity d has a circle of confusion of diameter
  /// width · S/N · |d - d_f|.
  ///
  /// A lens point l sees depth z displaced by l · (1/z - 1/z_f) · focal pixels, and 1/z is affine
  /// in d, so the diameter is 2R · focal · span · |d - d_f|, for every d at once.
  static func lensRadius(blurScale: Float, fNumber: Float) -> Float {
    blurScale / fNumber / (2 * Camera.focalLength * Camera.disparitySpan)
  }

  /// The ray that leaves a point of the lens (in world units from its centre) through what the
  /// pixel position has in focus.
  @inline(__always)
  func ray(_ x: Float, _ y: Float, lens: SIMD2<Float>) -> Ray {
    let dx = (x - size.x * 0.5) / focal - lens.x * focusReciprocal
    let dy = (size.y * 0.5 - y) / focal - lens.y * focusReciprocal
    return Ray(
      origin: camera.position + camera.right * lens.x + camera.up * lens.y,
      direction: camera.forward + camera.right * dx + camera.up * dy)
  }

  /// The box of pixel positions at which the hull of two spheres can be seen through the lens, or
  /// `nil` where that is nowhere in the picture.
  func bounds(_ a: Vector, _ b: Vector, _ radius: Float) -> PixelBox? {
    let ca = camera.toCamera(a)
    let cb = camera.toCamera(b)
    let nearest = min(ca.z, cb.z) - radius
    if nearest < 0.05 { return PixelBox(x0: 0, y0: 0, x1: size.x, y1: size.y) }
    let (ax0, ax1) = Self.tangents(ca.x, ca.z, radius)
    let (bx0, bx1) = Self.tangents(cb.x, cb.z, radius)
    let (ay0, ay1) = Self.tangents(ca.y, ca.z, radius)
    let (by0, by1) = Self.tangents(cb.y, cb.z, radius)
    let farthest = max(ca.z, cb.z) + radius
    // The displacement through the lens is largest at the nearest or at the farthest point; a
    // pixel more than that for rounding and for positions inside a pixel.
    let reach =
      lensRadius * focal
      * max(abs(1 / nearest - focusReciprocal), abs(1 / farthest - focusReciprocal)) + 1.5
    let box = PixelBox(
      x0: size.x * 0.5 + focal * min(ax0, bx0) - reach,
      y0: size.y * 0.5 - focal * max(ay1, by1) - reach,
      x1: size.x * 0.5 + focal * max(ax1, bx1) + reach,
      y1: size.y * 0.5 - focal * min(ay0, by0) + reach)
    if box.x1 <= 0 || box.y1 <= 0 || box.x0 >= size.x || box.y0 >= size.y { return nil }
    return box
  }

  /// Slopes of the two lines through the origin that touch a circle around (x, z).
  static func tangents(_ x: Float, _ z: Float, _ r: Float) -> (Float, Float) {
    let h = r * (x * x + z * z - r * r).squareRoot()
    let inverse = 1 / (z * z - r * r)
    return ((x * z - h) * inverse, (x * z + h) * inverse)
  }
}

/// A box of pixel positions.
struct PixelBox {
  var x0: Float
  var y0: Float
  var x1: Float
  var y1: Float
}
