// SPDX-License-Identifier: Apache-2.0

import PixelConversion

extension PixelBuffer {
  /// The largest number that pictures are made smaller by: sums of its squares of 16 bits fit into 32.
  package static let largestReduction = 128

  /// The picture at a whole part of its size, rounded up, each code the mean of a square of codes: light is not
  /// averaged, and edges between bright and dark become a little darker than the picture seen from afar. At the right
  /// and at the bottom the last columns and rows count for those that a square lacks. Halves become floats.
  ///
  /// - Parameter factor: 1 to ``largestReduction``; 1 returns the picture itself.
  /// - Throws: `unsupported` for a disparity format, `outOfMemory`.
  package func reduced(by factor: Int) throws(CinematicError) -> PixelBuffer {
    precondition(
      (1...Self.largestReduction).contains(factor),
      "a picture is reduced by 1 to \(Self.largestReduction)")
    guard factor > 1 else { return self }
    let run: (UnsafePointer<FocalReduction>?) -> Int32
    switch format {
    case .yuv420Video8, .yuv420Full8, .rgba8, .gray8: run = focal_reduce_bytes
    case .yuv420Video10, .yuv420Full10, .gray16: run = focal_reduce_words
    case .rgbaHalf: run = focal_reduce_halves
    case .rgbaFloat: run = focal_reduce_floats
    case .disparityHalf, .disparityFloat:
      throw CinematicError(.unsupported, "a disparity map (\(format)) has no colours to average")
    }
    let size = Dimensions(
      width: (width + factor - 1) / factor, height: (height + factor - 1) / factor)
    let result = try PixelBuffer(
      dimensions: size, format: format == .rgbaHalf ? .rgbaFloat : format, tags: tags)
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
