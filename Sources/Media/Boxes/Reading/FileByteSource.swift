// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The bytes of a local file. It is opened when it is first read.
public final class FileByteSource: ByteSource {
  /// The file's path.
  public let path: String
  /// The file's path, for messages.
  public var name: String { path }

  private struct Opened {
    var descriptor: Int32
    var byteCount: Int64
    var version: FileVersion
  }

  private let opened = Mutex<Opened?>(nil)

  /// The file is opened by the first read.
  public init(path: String) { self.path = path }

  deinit {
    if let file = opened.withLock({ $0 }) { close(file.descriptor) }
  }

  /// The file's size in bytes.
  ///
  /// - Throws: `unreadable` for a file that cannot be opened.
  public func byteCount() async throws(CinematicError) -> Int64 { try fileSize() }

  /// The bytes of a range, fewer where the file ends.
  ///
  /// - Throws: `unreadable` for a file that cannot be opened or read, or that was overwritten since it was opened.
  public func read(_ range: Range<Int64>) async throws(CinematicError) -> [UInt8] {
    try bytes(range)
  }

  /// ``byteCount()``, for a thread that may wait for the disk.
  package func fileSize() throws(CinematicError) -> Int64 { try file().byteCount }

  /// ``read(_:)``, for a thread that may wait for the disk.
  package func bytes(_ range: Range<Int64>) throws(CinematicError) -> [UInt8] {
    let file = try file()
    let end = min(range.upperBound, file.byteCount)
    guard range.lowerBound < end else { return [] }
    let count = Int(end - range.lowerBound)
    var failure: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = 0
      while filled < count {
        let got = pread(
          file.descriptor, buffer.baseAddress! + filled, count - filled,
          off_t(range.lowerBound) + off_t(filled))
        if got < 0 && errno == EINTR { continue }
        if got < 0 { failure = errno }
        guard got > 0 else { return }
        filled += got
      }
    }
    guard failure == 0 else { throw .cannotRead(path, failure) }
    guard !file.version.hasChanged(file.descriptor) else { throw FileVersion.changed(path) }
    return bytes
  }

  private func file() throws(CinematicError) -> Opened {
    // A closure could not carry the error's type through the lock.
    let result = opened.withLock { opened -> Result<Opened, CinematicError> in
      if let opened { return .success(opened) }
      return Result { () throws(CinematicError) in
        let file = try open()
        opened = file
        return file
      }
    }
    return try result.get()
  }

  private func open() throws(CinematicError) -> Opened {
    #if canImport(Glibc)
      let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
    #elseif canImport(Musl)
      let descriptor = Musl.open(path, O_RDONLY | O_CLOEXEC)
    #else
      let descriptor = Darwin.open(path, O_RDONLY | O_CLOEXEC)
    #endif
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
    return Opened(
      descriptor: descriptor, byteCount: Int64(status.st_size), version: FileVersion(status))
  }
}
