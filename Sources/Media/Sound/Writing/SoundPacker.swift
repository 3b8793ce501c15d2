// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

/// Compresses samples that follow each other without a gap, as packets of a track.
///
/// The track begins with the first sample that is heard, wherever that lies in the movie.
final class SoundPacker {
  let compressor: SoundCompressor
  private let path: String
  /// Samples for the encoder.
  private let fifo: SoundFifo
  /// Where the first sample lies in the movie, in samples; `nil` before it is known.
  var start: Int64?
  /// All samples that were encoded.
  private var sentCount: Int64 = 0

  /// - Throws: `outOfMemory`.
  init(_ compressor: SoundCompressor, path: String) throws(CinematicError) {
    (self.compressor, self.path) = (compressor, path)
    guard let fifo = SoundFifo(compressor.form) else { throw .outOfMemory(for: path) }
    self.fifo = fifo
  }

  /// Where the next sample lies in the movie, in samples.
  var position: Int64 { (start ?? 0) + sentCount + Int64(fifo.count) }

  func samples(_ time: Time) -> Int64 { time.ticks(compressor.form.sampleRate) }

  /// Adds silence, at most 65536 samples of it, so that little is held.
  ///
  /// - Throws: `outOfMemory`.
  func add(silence count: Int64) throws(CinematicError) {
    guard let frame = compressor.form.makeSilence(count: Int(min(count, 1 << 16))) else {
      throw .outOfMemory(for: path)
    }
    try add(frame)
  }

  /// - Throws: `outOfMemory`.
  func add(_ frame: SoundFrame) throws(CinematicError) {
    guard frame.count == 0 || fifo.add(frame) else { throw .outOfMemory(for: path) }
  }

  /// Hands over every whole packet that ends before a place of the movie, in samples: the track may end there.
  func send(_ sink: SoundSink, until limit: Int64 = .max) throws(CinematicError) {
    let length = compressor.frameLength
    while fifo.count >= length, (start ?? 0) + sentCount + Int64(length) <= limit {
      try send(length, sink)
    }
  }

  /// Hands over what is left, cut at a place of the movie, in samples.
  func finish(at end: Int64, _ sink: SoundSink) throws(CinematicError) {
    var left = Int(max(0, min(Int64(fifo.count), end - (start ?? 0) - sentCount)))
    while left > 0 {
      let count = min(compressor.frameLength, left)
      try send(count, sink)
      left -= count
    }
    if sentCount > 0 { try encode(nil, sink) }
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
