// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore

extension SampleEntry {
  /// How an entry's sound is coded.
  ///
  /// - Parameter packetDuration: how long the track's first packet lasts.
  /// - Throws: `unsupported` for a coding that is not known, `malformed` for a damaged description.
  func soundParameters(packetDuration: Time) throws(CinematicError) -> SoundParameters {
    guard case .audio(let details) = details else {
      throw CinematicError(.invalidParameter, "'\(format)' describes no sound")
    }
    let boxes = try Self.soundBoxes(details.extensions)
    guard let (codec, extradata) = try soundCodec(boxes) else {
      throw CinematicError(
        .unsupported, "sound of the kind '\(format)' can be neither copied nor decoded",
        remedy: "leave the sound out (\(parameter: .noSound)), or convert it to AAC")
    }
    let rate = Int32(min(max(details.sampleRate.rounded(), 1), 1_536_000))
    // Entries of AC-3 say two channels whatever there is (ETSI TS 102 366, F.3).
    let channelCount = Self.dolbyChannels(boxes) ?? Int32(clamping: details.channelCount)
    func parameters(_ rate: Int32, _ channels: Int32) throws(CinematicError) -> SoundParameters {
      guard (1...64).contains(channels) else {
        throw CinematicError(
          .malformed, "the sound '\(format)' claims \(channels) channels",
          remedy: "leave the sound out (\(parameter: .noSound)), or copy or download the file again"
        )
      }
      let length = packetDuration.converted(to: rate).value
      guard
        let made = SoundParameters(
          codec, sampleRate: rate, channelCount: channels, extradata: extradata,
          packetLength: Int32(clamping: length))
      else { throw .outOfMemory(for: "the sound '\(format)'") }
      return made
    }
    guard codec == AV_CODEC_ID_AAC, !extradata.isEmpty else {
      return try parameters(rate, channelCount)
    }
    // QuickTime's entries of AAC say two channels whatever there is, and others none; the codec's own description
    // is right.
    let said = try parameters(rate, (1...64).contains(channelCount) ? channelCount : 2)
    let decoder = try said.makeDecoder(name: "the track")
    let found = decoder.pointer.pointee
    return try parameters(
      found.sample_rate > 0 ? found.sample_rate : rate,
      found.ch_layout.nb_channels > 0 ? found.ch_layout.nb_channels : channelCount)
  }

  /// The boxes that describe the coding, those in QuickTime's `wave` among them.
  private static func soundBoxes(_ extensions: [Box]) throws(CinematicError) -> [FourCC: Box] {
    var boxes: [FourCC: Box] = [:]
    for box in extensions {
      boxes[box.type] = boxes[box.type] ?? box
      guard box.type == "wave", let inner = try? Box.parse(box.data) else { continue }
      for box in inner { boxes[box.type] = boxes[box.type] ?? box }
    }
    return boxes
  }

  /// The codec and its configuration in FFmpeg's form; `nil` for one that is not known.
  private func soundCodec(
    _ boxes: [FourCC: Box]
  ) throws(CinematicError) -> (AVCodecID, [UInt8])? {
    switch format {
    case "mp4a":
      guard let box = boxes["esds"] else { return nil }
      return try ElementaryStream(box).codec
    case ".mp3", "mp3 ", "ms\0U": return (AV_CODEC_ID_MP3, [])
    case "ac-3": return (AV_CODEC_ID_AC3, [])
    case "ec-3": return (AV_CODEC_ID_EAC3, [])
    case "alac":
      // FFmpeg takes the whole box.
      guard let box = boxes["alac"] else { return nil }
      return (AV_CODEC_ID_ALAC, Box("alac", data: box.data.prefix(28)).bytes)
    case "fLaC":
      // Behind the box's version and the metadata block's head.
      guard let box = boxes["dfLa"], box.data.count >= 42 else { return nil }
      return (AV_CODEC_ID_FLAC, Array(box.data.dropFirst(8).prefix(34)))
    case "Opus":
      guard let box = boxes["dOps"] else { return nil }
      return (AV_CODEC_ID_OPUS, try Self.opusHead(box))
    default:
      return try plainCodec(boxes).map { ($0, []) }
    }
  }

  /// The channels that the description of AC-3 or Enhanced AC-3 tells of (ETSI TS 102 366, F.4 and F.6); `nil` for other
  /// codings and damaged descriptions.
  private static func dolbyChannels(_ boxes: [FourCC: Box]) -> Int32? {
    func channels(_ field: UInt8) -> Int32 {
      let counts: [Int32] = [2, 1, 2, 3, 3, 4, 4, 5]
      return counts[Int(field >> 1 & 7)] + Int32(field & 1)
    }
    if let box = boxes["dac3"], box.data.count >= 3 {
      return channels(Array(box.data)[1] >> 2)
    }
    guard let box = boxes["dec3"], box.data.count >= 5 else { return nil }
    let bytes = Array(box.data)
    let count = channels(bytes[3])
    guard bytes[4] >> 1 & 15 > 0, bytes.count >= 6 else { return count }
    // The places that dependent streams add, of which these are pairs.
    let places = UInt16(bytes[4] & 1) << 8 | UInt16(bytes[5])
    let pairs: UInt16 = 0b0_0111_0011
    return count + Int32(places.nonzeroBitCount + (places & pairs).nonzeroBitCount)
  }

