// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Bytes that can be read anywhere: a file, a file on a server, or whatever a caller has.
///
/// Nothing is asked of a source before something is loaded from the asset that has it. Calls may come
/// from several tasks at once.
public protocol ByteSource: Sendable {
  /// The source's name in messages: a path, an address.
  var name: String { get }

  /// How many bytes come in the time that one read waits for its answer: what a read may bring beyond
  /// what is needed and still be cheaper than a second one. Zero, unless a source says otherwise, for
  /// sources whose reads cost nothing by themselves. At most 1 MiB is believed.
  var preferredReadSize: Int { get }

  /// How many bytes there are. May be asked more than once and should be remembered.
  ///
  /// - Throws: `unreadable` where the source is not there, `downloadFailed`, `cancelled`.
  func byteCount() async throws(CinematicError) -> Int64

  /// The bytes of a range: all of them, or those before the source's end.
  ///
  /// - Parameter range: not below zero; it may reach beyond the end.
  /// - Throws: as ``byteCount()``.
  func read(_ range: Range<Int64>) async throws(CinematicError) -> [UInt8]
}

extension ByteSource {
  /// Zero: a small read costs as little as a large one.
  public var preferredReadSize: Int { 0 }

  /// ``byteCount()``, as far as it is believed: places in a file are reckoned with, and a little beyond.
  ///
  /// - Throws: `malformed` for a size that no file has, and what the source throws.
  package func believedByteCount() async throws(CinematicError) -> Int64 {
    let count = try await byteCount()
    guard (0...(1 << 60)).contains(count) else {
      throw CinematicError(
        .malformed, "\(name) claims to have \(count) bytes", remedy: "get the file again")
    }
    return count
  }

  /// ``preferredReadSize``, as far as it is believed.
  var readAheadSize: Int { min(max(preferredReadSize, 0), 1 << 20) }
}
