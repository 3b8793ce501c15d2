// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Writes frames into a pipe. Bytes sent stay sent: after an error the stream just ends.
final class StreamWriter: Sendable {
  private let work: WriterWork<StreamWork>

  /// - Throws: `unwritable`, `invalidParameter` for a terminal, and for settings out of their ranges, `unsupported` for a
  ///   missing encoder.
  init(
    _ path: String, _ format: StreamFormat, _ settings: WriterSettings
  ) throws(CinematicError) {
    let work = try StreamWork(path, format, settings)
    self.work = WriterWork(work, path: work.name)
  }

  /// - Throws: `invalidParameter` for a second picture where one is sent, `incompatible` for a film's frame of another size
  ///   or format than the settings say, `pipeClosed`, `unwritable`.
  func append(_ buffer: PixelBuffer, time: Time, duration: Time) throws(CinematicError) {
    try work.use(unless: \.refusal) { work throws(CinematicError) in
      try work.append(buffer, time: time, duration: duration)
    }
  }

  func finish() throws(CinematicError) {
    try work.finish { work throws(CinematicError) in try work.complete() }
  }

  func cancel() { work.cancel() }
}

/// A stream while it is sent. The pipe is closed when this goes away.
private final class StreamWork {
  /// In messages.
  let name: String
  private let format: StreamFormat
  private let settings: WriterSettings
  private let pipe: OutputPipe
  private let muxer: StreamMuxer?
  private var count = 0

  init(
    _ path: String, _ format: StreamFormat, _ settings: WriterSettings
  ) throws(CinematicError) {
    if format.stillKind != nil { try StillKind.check(quality: settings.pictureQuality) }
    self.format = format
    self.settings = settings
    pipe = try OutputPipe(path)
    name = pipe.name
    muxer = format.stillKind == nil ? try StreamMuxer(pipe, format, settings) : nil
  }

  /// The error of one more picture; `nil` where the stream takes it.
  var refusal: CinematicError? {
    guard count > 0, !format.holdsSeveral else { return nil }
    return CinematicError(
      .invalidParameter, "\(name) takes one \(format.name) picture, and there are more frames",
      remedy: "choose one frame, or send y4m, nut, png or jpeg")
  }

  func append(_ buffer: PixelBuffer, time: Time, duration: Time) throws(CinematicError) {
    if let kind = format.stillKind {
      let bytes = try StillEncoder.file(
        of: buffer, kind: kind,
        metadata: settings.storedMetadata(of: kind, isNumbered: format.holdsSeveral),
        quality: settings.pictureQuality, path: name)
      try bytes.withUnsafeBytes { bytes in
        Result { () throws(CinematicError) in try pipe.write(bytes) }
      }.get()
    } else {
      try muxer?.append(buffer, time: time - settings.timelineStart, duration: duration)
    }
    count += 1
  }

  func complete() throws(CinematicError) {
    guard count > 0 else {
      throw CinematicError(.incomplete, "no frame was written to \(name)")
    }
    try muxer?.finish()
  }
}
