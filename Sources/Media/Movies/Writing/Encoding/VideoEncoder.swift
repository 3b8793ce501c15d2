// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore

/// Compresses pictures as H.264 or HEVC: frames in, samples of a movie out, times and durations kept.
final class VideoEncoder {
  let filler: MovieFrameFiller
  let configuration: DecoderConfiguration
  private let path: String
  private let context: CodecContext
  private let packet: Packet
  /// How long each frame lasts that the encoder has not given back yet, by its time.
  private var durations: [Int64: Int64] = [:]
  private var lastTicks: Int64?
  private var sentFrames = 0

  init(_ settings: WriterSettings, path: String) throws(CinematicError) {
    self.path = path
    let isDeep = settings.pixelFormat == .yuv420Video10 || settings.pixelFormat == .yuv420Full10
    if isDeep, settings.codec == .h264 {
      throw CinematicError(
        .invalidParameter, "\(path) cannot keep 10 bits in H.264 that players show",
        remedy: "choose HEVC")
    }
    let isHEVC = isDeep || settings.codec == .hevc
    // libx265 takes no picture smaller than its smallest block.
    filler = try MovieFrameFiller(
      format: settings.pixelFormat, dimensions: settings.dimensions, tags: settings.tags,
      minimumSide: isHEVC ? 32 : 2, path: path)
    let name = isHEVC ? "libx265" : "libx264"
    guard let codec = avcodec_find_encoder_by_name(name) else {
      throw CinematicError(
        .unsupported, "this build of FFmpeg has no \(name), which \(path) needs",
        remedy: "install an FFmpeg with \(name), or write numbered pictures")
    }
    guard let context = CodecContext(codec), let packet = Packet() else {
      throw .outOfMemory(for: path)
    }
    self.context = context
    self.packet = packet
    Self.configure(context, settings, filler, isHEVC: isHEVC)
    var options = Self.options(settings, isHEVC: isHEVC)
    defer { av_dict_free(&options) }
    let code = avcodec_open2(context.pointer, codec, &options)
    guard code >= 0 else {
      throw CinematicError(
        .unsupported,
        "cannot encode \(path) with \(name) at \(settings.dimensions): \(FFmpeg.text(code))",
        remedy: "choose another size, codec, preset or rate factor")
    }
    configuration = try DecoderConfiguration(isHEVC ? .hevc : .h264, context.extradata)
  }

  private static func configure(
    _ context: CodecContext, _ settings: WriterSettings, _ filler: MovieFrameFiller, isHEVC: Bool
  ) {
    let codes = settings.storedColorCodes
    let isFullRange =
      settings.pixelFormat == .yuv420Full8 || settings.pixelFormat == .yuv420Full10
    let step = settings.nominalFrameDuration
    let pointer = context.pointer
    pointer.pointee.width = Int32(filler.encodedDimensions.width)
    pointer.pointee.height = Int32(filler.encodedDimensions.height)
    pointer.pointee.pix_fmt = filler.pixelFormat
    pointer.pointee.time_base = AVRational(num: 1, den: settings.timescale)
    // Only guides the rate control; the frames' own times count.
    pointer.pointee.framerate =
      step.value > 0 && step.value <= Int64(Int32.max)
      ? AVRational(num: step.timescale, den: Int32(step.value)) : AVRational(num: 30, den: 1)
    pointer.pointee.sample_aspect_ratio = AVRational(
      num: settings.pixelAspectRatio.horizontal, den: settings.pixelAspectRatio.vertical)
    pointer.pointee.color_primaries = AVColorPrimaries(codes.primaries)
    pointer.pointee.color_trc = AVColorTransferCharacteristic(codes.transfer)
    pointer.pointee.colorspace = AVColorSpace(codes.matrix)
    pointer.pointee.color_range = isFullRange ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG
    pointer.pointee.chroma_sample_location = AVCHROMA_LOC_LEFT
    pointer.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER
    pointer.pointee.thread_count = 0
    // Players on Apple's systems take HEVC under this tag only.
    if isHEVC { pointer.pointee.codec_tag = focal_tag_hvc1() }
  }

  private static func options(_ settings: WriterSettings, isHEVC: Bool) -> OpaquePointer? {
    var options: OpaquePointer?
    let rate = settings.constantRateFactor ?? (isHEVC ? 18 : 16)
    av_dict_set(&options, "preset", settings.encoderPreset ?? "fast", 0)
    av_dict_set(&options, "crf", "\(rate)", 0)
    if isHEVC {
      // libx265 prints by itself, not through FFmpeg's log. Its look-ahead writes past its own
      // memory in pictures a few blocks wide (seen with 3.5 at 34×48), so small ones do without
      // the part that does.
      let isSmall = settings.dimensions.width < 256 || settings.dimensions.height < 256
      var parameters = ["log-level=none", frameThreads(settings.dimensions)]
      parameters += settings.hdrMetadata.encoderParameters
      if isSmall { parameters.append("cutree=0") }
      // Its rate factor of 0 still rounds; libx264's does not.
      if rate == 0 { parameters.append("lossless=1") }
      av_dict_set(&options, "x265-params", parameters.joined(separator: ":"), 0)
    }
    return options
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
    lastTicks = ticks
    durations[ticks] = duration
    sentFrames += 1
    try send(frame.pointer, sink)
  }

  /// Gets everything out of the encoder.
  func finish(sink: Sink) throws(CinematicError) { try send(nil, sink) }

  private func send(_ frame: UnsafeMutablePointer<AVFrame>?, _ sink: Sink) throws(CinematicError) {
    let sent = avcodec_send_frame(context.pointer, frame)
    guard sent >= 0 || (frame == nil && sent == FFmpeg.endOfFile) else { throw failed(sent) }
    while true {
      let code = avcodec_receive_packet(context.pointer, packet.pointer)
      if code == FFmpeg.again || code == FFmpeg.endOfFile { return }
      guard code >= 0 else { throw failed(code) }
      defer { av_packet_unref(packet.pointer) }
      let stamp = packet.pointer.pointee
      try sink(
        MediaSample(
          data: try configuration.sample(fromStartCodes: packet.bytes[...]),
          // Two frames cannot be reordered, and libx265 computes the decoding times of clips that
          // short from memory that it never set.
          decodeTime: sentFrames <= 2 ? stamp.pts : stamp.dts, presentationTime: stamp.pts,
          duration: durations.removeValue(forKey: stamp.pts) ?? 1,
          isSync: stamp.flags & AV_PKT_FLAG_KEY != 0))
    }
  }

  private func failed(_ code: Int32) -> CinematicError {
    code == FFmpeg.outOfMemory
      ? .outOfMemory(for: path)
      : CinematicError(.unknown, "cannot encode \(path): \(FFmpeg.text(code))")
  }
}
