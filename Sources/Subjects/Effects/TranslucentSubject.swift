// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Subjects of a picture with alpha, before the background of the same picture. Where light goes through a subject, it comes
/// from behind the picture, not from the picture's own background: the subject is drawn as if it were opaque, and what goes
/// through is taken out of the result.
struct TranslucentSubject {
  /// The subjects' light with their mask as alpha.
  let subject: PixelBuffer
  /// With the picture's own alpha.
  private let light: PixelBuffer

  /// - Parameters:
  ///   - subject: light with mask and picture's alpha multiplied, `rgbaFloat`.
  ///   - light: the picture's, of the same size.
  init(_ subject: PixelBuffer, in light: PixelBuffer) throws(CinematicError) {
    self.light = light
    self.subject = try PixelBuffer(
      dimensions: subject.dimensions, format: .rgbaFloat, tags: subject.tags,
      bytesPerRowAlignment: 16)
    self.subject.changePixels(subject, light) { _, front, own in
      var front = front
      front.w = own.w > 0 ? min(1, front.w / min(1, own.w)) : 0
      return front
    }
  }

  /// Takes what goes through the subjects out of what was drawn.
  func takeOut(of result: PixelBuffer) {
    result.changePixels(subject, light) { pixel, front, own in
      let through = front.w * (1 - min(1, max(0, own.w)))
      guard through > 0 else { return pixel }
      let alpha = max(0, pixel.w - through)
      guard alpha > 0 else { return .zero }
      var rest = (pixel * pixel.w - front * through) / alpha
      rest.w = alpha
      return rest
    }
  }
}

extension PixelBuffer {
  /// Makes each pixel anew from itself and those of two others of its size, all `rgbaFloat`.
  fileprivate func changePixels(
    _ a: PixelBuffer, _ b: PixelBuffer,
    _ change: (SIMD4<Float>, SIMD4<Float>, SIMD4<Float>) -> SIMD4<Float>
  ) {
    let (stride, strideA, strideB) = (
      planes[0].bytesPerRow, a.planes[0].bytesPerRow, b.planes[0].bytesPerRow
    )
    withUnsafeMutableBytes { own in
      a.withUnsafeBytes { a in
        b.withUnsafeBytes { b in
          for y in 0..<height {
            for x in 0..<width {
              let place = y * stride + 16 * x
              let changed = change(
                own.load(fromByteOffset: place, as: SIMD4<Float>.self),
                a.load(fromByteOffset: y * strideA + 16 * x, as: SIMD4<Float>.self),
                b.load(fromByteOffset: y * strideB + 16 * x, as: SIMD4<Float>.self))
              own.storeBytes(of: changed, toByteOffset: place, as: SIMD4<Float>.self)
            }
          }
        }
      }
    }
  }
}
