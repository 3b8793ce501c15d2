// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import MovieKit
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Sound alone: AAC in MP4 or another codec in another container, a chord that swells or anything else.
struct SoundFile {
  static let rate: Int32 = 44100

  var encoder = "aac"
  /// FFmpeg's name; `nil` for what the path's ending names.
  var container: String? = "mp4"
  var rate = Self.rate
  var channels: Int32 = 2
  var format = AV_SAMPLE_FMT_FLTP
  /// Bits a second of a channel, where the codec has a choice.
  var bitRate: Int64 = 64_000
  /// Samples that nothing stands in, before the sound.
  var delay = 0
  /// Samples that are left out, as where a packet was lost.
  var gap: Range<Int>?
  /// The track's name.
  var title: String?
  /// FFmpeg's flags of what the track is there for.
  var disposition: Int32 = 0
  /// Where the channels are heard, as the bits of WAVE files; `nil` for the usual places.
  var mask: UInt64?

  static func write(to path: String, seconds: Double) throws {
    try SoundFile().write(to: path, seconds: seconds)
  }

  static func hasEncoder(_ name: String) -> Bool { avcodec_find_encoder_by_name(name) != nil }

  /// The chord's sample of a channel, -1 to 1: another one everywhere, so that no shift goes unseen.
  private func chord(_ sample: Int, _ channel: Int) -> Double {
    let time = Double(sample) / Double(rate)
    let phase = 2 * Double.pi * time * (220 * Double(channel + 2) + 90 * time)
    return 0.4 * min(1, time / 0.2) * sin(phase)
  }

  /// - Parameter value: a sample of a channel, -1 to 1; by default the chord.
  /// - Returns: how many samples the gap took.
  @discardableResult
  func write(
    to path: String, seconds: Double, value: ((_ sample: Int, _ channel: Int) -> Double)? = nil
  ) throws -> Int {
    av_log_set_level(AV_LOG_QUIET)
    var missing = 0
    func check(_ code: Int32, _ step: String) throws {
      if code < 0 { throw ClipFile.Failure("\(step) (\(code))") }
    }
    let encoder = try #require(avcodec_find_encoder_by_name(encoder))
    var output: UnsafeMutablePointer<AVFormatContext>?
    avformat_alloc_output_context2(&output, nil, container, path)
    let container = try #require(output)
    container.pointee.strict_std_compliance = FF_COMPLIANCE_EXPERIMENTAL
    defer { avformat_free_context(container) }
    var made = avcodec_alloc_context3(encoder)
    defer { avcodec_free_context(&made) }
    let context = try #require(made)
    context.pointee.sample_fmt = format
    context.pointee.sample_rate = rate
    context.pointee.bit_rate = bitRate * Int64(channels)
    context.pointee.strict_std_compliance = FF_COMPLIANCE_EXPERIMENTAL
    if let mask {
      av_channel_layout_from_mask(&context.pointee.ch_layout, mask)
    } else {
      av_channel_layout_default(&context.pointee.ch_layout, channels)
    }
    context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER
    try check(avcodec_open2(context, encoder, nil), "open \(self.encoder)")
    let stream = try #require(avformat_new_stream(container, nil))
    avcodec_parameters_from_context(stream.pointee.codecpar, context)
    stream.pointee.time_base = AVRational(num: 1, den: rate)
    if let title { av_dict_set(&stream.pointee.metadata, "title", title, 0) }
    stream.pointee.disposition = disposition
    try check(avio_open(&container.pointee.pb, "file:" + path, AVIO_FLAG_WRITE), "create \(path)")
    defer { avio_closep(&container.pointee.pb) }
    try check(avformat_write_header(container, nil), "header")
    var packet = av_packet_alloc()
    defer { av_packet_free(&packet) }
    let length = context.pointee.frame_size > 0 ? Int(context.pointee.frame_size) : 1024
    func drain() throws {
      while avcodec_receive_packet(context, packet) >= 0 {
        packet!.pointee.stream_index = 0
        av_packet_rescale_ts(packet, AVRational(num: 1, den: rate), stream.pointee.time_base)
        try check(av_interleaved_write_frame(container, packet), "write")
      }
    }
    let total = Int(seconds * Double(rate))
    for start in stride(from: 0, to: total, by: length) {
      if let gap, gap.contains(start) {
        missing += length
        continue
      }
      var made = av_frame_alloc()
      defer { av_frame_free(&made) }
      let frame = try #require(made)
      frame.pointee.format = format.rawValue
      frame.pointee.nb_samples = Int32(min(length, total - start))
      frame.pointee.sample_rate = rate
      frame.pointee.pts = Int64(start + delay)
      av_channel_layout_copy(&frame.pointee.ch_layout, &context.pointee.ch_layout)
      try check(av_frame_get_buffer(frame, 0), "buffer")
      fill(frame, from: start, value ?? chord)
      try check(avcodec_send_frame(context, frame), "send")
      try drain()
    }
    try check(avcodec_send_frame(context, nil), "finish")
    try drain()
    try check(av_write_trailer(container), "trailer")
    return missing
  }

  private func fill(
    _ frame: UnsafeMutablePointer<AVFrame>, from start: Int, _ value: (Int, Int) -> Double
  ) {
    let isPlanar = av_sample_fmt_is_planar(format) != 0
    let size = Int(av_get_bytes_per_sample(format))
    for channel in 0..<Int(channels) {
      let plane = UnsafeMutableRawPointer(frame.pointee.extended_data[isPlanar ? channel : 0]!)
      for index in 0..<Int(frame.pointee.nb_samples) {
        let place = plane + size * (isPlanar ? index : index * Int(channels) + channel)
        let value = value(start + index, channel)
        switch format {
        case AV_SAMPLE_FMT_U8: place.storeBytes(of: UInt8(128 + 127 * value), as: UInt8.self)
        case AV_SAMPLE_FMT_S16, AV_SAMPLE_FMT_S16P:
          place.storeBytes(of: Int16((32767 * value).rounded()), as: Int16.self)
        case AV_SAMPLE_FMT_S32, AV_SAMPLE_FMT_S32P:
          // 24 bits, as most files of the kind have.
          place.storeBytes(of: Int32(8_388_607 * value) << 8, as: Int32.self)
        case AV_SAMPLE_FMT_DBL: place.storeBytes(of: value, as: Double.self)
        default: place.storeBytes(of: Float(value), as: Float.self)
        }
      }
    }
  }
}
