// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FocalCore
import FocalMedia
import Foundation
import Synchronization

/// A movie's sound in pieces that a browser plays, and its outline.
// @unchecked Sendable: `feed`, `rest` and `position` are touched on `queue` only.
final class MovieSound: @unchecked Sendable {
  let format: SoundFormat
  /// Of the pieces: one or two.
  let channelCount: Int

  private let sound: AssetSound
  private let queue = DispatchQueue(label: "focal.editor.sound")
  private var feed: SoundFeed?
  /// Decoded samples from `position` on, two channels or one.
  private var rest: [Float] = []
  private var position = 0

  /// The loudest sample of every stretch of a fiftieth of a second, 0 to 255.
  static let peaksPerSecond = 50
  private let peaks = Mutex((values: [UInt8](), isBegun: false, isComplete: false))

  /// - Returns: `nil` for a movie without sound.
  /// - Throws: what reading it throws.
  init?(_ asset: Asset) async throws(CinematicError) {
    guard let sound = try await AssetSound(asset), let feed = try SoundFeed(sound) else {
      return nil
    }
    self.sound = sound
    format = feed.format
    channelCount = Int(min(feed.format.channelCount, 2))
  }

  /// Samples as a WAV file of 16 bits; silence where there are none.
  ///
  /// - Parameters:
  ///   - start: the first sample, counted from the movie's time zero.
  ///   - count: of each channel.
  func wave(from start: Int, count: Int) async throws(CinematicError) -> Data {
    let result = await withCheckedContinuation { continuation in
      queue.async { [self] in
        continuation.resume(
          returning: Result { () throws(CinematicError) in try samples(start, count) })
      }
    }
    return Self.wave(try result.get(), rate: Int(format.sampleRate), channels: channelCount)
  }

  /// The outline as far as it is known, and whether that is all of it.
  func outline() -> (peaks: [UInt8], isComplete: Bool) {
    let begins = peaks.withLock { peaks in
      defer { peaks.isBegun = true }
      return !peaks.isBegun
    }
    // On a thread of its own: those that answer clients are as few as cores.
    if begins { Thread.detachNewThread { [weak self] in Self.measure { self } } }
    return peaks.withLock { ($0.values, $0.isComplete) }
  }

  // MARK: - Reading

  private func samples(_ start: Int, _ count: Int) throws(CinematicError) -> [Float] {
    let near = Int(format.sampleRate) * 2
    if feed == nil || start < position || start > position + rest.count / channelCount + near {
      let time = Time(value: Int64(start), timescale: format.sampleRate)
      feed = try SoundFeed(sound, from: time)
      (rest, position) = ([], start)
    }
    while position + rest.count / channelCount < start + count, let buffer = try feed?.next() {
      let place = Int(buffer.time.converted(to: format.sampleRate).value)
      let end = position + rest.count / channelCount
      if place > end {
        rest += [Float](repeating: 0, count: min(place - end, near + count) * channelCount)
      }
      rest += Self.mixed(buffer)
    }
    if start > position {
      let skipped = min((start - position) * channelCount, rest.count)
      rest.removeFirst(skipped)
      position = start
    }
    let taken = min(count * channelCount, rest.count)
    let result = Array(rest.prefix(taken))
    // Sound that was given may be asked for again by another page: little is held.
    rest.removeFirst(taken)
    position += taken / channelCount
    return result + [Float](repeating: 0, count: count * channelCount - taken)
  }

  /// The first two channels: those of the front in every common order.
  private static func mixed(_ buffer: SoundBuffer) -> [Float] {
    let channels = Int(buffer.format.channelCount)
    guard channels > 2 else { return buffer.samples }
    return (0..<buffer.count).flatMap { buffer.samples[($0 * channels)..<($0 * channels + 2)] }
  }

  /// Decodes everything once, behind all other work.
  ///
  /// - Parameter sound: `nil` once nobody wants the outline any more.
  private static func measure(_ sound: () -> MovieSound?) {
    #if canImport(Glibc)
      // Of this thread alone.
      setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 15)
    #endif
    guard let feed = sound().flatMap({ try? SoundFeed($0.sound) }) else {
      sound()?.peaks.withLock { $0.isComplete = true }
      return
    }
    let length = max(Int(feed.format.sampleRate) / peaksPerSecond, 1)
    let channels = Int(feed.format.channelCount)
    var (loudest, filled) = (Float(0), 0)
    while let buffer = try? feed.next() {
      var found: [UInt8] = []
      for index in 0..<buffer.count {
        for channel in 0..<channels {
          loudest = max(loudest, abs(buffer.samples[index * channels + channel]))
        }
        filled += 1
        if filled == length {
          found.append(UInt8(min(loudest, 1) * 255))
          (loudest, filled) = (0, 0)
        }
      }
      guard let sound = sound() else { return }
      sound.peaks.withLock { $0.values += found }
    }
    sound()?.peaks.withLock { $0.isComplete = true }
  }

  private static func wave(_ samples: [Float], rate: Int, channels: Int) -> Data {
    var data = Data(capacity: 44 + samples.count * 2)
    func put(_ value: Int, _ bytes: Int) {
      for shift in 0..<bytes { data.append(UInt8(truncatingIfNeeded: value >> (8 * shift))) }
    }
    data.append(contentsOf: Array("RIFF".utf8))
    put(36 + samples.count * 2, 4)
    data.append(contentsOf: Array("WAVEfmt ".utf8))
    put(16, 4)
    put(1, 2)
    put(channels, 2)
    put(rate, 4)
    put(rate * channels * 2, 4)
    put(channels * 2, 2)
    put(16, 2)
    data.append(contentsOf: Array("data".utf8))
    put(samples.count * 2, 4)
    var codes = [Int16](repeating: 0, count: samples.count)
    for (index, sample) in samples.enumerated() {
      codes[index] = Int16((max(-1, min(sample, 1)) * 32767).rounded()).littleEndian
    }
    codes.withUnsafeBytes { data.append(contentsOf: $0) }
    return data
  }
}
