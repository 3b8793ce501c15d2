// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore

/// Compressed sound, packet by packet as it is.
final class CopiedSound: PacketFeed {
  private let path: String
  private let clock: SoundClock
  /// Samples a packet; `nil` where it varies.
  private let packetLength: Int64?
  private let head: SoundFrameHeader.ADTS?
  private let isSelection: Bool
  /// Where the next packet should begin.
  private var expected: Int64?

  /// - Parameters:
  ///   - head: what every packet begins with and the movie leaves out.
  ///   - isSelection: whether sound before the movie's zero is not wanted. Of a whole file it is: the
  ///     codec's priming.
  init(
    _ path: String, _ clock: SoundClock, packetLength: Int64?, head: SoundFrameHeader.ADTS?,
    isSelection: Bool
  ) {
    self.path = path
    self.clock = clock
    self.packetLength = packetLength
    self.head = head
    self.isSelection = isSelection
  }

  func time(of packet: Packet) -> Time { clock.time(of: packet, expected: expected) }

  func samples(of packet: Packet) throws(CinematicError) -> [MediaSample] {
    var ticks = clock.ticks(of: packet) ?? expected ?? 0
    // Containers that count in milliseconds round; sound without gaps is exact.
    if let expected, abs(ticks - expected) <= clock.rounding { ticks = expected }
    var duration = packetLength ?? 0
    if packet.pointer.pointee.duration > 0 {
      let said = clock.length(packet.pointer.pointee.duration)
      if abs(said - duration) > clock.rounding - 1 { duration = said }
    }
    if isSelection, duration > 0, ticks + duration <= 0 { return [] }
    if let expected, ticks < expected { ticks = expected }
    var data = packet.bytes
    if let head {
      guard let found = SoundFrameHeader.ADTS(data), found.specific == head.specific,
        data.count > found.size
      else {
        throw CinematicError(
          .unsupported, "the sound of \(path) changes its coding in the middle",
          remedy:
            "convert the clip to an MP4 with AAC sound, or leave the sound out with --no-sound")
      }
      data.removeFirst(found.size)
    }
    let sample = MediaSample(data: data, time: ticks, duration: max(duration, 1))
    expected = ticks + sample.duration
    return [sample]
  }

  func finish() -> [MediaSample] { [] }
}

/// Plain sound: samples as they are, without gaps.
final class PlainSound: PacketFeed {
  private let path: String
  private let clock: SoundClock
  private let frameSize: Int
  private let silence: UInt8
  private var expected: Int64?

  /// - Parameters:
  ///   - frameSize: bytes of a sample of all channels.
  ///   - isSelection: whether sound before the movie's zero is not wanted.
  init(_ path: String, _ clock: SoundClock, frameSize: Int, silence: UInt8, isSelection: Bool) {
    self.path = path
    self.clock = clock
    self.frameSize = frameSize
    self.silence = silence
    expected = isSelection ? 0 : nil
  }

  func time(of packet: Packet) -> Time { clock.time(of: packet, expected: expected) }

  func samples(of packet: Packet) throws(CinematicError) -> [MediaSample] {
    var data = packet.bytes
    data.removeLast(data.count % frameSize)
    var ticks = clock.ticks(of: packet) ?? expected ?? 0
    if let expected, abs(ticks - expected) <= clock.rounding { ticks = expected }
    var samples: [MediaSample] = []
    if let expected, ticks > expected {
      guard ticks - expected <= clock.longestGap else {
        throw clock.gap(path, of: ticks - expected)
      }
      // A second at a time.
      for start in stride(from: expected, to: ticks, by: Int(clock.timescale)) {
        let length = min(Int64(clock.timescale), ticks - start)
        samples.append(
          MediaSample(
            data: [UInt8](repeating: silence, count: Int(length) * frameSize), time: start,
            duration: length))
      }
    }
    if let expected, ticks < expected {
      data.removeFirst(min(data.count, Int(clamping: expected - ticks) &* frameSize))
      ticks = expected
    }
    let count = Int64(data.count / frameSize)
    if count > 0 { samples.append(MediaSample(data: data, time: ticks, duration: count)) }
    expected = ticks + count
    return samples
  }

  func finish() -> [MediaSample] { [] }
}
