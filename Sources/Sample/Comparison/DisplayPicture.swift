// SPDX-License-Identifier: Apache-2.0

import FocalCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension PictureComparison {
  /// A linear picture as a display shows it: clipped to 0...1, then through the sRGB curve.
  ///
  /// - Parameter picture: `rgbaFloat`, linear light. Values that are not numbers stay so.
  /// - Throws: `unsupported` for another format, `outOfMemory`.
  public static func displayPicture(
    ofLinear picture: PixelBuffer
  ) throws(CinematicError) -> PixelBuffer {
    guard picture.format == .rgbaFloat else {
      throw CinematicError(
        .unsupported, "pictures of format \(picture.format) are not converted here",
        remedy: "convert them to RGBA floats")
    }
    let result = try PixelBuffer(dimensions: picture.dimensions, format: .rgbaFloat)
    let width = picture.width
    result.withUnsafeMutableBytes { bytes in
      let target = UncheckedPointer(bytes.baseAddress!.assumingMemoryBound(to: Float.self))
      let stride = result.planes[0].bytesPerRow / 4
      withRows(picture, picture) { source, _, sourceStride, _ in
        parallelFor(picture.height, threads: nil) { y in
          for x in 0..<width {
            let i = y * stride + x * 4
            let j = y * sourceStride + x * 4
            for c in 0..<3 { target.address[i + c] = encode(source[j + c]) }
            target.address[i + 3] = source[j + 3]
          }
        }
      }
    }
    return result
  }

  /// The sRGB curve (IEC 61966-2-1) of a value clipped to 0...1.
  private static func encode(_ x: Float) -> Float {
    if x.isNaN { return x }
    let clipped = max(0, min(1, x))
    return clipped <= 0.003_130_8 ? clipped * 12.92 : 1.055 * powf(clipped, 1 / 2.4) - 0.055
  }
}

func logarithm10(_ x: Double) -> Double { log10(x) }
