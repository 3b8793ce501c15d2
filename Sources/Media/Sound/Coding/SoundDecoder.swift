// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore

/// Decodes a stretch and resamples it: the stretch's first sample is the first that comes out. Gaps of
/// the source are silent, samples that overlap are heard once. So is what cannot be decoded, if damage does not end it.
final class SoundDecoder {
  private let stretch: SoundStretch
  private let form: SoundForm
  private let reader: TrackSoundReader
  private let decoder: CodecContext
  private let packet: Packet
  private let frame: SoundFrame
  private var resampler: Resampler?
  /// Packets in a row that cannot be decoded before the whole sound counts as damaged.
  private static let bearableDamage = 50
  /// The longest silence that is filled in, in seconds: a longer one is a damaged time.
  private static let longestGap: Int64 = 600
  private var damagedCount = 0
  private let damage: DamageResponse
  /// What would be heard of the packets in a row that could not be decoded, in samples of the source's rate after the
  /// stretch's start, and FFmpeg's code.
  private var lost: (start: Int64, end: Int64, code: Int32)?
  /// Where the packet lies that was handed to the decoder last, likewise.
  private var fed: (start: Int64, end: Int64) = (0, 0)
  /// Whether the stretch begins with its first sound instead of the silence before it.
  private let skipsLead: Bool
  /// Where the first sample lies, in samples of the source's rate after the stretch's start.
  private(set) var lead: Int64 = 0
  /// Silence before the frame that was decoded last, still to be made, at the source's rate.
  private var silenceLeft: Int64 = 0
  /// Whether that frame is still to be handed out.
  private var isHolding = false
  private var isDraining = false
  private var isFinished = false
  /// The stretch's samples that were handed to the resampler, at the source's rate.
  private var inputCount: Int64 = 0
  private var hasBegun = false
  /// Where the frame that was decoded last begins, likewise.
  private var begin: Int64 = 0
  /// Where it ends; `nil` before the first one.
  private var decodedEnd: Int64?
  private var name: String { stretch.source.name }
  private var rate: Int32 { stretch.source.parameters.sampleRate }

  /// - Parameters:
  ///   - skipsLead: whether silence before the first sound is left out (``lead``).
  ///   - damage: what to do about sound that cannot be decoded.
  init(
    _ stretch: SoundStretch, form: SoundForm, skipsLead: Bool, damage: DamageResponse = .standard
  ) throws(CinematicError) {
    self.stretch = stretch
    self.damage = damage
    self.form = form
    self.skipsLead = skipsLead
    reader = stretch.makeReader()
    decoder = try stretch.source.parameters.makeDecoder(name: stretch.source.name)
    guard let packet = Packet(), let frame = SoundFrame() else {
      throw .outOfMemory(for: stretch.source.name)
    }
    self.packet = packet
    self.frame = frame
    // A frame says when it is heard in ticks of the source's rate, from the stretch's start.
    decoder.pointer.pointee.pkt_timebase = AVRational(
      num: 1, den: stretch.source.parameters.sampleRate)
  }

  /// The next samples; `nil` after the last ones.
  func next() throws(CinematicError) -> SoundFrame? {
    while !isFinished {
      if let samples = try held() { return samples }
      let code = avcodec_receive_frame(decoder.pointer, frame.pointer)
      if code == FFmpeg.endOfFile {
        isFinished = true
        try tellLoss()
        return try resampler?.flush()
      }
      if code == FFmpeg.again {
        try feed()
        continue
      }
      // A packet that cannot be decoded is silent: the next one says its own time.
      guard code >= 0 else {
        try bear(code)
        continue
      }
      damagedCount = 0
      try tellLoss()
      if let samples = try take() { return samples }
    }
    return nil
  }

  /// Goes on after what cannot be decoded, unless there is nothing else.
  private func bear(_ code: Int32) throws(CinematicError) {
    if code == FFmpeg.outOfMemory { throw .outOfMemory(for: name) }
    damagedCount += 1
    guard damagedCount < Self.bearableDamage else {
      throw CinematicError(
        .malformed, "the sound of \(name) is damaged: \(FFmpeg.text(code))",
        remedy: "make or copy the file again, or leave the sound out")
    }
    // Broadcasts begin within a packet, and codecs that look back within their sound.
    let track = stretch.source.track
    let mayBeginBroken =
      track.stored == nil || stretch.sourceTime > stretch.segment.timeRange.start
    guard decodedEnd != nil || !mayBeginBroken, fed.end > 0 else { return }
    lost = (lost?.start ?? max(fed.start, 0), fed.end, lost?.code ?? code)
  }

