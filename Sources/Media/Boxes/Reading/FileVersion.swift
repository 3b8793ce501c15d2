// SPDX-License-Identifier: Apache-2.0

import FocalCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// How an open file was when reading began: bytes of two versions would make one picture.
package struct FileVersion: Sendable {
  private let byteCount: Int64
  /// When it was last written before.
  private let change: timespec

  package init(_ status: stat) {
    byteCount = Int64(status.st_size)
    #if canImport(Darwin)
      change = status.st_mtimespec
    #else
      change = status.st_mtim
    #endif
  }

  /// `nil` for a descriptor that tells nothing.
  package init?(of descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    self.init(status)
  }

  /// Whether the bytes of the file may be others by now. A recording that goes on grows, and keeps what it has.
  package func hasChanged(_ descriptor: Int32) -> Bool {
    FileVersion(of: descriptor).map(hasChanged(to:)) ?? false
  }

  /// The same for a later version.
  package func hasChanged(to now: FileVersion) -> Bool {
    now.byteCount < byteCount
      || now.byteCount == byteCount
        && (now.change.tv_sec, now.change.tv_nsec) != (change.tv_sec, change.tv_nsec)
  }

  /// Whether nothing was written in between.
  package func isSame(as other: FileVersion) -> Bool {
    byteCount == other.byteCount
      && (change.tv_sec, change.tv_nsec) == (other.change.tv_sec, other.change.tv_nsec)
  }

  /// The error of a file that has changed.
  package static func changed(_ path: String) -> CinematicError {
    CinematicError(
      .unreadable, "\(path) was changed while it was read",
      remedy: "begin again when no other program writes it")
  }
}
