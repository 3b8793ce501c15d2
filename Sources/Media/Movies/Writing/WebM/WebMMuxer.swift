// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Puts coded pictures and sound into a WebM file, by libavformat.
final class WebMMuxer {
  private struct Lane {
    /// Ticks a second of the samples' times.
    var timescale: Int32
    var isSound: Bool
    /// Samples that the decoder leaves out at the beginning, which the file says.
    var delay: Int64 = 0
    /// Samples of a whole packet; 0 if that is not known.
    var packetLength: Int64 = 0
    /// Of the last picture, in the stream's ticks.
    var last: Int64?
  }

  private let path: String
  private let sink: FileSink
  private let packet: Packet
  private var context: UnsafeMutablePointer<AVFormatContext>?
  private var io: UnsafeMutablePointer<AVIOContext>?
  private var lanes: [Lane] = []
  /// Where the next byte goes, and where the file ends.
  private var (position, end): (Int64, Int64) = (0, 0)
  /// The first error of the file: libavformat itself hands on a number only.
  private var failure: CinematicError?

  private static let bufferSize: Int32 = 1 << 16

  /// - Throws: `unsupported` for an FFmpeg without the muxer, `outOfMemory`.
  init(_ sink: FileSink, path: String) throws(CinematicError) {
    self.path = path
    self.sink = sink
    guard let packet = Packet() else { throw .outOfMemory(for: path) }
    self.packet = packet
    guard let format = av_guess_format("webm", nil, nil) else {
      throw CinematicError(
        .unsupported, "this build of FFmpeg cannot write WebM, which \(path) is",
        remedy: "install a common one, or write .mp4 or .mov")
    }
    try check(avformat_alloc_output_context2(&context, format, nil, nil))
    guard let context, let buffer = av_malloc(Int(Self.bufferSize)) else {
      throw .outOfMemory(for: path)
    }
    // The context does not outlive this object: unretained references stay valid.
    io = avio_alloc_context(
      buffer.assumingMemoryBound(to: UInt8.self), Self.bufferSize, 1,
      Unmanaged.passUnretained(self).toOpaque(), nil,
      { object, bytes, count in
        Unmanaged<WebMMuxer>.fromOpaque(object!).takeUnretainedValue()
          .write(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
      },
      { object, offset, whence in
        Unmanaged<WebMMuxer>.fromOpaque(object!).takeUnretainedValue().seek(offset, whence)
      })
    guard let io else {
      av_free(buffer)
      throw .outOfMemory(for: path)
    }
    context.pointee.pb = io
    // The same input makes the same file: no names drawn by chance.
    context.pointee.flags |= AVFMT_FLAG_CUSTOM_IO | AVFMT_FLAG_BITEXACT
    // What a codec begins with lies before zero, and is no reason to move all the rest.
    context.pointee.avoid_negative_ts = 0
  }

  deinit {
    if io != nil {
      // The buffer may have been replaced by a larger one.
      av_free(io!.pointee.buffer)
      avio_context_free(&io)
    }
    avformat_free_context(context)
  }

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
    stream.pointee.disposition = AV_DISPOSITION_DEFAULT
    if stream.pointee.codecpar.pointee.format == AV_PIX_FMT_YUVA420P.rawValue {
      av_dict_set(&stream.pointee.metadata, "alpha_mode", "1", 0)
    }
    guard settings.hdrMetadata.add(to: stream) else { throw .outOfMemory(for: path) }
    lanes.append(Lane(timescale: settings.timescale, isSound: false))
  }

  /// Adds a track of sound.
  func addSound(
    _ parameters: SoundParameters, _ track: TrackSettings, _ labels: TrackLabels
  ) throws(CinematicError) {
    let stream = try addStream()
    try check(avcodec_parameters_copy(stream.pointee.codecpar, parameters.pointer))
    stream.pointee.codecpar.pointee.codec_tag = 0
    // Containers that sound is copied from say it in other places.
    stream.pointee.codecpar.pointee.initial_padding = Int32(clamping: parameters.preSkip)
    stream.pointee.time_base = AVRational(num: 1, den: track.timescale)
    stream.pointee.disposition = labels.disposition
    if track.isEnabled { stream.pointee.disposition |= AV_DISPOSITION_DEFAULT }
    if track.language != "und" {
      av_dict_set(&stream.pointee.metadata, "language", track.language, 0)
    }
    if let name = labels.name { av_dict_set(&stream.pointee.metadata, "title", name, 0) }
    lanes.append(
      Lane(
        timescale: track.timescale, isSound: true, delay: parameters.preSkip,
        packetLength: parameters.codec == AV_CODEC_ID_OPUS ? parameters.packetLength : 0))
  }

