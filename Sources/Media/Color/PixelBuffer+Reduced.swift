// SPDX-License-Identifier: Apache-2.0

import FocalCore
import PlanarCoding

extension PixelBuffer {
  /// The largest number that pictures are made smaller by.
  package static let largestReduction = 32

  /// The picture at a whole part of its size, each code the mean of a square of codes: light is not averaged, and
  /// edges between bright and dark become a little darker than the picture seen from afar. Columns and rows beyond the
  /// last whole square are left out.
  ///
  /// - Parameter factor: 2 to ``largestReduction``.
  /// - Returns: `nil` for formats that have no whole codes or floats: halves and maps.
  /// - Throws: `outOfMemory`.
  package func reduced(by factor: Int) throws(CinematicError) -> PixelBuffer? {
    precondition((2...Self.largestReduction).contains(factor), "a picture is reduced by 2 to 32")
    let run: (UnsafePointer<FocalReduction>?) -> Int32
    switch format {
    case .yuv420Video8, .yuv420Full8, .rgba8, .gray8: run = focal_reduce_bytes
    case .yuv420Video10, .yuv420Full10, .gray16: run = focal_reduce_words
    case .rgbaFloat: run = focal_reduce_floats
    case .rgbaHalf, .disparityHalf, .disparityFloat: return nil
    }
    let size = Dimensions(width: max(width / factor, 1), height: max(height / factor, 1))
    let result = try PixelBuffer(dimensions: size, format: format, tags: tags)
    for plane in planes.indices {
      var reduction = FocalReduction()
      reduction.bytesPerRow = planes[plane].bytesPerRow
      reduction.width = Int32(planes[plane].dimensions.width)
      reduction.height = Int32(planes[plane].dimensions.height)
      reduction.components = Int32(planes[plane].bytesPerElement / format.bytesPerComponent)
      reduction.resultBytesPerRow = result.planes[plane].bytesPerRow
      reduction.resultWidth = Int32(result.planes[plane].dimensions.width)
      reduction.resultHeight = Int32(result.planes[plane].dimensions.height)
      reduction.factor = Int32(factor)
      reduction.isChroma = plane > 0 ? 1 : 0
      let isDone = withUnsafeBytes(ofPlane: plane) { source in
        result.withUnsafeMutableBytes(ofPlane: plane) { bytes in
          reduction.source = source.baseAddress
          reduction.result = bytes.baseAddress
          return run(&reduction) != 0
        }
      }
      guard isDone else {
        throw CinematicError(.outOfMemory, "there is no memory for a smaller picture")
      }
    }
    return result
  }
}
