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

/// Writes one picture: PNG and TIFF (8 bits for `rgba8` and `gray8`, 16 for the deeper formats, which
/// store the values as they are), JPEG (8 bits), HEIC (8 bits, or 10), AVIF (8 or 12), PFM (32-bit floats) and
/// OpenEXR (floats, or halves for half formats).
///
/// The file appears under its name whole or not at all.
public enum PictureWriter {
  /// - Parameters:
  ///   - path: the ending chooses the kind of file.
  ///   - metadata: what the file says beside its pixels.
  ///   - quality: 1 to 100, for JPEG (by default 92), HEIC and AVIF (90).
  ///   - stream: what is written where the path is a pipe.
  ///   - overwrite: whether an existing file is replaced.
  /// - Throws: `invalidParameter` for an ending, a pixel format or a quality that cannot be written,
  ///   `unwritable` for an existing file, a missing folder, a full disk.
  public static func write(
    _ buffer: PixelBuffer, to path: String, metadata: PictureMetadata = PictureMetadata(),
    quality: Int? = nil, stream: StreamFormat? = nil, overwrite: Bool = false,
    temporaryFiles: TemporaryFiles = .shared
  ) throws(CinematicError) {
    let format = try OutputFormat(path: path, stream: stream)
    if case .stream(.pictures(let kind)) = format {
      let pipe = try OutputPipe(path)
      let bytes = try StillEncoder.file(
        of: buffer, kind: kind, metadata: metadata, quality: quality, path: pipe.name)
      try bytes.withUnsafeBytes { bytes in
        Result { () throws(CinematicError) in try pipe.write(bytes) }
      }.get()
      return
    }
    guard case .still(let kind) = format else {
      throw CinematicError(
        .invalidParameter, "\(path) is not the name of one picture",
        remedy: "end it in \(StillKind.endings)")
    }
    let file = try OutputFile(path: path, overwrite: overwrite, registry: temporaryFiles)
    try StillEncoder.write(buffer, kind: kind, metadata: metadata, quality: quality, to: file)
    try file.publish()
  }

  /// The bytes that a picture's file would have.
  ///
  /// - Parameter quality: as in ``write(_:to:metadata:quality:stream:overwrite:temporaryFiles:)``.
  /// - Throws: `invalidParameter` for a pixel format that the kind of file cannot hold, and for a quality that there is
  ///   not.
  public static func bytes(
    of buffer: PixelBuffer, kind: StillKind, quality: Int? = nil
  ) throws(CinematicError) -> [UInt8] {
    try StillEncoder.file(
      of: buffer, kind: kind, metadata: PictureMetadata(), quality: quality,
      path: "the picture")
  }
}

/// Writes numbered picture files. Each appears under its name when it is whole, and stays, or all of them at the end or when
/// the caller says so.
public final class NumberedPictureWriter: Sendable {
  private struct State {
    /// Of the next picture, if it is not said.
    var next = 0
    var count = 0
    var phase = WriterPhase()
    /// Whether pictures wait for their names.
    var publishesTogether = false
    /// Those that get their names together, by their numbers.
    var waiting: [Int: OutputFile] = [:]

    /// - Returns: those that get their names together, by their numbers; they wait no longer.
    mutating func takeWaiting() -> [OutputFile] {
      // What gets no name goes with its reference.
      defer { waiting = [:] }
      return waiting.sorted { $0.key < $1.key }.map(\.value)
    }

    mutating func add(_ number: Int) {
      next = number + 1
      count += 1
    }

    /// Takes no more pictures.
    ///
    /// - Returns: the files that get their names together, by their numbers; none, if they have them.
    /// - Throws: as ``NumberedPictureWriter/finish()``.
    mutating func complete(_ pattern: NumberedPattern) throws(CinematicError) -> [OutputFile] {
      try phase.check("\(pattern)")
      guard count > 0 else {
        let error = CinematicError(.incomplete, "no frame was written to \(pattern)")
        phase.fail(error)
        throw error
      }
      phase.finish()
      return takeWaiting()
    }
  }

  private let pattern: NumberedPattern
  private let kind: StillKind
  private let metadata: PictureMetadata
  private let quality: Int?
  private let overwrite: Bool
  private let temporaryFiles: TemporaryFiles
  private let state: Mutex<State>

