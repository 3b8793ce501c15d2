// SPDX-License-Identifier: Apache-2.0

import FileLocks
import FocalCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A small file that one program at a time holds. Its lock ends with the process, however that ends.
package final class LockedFile: Sendable {
  private let path: String
  private let descriptor: Int32

  /// Opens a file, or makes an empty one, and locks it. On file systems without locks everybody gets it.
  ///
  /// - Returns: `nil` for a file that somebody else holds.
  /// - Throws: `unwritable`.
  package init?(_ path: String) throws(CinematicError) {
    guard let descriptor = try Self.hold(path) else { return nil }
    (self.path, self.descriptor) = (path, descriptor)
  }

  deinit {
    focal_unlock_file(descriptor)
    close(descriptor)
  }

  private static func hold(_ path: String) throws(CinematicError) -> Int32? {
    while true {
      let descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o666)
      guard descriptor >= 0 else { throw OutputFile.failure(path, errno) }
      guard focal_lock_file(descriptor, true) != FOCAL_LOCK_TAKEN else {
        close(descriptor)
        return nil
      }
      var status = stat()
      if fstat(descriptor, &status) == 0, status.st_nlink > 0 { return descriptor }
      // Its holder has removed it meanwhile.
      close(descriptor)
    }
  }

  /// All that is in it; what cannot be read is missing.
  package var contents: [UInt8] {
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = pread(descriptor, &part, part.count, off_t(bytes.count))
      guard count > 0 else { return bytes }
      bytes += part.prefix(count)
    }
  }

  /// Puts other bytes in place of its own.
  ///
  /// - Throws: `unwritable`; part of the bytes may be there then.
  package func replaceContents(with bytes: [UInt8]) throws(CinematicError) {
    guard ftruncate(descriptor, 0) == 0 else { throw OutputFile.failure(path, errno) }
    let outcome = bytes.withUnsafeBytes {
      DescriptorOutput.writeAll($0, to: descriptor, at: 0)
    }
    guard outcome.number == 0 else { throw OutputFile.failure(path, outcome.number) }
  }

  /// Removes the file. The next one to open the name gets a new one.
  package func remove() { unlink(path) }
}
