// SPDX-License-Identifier: Apache-2.0

/// A point, a direction or a linear RGB colour of the sample scenes.
typealias Vector = SIMD3<Float>

// The scenes must have the same bits on every machine, so nothing here calls the C library's
// transcendental functions: their last bit differs from one version and processor to the next.

@inline(__always)
func dot(_ a: Vector, _ b: Vector) -> Float {
  let p = a * b
  return p.x + p.y + p.z
}

@inline(__always)
func cross(_ a: Vector, _ b: Vector) -> Vector {
  Vector(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
}

@inline(__always)
func length(_ a: Vector) -> Float { dot(a, a).squareRoot() }

@inline(__always)
func normalize(_ a: Vector) -> Vector { a * (1 / length(a)) }

@inline(__always)
func mix(_ a: Vector, _ b: Vector, _ t: Float) -> Vector { a + (b - a) * t }

@inline(__always)
func mix(_ a: Float, _ b: Float, _ t: Float) -> Float { a + (b - a) * t }

@inline(__always)
func saturate(_ x: Float) -> Float { x < 0 ? 0 : x > 1 ? 1 : x }

/// Zero below `a`, one above `b`, a cubic with level ends between; falling where `a > b`.
@inline(__always)
func smoothstep(_ a: Float, _ b: Float, _ x: Float) -> Float {
  let t = saturate((x - a) / (b - a))
  return t * t * (3 - 2 * t)
}

/// The largest integer not above `x`, for |x| < 2³¹: a cast, where `rounded(.down)` is a call on
/// processors without SSE 4.1.
@inline(__always)
func floorInteger(_ x: Float) -> Int32 {
  let truncated = Int32(x)
  return x < Float(truncated) ? truncated - 1 : truncated
}

/// `x` less its floor: 0..<1.
@inline(__always)
func fraction(_ x: Float) -> Float { x - Float(floorInteger(x)) }

/// 2ˣ for -126 < x < 127, clamped outside; relative error below 2e-5.
@inline(__always)
func exp2Approximation(_ x: Float) -> Float {
  let clamped = x < -126 ? -126 : x > 126 ? 126 : x
  let whole = floorInteger(clamped)
  let f = clamped - Float(whole)
  // The series of exp(f ln 2) up to the sixth power.
  let p =
    1 + f
    * (0.693_147_2 + f
      * (0.240_226_5 + f
        * (0.055_504_1 + f * (0.009_618_1 + f * (0.001_333_4 + f * 0.000_154_0)))))
  return p * Float(bitPattern: UInt32(bitPattern: (whole + 127) << 23))
}

/// sin(2πx), absolute error below 1e-5: turns, not radians, so that the reduction is exact.
@inline(__always)
func sineOfTurns(_ x: Float) -> Float {
  let t = fraction(x)
  // Fold the turn onto -1/4...1/4, where the series converges fast.
  let folded = t < 0.25 ? t : t < 0.75 ? 0.5 - t : t - 1
  let a = folded * 6.283_185_3
  let s = a * a
  return a * (1 + s * (-1 / 6 + s * (1 / 120 + s * (-1 / 5040 + s * (1 / 362_880)))))
}

/// cos(2πx).
@inline(__always)
func cosineOfTurns(_ x: Float) -> Float { sineOfTurns(x + 0.25) }

/// The angle of (x, y) in turns, 0..<1 from the x axis towards y; error below 1e-4.
@inline(__always)
func turns(_ y: Float, _ x: Float) -> Float {
  let ax = abs(x)
  let ay = abs(y)
  let larger = max(ax, ay)
  if larger == 0 { return 0 }
  let q = min(ax, ay) / larger
  let s = q * q
  // Abramowitz and Stegun 4.4.49, over 2π.
  var angle =
    q
    * (0.159_133_6 + s * (-0.052_568_8 + s * (0.028_670_3 + s * (-0.013_549_3 + s * 0.003_316_0))))
  if ay > ax { angle = 0.25 - angle }
  if x < 0 { angle = 0.5 - angle }
  return y < 0 ? (angle == 0 ? 0 : 1 - angle) : angle
}
