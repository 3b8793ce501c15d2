// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore

/// The segments in front of a JPEG's pixels (ITU-T T.81, annex B), and the pictures behind them.
struct JPEGSegments {
  static let exifHead = Array("Exif\0\0".utf8)
  static let xmpHead = Array("http://ns.adobe.com/xap/1.0/\0".utf8)
  private static let extendedXMPHead = Array("http://ns.adobe.com/xmp/extension/\0".utf8)
  private static let profileHead = Array("ICC_PROFILE\0".utf8)
  static let photoshopHead = Array("Photoshop 3.0\0".utf8)
  private static let multiPictureHead = Array("MPF\0".utf8)
  /// Bytes of a segment beside its length.
  private static let mostBytes = 65533

  private(set) var metadata = PictureMetadata()
  /// The picture's size, as its pixels are stored.
  private(set) var dimensions: Dimensions?
  /// The picture's components: 4 of CMYK.
  private(set) var componentCount: Int?
  /// Whether the coding is that of JPEG-LS (ITU-T T.87), a format of its own with the same head.
  private(set) var isJPEGLS = false
  /// The part that did not fit into one packet of XMP, put together.
  private(set) var extendedXMP: [UInt8]?
  /// Where the other pictures of the file lie, by CIPA DC-007.
  private(set) var pictures: [Range<Int>] = []
  /// The numbers of a gain map by ISO 21496-1, of a file that is one; a version alone of one that has one.
  private(set) var gainMapNumbers: [UInt8]?

  init(_ bytes: [UInt8]) {
    var profile: [Int: ArraySlice<UInt8>] = [:]
    var extended: [Int: ArraySlice<UInt8>] = [:]
    var offset = 2
    while offset + 4 <= bytes.count, bytes[offset] == 0xFF {
      let marker = bytes[offset + 1]
      if marker == 0xFF {
        offset += 1
        continue
      }
      // Pixels begin.
      if marker == 0xDA || marker == 0xD9 { break }
      let length = Int(bytes[offset + 2]) << 8 | Int(bytes[offset + 3])
      guard length >= 2, offset + 2 + length <= bytes.count else { break }
      let start = offset + 4
      let content = bytes[start..<(offset + 2 + length)]
      func rest(_ head: [UInt8]) -> ArraySlice<UInt8>? {
        content.starts(with: head) ? content.dropFirst(head.count) : nil
      }
      switch marker {
      case 0xE0 where content.starts(with: Array("JFIF\0".utf8)) && content.count >= 12:
        metadata.resolution = Self.density(Array(content))
      case 0xE1:
        if let exif = rest(Self.exifHead) {
          metadata.exif = metadata.exif ?? Array(exif)
        } else if let xmp = rest(Self.xmpHead) {
          metadata.xmp = metadata.xmp ?? Array(xmp)
        } else if let part = rest(Self.extendedXMPHead), part.count > 40 {
          // A name of 32 letters, the length of all, and this part's place.
          let place = part.dropFirst(36).prefix(4).reduce(0) { $0 << 8 | Int($1) }
          extended[place] = part.dropFirst(40)
        }
      case 0xE2:
        if let part = rest(Self.profileHead), part.count > 2 {
          profile[Int(part.first!)] = part.dropFirst(2)
        } else if let numbers = rest(GainMapCoding.isoHead) {
          gainMapNumbers = gainMapNumbers ?? Array(numbers)
        } else if let index = rest(Self.multiPictureHead) {
          pictures = Self.pictures(Array(index), from: index.startIndex, in: bytes.count)
        }
      // The frame's header, whichever coding it announces.
      case 0xC0...0xCF where ![0xC4, 0xC8, 0xCC].contains(marker) && content.count >= 5:
        func number(_ place: Int) -> Int {
          Int(content[start + place]) << 8 | Int(content[start + place + 1])
        }
        dimensions = dimensions ?? Dimensions(width: number(3), height: number(1))
        if content.count > 5 { componentCount = componentCount ?? Int(content[start + 5]) }
      case 0xF7: isJPEGLS = true
      case 0xED:
        if let blocks = rest(Self.photoshopHead) {
          metadata.iptc = (metadata.iptc ?? []) + blocks
        }
      default: break
      }
      offset += 2 + length
    }
    if !profile.isEmpty {
      metadata.profile = ColorProfile(profile.sorted { $0.key < $1.key }.flatMap(\.value))
    }
    if !extended.isEmpty {
      extendedXMP = extended.sorted { $0.key < $1.key }.flatMap(\.value)
    }
  }

