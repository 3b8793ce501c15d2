// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// The number of a movie's first picture on the clock of a production: hours, minutes, seconds and frames,
/// as QuickTime's timecode tracks have it.
public struct Timecode: Hashable, Sendable {
  /// Frames since midnight of the clock, dropped numbers not counted.
  public var frameNumber: Int64
  /// Frames that a second is counted to have, 1 to 255.
  public var framesPerSecond: Int
  /// How long a frame really lasts, in ticks: above zero.
  public var frameDuration: Int32
  /// Ticks a second, above zero.
  public var timescale: Int32
  /// Of the sample entry: 1 drop frame, 2 ends at 24 hours, 4 may be negative.
  public var flags: UInt32
  /// Behind the entry's fields, such as the reel's name.
  public var extensions: [Box] = []

  /// Whether numbers are left out so that the clock keeps up with 29.97 or 59.94 frames a second.
  public var isDropFrame: Bool { flags & 1 != 0 }

  /// A timecode track's sample entry and its first sample.
  ///
  /// - Throws: `malformed` for what is cut short, or counts no frames.
  public init(entry: Box, sample: [UInt8]) throws(CinematicError) {
    var reader = ByteReader(entry.data, of: "the sample entry '\(entry.type)'")
    try reader.skip(12)
    flags = try reader.u32()
    timescale = Int32(truncatingIfNeeded: try reader.u32())
    frameDuration = Int32(truncatingIfNeeded: try reader.u32())
    framesPerSecond = Int(try reader.u8())
    try reader.skip(1)
    extensions = (try? Box.prefix(reader.rest, count: .max)) ?? []
    var number = ByteReader(sample[...], of: "a timecode")
    frameNumber =
      entry.type == "tc64"
      ? Int64(bitPattern: try number.u64()) : Int64(Int32(bitPattern: try number.u32()))
    guard timescale > 0, frameDuration > 0, framesPerSecond > 0 else {
      throw .malformedMovie("a timecode counts no frames")
    }
    // Tracks that are written have 32 bits.
    guard Int32(exactly: frameNumber) != nil else {
      throw .malformedMovie("a timecode counts the frames of years")
    }
  }

  /// The number written as `01:00:00:00`, or with `;` before the frames if numbers are dropped.
  ///
  /// - Parameter frameDuration: of the pictures.
  /// - Returns: `nil` for a text of another form, and for dropped numbers at a rate that drops none: readers refuse them.
  public init?(_ text: String, frameDuration: Time) {
    let isDrop = text.contains(";") || text.contains(".")
    let parts = text.split(whereSeparator: { ":;.".contains($0) }).map { Int64($0) }
    guard parts.count == 4,
      case let (hours?, minutes?, seconds?, frames?) = (parts[0], parts[1], parts[2], parts[3]),
      (0..<100).contains(hours), (0..<60).contains(minutes), (0..<60).contains(seconds),
      frameDuration > .zero, frameDuration.value <= Int64(Int32.max)
    else { return nil }
    timescale = frameDuration.timescale
    self.frameDuration = Int32(frameDuration.value)
    framesPerSecond = max(1, min(255, Int((1 / frameDuration.seconds).rounded())))
    guard (0..<Int64(framesPerSecond)).contains(frames) else { return nil }
    flags = (isDrop ? 1 : 0) | 2
    let count = Int64(framesPerSecond)
    // What is counted as a second lasts a thousandth longer, as near as a container's times say it.
    let lag = frameDuration.seconds * Double(count) - 1
    guard !isDrop || count % 30 == 0 && abs(lag - 0.001) < 0.0005 else { return nil }
    frameNumber = ((hours * 60 + minutes) * 60 + seconds) * count + frames
    // Two numbers a minute, or four of 60, but for every tenth minute.
    if isDrop { frameNumber -= count / 15 * ((hours * 60 + minutes) - (hours * 60 + minutes) / 10) }
  }

  /// The clock at the first picture.
  public var text: String {
    let count = Int64(max(1, min(255, framesPerSecond)))
    var number = max(0, min(frameNumber, 1 << 56))
    if isDropFrame, count % 30 == 0 {
      let dropped = count / 15
      let (perMinute, perTen) = (60 * count - dropped, 600 * count - 9 * dropped)
      let (tens, rest) = (number / perTen, number % perTen)
      number += 9 * dropped * tens
      if rest >= dropped { number += dropped * ((rest - dropped) / perMinute) }
    }
    func two(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
    let seconds = number / count
    return "\(two(seconds / 3600)):\(two(seconds / 60 % 60)):\(two(seconds % 60))"
      + "\(isDropFrame ? ";" : ":")\(two(number % count))"
  }

  /// The clock some time later.
  public func advanced(by time: Time) -> Timecode {
    guard frameDuration > 0, timescale > 0 else { return self }
    let frames = time.seconds * Double(timescale) / Double(frameDuration)
    // Files may say times of any length.
    return advanced(byFrames: Int64(max(-0x1p50, min(0x1p50, frames.rounded()))))
  }

  /// The clock some frames later; saturates.
  package func advanced(byFrames count: Int64) -> Timecode {
    var result = self
    result.frameNumber = Int64(clamping: Int128(frameNumber) + Int128(count))
    return result
  }

  /// The sample entry of a timecode track.
  public var sampleEntry: Box {
    Box("tmcd") { writer in
      writer.zeros(6)
      writer.u16(1)
      writer.zeros(4)
      writer.u32(flags)
      writer.u32(UInt32(clamping: timescale))
      writer.u32(UInt32(clamping: frameDuration))
      writer.u8(UInt8(clamping: framesPerSecond))
      writer.u8(0)
      for box in extensions { writer.box(box) }
    }
  }

  /// The track's sample.
  public var sample: [UInt8] {
    var writer = ByteWriter()
    writer.i32(Int32(clamping: frameNumber))
    return writer.bytes
  }
}
