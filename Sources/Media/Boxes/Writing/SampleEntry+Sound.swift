// SPDX-License-Identifier: Apache-2.0

extension SampleEntry {
  /// An entry of compressed sound, as QuickTime has it, with what the decoder needs in a box `wave`.
  ///
  /// - Parameters:
  ///   - sampleRate: samples a second; beyond what 16 bits hold, the entry takes version 2.
  ///   - samplesPerPacket: of each channel; zero where it varies.
  ///   - extensions: what the decoder needs.
  ///   - channels: the layout, where the codec itself does not say it (``channelLayout(_:)``).
  public static func sound(
    _ format: FourCC, channelCount: Int, sampleRate: Int, samplesPerPacket: Int,
    extensions: [Box], channels: Box? = nil
  ) -> Box {
    let original = Box("frma") { $0.fourCC(format) }
    // QuickTime's wants a terminator of the type zero.
    let end = Box(FourCC(rawValue: 0), data: [UInt8]())
    let wave = Box("wave", [original] + extensions + [end])
    let boxes = [wave] + (channels.map { [$0] } ?? [])
    guard sampleRate < 65536 else {
      return wideSound(
        format, channelCount: channelCount, sampleRate: sampleRate, bitsPerSample: 0, flags: 0,
        bytesPerPacket: 0, samplesPerPacket: samplesPerPacket, extensions: boxes)
    }
    return Box(format) { writer in
      writer.soundHead(
        version: 1, channelCount: channelCount, bitsPerSample: 16, compressionID: -2,
        sampleRate: sampleRate)
      writer.u32(UInt32(clamping: samplesPerPacket))
      writer.u32(0)
      writer.u32(0)
      writer.u32(2)
      for box in boxes { writer.box(box) }
    }
  }

  /// An entry of compressed sound as MP4 has it (ISO/IEC 14496-12 §12.2.3).
  ///
  /// - Parameters:
  ///   - sampleRate: samples a second; beyond what 16 bits hold, only the decoder's configuration says it.
  ///   - extensions: what the decoder needs.
  public static func isoSound(
    _ format: FourCC, channelCount: Int, sampleRate: Int, extensions: [Box]
  ) -> Box {
    Box(format) { writer in
      writer.soundHead(
        version: 0, channelCount: channelCount, bitsPerSample: 16, compressionID: 0,
        sampleRate: sampleRate < 65536 ? sampleRate : 0)
      for box in extensions { writer.box(box) }
    }
  }

  /// How the samples of plain sound are stored.
  public struct PlainSound: Hashable, Sendable {
    /// How numbers are stored.
    public enum Coding: Hashable, Sendable {
      case signed, unsigned, float
      /// ITU-T G.711, eight bits.
      case muLaw, aLaw
    }

    /// How the numbers are stored.
    public var coding: Coding
    /// 8, 16, 24, 32 or 64.
    public var bitsPerSample: Int
    /// Whether the high byte comes first.
    public var isBigEndian: Bool

    /// A form of plain samples.
    public init(_ coding: Coding, bitsPerSample: Int, isBigEndian: Bool) {
      self.coding = coding
      self.bitsPerSample = bitsPerSample
      self.isBigEndian = isBigEndian
    }

    /// The byte of which silence consists.
    public var silence: UInt8 {
      switch coding {
      case .signed, .float: 0
      case .unsigned: 0x80
      case .muLaw: 0xFF
      case .aLaw: 0xD5
      }
    }

    /// QuickTime's name where the old form of the entry holds it.
    fileprivate var shortName: FourCC? {
      switch (coding, bitsPerSample) {
      case (.signed, 8): "twos"
      case (.signed, 16): isBigEndian ? "twos" : "sowt"
      case (.unsigned, 8): "raw "
      case (.muLaw, 8): "ulaw"
      case (.aLaw, 8): "alaw"
      default: nil
      }
    }

    fileprivate var flags: UInt32 {
      let kind: UInt32 = coding == .float ? 1 : coding == .signed ? 4 : 0
      return kind | (isBigEndian && bitsPerSample > 8 ? 2 : 0) | 8  // packed
    }
  }