  /// Writes the head, once all tracks are added.
  ///
  /// - Parameter zero: the time that becomes zero.
  func begin(_ companions: FilmCompanions, zero: Time) throws(CinematicError) {
    guard let context else { return }
    for (key, value) in companions.plainDescriptions {
      av_dict_set(&context.pointee.metadata, key, value, 0)
    }
    try addChapters(companions.chapters, companions.origin + zero)
    try check(avformat_write_header(context, nil))
  }

  private func addChapters(_ chapters: [Chapter], _ zero: Time) throws(CinematicError) {
    guard let context else { return }
    let starts = chapters.map { max($0.time - zero, .zero).ticks(1000) }
    // Of those before the beginning the last one goes on.
    let kept = chapters.indices.filter {
      $0 + 1 == chapters.count || chapters[$0 + 1].time - zero > .zero
    }
    guard !kept.isEmpty else { return }
    let size = MemoryLayout<UnsafeMutablePointer<AVChapter>?>.stride
    // The context frees them.
    guard let list = av_calloc(kept.count, size) else { throw .outOfMemory(for: path) }
    let places = list.assumingMemoryBound(to: UnsafeMutablePointer<AVChapter>?.self)
    context.pointee.chapters = places
    for (place, index) in kept.enumerated() {
      guard let memory = av_mallocz(MemoryLayout<AVChapter>.size) else {
        throw .outOfMemory(for: path)
      }
      let chapter = memory.assumingMemoryBound(to: AVChapter.self)
      chapter.pointee.id = Int64(place + 1)
      chapter.pointee.time_base = AVRational(num: 1, den: 1000)
      chapter.pointee.start = starts[index]
      // The muxer takes no chapter without an end; the film's own is not known yet.
      chapter.pointee.end = starts[kept[min(place + 1, kept.count - 1)]]
      av_dict_set(&chapter.pointee.metadata, "title", chapters[index].title, 0)
      places[place] = chapter
      context.pointee.nb_chapters = UInt32(place + 1)
    }
  }

  // MARK: - Samples

