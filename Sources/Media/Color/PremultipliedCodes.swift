// SPDX-License-Identifier: Apache-2.0

import CFFmpeg

/// Codes of colours that were multiplied by alpha. The multiplication was one of codes, not of light.
enum PremultipliedCodes {
  /// Divides a row's codes by alpha, the last component.
  static func divide<Code: FixedWidthInteger & UnsignedInteger>(
    _ row: UnsafeMutablePointer<Code>, components: Int, count: Int
  ) {
    let most = Int(Code.max)
    for x in 0..<count {
      let pixel = row + components * x
      let alpha = Int(pixel[components - 1])
      guard alpha > 0, alpha < most else { continue }
      for component in 0..<(components - 1) {
        pixel[component] = Code(min((Int(pixel[component]) * most + alpha / 2) / alpha, most))
      }
    }
  }
}

extension PictureFrame {
  /// Divides codes of red, green and blue by alpha.
  ///
  /// - Precondition: `AV_PIX_FMT_RGBA`, or `AV_PIX_FMT_RGBA64` in the order of bytes of this machine.
  func divideByAlpha(isDeep: Bool) {
    for y in 0..<dimensions.height {
      let row = row(y, ofPlane: 0)
      if isDeep {
        PremultipliedCodes.divide(
          row.assumingMemoryBound(to: UInt16.self), components: 4, count: dimensions.width)
      } else {
        PremultipliedCodes.divide(
          row.assumingMemoryBound(to: UInt8.self), components: 4, count: dimensions.width)
      }
    }
  }
}
