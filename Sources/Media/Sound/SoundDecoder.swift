// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore

/// Decodes a stretch and resamples it to 32-bit floats, a plane a channel: the stretch's first sample
/// is the first that comes out.
final class SoundDecoder {
  private let stretch: SoundStretch
  private let form: SoundForm
  private let reader: any SoundReader
  private let decoder: CodecContext
  private let packet: Packet
  private let frame: PictureFrame
  private var resampler: Resampler?
  /// Packets in a row that cannot be decoded before the whole sound counts as damaged.
  private static let bearableDamage = 50
  private var damagedCount = 0
  /// Silence before the frame that was decoded last, still to be made, at the source's rate.
  private var silenceLeft: Int64 = 0
  /// Whether that frame is still to be handed out.
  private var isHolding = false
  private var isDraining = false
  private var isFinished = false
  /// The stretch's samples that were handed to the resampler, at the source's rate.
  private var inputCount: Int64 = 0
  /// Where the frame that was decoded last begins, likewise.
  private var begin: Int64 = 0
  private var name: String { stretch.source.name }

  init(_ stretch: SoundStretch, form: SoundForm) throws(CinematicError) {
    self.stretch = stretch
    self.form = form
    reader = try stretch.makeReader()
    decoder = try stretch.source.parameters.makeDecoder(name: stretch.source.name)
    guard let packet = Packet(), let frame = PictureFrame() else {
      throw .outOfMemory(for: stretch.source.name)
    }
    self.packet = packet
    self.frame = frame
    // A frame says when it is heard in ticks of the source's rate, from the stretch's start.
    decoder.pointer.pointee.pkt_timebase = AVRational(
      num: 1, den: stretch.source.parameters.sampleRate)
  }

  /// The next samples, a list a channel; `nil` after the last ones.
  func next() throws(CinematicError) -> [[Float]]? {
    while !isFinished {
      if let samples = try held() { return samples }
      let code = avcodec_receive_frame(decoder.pointer, frame.pointer)
      if code == FFmpeg.endOfFile {
        isFinished = true
        return try resampler?.flush().map { rest in
          var result: [[Float]] = []
          rest.append(to: &result)
          return result
        }
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
  }

  private func feed() throws(CinematicError) {
    guard !isDraining, let coded = try reader.next() else {
      isDraining = true
      avcodec_send_packet(decoder.pointer, nil)
      return
    }
    if let length = stretch.length, coded.time >= stretch.sourceTime + length {
      isDraining = true
      avcodec_send_packet(decoder.pointer, nil)
      return
    }
    defer { av_packet_unref(packet.pointer) }
    guard packet.fill(coded.data) else { throw .outOfMemory(for: name) }
    let rate = stretch.source.parameters.sampleRate
    packet.pointer.pointee.pts = (coded.time - stretch.sourceTime).ticks(rate)
    packet.pointer.pointee.dts = packet.pointer.pointee.pts
    packet.pointer.pointee.duration = coded.duration.ticks(rate)
    let code = avcodec_send_packet(decoder.pointer, packet.pointer)
    // Many decoders work here, and say here what they cannot decode.
    if code < 0 { try bear(code) }
  }

  /// Looks where the frame's samples lie.
  ///
  /// - Returns: what was left of sound in another form.
  private func take() throws(CinematicError) -> [[Float]]? {
    let stored = frame.pointer.pointee
    guard stored.nb_samples > 0, stored.sample_rate > 0, stored.ch_layout.nb_channels > 0 else {
      av_frame_unref(frame.pointer)
      return nil
    }
    isHolding = true
    var result: [[Float]] = []
    if resampler?.takes(frame) != true {
      try resampler?.flush()?.append(to: &result)
      resampler = try Resampler(from: frame, to: form, name: name)
      let rate = stretch.source.parameters.sampleRate
      // The sound goes on in another form.
      inputCount = av_rescale(inputCount, Int64(stored.sample_rate), Int64(rate))
    }
    begin = inputCount
    if stored.pts != FFmpeg.noTimestamp {
      begin = av_rescale(
        stored.pts, Int64(stored.sample_rate), Int64(stretch.source.parameters.sampleRate))
    }
    // Rounding moves nothing, a gap does.
    if abs(begin - inputCount) <= 2, inputCount > 0 { begin = inputCount }
    silenceLeft = max(0, begin - inputCount)
    return result.isEmpty ? nil : result
  }

  /// What is still to be handed out of the last frame: the silence before it, in parts so that little
  /// is held, then its samples from the stretch's start on.
  private func held() throws(CinematicError) -> [[Float]]? {
    guard isHolding, let resampler else { return nil }
    var result: [[Float]] = []
    if silenceLeft > 0 {
      let part = min(silenceLeft, 1 << 16)
      try resampler.silence(part) { silence throws(CinematicError) in
        silence.append(to: &result)
      }
      silenceLeft -= part
      inputCount += part
      return result
    }
    isHolding = false
    defer { av_frame_unref(frame.pointer) }
    let count = Int64(frame.pointer.pointee.nb_samples)
    let skipped = max(0, inputCount - begin)
    guard skipped < count else { return nil }
    try resampler.convert(frame, from: Int(skipped))?.append(to: &result)
    inputCount += count - skipped
    return result
  }
}

extension PictureFrame {
  /// Appends its samples, 32-bit floats a plane a channel, to lists of those.
  fileprivate func append(to lists: inout [[Float]]) {
    let channels = Int(pointer.pointee.ch_layout.nb_channels)
    if lists.isEmpty { lists = [[Float]](repeating: [], count: channels) }
    for channel in 0..<channels {
      guard let plane = pointer.pointee.extended_data[channel] else { continue }
      lists[channel] += UnsafeRawBufferPointer(
        start: plane, count: 4 * Int(pointer.pointee.nb_samples)
      ).assumingMemoryBound(to: Float.self)
    }
  }
}

extension Packet {
  /// Makes it a copy of bytes; `false` where no memory is left.
  func fill(_ bytes: [UInt8]) -> Bool {
    guard av_new_packet(pointer, Int32(bytes.count)) == 0 else { return false }
    bytes.withUnsafeBytes { bytes in
      if let base = bytes.baseAddress {
        UnsafeMutableRawPointer(pointer.pointee.data).copyMemory(
          from: base, byteCount: bytes.count)
      }
    }
    return true
  }
}
