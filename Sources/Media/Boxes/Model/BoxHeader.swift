// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// The head of a box (an “atom” in QuickTime): its type and how long it is.
public struct BoxHeader: Hashable, Sendable {
  /// How the size is stored.
  public enum Form: Hashable, Sendable {
    /// 32 bits before the type.
    case compact
    /// 64 bits after the type.
    case large
    /// Zero: the box reaches to the end of what it is in.
    case toEnd
  }

  /// The four characters that name the box.
  public let type: FourCC
  /// The 16 bytes that name a box of the type `uuid`.
  public let extendedType: [UInt8]?
  /// Where the box begins, in bytes from the file's (or the memory's) start.
  public let offset: Int64
  /// Bytes of the head itself: 8, 16, 24 or 32.
  public let headerSize: Int
  /// Bytes of the whole box, head included, as it claims. It may claim more than there is.
  public let size: Int64
  /// How the header is written.
  public let form: Form

  /// The longest head.
  public static let maximumSize = 32

  /// Where the contents begin.
  public var contentOffset: Int64 { offset + Int64(headerSize) }
  /// Bytes after the header.
  public var contentSize: Int64 { size - Int64(headerSize) }
  /// Where the next box begins.
  public var end: Int64 { offset + size }

  /// Reads a head.
  ///
  /// - Parameters:
  ///   - bytes: at least ``maximumSize`` bytes, or as many as there are up to `limit`.
  ///   - offset: where the bytes begin.
  ///   - limit: where the enclosing box, or the file, ends.
  /// - Throws: `malformed` for a head that is cut off or a size that is smaller than the head.
  public init(
    _ bytes: ArraySlice<UInt8>, offset: Int64, limit: Int64
  ) throws(CinematicError) {
    var reader = ByteReader(bytes, of: "the box at byte \(offset)")
    let short = try reader.u32()
    let type = try reader.fourCC()
    var headerSize = 8
    let size: Int64
    switch short {
    case 0:
      size = limit - offset
      form = .toEnd
    case 1:
      let large = try reader.u64()
      guard large <= UInt64(Int64.max / 4) else {
        throw reader.malformed("'\(type)' claims \(large) bytes")
      }
      size = Int64(large)
      headerSize = 16
      form = .large
    default:
      size = Int64(short)
      form = .compact
    }
    if type == "uuid" {
      extendedType = Array(try reader.bytes(16))
      headerSize += 16
    } else {
      extendedType = nil
    }
    guard size >= Int64(headerSize) else {
      throw reader.malformed("'\(type)' claims \(size) bytes, fewer than its head has")
    }
    self.type = type
    self.offset = offset
    self.headerSize = headerSize
    self.size = size
  }
}
