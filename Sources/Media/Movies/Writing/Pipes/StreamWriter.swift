// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore
import Synchronization

/// Writes frames into a pipe. Bytes sent stay sent: after an error the stream just ends.
// @unchecked Sendable: the mutable state is touched only inside `lock`.
final class StreamWriter: @unchecked Sendable {
  private let lock = Mutex(())
  private let format: StreamFormat
  private let settings: WriterSettings
  private let name: String
  private var pipe: OutputPipe?
  private var muxer: StreamMuxer?
  private var count = 0

  /// - Throws: `unwritable`, `invalidParameter` for a terminal, and for settings out of their ranges, `unsupported` for a
  ///   missing encoder.
  init(
    _ path: String, _ format: StreamFormat, _ settings: WriterSettings
  ) throws(CinematicError) {
    if format.stillKind != nil { try StillKind.check(quality: settings.pictureQuality) }
    self.format = format
    self.settings = settings
    let pipe = try OutputPipe(path)
    self.pipe = pipe
    name = pipe.name
    if format.stillKind == nil { muxer = try StreamMuxer(pipe, format, settings) }
  }

  func append(_ buffer: PixelBuffer, time: Time, duration: Time) throws(CinematicError) {
    try lock.withLock { _ throws(CinematicError) in
      guard let pipe else {
        throw CinematicError(.invalidState, "\(name) is finished and takes no more frames")
      }
      guard count == 0 || format.holdsSeveral else {
        throw CinematicError(
          .invalidParameter, "\(name) takes one \(format.name) picture, and there are more frames",
          remedy: "choose one frame, or send y4m, nut, png or jpeg")
      }
      count += 1
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
    }
  }

  func finish() throws(CinematicError) {
    try lock.withLock { _ throws(CinematicError) in
      guard pipe != nil, count > 0 else {
        throw CinematicError(.incomplete, "no frame was written to \(name)")
      }
      try muxer?.finish()
      (muxer, pipe) = (nil, nil)
    }
  }

  func cancel() { lock.withLock { _ in (muxer, pipe) = (nil, nil) } }
}
