// SPDX-License-Identifier: Apache-2.0

import CFFmpeg

/// The order in which FFmpeg's encoder of Opus has to be given channels.
enum OpusOrder {
  /// The trial's samples a second.
  private static let rate: Int32 = 48000

  /// Which channel is to stand at each place of the encoder's frames so that each is heard where it belongs: FFmpeg
  /// 5.1 confuses some of five and of seven. Tried with a tone that is weaker in each channel than in the one before.
  ///
  /// - Parameters:
  ///   - codec: takes interleaved floats.
  ///   - mask: where the channels are heard.
  /// - Returns: `nil` where nothing is to be moved.
  static func order(_ codec: UnsafePointer<AVCodec>, mask: UInt64) -> [Int]? {
    let count = mask.nonzeroBitCount
    guard count > 2, let powers = measured(codec, mask) else { return nil }
    // The loudest is the first of the encoder's places.
    let heard = powers.indices.sorted { powers[$0] > powers[$1] }
    return heard == Array(heard.indices) ? nil : heard
  }

  /// What is heard of the tone in each channel; `nil` where the trial fails.
  private static func measured(_ codec: UnsafePointer<AVCodec>, _ mask: UInt64) -> [Float]? {
    let count = mask.nonzeroBitCount
    let form = SoundForm(sampleFormat: AV_SAMPLE_FMT_FLT, sampleRate: rate, channelMask: mask)
    guard let encoder = CodecContext(codec), let decoding = avcodec_find_decoder(AV_CODEC_ID_OPUS),
      let decoder = CodecContext(decoding), let packet = Packet(), let heard = SoundFrame(),
      let parameters = avcodec_parameters_alloc()
    else { return nil }
    defer {
      withExtendedLifetime((encoder, decoder)) {}
      var parameters: UnsafeMutablePointer<AVCodecParameters>? = parameters
      avcodec_parameters_free(&parameters)
    }
    let context = encoder.pointer
    av_channel_layout_from_mask(&context.pointee.ch_layout, mask)
    context.pointee.sample_rate = rate
    context.pointee.time_base = AVRational(num: 1, den: rate)
    context.pointee.sample_fmt = AV_SAMPLE_FMT_FLT
    context.pointee.bit_rate = 96_000 * Int64(count)
    context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER
    guard avcodec_open2(context, codec, nil) >= 0,
      avcodec_parameters_from_context(parameters, context) >= 0,
      avcodec_parameters_to_context(decoder.pointer, parameters) >= 0,
      avcodec_open2(decoder.pointer, decoding, nil) >= 0
    else { return nil }
    let length = max(Int(context.pointee.frame_size), 1)
    var powers = [Float](repeating: 0, count: count)
    for number in 0..<6 {
      guard let frame = form.makeFrame(count: length) else { return nil }
      frame.pointer.pointee.pts = Int64(number * length)
      fill(frame, from: number * length, count)
      guard avcodec_send_frame(context, frame.pointer) >= 0 else { return nil }
      while avcodec_receive_packet(context, packet.pointer) >= 0 {
        defer { av_packet_unref(packet.pointer) }
        guard avcodec_send_packet(decoder.pointer, packet.pointer) >= 0 else { return nil }
        while avcodec_receive_frame(decoder.pointer, heard.pointer) >= 0 {
          guard Int(heard.pointer.pointee.ch_layout.nb_channels) == count else { return nil }
          add(heard, to: &powers)
        }
      }
    }
    return powers.allSatisfy { $0 > 0 } ? powers : nil
  }

  /// A tone that the channel of low frequencies has, too.
  private static func fill(_ frame: SoundFrame, from first: Int, _ count: Int) {
    guard let data = frame.pointer.pointee.extended_data[0] else { return }
    data.withMemoryRebound(to: Float.self, capacity: frame.count * count) { samples in
      for index in 0..<frame.count {
        // 100 Hz as a triangle, whose overtones are weak.
        let phase = Float((first + index) % 480) / 480
        var value = 0.5 * (4 * abs(phase - 0.5) - 1)
        for channel in 0..<count {
          samples[index * count + channel] = value
          value /= 1.5
        }
      }
    }
  }

  /// FFmpeg's own decoder gives planes, libopus numbers side by side.
  private static func add(_ frame: SoundFrame, to powers: inout [Float]) {
    let format = AVSampleFormat(rawValue: frame.pointer.pointee.format)
    let isPlanar = format == AV_SAMPLE_FMT_FLTP
    guard isPlanar || format == AV_SAMPLE_FMT_FLT else { return }
    let count = powers.count
    for channel in 0..<count {
      guard let data = frame.pointer.pointee.extended_data[isPlanar ? channel : 0] else { return }
      data.withMemoryRebound(to: Float.self, capacity: frame.count * (isPlanar ? 1 : count)) {
        samples in
        for index in 0..<frame.count {
          let value = samples[isPlanar ? index : index * count + channel]
          powers[channel] += value * value
        }
      }
    }
  }
}
