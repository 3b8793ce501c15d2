// SPDX-License-Identifier: Apache-2.0

import FocalCore

extension SampleEntry {
  /// The colours of pictures, as code points of ITU-T H.273.
  public struct ColorDescription: Hashable, Sendable {
    /// Code of ISO/IEC 23091-2.
    public var primaries: UInt16
    /// Code of ISO/IEC 23091-2.
    public var transfer: UInt16
    /// Code of ISO/IEC 23091-2.
    public var matrix: UInt16
    /// Whether black and white are the first and the last code.
    public var isFullRange: Bool

    /// Colours of these codes.
    public init(primaries: UInt16, transfer: UInt16, matrix: UInt16, isFullRange: Bool) {
      self.primaries = primaries
      self.transfer = transfer
      self.matrix = matrix
      self.isFullRange = isFullRange
    }

    /// The box `colr` of a QuickTime movie.
    public var box: Box { box(in: .quickTime) }

    /// The box `colr`. QuickTime's own form says nothing about the range, so full range takes ISO's.
    public func box(in format: MovieFormat) -> Box {
      let isISO = isFullRange || format == .mp4
      return Box("colr") { writer in
        writer.fourCC(isISO ? "nclx" : "nclc")
        writer.u16(primaries)
        writer.u16(transfer)
        writer.u16(matrix)
        if isISO { writer.u8(isFullRange ? 0x80 : 0) }
      }
    }
  }

  /// Width and height of a pixel, where it is no square.
  public static func pixelAspect(_ horizontal: UInt32, _ vertical: UInt32) -> Box {
    Box("pasp") { writer in
      writer.u32(horizontal)
      writer.u32(vertical)
    }
  }

  /// The part of the coded pictures that is shown: from their upper left corner.
  public static func cleanAperture(of coded: Dimensions, shown: Dimensions) -> Box {
    Box("clap") { writer in
      func fraction(_ numerator: Int, _ denominator: Int) {
        writer.i32(Int32(truncatingIfNeeded: numerator))
        writer.u32(UInt32(denominator))
      }
      fraction(shown.width, 1)
      fraction(shown.height, 1)
      // From the middle of the coded picture to the middle of the part.
      fraction(shown.width - coded.width, 2)
      fraction(shown.height - coded.height, 2)
    }
  }

  /// An entry of pictures.
  ///
  /// - Parameters:
  ///   - dimensions: the size as coded, up to 65535.
  ///   - extensions: `hvcC`, `colr` and others.
  ///   - depth: bits a pixel; 32 with alpha.
  ///   - movie: the kind of the file that it is for.
  public static func visual(
    _ format: FourCC, dimensions: Dimensions, name: String, extensions: [Box], depth: UInt16 = 24,
    in movie: MovieFormat = .quickTime
  ) -> Box {
    Box(format) { writer in
      writer.zeros(6)
      writer.u16(1)  // the data lies in this file
      writer.zeros(12)
      writer.u32(movie == .quickTime ? 512 : 0)  // QuickTime's normal quality
      writer.u16(UInt16(clamping: dimensions.width))
      writer.u16(UInt16(clamping: dimensions.height))
      writer.u32(72 << 16)  // dots an inch
      writer.u32(72 << 16)
      writer.u32(0)
      writer.u16(1)
      let utf8 = Array(name.utf8.prefix(31))
      writer.u8(UInt8(utf8.count))
      writer.append(utf8)
      writer.zeros(31 - utf8.count)
      writer.u16(depth)
      writer.i16(-1)  // no colour table
      for box in extensions { writer.box(box) }
    }
  }
}
