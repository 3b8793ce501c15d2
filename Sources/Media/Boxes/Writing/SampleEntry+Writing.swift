// SPDX-License-Identifier: Apache-2.0

import FocalCore

extension SampleEntry {
  /// The colours of pictures, as code points of ITU-T H.273.
  public struct ColorDescription: Hashable, Sendable {
    public var primaries: UInt16
    public var transfer: UInt16
    public var matrix: UInt16
    public var isFullRange: Bool

    public init(primaries: UInt16, transfer: UInt16, matrix: UInt16, isFullRange: Bool) {
      self.primaries = primaries
      self.transfer = transfer
      self.matrix = matrix
      self.isFullRange = isFullRange
    }

    /// QuickTime's own form says nothing about the range, so full range takes ISO's.
    public var box: Box {
      Box("colr") { writer in
        writer.fourCC(isFullRange ? "nclx" : "nclc")
        writer.u16(primaries)
        writer.u16(transfer)
        writer.u16(matrix)
        if isFullRange { writer.u8(0x80) }
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
  public static func visual(
    _ format: FourCC, dimensions: Dimensions, name: String, extensions: [Box]
  ) -> Box {
    Box(format) { writer in
      writer.zeros(6)
      writer.u16(1)  // the data lies in this file
      writer.zeros(12)
      writer.u32(512)  // quality: normal
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
      writer.u16(24)
      writer.i16(-1)  // no colour table
      for box in extensions { writer.box(box) }
    }
  }

  /// An entry of compressed sound, as QuickTime has it: version 1 with what the decoder needs in a
  /// box `wave`.
  ///
  /// - Parameters:
  ///   - samplesPerPacket: of each channel; zero where it varies.
  ///   - extensions: what the decoder needs.
  public static func sound(
    _ format: FourCC, channelCount: Int, sampleRate: Int, samplesPerPacket: Int, extensions: [Box]
  ) -> Box {
    Box(format) { writer in
      writer.zeros(6)
      writer.u16(1)  // the data lies in this file
      writer.u16(1)
      writer.zeros(6)
      writer.u16(UInt16(clamping: channelCount))
      writer.u16(16)
      writer.i16(-2)  // of variable length
      writer.u16(0)
      writer.fixed(min(Double(sampleRate), 65535))
      writer.u32(UInt32(clamping: samplesPerPacket))
      writer.u32(0)
      writer.u32(0)
      writer.u32(2)
      let original = Box("frma") { $0.fourCC(format) }
      // QuickTime's wants a terminator of the type zero.
      let end = Box(FourCC(rawValue: 0), data: [UInt8]())
      writer.box(Box("wave", [original] + extensions + [end]))
    }
  }

  /// The descriptor of MPEG audio (ISO/IEC 14496-1 §7.2.6.5) in a box `esds`.
  ///
  /// - Parameters:
  ///   - objectType: 0x40 for AAC, 0x6B for MP3.
  ///   - specific: the decoder's own configuration; empty where it has none.
  public static func elementaryStream(
    objectType: UInt8, averageBitRate: Int, specific: [UInt8]
  ) -> Box {
    func descriptor(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
      var writer = ByteWriter()
      writer.u8(tag)
      let size = UInt32(content.count)
      for shift in [21, 14, 7] as [UInt32] { writer.u8(0x80 | UInt8(size >> shift & 0x7F)) }
      writer.u8(UInt8(size & 0x7F))
      writer.append(content)
      return writer.bytes
    }
    var decoder = ByteWriter()
    decoder.u8(objectType)
    decoder.u8(0x15)  // an audio stream
    decoder.u24(0)
    decoder.u32(UInt32(clamping: averageBitRate))
    decoder.u32(UInt32(clamping: averageBitRate))
    if !specific.isEmpty { decoder.append(descriptor(5, specific)) }
    var stream = ByteWriter()
    stream.u16(0)
    stream.u8(0)
    stream.append(descriptor(4, decoder.bytes))
    stream.append(descriptor(6, [2]))
    return Box("esds", version: 0) { $0.append(descriptor(3, stream.bytes)) }
  }
}
