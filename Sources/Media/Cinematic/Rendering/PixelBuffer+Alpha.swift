// SPDX-License-Identifier: Apache-2.0

import FocalCore

extension PixelBuffer {
  /// A copy in linear light that is not multiplied by alpha.
  func dividedByAlpha() throws(CinematicError) -> PixelBuffer {
    let result = try linearRGBA()
    result.withUnsafeMutableBytes { bytes in
      for y in 0..<height {
        let row = (bytes.baseAddress! + y * result.planes[0].bytesPerRow)
          .assumingMemoryBound(to: SIMD4<Float>.self)
        for x in 0..<width where row[x].w > 0 {
          let alpha = row[x].w
          row[x] /= alpha
          row[x].w = alpha
        }
      }
    }
    return result
  }

  /// Stores light that is not multiplied by alpha, mapped to standard range if a mapping is given.
  ///
  /// - Parameters:
  ///   - light: `rgbaFloat`, linear; it holds what was stored afterwards.
  ///   - row: of this picture, with which the light begins.
  ///   - multiplies: whether colours are multiplied by alpha. Tones are those of surfaces, so that they are mapped before.
  /// - Throws: as ``FocalCore/PixelBuffer/store(linearRGBA:)`` and ``FocalCore/ToneMapping/store(_:in:)``.
  func store(
    straight light: PixelBuffer, atRow row: Int = 0, by mapping: ToneMapping?, multiplies: Bool
  ) throws(CinematicError) {
    guard multiplies else { return try store(linearRGBA: light, atRow: row, by: mapping) }
    var tags = tags
    if let mapping {
      try mapping.store(light, in: self, atRow: row)
      tags.transfer = .srgb
    }
    light.multiplyByAlpha()
    try tagged(tags).store(linearRGBA: light, atRow: row)
  }

  /// Light times alpha, in place.
  ///
  /// - Precondition: `rgbaFloat`.
  private func multiplyByAlpha() {
    withUnsafeMutableBytes { bytes in
      for y in 0..<height {
        let row = (bytes.baseAddress! + y * planes[0].bytesPerRow)
          .assumingMemoryBound(to: SIMD4<Float>.self)
        for x in 0..<width {
          let alpha = row[x].w
          row[x] *= alpha
          row[x].w = alpha
        }
      }
    }
  }
}
