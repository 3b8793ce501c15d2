// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore

/// Encodes the sound of a track as AAC; what is decoded without loss and fits, as ALAC, which loses
/// nothing either.
final class SoundTrackEncoder {
  private let path: String
  private let compressor: SoundCompressor
  private let fifo: SoundFifo
  private var resampler: Resampler?
  /// Where the first sample lies, in samples after the movie's zero.
  private var start: Int64 = 0
  /// How many samples the encoder has been given.
  private var sentCount: Int64 = 0

  /// - Throws: `unsupported` where this FFmpeg lacks the encoder.
  init(for decoder: CodecContext, path: String) throws(CinematicError) {
    self.path = path
    let source = decoder.pointer
    let coding: SoundCompressor.Coding =
      Self.keepsAll(source) ? .alac(bits: Self.isShort(source.pointee.sample_fmt) ? 16 : 24) : .aac
    compressor = try SoundCompressor(
      coding, sampleRate: source.pointee.sample_rate,
      channelCount: source.pointee.ch_layout.nb_channels, path: path)
    guard let fifo = SoundFifo(compressor.form) else { throw .outOfMemory(for: path) }
    self.fifo = fifo
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

  var codecName: String { compressor.codecName }
  var sampleRate: Int32 { compressor.form.sampleRate }

  var sampleEntry: Box {
    let (channels, rate) = (Int(compressor.form.channelCount), Int(sampleRate))
    let context = compressor.context
    guard compressor.coding == .aac else {
      return SampleEntry.sound(
        "alac", channelCount: channels, sampleRate: rate, samplesPerPacket: compressor.frameLength,
        // Without the head of the box, which FFmpeg keeps too.
        extensions: [Box("alac", data: Array(context.extradata.dropFirst(8)))])
    }
    return SampleEntry.sound(
      "mp4a", channelCount: channels, sampleRate: rate, samplesPerPacket: 1024,
      extensions: [
        Box("mp4a", data: [0, 0, 0, 0]),
        SampleEntry.elementaryStream(
          objectType: 0x40, averageBitRate: Int(clamping: context.pointer.pointee.bit_rate),
          specific: context.extradata),
      ])
  }

  /// Says where the first sample lies on the movie's timeline.
  func begin(at time: Time) { start = time.converted(to: sampleRate).value }

  /// Adds silence, so many samples of the source, whose frames are like `frame`.
  func addSilence(
    _ count: Int64, like frame: PictureFrame
  ) throws(CinematicError) -> [MediaSample] {
    var samples: [MediaSample] = []
    try resampler(for: frame).silence(count) { silence throws(CinematicError) in
      try add(silence)
      samples += try encode(isLast: false)
    }
    return samples
  }

  /// Adds a frame's samples, from one of them on.
  func add(_ frame: PictureFrame, from first: Int) throws(CinematicError) -> [MediaSample] {
    if let ready = try resampler(for: frame).convert(frame, from: first) { try add(ready) }
    return try encode(isLast: false)
  }

  /// Gets everything out of the encoder.
  func finish() throws(CinematicError) -> [MediaSample] {
    if let rest = try resampler?.flush() { try add(rest) }
    guard sentCount > 0 || fifo.count > 0 else { return [] }
    return try encode(isLast: true) + compress(nil)
  }

  private func add(_ frame: PictureFrame) throws(CinematicError) {
    guard fifo.add(frame) else { throw .outOfMemory(for: path) }
  }

  /// What brings samples of the frame's kind into the encoder's.
  private func resampler(for frame: PictureFrame) throws(CinematicError) -> Resampler {
    if let resampler, resampler.takes(frame) { return resampler }
    if let rest = try resampler?.flush() { try add(rest) }
    let made = try Resampler(from: frame, to: compressor.form, name: path)
    resampler = made
    return made
  }

  private func encode(isLast: Bool) throws(CinematicError) -> [MediaSample] {
    var samples: [MediaSample] = []
    let length = compressor.frameLength
    while fifo.count >= length || (isLast && fifo.count > 0) {
      guard let frame = fifo.take(min(length, fifo.count)) else { throw .outOfMemory(for: path) }
      frame.pointer.pointee.pts = start + sentCount
      sentCount += Int64(frame.pointer.pointee.nb_samples)
      samples += try compress(frame)
    }
    return samples
  }

  private func compress(_ frame: PictureFrame?) throws(CinematicError) -> [MediaSample] {
    try compressor.encode(frame).map { output in
      // The last packets are as long as there is sound, whatever the codec fills them up with.
      let end = min(output.time + Int64(compressor.frameLength), start + sentCount)
      let duration = output.duration > 0 ? output.duration : end - output.time
      var sample = MediaSample(data: output.data, time: output.time, duration: max(duration, 1))
      // What the codec needs to get going, before the first sample is heard.
      sample.isPreroll = output.time + sample.duration <= start
      return sample
    }
  }
}
