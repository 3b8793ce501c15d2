// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore

/// The state of a WebM writer at work. Goes away, and its file with it, as one.
final class WebMAssembly {
  private let path: String
  private let settings: WriterSettings
  private let file: OutputFile
  private let muxer: WebMMuxer
  private let pictures: VideoEncoder
  private let sound: SoundMix?
  private var pictureCount = 0
  private var end = Time.zero

  /// The treatment of the sound tracks.
  var writtenSound: [WrittenSound] { sound?.summaries ?? [] }

  init(_ path: String, _ given: WriterSettings) throws(CinematicError) {
    _ = FFmpeg.prepared
    var settings = given
    settings.codec = settings.codec.resolved(in: .webM)
    try OutputFile.check(path, overwrite: settings.overwrite)
    try settings.checkForMovie(path)
    try settings.codec.check(.webM, of: path)
    try settings.checkIsUpright(path)
    self.path = path
    self.settings = settings
    pictures = try VideoEncoder(settings, path: path)
    sound = try settings.sound.map { [settings] sound throws(CinematicError) in
      try SoundMix(sound, in: .webM, timelineStart: settings.timelineStart, path: path)
    }
    file = try OutputFile(
      path: path, overwrite: settings.overwrite, registry: settings.temporaryFiles)
    muxer = try WebMMuxer(try FileSink(file), path: path)
    try muxer.addPictures(pictures, settings)
    for stream in sound?.streams ?? [] {
      try muxer.addSound(stream.parameters, stream.track, stream.labels)
    }
    try muxer.begin(settings.companions, zero: settings.timelineStart)
  }

  func append(_ buffer: PixelBuffer, time: Time, duration: Time) throws(CinematicError) {
    try settings.check(buffer, of: path)
    let start = time - settings.timelineStart
    let ticks = start.converted(to: settings.timescale).value
    guard ticks >= 0 else {
      throw CinematicError(
        .invalidParameter, "a frame of \(path) at \(time) s comes before the movie's start",
        remedy: "let the timeline start at the first frame")
    }
    let shown = start + max(duration, .zero)
    end = max(end, shown)
    let length = max(1, shown.converted(to: settings.timescale).value - ticks)
    try pictures.encode(buffer, ticks: ticks, duration: length) { sample throws(CinematicError) in
      try self.muxer.append(sample, to: 0)
    }
    pictureCount += 1
    try sound?.write(until: start) { sample, number throws(CinematicError) in
      try self.muxer.append(sample, to: 1 + number)
    }
  }

  /// Removes what was written.
  func discard() { file.discard() }

  /// Writes what is left.
  ///
  /// - Returns: the whole file, whose name is still to be given.
  func complete() throws(CinematicError) -> OutputFile {
    guard pictureCount > 0 else {
      throw CinematicError(.incomplete, "no frame was written to \(path)")
    }
    try pictures.finish { sample throws(CinematicError) in try self.muxer.append(sample, to: 0) }
    try sound?.finish(picturesEnd: end) { sample, number throws(CinematicError) in
      try self.muxer.append(sample, to: 1 + number)
    }
    try muxer.finish(length: end)
    return file
  }
}
