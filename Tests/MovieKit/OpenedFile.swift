// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Files that this process has open.
public enum OpenedFile {
  /// A second descriptor of the opening of a file, as a program has it that is just being started.
  ///
  /// - Returns: `nil` for a file that is not open.
  public static func copy(of path: String) -> Int32? {
    var wanted = stat()
    guard stat(path, &wanted) == 0 else { return nil }
    for descriptor in 0..<Int32(4096) {
      var found = stat()
      guard fstat(descriptor, &found) == 0, found.st_ino == wanted.st_ino,
        found.st_dev == wanted.st_dev
      else { continue }
      let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
      return copy >= 0 ? copy : nil
    }
    return nil
  }
}
