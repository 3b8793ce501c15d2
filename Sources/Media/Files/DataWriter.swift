// SPDX-License-Identifier: Apache-2.0

import FocalCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Writes a file of any bytes, such as a description beside a clip. It appears under its name whole or
/// not at all. Into a pipe (``PipePath``) bytes go at the end.
public final class DataWriter {
  private var file: OutputFile?
  /// Instead of a file.
  private var pipe: OutputPipe?
  /// The bytes that go into it.
  private var piped: [UInt8] = []
  /// Where bytes are appended; `nil` before the first of them.
  private var sink: FileSink?
  /// How many bytes stand before them.
  private var size: Int64 = 0

  /// - Parameter overwrite: whether an existing file is replaced.
  /// - Throws: `unwritable` for an existing file or a folder that cannot be written.
  public init(
    path: String, overwrite: Bool = false, temporaryFiles: TemporaryFiles = .shared
  ) throws(CinematicError) {
    if PipePath.isPipe(path) {
      pipe = try OutputPipe(path, isText: true)
    } else {
      file = try OutputFile(path: path, overwrite: overwrite, registry: temporaryFiles)
    }
  }

  /// Writes everything that the file is to hold, under a temporary name; what was written before is
  /// dropped.
  ///
  /// - Throws: `unwritable` for a full disk, say, `invalidState` after the end.
  public func write(_ bytes: [UInt8]) throws(CinematicError) {
    if pipe != nil {
      piped = bytes
      return
    }
    guard let file else { throw Self.ended }
    // A closure could not carry the error's type through.
    let result = bytes.withUnsafeBytes { bytes in
      Result { () throws(CinematicError) in try file.write(bytes) }
    }
    // Its buffered bytes belong to the file that is dropped.
    sink = nil
    try result.get()
    size = Int64(bytes.count)
  }

  /// Writes bytes behind what was written before, under a temporary name.
  ///
  /// - Throws: as ``write(_:)``.
  public func append(_ bytes: [UInt8]) throws(CinematicError) {
    if pipe != nil {
      piped += bytes
      return
    }
    guard let file else { throw Self.ended }
    if sink == nil { sink = try FileSink(file, position: size) }
    try sink?.write(bytes)
  }

  /// Gives the file its name.
  ///
  /// - Throws: `unwritable` where the name was taken in the meantime or the disk is full,
  ///   `invalidState` after the end.
  public func finish() throws(CinematicError) { try OutputFile.publish(completed()) }

  /// Completes the file, or writes all of it into the pipe.
  ///
  /// - Returns: the file, which is still to get its name; none of a pipe.
  /// - Throws: as ``finish()``.
  func completed() throws(CinematicError) -> [OutputFile] {
    if let pipe {
      let bytes = piped
      cancel()
      try bytes.withUnsafeBytes { bytes in
        Result { () throws(CinematicError) in try pipe.write(bytes) }
      }.get()
      return []
    }
    guard let file else { throw Self.ended }
    let appended = sink
    cancel()
    try appended?.synchronize()
    return [file]
  }

  /// Removes what was written and is not finished.
  public func cancel() {
    file = nil
    sink = nil
    pipe = nil
    piped = []
  }

  private static let ended = CinematicError(
    .invalidState, "the file is finished or cancelled, and takes no more bytes")
}

extension OutputFile {
  /// Writes the whole file, still under its temporary name.
  func write(_ bytes: UnsafeRawBufferPointer) throws(CinematicError) {
    let descriptor = open(temporaryPath, O_WRONLY | O_TRUNC | O_CLOEXEC)
    guard descriptor >= 0 else { throw Self.failure(path, errno) }
    let outcome = DescriptorOutput.writeAll(bytes, to: descriptor)
    guard outcome.number == 0 else {
      close(descriptor)
      throw Self.failure(path, outcome.number)
    }
    // Some file systems report a full disk only here.
    guard close(descriptor) == 0 else { throw Self.failure(path, errno) }
  }
}
