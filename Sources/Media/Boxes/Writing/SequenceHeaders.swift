// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// The sequence parameter set of HEVC, up to its bit depths (ITU-T H.265, 7.3.2.2).
struct HEVCSequenceHeader {
  /// The bytes of profile, compatibility, constraints and level.
  let profile: [UInt8]
  /// Sub-layers beyond the first.
  let layers: UInt32
  let isNested: Bool
  /// chroma_format_idc.
  let chroma: UInt32
  /// Luma samples of a coded picture, with those that are cut off before it is shown.
  let dimensions: Dimensions
  /// Bits of a sample beyond 8.
  let (luma, depth): (UInt32, UInt32)

  /// - Parameter unit: with its head.
  /// - Returns: `nil` for a damaged one.
  init?(_ unit: ArraySlice<UInt8>) {
    let payload = NetworkUnits.payload(unit)
    guard payload.count >= 15 else { return nil }
    var reader = BitReader(Array(payload.dropFirst(2)))
    reader.skip(4)
    layers = reader.bits(3)
    guard layers < 7 else { return nil }
    isNested = reader.bits(1) == 1
    profile = Array(payload[3..<15])
    reader.skip(96)
    if layers > 0 {
      let present = (0..<layers).map { _ in (reader.bits(1), reader.bits(1)) }
      reader.skip(Int(8 - layers) * 2)
      for (hasProfile, hasLevel) in present {
        reader.skip(Int(hasProfile) * 88 + Int(hasLevel) * 8)
      }
    }
    _ = reader.golomb()  // the set's number
    chroma = reader.golomb()
    if chroma == 3 { reader.skip(1) }
    dimensions = Dimensions(width: Int(reader.golomb()), height: Int(reader.golomb()))
    if reader.bits(1) == 1 { for _ in 0..<4 { _ = reader.golomb() } }
    luma = reader.golomb()
    depth = reader.golomb()
    guard chroma <= 3, luma <= 8, depth <= 8, !reader.isBeyondEnd else { return nil }
  }
}

/// The sequence header of AV1, up to the size of its pictures (AV1 5.5.1).
struct AV1SequenceHeader {
  let profile: UInt32
  /// The first operating point's.
  let (level, tier): (UInt32, UInt32)
  /// Of the largest picture.
  let dimensions: Dimensions

  /// - Parameter payload: of the unit.
  /// - Returns: `nil` for a damaged one.
  init?(_ payload: ArraySlice<UInt8>) {
    var reader = BitReader(Array(payload))
    profile = reader.bits(3)
    reader.skip(1)
    if reader.bits(1) == 1 {
      (level, tier) = (reader.bits(5), 0)
    } else {
      (level, tier) = Self.firstOperatingPoint(&reader)
    }
    let (columnBits, rowBits) = (Int(reader.bits(4)) + 1, Int(reader.bits(4)) + 1)
    dimensions = Dimensions(
      width: Int(reader.bits(columnBits)) + 1, height: Int(reader.bits(rowBits)) + 1)
    guard !reader.isBeyondEnd else { return nil }
  }

  /// Reads times and operating points.
  private static func firstOperatingPoint(_ reader: inout BitReader) -> (UInt32, UInt32) {
    /// Bits of a decoder's delay, where a model of decoders is described.
    var delayBits: Int?
    if reader.bits(1) == 1 {
      reader.skip(64)
      if reader.bits(1) == 1 { _ = reader.golomb() }
      if reader.bits(1) == 1 {
        delayBits = Int(reader.bits(5)) + 1
        reader.skip(42)
      }
    }
    let hasDisplayDelay = reader.bits(1) == 1
    var first: (level: UInt32, tier: UInt32)?
    for _ in 0...reader.bits(5) {
      reader.skip(12)
      let level = reader.bits(5)
      let tier = level > 7 ? reader.bits(1) : 0
      first = first ?? (level, tier)
      if let delayBits, reader.bits(1) == 1 { reader.skip(2 * delayBits + 1) }
      if hasDisplayDelay, reader.bits(1) == 1 { reader.skip(4) }
    }
    return first ?? (0, 0)
  }
}

/// The size that coded pictures have by their own headers, before they are decoded.
public enum CodedSize {
  /// The largest picture of HEVC.
  ///
  /// - Parameters:
  ///   - configuration: the content of `hvcC`.
  ///   - picture: units after their lengths in four bytes.
  /// - Returns: `nil` if no sequence parameter set can be read.
  public static func hevc(
    configuration: ArraySlice<UInt8>, picture: ArraySlice<UInt8>
  ) -> Dimensions? {
    var units: [ArraySlice<UInt8>] = []
    var reader = ByteReader(configuration, box: "hvcC")
    if (try? reader.skip(22)) != nil, let arrays = try? reader.u8() {
      sets: for _ in 0..<arrays {
        guard (try? reader.u8()) != nil, let count = try? reader.u16() else { break }
        for _ in 0..<count {
          guard let size = try? reader.u16(), let unit = try? reader.bytes(Int(size)) else {
            break sets
          }
          units.append(unit)
        }
      }
    }
    var rest = ByteReader(picture, of: "the picture")
    while let size = try? rest.u32(), let unit = try? rest.bytes(Int(size)) { units.append(unit) }
    return largest(
      units.filter { ($0.first ?? 0) >> 1 & 63 == 33 }.map { HEVCSequenceHeader($0)?.dimensions })
  }

  /// The largest picture of AV1.
  ///
  /// - Parameters:
  ///   - configuration: the content of `av1C`.
  ///   - picture: open bitstream units.
  /// - Returns: `nil` if no sequence header can be read.
  public static func av1(
    configuration: ArraySlice<UInt8>, picture: ArraySlice<UInt8>
  ) -> Dimensions? {
    let units = AV1Units.split(configuration.dropFirst(4)) + AV1Units.split(picture)
    return largest(units.filter { $0.type == 1 }.map { AV1SequenceHeader($0.payload)?.dimensions })
  }

  /// Of those that can be read: decoders pass over the others.
  private static func largest(_ sizes: [Dimensions?]) -> Dimensions? {
    sizes.compactMap(\.self).reduce(nil) { largest, size in
      Dimensions(
        width: max(largest?.width ?? 0, size.width), height: max(largest?.height ?? 0, size.height))
    }
  }
}
