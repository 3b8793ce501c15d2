// SPDX-License-Identifier: Apache-2.0

import FocalCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The reading end of a pipe. Used by one thread at a time, one that may wait.
final class InputPipe {
  /// In messages.
  let name: String
  private let descriptor: Int32
  /// Bytes that were looked at and not taken yet.
  private var ahead: [UInt8] = []

  /// The most that is read of what has to be in memory as a whole: beyond any picture.
  private static let maximumByteCount = 4 << 30
  private static let pieceSize = 1 << 20

  /// - Throws: `unreadable`; `invalidParameter` for a terminal, at which nobody types a picture.
  init(_ path: String) throws(CinematicError) {
    try PipePath.checkInput(path)
    name = PipePath.inputName(path)
    descriptor =
      path == PipePath.standard
      ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .cannotRead(name, errno) }
    guard isatty(descriptor) == 0 else {
      throw CinematicError(
        .invalidParameter, "\(name) is a terminal, and pictures are wanted",
        remedy: "pipe them into the program, or name a file")
    }
  }

  deinit { close(descriptor) }

  /// Up to `count` bytes, as soon as there are some; none at the end.
  ///
  /// - Throws: `unreadable`, `cancelled`.
  func read(
    _ count: Int, until interruption: Interruption? = nil
  ) throws(CinematicError) -> [UInt8] {
    if !ahead.isEmpty {
      let taken = Array(ahead.prefix(count))
      ahead.removeFirst(taken.count)
      return taken
    }
    return try readNew(count, interruption)
  }

  /// The next bytes, which stay; fewer where the pipe ends.
  func peek(_ count: Int) throws(CinematicError) -> [UInt8] {
    while ahead.count < count {
      let more = try readNew(max(count - ahead.count, 4096), nil)
      if more.isEmpty { break }
      ahead += more
    }
    return Array(ahead.prefix(count))
  }

  /// Exactly `count` bytes, or those before the end.
  func take(_ count: Int) throws(CinematicError) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      let more = try read(min(count - bytes.count, Self.pieceSize))
      if more.isEmpty { break }
      bytes += more
    }
    return bytes
  }

  /// Everything up to the end.
  ///
  /// - Throws: `unsupported` for more than any picture has.
  func takeAll() throws(CinematicError) -> [UInt8] {
    var bytes: [UInt8] = []
    while true {
      let more = try read(Self.pieceSize)
      if more.isEmpty { return bytes }
      bytes += more
      guard bytes.count <= Self.maximumByteCount else {
        throw CinematicError(
          .unsupported, "\(name) does not end after \(Self.maximumByteCount) bytes",
          remedy: "send one picture, PNG pictures, Y4M or NUT")
      }
    }
  }

  private func readNew(
    _ count: Int, _ interruption: Interruption?
  ) throws(CinematicError) -> [UInt8] {
    // A writer that is at work sends nothing for a while; somebody may have stopped waiting.
    while let interruption {
      var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard !interruption.isOver else {
        throw CinematicError(.cancelled, "reading \(name) was cancelled")
      }
      if poll(&wait, 1, 100) > 0 { break }
    }
    var failure: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = 0
      while true {
        #if canImport(Glibc)
          let got = Glibc.read(descriptor, buffer.baseAddress, count)
        #elseif canImport(Musl)
          let got = Musl.read(descriptor, buffer.baseAddress, count)
        #else
          let got = Darwin.read(descriptor, buffer.baseAddress, count)
        #endif
        if got < 0, errno == EINTR { continue }
        if got < 0 { failure = errno }
        filled = max(got, 0)
        return
      }
    }
    guard failure == 0 else { throw .cannotRead(name, failure) }
    return bytes
  }
}
