// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore

/// Compresses disparity maps as HEVC of ten bits, without loss: what is read back is off by half a
/// code at most.
///
/// Pictures stand in the order in which they are shown, and every half second or so one stands alone,
/// so that any map is found quickly.
final class DisparityEncoder {
  let coding: DisparityCoding
  let dimensions: Dimensions
  /// The size as coded: even, and at least the codec's smallest.
  let codedDimensions: Dimensions
  let configuration: DecoderConfiguration

  private let path: String
  private let context: CodecContext
  private let packet: Packet
  private var durations: [Int64: Int64] = [:]

  /// - Throws: `unsupported` where FFmpeg has no encoder for it.
  init(
    _ coding: DisparityCoding, dimensions: Dimensions, timescale: Int32, frameDuration: Time,
    path: String
  ) throws(CinematicError) {
    self.coding = coding
    self.dimensions = dimensions
    self.path = path
    // The codec's pictures have even sizes, and libx265 takes none smaller than its smallest block.
    codedDimensions = Dimensions(
      width: max(32, (dimensions.width + 1) & ~1), height: max(32, (dimensions.height + 1) & ~1))
    guard let codec = avcodec_find_encoder_by_name("libx265") else {
      throw CinematicError(
        .unsupported, "this build of FFmpeg has no libx265, which \(path) needs",
        remedy: "install an FFmpeg with libx265")
    }
    guard let context = CodecContext(codec), let packet = Packet() else {
      throw .outOfMemory(for: path)
    }
    self.context = context
    self.packet = packet
    let pointer = context.pointer
    pointer.pointee.width = Int32(codedDimensions.width)
    pointer.pointee.height = Int32(codedDimensions.height)
    pointer.pointee.pix_fmt = AV_PIX_FMT_YUV420P10LE
    pointer.pointee.time_base = AVRational(num: 1, den: timescale)
    pointer.pointee.framerate =
      frameDuration.value > 0 && frameDuration.value <= Int64(Int32.max)
      ? AVRational(num: frameDuration.timescale, den: Int32(frameDuration.value))
      : AVRational(num: 30, den: 1)
    pointer.pointee.color_range = AVCOL_RANGE_JPEG
    pointer.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER
    pointer.pointee.thread_count = 0
    let rate = max(1, min(240, Int((1 / max(frameDuration.seconds, 1e-3)).rounded())))
    var options: OpaquePointer?
    defer { av_dict_free(&options) }
    // Slower ones make files of the same quality 3 % smaller, in two thirds more time.
    av_dict_set(&options, "preset", "superfast", 0)
    // No picture waits for a later one. libx265's cutree writes beyond its memory in small pictures.
    av_dict_set(
      &options, "x265-params",
      "log-level=none:\(VideoEncoder.frameThreads(codedDimensions)):lossless=1:bframes=0:rc-lookahead=0:scenecut=0:cutree=0:open-gop=0"
        + ":keyint=\(max(1, rate / 2)):min-keyint=1:info=0", 0)
    let code = avcodec_open2(pointer, codec, &options)
    guard code >= 0 else {
      throw CinematicError(
        .unsupported,
        "cannot encode the disparity of \(path) at \(dimensions): \(FFmpeg.text(code))",
        remedy: "use an FFmpeg whose libx265 takes 10 bits, or smaller maps")
    }
    configuration = try DecoderConfiguration(.hevc, context.extradata)
  }

  /// The disparity track's sample entry.
  var sampleEntry: Box {
    var extensions = [configuration.box]
    // Full range, which QuickTime's own colour box cannot say.
    extensions.append(
      SampleEntry.ColorDescription(primaries: 2, transfer: 2, matrix: 2, isFullRange: true).box)
    if codedDimensions != dimensions {
      extensions.append(SampleEntry.cleanAperture(of: codedDimensions, shown: dimensions))
    }
    return SampleEntry.visual(
      "dish", dimensions: codedDimensions, name: "HEVC", extensions: extensions)
  }

  typealias Sink = (MediaSample) throws(CinematicError) -> Void

  /// Encodes a map that is shown from `ticks` for `duration` ticks.
  func encode(
    _ map: PixelBuffer, ticks: Int64, duration: Int64, sink: Sink
  ) throws(CinematicError) {
    guard let frame = PictureFrame() else { throw .outOfMemory(for: path) }
    frame.pointer.pointee.format = AV_PIX_FMT_YUV420P10LE.rawValue
    frame.pointer.pointee.width = Int32(codedDimensions.width)
    frame.pointer.pointee.height = Int32(codedDimensions.height)
    guard av_frame_get_buffer(frame.pointer, 0) >= 0 else { throw .outOfMemory(for: path) }
    fill(frame, map)
    frame.pointer.pointee.pts = ticks
    durations[ticks] = duration
    try send(frame.pointer, sink)
  }

  /// Gets everything out of the encoder.
  func finish(sink: Sink) throws(CinematicError) { try send(nil, sink) }

  private func fill(_ frame: PictureFrame, _ map: PixelBuffer) {
    let (width, height) = (codedDimensions.width, codedDimensions.height)
    for y in 0..<height {
      let codes = frame.row(y, ofPlane: 0).assumingMemoryBound(to: UInt16.self)
      if y >= map.height {
        codes.update(
          from: frame.row(map.height - 1, ofPlane: 0).assumingMemoryBound(to: UInt16.self),
          count: width)
        continue
      }
      coding.encode(map, row: y, into: codes)
      for x in map.width..<max(map.width, width) { codes[x] = codes[map.width - 1] }
    }
    for plane in 1...2 {
      for y in 0..<(height / 2) {
        let codes = frame.row(y, ofPlane: plane).assumingMemoryBound(to: UInt16.self)
        codes.update(repeating: 512, count: width / 2)
      }
    }
  }

  private func send(_ frame: UnsafeMutablePointer<AVFrame>?, _ sink: Sink) throws(CinematicError) {
    try context.encode(frame, packet, failed: failed) { packet throws(CinematicError) in
      let ticks = packet.pointer.pointee.pts
      let data = try configuration.sample(fromStartCodes: packet.bytes[...])
      // Without reordering a picture is decoded when it is shown.
      try sink(
        MediaSample(
          data: data, decodeTime: ticks, presentationTime: ticks,
          duration: durations.removeValue(forKey: ticks) ?? 1,
          isSync: packet.pointer.pointee.flags & AV_PKT_FLAG_KEY != 0))
    }
  }

  private func failed(_ code: Int32) -> CinematicError {
    code == FFmpeg.outOfMemory
      ? .outOfMemory(for: path)
      : CinematicError(.unknown, "cannot encode the disparity of \(path): \(FFmpeg.text(code))")
  }
}