  private static func density(_ jfif: [UInt8]) -> PictureMetadata.Resolution? {
    let x = Double(Int(jfif[8]) << 8 | Int(jfif[9]))
    let y = Double(Int(jfif[10]) << 8 | Int(jfif[11]))
    switch jfif[7] {
    case 1: return .init(dotsPerInch: x, y)
    case 2: return .init(dotsPerInch: x * 2.54, y * 2.54)
    default: return nil
    }
  }

  /// - Parameters:
  ///   - index: a TIFF structure.
  ///   - start: where it lies in the file, which places are counted from.
  private static func pictures(
    _ index: [UInt8], from start: Int, in byteCount: Int
  ) -> [Range<Int>] {
    guard let directory = TIFFDirectory(index), let entries = directory[0xB002]?.value else {
      return []
    }
    func number(_ place: Int) -> Int {
      let part = entries[place..<(place + 4)]
      return (directory.isBigEndian ? Array(part) : part.reversed()).reduce(0) { $0 << 8 | Int($1) }
    }
    return stride(from: 0, to: entries.count - 15, by: 16).compactMap { entry in
      let (size, offset) = (number(entry + 4), number(entry + 8))
      guard offset > 0, size > 0, start + offset + size <= byteCount else { return nil }
      return (start + offset)..<(start + offset + size)
    }
  }

  // MARK: - Writing

  /// Whether EXIF fits into a segment, of which it takes one.
  static func holds(exif: [UInt8]) -> Bool { exifHead.count + exif.count <= mostBytes }

  /// The segments that say what metadata say: markers and contents.
  ///
  /// - Throws: `unsupported` for a profile of more than 255 segments.
  static func segments(
    _ metadata: PictureMetadata, profile: ColorProfile?
  ) throws(CinematicError) -> [(marker: Int32, content: [UInt8])] {
    var result: [(marker: Int32, content: [UInt8])] = []
    if let exif = metadata.exif, holds(exif: exif) { result.append((0xE1, exifHead + exif)) }
    if let xmp = metadata.xmp { result += segments(xmp: xmp).map { (0xE1, $0) } }
    if let iptc = metadata.iptc {
      // Blocks go on in the next segment wherever one ends.
      let pieces = pieces(of: iptc, room: mostBytes - photoshopHead.count)
      result += pieces.map { (0xED, photoshopHead + $0) }
    }
    if let profile {
      let pieces = pieces(of: profile.bytes, room: mostBytes - profileHead.count - 2)
      guard pieces.count <= 255 else {
        throw CinematicError(
          .unsupported, "JPEG cannot hold an ICC profile of \(profile.bytes.count) bytes",
          remedy: "write .png or .tif")
      }
      for (index, piece) in pieces.enumerated() {
        result.append(
          (0xE2, profileHead + [UInt8(index + 1), UInt8(pieces.count)] + piece))
      }
    }
    return result
  }

  private static func pieces(of bytes: [UInt8], room: Int) -> [ArraySlice<UInt8>] {
    stride(from: 0, to: bytes.count, by: room).map { bytes[$0..<min($0 + room, bytes.count)] }
  }

  /// A packet of XMP; one that does not fit into a segment as its extension, which another packet refers
  /// to by the extension's digest (XMP specification part 3, 1.1.3.1).
  private static func segments(xmp: [UInt8]) -> [[UInt8]] {
    guard xmpHead.count + xmp.count > mostBytes else { return [xmpHead + xmp] }
    var digest = [UInt8](repeating: 0, count: 16)
    av_md5_sum(&digest, xmp, xmp.count)
    let letters = Array("0123456789ABCDEF".utf8)
    let name = digest.flatMap { [letters[Int($0 >> 4)], letters[Int($0 & 15)]] }
    let reference = """
      <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF \
      xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" \
      xmlns:xmpNote="http://ns.adobe.com/xmp/note/" \
      xmpNote:HasExtendedXMP="\(String(decoding: name, as: UTF8.self))"/></rdf:RDF></x:xmpmeta>
      """
    func number(_ value: Int) -> [UInt8] {
      (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
    }
    let room = 65400
    let parts = pieces(of: xmp, room: room).enumerated().map { index, piece in
      extendedXMPHead + name + number(xmp.count) + number(index * room) + piece
    }
    return [xmpHead + Array(reference.utf8)] + parts
  }
}
