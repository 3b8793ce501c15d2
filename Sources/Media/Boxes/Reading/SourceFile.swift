// SPDX-License-Identifier: Apache-2.0

import FocalCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A regular file that is open for reading. It is looked at before any library does, so that the errors are clear.
package final class SourceFile: Sendable {
  package let path: String
  /// When it was opened.
  package let byteCount: Int64
  /// Open for as long as this file is kept.
  package let descriptor: Int32
  private let version: FileVersion

  /// - Throws: `unreadable` for a missing file, a folder, or one without permission; `malformed` for
  ///   an empty one; `unsupported` for a pipe or a device, which cannot be read twice.
  package init(path: String) throws(CinematicError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .cannotRead(path, errno) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      let number = errno
      close(descriptor)
      throw .cannotRead(path, number)
    }
    let kind = status.st_mode & S_IFMT
    guard kind == S_IFREG, status.st_size > 0 else {
      close(descriptor)
      throw kind == S_IFDIR
        ? .isFolder(path) : kind != S_IFREG ? .isNoRegularFile(path) : .isEmpty(path)
    }
    self.path = path
    self.descriptor = descriptor
    byteCount = Int64(status.st_size)
    version = FileVersion(status)
  }

  deinit { close(descriptor) }

  /// - Throws: `unreadable` where another program has written the file since it was opened.
  package func checkVersion() throws(CinematicError) {
    if version.hasChanged(descriptor) { throw FileVersion.changed(path) }
  }

  /// Bytes at an offset; fewer where the file ends or the disk fails.
  package func read(at offset: Int64, count: Int) -> [UInt8] {
    bytes(at: offset, count: count).bytes
  }

  /// The bytes of a range, fewer where the file ended when it was opened.
  ///
  /// - Throws: `unreadable` where the disk fails, or another program has written the file since it was opened.
  package func read(_ range: Range<Int64>) throws(CinematicError) -> [UInt8] {
    let end = min(range.upperBound, byteCount)
    guard range.lowerBound < end else { return [] }
    let found = bytes(at: range.lowerBound, count: Int(end - range.lowerBound))
    guard found.failure == 0 else { throw .cannotRead(path, found.failure) }
    try checkVersion()
    return found.bytes
  }

  /// - Returns: the bytes, and the system's error after them, 0 for none.
  private func bytes(at offset: Int64, count: Int) -> (bytes: [UInt8], failure: Int32) {
    var failure: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = 0
      while filled < count {
        let got = pread(
          descriptor, buffer.baseAddress! + filled, count - filled, off_t(offset) + off_t(filled))
        if got < 0 && errno == EINTR { continue }
        if got < 0 { failure = errno }
        guard got > 0 else { return }
        filled += got
      }
    }
    return (bytes, failure)
  }
}
