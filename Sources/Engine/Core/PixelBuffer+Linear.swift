// SPDX-License-Identifier: Apache-2.0

import ShaderTypes

extension PixelFormat {
  /// The number under which the kernels know the format's layout.
  package var kernelFormat: Int32 {
    switch self {
    case .yuv420Video8, .yuv420Full8: FOCAL_FORMAT_YUV420_8
    case .yuv420Video10, .yuv420Full10: FOCAL_FORMAT_YUV420_10
    case .rgba8: FOCAL_FORMAT_RGBA8
    case .rgbaHalf: FOCAL_FORMAT_RGBA_HALF
    case .rgbaFloat: FOCAL_FORMAT_RGBA_FLOAT
    case .gray8: FOCAL_FORMAT_GRAY8
    case .gray16: FOCAL_FORMAT_GRAY16
    case .disparityHalf: FOCAL_FORMAT_DISPARITY_HALF
    case .disparityFloat: FOCAL_FORMAT_DISPARITY_FLOAT
    }
  }

  package var isFullRange: Bool { self != .yuv420Video8 && self != .yuv420Video10 }
}

extension PixelBuffer {
  /// The buffer as the kernels' parameters describe it.
  ///
  /// - Parameter turn: pack only: from the linear picture to this buffer.
  package func kernelParameters(turn: QuarterTurn = .identity) -> FocalPixelParameters {
    var parameters = FocalPixelParameters()
    parameters.width = Int32(width)
    parameters.height = Int32(height)
    parameters.format = format.kernelFormat
    parameters.transfer = tags.transfer.rawValue
    parameters.matrix = tags.matrix.rawValue
    parameters.fullRange = format.isFullRange ? 1 : 0
    parameters.bytesPerRow = Int32(planes[0].bytesPerRow)
    parameters.chromaBytesPerRow = planes.count > 1 ? Int32(planes[1].bytesPerRow) : 0
    parameters.dither = format.isFloatingPoint || format == .gray16 ? 0 : 1
    parameters.turn = Int32(turn.rawValue / 90)
    return parameters
  }

  /// The picture in linear light: a new `rgbaFloat` buffer tagged linear, rows without padding.
  ///
  /// Display white is 1. Codes outside the nominal range keep their values, also below zero; gray
  /// becomes three equal components; formats without alpha get 1. Of floats, what is not a number
  /// reads as 0, and light above 65504 as 65504: one such pixel would spoil a whole circle.
  ///
  /// - Throws: `unsupported` for a disparity format, `outOfMemory`.
  public func linearRGBA() throws(CinematicError) -> PixelBuffer {
    guard !format.isDisparity else {
      throw CinematicError(.unsupported, "a disparity map (\(format)) has no colours")
    }
    var linearTags = tags
    linearTags.transfer = .linear
    let result = try PixelBuffer(
      dimensions: dimensions, format: .rgbaFloat, tags: linearTags, bytesPerRowAlignment: 16)
    withKernelPlanes { planes in
      result.withKernelPlanes { destination in
        runKernel(
          focal_unpack, [planes[0], planes[1], destination[0]], kernelParameters(), columns: width,
          rows: 0..<height)
      }
    }
    return result
  }

  /// Writes a linear picture into this buffer: encodes it by the buffer's transfer function and
  /// matrix, clamps to what the format holds, and dithers where bits are dropped.
  ///
  /// - Parameter source: `rgbaFloat` tagged linear, of this buffer's size.
  /// - Throws: `incompatible` for another size, format or transfer of the source, `unsupported`
  ///   when this buffer is of a disparity format, `outOfMemory` for a copy of a source whose rows are
  ///   padded.
  public func store(linearRGBA source: PixelBuffer) throws(CinematicError) {
    guard source.dimensions == dimensions else {
      throw CinematicError(
        .incompatible, "a picture of \(source.dimensions) does not fit a buffer of \(dimensions)")
    }
    try store(linearRGBA: source, atRow: 0)
  }

