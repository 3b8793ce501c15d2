// SPDX-License-Identifier: Apache-2.0

import FocalCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The files of caches. Write access to them decides what the program runs and relies on, so only those of the user's
/// own are read.
package enum CacheFile {
  /// The bytes of a regular file that the user owns and nobody else may write, or `nil`. It counts as used.
  package static func contents(_ path: String) -> [UInt8]? {
    // A pipe in its place must not make the program wait.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_uid == geteuid(), status.st_mode & (S_IWGRP | S_IWOTH) == 0
    else { return nil }
    futimens(descriptor, nil)
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = chunk.withUnsafeMutableBytes { buffer in
        read(descriptor, buffer.baseAddress, buffer.count)
      }
      if count == 0 { return bytes }
      if count < 0 {
        guard errno == EINTR else { return nil }
        continue
      }
      bytes += chunk[..<count]
    }
  }

  /// Writes a file that nobody else may read, aside and then renamed, so that it appears whole. The folder is made
  /// with those above it where it is missing.
  ///
  /// - Returns: whether that was possible.
  package static func store(_ bytes: [UInt8], as name: String, in folder: String) -> Bool {
    guard makeFolder(folder) else { return false }
    let path = "\(folder)/\(name)"
    let temporary = "\(path).\(getpid()).\(UInt64.random(in: .min ... .max)).tmp"
    guard writeNew(temporary, bytes), rename(temporary, path) == 0 else {
      unlink(temporary)
      return false
    }
    return true
  }

  /// Whether all bytes were written to a file that did not exist.
  private static func writeNew(_ path: String, _ bytes: [UInt8]) -> Bool {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return false }
    let outcome = bytes.withUnsafeBytes { DescriptorOutput.writeAll($0, to: descriptor) }
    return close(descriptor) == 0 && outcome.number == 0
  }

  /// Whether the folder exists, made with those above it where it did not.
  package static func makeFolder(_ path: String) -> Bool {
    if mkdir(path, 0o700) == 0 || errno == EEXIST { return true }
    guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else {
      return false
    }
    return makeFolder(String(path[..<slash])) && (mkdir(path, 0o700) == 0 || errno == EEXIST)
  }
}
