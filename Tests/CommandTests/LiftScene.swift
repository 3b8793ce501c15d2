// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia

/// What the tests of `focal lift` lift, and how they read what it makes.
enum LiftScene {
  static let size = Dimensions(width: 192, height: 144)

  /// A bright disc before a dark wall, moved to the right, with its map.
  static func write(
    _ picture: String, _ map: String, shift: Int = 0, in folder: Folder
  ) throws {
    var codes: [UInt8] = []
    var near: [UInt8] = []
    for y in 0..<size.height {
      for x in 0..<size.width {
        let (u, v) = (x - 90 - shift, y - 70)
        let isInside = u * u + v * v < 1600
        codes += isInside ? [220, UInt8(120 + (x * 7 + y * 5) % 20), 60, 255] : [30, 40, 70, 255]
        near.append(isInside ? 200 : 60)
      }
    }
    try PictureWriter.write(
      PixelBuffer(dimensions: size, format: .rgba8, values: codes), to: folder.file(picture))
    try PictureWriter.write(
      PixelBuffer(dimensions: size, format: .gray8, values: near), to: folder.file(map))
  }

  static func picture(_ path: String) async throws -> [Float] {
    let light = try await FrameReader.open(path).frame(number: 0).pixelBuffer.linearRGBA()
    return light.withUnsafeBytes { bytes in
      (0..<light.height).flatMap { y in
        (0..<4 * light.width).map {
          bytes.load(fromByteOffset: y * light.planes[0].bytesPerRow + 4 * $0, as: Float.self)
        }
      }
    }
  }
}