  /// Writes rows of a linear picture into this buffer from a row on, as ``store(linearRGBA:)`` writes them of a whole one.
  ///
  /// - Parameters:
  ///   - source: `rgbaFloat` tagged linear, of this buffer's width.
  ///   - row: 0 where planes are subsampled, which are written whole.
  /// - Throws: as ``store(linearRGBA:)``, `incompatible` for rows that this buffer has not.
  package func store(linearRGBA source: PixelBuffer, atRow row: Int) throws(CinematicError) {
    guard !format.isDisparity else {
      throw CinematicError(.unsupported, "a disparity map (\(format)) cannot hold colours")
    }
    guard source.format == .rgbaFloat, source.tags.transfer == .linear else {
      throw CinematicError(
        .incompatible, "the picture to store is \(source.format), \(source.tags.transfer)",
        remedy: "convert it with linearRGBA() first")
    }
    let rows = row..<row + source.height
    guard source.width == width, row >= 0, rows.upperBound <= height,
      !format.isBiPlanar || source.height == height
    else {
      throw CinematicError(
        .incompatible,
        "rows \(rows.lowerBound) to \(rows.upperBound - 1) of \(source.width) pixels do not fit a buffer of \(dimensions)"
      )
    }
    let unpadded = try source.withoutPadding()
    unpadded.withKernelPlanes { linear in
      withKernelPlanes { planes in
        // The kernel goes by rows of the whole picture, of which the source holds those that it is asked for.
        let light = linear[0].map { $0 - row * unpadded.planes[0].bytesPerRow }
        if format.isBiPlanar {
          runKernel(
            focal_packBiPlanar, [light, planes[0], planes[1]], kernelParameters(),
            columns: width, rows: 0..<self.planes[1].dimensions.height)
        } else {
          runKernel(
            focal_pack, [light, planes[0]], kernelParameters(), columns: width, rows: rows)
        }
      }
    }
  }

  /// The picture in rows without padding, as kernels take light: itself if it has none, else a copy.
  ///
  /// - Precondition: `rgbaFloat`.
  private func withoutPadding() throws(CinematicError) -> PixelBuffer {
    let stride = planes[0].bytesPerRow
    let rowByteCount = width * planes[0].bytesPerElement
    guard stride > rowByteCount else { return self }
    let result = try PixelBuffer(
      dimensions: dimensions, format: format, tags: tags, bytesPerRowAlignment: 16)
    withUnsafeBytes { from in
      result.withUnsafeMutableBytes { to in
        for y in 0..<height {
          (to.baseAddress! + y * rowByteCount).copyMemory(
            from: from.baseAddress! + y * stride, byteCount: rowByteCount)
        }
      }
    }
    return result
  }

  /// Stores a row of values, 0 to 1, as codes of 8 bits, dithered by their place in a picture of which this is a
  /// part.
  ///
  /// - Parameters:
  ///   - values: red, green, blue and alpha of each pixel; what is not a number becomes 0.
  ///   - left: the column of the whole picture that this part begins with.
  ///   - top: its row.
  ///   - amount: of dither, 1 for that of ``store(linearRGBA:)``.
  /// - Precondition: `rgba8`.
  package func storeCodes(
    _ values: UnsafePointer<Float>, row y: Int, left: Int = 0, top: Int = 0, amount: Float = 1
  ) {
    precondition(format == .rgba8, "codes of 8 bits are stored")
    withUnsafeMutableBytes { bytes in
      let out = bytes.baseAddress! + y * planes[0].bytesPerRow
      for index in 0..<(4 * width) {
        let dither =
          amount
          * focal_dither(
            UInt32(left + index / 4), UInt32(top + y), UInt32(index % 4))
        let code = values[index] * 255 + dither
        // Comparisons with what is not a number are false.
        let byte = code > 0 ? UInt8(min(code, 255) + 0.5) : 0
        out.storeBytes(of: byte, toByteOffset: index, as: UInt8.self)
      }
    }
  }

  /// Calls `body` with the addresses of the planes; a second one that is not there is the first.
  package func withKernelPlanes<Result>(_ body: ([UnsafeMutableRawPointer?]) -> Result) -> Result {
    withUnsafeMutableBytes(ofPlane: 0) { first in
      withUnsafeMutableBytes(ofPlane: planes.count - 1) { last in
        body([first.baseAddress, last.baseAddress])
      }
    }
  }
}

/// One kernel over all its columns of some rows, on the calling thread.
func runKernel<Parameters: BitwiseCopyable>(
  _ kernel: (
    UnsafePointer<UnsafeMutableRawPointer?>?, UnsafeRawPointer?, UInt32, UInt32, UInt32
  ) -> Void,
  _ buffers: [UnsafeMutableRawPointer?], _ parameters: Parameters, columns: Int, rows: Range<Int>
) {
  withUnsafePointer(to: parameters) { parameters in
    buffers.withUnsafeBufferPointer { buffers in
      kernel(
        buffers.baseAddress, parameters, UInt32(columns), UInt32(rows.lowerBound),
        UInt32(rows.upperBound))
    }
  }
}
