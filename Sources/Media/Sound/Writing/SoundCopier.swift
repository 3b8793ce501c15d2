// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore

/// Copies packets of stretches that are coded alike, without decoding them.
///
/// The first stretch begins at its very sample: a movie says how much of its sound's beginning is
/// skipped. It can also say so of every later stretch, but common players heed only the first; so
/// later ones begin with the packet that lies nearest, at most half a packet early or late. Plain
/// samples are cut anywhere.
final class SoundCopier: SoundLane {
  let entry: SoundEntry
  private let parameters: SoundParameters
  private let stretches: [SoundStretch]
  private var number = 0
  private var reader: TrackSoundReader?
  private var held: SoundPacket?
  /// Where the last packet ended, in ticks of the sample rate.
  private var position: Int64?
  /// Added to the times of the stretch's packets; `nil` before its first packet.
  private var shift: Int64?

  /// - Precondition: at least one stretch; all are coded alike.
  init(_ stretches: [SoundStretch], _ entry: SoundEntry) {
    self.stretches = stretches
    self.entry = entry
    parameters = stretches[0].source.parameters
  }

  var timescale: Int32 { parameters.sampleRate }

  func write(until limit: Time?, sink: SoundSink) throws(CinematicError) {
    try copy(until: limit.map(ticks) ?? Self.never, end: Self.never, sink)
  }

  func finish(at end: Time?, sink: SoundSink) throws(CinematicError) {
    try copy(until: Self.never, end: end.map(ticks) ?? Self.never, sink)
  }

  private func ticks(_ time: Time) -> Int64 { time.ticks(parameters.sampleRate) }

  /// Beyond any time, and far from where sums overflow.
  private static let never = Int64.max / 4

  private func copy(until limit: Int64, end: Int64, _ sink: SoundSink) throws(CinematicError) {
    while number < stretches.count {
      let stretch = stretches[number]
      let isLast = number + 1 == stretches.count
      if held == nil {
        if reader == nil { reader = stretch.makeReader() }
        held = try reader?.next()
      }
      guard let packet = held else {
        advance()
        continue
      }
      let begin = ticks(packet.time - stretch.sourceTime + stretch.time)
      let duration = max(ticks(packet.duration), 1)
      if shift == nil, !starts(stretch, begin, duration) {
        held = nil
        continue
      }
      var placed = begin + (shift ?? 0)
      // Times that overlap in the source.
      if let position, placed < position, parameters.bytesPerFrame == 0 { placed = position }
      let stretchEnd = min(ticks(stretch.end), isLast ? end : Self.never)
      // Packets of a stretch that another follows end where that begins, as nearly as they can.
      let reach = isLast || parameters.bytesPerFrame > 0 ? 1 : (duration + 1) / 2
      guard placed <= stretchEnd - reach else {
        advance()
        continue
      }
      if placed + duration > limit, stretchEnd > limit { return }
      held = nil
      try put(packet, placed, duration, isLast ? stretchEnd : Self.never, stretchEnd, sink)
    }
  }

  private func advance() {
    number += 1
    reader = nil
    held = nil
    shift = nil
  }

  /// Whether a stretch begins with a packet; sets its shift then.
  private func starts(_ stretch: SoundStretch, _ begin: Int64, _ duration: Int64) -> Bool {
    let start = ticks(stretch.time)
    if parameters.bytesPerFrame > 0 {
      guard begin + duration > start else { return false }
      shift = 0
      return true
    }
    if let position {
      guard begin + duration / 2 >= position else { return false }
      // A short gap stays: sound that was recorded without one is moved by half a packet at most.
      shift = begin - position <= (duration + 1) / 2 ? position - begin : 0
      return true
    }
    if stretch.time > .zero {
      guard begin + duration / 2 >= start else { return false }
    } else if stretch.sourceTime > .zero {
      guard begin + duration * (parameters.prerollCount + 1) > start else { return false }
    }
    shift = 0
    return true
  }

  private func put(
    _ packet: SoundPacket, _ placed: Int64, _ duration: Int64, _ cut: Int64, _ plainCut: Int64,
    _ sink: SoundSink
  ) throws(CinematicError) {
    guard let (size, _) = entry.plain else {
      // Times of other clocks are rounded: two samples of a packet are no cut.
      let rest = max(1, cut - placed)
      let length = duration - rest > 2 ? rest : duration
      position = placed + length
      return try sink(
        MediaSample(data: try content(of: packet), time: placed, duration: length))
    }
    // Plain samples: what lies before the stretch or before the last packet's end is left out.
    let start = max(position ?? .min, ticks(stretches[number].time))
    let count = Int64(packet.data.count / size)
    let first = max(0, start - placed)
    let last = min(count, plainCut - placed)
    guard first < last else { return }
    // Silence between stretches, and in the gaps of one.
    if let position, placed + first > position {
      try silence(from: position, to: placed + first, sink)
    }
    position = placed + last
    try sink(
      MediaSample(
        data: Array(packet.data[(Int(first) * size)..<(Int(last) * size)]), time: placed + first,
        duration: last - first))
  }

  /// A packet's bytes as the movie stores them.
  private func content(of packet: SoundPacket) throws(CinematicError) -> [UInt8] {
    guard let head = entry.head else { return packet.data }
    guard let found = SoundFrameHeader.ADTS(packet.data), found.specific == head.specific,
      packet.data.count > found.size
    else {
      throw CinematicError(
        .unsupported,
        "the sound of \(stretches[number].source.name) changes its coding in the middle",
        remedy: "convert it to an MP4 with AAC sound, or leave the sound out")
    }
    return Array(packet.data.dropFirst(found.size))
  }

  /// The longest gap of a source that is filled with silence, in seconds: a longer one is a damaged
  /// time.
  private static let longestGap: Int64 = 600

  private func silence(
    from start: Int64, to end: Int64, _ sink: SoundSink
  ) throws(CinematicError) {
    guard let (size, zero) = entry.plain else { return }
    let isGap = start > ticks(stretches[number].time)
    guard !isGap || end - start <= Self.longestGap * Int64(timescale) else {
      throw CinematicError(
        .malformed,
        "the sound of \(stretches[number].source.name) has a gap of"
          + " \((end - start) / Int64(timescale)) s",
        remedy: "make the file again, or leave the sound out")
    }
    var begin = start
    while begin < end {
      // A second at a time.
      let count = min(end - begin, Int64(timescale))
      let bytes = [UInt8](repeating: zero, count: Int(count) * size)
      try sink(MediaSample(data: bytes, time: begin, duration: count))
      begin += count
    }
  }
}
