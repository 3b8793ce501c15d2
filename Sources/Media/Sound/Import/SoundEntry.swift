// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore

/// How a sound stream is stored in a QuickTime movie.
enum SoundEntry {
  /// Packets as they are, of so many samples where that is known; of AAC in broadcast streams without
  /// their heads, which all say this.
  case packets(Box, length: Int64? = nil, head: SoundFrameHeader.ADTS? = nil)
  /// Samples as they are, `frameSize` bytes for all channels, of which silence consists of one byte.
  case plain(Box, frameSize: Int, silence: UInt8)
  /// In no form that QuickTime has: it needs another one.
  case foreign

  /// - Parameters:
  ///   - source: the track in the file that the stream comes from, where it has boxes.
  ///   - firstPacket: gives the stream's first packet.
  init(
    _ parameters: UnsafeMutablePointer<AVCodecParameters>, source: StoredDescription?,
    firstPacket: () throws(CinematicError) -> [UInt8]
  ) throws(CinematicError) {
    let kept = source.flatMap { $0.isQuickTime && $0.entryCount == 1 ? $0.entry : nil }
    if let plain = SampleEntry.PlainSound(parameters.pointee.codec_id) {
      self = Self.plain(plain, parameters, kept: kept)
      return
    }
    let codec = parameters.pointee.codec_id
    if let kept, Self.kept.contains(codec.rawValue) {
      self = .packets(kept)
      return
    }
    // An entry of several codings is written for none of them.
    guard source?.entryCount ?? 1 == 1 else {
      self = .foreign
      return
    }
    switch codec {
    case AV_CODEC_ID_AAC:
      self = try Self.aac(parameters, firstPacket)
    case AV_CODEC_ID_MP3:
      // Broadcast streams say only that it is MPEG audio; layer III is MP3.
      let head = Array(try firstPacket().prefix(2))
      guard head.count == 2, head[0] == 0xFF, head[1] >> 1 & 3 == 1 else {
        self = .foreign
        return
      }
      self = .packets(
        Self.compressed(".mp3", parameters, length: Int(parameters.pointee.frame_size), []))
    case AV_CODEC_ID_ALAC:
      // FFmpeg keeps the whole box as it stands in files.
      let specific = parameters.extradata
      guard specific.count == 36 else {
        self = .foreign
        return
      }
      // Behind the head, version and flags, the samples a packet.
      let length = specific[12..<16].reduce(0) { $0 << 8 | Int64($1) }
      self = .packets(
        Self.compressed(
          "alac", parameters, length: Int(length),
          [Box("alac", data: Array(specific.dropFirst(8)))]), length: length > 0 ? length : nil)
    case AV_CODEC_ID_AC3:
      self = Self.dolby("ac-3", parameters, SoundFrameHeader.ac3(try firstPacket()))
    case AV_CODEC_ID_EAC3:
      self = Self.dolby(
        "ec-3", parameters,
        SoundFrameHeader.enhancedAC3(
          try firstPacket(), bitRate: Int(clamping: parameters.pointee.bit_rate)))
    default: self = .foreign
    }
  }

  /// Codecs that Apple's systems play from QuickTime movies: those files' own entries stay.
  private static let kept: Set<UInt32> = Set(
    [
      AV_CODEC_ID_AAC, AV_CODEC_ID_MP3, AV_CODEC_ID_ALAC, AV_CODEC_ID_AC3, AV_CODEC_ID_EAC3,
      AV_CODEC_ID_AMR_NB, AV_CODEC_ID_AMR_WB,
    ].map(\.rawValue))

  private static func plain(
    _ plain: SampleEntry.PlainSound, _ parameters: UnsafeMutablePointer<AVCodecParameters>,
    kept: Box?
  ) -> Self {
    let channels = Int(focal_channel_count(parameters))
    let rate = Int(parameters.pointee.sample_rate)
    guard channels > 0, rate > 0,
      let entry = kept
        ?? SampleEntry.plainSound(
          plain, channelCount: channels, sampleRate: rate, channels: layout(parameters))
    else { return .foreign }
    return .plain(entry, frameSize: channels * plain.bitsPerSample / 8, silence: plain.silence)
  }

