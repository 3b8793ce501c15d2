// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Synchronization

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
  ///   - overwrite: whether an existing file is replaced.
  /// - Throws: `invalidParameter` for an ending or a pixel format that cannot be written,
  ///   `unwritable` for an existing file, a missing folder, a full disk.
  public static func write(
    _ buffer: PixelBuffer, to path: String, metadata: PictureMetadata = PictureMetadata(),
    quality: Int? = nil, overwrite: Bool = false,
    temporaryFiles: TemporaryFiles = .shared
  ) throws(CinematicError) {
    guard case .still(let kind) = try OutputFormat(path: path) else {
      throw CinematicError(
        .invalidParameter, "\(path) is not the name of one picture",
        remedy: "end it in \(StillKind.endings)")
    }
    let file = try OutputFile(path: path, overwrite: overwrite, registry: temporaryFiles)
    try StillEncoder.write(buffer, kind: kind, metadata: metadata, quality: quality, to: file)
    try file.publish()
  }
}

/// Writes picture files with consecutive numbers. They appear together, when all are whole.
// @unchecked Sendable: the mutable state is touched only inside `lock`.
public final class NumberedPictureWriter: @unchecked Sendable {
  private let pattern: NumberedPattern
  private let kind: StillKind
  private let metadata: PictureMetadata
  private let quality: Int?
  private let overwrite: Bool
  private let temporaryFiles: TemporaryFiles
  private let lock = Mutex(())
  private var number: Int
  private var files: [OutputFile] = []
  private var isFinished = false
  private var isCancelled = false

  /// - Throws: `unwritable` where the first file exists or its folder cannot be written.
  public init(
    _ pattern: NumberedPattern, kind: StillKind, firstNumber: Int = 0,
    metadata: PictureMetadata = PictureMetadata(), quality: Int? = nil, overwrite: Bool = false,
    temporaryFiles: TemporaryFiles = .shared
  ) throws(CinematicError) {
    self.pattern = pattern
    self.kind = kind
    self.metadata = metadata
    self.quality = quality
    self.overwrite = overwrite
    self.temporaryFiles = temporaryFiles
    number = max(0, firstNumber)
    // Says at once whether the folder can be written; the file goes with the local reference.
    _ = try OutputFile(path: pattern.path(number), overwrite: overwrite, registry: temporaryFiles)
  }

  /// Writes the next picture under a temporary name.
  public func append(_ buffer: PixelBuffer) throws(CinematicError) {
    try lock.withLock { _ throws(CinematicError) in
      guard !isFinished else {
        throw CinematicError(.invalidState, "\(pattern) is finished and takes no more pictures")
      }
      let file = try OutputFile(
        path: pattern.path(number), overwrite: overwrite, registry: temporaryFiles)
      try StillEncoder.write(buffer, kind: kind, metadata: metadata, quality: quality, to: file)
      files.append(file)
      number += 1
    }
  }

  /// Gives every picture its name.
  ///
  /// - Throws: `unwritable` where a name was taken in the meantime; then none of the files is left.
  public func finish() throws(CinematicError) {
    try lock.withLock { _ throws(CinematicError) in
      guard !isCancelled else {
        throw CinematicError(.cancelled, "writing \(pattern) was cancelled")
      }
      guard !isFinished else { return }
      isFinished = true
      guard !files.isEmpty else {
        throw CinematicError(.incomplete, "no frame was written to \(pattern)")
      }
      defer { files = [] }
      try OutputFile.publish(files)
    }
  }

  /// Removes everything that was written.
  public func cancel() {
    lock.withLock { _ in
      isCancelled = !isFinished
      isFinished = true
      files = []
    }
  }
}
