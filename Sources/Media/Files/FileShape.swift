// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Whether a file is as long as it says itself.
///
/// Demuxers and decoders end a cut-off file as if it ended there, which would make a silent short
/// clip or a half-gray picture. The containers that say their length are asked here first.
enum FileShape {
  /// The length that the container claims, where that is more than the file has.
  ///
  /// - Parameter read: bytes at an offset; fewer where the file ends.
  static func claimedByteCount(
    fileSize: Int64, read: (_ offset: Int64, _ count: Int) -> [UInt8]
  ) -> Int64? {
    let head = read(0, 16)
    guard head.count >= 12 else { return nil }
    let claimed: Int64? =
      if head.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) {
        matroskaByteCount(read)
      } else if head.starts(with: Array("RIFF".utf8)), head[8...].starts(with: Array("AVI ".utf8)) {
        Int64(littleEndian32(head, 4)) + 8
      } else {
        boxesByteCount(fileSize, read)
      }
    guard let claimed, claimed > fileSize else { return nil }
    return claimed
  }

  /// QuickTime and MP4: the boxes of the file follow each other to its end (ISO/IEC 14496-12 §4.2).
  private static func boxesByteCount(
    _ fileSize: Int64, _ read: (Int64, Int) -> [UInt8]
  ) -> Int64? {
    // Only these carry what a movie needs; junk behind the last of them is harmless.
    let essential = Set(["ftyp", "mdat", "moov", "moof"].map { Array($0.utf8) })
    var offset: Int64 = 0
    while offset < fileSize {
      let head = read(offset, 16)
      guard head.count >= 8 else { return nil }
      let kind = Array(head[4..<8])
      guard offset > 0 || essential.contains(kind) || kind == Array("wide".utf8) else { return nil }
      var size = Int64(bigEndian32(head, 0))
      if size == 1 {
        guard head.count == 16, head[8] < 0x7F else { return nil }
        size = Int64(bigEndian32(head, 8)) << 32 | Int64(bigEndian32(head, 12))
      }
      // Zero means to the end of the file; less than a head is junk.
      guard size >= 8 else { return nil }
      if size > fileSize - offset {
        return essential.contains(kind) ? offset.addingReportingOverflow(size).partialValue : nil
      }
      offset += size
    }
    return nil
  }

  /// Matroska and WebM: an EBML head, then one segment with its size (RFC 8794 §4, RFC 9559 §5).
  private static func matroskaByteCount(_ read: (Int64, Int) -> [UInt8]) -> Int64? {
    guard let (headSize, headLength) = variableInteger(read(4, 8)) else { return nil }
    let segment = 4 + Int64(headLength) + headSize
    let start = read(segment, 12)
    guard start.starts(with: [0x18, 0x53, 0x80, 0x67]),
      let (size, length) = variableInteger(Array(start[4...]))
    else { return nil }
    return segment.addingReportingOverflow(4 + Int64(length) + size).partialValue
  }

  /// An EBML size and the bytes it takes; `nil` for the unknown size.
  private static func variableInteger(_ bytes: [UInt8]) -> (value: Int64, length: Int)? {
    guard let first = bytes.first, first != 0 else { return nil }
    let length = first.leadingZeroBitCount + 1
    guard bytes.count >= length else { return nil }
    var value = Int64(first) & ((1 << Int64(8 - length)) - 1)
    for byte in bytes[1..<length] { value = value << 8 | Int64(byte) }
    return value == (1 << Int64(7 * length)) - 1 ? nil : (value, length)
  }

  /// Whether a PNG's chunks reach its end chunk (PNG §5.3).
  static func isWholePNG(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var offset = 8
    while offset + 12 <= bytes.count {
      let length = Int(
        UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
      if bytes[(offset + 4)..<(offset + 8)].elementsEqual(Array("IEND".utf8)) { return true }
      offset += 12 + length
    }
    return false
  }

  /// Whether a JPEG's segments and scans reach its end marker (ITU-T T.81 §B.1).
  static func isWholeJPEG(_ bytes: UnsafeRawBufferPointer) -> Bool { endOfJPEG(bytes) != nil }

  /// Where a JPEG's own picture ends; others may lie behind it.
  static func endOfJPEG(_ bytes: UnsafeRawBufferPointer) -> Int? {
    var offset = 2
    while offset + 1 < bytes.count {
      // Between segments only fill bytes may stand; within scan data everything but a marker.
      guard bytes[offset] == 0xFF, bytes[offset + 1] != 0, bytes[offset + 1] != 0xFF else {
        offset += 1
        continue
      }
      let marker = bytes[offset + 1]
      if marker == 0xD9 { return offset + 2 }
      offset += 2
      if (0xD0...0xD8).contains(marker) || marker == 0x01 { continue }
      guard offset + 1 < bytes.count else { return nil }
      offset += Int(bytes[offset]) << 8 | Int(bytes[offset + 1])
    }
    return nil
  }

  private static func bigEndian32(_ bytes: [UInt8], _ index: Int) -> UInt32 {
    bytes[index..<(index + 4)].reduce(0) { $0 << 8 | UInt32($1) }
  }

  private static func littleEndian32(_ bytes: [UInt8], _ index: Int) -> UInt32 {
    bytes[index..<(index + 4)].reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }
}
