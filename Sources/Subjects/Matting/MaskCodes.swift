// SPDX-License-Identifier: Apache-2.0

import FocalCore
import SubjectKernels

extension PixelBuffer {
  /// Stores a mask's values as codes: 0 to the largest code, or as they are in floats.
  ///
  /// - Parameter mask: `disparityFloat` of this buffer's size.
  /// - Precondition: `gray8`, `gray16`, `rgba8` or `rgbaFloat`.
  package func storeMask(_ mask: PixelBuffer) {
    precondition(
      dimensions == mask.dimensions && [.gray8, .gray16, .rgba8, .rgbaFloat].contains(format),
      "a mask of \(mask.dimensions) is stored in \(format) of its size")
    let (from, to) = (mask.planes[0].bytesPerRow, planes[0].bytesPerRow)
    mask.withUnsafeBytes { source in
      withUnsafeMutableBytes { target in
        for y in 0..<height {
          focal_mask_codes(
            (source.baseAddress! + y * from).assumingMemoryBound(to: Float.self), Int32(width),
            Int32(planes[0].bytesPerElement), target.baseAddress! + y * to)
        }
      }
    }
  }
}
