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
    let result = try PixelBuffer(
      dimensions: dimensions.reduced(by: factor),
      format: format == .rgbaHalf ? .rgbaFloat : format, tags: tags)
    for plane in planes.indices {
      let isDone = withReduction(ofPlane: plane, by: factor, to: result) { run($0) != 0 }
      guard isDone else { throw .noMemoryForReduction }
    }
    return result
  }

  /// The colours of ``reduced(by:)`` as floats, with the picture's transfer function: chroma is brought to the smaller
  /// luma from its own resolution, and nothing is rounded.
  ///
  /// - Parameter factor: 2 to ``largestReduction``, even: where a square of luma begins, chroma begins too.
  /// - Returns: `rgbaFloat` with rows without padding; of gray what ``reduced(by:)`` returns.
  /// - Throws: `unsupported` for a disparity format, `outOfMemory`.
  package func reducedColors(by factor: Int) throws(CinematicError) -> PixelBuffer {
    precondition(
      factor % 2 == 0 && (2...Self.largestReduction).contains(factor),
      "colours are reduced by an even number up to \(Self.largestReduction)")
    guard format.isBiPlanar || format == .rgba8 else { return try reduced(by: factor) }
    let result = try PixelBuffer(
      dimensions: dimensions.reduced(by: factor), format: .rgbaFloat, tags: tags,
      bytesPerRowAlignment: 16)
    let isDone = withReduction(ofPlane: 0, by: factor, to: result) { first in
      guard format.isBiPlanar else { return focal_reduce_pixels(first) != 0 }
      return withReduction(ofPlane: 1, by: factor / 2, to: result) { second in
        second.pointee.place = Int32(FOCAL_LEVEL_WITH_EACH)
        let parameters = kernelParameters()
        return withUnsafePointer(to: (first.pointee, second.pointee)) { planes in
          planes.withMemoryRebound(to: FocalReduction.self, capacity: 2) { planes in
            focal_reduce_luma_chroma(
              planes, format.bytesPerComponent == 2 ? 1 : 0, parameters.fullRange,
              parameters.matrix) != 0
          }
        }
      }
    }
    guard isDone else { throw .noMemoryForReduction }
    return result
  }

  /// Calls `body` with what becomes of a plane: the result's of the same number, or its only one.
  private func withReduction<Result>(
    ofPlane plane: Int, by factor: Int, to result: PixelBuffer,
    _ body: (UnsafeMutablePointer<FocalReduction>) -> Result
  ) -> Result {
    let (layout, target) = (planes[plane], min(plane, result.planes.count - 1))
    var reduction = FocalReduction()
    reduction.bytesPerRow = layout.bytesPerRow
    reduction.width = Int32(layout.dimensions.width)
    reduction.height = Int32(layout.dimensions.height)
    reduction.components = Int32(layout.bytesPerElement / format.bytesPerComponent)
    reduction.resultBytesPerRow = result.planes[target].bytesPerRow
    reduction.resultWidth = Int32(result.planes[target].dimensions.width)
    reduction.resultHeight = Int32(result.planes[target].dimensions.height)
    reduction.factor = Int32(factor)
    reduction.place = Int32(plane == 0 ? FOCAL_LEVEL : FOCAL_LEVEL_WITH_EVEN)
    return withUnsafeBytes(ofPlane: plane) { source in
      result.withUnsafeMutableBytes(ofPlane: target) { bytes in
        reduction.source = source.baseAddress
        reduction.result = bytes.baseAddress
        return body(&reduction)
      }
    }
  }
}

extension Dimensions {
  /// The size of a picture whose squares of so many rows and columns become pixels, rounded up.
  fileprivate func reduced(by factor: Int) -> Dimensions {
    Dimensions(width: (width + factor - 1) / factor, height: (height + factor - 1) / factor)
  }
}

extension CinematicError {
  fileprivate static var noMemoryForReduction: CinematicError {
    CinematicError(.outOfMemory, "there is no memory for a smaller picture")
  }
}
