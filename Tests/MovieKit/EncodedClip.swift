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

/// HEVC pictures with reordering and several places where decoding can begin, taken out of a file that
/// FFmpeg wrote.
public struct EncodedClip {
  public struct Failure: Error, CustomStringConvertible {
    public let description: String
  }

  /// `hvc1` with its configuration.
  public let entry: Box
  public let samples: [MovieLayout.Sample]
  /// The time of the first picture on the screen, in ticks: what the edit takes away.
  public let delay: Int

  /// Whether this FFmpeg can encode HEVC.
  public static var isPossible: Bool { avcodec_find_encoder_by_name("libx265") != nil }

  /// - Parameters:
  ///   - frameDuration: ticks of the timescale.
  ///   - value: the 10-bit code of a frame's plane at a column and row.
  public init(
    width: Int, height: Int, frames: Int, timescale: Int32 = 600, frameDuration: Int = 20,
    parameters: String = "keyint=8:min-keyint=8:bframes=3:open-gop=1:scenecut=0:log-level=none",
    value: (_ frame: Int, _ plane: Int, _ x: Int, _ y: Int) -> Int
  ) throws {
    var template = Array("/tmp/focal-clip-XXXXXX".utf8CString)
    let folder = template.withUnsafeMutableBufferPointer {
      String(cString: mkdtemp($0.baseAddress!)!)
    }
    let path = folder + "/clip.mp4"
    defer {
      unlink(path)
      rmdir(folder)
    }
    try Self.encode(
      path, width, height, frames, timescale, Int64(frameDuration), parameters, value)
    let bytes = Self.read(path)
    let boxes = try Box.parse(bytes[...])
    guard let moov = boxes.first(where: { $0.type == "moov" }),
      let track = moov["trak"], let table = track.at("mdia", "minf", "stbl"),
      let entry = table["stsd"]?.boxes.first, let header = track.at("mdia", "mdhd")
    else { throw Failure(description: "FFmpeg's file has no track") }
    var tables: [FourCC: ArraySlice<UInt8>] = [:]
    for box in table.boxes { tables[box.type] = box.data }
    let index = try SampleIndex(tables: tables, fileSize: Int64(bytes.count))
    // FFmpeg chooses its own timescale; ours divides it.
    let scale = Int64(try MediaHeader(header.data).timescale)
    func ticks(_ value: Int64) -> Int { Int(value * Int64(timescale) / scale) }
    self.entry = entry
    samples = (0..<index.count).map { number in
      let sample = index[number]
      let start = Int(sample.offset)
      return MovieLayout.Sample(
        Array(bytes[start..<(start + sample.size)]), duration: frameDuration,
        compositionOffset: ticks(sample.compositionTime - sample.decodeTime),
        isSync: sample.isSync)
    }
    delay = (0..<index.count).map { ticks(index.compositionTime($0)) }.min() ?? 0
  }

  private static func read(_ path: String) -> [UInt8] {
    guard let file = fopen(path, "rb") else { return [] }
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

  private static func encode(
    _ path: String, _ width: Int, _ height: Int, _ frames: Int, _ timescale: Int32,
    _ step: Int64, _ parameters: String, _ value: (Int, Int, Int, Int) -> Int
  ) throws {
    av_log_set_level(AV_LOG_QUIET)
    guard let encoder = avcodec_find_encoder_by_name("libx265") else {
      throw Failure(description: "there is no libx265")
    }
    var output: UnsafeMutablePointer<AVFormatContext>?
    avformat_alloc_output_context2(&output, nil, "mp4", path)
    guard let output, let stream = avformat_new_stream(output, nil) else {
      throw Failure(description: "cannot create \(path)")
    }
    defer { avformat_free_context(output) }
    var context = avcodec_alloc_context3(encoder)
    defer { avcodec_free_context(&context) }
    guard let context else { throw Failure(description: "no memory") }
    let base = AVRational(num: 1, den: timescale)
    context.pointee.width = Int32(width)
    context.pointee.height = Int32(height)
    context.pointee.pix_fmt = AV_PIX_FMT_YUV420P10LE
    context.pointee.time_base = base
    context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER
    context.pointee.codec_tag = focal_tag_hvc1()
    var options: OpaquePointer?
    defer { av_dict_free(&options) }
    av_dict_set(&options, "preset", "ultrafast", 0)
    av_dict_set(&options, "x265-params", parameters, 0)
    try check(avcodec_open2(context, encoder, &options), "open libx265")
    avcodec_parameters_from_context(stream.pointee.codecpar, context)
    stream.pointee.codecpar.pointee.codec_tag = focal_tag_hvc1()
    stream.pointee.time_base = base
    try check(avio_open(&output.pointee.pb, "file:" + path, AVIO_FLAG_WRITE), "create \(path)")
    defer { avio_closep(&output.pointee.pb) }
    try check(avformat_write_header(output, nil), "write the head")
    for number in 0..<frames {
      var frame = av_frame_alloc()
      defer { av_frame_free(&frame) }
      frame!.pointee.format = AV_PIX_FMT_YUV420P10LE.rawValue
      frame!.pointee.width = Int32(width)
      frame!.pointee.height = Int32(height)
      frame!.pointee.pts = Int64(number) * step
      try check(av_frame_get_buffer(frame, 0), "make a frame")
      fill(frame!, number, width, height, value)
      try send(frame, context, output, stream, base)
    }
    try send(nil, context, output, stream, base)
    try check(av_write_trailer(output), "write the end")
  }

  private static func fill(
    _ frame: UnsafeMutablePointer<AVFrame>, _ number: Int, _ width: Int, _ height: Int,
    _ value: (Int, Int, Int, Int) -> Int
  ) {
    let data = [frame.pointee.data.0, frame.pointee.data.1, frame.pointee.data.2]
    let strides = [frame.pointee.linesize.0, frame.pointee.linesize.1, frame.pointee.linesize.2]
    for plane in 0..<3 {
      let half = plane == 0 ? 1 : 2
      for y in 0..<(height / half) {
        let row = UnsafeMutableRawPointer(data[plane]!) + y * Int(strides[plane])
        for x in 0..<(width / half) {
          row.storeBytes(
            of: UInt16(value(number, plane, x, y)).littleEndian, toByteOffset: 2 * x,
            as: UInt16.self)
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
      av_packet_rescale_ts(packet, base, stream.pointee.time_base)
      packet!.pointee.stream_index = 0
      try check(av_interleaved_write_frame(output, packet), "write")
    }
  }
}
