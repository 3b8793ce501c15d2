// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore

/// Writes a movie: H.264 or HEVC in MP4 or QuickTime, with the frames' exact times, their colour tags,
/// the rotation, and sound, copied where it can be.
///
/// The movie appears under its name when ``finish()`` returns. Before that, after ``cancel()``, after
/// an error, or when the encoder goes away, nothing of it is left.
///
/// Takes `yuv420…` frames without a change of any code, and `rgba8` and `gray8` frames through the
/// tags' matrix into video range; alpha is not stored. Odd sizes grow by one row or column, see
/// ``encodedDimensions``.
public final class MovieEncoder: Sendable {
  /// The path as given.
  public let path: String
  /// The movie's size: the settings' size, made even (and at least 32 for HEVC).
  public let encodedDimensions: Dimensions

  private let settings: WriterSettings
  private let work: WriterWork<Work>

  /// Opens the encoder and the files.
  ///
  /// - Throws: `unwritable` for an existing file or a folder that cannot be written, `unsupported` for
  ///   sound that can be neither copied nor decoded, `invalidParameter` for an ending other than `.mp4` and
  ///   `.mov` or settings that do not fit together.
  public init(_ path: String, settings: WriterSettings) throws(CinematicError) {
    guard case .movie(let container) = try OutputFormat(path: path) else {
      throw CinematicError(
        .invalidParameter, "\(path) is not the name of a movie", remedy: "end it in .mp4 or .mov")
    }
    guard settings.timescale >= 1, settings.nominalFrameDuration > .zero else {
      throw CinematicError(
        .invalidParameter,
        "\(path) cannot have a timescale of \(settings.timescale) and frames of"
          + " \(settings.nominalFrameDuration) s", remedy: "give numbers above zero")
    }
    if let rate = settings.constantRateFactor, !(0...51).contains(rate) {
      throw CinematicError(
        .invalidParameter, "a constant rate factor of \(rate) is not between 0 and 51")
    }
    self.path = path
    self.settings = settings
    let work = try Work(path, container, settings)
    self.work = WriterWork(work, path: path)
    encodedDimensions = work.video.filler.encodedDimensions
  }

  /// Adds a frame.
  ///
  /// - Parameters:
  ///   - time: when it appears; times increase. ``WriterSettings/timelineStart`` is subtracted.
  ///   - duration: how long it is shown; counts for the last frame.
  public func append(
    _ buffer: PixelBuffer, time: Time, duration: Time
  ) throws(CinematicError) {
    try work.use { work throws(CinematicError) in
      guard buffer.dimensions == settings.dimensions, buffer.format == settings.pixelFormat else {
        throw CinematicError(
          .incompatible,
          "\(path) takes pictures of \(settings.dimensions) in \(settings.pixelFormat), not of"
            + " \(buffer.dimensions) in \(buffer.format)")
      }
      try work.append(buffer, time: time, duration: duration, settings)
    }
  }

  /// Completes the movie and gives it its name.
  public func finish() throws(CinematicError) {
    try work.finish { work throws(CinematicError) in
      try work.finish(settings)
    }
  }

  /// Gives up and removes what was written.
  public func cancel() {
    work.cancel()
  }
}

/// What a movie encoder holds while it works. Goes away, and its file with it, as one.
private final class Work {
  let video: VideoEncoder
  private let path: String
  private let file: OutputFile
  private let container: ContainerOutput
  private let sound: SoundOutput?
  private var frameCount = 0
  private var end = Time.zero

  init(
    _ path: String, _ kind: OutputFormat.Container, _ settings: WriterSettings
  ) throws(CinematicError) {
    _ = FFmpeg.prepared
    self.path = path
    try OutputFile.check(path, overwrite: settings.overwrite)
    video = try VideoEncoder(settings, path: path)
    let container = try ContainerOutput(kind, path: path)
    self.container = container
    try container.addVideo(
      video.context, timescale: settings.timescale, turn: settings.preferredTransform,
      hdrMetadata: settings.hdrMetadata)
    sound = try settings.sound.map { sound throws(CinematicError) in
      try SoundOutput(
        sound, container: container, timelineStart: settings.timelineStart, path: path)
    }
    file = try OutputFile(
      path: path, overwrite: settings.overwrite, registry: settings.temporaryFiles)
    try container.begin(file.temporaryPath)
  }

  func append(
    _ buffer: PixelBuffer, time: Time, duration: Time, _ settings: WriterSettings
  ) throws(CinematicError) {
    let start = time - settings.timelineStart
    let ticks = start.converted(to: settings.timescale).value
    guard ticks >= 0 else {
      throw CinematicError(
        .invalidParameter, "a frame of \(path) at \(time) s comes before the movie's start",
        remedy: "let the timeline start at the first frame")
    }
    end = start + max(duration, .zero)
    let endTicks = end.converted(to: settings.timescale).value
    let container = container
    try video.encode(buffer, ticks: ticks, duration: max(1, endTicks - ticks)) {
      packet throws(CinematicError) in
      try container.writeVideo(packet, timescale: settings.timescale)
    }
    frameCount += 1
    try sound?.write(until: start)
  }

  func finish(_ settings: WriterSettings) throws(CinematicError) {
    guard frameCount > 0 else {
      throw CinematicError(.incomplete, "no frame was written to \(path)")
    }
    let container = container
    try video.finish { packet throws(CinematicError) in
      try container.writeVideo(packet, timescale: settings.timescale)
    }
    try sound?.finish(picturesEnd: end)
    try container.end()
    try file.synchronize()
    try file.publish()
  }
}
