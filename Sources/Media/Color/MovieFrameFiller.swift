// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore

/// Puts pixel buffers into the planar 4:2:0 frames that encoders take.
///
/// 4:2:0 streams have even sizes, and neither H.264 nor HEVC can crop a single row or column of them.
/// Odd sizes grow by one: the last row or column is repeated.
final class MovieFrameFiller {
  let dimensions: Dimensions
  let encodedDimensions: Dimensions
  let pixelFormat: AVPixelFormat
  private let scaler: Scaler?
  private let frame: PictureFrame
  private let bytesPerCode: Int

  /// - Throws: `invalidParameter` for a format that movies are not made from.
  init(
    format: PixelFormat, dimensions: Dimensions, tags: ColorTags, minimumSide: Int, path: String
  ) throws(CinematicError) {
    self.dimensions = dimensions
    encodedDimensions = Dimensions(
      width: max(minimumSide, (dimensions.width + 1) & ~1),
      height: max(minimumSide, (dimensions.height + 1) & ~1))
    let isDeep = format == .yuv420Video10 || format == .yuv420Full10
    pixelFormat = isDeep ? AV_PIX_FMT_YUV420P10LE : AV_PIX_FMT_YUV420P
    bytesPerCode = isDeep ? 2 : 1
    switch format {
    case .yuv420Video8, .yuv420Full8, .yuv420Video10, .yuv420Full10: scaler = nil
    case .rgba8, .gray8:
      let source = format == .rgba8 ? AV_PIX_FMT_RGBA : AV_PIX_FMT_GRAY8
      scaler = Scaler(
        from: Scaler.Side(
          format: source, matrix: tags.matrix, isFullRange: true, siting: .left),
        to: Scaler.Side(
          format: AV_PIX_FMT_YUV420P, matrix: tags.matrix, isFullRange: false, siting: .left),
        dimensions: dimensions)
      guard scaler != nil else {
        throw CinematicError(.unsupported, "cannot make \(path) from pictures of format \(format)")
      }
    default:
      throw CinematicError(
        .invalidParameter, "\(path) cannot be made from pictures of format \(format)",
        remedy: "render to 4:2:0 luma and chroma (420v, 420f, x420, xf20) or to RGBA of 8 bits")
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
    if let scaler {
      try scale(buffer, scaler, path)
    } else {
      copyLuma(buffer)
      splitChroma(buffer)
    }
    for plane in 0..<3 { extend(plane) }
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

  /// Repeats the last column and row of a plane up to the encoded size.
  private func extend(_ plane: Int) {
    let subsampling = plane == 0 ? 1 : 2
    func covering(_ size: Dimensions) -> Dimensions {
      Dimensions(
        width: (size.width + subsampling - 1) / subsampling,
        height: (size.height + subsampling - 1) / subsampling)
    }
    let filled = covering(dimensions)
    let whole = covering(encodedDimensions)
    if filled.width < whole.width {
      for y in 0..<filled.height {
        let row = frame.row(y, ofPlane: plane)
        let last = row + (filled.width - 1) * bytesPerCode
        for x in filled.width..<whole.width {
          (row + x * bytesPerCode).copyMemory(from: last, byteCount: bytesPerCode)
        }
      }
    }
    for y in filled.height..<max(filled.height, whole.height) {
      frame.row(y, ofPlane: plane).copyMemory(
        from: frame.row(filled.height - 1, ofPlane: plane), byteCount: whole.width * bytesPerCode)
    }
  }
}
