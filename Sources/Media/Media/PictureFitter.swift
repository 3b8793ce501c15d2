// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore
import Synchronization

/// Scales pictures of one size into another, the shape kept, and the rest black.
///
/// For clips of several sizes in one movie, and for limits on a movie's size. Takes `rgba8`, `gray8`
/// and the bi-planar formats of 8 and 10 bits; format and tags stay, black is the range's own.
// @unchecked Sendable: the scaler is used only inside `lock`; everything else is immutable.
public final class PictureFitter: @unchecked Sendable {
  /// The size of the pictures that are fitted.
  public let sourceDimensions: Dimensions
  /// The size of the pictures that come out.
  public let renderSize: Dimensions
  public let pixelFormat: PixelFormat
  public let tags: ColorTags
  /// Where the scaled picture lies; begins at even places and ends there or with the picture.
  public let columns: Range<Int>
  public let rows: Range<Int>

  private let lock = Mutex(())
  /// `nil` where nothing is scaled.
  private let scaler: Scaler?

  /// - Parameters:
  ///   - pixelAspectRatio: of the pictures that are fitted, where it differs from that of the result.
  /// - Throws: `unsupported` for a format that cannot be scaled, `invalidParameter` for a size below
  ///   1.
  public init(
    from sourceDimensions: Dimensions, into renderSize: Dimensions, format: PixelFormat,
    tags: ColorTags, pixelAspectRatio: PixelAspectRatio = .square
  ) throws(CinematicError) {
    for size in [sourceDimensions, renderSize] where size.width < 1 || size.height < 1 {
      throw CinematicError(.invalidParameter, "a picture of \(size) pixels cannot be scaled")
    }
    guard let stored = Self.stored(format) else {
      throw CinematicError(
        .unsupported, "pictures of format \(format) cannot be scaled",
        remedy: "render to 4:2:0 luma and chroma (420v, 420f, x420, xf20) or to RGBA of 8 bits")
    }
    self.sourceDimensions = sourceDimensions
    self.renderSize = renderSize
    self.pixelFormat = format
    self.tags = tags
    (columns, rows) = Self.place(sourceDimensions, pixelAspectRatio, in: renderSize)
    let fitted = Dimensions(width: columns.count, height: rows.count)
    if fitted == sourceDimensions {
      scaler = nil
    } else {
      let isFull = format != .yuv420Video8 && format != .yuv420Video10
      let side = Scaler.Side(
        format: stored, matrix: tags.matrix, isFullRange: isFull, siting: .left)
      scaler = Scaler(from: side, to: side, dimensions: sourceDimensions, scaledTo: fitted)
      guard scaler != nil else {
        throw CinematicError(
          .unsupported, "cannot scale \(sourceDimensions) to \(fitted) in \(format)",
          remedy: "choose another size")
      }
    }
  }

  private static func stored(_ format: PixelFormat) -> AVPixelFormat? {
    switch format {
    case .yuv420Video8, .yuv420Full8: AV_PIX_FMT_NV12
    case .yuv420Video10, .yuv420Full10: AV_PIX_FMT_P010LE
    case .rgba8: AV_PIX_FMT_RGBA
    case .gray8: AV_PIX_FMT_GRAY8
    default: nil
    }
  }

  // MARK: - Sizes

  /// The size of a picture that is to keep its shape and not to exceed a limit: never larger than the
  /// picture, and even where it is smaller, as movies are.
  ///
  /// - Parameter limit: its longer side counts for the picture's longer side, whichever way that lies.
  public static func dimensions(
    fitting size: Dimensions, within limit: Dimensions
  ) -> Dimensions {
    let isTurned = (size.width < size.height) != (limit.width < limit.height)
    let limit = isTurned && size.width != size.height ? limit.transposed : limit
    guard size.width > limit.width || size.height > limit.height else { return size }
    let share = min(
      Double(limit.width) / Double(size.width), Double(limit.height) / Double(size.height))
    return Dimensions(
      width: even(Double(size.width) * share, below: limit.width),
      height: even(Double(size.height) * share, below: limit.height))
  }

  /// The nearest even number from 2 to a limit.
  private static func even(_ length: Double, below limit: Int) -> Int {
    max(2, min(2 * Int((length / 2).rounded()), limit & ~1))
  }

  /// Where a picture of a shape lies in the middle of another.
  private static func place(
    _ size: Dimensions, _ aspect: PixelAspectRatio, in render: Dimensions
  ) -> (columns: Range<Int>, rows: Range<Int>) {
    let stretch = Double(max(aspect.horizontal, 1)) / Double(max(aspect.vertical, 1))
    let width = Double(size.width) * stretch
    let share = min(Double(render.width) / width, Double(render.height) / Double(size.height))
    func range(_ length: Double, _ room: Int) -> Range<Int> {
      // A bar of a pixel is a rounding, not a shape: sizes are even.
      guard Double(room) - length >= 2 else { return 0..<room }
      let fitted = even(length, below: room)
      let start = (room - fitted) / 4 * 2
      return start..<(start + fitted)
    }
    return (range(width * share, render.width), range(Double(size.height) * share, render.height))
  }

  // MARK: - Fitting

