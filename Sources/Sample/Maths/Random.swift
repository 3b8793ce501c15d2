// SPDX-License-Identifier: Apache-2.0

/// A seeded generator (SplitMix64: a counter through an invertible mix), the same on every machine.
public struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  /// - Parameter seed: any number; equal seeds give equal numbers.
  public init(seed: UInt64) { state = seed }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// A multiple of 2⁻²⁴ in 0..<1.
  mutating func unit() -> Float { Float(next() >> 40) * 0x1p-24 }

  /// A number between two bounds.
  mutating func between(_ a: Float, _ b: Float) -> Float { a + (b - a) * unit() }

  /// A normally distributed number, near enough: twelve uniforms less six.
  mutating func gaussian() -> Float {
    var sum: Float = -6
    for _ in 0..<12 { sum += unit() }
    return sum
  }
}

/// A well mixed function of an integer: each input bit changes half of the output's.
@inline(__always)
func hash(_ x: UInt32) -> UInt32 {
  var h = x
  h = (h ^ (h >> 16)) &* 0x7FEB_352D
  h = (h ^ (h >> 15)) &* 0x846C_A68B
  return h ^ (h >> 16)
}

/// A number in 0..<1 that depends on two integers and a salt.
@inline(__always)
func hashUnit(_ x: Int32, _ y: Int32, _ salt: UInt32) -> Float {
  let mixed = hash(
    UInt32(bitPattern: x) &* 0x9E37_79B1 ^ hash(UInt32(bitPattern: y) &+ salt &* 0x85EB_CA77))
  return Float(mixed >> 8) * 0x1p-24
}

/// Points that fill the unit square evenly whatever their number (Hammersley: i/n and the bits of i
/// reversed), moved along by an offset and wrapped.
@inline(__always)
func hammersley(_ index: Int, _ count: Int, _ offset: SIMD2<Float>) -> SIMD2<Float> {
  var bits = UInt32(truncatingIfNeeded: index)
  bits = (bits << 16) | (bits >> 16)
  bits = ((bits & 0x00FF_00FF) << 8) | ((bits & 0xFF00_FF00) >> 8)
  bits = ((bits & 0x0F0F_0F0F) << 4) | ((bits & 0xF0F0_F0F0) >> 4)
  bits = ((bits & 0x3333_3333) << 2) | ((bits & 0xCCCC_CCCC) >> 2)
  bits = ((bits & 0x5555_5555) << 1) | ((bits & 0xAAAA_AAAA) >> 1)
  let x = (Float(index) + 0.5) / Float(count) + offset.x
  let y = Float(bits >> 8) * 0x1p-24 + offset.y
  return SIMD2(fraction(x), fraction(y))
}

/// Points of the plane's additive recurrence with the plastic number (Roberts 2018): even in two
/// dimensions, and uncorrelated with ``hammersley(_:_:_:)`` of the same index.
@inline(__always)
func plasticSequence(_ index: Int, _ offset: SIMD2<Float>) -> SIMD2<Float> {
  // In 32-bit integers, where the wrap is exact for every index.
  let i = UInt32(truncatingIfNeeded: index &+ 1)
  let x = Float((i &* 3_242_174_889) >> 8) * 0x1p-24 + offset.x
  let y = Float((i &* 2_447_445_414) >> 8) * 0x1p-24 + offset.y
  return SIMD2(fraction(x), fraction(y))
}
