// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore

/// Decodes stretches of any coding and compresses them as one track, with silence in between: AAC, in WebM Opus, or
/// ALAC where that loses nothing and the movie is QuickTime's.
///
/// The track begins with the first sample that is heard, not with the silence before it.
final class SoundEncoder: SoundLane {
  private let stretches: [SoundStretch]
  private let packer: SoundPacker
  private var number = 0
  private var decoder: SoundDecoder?

  let entry: SoundEntry
  /// Where channels are heard otherwise than in the source, or are mixed; `nil` for none.
  let layoutChange: WrittenSound.LayoutChange?
  var timescale: Int32 { packer.compressor.form.sampleRate }
  var codecName: String { packer.compressor.codecName }

  /// - Precondition: at least one stretch.
  /// - Throws: `unsupported` where this FFmpeg has no encoder, or no decoder for a stretch.
  init(
    _ stretches: [SoundStretch], in container: SoundContainer, path: String
  ) throws(CinematicError) {
    self.stretches = stretches
    var rate: Int32 = 1
    var layouts: [SoundLayout] = []
    for stretch in stretches {
      let parameters = stretch.source.parameters
      rate = max(rate, parameters.sampleRate)
      guard avcodec_find_decoder(parameters.codec) != nil else {
        throw CinematicError(
          .unsupported,
          "the sound of \(stretch.source.name) (\(parameters.codecName)) can be neither copied to"
            + " \(path) nor decoded by this build of FFmpeg",
          remedy: "convert its sound to AAC, or leave the sound out")
      }
      let layout = try stretch.source.layout()
      if !layouts.contains(layout) { layouts.append(layout) }
    }
    let largest = layouts.reduce(layouts[0]) { $1.count > $0.count ? $1 : $0 }
    let coding = try Self.coding(of: stretches, in: container)
    packer = try SoundPacker(
      SoundCompressor(coding, sampleRate: rate, layout: largest, path: path), path: path)
    let compressor = packer.compressor
    let changes = layouts.compactMap { WrittenSound.LayoutChange(of: $0, in: compressor) }
    layoutChange = changes.first
    entry = try SoundEntry(compressor, in: container)
  }

  /// ALAC where every stretch is decoded without loss into samples that it holds. What is resampled or mixed, because others
  /// have a higher rate or more channels, takes 24 bits.
  private static func coding(
    of stretches: [SoundStretch], in container: SoundContainer
  ) throws(CinematicError) -> SoundCompressor.Coding {
    guard container.format == .quickTime else { return container.usualCoding }
    let first = stretches[0].source.parameters
    var bits: Int32 = 16
    for stretch in stretches {
      let parameters = stretch.source.parameters
      guard parameters.channelCount <= 6,
        let found = try parameters.losslessBits(name: stretch.source.name), found <= 24
      else { return .aac }
      let isAlike =
        parameters.sampleRate == first.sampleRate && parameters.channelCount == first.channelCount
      bits = max(bits, isAlike ? found : 24)
    }
    return .alac(bits: bits <= 16 ? 16 : 24)
  }

  func write(until limit: Time?, sink: SoundSink) throws(CinematicError) {
    try fill(until: limit.map(samples) ?? .max, sink)
  }

  func finish(at end: Time?, sink: SoundSink) throws(CinematicError) {
    let end = end.map(samples) ?? .max
    try fill(until: end, sink)
    try packer.finish(at: end, sink)
  }

  private func samples(_ time: Time) -> Int64 { packer.samples(time) }

  /// Decodes up to a time, in samples.
  private func fill(until limit: Int64, _ sink: SoundSink) throws(CinematicError) {
    try packer.send(sink, until: limit)
    while packer.position < limit, number < stretches.count {
      let stretch = stretches[number]
      let begin = samples(stretch.time)
      if packer.start == nil, begin >= limit { return }
      // Also after sound that ended early.
      if packer.start != nil, packer.position < begin {
        // Long silence comes in parts; the rest is asked for again.
        try packer.add(silence: min(begin, limit) - packer.position)
      } else {
        try decode(stretch, from: begin, until: end(of: stretch))
      }
      try packer.send(sink, until: limit)
    }
  }

  /// Where a stretch ends, in samples of the movie. What is to lose nothing goes on to the last sample, whatever a
  /// container says that rounds its times.
  private func end(of stretch: SoundStretch) -> Int64 {
    guard case .alac = packer.compressor.coding, number + 1 == stretches.count,
      stretch.reachesRoundedEnd
    else { return samples(stretch.end) }
    return .max / 4
  }

  /// Adds a stretch's next samples, up to its end.
  private func decode(
    _ stretch: SoundStretch, from begin: Int64, until end: Int64
  ) throws(CinematicError) {
    if decoder == nil {
      decoder = try SoundDecoder(
        stretch, form: packer.compressor.form, skipsLead: packer.start == nil)
    }
    let decoded =
      packer.start == nil || packer.position < end ? try decoder?.next() : nil
    guard let decoded, let decoder else {
      self.decoder = nil
      number += 1
      return
    }
    if packer.start == nil {
      packer.start =
        begin
        + av_rescale(
          decoder.lead, Int64(timescale), Int64(stretch.source.parameters.sampleRate))
    }
    decoded.cut(to: Int(clamping: max(0, end - packer.position)))
    try packer.add(decoded)
  }
}

extension WrittenSound.LayoutChange {
  /// `nil` where every channel is heard where it was, and where nobody said where that was.
  fileprivate init?(of layout: SoundLayout, in compressor: SoundCompressor) {
    let stored = compressor.form.layout
    let isMixed = layout.count != stored.count
    if layout.count < stored.count {
      // One channel is heard on both sides of two.
      guard layout.count > 1, layout.isStated, !layout.isPart(of: stored) else { return nil }
    } else if !isMixed {
      guard layout.isStated, compressor.isUnnamed || !layout.isSame(as: stored) else { return nil }
    }
    self.init(
      from: layout.name, to: compressor.isUnnamed ? nil : stored.name, isMixed: isMixed)
  }
}

extension SoundParameters {
  /// The bits that a decoder's samples fill where nothing is lost; `nil` where something is.
  fileprivate func losslessBits(name: String) throws(CinematicError) -> Int32? {
    guard let properties = avcodec_descriptor_get(codec)?.pointee.props,
      properties & AV_CODEC_PROP_LOSSLESS != 0, properties & AV_CODEC_PROP_LOSSY == 0
    else { return nil }
    // The context goes with the decoder, whose last use is before its fields are read.
    let (format, bits) = withExtendedLifetime(try makeDecoder(name: name)) {
      ($0.pointer.pointee.sample_fmt, $0.pointer.pointee.bits_per_raw_sample)
    }
    switch format {
    case AV_SAMPLE_FMT_U8, AV_SAMPLE_FMT_U8P, AV_SAMPLE_FMT_S16, AV_SAMPLE_FMT_S16P: return 16
    case AV_SAMPLE_FMT_S32, AV_SAMPLE_FMT_S32P:
      return bits > 0 ? bits : nil
    default: return nil
    }
  }
}
