// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore

/// How a track of sound is stored in a movie.
struct SoundEntry {
  /// The track's sample entry.
  var box: Box
  /// How packets are coded.
  var parameters: SoundParameters
  /// Of plain samples: the bytes that all channels take in one tick, and the byte of which silence
  /// consists.
  var plain: (frameSize: Int, silence: UInt8)?
  /// The beginning of every packet that the movie leaves out: the head of AAC in broadcast streams.
  var head: SoundFrameHeader.ADTS?
  /// As ``FocalBoxes/TrackSettings/rollDistance``.
  var rollDistance: Int16?

  private init(box: Box, _ parameters: SoundParameters) {
    (self.box, self.parameters) = (box, parameters)
  }

  /// - Returns: `nil` for a coding that the movie does not hold.
  init?(copying source: SoundSource, in container: SoundContainer) throws(CinematicError) {
    let parameters = source.parameters
    self.parameters = parameters
    if container.isWebM, ![AV_CODEC_ID_OPUS, AV_CODEC_ID_VORBIS].contains(parameters.codec) {
      return nil
    }
    let stored = source.track.stored
    // QuickTime's entries and MP4's differ; each kind of file keeps its own.
    let kept = stored?.entry.flatMap {
      $0.isQuickTimeSound == (container.format == .quickTime) ? $0 : nil
    }
    if let plain = SampleEntry.PlainSound(parameters.codec) {
      guard container.format == .quickTime,
        let made = Self.plain(plain, parameters, kept: kept)
      else { return nil }
      self = made
      return
    }
    if let kept, Self.isKept(parameters.codec, in: container) {
      box = kept
    } else {
      // An entry of several codings is written for none of them.
      if let stored, stored.entry == nil { return nil }
      var head: SoundFrameHeader.ADTS?
      guard let coding = try Self.coding(of: source, head: &head) else { return nil }
      guard let made = coding.box(parameters, in: container) else { return nil }
      box = made
      self.head = head
    }
    rollDistance = Self.rollDistance(parameters.codec, in: container)
  }

  /// The format that an encoder makes.
  init(_ compressor: SoundCompressor, in container: SoundContainer) throws(CinematicError) {
    let parameters = try compressor.makeParameters()
    let coding: SoundCoding =
      switch compressor.coding {
      case .aac: .aac(parameters.extradata)
      case .alac: .alac(parameters.extradata)
      case .opus: .opus(parameters.extradata)
      }
    self.parameters = parameters
    guard let made = coding.box(parameters, in: container) else {
      throw CinematicError(
        .unsupported, "the movie cannot hold sound of \(compressor.codecName)",
        remedy: "leave the sound out")
    }
    box = made
    rollDistance = Self.rollDistance(parameters.codec, in: container)
  }

  /// Codecs whose entries stay as the source has them: in QuickTime movies those that Apple's systems
  /// play from them, in MP4 all that have one.
  private static func isKept(_ codec: AVCodecID, in container: SoundContainer) -> Bool {
    guard container.isForApple else { return codec != AV_CODEC_ID_NONE }
    return [
      AV_CODEC_ID_AAC, AV_CODEC_ID_MP3, AV_CODEC_ID_ALAC, AV_CODEC_ID_AC3, AV_CODEC_ID_EAC3,
      AV_CODEC_ID_AMR_NB, AV_CODEC_ID_AMR_WB,
    ].contains(codec)
  }

  /// As many packets as the codec needs to get going.
  private static func rollDistance(_ codec: AVCodecID, in container: SoundContainer) -> Int16? {
    guard container.format == .mp4 else { return nil }
    return switch codec {
    case AV_CODEC_ID_AAC: -1
    case AV_CODEC_ID_OPUS: -4
    default: nil
    }
  }

  private static func plain(
    _ plain: SampleEntry.PlainSound, _ parameters: SoundParameters, kept: Box?
  ) -> Self? {
    let channels = Int(parameters.channelCount)
    guard channels > 0,
      let box = kept
        ?? SampleEntry.plainSound(
          plain, channelCount: channels, sampleRate: Int(parameters.sampleRate),
          channels: layout(parameters))
    else { return nil }
    var entry = Self(box: box, parameters)
    entry.plain = (channels * plain.bitsPerSample / 8, plain.silence)
    return entry
  }

  /// More channels than two are named.
  private static func layout(_ parameters: SoundParameters) -> Box? {
    guard parameters.channelCount > 2,
      let mask = SoundLayout(parameters.pointer.pointee.ch_layout).mask, mask < 1 << 18
    else { return nil }
    return SampleEntry.channelLayout(UInt32(mask))
  }

  /// A movie's description of a source's coding; `nil` for a coding that no movie holds.
  private static func coding(
    of source: SoundSource, head: inout SoundFrameHeader.ADTS?
  ) throws(CinematicError) -> SoundCoding? {
    let parameters = source.parameters
    let extradata = parameters.extradata
    switch parameters.codec {
    case AV_CODEC_ID_AAC:
      if extradata.count >= 2 { return .aac(extradata) }
      head = SoundFrameHeader.ADTS(source.track.firstPacket)
      return head.map { .aac($0.specific) }
    case AV_CODEC_ID_MP3:
      // Broadcast streams say only that it is MPEG audio; layer III is MP3.
      let head = source.track.firstPacket.prefix(2)
      guard head.count == 2, head[0] == 0xFF, head[1] >> 1 & 3 == 1 else { return nil }
      return .mp3
    case AV_CODEC_ID_MP2: return .mp2
    // FFmpeg keeps the whole box as it stands in files.
    case AV_CODEC_ID_ALAC: return extradata.count == 36 ? .alac(extradata) : nil
    case AV_CODEC_ID_AC3:
      return SoundFrameHeader.ac3(source.track.firstPacket).map { .dolby("ac-3", $0) }
    case AV_CODEC_ID_EAC3:
      let rate = Int(clamping: parameters.pointer.pointee.bit_rate)
      return SoundFrameHeader.enhancedAC3(source.track.firstPacket, bitRate: rate)
        .map { .dolby("ec-3", $0) }
    case AV_CODEC_ID_OPUS: return .opus(extradata)
    case AV_CODEC_ID_FLAC: return .flac(extradata)
    case AV_CODEC_ID_VORBIS where !extradata.isEmpty: return .vorbis(extradata)
    case AV_CODEC_ID_DTS: return .dts
    default: return nil
    }
  }
}

extension Box {
  /// Whether a sample entry of sound is in QuickTime's form: plain samples under their old names, a
  /// version that MP4 does not have; entries that are alike in both forms are.
  fileprivate var isQuickTimeSound: Bool {
    if ["ipcm", "fpcm"].contains(type) { return false }
    if ["samr", "sawb"].contains(type) || SampleEntry.plainNames.contains(type) { return true }
    var reader = ByteReader(data, of: "a sample entry")
    guard (try? reader.skip(8)) != nil, let version = try? reader.u16() else { return false }
    return version > 0
  }
}

extension SampleEntry {
  /// QuickTime's names of plain sound.
  fileprivate static let plainNames: Set<FourCC> = [
    "raw ", "sowt", "twos", "NONE", "in24", "in32", "fl32", "fl64", "ulaw", "alaw", "lpcm",
  ]
}

extension SampleEntry.PlainSound {
  /// FFmpeg's names of what it reads as plain samples, one after another.
  init?(_ codec: AVCodecID) {
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
