// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// The configuration of H.264 or HEVC that a decoder needs before the first picture: the boxes `avcC` and
/// `hvcC`.
public struct DecoderConfiguration: Hashable, Sendable {
  /// A codec whose pictures are stored in such a form.
  public enum Codec: Hashable, Sendable {
    case h264
    case hevc
  }

  /// The codec of the parameters.
  public let codec: Codec
  /// `avcC` or `hvcC`.
  public let box: Box
  /// The units that must not stand among the pictures.
  public let parameterSets: [ArraySlice<UInt8>]

  /// The sample entry under which Apple's systems play the codec.
  public var format: FourCC { codec == .hevc ? "hvc1" : "avc1" }

  /// - Parameters:
  ///   - bytes: a configuration as movie files have it, or parameter sets with start codes.
  /// - Throws: `malformed` for parameter sets that are missing or damaged.
  public init(_ codec: Codec, _ bytes: [UInt8]) throws(CinematicError) {
    self.codec = codec
    guard NetworkUnits.hasStartCode(bytes) else {
      guard bytes.count >= (codec == .hevc ? 23 : 7) else { throw Self.missing(codec) }
      box = Box(codec == .hevc ? "hvcC" : "avcC", data: bytes)
      parameterSets = []
      return
    }
    let units = NetworkUnits.split(bytes[...])
    // Their lengths and numbers have two bytes.
    guard units.count <= 0xFFFF, units.allSatisfy({ $0.count <= 0xFFFF }) else {
      throw Self.missing(codec)
    }
    parameterSets = units.filter { Self.isParameterSet($0, codec) }
    switch codec {
    case .h264: box = try Self.h264(units)
    case .hevc: box = try Self.hevc(units)
    }
  }

  /// A coded picture as movie files hold it, from one with start codes.
  ///
  /// - Throws: `unsupported` for a picture that brings other parameter sets: a movie file's sample
  ///   entry has room for one kind of picture.
  public func sample(fromStartCodes data: ArraySlice<UInt8>) throws(CinematicError) -> [UInt8] {
    var units: [ArraySlice<UInt8>] = []
    for unit in NetworkUnits.split(data) {
      guard Self.isParameterSet(unit, codec) else {
        units.append(unit)
        continue
      }
      guard parameterSets.contains(unit) else {
        throw CinematicError(
          .unsupported, "the pictures change their coding in the middle",
          remedy: "encode them anew")
      }
    }
    return NetworkUnits.joined(units)
  }

  /// Whether a decoder finds every parameter set here, so that pictures need to bring none.
  public var isComplete: Bool {
    let data = box.data
    guard codec == .hevc else {
      return data.count >= 7 && data[data.startIndex + 5] & 31 > 0
    }
    guard data.count >= 23 else { return false }
    var types: Set<UInt8> = []
    var reader = ByteReader(data.dropFirst(22), box: "hvcC")
    guard let count = try? reader.u8() else { return false }
    for _ in 0..<count {
      guard let type = try? reader.u8(), let units = try? reader.u16() else { return false }
      for _ in 0..<units {
        guard let size = try? reader.u16(), (try? reader.skip(Int(size))) != nil else {
          return false
        }
      }
      if units > 0 { types.insert(type & 63) }
    }
    return types.isSuperset(of: [32, 33, 34])
  }

  private static func isParameterSet(_ unit: ArraySlice<UInt8>, _ codec: Codec) -> Bool {
    guard let first = unit.first else { return false }
    return codec == .hevc ? (32...34).contains(first >> 1 & 63) : [7, 8, 13].contains(first & 31)
  }

  private static func missing(_ codec: Codec) -> CinematicError {
    CinematicError(
      .malformed,
      "the \(codec == .hevc ? "HEVC" : "H.264") pictures come without their parameter sets",
      remedy: "encode them anew")
  }

  /// ISO/IEC 14496-15 §5.3.3.1.
  private static func h264(_ units: [ArraySlice<UInt8>]) throws(CinematicError) -> Box {
    let sequences = units.filter { ($0.first ?? 0) & 31 == 7 }
    let pictures = units.filter { ($0.first ?? 0) & 31 == 8 }
    guard let first = sequences.first, first.count >= 4, !pictures.isEmpty, sequences.count < 32,
      pictures.count < 256
    else { throw missing(.h264) }
    let head = Array(first.prefix(4))
    var reader = BitReader(Array(NetworkUnits.payload(first).dropFirst(4)))
    _ = reader.golomb()  // the set's number
    let isHigh = [100, 110, 122, 144, 244, 44, 83, 86, 118, 128].contains(head[1])
    var (chroma, luma, depth): (UInt32, UInt32, UInt32) = (1, 0, 0)
    if isHigh {
      chroma = reader.golomb()
      if chroma == 3 { reader.skip(1) }
      luma = reader.golomb()
      depth = reader.golomb()
      guard chroma <= 3, luma <= 6, depth <= 6, !reader.isBeyondEnd else { throw missing(.h264) }
    }
    return Box("avcC") { writer in
      writer.u8(1)
      writer.append(head[1...3])  // profile, constraints, level
      writer.u8(0xFF)  // lengths of four bytes
      writer.u8(0xE0 | UInt8(sequences.count))
      for unit in sequences { writer.unit(unit) }
      writer.u8(UInt8(pictures.count))
      for unit in pictures { writer.unit(unit) }
      guard [100, 110, 122, 144].contains(head[1]) else { return }
      writer.u8(0xFC | UInt8(chroma))
      writer.u8(0xF8 | UInt8(luma))
      writer.u8(0xF8 | UInt8(depth))
      writer.u8(0)
    }
  }

  /// ISO/IEC 14496-15 §8.3.3.1.
  private static func hevc(_ units: [ArraySlice<UInt8>]) throws(CinematicError) -> Box {
    func all(_ type: UInt8) -> [ArraySlice<UInt8>] {
      units.filter { ($0.first ?? 0) >> 1 & 63 == type }
    }
    let (videos, sequences, pictures) = (all(32), all(33), all(34))
    guard let first = sequences.first, !videos.isEmpty, !pictures.isEmpty else {
      throw missing(.hevc)
    }
    guard let header = HEVCSequenceHeader(first) else { throw missing(.hevc) }
    return Box("hvcC") { writer in
      writer.u8(1)
      writer.append(header.profile)
      writer.u16(0xF000)
      writer.u8(0xFC)
      writer.u8(0xFC | UInt8(header.chroma))
      writer.u8(0xF8 | UInt8(min(header.luma, 7)))
      writer.u8(0xF8 | UInt8(min(header.depth, 7)))
      writer.u16(0)  // no statement on the frame rate
      // Lengths have four bytes.
      writer.u8(UInt8(header.layers + 1) << 3 | (header.isNested ? 4 : 0) | 3)
      // Messages that hold for the whole stream, on its screen and light for instance, stand here too.
      let arrays = [(32, videos), (33, sequences), (34, pictures), (39, all(39)), (40, all(40))]
        .filter { !$0.1.isEmpty }
      writer.u8(UInt8(arrays.count))
      for (type, units) in arrays {
        // Of parameter sets, all are here; messages may also stand among the pictures.
        writer.u8((type <= 34 ? 0x80 : 0) | UInt8(type))
        writer.u16(UInt16(truncatingIfNeeded: units.count))
        for unit in units { writer.unit(unit) }
      }
    }
  }
}

extension ByteWriter {
  fileprivate mutating func unit(_ unit: ArraySlice<UInt8>) {
    u16(UInt16(truncatingIfNeeded: unit.count))
    append(unit)
  }
}
