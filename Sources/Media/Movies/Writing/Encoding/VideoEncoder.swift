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

/// Compresses pictures: frames in, samples of a movie out, times and durations kept.
final class VideoEncoder {
  let filler: MovieFrameFiller
  let format: CodedFormat
  let color: SampleEntry.ColorDescription
  /// The configuration that decoders need before the first picture.
  let extradata: [UInt8]
  let context: CodecContext
  private let choice: EncoderChoice
  private let path: String
  private let packet: Packet
  /// How long each frame lasts that the encoder has not given back yet, by its time.
  private var durations: [Int64: Int64] = [:]
  private var lastTicks: Int64?
  private var sentFrames = 0

  init(_ settings: WriterSettings, path: String) throws(CinematicError) {
    self.path = path
    choice = try EncoderChoice(settings, path: path)
    try Self.checkMemory(choice, path)
    filler = try MovieFrameFiller(
      format: settings.pixelFormat, dimensions: settings.dimensions, tags: settings.tags,
      for: choice,
      path: path)
    guard let context = CodecContext(choice.encoder), let packet = Packet() else {
      throw .outOfMemory(for: path)
    }
    self.context = context
    self.packet = packet
    color = settings.colorDescription(choice.pixels)
    Self.configure(context, settings, choice, color)
    var options = choice.options(settings)
    defer { av_dict_free(&options) }
    let code = avcodec_open2(context.pointer, choice.encoder, &options)
    guard code >= 0 else {
      throw CinematicError(
        .unsupported,
        "cannot encode \(path) with \(choice.name) at \(settings.dimensions): \(FFmpeg.text(code))",
        remedy: "choose another size, codec, preset or rate factor")
    }
    var extradata = context.extradata
    if extradata.isEmpty, choice.codec == .av1 {
      extradata = try Self.firstPacket(settings, choice, color, path)
    }
    self.extradata = extradata
    format = try CodedFormat(
      choice.codec, extradata, choice.pixels, color: color,
      dimensions: choice.dimensions, rate: 1 / max(settings.nominalFrameDuration.seconds, 1e-3))
  }

  /// Without memory libx265 crashes: at 1920x1080 where less than 330 MB are left to it and the renderer.
  private static func checkMemory(
    _ choice: EncoderChoice, _ path: String
  ) throws(CinematicError) {
    guard choice.codec == .hevc else { return }
    let bytesPerPixel = 200 * (choice.pixels.bitDepth > 8 ? 2 : 1)
    let byteCount = (64 << 20) + bytesPerPixel * choice.dimensions.count
    guard !MemoryBudget.isLeft(byteCount) else { return }
    throw CinematicError(
      .outOfMemory,
      "\(path) of \(choice.dimensions) takes \(MemoryBudget.text(byteCount)) of memory to encode, and a limit leaves"
        + " less", remedy: "raise the limit (ulimit -v), or choose a smaller size or H.264")
  }

  /// The configuration for decoders stands in the first packet only: a black picture is compressed for it.
  private static func firstPacket(
    _ settings: WriterSettings, _ choice: EncoderChoice, _ color: SampleEntry.ColorDescription,
    _ path: String
  ) throws(CinematicError) -> [UInt8] {
    guard let context = CodecContext(choice.encoder), let packet = Packet(),
      let frame = PictureFrame(choice.pixelFormat, choice.dimensions)
    else { throw .outOfMemory(for: path) }
    configure(context, settings, choice, color)
    var options = choice.options(settings)
    defer { av_dict_free(&options) }
    let strides = frame.pointer.pointee.linesize
    for (plane, stride) in [strides.0, strides.1, strides.2].enumerated() where stride > 0 {
      let halves = plane > 0 && choice.pixels.chroma == .yuv420
      for y in 0..<(halves ? (choice.dimensions.height + 1) / 2 : choice.dimensions.height) {
        memset(frame.row(y, ofPlane: plane), 0, Int(stride))
      }
    }
    guard avcodec_open2(context.pointer, choice.encoder, &options) >= 0,
      avcodec_send_frame(context.pointer, frame.pointer) >= 0,
      avcodec_send_frame(context.pointer, nil) >= 0,
      avcodec_receive_packet(context.pointer, packet.pointer) >= 0
    else { return [] }
    return packet.bytes
  }

