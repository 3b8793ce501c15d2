// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// The configuration of other codecs than H.264 and HEVC, as boxes of a sample entry.
public enum CodecConfiguration {
  /// `av1C` (AV1 in ISO media files, 2.3).
  ///
  /// - Parameter units: open bitstream units with a sequence header.
  /// - Throws: `malformed` if there is no sequence header among them.
  public static func av1(
    _ units: [UInt8], bitDepth: Int, isMonochrome: Bool, chromaColumns: Int, chromaRows: Int
  ) throws(CinematicError) -> Box {
    guard let unit = AV1Units.split(units[...]).first(where: { $0.type == 1 }) else {
      throw CinematicError(
        .malformed, "the AV1 pictures come without their sequence header",
        remedy: "encode them anew")
    }
    guard let header = AV1SequenceHeader(unit.payload) else {
      throw CinematicError(
        .malformed, "the sequence header of the AV1 pictures is damaged",
        remedy: "encode them anew")
    }
    func bit(_ value: Bool, _ place: UInt8) -> UInt8 { value ? 1 << place : 0 }
    return Box("av1C") { writer in
      writer.u8(0x81)
      writer.u8(UInt8(header.profile) << 5 | UInt8(header.level))
      writer.u8(
        UInt8(header.tier) << 7 | bit(bitDepth > 8, 6) | bit(bitDepth > 10, 5)
          | bit(isMonochrome, 4)
          | bit(chromaColumns > 1, 3) | bit(chromaRows > 1, 2))
      writer.u8(0)
      writer.append(unit.whole)
    }
  }

  /// `vpcC` (VP codecs in ISO media files).
  ///
  /// - Parameter sampleRate: luma samples a second, which the level depends on.
  public static func vp9(
    bitDepth: Int, chromaColumns: Int, chromaRows: Int, color: SampleEntry.ColorDescription,
    dimensions: Dimensions, sampleRate: Double
  ) -> Box {
    let isWhole = chromaColumns == 2 && chromaRows == 2
    let profile = (bitDepth > 8 ? 2 : 0) + (isWhole ? 0 : 1)
    let chroma = isWhole ? 0 : chromaColumns == 2 ? 2 : 3
    return Box("vpcC", version: 1) { writer in
      writer.u8(UInt8(profile))
      writer.u8(vp9Level(dimensions, sampleRate))
      writer.u8(UInt8(bitDepth) << 4 | UInt8(chroma) << 1 | (color.isFullRange ? 1 : 0))
      writer.u8(UInt8(truncatingIfNeeded: color.primaries))
      writer.u8(UInt8(truncatingIfNeeded: color.transfer))
      writer.u8(UInt8(truncatingIfNeeded: color.matrix))
      writer.u16(0)
    }
  }

  /// Ten times the level: by luma samples a second, of a picture, and the longer side.
  private static func vp9Level(_ dimensions: Dimensions, _ sampleRate: Double) -> UInt8 {
    let levels: [(level: UInt8, rate: Double, picture: Int, side: Int)] = [
      (10, 829_440, 36_864, 512), (11, 2_764_800, 73_728, 768), (20, 4_608_000, 122_880, 960),
      (21, 9_216_000, 245_760, 1344), (30, 20_736_000, 552_960, 2048),
      (31, 36_864_000, 983_040, 2752), (40, 83_558_400, 2_228_224, 4160),
      (41, 160_432_128, 2_228_224, 4160), (50, 311_951_360, 8_912_896, 8384),
      (51, 588_251_136, 8_912_896, 8384), (52, 1_176_502_272, 8_912_896, 8384),
      (60, 1_176_502_272, 35_651_584, 16832), (61, 2_353_004_544, 35_651_584, 16832),
    ]
    let fitting = levels.first {
      sampleRate <= $0.rate && dimensions.count <= $0.picture
        && max(dimensions.width, dimensions.height) <= $0.side
    }
    return fitting?.level ?? 62
  }

  /// Avid's boxes for DNxHR: the range of luma, and the number of the compression.
  public static func dnxHR(compressionID: UInt32) -> [Box] {
    [
      Box("ACLR") { writer in
        writer.fourCC("ACLR")
        writer.fourCC("0001")
        writer.u32(1)  // video range
        writer.u32(0)
      },
      Box("ADHR") { writer in
        writer.fourCC("0001")
        writer.u32(compressionID)
        writer.u32(0)
        writer.u32(1)
        writer.zeros(8)
      },
    ]
  }

  /// A picture of DNxHR that says its matrix itself, as some readers want it: encoders write that of BT.709 always.
  ///
  /// - Parameter matrix: by ITU-T H.273.
  public static func dnxHRPicture(_ data: ArraySlice<UInt8>, matrix: UInt16) -> [UInt8] {
    var picture = Array(data)
    // The colour volume of SMPTE ST 2019-1: two bits of the header, which are 1 for BT.2020.
    let place = 0x2C
    guard picture.count > place else { return picture }
    picture[place] = picture[place] & ~0b110 | (matrix == 9 ? 0b010 : 0)
    return picture
  }

  /// Progressive pictures, as QuickTime says it.
  public static let progressive = Box("fiel") { writer in writer.u16(0x0100) }
}

/// The open bitstream units of AV1.
public enum AV1Units {
  struct Unit {
    var type: UInt8
    var payload: ArraySlice<UInt8>
    var whole: ArraySlice<UInt8>
  }

  /// The units that follow each other with their sizes; what is no unit ends them.
  static func split(_ data: ArraySlice<UInt8>) -> [Unit] {
    var units: [Unit] = []
    var rest = data
    while let first = rest.first {
      let hasExtension = first & 4 != 0
      var body = rest.dropFirst(hasExtension ? 2 : 1)
      var size = body.count
      if first & 2 != 0 {
        size = 0
        var shift = 0
        while let byte = body.popFirst() {
          size |= Int(byte & 127) << shift
          shift += 7
          if byte & 128 == 0 || shift > 28 { break }
        }
      }
      guard size <= body.count else { break }
      let payload = body.prefix(size)
      units.append(
        Unit(
          type: first >> 3 & 15, payload: payload, whole: rest[rest.startIndex..<payload.endIndex])
      )
      rest = rest[payload.endIndex...]
    }
    return units
  }

  /// A picture as movie files hold it: without the units that part pictures, and padding.
  public static func sample(_ data: ArraySlice<UInt8>) -> [UInt8] {
    split(data).filter { $0.type != 2 && $0.type != 15 }.flatMap(\.whole)
  }
}
