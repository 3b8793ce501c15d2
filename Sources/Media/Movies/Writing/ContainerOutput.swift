// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore

/// The muxing half of a movie writer.
final class ContainerOutput {
  let pointer: UnsafeMutablePointer<AVFormatContext>
  private let path: String

  init(_ kind: OutputFormat.Container, path: String) throws(CinematicError) {
    var context: UnsafeMutablePointer<AVFormatContext>?
    avformat_alloc_output_context2(&context, nil, kind.rawValue, nil)
    guard let context else {
      throw CinematicError(
        .unsupported, "this build of FFmpeg cannot write \(kind.rawValue), which \(path) needs")
    }
    pointer = context
    self.path = path
  }

  deinit {
    if pointer.pointee.pb != nil { avio_closep(&pointer.pointee.pb) }
    avformat_free_context(pointer)
  }

  /// Adds the picture track. Must be the first track.
  func addVideo(
    _ encoder: CodecContext, timescale: Int32, turn: QuarterTurn, hdrMetadata: HDRMetadata
  ) throws(CinematicError) {
    guard let stream = avformat_new_stream(pointer, nil),
      avcodec_parameters_from_context(stream.pointee.codecpar, encoder.pointer) >= 0
    else { throw .outOfMemory(for: path) }
    stream.pointee.time_base = AVRational(num: 1, den: timescale)
    stream.pointee.avg_frame_rate = encoder.pointer.pointee.framerate
    stream.pointee.sample_aspect_ratio = encoder.pointer.pointee.sample_aspect_ratio
    try hdrMetadata.store(in: stream, path: path)
    guard turn != .identity else { return }
    guard let matrix = focal_stream_new_display_matrix(stream) else {
      throw .outOfMemory(for: path)
    }
    let parameters = stream.pointee.codecpar.pointee
    DisplayRotation.store(
      turn, of: Dimensions(width: Int(parameters.width), height: Int(parameters.height)),
      to: matrix)
  }

  /// Whether the container holds sound of a coding.
  func holds(_ codec: AVCodecID) -> Bool {
    avformat_query_codec(pointer.pointee.oformat, codec, FF_COMPLIANCE_NORMAL) == 1
  }

  /// Adds a track of sound, whose times count in ticks of its sample rate, and returns its number.
  func addSound(
    _ parameters: SoundParameters, languageCode: String?
  ) throws(CinematicError) -> Int32 {
    guard let stream = avformat_new_stream(pointer, nil),
      avcodec_parameters_copy(stream.pointee.codecpar, parameters.pointer) >= 0
    else { throw .outOfMemory(for: path) }
    stream.pointee.time_base = AVRational(num: 1, den: parameters.sampleRate)
    if let languageCode { av_dict_set(&stream.pointee.metadata, "language", languageCode, 0) }
    // Players choose the first one.
    let isFirst = !(0..<Int(stream.pointee.index)).contains {
      pointer.pointee.streams[$0]!.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_AUDIO
    }
    if isFirst { stream.pointee.disposition |= AV_DISPOSITION_DEFAULT }
    return stream.pointee.index
  }

  /// Writes a packet of sound; times in ticks of the sample rate.
  func writeSound(
    _ data: [UInt8], ticks: Int64, duration: Int64, stream: Int32
  ) throws(CinematicError) {
    guard let packet = Packet(), packet.fill(data),
      let track = pointer.pointee.streams[Int(stream)]
    else { throw .outOfMemory(for: path) }
    packet.pointer.pointee.stream_index = stream
    packet.pointer.pointee.pts = ticks
    packet.pointer.pointee.dts = ticks
    packet.pointer.pointee.duration = duration
    packet.pointer.pointee.flags |= AV_PKT_FLAG_KEY
    av_packet_rescale_ts(
      packet.pointer, AVRational(num: 1, den: track.pointee.codecpar.pointee.sample_rate),
      track.pointee.time_base)
    try write(packet.pointer)
  }

  /// Opens the file and writes the head.
  func begin(_ temporaryPath: String) throws(CinematicError) {
    let url = FFmpeg.url(temporaryPath)
    // The muxer opens this name again when it moves the index to the front.
    pointer.pointee.url = av_strdup(url)
    try check(avio_open(&pointer.pointee.pb, url, AVIO_FLAG_WRITE))
    var options: OpaquePointer?
    defer { av_dict_free(&options) }
    av_dict_set(&options, "movflags", "+faststart+write_colr", 0)
    // Edit lists, which say when the pictures start and end, count in the movie's own ticks: by
    // default milliseconds, too coarse. The muxer doubles a track's timescale up to this bound.
    var ticks = Int64(pointer.pointee.streams[0]!.pointee.time_base.den)
    while ticks < 10000 { ticks *= 2 }
    av_dict_set_int(&options, "movie_timescale", ticks, 0)
    try check(avformat_write_header(pointer, &options))
  }

  func writeVideo(
    _ packet: UnsafeMutablePointer<AVPacket>, timescale: Int32
  ) throws(CinematicError) {
    packet.pointee.stream_index = 0
    av_packet_rescale_ts(
      packet, AVRational(num: 1, den: timescale), pointer.pointee.streams[0]!.pointee.time_base)
    try write(packet)
  }

  /// Takes the packet's data over.
  func write(_ packet: UnsafeMutablePointer<AVPacket>) throws(CinematicError) {
    try check(av_interleaved_write_frame(pointer, packet))
  }

  /// Writes the index, moves it to the front, and closes the file.
  func end() throws(CinematicError) {
    try check(av_write_trailer(pointer))
    try check(avio_closep(&pointer.pointee.pb))
  }

  /// A failed write is reported late and by the file's own error, whatever the muxer returned.
  private func check(_ code: Int32) throws(CinematicError) {
    let stored = pointer.pointee.pb?.pointee.error ?? 0
    let failed = stored < 0 ? stored : code
    guard failed < 0 else { return }
    // FFmpeg's codes of system errors are their negated numbers; its own are far below.
    if failed > -200 { throw OutputFile.failure(path, -failed) }
    throw CinematicError(.unwritable, "cannot write \(path): \(FFmpeg.text(failed))")
  }
}
