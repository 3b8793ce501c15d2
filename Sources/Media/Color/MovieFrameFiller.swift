// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore
import PlanarCoding

/// Puts pixel buffers into the frames that encoders take: planes of 4:2:0 code by code, everything else from
/// floats.
///
/// Where the encoder gets a larger picture than there is, the last row or column is repeated.
final class MovieFrameFiller {
  let dimensions: Dimensions
  let encodedDimensions: Dimensions
  let pixelFormat: AVPixelFormat
  private let scaler: Scaler?
  private let frame: PictureFrame
  private let bytesPerCode: Int
  /// How the frame's codes are made of floats.
  private let floats: (layout: PixelLayout, matrix: ColorTags.Matrix, isFullRange: Bool)?

  /// - Throws: `invalidParameter` for a format that movies are not made from.
  convenience init(
    format: PixelFormat, dimensions: Dimensions, tags: ColorTags, for choice: EncoderChoice,
    path: String
  ) throws(CinematicError) {
    try self.init(
      format: format, dimensions: dimensions, tags: tags, pixels: choice.pixels,
      choice.pixelFormat, encoded: choice.dimensions, path: path)
  }

  /// - Parameters:
  ///   - pixels: the codes of the frames, which have `pixelFormat`.
  ///   - encoded: the frames' size, no smaller than the pictures'.
  /// - Throws: `invalidParameter` for a format that movies are not made from.
  init(
    format: PixelFormat, dimensions: Dimensions, tags: ColorTags, pixels: CodedPixels,
    _ pixelFormat: AVPixelFormat, encoded: Dimensions, path: String
  ) throws(CinematicError) {
    self.dimensions = dimensions
    encodedDimensions = encoded
    self.pixelFormat = pixelFormat
    bytesPerCode = pixels.bitDepth > 8 ? 2 : 1
    switch format {
    case _ where pixels.biPlanarFormat == format: (scaler, floats) = (nil, nil)
    case _
    where (format == .rgba8 || format == .gray8) && pixels.biPlanarFormat == .yuv420Video8:
      let source = format == .rgba8 ? AV_PIX_FMT_RGBA : AV_PIX_FMT_GRAY8
      floats = nil
      scaler = Scaler(
        from: Scaler.Side(
          format: source, matrix: tags.matrix, isFullRange: true, siting: .left),
        to: Scaler.Side(
          format: AV_PIX_FMT_YUV420P, matrix: tags.matrix, isFullRange: false, siting: .left),
        dimensions: dimensions)
      guard scaler != nil else {
        throw CinematicError(.unsupported, "cannot make \(path) from pictures of format \(format)")
      }
    case .rgbaFloat where tags.transfer != .linear:
      scaler = nil
      floats = PixelLayout(pixelFormat).map {
        ($0, tags.matrix, pixels.isFullRange)
      }
    default:
      throw CinematicError(
        .invalidParameter,
        "\(path), \(pixels), cannot be made from pictures of format \(format)",
        remedy: "render 4:2:0 of 8 and 10 bits to 420v, 420f, x420 or xf20 (8 bits also to RGBA),"
          + " everything else to floats with the film's transfer function")
    }
    guard let frame = PictureFrame() else { throw .outOfMemory(for: path) }
    frame.pointer.pointee.format = pixelFormat.rawValue
    frame.pointer.pointee.width = Int32(encodedDimensions.width)
    frame.pointer.pointee.height = Int32(encodedDimensions.height)
    guard av_frame_get_buffer(frame.pointer, 0) >= 0 else { throw .outOfMemory(for: path) }
    self.frame = frame
  }

  /// The buffer as a frame, valid until the next call.
  func fill(_ buffer: PixelBuffer, path: String) throws(CinematicError) -> PictureFrame {
    // An encoder may still hold the frame before; then this makes a new one.
    guard av_frame_make_writable(frame.pointer) >= 0 else { throw .outOfMemory(for: path) }
    if let floats {
      try FocalPlanarPicture(
        frame, floats.layout, matrix: floats.matrix, isFullRange: floats.isFullRange,
        siting: .left
      ).only(dimensions).write(buffer, path: path)
      extend(floats.layout)
      return frame
    }
    if let scaler {
      try scale(buffer, scaler, path)
    } else {
      copyLuma(buffer)
      splitChroma(buffer)
    }
    for plane in 0..<3 { extend(plane, plane == 0 ? (1, 1) : (2, 2), bytesPerCode) }
    return frame
  }

