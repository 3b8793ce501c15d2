// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore

/// Decodes stretches of any coding and compresses them as one track of AAC, with silence in between.
final class SoundEncoder: SoundLane {
  let parameters: SoundParameters
  private let path: String
  private let stretches: [SoundStretch]
  private let compressor: SoundCompressor
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
    compressor = try SoundCompressor(
      .aac, sampleRate: rate, channelCount: channelCount, path: path)
    queue = [[Float]](repeating: [], count: Int(compressor.form.channelCount))
    guard let parameters = SoundParameters(context: compressor.context.pointer) else {
      throw .outOfMemory(for: path)
    }
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
    while !queue[0].isEmpty { try send(min(compressor.frameLength, queue[0].count), sink) }
    try encode(nil, sink)
  }

  private func samples(_ time: Time) -> Int64 {
    time.converted(to: compressor.form.sampleRate).value
  }

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
      while queue[0].count >= compressor.frameLength { try send(compressor.frameLength, sink) }
    }
  }

  /// Adds a stretch's next samples, up to its end.
  private func decode(_ stretch: SoundStretch, until end: Int64) throws(CinematicError) {
    if decoder == nil { decoder = try SoundDecoder(stretch, form: compressor.form) }
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
    guard let frame = compressor.form.makeFrame(count: count) else {
      throw .outOfMemory(for: path)
    }
    let pointer = frame.pointer
    pointer.pointee.pts = sentCount
    for channel in queue.indices {
      let plane = UnsafeMutableRawPointer(pointer.pointee.extended_data[channel]!)
      queue[channel].withUnsafeBytes { bytes in
        plane.copyMemory(from: bytes.baseAddress!, byteCount: 4 * count)
      }
      queue[channel].removeFirst(count)
    }
    sentCount += Int64(count)
    try encode(frame, sink)
  }

  private func encode(_ frame: PictureFrame?, _ sink: SoundSink) throws(CinematicError) {
    for output in try compressor.encode(frame) {
      let duration = output.duration > 0 ? output.duration : Int64(compressor.frameLength)
      try sink(output.data, output.time, duration)
    }
  }
}
