// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore

/// FFmpeg's encoder of a track of sound: AAC, Opus, or ALAC where nothing may be lost.
final class SoundCompressor {
  enum Coding: Equatable {
    case aac
    case opus
    /// 16 or 24 bits a sample.
    case alac(bits: Int32)
  }

  /// A packet of the encoder: ticks are samples.
  struct Output {
    var data: [UInt8]
    var time: Int64
    /// 0 where the encoder does not say it.
    var duration: Int64
  }

  /// Bits a second of a channel of AAC: where FFmpeg's encoder is not told from the original.
  private static let bitRate: Int64 = 128_000
  /// The same of Opus, whose recommendation for stereo is 64,000 to 128,000 in all (RFC 6716 §2.1.1).
  private static let opusBitRate: Int64 = 96_000

  let coding: Coding
  /// The samples it takes.
  let form: SoundForm
  /// Whether the coding does not say where the channels are heard.
  let isUnnamed: Bool
  let context: CodecContext
  private let path: String
  private let packet: Packet
  /// As ``OpusOrder/order(_:mask:)``.
  private let order: [Int]?

  /// - Parameters:
  ///   - sampleRate: the lowest that will do; the encoder's next above is taken, or its highest.
  ///   - layout: where the channels are heard; the encoder's is as near to it as it can be.
  ///   - path: for messages.
  /// - Throws: `unsupported` where this FFmpeg lacks the encoder.
  init(
    _ coding: Coding, sampleRate: Int32, layout: SoundLayout, path: String
  ) throws(CinematicError) {
    let id =
      switch coding {
      case .aac: AV_CODEC_ID_AAC
      case .opus: AV_CODEC_ID_OPUS
      case .alac: AV_CODEC_ID_ALAC
      }
    let unsupported = CinematicError(
      .unsupported,
      "this build of FFmpeg cannot encode the sound of \(path) as"
        + " \(String(cString: avcodec_get_name(id)))",
      remedy: coding == .opus
        ? "leave the sound out (\(parameter: .noSound)), or write .mp4 or .mov"
        : "convert the sound to AAC, or leave it out")
    guard let codec = avcodec_find_encoder(id) else { throw unsupported }
    guard let packet = Packet() else { throw .outOfMemory(for: path) }
    let rate = Self.rate(sampleRate, codec)
    var opened: (context: CodecContext, places: SoundPlaces)?
    for places in SoundPlaces.candidates(coding, for: layout) where opened == nil {
      guard let context = CodecContext(codec) else { throw .outOfMemory(for: path) }
      Self.prepare(context.pointer, coding, rate: rate, places)
      if avcodec_open2(context.pointer, codec, nil) >= 0 { opened = (context, places) }
    }
    guard let (context, places) = opened else { throw unsupported }
    self.coding = coding
    self.context = context
    self.packet = packet
    self.path = path
    isUnnamed = places.isUnnamed
    order =
      coding == .opus && !places.isUnnamed ? OpusOrder.order(codec, mask: places.mask) : nil
    form = SoundForm(
      sampleFormat: context.pointer.pointee.sample_fmt, sampleRate: rate, channelMask: places.mask)
  }

  private static func prepare(
    _ pointer: UnsafeMutablePointer<AVCodecContext>, _ coding: Coding, rate: Int32,
    _ places: SoundPlaces
  ) {
    let channelCount = Int64(places.mask.nonzeroBitCount)
    av_channel_layout_from_mask(&pointer.pointee.ch_layout, places.mask)
    pointer.pointee.sample_rate = rate
    pointer.pointee.time_base = AVRational(num: 1, den: rate)
    pointer.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER
    switch coding {
    case .aac:
      pointer.pointee.sample_fmt = AV_SAMPLE_FMT_FLTP
      // Half the rate has half to say.
      pointer.pointee.bit_rate = bitRate * channelCount * min(Int64(rate), 48000) / 48000
    case .opus:
      pointer.pointee.sample_fmt = AV_SAMPLE_FMT_FLT
      pointer.pointee.bit_rate = opusBitRate * channelCount
      // RFC 7845 §5.1.1.3: channels that have no places.
      if places.isUnnamed { av_opt_set_int(pointer.pointee.priv_data, "mapping_family", 255, 0) }
    case .alac(let bits):
      pointer.pointee.sample_fmt = bits <= 16 ? AV_SAMPLE_FMT_S16P : AV_SAMPLE_FMT_S32P
      pointer.pointee.bits_per_raw_sample = bits
    }
  }

  private static func rate(_ wanted: Int32, _ codec: UnsafePointer<AVCodec>) -> Int32 {
    guard var place = codec.pointee.supported_samplerates else { return wanted }
    var best: Int32 = 0
    while place.pointee != 0 {
      let rate = place.pointee
      let isBetter = best < wanted ? rate > best : rate >= wanted && rate < best
      if isBetter { best = rate }
      place += 1
    }
    return best
  }

  var codecName: String { String(cString: avcodec_get_name(context.pointer.pointee.codec_id)) }
  /// Samples of every frame but the last.
  var frameLength: Int { max(Int(context.pointer.pointee.frame_size), 1) }

  /// The parameters that a container states.
  ///
  /// - Throws: `outOfMemory`.
  func makeParameters() throws(CinematicError) -> SoundParameters {
    guard let parameters = SoundParameters(context: context.pointer) else {
      throw .outOfMemory(for: path)
    }
    return parameters
  }

  /// Compresses a frame of ``form``; `nil` after the last one.
  ///
  /// - Throws: `outOfMemory`, or what the encoder says.
  func encode(_ frame: SoundFrame?) throws(CinematicError) -> [Output] {
    var outputs: [Output] = []
    if let frame, let order { frame.arrange(order) }
    try context.encode(frame?.pointer, packet, failed: failed) { packet throws(CinematicError) in
      let stamp = packet.pointer.pointee
      outputs.append(Output(data: packet.bytes, time: stamp.pts, duration: stamp.duration))
    }
    return outputs
  }

  private func failed(_ code: Int32) -> CinematicError {
    code == FFmpeg.outOfMemory
      ? .outOfMemory(for: path)
      : CinematicError(.unknown, "cannot encode the sound of \(path): \(FFmpeg.text(code))")
  }
}
