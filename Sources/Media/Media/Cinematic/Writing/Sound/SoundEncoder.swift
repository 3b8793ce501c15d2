// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore

/// Encodes sound as AAC; what is decoded without loss and fits, as ALAC, which loses nothing either.
final class SoundEncoder {
  private let path: String
  private let context: CodecContext
  private let packet: Packet
  private let isLossless: Bool
  private var fifo: SoundFifo?
  private var resampler: Resampler?
  /// Where the first sample lies, in samples after the movie's zero.
  private var start: Int64 = 0
  /// How many samples the encoder has been given.
  private var sentCount: Int64 = 0

  /// - Throws: `unsupported` where this FFmpeg lacks the encoder.
  init(for decoder: CodecContext, path: String) throws(CinematicError) {
    self.path = path
    let source = decoder.pointer
    isLossless = Self.keepsAll(source)
    let id = isLossless ? AV_CODEC_ID_ALAC : AV_CODEC_ID_AAC
    let name = String(cString: avcodec_get_name(id))
    let unsupported = CinematicError(
      .unsupported, "this build of FFmpeg cannot encode the sound of \(path) as \(name)",
      remedy: "convert the clip to an MP4 with AAC sound, or leave the sound out with --no-sound")
    guard let codec = avcodec_find_encoder(id) else { throw unsupported }
    guard let context = CodecContext(codec), let packet = Packet() else {
      throw .outOfMemory(for: path)
    }
    let channels = source.pointee.ch_layout.nb_channels
    let pointer = context.pointer
    pointer.pointee.sample_rate = Self.rate(source.pointee.sample_rate, codec)
    av_channel_layout_from_mask(&pointer.pointee.ch_layout, Self.layout(channels))
    pointer.pointee.sample_fmt =
      !isLossless
      ? AV_SAMPLE_FMT_FLTP
      : Self.isShort(source.pointee.sample_fmt) ? AV_SAMPLE_FMT_S16P : AV_SAMPLE_FMT_S32P
    if isLossless {
      pointer.pointee.bits_per_raw_sample = Self.isShort(source.pointee.sample_fmt) ? 16 : 24
    } else {
      // What people do not tell from the original.
      pointer.pointee.bit_rate = 96_000 * Int64(pointer.pointee.ch_layout.nb_channels)
    }
    pointer.pointee.time_base = AVRational(num: 1, den: pointer.pointee.sample_rate)
    pointer.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER
    guard avcodec_open2(pointer, codec, nil) >= 0 else { throw unsupported }
    self.context = context
    self.packet = packet
  }

  /// Whether ALAC holds everything that a decoder gives.
  private static func keepsAll(_ decoder: UnsafeMutablePointer<AVCodecContext>) -> Bool {
    guard let properties = avcodec_descriptor_get(decoder.pointee.codec_id)?.pointee.props,
      properties & AV_CODEC_PROP_LOSSLESS != 0, properties & AV_CODEC_PROP_LOSSY == 0,
      decoder.pointee.ch_layout.nb_channels <= 6
    else { return false }
    if isShort(decoder.pointee.sample_fmt) { return true }
    return [AV_SAMPLE_FMT_S32, AV_SAMPLE_FMT_S32P].contains(decoder.pointee.sample_fmt)
      && (1...24).contains(decoder.pointee.bits_per_raw_sample)
  }

  private static func isShort(_ format: AVSampleFormat) -> Bool {
    [AV_SAMPLE_FMT_U8, AV_SAMPLE_FMT_U8P, AV_SAMPLE_FMT_S16, AV_SAMPLE_FMT_S16P].contains(format)
  }

  /// The rate itself where the codec has it, else the nearest of its own above, or its highest.
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

  /// The layouts that both codecs have for a number of channels.
  private static func layout(_ channels: Int32) -> UInt64 {
    let (left, right, centre, low): (UInt64, UInt64, UInt64, UInt64) = (1, 2, 4, 8)
    let (backLeft, backRight, backCentre): (UInt64, UInt64, UInt64) = (0x10, 0x20, 0x100)
    return switch channels {
    case 1: centre
    case 2: left | right
    case 3: left | right | centre
    case 4: left | right | centre | backCentre
    case 5: left | right | centre | backLeft | backRight
    default: left | right | centre | low | backLeft | backRight
    }
  }

  var codecName: String { String(cString: avcodec_get_name(context.pointer.pointee.codec_id)) }
  var sampleRate: Int32 { context.pointer.pointee.sample_rate }

