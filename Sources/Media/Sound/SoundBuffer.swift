// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// The form of sound as it is heard: floats of so many channels, so many times a second.
public struct SoundFormat: Hashable, Sendable {
  /// Samples of each channel a second, at least 1.
  public var sampleRate: Int32
  /// 1 to 8; heard where so many channels usually are.
  public var channelCount: Int32

  public init(sampleRate: Int32, channelCount: Int32) {
    self.sampleRate = sampleRate
    self.channelCount = channelCount
  }
}

/// Some samples of sound, one behind the other.
public struct SoundBuffer: Sendable {
  public var format: SoundFormat
  /// -1 to 1, the channels of a moment side by side. Buffers with a last moment that lacks channels are refused where they
  /// are written.
  public var samples: [Float]
  /// When the first of them is heard.
  public var time: Time

  /// - Precondition: as many samples as fill all channels.
  public init(format: SoundFormat, samples: [Float], time: Time) {
    (self.format, self.samples, self.time) = (format, samples, time)
    precondition(isWhole, "every channel of a sound buffer has as many samples")
  }

  /// Whether every channel has as many samples.
  var isWhole: Bool { samples.count % Int(max(format.channelCount, 1)) == 0 }

  /// Samples of each channel.
  public var count: Int { samples.count / Int(max(format.channelCount, 1)) }
  public var duration: Time { Time(value: Int64(count), timescale: max(format.sampleRate, 1)) }

  /// What of it is heard before a time; `nil` where that is nothing.
  package func prefix(upTo end: Time) -> SoundBuffer? {
    guard end > time else { return nil }
    guard end < time + duration else { return self }
    let kept = min(count, Int(((end - time).seconds * Double(format.sampleRate)).rounded()))
    guard kept > 0 else { return nil }
    return SoundBuffer(
      format: format, samples: Array(samples.prefix(kept * Int(max(format.channelCount, 1)))),
      time: time)
  }
}