  private static func configure(
    _ context: CodecContext, _ settings: WriterSettings, _ choice: EncoderChoice,
    _ color: SampleEntry.ColorDescription
  ) {
    let step = settings.nominalFrameDuration
    let pointer = context.pointer
    pointer.pointee.width = Int32(choice.dimensions.width)
    pointer.pointee.height = Int32(choice.dimensions.height)
    pointer.pointee.pix_fmt = choice.pixelFormat
    pointer.pointee.time_base = AVRational(num: 1, den: settings.timescale)
    // Only guides the rate control; the frames' own times count.
    pointer.pointee.framerate =
      step.value > 0 && step.value <= Int64(Int32.max)
      ? AVRational(num: step.timescale, den: Int32(step.value)) : AVRational(num: 30, den: 1)
    pointer.pointee.sample_aspect_ratio = AVRational(
      num: settings.pixelAspectRatio.horizontal, den: settings.pixelAspectRatio.vertical)
    pointer.pointee.color_primaries = AVColorPrimaries(UInt32(color.primaries))
    pointer.pointee.color_trc = AVColorTransferCharacteristic(UInt32(color.transfer))
    pointer.pointee.colorspace = AVColorSpace(UInt32(color.matrix))
    pointer.pointee.color_range = color.isFullRange ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG
    pointer.pointee.chroma_sample_location = AVCHROMA_LOC_LEFT
    pointer.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER
    pointer.pointee.thread_count = 0
    // Players on Apple's systems take HEVC under this tag only.
    if choice.codec == .hevc { pointer.pointee.codec_tag = focal_tag_hvc1() }
  }

  /// libx265's own pool of threads runs at the lowest urgency: beside other programs it hardly runs at
  /// all (a fortieth of the speed on two cores with six programs). Threads that encode a picture each
  /// do as much at ordinary urgency.
  static func frameThreads(_ dimensions: Dimensions) -> String {
    // A picture waits for the rows of the one before that it looks at.
    let useful = (dimensions.height + 127) / 128
    let cores = Int(av_cpu_count())
    return "pools=none:frame-threads=\(max(1, min(cores, useful, 16)))"
  }

  typealias Sink = (MediaSample) throws(CinematicError) -> Void

  /// Encodes a picture that is shown from `ticks` for `duration` ticks.
  func encode(
    _ buffer: PixelBuffer, ticks: Int64, duration: Int64, sink: Sink
  ) throws(CinematicError) {
    if let lastTicks, ticks <= lastTicks {
      throw CinematicError(
        .invalidParameter, "frame times of \(path) must increase by at least one tick",
        remedy: "give a finer timescale, or each frame a later time")
    }
    let frame = try filler.fill(buffer, path: path)
    frame.pointer.pointee.pts = ticks
    if ![.h264, .hevc].contains(choice.codec) {
      // Some encoders ask the pictures, not their context.
      frame.pointer.pointee.color_primaries = context.pointer.pointee.color_primaries
      frame.pointer.pointee.color_trc = context.pointer.pointee.color_trc
      frame.pointer.pointee.colorspace = context.pointer.pointee.colorspace
      frame.pointer.pointee.color_range = context.pointer.pointee.color_range
    }
    lastTicks = ticks
    durations[ticks] = duration
    sentFrames += 1
    try send(frame.pointer, sink)
  }

  /// Gets everything out of the encoder.
  func finish(sink: Sink) throws(CinematicError) { try send(nil, sink) }

  private func send(_ frame: UnsafeMutablePointer<AVFrame>?, _ sink: Sink) throws(CinematicError) {
    try context.encode(frame, packet, failed: failed) { packet throws(CinematicError) in
      let stamp = packet.pointer.pointee
      // Two frames cannot be reordered, and libx265 computes the decoding times of clips that
      // short from memory that it never set. Other codecs than H.264 and HEVC reorder within packets.
      let isInOrder = sentFrames <= 2 || ![.h264, .hevc].contains(choice.codec)
      var sample = MediaSample(
        data: try format.sample(packet.bytes[...]),
        decodeTime: isInOrder ? stamp.pts : stamp.dts, presentationTime: stamp.pts,
        duration: durations.removeValue(forKey: stamp.pts) ?? 1,
        isSync: stamp.flags & AV_PKT_FLAG_KEY != 0)
      sample.beside = packet.sideData(AV_PKT_DATA_MATROSKA_BLOCKADDITIONAL)
      try sink(sample)
    }
  }

  private func failed(_ code: Int32) -> CinematicError {
    code == FFmpeg.outOfMemory
      ? .outOfMemory(for: path)
      : CinematicError(.unknown, "cannot encode \(path): \(FFmpeg.text(code))")
  }
}
