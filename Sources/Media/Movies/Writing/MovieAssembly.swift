// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore

/// The state of a movie writer at work. Goes away, and its file with it, as one.
final class MovieAssembly {
  private let path: String
  private let settings: MovieWriter.Settings
  private let file: OutputFile
  private let sink: FileSink
  private var muxer: MovieMuxer
  private let timescale: Int32
  private let timelineStart: Time

  private let pictures: VideoEncoder?
  private var copied: CodedPictureCopier?
  private let sound: SoundMix?
  private var companions: CompanionTracks
  /// The number of the first track of those.
  private let companionTrack: Int
  private let rendering: RenderingTracks?
  private let videoTrack: Int
  /// The numbers of the tracks of sound.
  private let soundTracks: [Int]
  private var pictureCount = 0
  private var end = Time.zero

  /// The treatment of the sound tracks.
  var writtenSound: [WrittenSound] { sound?.summaries ?? [] }

  init(
    _ path: String, _ format: MovieFormat, _ settings: MovieWriter.Settings
  ) throws(CinematicError) {
    _ = FFmpeg.prepared
    self.path = path
    self.settings = settings
    try OutputFile.check(path, overwrite: settings.overwrite)
    let isCinematic = settings.disparity != nil
    var muxing = MovieMuxer.Settings()
    muxing.format = format
    let grows = isCinematic || settings.isRecording
    muxing.layout = grows ? .growing : .indexFirst
    muxing.fragmentSeconds = settings.fragmentSeconds
    try muxing.validate()
    if !grows { muxing.fragmentSeconds = 0.5 }
    var video: TrackSettings
    let frameDuration: Time
    switch settings.video {
    case .copied(let clip):
      pictures = nil
      copied = CodedPictureCopier(clip)
      (timescale, timelineStart) = (clip.timescale, .zero)
      frameDuration = clip.timeRange(ofFrame: 0).duration
      video = clip.track
    case .encoded(var target):
      try target.checkForMovie(path)
      try target.codec.check(format == .mp4 ? .mp4 : .mov, of: path)
      if isCinematic, target.codec == .automatic { target.codec = .hevc }
      let encoder = try VideoEncoder(target, path: path)
      pictures = encoder
      copied = nil
      (timescale, timelineStart) = (target.timescale, target.timelineStart)
      frameDuration = target.nominalFrameDuration
      video = encoder.track(target, in: format)
    }
    let labels = settings.companions.pictureLabels
    // Copied tracks have theirs.
    video.extraBoxes =
      video.extraBoxes.isEmpty
      ? settings.companions.pictureDescriptions(in: format) : labels.added(to: video.extraBoxes)
    if let name = labels.name { video.name = name }
    video.extendedLanguage = video.extendedLanguage ?? labels.extendedLanguage
    if video.language == "und", let code = settings.companions.pictureLanguageCode {
      video.language = code
    }
    let container = SoundContainer(format: format, isForApple: isCinematic)
    let (timescale, timelineStart) = (timescale, timelineStart)
    sound = try settings.sound.map { sound throws(CinematicError) in
      try SoundMix(sound, in: container, timelineStart: timelineStart, path: path)
    }
    let disparity = try settings.disparity.map {
      (disparity) throws(CinematicError) -> DisparityEncoder in
      try PixelBuffer.check(disparity.dimensions)
      return try DisparityEncoder(
        disparity.coding, dimensions: disparity.dimensions, timescale: timescale,
        frameDuration: frameDuration, path: path)
    }
    muxing.extraBoxes = settings.companions.descriptions(in: format)
    muxing.fileBoxes = settings.companions.fileBoxes
    muxing.creationTime = settings.companions.creationTime
    companions = CompanionTracks(
      settings.companions, timelineStart: timelineStart, timescale: timescale,
      size: video.shownSize)
    companionTrack = 1 + (sound?.tracks.count ?? 0)
    video.references += companions.references.map { [companionTrack] in
      .init($0.type, to: companionTrack + $0.track)
    }
    // The pictures stand first, as players expect.
    let length = frameDuration * max(video.expectedCount, 0)
    let tracks =
      [video] + (sound?.tracks ?? []).map { $0.expecting(length) } + companions.tracks
    muxing.timescale = Self.movieTimescale(timescale, tracks)
    file = try OutputFile(
      path: path, overwrite: settings.overwrite, registry: settings.temporaryFiles,
      isRecording: settings.isRecording)
    sink = try FileSink(file)
    if settings.isRecording { sink.lock() }
    var muxer = MovieMuxer(muxing, sink: sink)
    let numbers = tracks.map { muxer.addTrack($0) }
    videoTrack = numbers[0]
    soundTracks = Array(numbers[1..<companionTrack])
    rendering = disparity.map { encoder in
      RenderingTracks(encoder, video: video, number: numbers[0], path: path) { track in
        muxer.addTrack(track)
      }
    }
    self.muxer = muxer
  }

  /// Ticks of edits: such that pictures begin exactly when they should, and sound as well or within
  /// half a sample.
  private static func movieTimescale(_ timescale: Int32, _ tracks: [TrackSettings]) -> Int32 {
    var result = timescale
    for track in tracks {
      let divisor = Time.greatestCommonDivisor(UInt64(result), UInt64(track.timescale))
      let common = Int64(result) / Int64(divisor) * Int64(track.timescale)
      if common <= 4_000_000 {
        result = Int32(common)
      } else if result < 48000 {
        result *= (48000 + result - 1) / result
      }
    }
    return result
  }

