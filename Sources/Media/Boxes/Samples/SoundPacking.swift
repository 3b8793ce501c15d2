// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// How many bytes sound takes whose tables list every tick as a sample of one byte, as QuickTime's own do of plain
/// samples and of codings of a constant ratio: the tables then say nothing of it.
public struct SoundPacking: Hashable, Sendable {
  /// Ticks of a packet; 1 of plain samples.
  public let tickCount: Int
  /// Bytes of a packet, of all channels.
  public let byteCount: Int

  /// More than any packet has, and so few that no sum of them overflows.
  private static let maximum = 1 << 24

  /// `nil` for numbers that no coding has.
  init?(ticks: Int, bytes: Int) {
    guard (1...Self.maximum).contains(ticks), (1...Self.maximum).contains(bytes) else { return nil }
    (tickCount, byteCount) = (ticks, bytes)
  }
}

extension SampleEntry {
  /// The packing of an entry of sound; `nil` where it says none.
  public var soundPacking: SoundPacking? {
    guard case .audio(let details) = details else { return nil }
    return try? packing(channelCount: max(details.channelCount, 1))
  }

  private func packing(channelCount: Int) throws(CinematicError) -> SoundPacking? {
    var reader = ByteReader(box.data, of: "the sample entry '\(format)'")
    try reader.skip(8)
    let version = try reader.u16()
    try reader.skip(8)
    let bits = Int(try reader.u16())
    try reader.skip(8)
    func plain(_ bits: Int) -> SoundPacking? {
      SoundPacking(ticks: 1, bytes: channelCount * max((bits + 7) / 8, 1))
    }
    switch format {
    case "raw ", "twos", "sowt", "NONE": return plain(bits)
    case "ulaw", "alaw": return plain(8)
    case "in24": return plain(24)
    case "in32", "fl32": return plain(32)
    case "fl64": return plain(64)
    default: break
    }
    switch version {
    case 1:
      let ticks = Int(try reader.u32())
      try reader.skip(4)
      return SoundPacking(ticks: ticks, bytes: Int(try reader.u32()))
    case 2:
      try reader.skip(28)
      let bytes = Int(try reader.u32())
      return SoundPacking(ticks: Int(try reader.u32()), bytes: bytes)
    default:
      // Of the first version the ratio is the coding's own.
      return switch format {
      case "ima4": SoundPacking(ticks: 64, bytes: 34 * channelCount)
      case "MAC3": SoundPacking(ticks: 6, bytes: 2 * channelCount)
      case "MAC6": SoundPacking(ticks: 6, bytes: channelCount)
      case "agsm": SoundPacking(ticks: 160, bytes: 33)
      default: nil
      }
    }
  }
}
