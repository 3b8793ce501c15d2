// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore

/// Encodes clips of kinds that the package itself never writes, for its reader to read.
///
/// Works on the codes of FFmpeg's planar formats: `value` gives the code of a plane's sample.
struct TestClip {
  var codec: String
  var format: AVPixelFormat
  var size: Dimensions
  var frameCount = 5
  var timeBase = AVRational(num: 1, den: 30)
  /// The time of a frame in ticks.
  var ticks: (Int) -> Int64 = { Int64($0) }
  var options: [String: String] = [:]
  var range = AVCOL_RANGE_UNSPECIFIED
  /// Takes the frame, plane, column and row.
  var value: (Int, Int, Int, Int) -> Int

  struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ step: String) { description = "cannot make the test clip: \(step)" }
  }

  /// Whether this FFmpeg has the encoder.
  static func hasEncoder(_ name: String) -> Bool { avcodec_find_encoder_by_name(name) != nil }

  func write(to path: String) throws {
    av_log_set_level(AV_LOG_QUIET)
    guard let encoder = avcodec_find_encoder_by_name(codec) else { throw Failure(codec) }
    var output: UnsafeMutablePointer<AVFormatContext>?
    avformat_alloc_output_context2(&output, nil, nil, path)
    guard let output, let stream = avformat_new_stream(output, nil) else { throw Failure(path) }
    defer { avformat_free_context(output) }
    var context = avcodec_alloc_context3(encoder)
    defer { avcodec_free_context(&context) }
    guard let context else { throw Failure("memory") }
    context.pointee.width = Int32(size.width)
    context.pointee.height = Int32(size.height)
    context.pointee.pix_fmt = format
    context.pointee.time_base = timeBase
    context.pointee.framerate = AVRational(num: 30, den: 1)
    context.pointee.color_range = range
    if output.pointee.oformat.pointee.flags & AVFMT_GLOBALHEADER != 0 {
      context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER
    }
    var dictionary: OpaquePointer?
    defer { av_dict_free(&dictionary) }
    for (key, value) in options { av_dict_set(&dictionary, key, value, 0) }
    try check(avcodec_open2(context, encoder, &dictionary), "open \(codec)")
    avcodec_parameters_from_context(stream.pointee.codecpar, context)
    stream.pointee.time_base = timeBase
    stream.pointee.avg_frame_rate = context.pointee.framerate
    try check(avio_open(&output.pointee.pb, "file:" + path, AVIO_FLAG_WRITE), "create \(path)")
    defer { avio_closep(&output.pointee.pb) }
    try check(avformat_write_header(output, nil), "header")
    for index in 0..<frameCount {
      var frame = av_frame_alloc()
      defer { av_frame_free(&frame) }
      try fill(frame!, index)
      try send(frame, context, output, stream)
    }
    try send(nil, context, output, stream)
    try check(av_write_trailer(output), "trailer")
  }

  private func check(_ code: Int32, _ step: String) throws {
    if code < 0 { throw Failure("\(step) (\(code))") }
  }

  private func fill(_ frame: UnsafeMutablePointer<AVFrame>, _ index: Int) throws {
    frame.pointee.format = format.rawValue
    frame.pointee.width = Int32(size.width)
    frame.pointee.height = Int32(size.height)
    frame.pointee.color_range = range
    frame.pointee.pts = ticks(index)
    try check(av_frame_get_buffer(frame, 0), "buffer")
    let description = av_pix_fmt_desc_get(format)!.pointee
    let wide = description.comp.0.depth > 8
    let planes = [frame.pointee.data.0, frame.pointee.data.1, frame.pointee.data.2]
    let strides = [
      frame.pointee.linesize.0, frame.pointee.linesize.1, frame.pointee.linesize.2,
    ]
    for (plane, data) in planes.enumerated() {
      guard let data else { continue }
      let shiftX = plane == 0 ? 0 : Int(description.log2_chroma_w)
      let shiftY = plane == 0 ? 0 : Int(description.log2_chroma_h)
      for y in 0..<((size.height + (1 << shiftY) - 1) >> shiftY) {
        let row = UnsafeMutableRawPointer(data) + y * Int(strides[plane])
        for x in 0..<((size.width + (1 << shiftX) - 1) >> shiftX) {
          let code = value(index, plane, x, y)
          if wide {
            row.storeBytes(of: UInt16(code).littleEndian, toByteOffset: 2 * x, as: UInt16.self)
          } else {
            row.storeBytes(of: UInt8(code), toByteOffset: x, as: UInt8.self)
          }
        }
      }
    }
  }

  private func send(
    _ frame: UnsafeMutablePointer<AVFrame>?, _ context: UnsafeMutablePointer<AVCodecContext>,
    _ output: UnsafeMutablePointer<AVFormatContext>, _ stream: UnsafeMutablePointer<AVStream>
  ) throws {
    try check(avcodec_send_frame(context, frame), "send")
    var packet = av_packet_alloc()
    defer { av_packet_free(&packet) }
    while avcodec_receive_packet(context, packet) >= 0 {
      av_packet_rescale_ts(packet, timeBase, stream.pointee.time_base)
      packet!.pointee.stream_index = 0
      try check(av_interleaved_write_frame(output, packet), "write")
    }
  }
}
