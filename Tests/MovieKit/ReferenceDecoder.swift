// SPDX-License-Identifier: Apache-2.0

import CFFmpeg

/// Every picture of a file's video, decoded in order by libavformat and libavcodec alone.
public enum ReferenceDecoder {
  public struct Failure: Error {
    public var code: Int32
  }

  /// The luma of each picture, rows without padding, and its time in seconds; `nil` if FFmpeg has none.
  public static func luma(of path: String) throws -> [(bytes: [UInt8], time: Double?)] {
    var opened: UnsafeMutablePointer<AVFormatContext>?
    try check(avformat_open_input(&opened, path, nil, nil))
    defer { avformat_close_input(&opened) }
    let input = opened!
    try check(avformat_find_stream_info(input, nil))
    var codec: UnsafePointer<AVCodec>?
    let number = av_find_best_stream(input, AVMEDIA_TYPE_VIDEO, -1, -1, &codec, 0)
    try check(number)
    let stream = input.pointee.streams[Int(number)]!
    var context = avcodec_alloc_context3(codec)
    defer { avcodec_free_context(&context) }
    try check(avcodec_parameters_to_context(context, stream.pointee.codecpar))
    context!.pointee.pkt_timebase = stream.pointee.time_base
    try check(avcodec_open2(context, codec, nil))
    var packet = av_packet_alloc()
    var frame = av_frame_alloc()
    defer {
      av_packet_free(&packet)
      av_frame_free(&frame)
    }
    var pictures: [(bytes: [UInt8], time: Double?)] = []
    func receive() {
      while avcodec_receive_frame(context, frame) >= 0 {
        let stamp = frame!.pointee.best_effort_timestamp
        let base = stream.pointee.time_base
        let time = Double(stamp) * Double(base.num) / Double(base.den)
        pictures.append((luma(frame!), stamp == focal_no_timestamp() ? nil : time))
      }
    }
    while av_read_frame(input, packet) >= 0 {
      defer { av_packet_unref(packet) }
      guard packet!.pointee.stream_index == number else { continue }
      avcodec_send_packet(context, packet)
      receive()
    }
    avcodec_send_packet(context, nil)
    receive()
    return pictures
  }

  private static func luma(_ frame: UnsafeMutablePointer<AVFrame>) -> [UInt8] {
    let (width, stride) = (Int(frame.pointee.width), Int(frame.pointee.linesize.0))
    return (0..<Int(frame.pointee.height)).flatMap { row in
      UnsafeBufferPointer(start: frame.pointee.data.0! + row * stride, count: width)
    }
  }

  private static func check(_ code: Int32) throws {
    if code < 0 { throw Failure(code: code) }
  }
}
