// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore

/// Where chroma samples lie among the luma samples of a 4:2:0 picture, in 1/256 of a luma sample.
struct ChromaSiting: Equatable {
  var horizontal: Int64
  var vertical: Int64

  /// HEVC's and H.264's default: on the left luma column, half way between two rows.
  static let left = ChromaSiting(horizontal: 0, vertical: 128)
  /// JPEG's: in the middle of four luma samples.
  static let center = ChromaSiting(horizontal: 128, vertical: 128)

  init(horizontal: Int64, vertical: Int64) {
    self.horizontal = horizontal
    self.vertical = vertical
  }

  init(_ location: AVChromaLocation, default otherwise: ChromaSiting) {
    switch location {
    case AVCHROMA_LOC_LEFT: self = .left
    case AVCHROMA_LOC_CENTER: self = .center
    case AVCHROMA_LOC_TOPLEFT: self = ChromaSiting(horizontal: 0, vertical: 0)
    case AVCHROMA_LOC_TOP: self = ChromaSiting(horizontal: 128, vertical: 0)
    case AVCHROMA_LOC_BOTTOMLEFT: self = ChromaSiting(horizontal: 0, vertical: 256)
    case AVCHROMA_LOC_BOTTOM: self = ChromaSiting(horizontal: 128, vertical: 256)
    default: self = otherwise
    }
  }
}

/// A conversion between FFmpeg pixel formats and sizes through libswscale, with the colour matrix,
/// ranges and chroma siting said explicitly and the slow, exact arithmetic.
final class Scaler {
  /// One side of the conversion.
  struct Side: Equatable {
    var format: AVPixelFormat
    /// Ignored for RGB.
    var matrix: ColorTags.Matrix
    var isFullRange: Bool
    /// Ignored along an axis on which chroma, or RGB, has as many samples as luma.
    var siting: ChromaSiting

    /// libswscale's own default, no shift.
    private static let unshifted: Int64 = -513

    /// The siting as libswscale takes it: it would shift chroma that is not subsampled, too.
    fileprivate var places: ChromaSiting {
      let layout = PixelLayout(format)
      return ChromaSiting(
        horizontal: layout?.chromaColumns == 1 ? Self.unshifted : siting.horizontal,
        vertical: layout?.chromaRows == 1 ? Self.unshifted : siting.vertical)
    }
  }

  let source: Side
  let destination: Side
  /// The size of what is converted.
  let dimensions: Dimensions
  private let scaledDimensions: Dimensions
  private let context: OpaquePointer

  /// `nil` where libswscale cannot do it.
  ///
  /// - Parameter scaledDimensions: the size of the result; by default that of the source.
  init?(
    from source: Side, to destination: Side, dimensions: Dimensions,
    scaledTo scaledDimensions: Dimensions? = nil
  ) {
    guard sws_isSupportedInput(source.format) != 0, sws_isSupportedOutput(destination.format) != 0,
      let context = sws_alloc_context()
    else { return nil }
    self.source = source
    self.destination = destination
    self.dimensions = dimensions
    let scaled = scaledDimensions ?? dimensions
    self.scaledDimensions = scaled
    self.context = context
    let object = UnsafeMutableRawPointer(context)
    let flags =
      SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT | SWS_FULL_CHR_H_INP | SWS_BITEXACT
    let options: [(String, Int64)] = [
      ("srcw", Int64(dimensions.width)), ("srch", Int64(dimensions.height)),
      ("dstw", Int64(scaled.width)), ("dsth", Int64(scaled.height)),
      ("src_format", Int64(source.format.rawValue)),
      ("dst_format", Int64(destination.format.rawValue)),
      ("sws_flags", Int64(flags)),
      ("src_h_chr_pos", source.places.horizontal), ("src_v_chr_pos", source.places.vertical),
      ("dst_h_chr_pos", destination.places.horizontal),
      ("dst_v_chr_pos", destination.places.vertical),
    ]
    for (name, value) in options { av_opt_set_int(object, name, value, 0) }
    let unity: Int32 = 1 << 16
    sws_setColorspaceDetails(
      context, Self.coefficients(source.matrix), source.isFullRange ? 1 : 0,
      Self.coefficients(destination.matrix), destination.isFullRange ? 1 : 0, 0, unity, unity)
    // `deinit` frees it here, too: all that is stored is set.
    guard sws_init_context(context, nil, nil) >= 0 else { return nil }
  }

  deinit { sws_freeContext(context) }

  /// Converts whole planes. Rows are given by their first byte and bytes from row to row.
  func convert(
    _ frame: PictureFrame, to planes: [(base: UnsafeMutableRawPointer, bytesPerRow: Int)]
  ) -> Bool {
    let data = frame.pointer.pointee.data
    let strides = frame.pointer.pointee.linesize
    let sources = [
      UnsafePointer(data.0), UnsafePointer(data.1), UnsafePointer(data.2), UnsafePointer(data.3),
    ]
    return convert(sources, [strides.0, strides.1, strides.2, strides.3], to: planes)
  }

  func convert(
    _ sources: [UnsafePointer<UInt8>?], _ strides: [Int32],
    to planes: [(base: UnsafeMutableRawPointer, bytesPerRow: Int)]
  ) -> Bool {
    var destinations = [UnsafeMutablePointer<UInt8>?](repeating: nil, count: 4)
    var destinationStrides = [Int32](repeating: 0, count: 4)
    for (index, plane) in planes.enumerated() {
      destinations[index] = plane.base.assumingMemoryBound(to: UInt8.self)
      destinationStrides[index] = Int32(plane.bytesPerRow)
    }
    let rows = sws_scale(
      context, sources, strides, 0, Int32(dimensions.height), destinations, destinationStrides)
    return rows == Int32(scaledDimensions.height)
  }

  private static func coefficients(_ matrix: ColorTags.Matrix) -> UnsafePointer<Int32> {
    switch matrix {
    case .bt601: sws_getCoefficients(SWS_CS_ITU601)
    case .bt709: sws_getCoefficients(SWS_CS_ITU709)
    case .bt2020: sws_getCoefficients(SWS_CS_BT2020)
    }
  }
}
