// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore

/// A film of plain luma and chroma as Y4M or NUT, by libavformat.
final class StreamMuxer {
  private let pipe: OutputPipe
  private let format: StreamFormat
  private let settings: WriterSettings
  private let filler: MovieFrameFiller
  private let encoder: CodecContext
  private let packet: Packet
  private var context: UnsafeMutablePointer<AVFormatContext>?
  private var io: UnsafeMutablePointer<AVIOContext>?
  /// The first error of the pipe: libavformat itself hands on a number only.
  private var failure: CinematicError?
  private var count: Int64 = 0
  private var hasHeader = false

  private static let bufferSize: Int32 = 1 << 16

  /// - Throws: `unsupported` for an FFmpeg without the muxer, `invalidParameter` for a format that films
  ///   are not made from, `outOfMemory`.
  init(
    _ pipe: OutputPipe, _ format: StreamFormat, _ settings: WriterSettings
  ) throws(CinematicError) {
    _ = FFmpeg.prepared
    try settings.checkForMovie(pipe.name)
    self.pipe = pipe
    self.format = format
    self.settings = settings
    let pixels = CodedPixels(settings.pixelFormat)
    filler = try MovieFrameFiller(
      format: settings.pixelFormat, dimensions: settings.dimensions, tags: settings.tags,
      pixels: pixels, pixels.bitDepth > 8 ? AV_PIX_FMT_YUV420P10LE : AV_PIX_FMT_YUV420P,
      encoded: settings.dimensions.even, path: pipe.name)
    // Y4M's muxer takes frames as they are, NUT's their bytes.
    let codecID = format == .y4m ? AV_CODEC_ID_WRAPPED_AVFRAME : AV_CODEC_ID_RAWVIDEO
    let muxerName = format == .y4m ? "yuv4mpegpipe" : "nut"
    guard let codec = avcodec_find_encoder(codecID),
      let muxer = av_guess_format(muxerName, nil, nil)
    else {
      throw CinematicError(
        .unsupported, "this build of FFmpeg cannot write \(format.name)",
        remedy: "install a common one, or send png")
    }
    guard let encoder = CodecContext(codec), let packet = Packet() else {
      throw .outOfMemory(for: pipe.name)
    }
    self.encoder = encoder
    self.packet = packet
    configure()
    try check(avcodec_open2(encoder.pointer, codec, nil))
    try check(avformat_alloc_output_context2(&context, muxer, nil, nil))
    guard let context, let stream = avformat_new_stream(context, nil),
      let buffer = av_malloc(Int(Self.bufferSize))
    else { throw .outOfMemory(for: pipe.name) }
    // The context does not outlive this object: unretained references stay valid.
    io = avio_alloc_context(
      buffer.assumingMemoryBound(to: UInt8.self), Self.bufferSize, 1,
      Unmanaged.passUnretained(self).toOpaque(), nil,
      { object, bytes, count in
        Unmanaged<StreamMuxer>.fromOpaque(object!).takeUnretainedValue()
          .write(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
      }, nil)
    guard let io else {
      av_free(buffer)
      throw .outOfMemory(for: pipe.name)
    }
    io.pointee.seekable = 0
    context.pointee.pb = io
    context.pointee.flags |= AVFMT_FLAG_CUSTOM_IO
    // A viewer sees each frame when it is there.
    context.pointee.flush_packets = 1
    // More than 8 bits are usual in Y4M, and stand in no official text.
    context.pointee.strict_std_compliance = FF_COMPLIANCE_UNOFFICIAL
    try check(avcodec_parameters_from_context(stream.pointee.codecpar, encoder.pointer))
    stream.pointee.time_base = encoder.pointer.pointee.time_base
    stream.pointee.avg_frame_rate = encoder.pointer.pointee.framerate
    stream.pointee.sample_aspect_ratio = encoder.pointer.pointee.sample_aspect_ratio
  }

  deinit {
    if io != nil {
      // The buffer may have been replaced by a larger one.
      av_free(io!.pointee.buffer)
      avio_context_free(&io)
    }
    avformat_free_context(context)
  }

  private func configure() {
    let codes = settings.storedColorCodes
    let isFullRange =
      settings.pixelFormat == .yuv420Full8 || settings.pixelFormat == .yuv420Full10
    let step = settings.nominalFrameDuration
    let rate =
      step.value <= Int64(Int32.max)
      ? AVRational(num: step.timescale, den: Int32(step.value)) : AVRational(num: 30, den: 1)
    let pointer = encoder.pointer
    pointer.pointee.width = Int32(settings.dimensions.width)
    pointer.pointee.height = Int32(settings.dimensions.height)
    pointer.pointee.pix_fmt = filler.pixelFormat
    pointer.pointee.framerate = rate
    // Y4M counts frames.
    pointer.pointee.time_base =
      format == .y4m
      ? AVRational(num: rate.den, den: rate.num) : AVRational(num: 1, den: settings.timescale)
    pointer.pointee.sample_aspect_ratio = AVRational(
      num: settings.pixelAspectRatio.horizontal, den: settings.pixelAspectRatio.vertical)
    pointer.pointee.color_primaries = AVColorPrimaries(codes.primaries)
    pointer.pointee.color_trc = AVColorTransferCharacteristic(codes.transfer)
    pointer.pointee.colorspace = AVColorSpace(codes.matrix)
    pointer.pointee.color_range = isFullRange ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG
    pointer.pointee.chroma_sample_location = AVCHROMA_LOC_LEFT
    pointer.pointee.field_order = AV_FIELD_PROGRESSIVE
  }

  /// - Parameter time: from the film's start.
  /// - Throws: `incompatible` for a frame of another size or format than the settings say, `pipeClosed`, `unwritable`.
  func append(_ buffer: PixelBuffer, time: Time, duration: Time) throws(CinematicError) {
    try settings.check(buffer, of: pipe.name)
    if !hasHeader {
      hasHeader = true
      try check(avformat_write_header(context, nil))
    }
    let frame = try filler.fill(buffer, path: pipe.name).pointer
    // Planes of odd sizes are padded, and go out without the padding.
    let whole = (frame.pointee.width, frame.pointee.height)
    defer { (frame.pointee.width, frame.pointee.height) = whole }
    frame.pointee.width = Int32(settings.dimensions.width)
    frame.pointee.height = Int32(settings.dimensions.height)
    let isCounted = format == .y4m
    frame.pointee.pts = isCounted ? count : time.ticks(settings.timescale)
    count += 1
    try check(avcodec_send_frame(encoder.pointer, frame))
    try check(avcodec_receive_packet(encoder.pointer, packet.pointer))
    defer { av_packet_unref(packet.pointer) }
    packet.pointer.pointee.dts = packet.pointer.pointee.pts
    packet.pointer.pointee.duration = isCounted ? 1 : duration.ticks(settings.timescale)
    packet.pointer.pointee.flags |= AV_PKT_FLAG_KEY
    packet.pointer.pointee.stream_index = 0
    if let stream = context?.pointee.streams[0] {
      av_packet_rescale_ts(
        packet.pointer, encoder.pointer.pointee.time_base, stream.pointee.time_base)
    }
    try check(av_write_frame(context, packet.pointer))
  }

  func finish() throws(CinematicError) {
    guard hasHeader else { return }
    try check(av_write_trailer(context))
    avio_flush(io)
    try check(0)
  }

  private func write(_ bytes: UnsafeRawBufferPointer) -> Int32 {
    guard failure == nil else { return focal_averror_of_errno(EPIPE) }
    do throws(CinematicError) {
      try pipe.write(bytes)
      return Int32(bytes.count)
    } catch {
      failure = error
      return focal_averror_of_errno(EPIPE)
    }
  }

  private func check(_ code: Int32) throws(CinematicError) {
    if let failure { throw failure }
    guard code < 0 else { return }
    throw code == FFmpeg.outOfMemory
      ? .outOfMemory(for: pipe.name)
      : CinematicError(
        .unwritable, "cannot write \(format.name) into \(pipe.name): \(FFmpeg.text(code))",
        remedy: "choose another format")
  }
}

extension Dimensions {
  /// With room for halved chroma.
  fileprivate var even: Dimensions {
    Dimensions(width: (width + 1) & ~1, height: (height + 1) & ~1)
  }
}
