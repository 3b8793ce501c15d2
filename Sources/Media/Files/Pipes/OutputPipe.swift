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
    let outcome = DescriptorOutput.withoutSIGPIPE {
      DescriptorOutput.writeAll(bytes, to: descriptor)
    }
    guard outcome.number != EPIPE else {
      throw CinematicError(.pipeClosed, "nobody reads \(name) any more")
    }
    guard outcome.number == 0 else { throw OutputFile.failure(name, outcome.number) }
  }
}
