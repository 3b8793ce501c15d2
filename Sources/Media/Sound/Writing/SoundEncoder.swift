// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore

/// Decodes stretches of any coding and compresses them as one track, with silence in between: AAC, or
/// ALAC where that loses nothing and the movie is QuickTime's.
///
/// The track begins with the first sample that is heard, not with the silence before it.
final class SoundEncoder: SoundLane {
  private let path: String
  private let stretches: [SoundStretch]
  private let compressor: SoundCompressor
  /// Samples for the encoder.
  private let fifo: SoundFifo
  private var number = 0
  private var decoder: SoundDecoder?
  /// Where the first sample lies in the movie, in samples; `nil` before it is known.
  private var start: Int64?
  /// All samples that were encoded.
  private var sentCount: Int64 = 0
  private var position: Int64 { (start ?? 0) + sentCount + Int64(fifo.count) }

  let entry: SoundEntry
  var timescale: Int32 { compressor.form.sampleRate }
  var codecName: String { compressor.codecName }

  /// - Precondition: at least one stretch.
  /// - Throws: `unsupported` where this FFmpeg has no encoder, or no decoder for a stretch.
  init(
    _ stretches: [SoundStretch], in container: SoundContainer, path: String
  ) throws(CinematicError) {
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
    let coding = try Self.coding(of: stretches, in: container)
    compressor = try SoundCompressor(
      coding, sampleRate: rate, channelCount: channelCount, path: path)
    guard let fifo = SoundFifo(compressor.form) else { throw .outOfMemory(for: path) }
    self.fifo = fifo
    entry = try SoundEntry(compressor, in: container)
  }

  /// ALAC where every stretch is decoded without loss into samples that it holds.
  private static func coding(
    of stretches: [SoundStretch], in container: SoundContainer
  ) throws(CinematicError) -> SoundCompressor.Coding {
    guard container.format == .quickTime else { return .aac }
    let first = stretches[0].source.parameters
    var bits: Int32 = 16
    for stretch in stretches {
      let parameters = stretch.source.parameters
      guard parameters.sampleRate == first.sampleRate,
        parameters.channelCount == first.channelCount, parameters.channelCount <= 6,
        let found = try parameters.losslessBits(name: stretch.source.name), found <= 24
      else { return .aac }
      bits = max(bits, found)
    }
    return .alac(bits: bits <= 16 ? 16 : 24)
  }

  func write(until limit: Time?, sink: SoundSink) throws(CinematicError) {
    try fill(until: limit.map(samples) ?? .max, sink)
  }

  func finish(at end: Time?, sink: SoundSink) throws(CinematicError) {
    let end = end.map(samples) ?? .max
    try fill(until: end, sink)
    let kept = max(0, min(Int64(fifo.count), end - (start ?? 0) - sentCount))
    var left = Int(kept)
    while left > 0 {
      let count = min(compressor.frameLength, left)
      try send(count, sink)
      left -= count
    }
    if sentCount > 0 { try encode(nil, sink) }
  }

  private func samples(_ time: Time) -> Int64 { time.ticks(compressor.form.sampleRate) }

  /// Decodes up to a time, in samples.
  private func fill(until limit: Int64, _ sink: SoundSink) throws(CinematicError) {
    while position < limit, number < stretches.count {
      let stretch = stretches[number]
      let begin = samples(stretch.time)
      if start == nil, begin >= limit { return }
      // Also after sound that ended early.
      if start != nil, position < begin {
        try add(silence: min(begin, limit) - position)
      } else {
        try decode(stretch, from: begin, until: samples(stretch.end))
      }
      while fifo.count >= compressor.frameLength { try send(compressor.frameLength, sink) }
    }
  }

  /// Adds a stretch's next samples, up to its end.
  private func decode(
    _ stretch: SoundStretch, from begin: Int64, until end: Int64
  ) throws(CinematicError) {
    if decoder == nil {
      decoder = try SoundDecoder(stretch, form: compressor.form, skipsLead: start == nil)
    }
    let decoded = start == nil || position < end ? try decoder?.next() : nil
    guard let decoded, let decoder else {
      self.decoder = nil
      number += 1
      return
    }
    if start == nil {
      start =
        begin
        + av_rescale(
          decoder.lead, Int64(timescale), Int64(stretch.source.parameters.sampleRate))
    }
    decoded.cut(to: Int(clamping: max(0, end - position)))
    try add(decoded)
  }

  private func add(silence count: Int64) throws(CinematicError) {
    // Long silence comes in parts, so that little is held; the rest is asked for again.
    let count = Int(min(count, 1 << 16))
    guard let frame = compressor.form.makeSilence(count: count) else {
      throw .outOfMemory(for: path)
    }
    try add(frame)
  }

  private func add(_ frame: SoundFrame) throws(CinematicError) {
    guard frame.count == 0 || fifo.add(frame) else { throw .outOfMemory(for: path) }
  }

  private func send(_ count: Int, _ sink: SoundSink) throws(CinematicError) {
    guard let frame = fifo.take(count) else { throw .outOfMemory(for: path) }
    frame.pointer.pointee.pts = (start ?? 0) + sentCount
    sentCount += Int64(count)
    try encode(frame, sink)
  }

  private func encode(_ frame: SoundFrame?, _ sink: SoundSink) throws(CinematicError) {
    let start = start ?? 0
    for output in try compressor.encode(frame) {
      // The last packets are as long as there is sound, whatever the codec fills them up with.
      let end = min(output.time + Int64(compressor.frameLength), start + sentCount)
      let duration = output.duration > 0 ? output.duration : end - output.time
      var sample = MediaSample(data: output.data, time: output.time, duration: max(duration, 1))
      // The codec's start-up packets precede the first sample that is heard.
      sample.isPreroll = output.time + sample.duration <= start
      try sink(sample)
    }
  }
}

extension SoundParameters {
  /// The bits that a decoder's samples fill where nothing is lost; `nil` where something is.
  fileprivate func losslessBits(name: String) throws(CinematicError) -> Int32? {
    guard let properties = avcodec_descriptor_get(codec)?.pointee.props,
      properties & AV_CODEC_PROP_LOSSLESS != 0, properties & AV_CODEC_PROP_LOSSY == 0
    else { return nil }
    let decoder = try makeDecoder(name: name).pointer.pointee
    switch decoder.sample_fmt {
    case AV_SAMPLE_FMT_U8, AV_SAMPLE_FMT_U8P, AV_SAMPLE_FMT_S16, AV_SAMPLE_FMT_S16P: return 16
    case AV_SAMPLE_FMT_S32, AV_SAMPLE_FMT_S32P:
      return decoder.bits_per_raw_sample > 0 ? decoder.bits_per_raw_sample : nil
    default: return nil
    }
  }
}
