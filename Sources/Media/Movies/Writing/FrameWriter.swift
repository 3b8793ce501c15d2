// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Writes frames to whatever the output's name asks for: one picture, numbered pictures, or a movie.
///
/// WebM (VP9, with alpha beside its pictures, or AV1; sound as Opus or Vorbis) has times of whole milliseconds: frames
/// that are nearer are the error `unsupported`. Only `.mov` and `.mp4` say that pictures are to be shown turned
/// (``WriterSettings/preferredTransform``): for other outputs it is the error `unsupported`.
///
/// ```swift
/// let writer = try FrameWriter.create("out.mp4", settings: settings)
/// for … { try writer.append(buffer, time: frame.time, duration: frame.duration) }
/// try writer.finish()
/// ```
///
/// Nothing bears the name of a picture or a movie before ``finish()``, and nothing is left behind without
/// it. Numbered pictures bear their names one by one, each when it is whole, and stay, but for
/// ``WriterSettings/publishesTogether``.
public final class FrameWriter: Sendable {
  private enum Target: Sendable {
    case still(StillWriter)
    case numbered(NumberedPictureWriter)
    case movie(MovieWriter)
    case webM(WebMWriter)
    case stream(StreamWriter)
  }

  /// The path as given.
  public let path: String
  public let format: OutputFormat
  private let target: Target

  /// - Throws: `invalidParameter` for an ending that cannot be written, and for settings out of their ranges,
  ///   `unwritable` for an existing file or a folder that cannot be written, `unsupported` for a missing encoder, sound that
  ///   the container cannot hold, or a turn that the output cannot say.
  public static func create(
    _ path: String, settings: WriterSettings
  ) throws(CinematicError) -> FrameWriter {
    try FrameWriter(path, settings)
  }

  private init(_ path: String, _ settings: WriterSettings) throws(CinematicError) {
    self.path = path
    format = try OutputFormat(path: path, stream: settings.stream)
    switch format {
    case .still, .numbered, .stream: try settings.checkIsUpright(PipePath.outputName(path))
    case .movie: break
    }
    switch format {
    case .still(let kind):
      target = .still(try StillWriter(path, kind, settings))
    case .numbered(let pattern, let kind):
      target = .numbered(
        try NumberedPictureWriter(
          pattern, kind: kind,
          metadata: settings.storedMetadata(of: kind, isNumbered: true).shared,
          quality: settings.pictureQuality, overwrite: settings.overwrite,
          publishesTogether: settings.publishesTogether, temporaryFiles: settings.temporaryFiles))
    case .movie(.webM):
      target = .webM(try WebMWriter(path, settings: settings))
    case .movie:
      target = .movie(try MovieWriter(path, settings: settings))
    case .stream(let stream):
      target = .stream(try StreamWriter(path, stream, settings))
    }
  }

  /// Adds a frame. A still takes exactly one.
  ///
  /// - Parameters:
  ///   - fileNumber: of numbered pictures, from 0 to below `Int.max`; by default one more than the last, from 0.
  ///   - metadata: what the file of a numbered picture says; by default what all have in common.
  /// - Throws: `invalidParameter` for a second picture of a still, and for a number out of its range, `incompatible` for a
  ///   film's frame of another size or format than the settings say, `unwritable`; what ended the output before, `cancelled`
  ///   after ``cancel()``, `invalidState` once it is finished.
  public func append(
    _ buffer: PixelBuffer, time: Time, duration: Time, fileNumber: Int? = nil,
    metadata: PictureMetadata? = nil
  ) throws(CinematicError) {
    switch target {
    case .still(let writer): try writer.append(buffer)
    case .numbered(let writer):
      try writer.append(buffer, number: fileNumber, metadata: metadata)
    case .movie(let writer): try writer.append(video: buffer, time: time, duration: duration)
    case .webM(let writer): try writer.append(buffer, time: time, duration: duration)
    case .stream(let writer): try writer.append(buffer, time: time, duration: duration)
    }
  }

  /// Gives numbered pictures that wait for their names (``WriterSettings/publishesTogether``) theirs. Later ones get them as
  /// soon as they are whole. Other outputs have none before ``finish()``.
  ///
  /// - Throws: `unwritable` where one finds its name taken: none gets one.
  public func publishWaiting() throws(CinematicError) {
    if case .numbered(let writer) = target { try writer.publishWaiting() }
  }

  /// The output by its name; the file where one numbered picture is all that was written.
  public var writtenPath: String {
    if case .numbered(let writer) = target, let file = writer.onlyPath { return file }
    return path
  }

  /// The written form of a film's tracks of sound, in their order, and behind them those that are left out; none for other
  /// outputs.
  public var writtenSound: [WrittenSound] {
    switch target {
    case .movie(let writer): writer.sound
    case .webM(let writer): writer.sound
    case .still, .numbered, .stream: []
    }
  }

  /// Completes the output and gives it its name.
  ///
  /// - Throws: `incomplete` where no frame was appended, `unwritable`, also for a name that is taken, and what encoding
  ///   throws; what ended the output before, `cancelled` after ``cancel()``, `invalidState` where it is finished already.
  public func finish() throws(CinematicError) {
    switch target {
    case .still(let writer): try writer.finish()
    case .numbered(let writer): try writer.finish()
    case .movie(let writer): try writer.finish()
    case .webM(let writer): try writer.finish()
    case .stream(let writer): try writer.finish()
    }
  }

  /// Completes several outputs, and gives their files their names when the last one is whole: none of them, if one cannot be
  /// completed or finds its name taken. Where a name cannot be given all the same, files that replaced others keep theirs.
  /// Numbered pictures have theirs, but for ``WriterSettings/publishesTogether``, and what went into a pipe stays there.
  ///
  /// - Parameter others: files of other bytes that get their names with them.
  /// - Precondition: all have the same ``WriterSettings/temporaryFiles``.
  /// - Throws: as ``finish()``; the outputs behind one that fails are not completed.
  public static func finish(
    _ writers: [FrameWriter], with others: [DataWriter] = []
  ) throws(CinematicError) {
    var files: [OutputFile] = []
    for writer in writers { files += try writer.completed() }
    for other in others { files += try other.completed() }
    try OutputFile.publish(files)
  }

  /// Completes the output.
  ///
  /// - Returns: the files that are still to get their names.
  private func completed() throws(CinematicError) -> [OutputFile] {
    switch target {
    case .still(let writer): return [try writer.completed()]
    case .numbered(let writer): return try writer.completed()
    case .movie(let writer): return [try writer.completed()]
    case .webM(let writer): return [try writer.completed()]
    case .stream(let writer):
      try writer.finish()
      return []
    }
  }

  /// Gives up and removes what is not whole.
  public func cancel() {
    switch target {
    case .still(let writer): writer.cancel()
    case .numbered(let writer): writer.cancel()
    case .movie(let writer): writer.cancel()
    case .webM(let writer): writer.cancel()
    case .stream(let writer): writer.cancel()
    }
  }
}