  /// - Parameters:
  ///   - quality: 1 to 100, for JPEG (by default 92), HEIC and AVIF (90).
  ///   - overwrite: whether existing files are replaced.
  ///   - publishesTogether: see ``WriterSettings/publishesTogether``.
  /// - Throws: `invalidParameter` for another quality, `unwritable` where the folder cannot be written.
  public init(
    _ pattern: NumberedPattern, kind: StillKind, metadata: PictureMetadata = PictureMetadata(),
    quality: Int? = nil, overwrite: Bool = false, publishesTogether: Bool = false,
    temporaryFiles: TemporaryFiles = .shared
  ) throws(CinematicError) {
    try StillKind.check(quality: quality)
    self.pattern = pattern
    self.kind = kind
    self.metadata = metadata
    self.quality = quality
    self.overwrite = overwrite
    state = Mutex(State(publishesTogether: publishesTogether))
    self.temporaryFiles = temporaryFiles
    // Says at once whether the folder can be written; the file goes with the local reference.
    _ = try OutputFile(path: pattern.path(0), overwrite: true, registry: temporaryFiles)
  }

  /// Writes a picture.
  ///
  /// - Parameters:
  ///   - number: from 0 to below `Int.max`; by default one more than the last one's, from 0.
  ///   - metadata: what the file says beside its pixels; by default what the writer was given.
  /// - Throws: `invalidParameter` for another number, `unwritable` for a name that is taken, and what writing throws:
  ///   nothing half-written bears the name, and other pictures can follow. `cancelled` after ``cancel()``, `invalidState` once
  ///   the pictures are ended.
  public func append(
    _ buffer: PixelBuffer, number: Int? = nil, metadata: PictureMetadata? = nil
  ) throws(CinematicError) {
    let number = try state.withLock { state throws(CinematicError) in
      try state.phase.check("\(pattern)")
      return number ?? state.next
    }
    // The one behind it has a number, too.
    guard (0..<Int.max).contains(number) else {
      throw CinematicError(
        .invalidParameter, "\(pattern) has no picture of the number \(number)",
        remedy: "number pictures from 0")
    }
    let file = try OutputFile(
      path: pattern.path(number), overwrite: overwrite, registry: temporaryFiles)
    var metadata = metadata ?? self.metadata
    metadata.keepsAlpha = self.metadata.keepsAlpha
    try StillEncoder.write(buffer, kind: kind, metadata: metadata, quality: quality, to: file)
    if state.withLock({ $0.publishesTogether }) {
      try file.settle()
      if try holdBack(file, number) { return }
    }
    try file.publish()
    state.withLock { $0.add(number) }
  }

  /// Lets a whole picture wait for its name.
  ///
  /// - Returns: whether it waits; if not, those before it have theirs.
  private func holdBack(_ file: OutputFile, _ number: Int) throws(CinematicError) -> Bool {
    try state.withLock { state throws(CinematicError) -> Bool in
      try state.phase.check("\(pattern)")
      guard state.publishesTogether else { return false }
      guard overwrite || state.waiting[number] == nil else {
        throw OutputFile.failure(file.path, EEXIST)
      }
      state.waiting[number] = file
      state.add(number)
      return true
    }
  }

  /// The file, where one picture is all that was written; else `nil`.
  var onlyPath: String? {
    state.withLock { $0.count == 1 ? pattern.path($0.next - 1) : nil }
  }

  /// Gives the pictures that wait for their names theirs. Later ones get them as soon as they are whole.
  ///
  /// - Throws: `unwritable` where one finds its name taken: none gets one.
  public func publishWaiting() throws(CinematicError) {
    let files = state.withLock { state -> [OutputFile] in
      state.publishesTogether = false
      return state.takeWaiting()
    }
    try OutputFile.publish(files)
  }

  /// Ends the pictures.
  ///
  /// - Throws: `incomplete` if there is none, `cancelled` after ``cancel()``, `invalidState` where they are ended already;
  ///   `unwritable` where those that get their names together find one taken, and get none.
  public func finish() throws(CinematicError) {
    try state.withLock { state throws(CinematicError) in
      let files = try state.complete(pattern)
      do throws(CinematicError) {
        try OutputFile.publish(files)
      } catch {
        state.phase.fail(error)
        throw error
      }
    }
  }

  /// Ends the pictures without giving names to those that get them together.
  ///
  /// - Throws: as ``finish()``.
  func completed() throws(CinematicError) -> [OutputFile] {
    try state.withLock { state throws(CinematicError) -> [OutputFile] in
      try state.complete(pattern)
    }
  }

  /// Takes no more pictures. Those that have their names stay.
  public func cancel() {
    state.withLock { state in
      state.phase.cancel("\(pattern)")
      state.waiting = [:]
    }
  }
}
