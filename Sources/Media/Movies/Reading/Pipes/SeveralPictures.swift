// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

extension StillKind {
  /// - Throws: `unsupported` for files of the kind one behind the other, of which all but the first would be lost
  ///   without a word. A phone's JPEG has other pictures behind its own, and says so.
  func checkIsOne(_ bytes: [UInt8], _ pipe: String) throws(CinematicError) {
    guard isFollowed(bytes) else { return }
    throw CinematicError(
      .unsupported, "\(pipe) holds several \(name) pictures",
      remedy: "send PNG pictures, Y4M or NUT, or name the files, as in frames/%04d.\(rawValue)")
  }

  /// Whether another file of the kind begins behind the first.
  private func isFollowed(_ bytes: [UInt8]) -> Bool {
    switch self {
    case .png: false
    case .jpeg: Self.jpegIsFollowed(bytes)
    case .tiff: Self.tiffIsFollowed(bytes)
    case .pfm: Self.begins(self, bytes, at: Self.endOfPFM(bytes))
    case .dpx: Self.begins(self, bytes, at: Self.endOfDPX(bytes))
    case .openEXR: Self.holds([0x76, 0x2F, 0x31, 0x01, 2], [0, 0], after: 6, in: bytes)
    case .heic, .avif: Self.boxesAreFollowed(bytes)
    }
  }

  private static func begins(_ kind: StillKind, _ bytes: [UInt8], at place: Int?) -> Bool {
    guard let place, place > 0, place < bytes.count else { return false }
    return StillKind(magic: Array(bytes[place...].prefix(magicByteCount))) == kind
  }

  /// Whether bytes that open a file come a second time: enough of them that data has them by no chance.
  ///
  /// - Parameter place: of the second part of them.
  private static func holds(
    _ first: [UInt8], _ second: [UInt8], after place: Int, in bytes: [UInt8]
  ) -> Bool {
    bytes.withUnsafeBytes { bytes in
      let count = place + second.count
      guard bytes.count > count else { return false }
      for start in 1..<(bytes.count - count) where bytes[start] == first[0] {
        if bytes[start...].starts(with: first), bytes[(start + place)...].starts(with: second) {
          return true
        }
      }
      return false
    }
  }

  private static func jpegIsFollowed(_ bytes: [UInt8]) -> Bool {
    guard let end = bytes.withUnsafeBytes(FileShape.endOfJPEG), end + 1 < bytes.count,
      bytes[end] == 0xFF, bytes[end + 1] == 0xD8
    else { return false }
    let segments = JPEGSegments(bytes)
    let xmp = String(decoding: segments.metadata.xmp ?? [], as: UTF8.self)
    return segments.pictures.isEmpty && !xmp.contains("Container")
  }

  /// The kind, width, height and scale, each with white space behind it, then floats.
  private static func endOfPFM(_ bytes: [UInt8]) -> Int? {
    let spaces: Set<UInt8> = [9, 10, 13, 32]
    var words: [String] = []
    var place = 0
    while words.count < 4 {
      while place < bytes.count, spaces.contains(bytes[place]) { place += 1 }
      let word = bytes[place...].prefix(32).prefix { !spaces.contains($0) }
      guard !word.isEmpty else { return nil }
      words.append(String(decoding: word, as: UTF8.self))
      place += word.count
    }
    guard let width = Int32(words[1]), let height = Int32(words[2]), width > 0, height > 0 else {
      return nil
    }
    let count = (Int(width) * Int(height)).multipliedReportingOverflow(
      by: words[0] == "PF" ? 12 : 4)
    return count.overflow ? nil : place + 1 + count.partialValue
  }

  /// SMPTE ST 268-1, table 1: the file's size stands at 16.
  private static func endOfDPX(_ bytes: [UInt8]) -> Int? {
    guard bytes.count >= 20 else { return nil }
    let size = bytes[16..<20]
    let isBigEndian = bytes[0] == 0x53
    return (isBigEndian ? Array(size) : size.reversed()).reduce(0) { $0 << 8 | Int($1) }
  }

  /// The file type comes once (ISO/IEC 14496-12 §4.3).
  private static func boxesAreFollowed(_ bytes: [UInt8]) -> Bool {
    var place = 0
    while place + 8 <= bytes.count {
      let type = bytes[(place + 4)..<(place + 8)]
      if place > 0, type.elementsEqual("ftyp".utf8) { return true }
      var size = bytes[place..<(place + 4)].reduce(0) { $0 << 8 | Int($1) }
      if size == 1, place + 16 <= bytes.count, bytes[place + 8] < 0x7F {
        size = bytes[(place + 8)..<(place + 16)].reduce(0) { $0 << 8 | Int($1) }
      }
      guard size >= 8, size <= bytes.count - place else { return false }
      place += size
    }
    return false
  }

  /// A TIFF file does not say how long it is: it ends behind the last of all that its directory leads to.
  private static func tiffIsFollowed(_ bytes: [UInt8]) -> Bool {
    if isBigTIFF(bytes) { return holds(Array(bytes.prefix(8)), [], after: 8, in: bytes) }
    var end = 8
    let found = TIFFDirectory(byteCount: bytes.count) { place, count in
      guard place >= 0, place <= bytes.count - count else { return nil }
      end = max(end, place + count)
      return Array(bytes[place..<(place + count)])
    }
    // Pages of one file are another matter.
    guard let directory = found, !hasPages(bytes, directory) else { return false }
    // Strips or tiles: where they lie, and how many bytes they have.
    for (places, counts) in [(273, 279), (324, 325)] as [(UInt16, UInt16)] {
      for (place, count) in zip(directory.integers(places), directory.integers(counts)) {
        end = max(end, place + count)
      }
    }
    // Behind the directory stands the place of the next one, behind data often a byte that makes the count even.
    return (end...(end + 5)).contains { begins(.tiff, bytes, at: $0) }
  }

  /// Whether another directory follows the first, whose place stands behind its entries.
  private static func hasPages(_ bytes: [UInt8], _ directory: TIFFDirectory) -> Bool {
    func number(_ place: Int, _ count: Int) -> Int? {
      guard place >= 0, place + count <= bytes.count else { return nil }
      let part = bytes[place..<(place + count)]
      return (directory.isBigEndian ? Array(part) : part.reversed()).reduce(0) { $0 << 8 | Int($1) }
    }
    guard let start = number(4, 4), let entries = number(start, 2),
      let next = number(start + 2 + 12 * entries, 4)
    else { return false }
    return next != 0
  }
}
