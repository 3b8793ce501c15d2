// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore

/// The sound of an asset as it is heard, piece by piece.
///
/// Used by one task at a time, from a thread that may read files.
package final class SoundFeed {
  package let format: SoundFormat
  private let form: SoundForm
  private let stretches: [SoundStretch]
  private var number = 0
  private var decoder: SoundDecoder?
  /// Where the stretch's next samples lie, behind its start.
  private var position: Int64 = 0

  /// The first track's. Times are those of the asset's frames.
  ///
  /// - Parameter start: what comes before it is left out.
  /// - Throws: `unsupported` where this FFmpeg cannot decode it.
  package init?(_ sound: AssetSound, from start: Time = .zero) throws(CinematicError) {
    guard let source = sound.tracks.first?.source else { return nil }
    stretches = source.stretches(from: sound.timelineStart + start, length: nil, at: start)
    let channels = min(8, max(1, source.parameters.channelCount))
    format = SoundFormat(sampleRate: source.parameters.sampleRate, channelCount: channels)
    form = SoundForm(
      sampleFormat: AV_SAMPLE_FMT_FLT, sampleRate: format.sampleRate,
      channelMask: SoundForm.channelMask(count: channels))
    _ = try source.parameters.makeDecoder(name: source.name)
  }

  /// The next samples; `nil` after the last ones.
  ///
  /// - Throws: `malformed` for damaged sound, `unreadable`.
  package func next() throws(CinematicError) -> SoundBuffer? {
    while number < stretches.count {
      let stretch = stretches[number]
      if decoder == nil {
        // Whoever listens hears it.
        decoder = try SoundDecoder(
          stretch, form: form, skipsLead: false, damage: .warn { _ in })
        position = 0
      }
      let length = stretch.length.ticks(format.sampleRate)
      if position < length, let decoder, let frame = try decoder.next() {
        frame.cut(to: Int(clamping: length - position))
        let buffer = SoundBuffer(
          format: format, samples: frame.floats(format.channelCount),
          time: stretch.time + Time(value: position, timescale: format.sampleRate))
        position += Int64(buffer.count)
        return buffer
      }
      decoder = nil
      number += 1
    }
    return nil
  }
}

extension SoundFrame {
  /// The samples of a frame of `AV_SAMPLE_FMT_FLT`.
  func floats(_ channelCount: Int32) -> [Float] {
    guard let data = pointer.pointee.data.0 else { return [] }
    let count = self.count * Int(channelCount)
    return data.withMemoryRebound(to: Float.self, capacity: count) {
      [Float](UnsafeBufferPointer(start: $0, count: count))
    }
  }
}
