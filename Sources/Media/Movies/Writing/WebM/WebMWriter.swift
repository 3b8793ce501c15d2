// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Writes a film as WebM: VP9, with alpha beside its pictures, or AV1, and sound as Opus or Vorbis.
///
/// The file appears under its name when ``finish()`` returns; otherwise nothing of it is left. Its times are whole
/// milliseconds.
final class WebMWriter: Sendable {
  /// The sound tracks, in the order of the source.
  let sound: [WrittenSound]

  private let work: WriterWork<WebMAssembly>

  /// Opens the encoders and the file.
  ///
  /// - Throws: `invalidParameter` for settings that do not fit together, `unwritable` for an existing file or a folder
  ///   that cannot be written, `unsupported` for a turn, a missing encoder or sound that cannot be decoded.
  init(_ path: String, settings: WriterSettings) throws(CinematicError) {
    let work = try WebMAssembly(path, settings)
    sound = work.writtenSound
    self.work = WriterWork(work, path: path)
  }

  /// Adds a picture.
  ///
  /// - Parameters:
  ///   - time: when it appears; times increase. ``WriterSettings/timelineStart`` is subtracted.
  ///   - duration: how long it is shown; counts for the last frame.
  func append(_ buffer: PixelBuffer, time: Time, duration: Time) throws(CinematicError) {
    try work.use { work throws(CinematicError) in
      try work.append(buffer, time: time, duration: duration)
    }
  }

  /// Completes the file and gives it its name.
  ///
  /// - Throws: `incomplete` where no frame was appended, `unwritable`.
  func finish() throws(CinematicError) {
    try work.finish { work throws(CinematicError) in try work.complete().publish() }
  }

  /// Completes the file without giving it its name.
  ///
  /// - Throws: as ``finish()``.
  func completed() throws(CinematicError) -> OutputFile {
    try work.finish { work throws(CinematicError) in try work.complete() }
  }

  /// Gives up and removes what was written.
  func cancel() { work.cancel { $0.discard() } }
}
