// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// The example's picture and map, in place of an application's own.
enum Checkerboard {
  static let size = Dimensions(width: 640, height: 360)
  static let mapSize = Dimensions(width: 64, height: 36)

  /// Red, green, blue and alpha, row by row.
  static let pixels: [UInt8] = (0..<size.height).flatMap { y in
    (0..<size.width).flatMap { x -> [UInt8] in
      let value: UInt8 = (x / 20 + y / 20) % 2 == 0 ? 235 : 20
      return [value, value, value, 255]
    }
  }

  /// From 0, far, to 1, near.
  static let disparities: [Float] = (0..<mapSize.height).flatMap { _ in
    (0..<mapSize.width).map { Float($0) / 63 }
  }

  /// How much of the board's contrast is left in each eighth of the width.
  static func contrast(of picture: PixelBuffer) -> [Int] {
    let row = picture.withUnsafeBytes { bytes in
      (0..<size.width).map { Int(bytes[170 * picture.planes[0].bytesPerRow + $0 * 4]) }
    }
    return stride(from: 0, to: size.width, by: size.width / 8).map { x in
      let part = row[x..<x + size.width / 8]
      return (part.max() ?? 0) - (part.min() ?? 0)
    }
  }
}
