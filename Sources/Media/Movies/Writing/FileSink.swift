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

/// A muxer's file while it bears its temporary name.
final class FileSink: ByteSink {
  private let path: String
  private let descriptor: Int32
  private var buffer: [UInt8] = []
  private var position: Int64 = 0
  private var isLocked = false

  private static let bufferSize = 1 << 20

  /// - Parameter position: where writing begins; what stands before it stays.
  init(_ file: OutputFile, position: Int64 = 0) throws(CinematicError) {
    path = file.path
    descriptor = open(file.temporaryPath, O_RDWR | O_CLOEXEC)
    self.position = position
    guard descriptor >= 0 else { throw OutputFile.failure(path, errno) }
  }

  deinit {
    // A program that is just being started may have the file a moment longer.
    if isLocked { _ = flock(descriptor, LOCK_UN) }
    close(descriptor)
  }

  /// Says to other programs that the file is being written, until this one closes it or ends.
  func lock() { isLocked = flock(descriptor, LOCK_EX | LOCK_NB) == 0 }

  func write(_ bytes: [UInt8]) throws(CinematicError) {
    if buffer.count + bytes.count > Self.bufferSize { try flush() }
    guard bytes.count < Self.bufferSize else {
      try put(bytes, at: position)
      position += Int64(bytes.count)
      return
    }
    buffer.append(contentsOf: bytes)
  }

  func overwrite(_ bytes: [UInt8], at offset: Int64) throws(CinematicError) {
    // The data that the new bytes refer to must be on the disk before them.
    try synchronize()
    try put(bytes, at: offset)
  }

  func patch(_ bytes: [UInt8], at offset: Int64) throws(CinematicError) {
    try flush()
    try put(bytes, at: offset)
  }

  func flush() throws(CinematicError) {
    guard !buffer.isEmpty else { return }
    try put(buffer, at: position)
    position += Int64(buffer.count)
    buffer.removeAll(keepingCapacity: true)
  }

  /// Waits until everything written is on the disk: a file that gets its name survives a power cut.
  func synchronize() throws(CinematicError) {
    try flush()
    // Some file systems report a full disk only here; some kinds of files cannot be waited for.
    guard fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP else {
      throw OutputFile.failure(path, errno)
    }
  }

  func move(from offset: Int64, by distance: Int64) throws(CinematicError) {
    try flush()
    let end = position
    var done: Int64 = 0
    while distance != 0, done < end - offset {
      let count = min(Int64(4 * Self.bufferSize), end - offset - done)
      // Towards the end the last piece goes first, so that none is written over.
      let start = distance > 0 ? end - done - count : offset + done
      try put(try get(Int(count), at: start), at: start + distance)
      done += count
    }
    position += distance
    if distance < 0, ftruncate(descriptor, off_t(position)) != 0 {
      throw OutputFile.failure(path, errno)
    }
  }

  private func get(_ count: Int, at offset: Int64) throws(CinematicError) -> [UInt8] {
    var failure: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
      done = 0
      while done < count {
        let read = pread(
          descriptor, buffer.baseAddress! + done, count - done, off_t(offset) + off_t(done))
        if read < 0 && errno == EINTR { continue }
        guard read > 0 else {
          failure = read < 0 ? errno : EIO
          break
        }
        done += read
      }
    }
    guard failure == 0 else { throw OutputFile.failure(path, failure) }
    return bytes
  }

  private func put(_ bytes: [UInt8], at offset: Int64) throws(CinematicError) {
    let outcome = bytes.withUnsafeBytes {
      DescriptorOutput.writeAll($0, to: descriptor, at: offset)
    }
    guard outcome.number == 0 else { throw OutputFile.failure(path, outcome.number) }
  }
}
