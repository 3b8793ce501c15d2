// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore

/// Puts coded pictures and sound into a WebM file, by libavformat.
final class WebMMuxer {
  private struct Lane {
    /// Ticks a second of the samples' times.
    var timescale: Int32
    /// Of sound.
    var codec: AVCodecID?
    /// What the decoder leaves out at the beginning, which the file says, in ticks.
    var delay: Int64 = 0
    /// The last packet of sound, until it is known whether it ends the track.
    var held: MediaSample?
    /// Of the last packet, in the stream's ticks.
    var last: Int64?
  }

  private let path: String
  private let output: WebMOutput
  private let packet: Packet
  private var context: UnsafeMutablePointer<AVFormatContext>?
  private var lanes: [Lane] = []
  private var chapters: [Chapter] = []
  /// The time of chapters that becomes zero.
  private var zero = Time.zero

  /// - Throws: `unsupported` for an FFmpeg without the muxer, `outOfMemory`.
  init(_ sink: FileSink, path: String) throws(CinematicError) {
    self.path = path
    output = try WebMOutput(sink, path: path)
    guard let packet = Packet() else { throw .outOfMemory(for: path) }
    self.packet = packet
    guard let format = av_guess_format("webm", nil, nil) else {
      throw CinematicError(
        .unsupported, "this build of FFmpeg cannot write WebM, which \(path) is",
        remedy: "install a common one, or write .mp4 or .mov")
    }
    try check(avformat_alloc_output_context2(&context, format, nil, nil))
    guard let context else { throw .outOfMemory(for: path) }
    context.pointee.pb = output.io
    // The same input makes the same file: no names drawn by chance.
    context.pointee.flags |= AVFMT_FLAG_CUSTOM_IO | AVFMT_FLAG_BITEXACT
    // What a codec begins with lies before zero, and is no reason to move all the rest.
    context.pointee.avoid_negative_ts = 0
  }

  deinit { avformat_free_context(context) }

  // MARK: - The head

  private func addStream() throws(CinematicError) -> UnsafeMutablePointer<AVStream> {
    guard let stream = avformat_new_stream(context, nil) else { throw .outOfMemory(for: path) }
    return stream
  }

  /// Adds the track of the pictures that an encoder makes.
  func addPictures(
    _ encoder: VideoEncoder, _ settings: WriterSettings
  ) throws(CinematicError) {
    let stream = try addStream()
    try check(avcodec_parameters_from_context(stream.pointee.codecpar, encoder.context.pointer))
    stream.pointee.codecpar.pointee.codec_tag = 0
    if stream.pointee.codecpar.pointee.extradata == nil {
      guard stream.pointee.codecpar.setExtradata(encoder.extradata) else {
        throw .outOfMemory(for: path)
      }
    }
    stream.pointee.time_base = AVRational(num: 1, den: settings.timescale)
    stream.pointee.avg_frame_rate = encoder.context.pointer.pointee.framerate
    stream.pointee.sample_aspect_ratio = encoder.context.pointer.pointee.sample_aspect_ratio
    let labels = settings.companions.pictureLabels
    stream.pointee.disposition = labels.disposition | AV_DISPOSITION_DEFAULT
    if let code = settings.companions.pictureLanguageCode {
      av_dict_set(&stream.pointee.metadata, "language", code, 0)
    }
    if let name = labels.name { av_dict_set(&stream.pointee.metadata, "title", name, 0) }
    if stream.pointee.codecpar.pointee.format == AV_PIX_FMT_YUVA420P.rawValue {
      av_dict_set(&stream.pointee.metadata, "alpha_mode", "1", 0)
    }
    guard settings.hdrMetadata.add(to: stream) else { throw .outOfMemory(for: path) }
    lanes.append(Lane(timescale: settings.timescale))
  }

  /// Adds a track of sound.
  func addSound(
    _ parameters: SoundParameters, _ track: TrackSettings, _ labels: TrackLabels
  ) throws(CinematicError) {
    let stream = try addStream()
    try check(avcodec_parameters_copy(stream.pointee.codecpar, parameters.pointer))
    stream.pointee.codecpar.pointee.codec_tag = 0
    // Containers that sound is copied from say it in other places. What is left out of Opus is counted at 48 kHz.
    stream.pointee.codecpar.pointee.initial_padding = Int32(clamping: parameters.preSkip)
    if parameters.codec == AV_CODEC_ID_OPUS {
      stream.pointee.codecpar.pointee.sample_rate = WebMOpus.rate
    }
    stream.pointee.time_base = AVRational(num: 1, den: track.timescale)
    stream.pointee.disposition = labels.disposition
    if track.isEnabled { stream.pointee.disposition |= AV_DISPOSITION_DEFAULT }
    if track.language != "und" {
      av_dict_set(&stream.pointee.metadata, "language", track.language, 0)
    }
    if let name = labels.name { av_dict_set(&stream.pointee.metadata, "title", name, 0) }
    lanes.append(
      Lane(
        timescale: track.timescale, codec: parameters.codec,
        delay: av_rescale(parameters.preSkip, Int64(track.timescale), Int64(WebMOpus.rate))))
  }

