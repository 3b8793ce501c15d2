// SPDX-License-Identifier: Apache-2.0

/// The fields of a sound packet's head that a movie's sample entry must state.
public enum SoundFrameHeader {
  /// The head that AAC has in broadcast streams (ADTS, ISO/IEC 13818-7 §6.2).
  public struct ADTS: Hashable, Sendable {
    /// Bytes of the head, which movies do not store.
    public let size: Int
    /// The decoder's configuration (ISO/IEC 14496-3 §1.6.2.1) that says the same.
    public let specific: [UInt8]

    /// - Returns: `nil` for bytes that begin otherwise, for packets of several blocks, and for channels
    ///   that only the sound itself describes.
    public init?(_ bytes: some Collection<UInt8>) {
      let head = Array(bytes.prefix(9))
      guard head.count >= 7, head[0] == 0xFF, head[1] & 0xF6 == 0xF0 else { return nil }
      var reader = BitReader(head)
      reader.skip(15)
      let hasChecksum = reader.bits(1) == 0
      let objectType = reader.bits(2) + 1
      let rate = reader.bits(4)
      reader.skip(1)
      let channels = reader.bits(3)
      guard rate < 13, channels > 0, head[6] & 3 == 0 else { return nil }
      size = hasChecksum ? 9 : 7
      let word = objectType << 11 | rate << 7 | channels << 3
      specific = [UInt8(word >> 8), UInt8(word & 0xFF)]
    }
  }

  /// The head of MPEG audio's frames (ISO/IEC 11172-3 §2.4.1.3, ISO/IEC 13818-3 §2.4.1.3).
  public struct MPEGAudio: Hashable, Sendable {
    /// Samples a second.
    public let sampleRate: Int
    /// 1 or 2.
    public let channelCount: Int
    /// Samples of each channel in a frame.
    public let frameLength: Int

    /// - Returns: `nil` for bytes that begin otherwise.
    public init?(_ bytes: some Collection<UInt8>) {
      let head = Array(bytes.prefix(4))
      guard head.count == 4, head[0] == 0xFF, head[1] & 0xE0 == 0xE0 else { return nil }
      // 0 is the extension to low rates, 2 and 3 are MPEG-2 and MPEG-1.
      let version = head[1] >> 3 & 3
      let layer = 4 - Int(head[1] >> 1 & 3)
      let rate = Int(head[2] >> 2 & 3)
      guard version != 1, layer < 4, head[2] >> 4 < 15, rate < 3 else { return nil }
      sampleRate = [44100, 48000, 32000][rate] / (version == 3 ? 1 : version == 2 ? 2 : 4)
      channelCount = head[3] >> 6 == 3 ? 1 : 2
      frameLength = layer == 1 ? 384 : layer == 3 && version != 3 ? 576 : 1152
    }
  }

  /// The box `dac3` of AC-3 (ETSI TS 102 366, annex F.4), from a frame's head.
  ///
  /// - Returns: `nil` for bytes that are no such frame.
  public static func ac3(_ bytes: some Collection<UInt8>) -> Box? {
    let head = Array(bytes.prefix(8))
    guard head.count == 8, head[0] == 0x0B, head[1] == 0x77 else { return nil }
    var reader = BitReader(head)
    reader.skip(32)
    let rate = reader.bits(2)
    let frameSize = reader.bits(6)
    let stream = reader.bits(5)
    let mode = reader.bits(3)
    let channels = reader.bits(3)
    guard rate < 3, frameSize < 38, stream <= 8 else { return nil }
    let lowFrequencies = lowFrequencies(&reader, channels)
    return Box("dac3") { writer in
      writer.u24(
        rate << 22 | stream << 17 | mode << 14 | channels << 11 | lowFrequencies << 10
          | (frameSize >> 1) << 5)
    }
  }

  /// The box `dec3` of Enhanced AC-3 (ETSI TS 102 366, annex F.6), from the first packet.
  ///
  /// - Returns: `nil` for bytes that are no such packet, and for several streams in one, which another
  ///   box would have to describe.
  public static func enhancedAC3(_ bytes: [UInt8], bitRate: Int) -> Box? {
    guard bytes.count >= 8, bytes[0] == 0x0B, bytes[1] == 0x77 else { return nil }
    var reader = BitReader(Array(bytes.prefix(64)))
    reader.skip(16)
    let kind = reader.bits(2)
    let number = reader.bits(3)
    let size = (Int(reader.bits(11)) + 1) * 2
    let rate = reader.bits(2)
    // Six blocks of sound, as movies want a packet to have.
    guard kind == 0, number == 0, size == bytes.count, rate < 3, reader.bits(2) == 3 else {
      return nil
    }
    let channels = reader.bits(3)
    let lowFrequencies = reader.bits(1)
    let stream = reader.bits(5)
    guard stream > 10, stream <= 16 else { return nil }
    return Box("dec3") { writer in
      writer.u16(UInt16(clamping: bitRate / 1000) << 3)  // one independent stream
      writer.u24(rate << 22 | stream << 17 | channels << 9 | lowFrequencies << 8)
    }
  }

  /// The bit behind the fields that depend on the channels (§4.4.2).
  private static func lowFrequencies(_ reader: inout BitReader, _ channels: UInt32) -> UInt32 {
    if channels & 1 == 1, channels != 1 { reader.skip(2) }
    if channels & 4 != 0 { reader.skip(2) }
    if channels == 2 { reader.skip(2) }
    return reader.bits(1)
  }
}