  /// A new picture of ``renderSize``.
  ///
  /// - Throws: `incompatible` for a picture of another size or format, `outOfMemory`.
  public func fit(_ picture: PixelBuffer) throws(CinematicError) -> PixelBuffer {
    let result = try PixelBuffer(dimensions: renderSize, format: pixelFormat, tags: tags)
    try fit(picture, into: result)
    return result
  }

  /// Writes every pixel of a picture of ``renderSize``.
  ///
  /// - Throws: `incompatible` for pictures of other sizes or formats.
  public func fit(
    _ picture: PixelBuffer, into destination: PixelBuffer
  ) throws(CinematicError) {
    try check(picture, sourceDimensions, "takes")
    try check(destination, renderSize, "writes to")
    let part = destination.part(columns: columns, rows: rows)
    if let scaler {
      let done = lock.withLock { _ in Self.scale(picture, to: part, scaler) }
      guard done else {
        throw CinematicError(.unknown, "cannot scale a picture of \(sourceDimensions)")
      }
    } else {
      Self.copy(picture, to: part)
    }
    // The bars come last: the scaler may write past the end of a row.
    fillBars(of: destination)
  }

  private func check(
    _ buffer: PixelBuffer, _ dimensions: Dimensions, _ verb: String
  ) throws(CinematicError) {
    guard buffer.dimensions == dimensions, buffer.format == pixelFormat else {
      throw CinematicError(
        .incompatible,
        "a fitter \(verb) pictures of \(dimensions) in \(pixelFormat), not of"
          + " \(buffer.dimensions) in \(buffer.format)")
    }
  }

  private static func scale(
    _ picture: PixelBuffer, to part: PixelBuffer, _ scaler: Scaler
  ) -> Bool {
    let last = picture.planes.count - 1
    return picture.withUnsafeBytes(ofPlane: 0) { first in
      picture.withUnsafeBytes(ofPlane: last) { second in
        part.withUnsafeMutableBytes(ofPlane: 0) { firstOut in
          part.withUnsafeMutableBytes(ofPlane: last) { secondOut in
            let sources = [first, second].map {
              $0.baseAddress?.assumingMemoryBound(to: UInt8.self)
            }
            let outs = [firstOut, secondOut].prefix(last + 1).enumerated().map {
              (base: $1.baseAddress!, bytesPerRow: part.planes[$0].bytesPerRow)
            }
            let strides = picture.planes.map { Int32($0.bytesPerRow) }
            return scaler.convert(
              Array(sources.prefix(last + 1)) + [nil, nil, nil], strides + [0, 0, 0],
              to: outs)
          }
        }
      }
    }
  }

  private static func copy(_ picture: PixelBuffer, to part: PixelBuffer) {
    for (index, plane) in picture.planes.enumerated() {
      let target = part.planes[index]
      picture.withUnsafeBytes(ofPlane: index) { source in
        part.withUnsafeMutableBytes(ofPlane: index) { out in
          for y in 0..<plane.dimensions.height {
            (out.baseAddress! + y * target.bytesPerRow).copyMemory(
              from: source.baseAddress! + y * plane.bytesPerRow,
              byteCount: plane.dimensions.width * plane.bytesPerElement)
          }
        }
      }
    }
  }

  // MARK: - Bars

  /// The bytes of a black element of a plane.
  private func black(ofPlane index: Int) -> [UInt8] {
    func wide(_ code: UInt16) -> [UInt8] {
      let bits = code << 6
      return [UInt8(truncatingIfNeeded: bits), UInt8(truncatingIfNeeded: bits >> 8)]
    }
    switch (pixelFormat, index) {
    case (.rgba8, _): return [0, 0, 0, 255]
    case (.yuv420Video8, 0): return [16]
    case (.yuv420Video8, _), (.yuv420Full8, 1): return [128, 128]
    case (.yuv420Video10, 0): return wide(64)
    case (.yuv420Full10, 0): return wide(0)
    case (.yuv420Video10, _), (.yuv420Full10, _): return wide(512) + wide(512)
    default: return [0]
    }
  }

  private func fillBars(of buffer: PixelBuffer) {
    for (index, plane) in buffer.planes.enumerated() {
      let step = pixelFormat.planes[index].subsampling
      let size = plane.dimensions
      // The picture's last column or row may be odd.
      let left = columns.lowerBound / step
      let right = (columns.upperBound + step - 1) / step
      let top = rows.lowerBound / step
      let bottom = (rows.upperBound + step - 1) / step
      guard left > 0 || right < size.width || top > 0 || bottom < size.height else { continue }
      let black = black(ofPlane: index)
      buffer.withUnsafeMutableBytes(ofPlane: index) { bytes in
        for y in 0..<size.height {
          let row = bytes.baseAddress! + y * plane.bytesPerRow
          let isBar = y < top || y >= bottom
          let bars = isBar ? [0..<size.width] : [0..<left, right..<size.width]
          for bar in bars {
            for x in bar {
              for (offset, byte) in black.enumerated() {
                row.storeBytes(of: byte, toByteOffset: x * black.count + offset, as: UInt8.self)
              }
            }
          }
        }
      }
    }
  }
}