  var sampleEntry: Box {
    let pointer = context.pointer.pointee
    let (channels, rate) = (Int(pointer.ch_layout.nb_channels), Int(pointer.sample_rate))
    guard isLossless else {
      return SampleEntry.sound(
        "mp4a", channelCount: channels, sampleRate: rate, samplesPerPacket: 1024,
        extensions: [
          Box("mp4a", data: [0, 0, 0, 0]),
          SampleEntry.elementaryStream(
            objectType: 0x40, averageBitRate: Int(clamping: pointer.bit_rate),
            specific: context.extradata),
        ])
    }
    return SampleEntry.sound(
      "alac", channelCount: channels, sampleRate: rate,
      samplesPerPacket: Int(pointer.frame_size),
      // Without the head of the box, which FFmpeg keeps too.
      extensions: [Box("alac", data: Array(context.extradata.dropFirst(8)))])
  }

  /// Says where the first sample lies on the movie's timeline.
  func begin(at time: Time) { start = time.converted(to: sampleRate).value }

  /// Adds silence, so many samples of the source.
  func addSilence(
    _ count: Int64, like frame: UnsafeMutablePointer<AVFrame>
  ) throws(CinematicError) {
    var left = count
    while left > 0 {
      let some = min(left, Int64(sampleRate))
      try resampler(for: frame).addSilence(Int32(some))
      left -= some
    }
  }

  /// Adds a frame's samples, from one of them on.
  func add(
    _ frame: UnsafeMutablePointer<AVFrame>, from first: Int
  ) throws(CinematicError) -> [MediaSample] {
    let fifo = try queue()
    try resampler(for: frame).add(frame, from: first, to: fifo)
    return try encode(fifo, isLast: false)
  }

  /// Gets everything out of the encoder.
  func finish() throws(CinematicError) -> [MediaSample] {
    guard let fifo else { return [] }
    try resampler?.finish(to: fifo)
    return try encode(fifo, isLast: true) + send(nil)
  }

  private func queue() throws(CinematicError) -> SoundFifo {
    if let fifo { return fifo }
    guard let made = SoundFifo(context) else { throw .outOfMemory(for: path) }
    fifo = made
    return made
  }

  /// What brings samples of the frame's kind into the encoder's.
  private func resampler(
    for frame: UnsafeMutablePointer<AVFrame>
  ) throws(CinematicError) -> Resampler {
    if let resampler, resampler.fits(frame) { return resampler }
    let fifo = try queue()
    try resampler?.finish(to: fifo)
    let made = try Resampler(from: frame, to: context, path: path)
    resampler = made
    return made
  }

  private func encode(_ fifo: SoundFifo, isLast: Bool) throws(CinematicError) -> [MediaSample] {
    var samples: [MediaSample] = []
    let length = max(1, context.pointer.pointee.frame_size)
    while fifo.count >= length || (isLast && fifo.count > 0) {
      guard let frame = fifo.take(min(length, fifo.count), for: context) else {
        throw .outOfMemory(for: path)
      }
      frame.pointer.pointee.pts = start + sentCount
      sentCount += Int64(frame.pointer.pointee.nb_samples)
      samples += try send(frame.pointer)
    }
    return samples
  }

  private func send(
    _ frame: UnsafeMutablePointer<AVFrame>?
  ) throws(CinematicError) -> [MediaSample] {
    var samples: [MediaSample] = []
    let sent = avcodec_send_frame(context.pointer, frame)
    guard sent >= 0 || (frame == nil && sent == FFmpeg.endOfFile) else { throw failed(sent) }
    while true {
      let code = avcodec_receive_packet(context.pointer, packet.pointer)
      if code == FFmpeg.again || code == FFmpeg.endOfFile { return samples }
      guard code >= 0 else { throw failed(code) }
      defer { av_packet_unref(packet.pointer) }
      let stamp = packet.pointer.pointee
      // The last packets are as long as there is sound, whatever the codec fills them up with.
      let end = min(stamp.pts + Int64(context.pointer.pointee.frame_size), start + sentCount)
      let duration = stamp.duration > 0 ? stamp.duration : end - stamp.pts
      var sample = MediaSample(data: packet.bytes, time: stamp.pts, duration: max(duration, 1))
      // What the codec needs to get going, before the first sample is heard.
      sample.isPreroll = stamp.pts + sample.duration <= start
      samples.append(sample)
    }
  }

  private func failed(_ code: Int32) -> CinematicError {
    code == FFmpeg.outOfMemory
      ? .outOfMemory(for: path)
      : CinematicError(.unknown, "cannot encode the sound of \(path): \(FFmpeg.text(code))")
  }
}