  /// Writes the head, once all tracks are added.
  ///
  /// - Parameter zero: the time that becomes zero.
  func begin(_ companions: FilmCompanions, zero: Time) throws(CinematicError) {
    guard let context else { return }
    for (key, value) in companions.plainDescriptions {
      av_dict_set(&context.pointee.metadata, key, value, 0)
    }
    // The last chapter ends with the film: they are written behind it.
    (chapters, self.zero) = (companions.chapters, companions.origin + zero)
    try check(avformat_write_header(context, nil))
  }

  // MARK: - Samples

  /// Adds a track's next sample.
  ///
  /// - Throws: `unsupported` for pictures less than a millisecond apart, `unwritable`, `outOfMemory`.
  func append(_ sample: MediaSample, to track: Int) throws(CinematicError) {
    let lane = lanes[track]
    guard lane.codec != nil else { return try write(sample, to: track) }
    // Packets that only settle a decoder, before those that the file's head tells of; other clocks' times are rounded.
    guard sample.presentationTime + sample.duration / 2 >= -lane.delay else { return }
    lanes[track].held = sample
    if let before = lane.held { try write(before, to: track) }
  }

  /// Completes the file.
  ///
  /// - Parameter length: of the film.
  func finish(length: Time) throws(CinematicError) {
    for track in lanes.indices {
      guard let last = lanes[track].held else { continue }
      try write(last, to: track, endsTrack: true)
    }
    guard context?.add(chapters, zero: zero, length: length) != false else {
      throw .outOfMemory(for: path)
    }
    try check(av_write_trailer(context))
    try output.finish()
  }

  private func write(
    _ sample: MediaSample, to track: Int, endsTrack: Bool = false
  ) throws(CinematicError) {
    guard let stream = context?.pointee.streams[track] else { return }
    let lane = lanes[track]
    guard packet.fill(sample.data) else { throw .outOfMemory(for: path) }
    defer { av_packet_unref(packet.pointer) }
    let pointer = packet.pointer
    if sample.isSync { pointer.pointee.flags |= AV_PKT_FLAG_KEY }
    if let beside = sample.beside, !packet.add(beside, as: AV_PKT_DATA_MATROSKA_BLOCKADDITIONAL) {
      throw .outOfMemory(for: path)
    }
    if endsTrack, lane.codec == AV_CODEC_ID_OPUS {
      let heard = av_rescale(sample.duration, Int64(WebMOpus.rate), Int64(lane.timescale))
      guard packet.add(leftOut: WebMOpus.length(of: sample.data) - heard) else {
        throw .outOfMemory(for: path)
      }
    }
    // A file's times count what its head tells of, too: the sum is what is rounded.
    let (base, ticks) = (AVRational(num: 1, den: lane.timescale), stream.pointee.time_base)
    var time = av_rescale_q(sample.presentationTime + lane.delay, base, ticks)
    if lane.codec != nil { time = max(time, 0) }
    guard lane.codec != nil || lane.last ?? .min < time else {
      throw CinematicError(
        .unsupported, "\(path) has times of whole milliseconds, and two frames are nearer",
        remedy: "write .mp4 or .mov")
    }
    lanes[track].last = time
    if lane.delay > 0, WebMOpus.isDelayAdded { time -= av_rescale_q(lane.delay, base, ticks) }
    // WebM has no time of decoding.
    (pointer.pointee.pts, pointer.pointee.dts) = (time, time)
    pointer.pointee.duration = av_rescale_q(sample.duration, base, ticks)
    pointer.pointee.stream_index = Int32(track)
    try check(av_interleaved_write_frame(context, pointer))
  }

  private func check(_ code: Int32) throws(CinematicError) {
    if let failure = output.failure { throw failure }
    guard code < 0 else { return }
    throw code == FFmpeg.outOfMemory
      ? .outOfMemory(for: path)
      : CinematicError(
        .unwritable, "cannot write \(path): \(FFmpeg.text(code))", remedy: "write .mp4 or .mov")
  }
}

extension Packet {
  /// Says how many samples are left out at the end.
  ///
  /// - Returns: whether there was memory.
  fileprivate func add(leftOut count: Int64) -> Bool {
    guard count > 0 else { return true }
    let end = UInt32(clamping: count)
    let bytes = [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: end >> $0) }
    // Samples to leave out at the start, at the end, and two bytes about why.
    return add([0, 0, 0, 0] + bytes + [0, 0], as: AV_PKT_DATA_SKIP_SAMPLES)
  }
}

extension UnsafeMutablePointer<AVCodecParameters> {
  /// Sets the decoder's configuration, which stays away if there is none.
  ///
  /// - Returns: whether there was memory.
  func setExtradata(_ bytes: [UInt8]) -> Bool {
    guard !bytes.isEmpty else { return true }
    guard let memory = av_mallocz(bytes.count + Int(AV_INPUT_BUFFER_PADDING_SIZE)) else {
      return false
    }
    bytes.withUnsafeBytes { memory.copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
    pointee.extradata = memory.assumingMemoryBound(to: UInt8.self)
    pointee.extradata_size = Int32(bytes.count)
    return true
  }
}