  private func scale(
    _ buffer: PixelBuffer, _ scaler: Scaler, _ path: String
  ) throws(CinematicError) {
    let strides = frame.pointer.pointee.linesize
    let done = buffer.withUnsafeBytes { bytes in
      scaler.convert(
        [bytes.baseAddress!.assumingMemoryBound(to: UInt8.self), nil, nil, nil],
        [Int32(buffer.planes[0].bytesPerRow), 0, 0, 0],
        to: [
          (frame.row(0, ofPlane: 0), Int(strides.0)), (frame.row(0, ofPlane: 1), Int(strides.1)),
          (frame.row(0, ofPlane: 2), Int(strides.2)),
        ])
    }
    guard done else { throw CinematicError(.unknown, "cannot convert a picture for \(path)") }
  }

  private func copyLuma(_ buffer: PixelBuffer) {
    let plane = buffer.planes[0]
    buffer.withUnsafeBytes(ofPlane: 0) { bytes in
      for y in 0..<plane.dimensions.height {
        let source = bytes.baseAddress! + y * plane.bytesPerRow
        let out = frame.row(y, ofPlane: 0)
        guard bytesPerCode == 2 else {
          out.copyMemory(from: source, byteCount: plane.dimensions.width)
          continue
        }
        let codes = source.assumingMemoryBound(to: UInt16.self)
        let result = out.assumingMemoryBound(to: UInt16.self)
        var x = 0
        while x < plane.dimensions.width {
          result[x] = codes[x] >> 6
          x += 1
        }
      }
    }
  }

  private func splitChroma(_ buffer: PixelBuffer) {
    let plane = buffer.planes[1]
    let width = plane.dimensions.width
    buffer.withUnsafeBytes(ofPlane: 1) { bytes in
      for y in 0..<plane.dimensions.height {
        let source = bytes.baseAddress! + y * plane.bytesPerRow
        let first = frame.row(y, ofPlane: 1)
        let second = frame.row(y, ofPlane: 2)
        var x = 0
        if bytesPerCode == 2 {
          let pairs = source.assumingMemoryBound(to: UInt16.self)
          let blue = first.assumingMemoryBound(to: UInt16.self)
          let red = second.assumingMemoryBound(to: UInt16.self)
          while x < width {
            blue[x] = pairs[2 * x] >> 6
            red[x] = pairs[2 * x + 1] >> 6
            x += 1
          }
        } else {
          let pairs = source.assumingMemoryBound(to: UInt8.self)
          let blue = first.assumingMemoryBound(to: UInt8.self)
          let red = second.assumingMemoryBound(to: UInt8.self)
          while x < width {
            blue[x] = pairs[2 * x]
            red[x] = pairs[2 * x + 1]
            x += 1
          }
        }
      }
    }
  }

  /// Repeats the last column and row of every plane of a layout.
  private func extend(_ layout: PixelLayout) {
    guard dimensions != encodedDimensions else { return }
    for (index, component) in layout.components.enumerated() {
      let isChroma = layout.isYUV && (index == 1 || index == 2)
      extend(
        component.plane, isChroma ? (layout.chromaColumns, layout.chromaRows) : (1, 1),
        component.step)
    }
  }

  /// Repeats the last column and row of a plane up to the encoded size.
  private func extend(_ plane: Int, _ subsampling: (columns: Int, rows: Int), _ step: Int) {
    func covering(_ size: Dimensions) -> Dimensions {
      Dimensions(
        width: (size.width + subsampling.columns - 1) / subsampling.columns,
        height: (size.height + subsampling.rows - 1) / subsampling.rows)
    }
    let filled = covering(dimensions)
    let whole = covering(encodedDimensions)
    if filled.width < whole.width {
      for y in 0..<filled.height {
        let row = frame.row(y, ofPlane: plane)
        let last = row + (filled.width - 1) * step
        for x in filled.width..<whole.width {
          (row + x * step).copyMemory(from: last, byteCount: step)
        }
      }
    }
    for y in filled.height..<max(filled.height, whole.height) {
      frame.row(y, ofPlane: plane).copyMemory(
        from: frame.row(filled.height - 1, ofPlane: plane), byteCount: whole.width * step)
    }
  }
}

extension FocalPlanarPicture {
  /// The upper left part of a size.
  fileprivate func only(_ dimensions: Dimensions) -> FocalPlanarPicture {
    var part = self
    part.width = Int32(dimensions.width)
    part.height = Int32(dimensions.height)
    return part
  }
}
