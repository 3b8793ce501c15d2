// SPDX-License-Identifier: Apache-2.0

import TrackingKernels

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The discrete Fourier transform of square fields of complex numbers, real and imaginary parts
/// apart, in place. The side is a power of two.
struct FourierTransform: Sendable {
  let side: Int
  private let cosines: [Float]
  private let sines: [Float]

  init(side: Int) {
    precondition(side >= 2 && side & (side - 1) == 0, "the side is a power of two")
    self.side = side
    cosines = (0..<side).map { Float(cos(2 * Double.pi * Double($0) / Double(side))) }
    sines = (0..<side).map { Float(sin(2 * Double.pi * Double($0) / Double(side))) }
  }

  /// Both dimensions, forward; the result is transposed, which ``inverse`` undoes.
  ///
  /// - Parameter workspace: of 2 · side² floats.
  func forward(
    _ re: UnsafeMutablePointer<Float>, _ im: UnsafeMutablePointer<Float>,
    workspace: UnsafeMutablePointer<Float>
  ) {
    focal_track_fourier(re, im, Int32(side), cosines, sines, workspace)
  }

  /// The inverse of ``forward``, times side².
  func inverse(
    _ re: UnsafeMutablePointer<Float>, _ im: UnsafeMutablePointer<Float>,
    workspace: UnsafeMutablePointer<Float>
  ) {
    // parts exchanged, a forward transform is an inverse one
    focal_track_fourier(im, re, Int32(side), cosines, sines, workspace)
  }
}