  /// Says what was lost before the sound goes on, or ends.
  private func tellLoss() throws(CinematicError) {
    guard let lost, lost.end > lost.start else { return }
    self.lost = nil
    func seconds(_ samples: Int64) -> Double { Double(samples) / Double(rate) }
    func text(_ seconds: Double) -> Double { (seconds * 100).rounded() / 100 }
    try damage.meet(
      CinematicError(
        .malformed,
        "\(text(seconds(lost.end - lost.start))) s of the sound of \(name) at"
          + " \(text(stretch.sourceTime.seconds + seconds(lost.start))) s cannot be decoded:"
          + " \(FFmpeg.text(lost.code))",
        remedy: "copy or download the file again, or leave the sound out"))
  }

  private func feed() throws(CinematicError) {
    guard !isDraining, let coded = try reader.next() else {
      isDraining = true
      avcodec_send_packet(decoder.pointer, nil)
      return
    }
    if coded.time >= stretch.sourceTime + stretch.length {
      isDraining = true
      avcodec_send_packet(decoder.pointer, nil)
      return
    }
    defer { av_packet_unref(packet.pointer) }
    guard packet.fill(coded.data) else { throw .outOfMemory(for: name) }
    let start = (coded.time - stretch.sourceTime).ticks(rate)
    packet.pointer.pointee.pts = start
    packet.pointer.pointee.dts = start
    packet.pointer.pointee.duration = coded.duration.ticks(rate)
    fed = (start, start &+ max(coded.duration.ticks(rate), 0))
    let code = avcodec_send_packet(decoder.pointer, packet.pointer)
    // Many decoders work here, and say here what they cannot decode.
    if code < 0 { try bear(code) }
  }

  /// Looks where the frame's samples lie.
  ///
  /// - Returns: what was left of sound in another form.
  private func take() throws(CinematicError) -> SoundFrame? {
    let stored = frame.pointer.pointee
    guard stored.nb_samples > 0, stored.sample_rate > 0, stored.ch_layout.nb_channels > 0 else {
      av_frame_unref(frame.pointer)
      return nil
    }
    isHolding = true
    func scaled(_ ticks: Int64) -> Int64 {
      av_rescale(ticks, Int64(stored.sample_rate), Int64(rate))
    }
    var rest: SoundFrame?
    if resampler?.takes(frame) != true {
      rest = try resampler?.flush()
      resampler = try Resampler(from: frame, to: form, name: name)
      // The sound goes on in another form.
      inputCount = scaled(inputCount)
      decodedEnd = decodedEnd.map(scaled)
    }
    // Of several frames in a packet the first one alone has its time.
    begin = stored.pts != FFmpeg.noTimestamp ? scaled(stored.pts) : decodedEnd ?? inputCount
    // Containers' times are rounded; what is off by less cannot be heard, a click can.
    let slack = max(2, Int64(stored.sample_rate) / 100)
    if abs(begin - inputCount) <= slack, inputCount > 0 { begin = inputCount }
    var first = begin
    if !hasBegun, stretch.sourceTime <= .zero, first < 0, first >= -slack / 4 {
      // A rounded time put the first sound just before the start.
      begin -= first
      first = 0
    }
    let end = begin + Int64(frame.count)
    decodedEnd = end
    guard first < end, inputCount < end else {
      isHolding = false
      av_frame_unref(frame.pointer)
      return rest
    }
    if !hasBegun, skipsLead, first > inputCount {
      inputCount = first
      lead = av_rescale(first, Int64(rate), Int64(stored.sample_rate))
    }
    silenceLeft = max(0, first - inputCount)
    guard !hasBegun || silenceLeft <= Self.longestGap * Int64(stored.sample_rate) else {
      throw CinematicError(
        .malformed,
        "the sound of \(name) has a gap of \(silenceLeft / Int64(stored.sample_rate)) s",
        remedy: "make the file again, or leave the sound out")
    }
    hasBegun = true
    return rest
  }

  /// The rest of the last frame: the silence before it, in parts so that little
  /// is held, then its samples from the stretch's start on.
  private func held() throws(CinematicError) -> SoundFrame? {
    guard isHolding, let resampler else { return nil }
    if silenceLeft > 0 {
      let part = min(silenceLeft, 1 << 16)
      silenceLeft -= part
      inputCount += part
      return try resampler.silence(part)
    }
    isHolding = false
    defer { av_frame_unref(frame.pointer) }
    let count = Int64(frame.count)
    let skipped = max(0, inputCount - begin)
    guard skipped < count else { return nil }
    inputCount += count - skipped
    return try resampler.convert(frame, from: Int(skipped))
  }
}