  // MARK: - Frames

  func append(
    video buffer: PixelBuffer, time: Time, duration: Time
  ) throws(CinematicError) {
    guard let pictures, case .encoded(let target) = settings.video else {
      throw CinematicError(
        .invalidState, "\(path) copies its pictures and takes no others")
    }
    try target.check(buffer, of: path)
    let (ticks, length) = try place(time, duration)
    try pictures.encode(buffer, ticks: ticks, duration: length) { sample throws(CinematicError) in
      try self.add(sample, self.videoTrack)
    }
    pictureCount += 1
    try copy(until: time - timelineStart)
  }

  func append(
    disparity map: PixelBuffer, time: Time, duration: Time
  ) throws(CinematicError) {
    let (ticks, length) = try place(time, duration)
    try cinematic().append(map, ticks: ticks, duration: length) {
      sample, track throws(CinematicError) in
      try self.add(sample, track)
    }
    try copy(until: time - timelineStart)
  }

  func append(
    focusDisparity: Float, fNumber: Float, time: Time, duration: Time
  ) throws(CinematicError) {
    let (ticks, length) = try place(time, duration)
    try cinematic().append(
      focusDisparity: focusDisparity, fNumber: fNumber, ticks: ticks, duration: length
    ) { sample, track throws(CinematicError) in
      try self.add(sample, track)
    }
  }

  func append(sound buffer: SoundBuffer) throws(CinematicError) {
    guard let sound else {
      throw CinematicError(
        .invalidState, "\(path) is written without sound", remedy: "say in the settings that it has"
      )
    }
    try sound.append(buffer, at: buffer.time - timelineStart) {
      sample, number throws(CinematicError) in
      try self.add(sample, self.soundTracks[number])
    }
  }

  private func cinematic() throws(CinematicError) -> RenderingTracks {
    guard let rendering else {
      throw CinematicError(
        .invalidState, "\(path) is written without disparity and rendering attributes",
        remedy: "say in the settings that it has disparity")
    }
    return rendering
  }

  /// Adds what is copied of pictures and sound up to a time of the movie.
  private func copy(until limit: Time) throws(CinematicError) {
    try copied?.copy(until: limit) { sample throws(CinematicError) in
      try self.add(sample, self.videoTrack)
    }
    try sound?.write(until: limit) { sample, number throws(CinematicError) in
      try self.add(sample, self.soundTracks[number])
    }
    try companions.write(until: limit) { [companionTrack] sample, number throws(CinematicError) in
      try self.add(sample, companionTrack + number)
    }
  }

  /// A frame's place on the movie's timeline, in ticks.
  private func place(_ time: Time, _ duration: Time) throws(CinematicError) -> (Int64, Int64) {
    let start = time - timelineStart
    let ticks = start.converted(to: timescale).value
    guard ticks >= 0 else {
      throw CinematicError(
        .invalidParameter, "a frame of \(path) at \(time) s comes before the movie's start",
        remedy: "let the timeline start at the first frame")
    }
    end = max(end, start + max(duration, .zero))
    let endTicks = (start + max(duration, .zero)).converted(to: timescale).value
    return (ticks, max(1, endTicks - ticks))
  }

  private func add(_ sample: MediaSample, _ track: Int) throws(CinematicError) {
    do throws(CinematicError) {
      try muxer.append(sample, to: track)
    } catch {
      throw error.naming(path)
    }
  }

  // MARK: - The end

  /// Removes what was written.
  func discard() { file.discard() }

  /// Writes what is left.
  ///
  /// - Returns: the whole file, whose name is still to be given.
  func complete(script: [UInt8]? = nil) throws(CinematicError) -> OutputFile {
    guard pictureCount > 0 || copied != nil, rendering?.hasFrame ?? true else {
      throw CinematicError(
        .incomplete,
        rendering == nil
          ? "no frame was written to \(path)" : "no whole frame was written to \(path)",
        remedy: rendering == nil
          ? nil : "append a picture, a disparity map and rendering attributes")
    }
    try pictures?.finish { sample throws(CinematicError) in
      try self.add(sample, self.videoTrack)
    }
    try rendering?.finish { sample, track throws(CinematicError) in try self.add(sample, track) }
    try copied?.copy(until: nil) { sample throws(CinematicError) in
      try self.add(sample, self.videoTrack)
    }
    try sound?.finish(picturesEnd: end) { sample, number throws(CinematicError) in
      try self.add(sample, self.soundTracks[number])
    }
    let soundEnd = soundTracks.map { muxer.end(of: $0) }.max() ?? .zero
    try companions.finish(picturesEnd: end, end: max(end, soundEnd)) {
      [companionTrack] sample, number throws(CinematicError) in
      try self.add(sample, companionTrack + number)
    }
    var replacement: (track: Int, data: [UInt8])?
    if let rendering, let script, let data = rendering.firstSample(with: script) {
      replacement = (rendering.metadataTrack, data)
    }
    do throws(CinematicError) {
      try muxer.finish(replacingFirstSampleOf: replacement)
    } catch {
      throw error.naming(path)
    }
    try sink.synchronize()
    return file
  }
}

extension TrackSettings {
  /// A track of sound that lasts about as long as the pictures.
  fileprivate func expecting(_ length: Time) -> TrackSettings {
    var track = self
    // Packets of most codings are longer than 800 samples.
    track.expectedCount = Int(length.ticks(timescale) / 800)
    return track
  }
}
