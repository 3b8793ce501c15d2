// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalSample
import Testing

@testable import FocalScript

/// The codes that tracker and finder take from a picture, wherever its planes lie in memory.
struct PicturePlanesTests {
  private static let size = Dimensions(width: 64, height: 48)

  /// Codes of a seed, padding included.
  private static func noise(_ format: PixelFormat, _ size: Dimensions) throws -> PixelBuffer {
    var generator = SeededGenerator(seed: 7)
    let picture = try PixelBuffer(dimensions: size, format: format)
    for index in picture.planes.indices {
      picture.withUnsafeMutableBytes(ofPlane: index) { bytes in
        for place in bytes.indices { bytes[place] = UInt8.random(in: 0...255, using: &generator) }
      }
    }
    return picture
  }

  /// Behind a header, the last plane first, rows padded.
  private static func placedApart(_ format: PixelFormat) throws -> PixelBuffer {
    var places: [(offset: Int, bytesPerRow: Int)] = []
    var end = 512
    for plane in format.planes.reversed() {
      let dimensions = plane.dimensions(of: size)
      let bytesPerRow = dimensions.width * plane.bytesPerElement + 16
      places.insert((offset: end, bytesPerRow: bytesPerRow), at: 0)
      end += bytesPerRow * dimensions.height
    }
    let memory = UnsafeMutableRawPointer.allocate(byteCount: end, alignment: 64)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: end)
    return try PixelBuffer(
      dimensions: size, format: format, tags: .sRGB, baseAddress: memory, byteCount: end,
      planes: places, release: { $0.deallocate() })
  }

  private static func copy(_ source: PixelBuffer, to target: PixelBuffer) {
    for index in source.planes.indices {
      let (from, to) = (source.planes[index], target.planes[index])
      let count = from.dimensions.width * from.bytesPerElement
      source.withUnsafeBytes(ofPlane: index) { bytes in
        target.withUnsafeMutableBytes(ofPlane: index) { result in
          for row in 0..<from.dimensions.height {
            for place in 0..<count {
              result[row * to.bytesPerRow + place] = bytes[row * from.bytesPerRow + place]
            }
          }
        }
      }
    }
  }

  /// Patches of every component, from the picture itself and from its halved sizes.
  private static func patches(_ picture: PixelBuffer) throws -> [Float] {
    let planes = try #require(PicturePlanes(picture))
    var result: [Float] = []
    for component in [PicturePlanes.Component.luma, .blue, .red] {
      for side in [8.0, 20.0, 48.0] {
        var patch = [Float](repeating: 0, count: 64)
        patch.withUnsafeMutableBufferPointer { patch in
          planes.sample(
            component, centerX: 33, centerY: 22, width: side, height: side, columns: 8, rows: 8,
            into: patch.baseAddress!)
        }
        result += patch
      }
    }
    return result
  }

  @Test(arguments: [PixelFormat.gray8, .gray16, .yuv420Video8, .yuv420Video10])
  func planesMayLieAnywhere(_ format: PixelFormat) throws {
    let whole = try Self.noise(format, Dimensions(width: 128, height: 80))
    let part = whole.part(columns: 32..<96, rows: 20..<68)
    let copied = try PixelBuffer(dimensions: Self.size, format: format)
    Self.copy(part, to: copied)
    let apart = try Self.placedApart(format)
    Self.copy(part, to: apart)
    let expected = try Self.patches(copied)
    #expect(Set(expected).count > 64)
    let isPartSame = try Self.patches(part) == expected
    let isApartSame = try Self.patches(apart) == expected
    #expect(isPartSame)
    #expect(isApartSame)
  }
}
