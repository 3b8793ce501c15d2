// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore

/// What a movie writer holds while it works. Goes away, and its file with it, as one.
final class MovieWork {
  private let path: String
  private let settings: MovieWriter.Settings
  private let file: OutputFile
  private let sink: FileSink
  private var muxer: MovieMuxer
  private let timescale: Int32
  private let timelineStart: Time

  private var pump: PacketPump?
  /// What becomes of the source's sound.
  let sound: [MovieWriter.SoundTrack]
  private let encoder: VideoEncoder?
  private let configuration: DecoderConfiguration?
  private let disparity: DisparityEncoder
  private let videoTrack: Int
  private let disparityTrack: Int
  private let metadataTrack: Int
  /// The metadata of the first frame, to which the script is added.
  private var firstMetadata: (focusDisparity: Float, fNumber: Float)?
  private var mapCount = 0
  private var pictureCount = 0
  /// How long each picture lasts that the encoder has not given back yet, by its time.
  private var pictureDurations: [Int64: Int64] = [:]
  private var end = Time.zero

  init(_ path: String, _ settings: MovieWriter.Settings) throws(CinematicError) {
    _ = FFmpeg.prepared
    self.path = path
    self.settings = settings
    try OutputFile.check(path, overwrite: settings.overwrite)
    var setup = try Setup(path, settings)
    (timescale, timelineStart) = (setup.timescale, setup.timelineStart)
    (encoder, configuration, disparity) = (setup.encoder, setup.configuration, setup.disparity)
    file = try OutputFile(
      path: path, overwrite: settings.overwrite, registry: settings.temporaryFiles)
    sink = try FileSink(file)
    // The pictures stand first, as players expect.
    var videoTrack = 0
    switch settings.video {
    case .copied(let clip):
      pump = try PacketPump(path: clip.path, clip: clip, sound: settings.copiesSound) { track in
        setup.tracks.append(track)
        return setup.tracks.count - 1
      }
      videoTrack = setup.tracks.firstIndex { $0.handler == "vide" } ?? 0
    case .encoded(let video):
      setup.tracks.append(try Self.videoTrack(video, setup))
      switch video.sound {
      case nil: break
      case .file(let file, _):
        pump = try PacketPump(
          path: file, clip: nil, sound: true, timelineStart: video.timelineStart
        ) { track in
          setup.tracks.append(track)
          return setup.tracks.count - 1
        }
      case .tracks:
        throw CinematicError(
          .unsupported, "\(path) takes the sound of one file only",
          remedy: "write the sound to a movie of its own first, and name that")
      }
    }
    sound = pump?.sound ?? []
    setup.muxer.timescale = Self.movieTimescale(timescale, setup.tracks)
    var muxer = MovieMuxer(setup.muxer, sink: sink)
    for track in setup.tracks { _ = muxer.addTrack(track) }
    let video = setup.tracks[videoTrack]
    var aux = TrackSettings(
      handler: "auxv", name: "Disparity", timescale: timescale,
      sampleEntry: setup.disparity.sampleEntry)
    let size = settings.disparityDimensions
    aux.shownSize = (Double(size.width), Double(size.height))
    if let turn = video.matrix.quarterTurn {
      aux.matrix = TransformMatrix(
        turn, width: Double(size.width), height: Double(size.height))
    }
    aux.references = [.init("auxl", to: videoTrack)]
    aux.metadata = settings.disparityCoding.metadata
    disparityTrack = muxer.addTrack(aux)
    var metadata = TrackSettings(
      handler: "meta", name: "Cinematic Metadata", timescale: timescale,
      sampleEntry: TimedMetadata.sampleEntry(CinematicMetadata.keys))
    metadata.references = [.init("cdsc", to: videoTrack)]
    metadataTrack = muxer.addTrack(metadata)
    self.videoTrack = videoTrack
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

  private static func videoTrack(
    _ video: WriterSettings, _ setup: Setup
  ) throws(CinematicError) -> TrackSettings {
    guard let encoder = setup.encoder, let configuration = setup.configuration else {
      throw CinematicError(.unknown, "the pictures have no encoder")
    }
    let codes = video.storedColorCodes
    let isFull = video.pixelFormat == .yuv420Full8 || video.pixelFormat == .yuv420Full10
    var extensions = [
      configuration.box,
      SampleEntry.ColorDescription(
        primaries: UInt16(truncatingIfNeeded: codes.primaries),
        transfer: UInt16(truncatingIfNeeded: codes.transfer),
        matrix: UInt16(truncatingIfNeeded: codes.matrix), isFullRange: isFull
      ).box,
    ]
    extensions += video.hdrMetadata.boxes
    let coded = encoder.filler.encodedDimensions
    if coded != video.dimensions {
      extensions.append(SampleEntry.cleanAperture(of: coded, shown: video.dimensions))
    }
    var width = Double(video.dimensions.width)
    let aspect = video.pixelAspectRatio
    if aspect != .square, aspect.horizontal > 0, aspect.vertical > 0 {
      extensions.append(
        SampleEntry.pixelAspect(UInt32(aspect.horizontal), UInt32(aspect.vertical)))
      width = width * Double(aspect.horizontal) / Double(aspect.vertical)
    }
    var track = TrackSettings(
      handler: "vide", name: "Video", timescale: setup.timescale,
      sampleEntry: SampleEntry.visual(
        configuration.format, dimensions: coded,
        name: configuration.codec == .hevc ? "HEVC" : "H.264", extensions: extensions))
    track.shownSize = (width, Double(video.dimensions.height))
    track.matrix = TransformMatrix(
      video.preferredTransform, width: width, height: Double(video.dimensions.height))
    return track
  }

  // MARK: - Frames

  func append(
    video buffer: PixelBuffer, time: Time, duration: Time
  ) throws(CinematicError) {
    guard let encoder, case .encoded(let video) = settings.video else {
      throw CinematicError(
        .invalidState, "\(path) copies its pictures and takes no others")
    }
    guard buffer.dimensions == video.dimensions, buffer.format == video.pixelFormat else {
      throw CinematicError(
        .incompatible,
        "\(path) takes pictures of \(video.dimensions) in \(video.pixelFormat), not of"
          + " \(buffer.dimensions) in \(buffer.format)")
    }
    let (ticks, length) = try place(time, duration)
    pictureDurations[ticks] = length
    try encoder.encode(buffer, ticks: ticks, duration: length) { packet throws(CinematicError) in
      try self.write(packet)
    }
    pictureCount += 1
  }

  private func write(_ packet: UnsafeMutablePointer<AVPacket>) throws(CinematicError) {
    guard let configuration else { return }
    let bytes = [UInt8](
      UnsafeBufferPointer(start: packet.pointee.data, count: Int(packet.pointee.size)))
    let data = try configuration.sample(fromStartCodes: bytes[...])
    try add(
      MediaSample(
        data: data, decodeTime: packet.pointee.dts, presentationTime: packet.pointee.pts,
        duration: pictureDurations.removeValue(forKey: packet.pointee.pts)
          ?? packet.pointee.duration, isSync: packet.pointee.flags & AV_PKT_FLAG_KEY != 0),
      videoTrack)
  }

  func append(
    disparity map: PixelBuffer, time: Time, duration: Time
  ) throws(CinematicError) {
    guard map.format.isDisparity, map.dimensions == settings.disparityDimensions else {
      throw CinematicError(
        .incompatible,
        "\(path) takes disparity maps of \(settings.disparityDimensions), not pictures of"
          + " \(map.dimensions) in \(map.format)")
    }
    let (ticks, length) = try place(time, duration)
    try disparity.encode(map, ticks: ticks, duration: length) { sample throws(CinematicError) in
      try self.add(sample, self.disparityTrack)
    }
    mapCount += 1
    try pump?.pump(until: time - timelineStart) { sample, track throws(CinematicError) in
      try self.add(sample, track)
    }
  }

  func append(
    focusDisparity: Float, fNumber: Float, time: Time, duration: Time
  ) throws(CinematicError) {
    guard focusDisparity.isFinite, fNumber.isFinite, fNumber > 0 else {
      throw CinematicError(
        .invalidParameter,
        "a focus at \(focusDisparity) with an f-number of \(fNumber) cannot be rendered",
        remedy: "give a finite disparity and a positive f-number")
    }
    let (ticks, length) = try place(time, duration)
    firstMetadata = firstMetadata ?? (focusDisparity, fNumber)
    let data = CinematicMetadata.sample(focusDisparity: focusDisparity, fNumber: fNumber)
    try add(MediaSample(data: data, time: ticks, duration: length), metadataTrack)
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

  func finish(script: [UInt8]?) throws(CinematicError) {
    var isPictured = pictureCount > 0
    if case .copied = settings.video { isPictured = true }
    guard isPictured, mapCount > 0, let firstMetadata else {
      throw CinematicError(
        .incomplete, "no whole frame was written to \(path)",
        remedy: "append a picture, a disparity map and rendering attributes")
    }
    if let encoder {
      try encoder.finish { packet throws(CinematicError) in try self.write(packet) }
    }
    try disparity.finish { sample throws(CinematicError) in
      try self.add(sample, self.disparityTrack)
    }
    var limit: Time?
    if case .encoded(let video) = settings.video, case .file(_, .whilePictures) = video.sound {
      limit = end
    }
    try pump?.pump(until: limit) { sample, track throws(CinematicError) in
      try self.add(sample, track)
    }
    try pump?.finish { sample, track throws(CinematicError) in try self.add(sample, track) }
    pump = nil
    let replacement = script.map {
      (
        track: metadataTrack,
        data: CinematicMetadata.sample(
          focusDisparity: firstMetadata.focusDisparity, fNumber: firstMetadata.fNumber, script: $0)
      )
    }
    do throws(CinematicError) {
      try muxer.finish(replacingFirstSampleOf: replacement)
    } catch {
      throw error.naming(path)
    }
    try sink.synchronize()
    try file.publish()
  }
}

extension MovieWork {
  /// What is prepared before the file is made.
  fileprivate struct Setup {
    var timescale: Int32
    var timelineStart = Time.zero
    var encoder: VideoEncoder?
    var configuration: DecoderConfiguration?
    var disparity: DisparityEncoder
    var muxer = MovieMuxer.Settings()
    var tracks: [TrackSettings] = []

    init(_ path: String, _ settings: MovieWriter.Settings) throws(CinematicError) {
      let frameDuration: Time
      switch settings.video {
      case .copied(let clip):
        timescale = clip.timescale
        frameDuration = clip.frames.first?.duration ?? Time(value: 1, timescale: 30)
        muxer.extraBoxes = clip.movieExtras
        muxer.creationTime = clip.creationTime
      case .encoded(var video):
        guard video.timescale >= 1, video.nominalFrameDuration > .zero else {
          throw CinematicError(
            .invalidParameter,
            "\(path) cannot have a timescale of \(video.timescale) and frames of"
              + " \(video.nominalFrameDuration) s", remedy: "give numbers above zero")
        }
        if video.codec == .automatic { video.codec = .hevc }
        timescale = video.timescale
        timelineStart = video.timelineStart
        frameDuration = video.nominalFrameDuration
        let encoder = try VideoEncoder(video, path: path)
        self.encoder = encoder
        configuration = try DecoderConfiguration(
          video.codec == .h264 ? .h264 : .hevc, encoder.context.extradata)
      }
      disparity = try DisparityEncoder(
        settings.disparityCoding, dimensions: settings.disparityDimensions, timescale: timescale,
        frameDuration: frameDuration, path: path)
      muxer.timescale = timescale
      muxer.fragmentSeconds = settings.fragmentSeconds
    }
  }
}