  private static func aac(
    _ parameters: UnsafeMutablePointer<AVCodecParameters>,
    _ firstPacket: () throws(CinematicError) -> [UInt8]
  ) throws(CinematicError) -> Self {
    var specific = parameters.extradata
    var head: SoundFrameHeader.ADTS?
    if specific.count < 2 {
      guard let found = SoundFrameHeader.ADTS(try firstPacket()) else { return .foreign }
      head = found
      specific = found.specific
    }
    return .packets(aac(parameters, specific), head: head)
  }

  /// The entry of AAC with its decoder's configuration.
  static func aac(
    _ parameters: UnsafeMutablePointer<AVCodecParameters>, _ specific: [UInt8]
  ) -> Box {
    let stream = SampleEntry.elementaryStream(
      objectType: 0x40, averageBitRate: Int(clamping: parameters.pointee.bit_rate),
      specific: specific)
    // QuickTime looks for the descriptor behind an entry of the codec's own name.
    return compressed(
      "mp4a", parameters, length: 1024, [Box("mp4a", data: [0, 0, 0, 0]), stream])
  }

  private static func dolby(
    _ format: FourCC, _ parameters: UnsafeMutablePointer<AVCodecParameters>, _ description: Box?
  ) -> Self {
    guard let description else { return .foreign }
    return .packets(compressed(format, parameters, length: 1536, [description]))
  }

  static func compressed(
    _ format: FourCC, _ parameters: UnsafeMutablePointer<AVCodecParameters>, length: Int,
    _ extensions: [Box]
  ) -> Box {
    SampleEntry.sound(
      format, channelCount: Int(focal_channel_count(parameters)),
      sampleRate: Int(parameters.pointee.sample_rate), samplesPerPacket: max(0, length),
      extensions: extensions)
  }

  /// More channels than two are named.
  private static func layout(_ parameters: UnsafeMutablePointer<AVCodecParameters>) -> Box? {
    let mask = focal_channel_mask(parameters)
    guard focal_channel_count(parameters) > 2, mask > 0, mask < 1 << 18 else { return nil }
    return SampleEntry.channelLayout(UInt32(mask))
  }
}

extension SampleEntry.PlainSound {
  /// FFmpeg's names of what it reads as plain samples, one after another.
  fileprivate init?(_ codec: AVCodecID) {
    func integers(_ bits: Int, big: Bool) -> Self {
      Self(.signed, bitsPerSample: bits, isBigEndian: big)
    }
    func floats(_ bits: Int, big: Bool) -> Self {
      Self(.float, bitsPerSample: bits, isBigEndian: big)
    }
    switch codec {
    case AV_CODEC_ID_PCM_S8: self = integers(8, big: true)
    case AV_CODEC_ID_PCM_U8: self = Self(.unsigned, bitsPerSample: 8, isBigEndian: true)
    case AV_CODEC_ID_PCM_S16LE: self = integers(16, big: false)
    case AV_CODEC_ID_PCM_S16BE: self = integers(16, big: true)
    case AV_CODEC_ID_PCM_S24LE: self = integers(24, big: false)
    case AV_CODEC_ID_PCM_S24BE: self = integers(24, big: true)
    case AV_CODEC_ID_PCM_S32LE: self = integers(32, big: false)
    case AV_CODEC_ID_PCM_S32BE: self = integers(32, big: true)
    case AV_CODEC_ID_PCM_F32LE: self = floats(32, big: false)
    case AV_CODEC_ID_PCM_F32BE: self = floats(32, big: true)
    case AV_CODEC_ID_PCM_F64LE: self = floats(64, big: false)
    case AV_CODEC_ID_PCM_F64BE: self = floats(64, big: true)
    case AV_CODEC_ID_PCM_MULAW: self = Self(.muLaw, bitsPerSample: 8, isBigEndian: true)
    case AV_CODEC_ID_PCM_ALAW: self = Self(.aLaw, bitsPerSample: 8, isBigEndian: true)
    default: return nil
    }
  }
}
