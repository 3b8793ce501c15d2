// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore

/// Decodes stretches of any coding and compresses them as one track of AAC, with silence in between.
final class SoundEncoder: SoundLane {
  /// What the encoder can do.
  private static let sampleRates: [Int32] = [
    7350, 8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000, 64000, 88200, 96000,
  ]
  /// Bits a second of a channel: where FFmpeg's encoder is not told from the original.
  private static let bitRate: Int64 = 128_000

  let parameters: SoundParameters
  private let path: String
  private let layout: SoundLayout
  private let stretches: [SoundStretch]
  private let encoder: CodecContext
  private let packet: Packet
  private let frameLength: Int
  private var number = 0
  private var decoder: SoundDecoder?
  /// Samples for the encoder, a list a channel.
  private var queue: [[Float]]
  /// Samples that came before those in the queue, and all that were encoded.
  private var sentCount: Int64 = 0
  private var position: Int64 { sentCount + Int64(queue[0].count) }

  /// - Precondition: at least one stretch.
  /// - Throws: `unsupported` where this FFmpeg has no encoder, or no decoder for a stretch.
  init(_ stretches: [SoundStretch], path: String) throws(CinematicError) {
    self.stretches = stretches
    self.path = path
    var rate: Int32 = 1
    var channelCount: Int32 = 1
    for stretch in stretches {
      let parameters = stretch.source.parameters
      rate = max(rate, parameters.sampleRate)
      channelCount = max(channelCount, parameters.channelCount)
      guard avcodec_find_decoder(parameters.codec) != nil else {
        throw CinematicError(
          .unsupported,
          "the sound of \(stretch.source.name) (\(parameters.codecName)) can be neither copied to"
            + " \(path) nor decoded by this build of FFmpeg",
          remedy: "convert its sound to AAC, or leave the sound out")
      }
    }
    layout = SoundLayout(
      sampleRate: Self.sampleRates.first { $0 >= rate } ?? 48000,
      // Of more channels, those that matter are mixed into 7.1.
      channelCount: channelCount == 7 ? 8 : min(channelCount, 8))
    queue = [[Float]](repeating: [], count: Int(layout.channelCount))
    guard let codec = avcodec_find_encoder_by_name("aac") else {
      throw CinematicError(
        .unsupported, "this build of FFmpeg has no encoder for the sound of \(path) (AAC)",
        remedy: "install an FFmpeg with aac, or leave the sound out")
    }
    guard let encoder = CodecContext(codec), let packet = Packet() else {
      throw .outOfMemory(for: path)
    }
    self.encoder = encoder
    self.packet = packet
    let context = encoder.pointer
    context.pointee.sample_fmt = AV_SAMPLE_FMT_FLTP
    context.pointee.sample_rate = layout.sampleRate
    context.pointee.time_base = AVRational(num: 1, den: layout.sampleRate)
    // Half the rate has half to say.
    let share = min(Int64(layout.sampleRate), 48000)
    context.pointee.bit_rate = Self.bitRate * Int64(layout.channelCount) * share / 48000
    context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER
    av_channel_layout_default(&context.pointee.ch_layout, layout.channelCount)
    let code = avcodec_open2(context, codec, nil)
    guard code >= 0 else {
      throw CinematicError(
        .unsupported,
        "cannot encode the sound of \(path) (\(layout.channelCount) channels at"
          + " \(layout.sampleRate) Hz): \(FFmpeg.text(code))",
        remedy: "convert its sound to stereo AAC, or leave the sound out")
    }
    frameLength = max(Int(context.pointee.frame_size), 1)
    guard let parameters = SoundParameters(context: context) else { throw .outOfMemory(for: path) }
    self.parameters = parameters
  }

  func write(until limit: Time?, sink: SoundSink) throws(CinematicError) {
    let limit = limit.map(samples) ?? .max
    try fill(until: limit, sink)
  }