  /// The head of an Ogg stream (RFC 7845 §5.1), which says the same as the box in the other byte order.
  private static func opusHead(_ box: Box) throws(CinematicError) -> [UInt8] {
    var reader = ByteReader(box.data, box: "dOps")
    try reader.skip(1)
    let channels = try reader.u8()
    let preSkip = try reader.u16()
    let rate = try reader.u32()
    let gain = try reader.u16()
    func little(_ value: UInt32, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) }
    }
    return Array("OpusHead".utf8) + [1, channels] + little(UInt32(preSkip), 2) + little(rate, 4)
      + little(UInt32(gain), 2) + Array(reader.rest)
  }

  /// The codec of plain samples.
  private func plainCodec(_ boxes: [FourCC: Box]) throws(CinematicError) -> AVCodecID? {
    var reader = ByteReader(box.data, of: "the sample entry '\(format)'")
    try reader.skip(8)
    let version = try reader.u16()
    try reader.skip(8)
    let bits = Int(try reader.u16())
    let isLittle = boxes["enda"].map { $0.data.last == 1 } ?? false
    switch format {
    // Of 16 bits it means the same as 'twos'.
    case "raw ": return bits == 16 ? AV_CODEC_ID_PCM_S16BE : AV_CODEC_ID_PCM_U8
    case "sowt": return Self.integers(bits, isLittle: true)
    case "twos": return Self.integers(bits, isLittle: false)
    case "NONE": return bits == 8 ? AV_CODEC_ID_PCM_U8 : Self.integers(bits, isLittle: false)
    case "in24": return Self.integers(24, isLittle: isLittle)
    case "in32": return Self.integers(32, isLittle: isLittle)
    case "fl32": return Self.floats(32, isLittle: isLittle)
    case "fl64": return Self.floats(64, isLittle: isLittle)
    case "ulaw": return AV_CODEC_ID_PCM_MULAW
    case "alaw": return AV_CODEC_ID_PCM_ALAW
    case "lpcm" where version == 2:
      try reader.skip(8 + 20)
      let bits = Int(try reader.u32())
      let flags = try reader.u32()
      let isLittle = flags & 2 == 0
      return flags & 1 != 0
        ? Self.floats(bits, isLittle: isLittle) : Self.integers(bits, isLittle: isLittle)
    case "ipcm", "fpcm":
      guard let box = boxes["pcmC"], box.data.count >= 6 else { return nil }
      let content = Array(box.data)
      let isLittle = content[4] & 1 != 0
      return format == "fpcm"
        ? Self.floats(Int(content[5]), isLittle: isLittle)
        : Self.integers(Int(content[5]), isLittle: isLittle)
    default: return nil
    }
  }

  private static func integers(_ bits: Int, isLittle: Bool) -> AVCodecID? {
    switch bits {
    case 8: AV_CODEC_ID_PCM_S8
    case 16: isLittle ? AV_CODEC_ID_PCM_S16LE : AV_CODEC_ID_PCM_S16BE
    case 24: isLittle ? AV_CODEC_ID_PCM_S24LE : AV_CODEC_ID_PCM_S24BE
    case 32: isLittle ? AV_CODEC_ID_PCM_S32LE : AV_CODEC_ID_PCM_S32BE
    default: nil
    }
  }

  private static func floats(_ bits: Int, isLittle: Bool) -> AVCodecID? {
    switch bits {
    case 32: isLittle ? AV_CODEC_ID_PCM_F32LE : AV_CODEC_ID_PCM_F32BE
    case 64: isLittle ? AV_CODEC_ID_PCM_F64LE : AV_CODEC_ID_PCM_F64BE
    default: nil
    }
  }
}

/// `esds`: the descriptors of an MPEG-4 elementary stream (ISO/IEC 14496-1 §7.2.6).
private struct ElementaryStream {
  var objectType: UInt8 = 0
  /// The decoder's configuration.
  var specific: [UInt8] = []

  init(_ box: Box) throws(CinematicError) {
    var reader = ByteReader(box.data, box: "esds")
    _ = try reader.versionAndFlags()
    try read(reader.rest, depth: 0)
  }

  private mutating func read(_ bytes: ArraySlice<UInt8>, depth: Int) throws(CinematicError) {
    var reader = ByteReader(bytes, box: "esds")
    while reader.remaining >= 2, depth < 3 {
      let tag = try reader.u8()
      var size = 0
      for _ in 0..<4 {
        let byte = try reader.u8()
        size = size << 7 | Int(byte & 0x7F)
        if byte & 0x80 == 0 { break }
      }
      // Some writers claim more than there is.
      let content = try reader.bytes(min(size, reader.remaining))
      var inner = ByteReader(content, box: "esds")
      switch tag {
      case 3:
        try inner.skip(2)
        let flags = try inner.u8()
        if flags & 0x80 != 0 { try inner.skip(2) }
        if flags & 0x40 != 0 { try inner.skip(Int(try inner.u8())) }
        if flags & 0x20 != 0 { try inner.skip(2) }
        try read(inner.rest, depth: depth + 1)
      case 4:
        objectType = try inner.u8()
        try inner.skip(12)
        try read(inner.rest, depth: depth + 1)
      case 5: specific = Array(content)
      default: break
      }
    }
  }

  /// `nil` for an object type that is no known sound.
  var codec: (AVCodecID, [UInt8])? {
    switch objectType {
    case 0x40, 0x66, 0x67, 0x68: (AV_CODEC_ID_AAC, specific)
    case 0x69, 0x6B: (AV_CODEC_ID_MP3, [])
    case 0xA5: (AV_CODEC_ID_AC3, [])
    case 0xA6: (AV_CODEC_ID_EAC3, [])
    case 0xDD: (AV_CODEC_ID_VORBIS, specific)
    default: nil
    }
  }
}
