// SPDX-License-Identifier: Apache-2.0

import FocalCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The writing end of a pipe: bytes go out in order, and stay out.
final class OutputPipe {
  /// In messages.
  let name: String
  private let descriptor: Int32

  /// - Parameter isText: whether people can read what is written.
  /// - Throws: `unwritable`; `invalidParameter` for a terminal, which shows no pictures.
  init(_ path: String, isText: Bool = false) throws(CinematicError) {
    try PipePath.checkOutput(path)
    name = PipePath.outputName(path)
    descriptor =
      path == PipePath.standard
      ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0) : open(path, O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw OutputFile.failure(name, errno) }
    guard isText || isatty(descriptor) == 0 else {
      throw CinematicError(
        .invalidParameter, "\(name) is a terminal, and pictures are no text",
        remedy: "pipe it into a program, as in … -o - | ffplay -, or name a file")
    }
  }

  deinit { close(descriptor) }

  /// - Throws: `pipeClosed` where the reader is gone, `unwritable`.
  func write(_ bytes: UnsafeRawBufferPointer) throws(CinematicError) {
    // A reader that leaves is an error of this call, not the program's end.
    var (blocked, before) = (sigset_t(), sigset_t())
    sigemptyset(&blocked)
    sigaddset(&blocked, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &blocked, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let part = UnsafeRawBufferPointer(rebasing: rest)
      #if canImport(Glibc)
        let done = Glibc.write(descriptor, part.baseAddress, part.count)
      #elseif canImport(Musl)
        let done = Musl.write(descriptor, part.baseAddress, part.count)
      #else
        let done = Darwin.write(descriptor, part.baseAddress, part.count)
      #endif
      if done < 0, errno == EINTR { continue }
      if done < 0, errno == EPIPE {
        #if !canImport(Darwin)
          // The signal waits for this thread; it is taken before it is let through again.
          var atOnce = timespec()
          sigtimedwait(&blocked, nil, &atOnce)
        #endif
        throw CinematicError(.pipeClosed, "nobody reads \(name) any more")
      }
      guard done > 0 else { throw OutputFile.failure(name, errno) }
      rest = rest.dropFirst(done)
    }
  }
}
