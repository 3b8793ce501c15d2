// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// An opened file to look at before FFmpeg does, so that the errors are clear.
final class SourceFile {
  let path: String
  let byteCount: Int64
  private let descriptor: Int32
  private let version: FileVersion

  /// - Throws: `unreadable` for a missing file, a folder, or one without permission; `malformed` for
  ///   an empty one; `unsupported` for a pipe or a device, which cannot be read twice.
  init(path: String) throws(CinematicError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .cannotRead(path, errno) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      let number = errno
      close(descriptor)
      throw .cannotRead(path, number)
    }
    let kind = status.st_mode & S_IFMT
    let problem: CinematicError? =
      if kind == S_IFDIR {
        .isFolder(
          path, remedy: "name a file in it, or a numbered pattern such as \(path)/%04d.png")
      } else if kind != S_IFREG {
        .isNoRegularFile(path)
      } else if status.st_size == 0 {
        .isEmpty(path)
      } else {
        nil
      }
    if let problem {
      close(descriptor)
      throw problem
    }
    self.path = path
    self.descriptor = descriptor
    byteCount = Int64(status.st_size)
    version = FileVersion(status)
  }

  deinit { close(descriptor) }

  /// - Throws: `unreadable` where another program has written the file since it was opened.
  func checkVersion() throws(CinematicError) {
    if version.hasChanged(descriptor) { throw FileVersion.changed(path) }
  }

  /// Bytes at an offset; fewer where the file ends.
  func read(at offset: Int64, count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = 0
      while filled < count {
        let got = pread(
          descriptor, buffer.baseAddress! + filled, count - filled, off_t(offset) + off_t(filled))
        if got < 0 && errno == EINTR { continue }
        guard got > 0 else { return }
        filled += got
      }
    }
  }
}
