// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// AAC in MP4: a chord of two channels.
enum SoundFile {
  static let rate: Int32 = 44100

  static func write(to path: String, seconds: Double) throws {
    func check(_ code: Int32, _ step: String) throws {
      if code < 0 { throw TestClip.Failure("\(step) (\(code))") }
    }
    let encoder = try #require(avcodec_find_encoder_by_name("aac"))
    var output: UnsafeMutablePointer<AVFormatContext>?
    avformat_alloc_output_context2(&output, nil, "mp4", path)
    let container = try #require(output)
    defer { avformat_free_context(container) }
    var made = avcodec_alloc_context3(encoder)
    defer { avcodec_free_context(&made) }
    let context = try #require(made)
    context.pointee.sample_fmt = AV_SAMPLE_FMT_FLTP
    context.pointee.sample_rate = rate
    context.pointee.bit_rate = 96000
    av_channel_layout_default(&context.pointee.ch_layout, 2)
    context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER
    try check(avcodec_open2(context, encoder, nil), "open aac")
    let stream = try #require(avformat_new_stream(container, nil))
    avcodec_parameters_from_context(stream.pointee.codecpar, context)
    stream.pointee.time_base = AVRational(num: 1, den: rate)
    try check(avio_open(&container.pointee.pb, "file:" + path, AVIO_FLAG_WRITE), "create \(path)")
    defer { avio_closep(&container.pointee.pb) }
    try check(avformat_write_header(container, nil), "header")
    var packet = av_packet_alloc()
    defer { av_packet_free(&packet) }
    let length = Int(context.pointee.frame_size)
    func drain() throws {
      while avcodec_receive_packet(context, packet) >= 0 {
        packet!.pointee.stream_index = 0
        av_packet_rescale_ts(packet, AVRational(num: 1, den: rate), stream.pointee.time_base)
        try check(av_interleaved_write_frame(container, packet), "write")
      }
    }
    for start in stride(from: 0, to: Int(seconds * Double(rate)), by: length) {
      var made = av_frame_alloc()
      defer { av_frame_free(&made) }
      let frame = try #require(made)
      frame.pointee.format = AV_SAMPLE_FMT_FLTP.rawValue
      frame.pointee.nb_samples = Int32(length)
      frame.pointee.sample_rate = rate
      frame.pointee.pts = Int64(start)
      av_channel_layout_copy(&frame.pointee.ch_layout, &context.pointee.ch_layout)
      try check(av_frame_get_buffer(frame, 0), "buffer")
      for (channel, data) in [frame.pointee.data.0, frame.pointee.data.1].enumerated() {
        let values = UnsafeMutableRawPointer(data!).assumingMemoryBound(to: Float.self)
        for index in 0..<length {
          let phase = Double(start + index) * Double(220 * (channel + 2)) / Double(rate)
          values[index] = Float(0.3 * sin(2 * Double.pi * phase))
        }
      }
      try check(avcodec_send_frame(context, frame), "send")
      try drain()
    }
    try check(avcodec_send_frame(context, nil), "finish")
    try drain()
    try check(av_write_trailer(container), "trailer")
  }
}
