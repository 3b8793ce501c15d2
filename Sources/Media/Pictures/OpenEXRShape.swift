// SPDX-License-Identifier: Apache-2.0

/// Whether an OpenEXR file has all its chunks; decoders leave the missing ones black.
///
/// After the layout in "OpenEXR File Layout": magic, version, attributes (name, type, size, value), a
/// table of chunk offsets, chunks.
enum OpenEXRShape {
  /// `true` also for the kinds of files that are not looked into: several parts, deep data, mipmaps.
  static func isWhole(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var cursor = Cursor(bytes: bytes, offset: 4)
    guard let version = cursor.int32() else { return false }
    let hasParts = version & 0x1000 != 0
    let isDeep = version & 0x800 != 0
    guard !hasParts, !isDeep else { return true }
    var compression = 0
    var window = (left: 0, top: 0, right: -1, bottom: -1)
    var tile: (width: Int, height: Int, mode: UInt8)?
    while let name = cursor.string(), !name.isEmpty {
      guard cursor.string() != nil, let size = cursor.int32(), size >= 0,
        cursor.offset + size <= bytes.count
      else { return false }
      var value = cursor
      switch name {
      case "compression" where size == 1: compression = Int(bytes[cursor.offset])
      case "dataWindow" where size == 16:
        window = (value.int32()!, value.int32()!, value.int32()!, value.int32()!)
      case "tiles" where size == 9:
        tile = (value.int32()!, value.int32()!, bytes[cursor.offset + 8])
      default: break
      }
      cursor.offset += size
    }
    // Coordinates are 32 bits; extents of damaged headers must not overflow.
    let width = window.right - window.left + 1
    let height = window.bottom - window.top + 1
    guard width > 0, height > 0 else { return true }
    var chunks: Int
    if let tile {
      guard tile.mode & 15 == 0, tile.width > 0, tile.height > 0 else { return true }
      chunks =
        ((width + tile.width - 1) / tile.width)
        .multipliedReportingOverflow(by: (height + tile.height - 1) / tile.height).partialValue
    } else {
      // Rows of a chunk: none, RLE, ZIPS; ZIP; PIZ; PXR24; B44, B44A; DWAA; DWAB.
      let rows = [1, 1, 1, 16, 32, 16, 32, 32, 32, 256]
      guard rows.indices.contains(compression) else { return true }
      chunks = (height + rows[compression] - 1) / rows[compression]
    }
    let headBytes = tile == nil ? 4 : 16
    while chunks > 0 {
      guard let offset = cursor.int64() else { return false }
      guard offset > 0, offset <= bytes.count - headBytes - 4 else { return false }
      var chunk = Cursor(bytes: bytes, offset: Int(offset) + headBytes)
      guard let size = chunk.int32(), size >= 0, chunk.offset + size <= bytes.count else {
        return false
      }
      chunks -= 1
    }
    return true
  }

  /// A place in little-endian data; reads past the end give `nil`.
  private struct Cursor {
    let bytes: UnsafeRawBufferPointer
    var offset: Int

    mutating func int32() -> Int? {
      guard offset + 4 <= bytes.count else { return nil }
      defer { offset += 4 }
      return Int(
        Int32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self)))
    }

    mutating func int64() -> Int64? {
      guard offset + 8 <= bytes.count else { return nil }
      defer { offset += 8 }
      return Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int64.self))
    }

    mutating func string() -> String? {
      let start = offset
      while offset < bytes.count, bytes[offset] != 0 { offset += 1 }
      guard offset < bytes.count else { return nil }
      defer { offset += 1 }
      return String(decoding: bytes[start..<offset], as: UTF8.self)
    }
  }
}
