// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// One picture, under its name after ``finish()``.
final class StillWriter: Sendable {
  private let work: WriterWork<StillWork>

  /// - Throws: `invalidParameter` for a quality that there is not, `unwritable`.
  init(_ path: String, _ kind: StillKind, _ settings: WriterSettings) throws(CinematicError) {
    work = WriterWork(try StillWork(path, kind, settings), path: path)
  }

  /// - Throws: `invalidParameter` for a second picture, which leaves the first as it is, and what writing throws.
  func append(_ buffer: PixelBuffer) throws(CinematicError) {
    try work.use(unless: \.refusal) { work throws(CinematicError) in try work.append(buffer) }
  }

  func finish() throws(CinematicError) {
    try work.finish { work throws(CinematicError) in try work.complete().publish() }
  }

  /// The whole file, whose name is still to be given.
  func completed() throws(CinematicError) -> OutputFile {
    try work.finish { work throws(CinematicError) in try work.complete() }
  }

  func cancel() { work.cancel() }
}

/// A picture's file, until it is whole.
private final class StillWork {
  private let path: String
  private let kind: StillKind
  private let settings: WriterSettings
  private let file: OutputFile
  private var isWritten = false

  init(_ path: String, _ kind: StillKind, _ settings: WriterSettings) throws(CinematicError) {
    try StillKind.check(quality: settings.pictureQuality)
    self.path = path
    self.kind = kind
    self.settings = settings
    file = try OutputFile(
      path: path, overwrite: settings.overwrite, registry: settings.temporaryFiles)
  }

  /// The error of one more picture; `nil` before the first.
  var refusal: CinematicError? {
    guard isWritten else { return nil }
    return CinematicError(
      .invalidParameter, "\(path) holds one picture, and there are more frames",
      remedy: "choose one frame, or name a movie or a pattern such as frames/%04d.png")
  }

  func append(_ buffer: PixelBuffer) throws(CinematicError) {
    try StillEncoder.write(
      buffer, kind: kind, metadata: settings.storedMetadata(of: kind, isNumbered: false),
      quality: settings.pictureQuality, to: file)
    isWritten = true
  }

  func complete() throws(CinematicError) -> OutputFile {
    guard isWritten else {
      throw CinematicError(.incomplete, "no frame was written to \(path)")
    }
    return file
  }
}
