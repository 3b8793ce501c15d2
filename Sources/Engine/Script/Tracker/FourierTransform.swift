// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The discrete Fourier transform of square fields of complex numbers, real and imaginary parts
/// apart, in place. The side is a power of two.
///
/// Radix 2 over whole rows: a butterfly combines two rows, so that the inner loop runs over
/// neighbours in memory.
struct FourierTransform: Sendable {
  let side: Int
  private let cosines: [Float]
  private let sines: [Float]
  private let reversed: [Int]

  init(side: Int) {
    precondition(side >= 2 && side & (side - 1) == 0, "the side is a power of two")
    self.side = side
    cosines = (0..<(side / 2)).map { Float(cos(2 * Double.pi * Double($0) / Double(side))) }
    sines = (0..<(side / 2)).map { Float(-sin(2 * Double.pi * Double($0) / Double(side))) }
    let bits = side.trailingZeroBitCount
    reversed = (0..<side).map { index in
      (0..<bits).reduce(0) { $0 | ((index >> $1) & 1) << (bits - 1 - $1) }
    }
  }

  /// Both dimensions, forward; the result is transposed, which ``inverse`` undoes.
  func forward(_ re: UnsafeMutablePointer<Float>, _ im: UnsafeMutablePointer<Float>) {
    columns(re, im)
    transpose(re)
    transpose(im)
    columns(re, im)
  }

  /// The inverse of ``forward``, with the factor 1 / side².
  func inverse(_ re: UnsafeMutablePointer<Float>, _ im: UnsafeMutablePointer<Float>) {
    // parts exchanged, a forward transform is an inverse one
    columns(im, re)
    transpose(re)
    transpose(im)
    columns(im, re)
    let factor = 1 / Float(side * side)
    for index in 0..<(side * side) {
      re[index] *= factor
      im[index] *= factor
    }
  }

  /// Every column's transform.
  private func columns(_ re: UnsafeMutablePointer<Float>, _ im: UnsafeMutablePointer<Float>) {
    for row in 0..<side where reversed[row] > row {
      let other = reversed[row]
      for column in 0..<side {
        swap(&re[row * side + column], &re[other * side + column])
        swap(&im[row * side + column], &im[other * side + column])
      }
    }
    var half = 1
    while half < side {
      let stride = side / (2 * half)
      var start = 0
      while start < side {
        for offset in 0..<half {
          let (c, s) = (cosines[offset * stride], sines[offset * stride])
          butterfly(
            re + (start + offset) * side, im + (start + offset) * side,
            re + (start + offset + half) * side, im + (start + offset + half) * side, c, s)
        }
        start += 2 * half
      }
      half *= 2
    }
  }

  @inline(__always)
  private func butterfly(
    _ re: UnsafeMutablePointer<Float>, _ im: UnsafeMutablePointer<Float>,
    _ otherRe: UnsafeMutablePointer<Float>, _ otherIm: UnsafeMutablePointer<Float>, _ c: Float,
    _ s: Float
  ) {
    typealias Vector = SIMD4<Float>
    var column = 0
    while column + 4 <= side {
      let a = UnsafeRawPointer(re + column).loadUnaligned(as: Vector.self)
      let b = UnsafeRawPointer(im + column).loadUnaligned(as: Vector.self)
      let x = UnsafeRawPointer(otherRe + column).loadUnaligned(as: Vector.self)
      let y = UnsafeRawPointer(otherIm + column).loadUnaligned(as: Vector.self)
      let tRe = x * c - y * s
      let tIm = x * s + y * c
      UnsafeMutableRawPointer(re + column).storeBytes(of: a + tRe, as: Vector.self)
      UnsafeMutableRawPointer(im + column).storeBytes(of: b + tIm, as: Vector.self)
      UnsafeMutableRawPointer(otherRe + column).storeBytes(of: a - tRe, as: Vector.self)
      UnsafeMutableRawPointer(otherIm + column).storeBytes(of: b - tIm, as: Vector.self)
      column += 4
    }
    while column < side {
      let tRe = otherRe[column] * c - otherIm[column] * s
      let tIm = otherRe[column] * s + otherIm[column] * c
      otherRe[column] = re[column] - tRe
      otherIm[column] = im[column] - tIm
      re[column] += tRe
      im[column] += tIm
      column += 1
    }
  }

  private func transpose(_ field: UnsafeMutablePointer<Float>) {
    // in blocks, so that rows and columns stay in the cache
    let block = min(8, side)
    var top = 0
    while top < side {
      var left = top
      while left < side {
        for row in top..<(top + block) {
          let first = left == top ? row + 1 : left
          for column in first..<max(first, left + block) {
            swap(&field[row * side + column], &field[column * side + row])
          }
        }
        left += block
      }
      top += block
    }
  }
}