  func finish(at end: Time?, sink: SoundSink) throws(CinematicError) {
    let end = end.map(samples) ?? .max
    try fill(until: end, sink)
    if position > end {
      let surplus = Int(clamping: position - end)
      for channel in queue.indices {
        queue[channel].removeLast(min(queue[channel].count, surplus))
      }
    }
    while !queue[0].isEmpty { try send(min(frameLength, queue[0].count), sink) }
    avcodec_send_frame(encoder.pointer, nil)
    try receive(sink)
  }

  private func samples(_ time: Time) -> Int64 { time.converted(to: layout.sampleRate).value }

  /// Decodes up to a time, in samples.
  private func fill(until limit: Int64, _ sink: SoundSink) throws(CinematicError) {
    while position < limit, number < stretches.count {
      let stretch = stretches[number]
      let start = samples(stretch.time)
      if position < start {
        append(silence: min(start, limit) - position)
      } else {
        try decode(stretch, until: stretch.end.map(samples) ?? .max)
      }
      while queue[0].count >= frameLength { try send(frameLength, sink) }
    }
  }

  /// Adds a stretch's next samples, up to its end.
  private func decode(_ stretch: SoundStretch, until end: Int64) throws(CinematicError) {
    if decoder == nil { decoder = try SoundDecoder(stretch, layout: layout) }
    let decoded = position < end ? try decoder?.next() : nil
    guard let decoded else {
      // Sound that ends early is silent up to the next stretch.
      if end != .max, position < end, number + 1 < stretches.count {
        append(silence: end - position)
      }
      decoder = nil
      number += 1
      return
    }
    guard !decoded.isEmpty else { return }
    let count = min(Int64(decoded[0].count), end - position)
    for channel in queue.indices { queue[channel] += decoded[channel].prefix(Int(count)) }
  }

  private func append(silence count: Int64) {
    // Long silence comes in parts, so that little is held.
    let count = Int(min(count, 1 << 16))
    for channel in queue.indices { queue[channel] += repeatElement(0, count: count) }
  }

  private func send(_ count: Int, _ sink: SoundSink) throws(CinematicError) {
    guard let frame = PictureFrame() else { throw .outOfMemory(for: path) }
    let pointer = frame.pointer
    pointer.pointee.format = AV_SAMPLE_FMT_FLTP.rawValue
    pointer.pointee.nb_samples = Int32(count)
    pointer.pointee.sample_rate = layout.sampleRate
    pointer.pointee.pts = sentCount
    guard
      av_channel_layout_copy(&pointer.pointee.ch_layout, &encoder.pointer.pointee.ch_layout) >= 0,
      av_frame_get_buffer(pointer, 0) >= 0
    else { throw .outOfMemory(for: path) }
    for channel in queue.indices {
      let plane = UnsafeMutableRawPointer(pointer.pointee.extended_data[channel]!)
      queue[channel].withUnsafeBytes { bytes in
        plane.copyMemory(from: bytes.baseAddress!, byteCount: 4 * count)
      }
      queue[channel].removeFirst(count)
    }
    sentCount += Int64(count)
    let code = avcodec_send_frame(encoder.pointer, pointer)
    guard code >= 0 else { throw failed(code) }
    try receive(sink)
  }

  private func receive(_ sink: SoundSink) throws(CinematicError) {
    while true {
      let code = avcodec_receive_packet(encoder.pointer, packet.pointer)
      if code == FFmpeg.again || code == FFmpeg.endOfFile { return }
      guard code >= 0 else { throw failed(code) }
      defer { av_packet_unref(packet.pointer) }
      let length = packet.pointer.pointee.duration
      try sink(
        packet.bytes, packet.pointer.pointee.pts, length > 0 ? length : Int64(frameLength))
    }
  }

  private func failed(_ code: Int32) -> CinematicError {
    code == FFmpeg.outOfMemory
      ? .outOfMemory(for: path)
      : CinematicError(.unknown, "cannot encode the sound of \(path): \(FFmpeg.text(code))")
  }
}
