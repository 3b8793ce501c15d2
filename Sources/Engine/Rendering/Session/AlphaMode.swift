// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// How the colours of a picture with alpha are stored.
public enum AlphaMode: Hashable, Sendable {
  /// Colours are those of the surface, whatever its alpha: PNG, TIFF, HEIC.
  case straight
  /// Colours have been multiplied by alpha, in linear light: OpenEXR.
  case premultiplied
}

extension PixelFormat {
  /// Whether pixels have an alpha.
  public var hasAlpha: Bool {
    switch self {
    case .rgba8, .rgbaHalf, .rgbaFloat: true
    default: false
    }
  }
}

extension PixelBuffer {
  /// Whether any pixel's alpha is below 1: whether the alpha is worth rendering. `false` for formats
  /// without alpha.
  public var isTranslucent: Bool {
    guard format.hasAlpha else { return false }
    return withUnsafeBytes { bytes in
      for y in 0..<height {
        let row = bytes.baseAddress! + y * planes[0].bytesPerRow
        // Without branches in a row: opaque pictures are looked through to their end.
        switch format {
        case .rgba8:
          // Rows of bytes begin anywhere.
          var all = UInt32.max
          for x in 0..<width {
            all &= row.loadUnaligned(fromByteOffset: 4 * x, as: UInt32.self).littleEndian
          }
          if all >> 24 != 255 { return true }
        case .rgbaHalf:
          let halves = row.assumingMemoryBound(to: UInt16.self)
          // Halves of 0 to 1 are ordered as their bits are; 1 is 0x3C00. Negative ones are larger.
          var least: UInt16 = 0x3C00
          var most: UInt16 = 0
          for x in 0..<width {
            least = min(least, halves[4 * x + 3])
            most = max(most, halves[4 * x + 3])
          }
          if least < 0x3C00 || most > 0x7C00 { return true }
        default:
          let floats = row.assumingMemoryBound(to: Float.self)
          var isOpaque = true
          for x in 0..<width { isOpaque = isOpaque && floats[4 * x + 3] >= 1 }
          if !isOpaque { return true }
        }
      }
      return false
    }
  }
}
