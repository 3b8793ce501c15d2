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
    let claimed = walk(fileSize, read).claimedEnd
    return claimed > fileSize ? claimed : nil
  }

  private static func walk(
    _ fileSize: Int64, _ read: (_ offset: Int64, _ count: Int) -> [UInt8]
  ) -> ContainerWalk {
    var walk = ContainerWalk()
    while let place = walk.place, place < fileSize {
      walk.take(read(place, ContainerWalk.headSize))
    }
    return walk
  }

  /// A doubt about the end of a file, in words for messages that begin with its name; `nil` for containers
  /// that are as long as they state, and for those of which nothing can be told.
  ///
  /// - Parameter read: bytes at an offset; fewer where the file ends.
  static func doubtfulEnd(
    fileSize: Int64, read: (_ offset: Int64, _ count: Int) -> [UInt8]
  ) -> String? {
    // Transport streams are packets of one size, which all begin alike (ISO/IEC 13818-1 §2.4.3.2); those of
    // Blu-ray discs have four bytes in front.
    for (size, start) in [(188, 0), (192, 4)] where fileSize > 4 * Int64(size) {
      let bytes = read(0, 4 * size)
      let isTransport = (0..<4).allSatisfy { bytes[$0 * size + start] == 0x47 }
      if isTransport, fileSize % Int64(size) != 0 {
        return "ends within a packet: it was cut, or never finished"
      }
    }
    let container = walk(fileSize, read)
    if container.claimedEnd > fileSize {
      let claimed = container.claimedEnd == .max ? "" : "of \(container.claimedEnd) "
      return "is cut short: \(fileSize) \(claimed)bytes are there"
    }
    return container.hasOpenEnd
      ? "was written as a stream and says no length: nothing tells whether its end is missing" : nil
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
}