  /// An entry of plain sound.
  ///
  /// - Returns: `nil` for what QuickTime has no entry for: G.711 beyond 65535 Hz.
  public static func plainSound(
    _ plain: PlainSound, channelCount: Int, sampleRate: Int, channels: Box? = nil
  ) -> Box? {
    let boxes = channels.map { [$0] } ?? []
    if let name = plain.shortName, sampleRate < 65536 {
      return Box(name) { writer in
        writer.soundHead(
          version: 0, channelCount: channelCount,
          // Of the law that compands sixteen bits to eight, the sixteen are told.
          bitsPerSample: [.muLaw, .aLaw].contains(plain.coding) ? 16 : plain.bitsPerSample,
          compressionID: 0, sampleRate: sampleRate)
        for box in boxes { writer.box(box) }
      }
    }
    guard plain.coding != .muLaw, plain.coding != .aLaw else { return nil }
    return wideSound(
      "lpcm", channelCount: channelCount, sampleRate: sampleRate,
      bitsPerSample: plain.bitsPerSample, flags: plain.flags,
      bytesPerPacket: channelCount * plain.bitsPerSample / 8, samplesPerPacket: 1,
      extensions: boxes)
  }

  /// An entry of version 2, which holds any rate and any kind of samples.
  private static func wideSound(
    _ format: FourCC, channelCount: Int, sampleRate: Int, bitsPerSample: Int, flags: UInt32,
    bytesPerPacket: Int, samplesPerPacket: Int, extensions: [Box]
  ) -> Box {
    Box(format) { writer in
      writer.zeros(6)
      writer.u16(1)  // the data lies in this file
      writer.u16(2)
      writer.zeros(6)
      // Fields of the older versions, at the values that the format fixes.
      writer.u16(3)
      writer.u16(16)
      writer.i16(-2)
      writer.u16(0)
      writer.u32(0x1_0000)
      writer.u32(72)
      writer.u64(Double(sampleRate).bitPattern)
      writer.u32(UInt32(clamping: channelCount))
      writer.u32(0x7F00_0000)
      writer.u32(UInt32(clamping: bitsPerSample))
      writer.u32(flags)
      writer.u32(UInt32(clamping: bytesPerPacket))
      writer.u32(UInt32(clamping: samplesPerPacket))
      for box in extensions { writer.box(box) }
    }
  }

  /// Which channels there are, in the order of their bits.
  ///
  /// - Parameter mask: bit 0 is front left, 1 front right, 2 front centre, 3 low frequencies, and so on
  ///   as in WAVE files; 18 bits.
  public static func channelLayout(_ mask: UInt32) -> Box {
    Box("chan", version: 0) { writer in
      writer.u32(0x1_0000)  // said by the bits
      writer.u32(mask)
      writer.u32(0)
    }
  }

  /// The descriptor of MPEG audio (ISO/IEC 14496-1 §7.2.6.5) in a box `esds`.
  ///
  /// - Parameters:
  ///   - objectType: 0x40 for AAC, 0x6B for MP3.
  ///   - specific: the decoder's own configuration; empty where it has none.
  public static func elementaryStream(
    objectType: UInt8, averageBitRate: Int, specific: [UInt8]
  ) -> Box {
    func descriptor(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
      var writer = ByteWriter()
      writer.u8(tag)
      let size = UInt32(content.count)
      for shift in [21, 14, 7] as [UInt32] { writer.u8(0x80 | UInt8(size >> shift & 0x7F)) }
      writer.u8(UInt8(size & 0x7F))
      writer.append(content)
      return writer.bytes
    }
    var decoder = ByteWriter()
    decoder.u8(objectType)
    decoder.u8(0x15)  // an audio stream
    decoder.u24(0)
    decoder.u32(UInt32(clamping: averageBitRate))
    decoder.u32(UInt32(clamping: averageBitRate))
    if !specific.isEmpty { decoder.append(descriptor(5, specific)) }
    var stream = ByteWriter()
    stream.u16(0)
    stream.u8(0)
    stream.append(descriptor(4, decoder.bytes))
    stream.append(descriptor(6, [2]))
    return Box("esds", version: 0) { $0.append(descriptor(3, stream.bytes)) }
  }
}

extension ByteWriter {
  /// The beginning of entries of sound in versions 0 and 1.
  fileprivate mutating func soundHead(
    version: UInt16, channelCount: Int, bitsPerSample: Int, compressionID: Int16, sampleRate: Int
  ) {
    zeros(6)
    u16(1)  // the data lies in this file
    u16(version)
    zeros(6)
    u16(UInt16(clamping: channelCount))
    u16(UInt16(clamping: bitsPerSample))
    i16(compressionID)
    u16(0)
    fixed(Double(sampleRate))
  }
}
