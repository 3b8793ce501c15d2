// SPDX-License-Identifier: Apache-2.0

import CFFmpeg

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A clip of moving gradients in any container and codec that FFmpeg writes.
public enum ForeignClip {
  public struct Failure: Error, CustomStringConvertible {
    public let description: String
  }

  public struct Options: Sendable {
    public var width = 96
    public var height = 64
    public var frames = 90
    public var rate: Int32 = 30
    /// Pictures of which one is coded alone.
    public var groupSize: Int32 = 12
    /// Pictures in a row that may refer to later ones.
    public var bidirectional: Int32 = 2
    /// Of the codec.
    public var settings: [(String, String)] = []
    /// Of the stream.
    public var language: String?
    /// Of the container.
    public var title: String?

    public init() {}
  }

  public static func canEncode(_ codec: String) -> Bool {
    avcodec_find_encoder_by_name(codec) != nil
  }

  /// The bytes of a clip.
  public static func bytes(
    format: String, codec: String, options: Options = Options()
  ) throws -> [UInt8] {
    var template = Array("/tmp/focal-clip-XXXXXX".utf8CString)
    let folder = template.withUnsafeMutableBufferPointer {
      String(cString: mkdtemp($0.baseAddress!)!)
    }
    let path = folder + "/clip"
    defer {
      unlink(path)
      rmdir(folder)
    }
    try write(path, format: format, codec: codec, options)
    guard let file = fopen(path, "rb") else { throw Failure(description: "nothing was written") }
    defer { fclose(file) }
    fseek(file, 0, SEEK_END)
    let count = ftell(file)
    rewind(file)
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = fread(buffer.baseAddress!, 1, count, file)
    }
  }

  private static func check(_ code: Int32, _ step: String) throws {
    if code < 0 { throw Failure(description: "cannot \(step) (\(code))") }
  }

  private static func write(
    _ path: String, format: String, codec: String, _ options: Options
  ) throws {
    av_log_set_level(AV_LOG_QUIET)
    guard let encoder = avcodec_find_encoder_by_name(codec) else {
      throw Failure(description: "there is no encoder \(codec)")
    }
    var output: UnsafeMutablePointer<AVFormatContext>?
    avformat_alloc_output_context2(&output, nil, format, path)
    guard let output, let stream = avformat_new_stream(output, nil) else {
      throw Failure(description: "cannot create a file of the format \(format)")
    }
    defer { avformat_free_context(output) }
    var context = avcodec_alloc_context3(encoder)
    defer { avcodec_free_context(&context) }
    guard let context else { throw Failure(description: "no memory") }
    let base = AVRational(num: 1, den: options.rate)
    context.pointee.width = Int32(options.width)
    context.pointee.height = Int32(options.height)
    context.pointee.pix_fmt = AV_PIX_FMT_YUV420P
    context.pointee.time_base = base
    context.pointee.framerate = AVRational(num: options.rate, den: 1)
    context.pointee.gop_size = options.groupSize
    if !["flv", "ffv1"].contains(codec) {
      context.pointee.max_b_frames = options.bidirectional
    }
    context.pointee.bit_rate = 400_000
    context.pointee.thread_count = 1
    context.pointee.color_primaries = AVCOL_PRI_BT709
    context.pointee.color_trc = AVCOL_TRC_BT709
    context.pointee.colorspace = AVCOL_SPC_BT709
    if output.pointee.oformat.pointee.flags & AVFMT_GLOBALHEADER != 0 {
      context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER
    }
    var settings: OpaquePointer?
    defer { av_dict_free(&settings) }
    for (key, value) in options.settings { av_dict_set(&settings, key, value, 0) }
    try check(avcodec_open2(context, encoder, &settings), "open \(codec)")
    avcodec_parameters_from_context(stream.pointee.codecpar, context)
    stream.pointee.time_base = base
    stream.pointee.avg_frame_rate = context.pointee.framerate
    if let language = options.language {
      av_dict_set(&stream.pointee.metadata, "language", language, 0)
    }
    if let title = options.title { av_dict_set(&output.pointee.metadata, "title", title, 0) }
    try check(avio_open(&output.pointee.pb, "file:" + path, AVIO_FLAG_WRITE), "create \(path)")
    defer { avio_closep(&output.pointee.pb) }
    try check(avformat_write_header(output, nil), "write the head")
    for number in 0..<options.frames {
      var frame = av_frame_alloc()
      defer { av_frame_free(&frame) }
      frame!.pointee.format = AV_PIX_FMT_YUV420P.rawValue
      frame!.pointee.width = Int32(options.width)
      frame!.pointee.height = Int32(options.height)
      frame!.pointee.pts = Int64(number)
      try check(av_frame_get_buffer(frame, 0), "make a frame")
      fill(frame!, number, options)
      try send(frame, context, output, stream, base)
    }
    try send(nil, context, output, stream, base)
    try check(av_write_trailer(output), "write the end")
  }

  private static func fill(
    _ frame: UnsafeMutablePointer<AVFrame>, _ number: Int, _ options: Options
  ) {
    let data = [frame.pointee.data.0, frame.pointee.data.1, frame.pointee.data.2]
    let strides = [frame.pointee.linesize.0, frame.pointee.linesize.1, frame.pointee.linesize.2]
    for plane in 0..<3 {
      let half = plane == 0 ? 1 : 2
      for y in 0..<((options.height + half - 1) / half) {
        for x in 0..<((options.width + half - 1) / half) {
          // A gradient that moves, and steps that tell every frame from the one before.
          let value = plane == 0 ? 40 + (number * 3 + x + 2 * y) % 180 : 90 + (number + x) % 70
          data[plane]![y * Int(strides[plane]) + x] = UInt8(value)
        }
      }
    }
  }

  private static func send(
    _ frame: UnsafeMutablePointer<AVFrame>?, _ context: UnsafeMutablePointer<AVCodecContext>,
    _ output: UnsafeMutablePointer<AVFormatContext>, _ stream: UnsafeMutablePointer<AVStream>,
    _ base: AVRational
  ) throws {
    try check(avcodec_send_frame(context, frame), "encode")
    var packet = av_packet_alloc()
    defer { av_packet_free(&packet) }
    while avcodec_receive_packet(context, packet) >= 0 {
      if packet!.pointee.duration == 0 { packet!.pointee.duration = 1 }
      av_packet_rescale_ts(packet, base, stream.pointee.time_base)
      packet!.pointee.stream_index = 0
      try check(av_interleaved_write_frame(output, packet), "write")
    }
  }
}
