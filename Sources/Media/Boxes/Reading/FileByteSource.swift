// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Synchronization

/// The bytes of a local file. It is opened when it is first read.
public final class FileByteSource: ByteSource {
  /// The file's path.
  public let path: String
  /// The file's path, for messages.
  public var name: String { path }

  private let opened = Mutex<SourceFile?>(nil)

  /// The file is opened by the first read.
  public init(path: String) { self.path = path }

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
    try file().read(range)
  }

  private func file() throws(CinematicError) -> SourceFile {
    // A closure could not carry the error's type through the lock.
    let result = opened.withLock { opened -> Result<SourceFile, CinematicError> in
      if let opened { return .success(opened) }
      return Result { () throws(CinematicError) in
        let file = try SourceFile(path: path)
        opened = file
        return file
      }
    }
    return try result.get()
  }
}
