// SPDX-License-Identifier: Apache-2.0

import CFFmpeg

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A clip that FFmpeg encodes and writes, for tests of what reads it.
public struct ClipFile {
  public struct Failure: Error, CustomStringConvertible {
    public let description: String
    public init(_ description: String) { self.description = description }
  }

  public typealias Encoder = UnsafeMutablePointer<AVCodecContext>
  public typealias Stream = UnsafeMutablePointer<AVStream>
  public typealias Output = UnsafeMutablePointer<AVFormatContext>
  public typealias Picture = UnsafeMutablePointer<AVFrame>

  /// FFmpeg's name of the container; `nil` for what the path's ending names.
  var format: String?
  /// FFmpeg's name of the encoder.
  var codec: String
  var width: Int
  var height: Int
  var pixelFormat: AVPixelFormat
  /// The unit of the frames' times.
  var timeBase: AVRational
  /// The encoder's own options.
  var options: [(String, String)] = []
  /// Further settings of the encoder before it is opened.
  public var prepare: (Encoder, Output) -> Void = { _, _ in }
  /// Further properties of the stream before the head is written.
  public var describe: (Stream, Encoder, Output) -> Void = { _, _, _ in }

  public init(
    format: String? = nil, codec: String, width: Int, height: Int, pixelFormat: AVPixelFormat,
    timeBase: AVRational, options: [(String, String)] = []
  ) {
    self.format = format
    self.codec = codec
    self.width = width
    self.height = height
    self.pixelFormat = pixelFormat
    self.timeBase = timeBase
    self.options = options
  }

  /// The file's bytes.
  ///
  /// - Parameter fill: draws a frame, given its number, and returns its time.
  func bytes(frames: Int, fill: (Picture, Int) -> Int64) throws -> [UInt8] {
    let folder = TemporaryFolder.make()
    let path = folder + "/clip"
    defer {
      unlink(path)
      rmdir(folder)
    }
    try write(to: path, frames: frames, fill: fill)
    guard let file = fopen(path, "rb") else { throw Failure("nothing was written") }
    defer { fclose(file) }
    fseek(file, 0, SEEK_END)
    let count = ftell(file)
    rewind(file)
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = fread(buffer.baseAddress!, 1, count, file)
    }
  }

  private func check(_ code: Int32, _ step: String) throws {
    if code < 0 { throw Failure("cannot \(step) (\(code))") }
  }

  /// Writes the file.
  ///
  /// - Parameter fill: draws a frame, given its number, and returns its time.
  public func write(to path: String, frames: Int, fill: (Picture, Int) -> Int64) throws {
    av_log_set_level(AV_LOG_QUIET)
    guard let codec = avcodec_find_encoder_by_name(codec) else {
      throw Failure("there is no encoder \(codec)")
    }
    var made: Output?
    avformat_alloc_output_context2(&made, nil, format, path)
    guard let output = made, let stream = avformat_new_stream(output, nil) else {
      throw Failure("cannot create \(path)")
    }
    defer { avformat_free_context(output) }
    var context = avcodec_alloc_context3(codec)
    defer { avcodec_free_context(&context) }
    guard let context else { throw Failure("no memory") }
    context.pointee.width = Int32(width)
    context.pointee.height = Int32(height)
    context.pointee.pix_fmt = pixelFormat
    context.pointee.time_base = timeBase
    prepare(context, output)
    var settings: OpaquePointer?
    defer { av_dict_free(&settings) }
    for (key, value) in options { av_dict_set(&settings, key, value, 0) }
    try check(avcodec_open2(context, codec, &settings), "open \(self.codec)")
    avcodec_parameters_from_context(stream.pointee.codecpar, context)
    stream.pointee.time_base = timeBase
    describe(stream, context, output)
    try check(avio_open(&output.pointee.pb, "file:" + path, AVIO_FLAG_WRITE), "create \(path)")
    defer { avio_closep(&output.pointee.pb) }
    try check(avformat_write_header(output, nil), "write the head")
    for number in 0..<frames {
      var frame = av_frame_alloc()
      defer { av_frame_free(&frame) }
      guard let frame else { throw Failure("no memory") }
      frame.pointee.format = pixelFormat.rawValue
      frame.pointee.width = Int32(width)
      frame.pointee.height = Int32(height)
      try check(av_frame_get_buffer(frame, 0), "make a frame")
      frame.pointee.pts = fill(frame, number)
      try send(frame, context, output, stream)
    }
    try send(nil, context, output, stream)
    try check(av_write_trailer(output), "write the end")
  }

  private func send(
    _ frame: Picture?, _ context: Encoder, _ output: Output, _ stream: Stream
  ) throws {
    try check(avcodec_send_frame(context, frame), "encode")
    var packet = av_packet_alloc()
    defer { av_packet_free(&packet) }
    while avcodec_receive_packet(context, packet) >= 0 {
      if packet!.pointee.duration == 0 { packet!.pointee.duration = 1 }
      av_packet_rescale_ts(packet, timeBase, stream.pointee.time_base)
      packet!.pointee.stream_index = 0
      try check(av_interleaved_write_frame(output, packet), "write")
    }
  }

  /// Hands every element of a picture's planes to `store`: the plane, where the element lies, its
  /// column and row.
  static func forEachElement(
    of picture: Picture, width: Int, height: Int, size: Int,
    _ store: (_ plane: Int, _ place: UnsafeMutableRawPointer, _ x: Int, _ y: Int) -> Void
  ) {
    let data = [picture.pointee.data.0, picture.pointee.data.1, picture.pointee.data.2]
    let strides = [
      picture.pointee.linesize.0, picture.pointee.linesize.1, picture.pointee.linesize.2,
    ]
    for plane in 0..<3 {
      let half = plane == 0 ? 1 : 2
      for y in 0..<((height + half - 1) / half) {
        let row = UnsafeMutableRawPointer(data[plane]!) + y * Int(strides[plane])
        for x in 0..<((width + half - 1) / half) { store(plane, row + size * x, x, y) }
      }
    }
  }
}