  /// Adds a track's next sample.
  ///
  /// - Throws: `unsupported` for pictures less than a millisecond apart, `unwritable`, `outOfMemory`.
  func append(_ sample: MediaSample, to track: Int) throws(CinematicError) {
    guard let stream = context?.pointee.streams[track] else { return }
    let lane = lanes[track]
    // Packets that only settle a decoder, before those that the file's head tells of.
    if lane.isSound, sample.presentationTime < -lane.delay { return }
    guard packet.fill(sample.data) else { throw .outOfMemory(for: path) }
    defer { av_packet_unref(packet.pointer) }
    let pointer = packet.pointer
    // A file's times count what its head tells of, too. FFmpeg's 5.1 leaves that to its callers, later ones do not.
    let delay = Self.addsDelay ? 0 : lane.delay
    (pointer.pointee.pts, pointer.pointee.dts) = (
      sample.presentationTime + delay, sample.decodeTime + delay
    )
    pointer.pointee.duration = sample.duration
    pointer.pointee.stream_index = Int32(track)
    if sample.isSync { pointer.pointee.flags |= AV_PKT_FLAG_KEY }
    if let beside = sample.beside, !packet.add(beside, as: AV_PKT_DATA_MATROSKA_BLOCKADDITIONAL) {
      throw .outOfMemory(for: path)
    }
    let padding = lane.packetLength - sample.duration
    if lane.packetLength > 0, padding > 0 {
      // Samples to leave out at the packet's start and at its end, and two bytes about why.
      let end = UInt32(clamping: padding)
      let bytes = [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: end >> $0) }
      guard packet.add([0, 0, 0, 0] + bytes + [0, 0], as: AV_PKT_DATA_SKIP_SAMPLES) else {
        throw .outOfMemory(for: path)
      }
    }
    let base = AVRational(num: 1, den: lane.timescale)
    av_packet_rescale_ts(pointer, base, stream.pointee.time_base)
    if !lane.isSound {
      guard lane.last ?? .min < pointer.pointee.pts else {
        throw CinematicError(
          .unsupported, "\(path) has times of whole milliseconds, and two frames are nearer",
          remedy: "write .mp4 or .mov")
      }
      lanes[track].last = pointer.pointee.pts
    }
    try check(av_interleaved_write_frame(context, pointer))
  }

  /// Whether the muxer itself adds to times what the head says that a decoder leaves out: tried with a packet of Opus.
  private static let addsDelay: Bool = {
    guard let format = av_guess_format("webm", nil, nil), let packet = Packet() else { return true }
    var context: UnsafeMutablePointer<AVFormatContext>?
    guard avformat_alloc_output_context2(&context, format, nil, nil) >= 0, let context else {
      return true
    }
    defer { avformat_free_context(context) }
    // A head of one channel at 48 kHz, of which 4800 samples, 100 ms, are left out.
    let head: [UInt8] =
      Array("OpusHead".utf8) + [1, 1, 0xC0, 0x12, 0x80, 0xBB, 0, 0, 0, 0, 0]
    guard let stream = avformat_new_stream(context, nil),
      stream.pointee.codecpar.setExtradata(head), avio_open_dyn_buf(&context.pointee.pb) >= 0
    else { return true }
    let parameters = stream.pointee.codecpar!
    parameters.pointee.codec_type = AVMEDIA_TYPE_AUDIO
    parameters.pointee.codec_id = AV_CODEC_ID_OPUS
    parameters.pointee.sample_rate = 48000
    parameters.pointee.initial_padding = 4800
    av_channel_layout_default(&parameters.pointee.ch_layout, 1)
    context.pointee.avoid_negative_ts = 0
    context.pointee.flags |= AVFMT_FLAG_BITEXACT
    // Twelve bytes that are found again, behind a block's track, time and flags.
    let mark = Array("focal's mark".utf8)
    var isWritten = avformat_write_header(context, nil) >= 0 && packet.fill(mark)
    if isWritten {
      (packet.pointer.pointee.pts, packet.pointer.pointee.dts) = (0, 0)
      packet.pointer.pointee.flags |= AV_PKT_FLAG_KEY
      isWritten =
        av_write_frame(context, packet.pointer) >= 0 && av_write_trailer(context) >= 0
    }
    var data: UnsafeMutablePointer<UInt8>?
    let count = Int(avio_close_dyn_buf(context.pointee.pb, &data))
    context.pointee.pb = nil
    defer { av_free(data) }
    guard isWritten, let data, count > mark.count + 3 else { return true }
    let bytes = Array(UnsafeBufferPointer(start: data, count: count))
    let place = (3...(count - mark.count)).first { Array(bytes[$0..<($0 + mark.count)]) == mark }
    // Milliseconds, in two bytes before the flags.
    return place.map { bytes[$0 - 3] != 0 || bytes[$0 - 2] != 0 } ?? true
  }()

  /// Completes the file.
  func finish() throws(CinematicError) {
    try check(av_write_trailer(context))
    avio_flush(io)
    try check(0)
    try sink.synchronize()
  }

  // MARK: - The file

  private func write(_ bytes: UnsafeRawBufferPointer) -> Int32 {
    guard failure == nil else { return focal_averror_of_errno(EIO) }
    do throws(CinematicError) {
      let inside = Int(min(Int64(bytes.count), max(end - position, 0)))
      if inside > 0 { try sink.patch(Array(bytes[..<inside]), at: position) }
      if inside < bytes.count { try sink.write(Array(bytes[inside...])) }
      position += Int64(bytes.count)
      end = max(end, position)
      return Int32(bytes.count)
    } catch {
      failure = error
      return focal_averror_of_errno(EIO)
    }
  }

  /// - Returns: the place; only what was written can be gone back to.
  private func seek(_ offset: Int64, _ whence: Int32) -> Int64 {
    let base: Int64
    switch whence & ~AVSEEK_FORCE {
    case AVSEEK_SIZE: return end
    case SEEK_SET: base = 0
    case SEEK_CUR: base = position
    case SEEK_END: base = end
    default: return Int64(focal_averror_of_errno(EINVAL))
    }
    let (target, overflow) = base.addingReportingOverflow(offset)
    guard !overflow, target >= 0, target <= end else {
      return Int64(focal_averror_of_errno(EINVAL))
    }
    position = target
    return target
  }

  private func check(_ code: Int32) throws(CinematicError) {
    if let failure { throw failure }
    guard code < 0 else { return }
    throw code == FFmpeg.outOfMemory
      ? .outOfMemory(for: path)
      : CinematicError(
        .unwritable, "cannot write \(path): \(FFmpeg.text(code))", remedy: "write .mp4 or .mov")
  }
}

extension UnsafeMutablePointer<AVCodecParameters> {
  /// Sets the decoder's configuration, which stays away if there is none.
  ///
  /// - Returns: whether there was memory.
  fileprivate func setExtradata(_ bytes: [UInt8]) -> Bool {
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
