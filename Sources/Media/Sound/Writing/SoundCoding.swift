// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore

/// A coding of sound that movies hold, with what the decoder has to know.
enum SoundCoding {
  /// ISO/IEC 14496-3's configuration.
  case aac([UInt8])
  case mp3
  case mp2
  /// The box as it stands in files.
  case alac([UInt8])
  /// AC-3 and Enhanced AC-3: the entry's name and the box in it.
  case dolby(FourCC, Box)
  /// The head of an Ogg stream (RFC 7845 §5.1).
  case opus([UInt8])
  /// The stream's information, perhaps behind the marker of a file.
  case flac([UInt8])
  /// The codec's three heads as FFmpeg has them.
  case vorbis([UInt8])
  case dts

  /// The sample entry; `nil` where the movie holds no such sound.
  func box(_ parameters: SoundParameters, in container: SoundContainer) -> Box? {
    let entry = Entry(parameters: parameters, isISO: container.format == .mp4)
    switch self {
    case .aac(let specific):
      return entry.elementaryStream(0x40, specific, samplesPerPacket: 1024)
    case .mp3 where container.format == .quickTime:
      return entry.quickTime(".mp3", Int(parameters.packetLength), [])
    case .mp2 where container.format == .quickTime:
      return container.isForApple ? nil : entry.quickTime(".mp2", 1152, [])
    case .mp3, .mp2:
      // MPEG-2 brought the lower rates.
      return entry.elementaryStream(parameters.sampleRate > 24000 ? 0x6B : 0x69, [])
    case .alac(let box):
      let content = Box("alac", data: Array(box.dropFirst(8)))
      return entry.isISO
        ? entry.iso("alac", [content])
        : entry.quickTime("alac", Int(parameters.packetLength), [content])
    case .dolby(let name, let box):
      return entry.isISO ? entry.iso(name, [box]) : entry.quickTime(name, 1536, [box])
    case .opus(let head):
      return entry.isISO ? Self.opusBox(head).map { entry.iso("Opus", [$0]) } : nil
    case .flac(let information):
      return entry.isISO ? Self.flacBox(information).map { entry.iso("fLaC", [$0]) } : nil
    case .vorbis(let heads): return entry.isISO ? entry.elementaryStream(0xDD, heads) : nil
    case .dts where container.format == .quickTime:
      return container.isForApple ? nil : entry.quickTime("dtsc", 0, [])
    case .dts: return entry.elementaryStream(0xA9, [])
    }
  }

  /// Properties that all entries of a track have in common.
  private struct Entry {
    var parameters: SoundParameters
    var isISO: Bool

    func iso(_ format: FourCC, _ extensions: [Box]) -> Box {
      SampleEntry.isoSound(
        format, channelCount: Int(parameters.channelCount), sampleRate: Int(parameters.sampleRate),
        extensions: extensions)
    }

    func quickTime(_ format: FourCC, _ length: Int, _ extensions: [Box]) -> Box {
      SampleEntry.sound(
        format, channelCount: Int(parameters.channelCount), sampleRate: Int(parameters.sampleRate),
        samplesPerPacket: max(0, length), extensions: extensions)
    }

    func elementaryStream(
      _ objectType: UInt8, _ specific: [UInt8], samplesPerPacket: Int = 0
    ) -> Box {
      let stream = SampleEntry.elementaryStream(
        objectType: objectType,
        averageBitRate: Int(clamping: parameters.pointer.pointee.bit_rate), specific: specific)
      // QuickTime looks for the descriptor behind an entry of the codec's own name.
      return isISO
        ? iso("mp4a", [stream])
        : quickTime("mp4a", samplesPerPacket, [Box("mp4a", data: [0, 0, 0, 0]), stream])
    }
  }

  /// The box `dOps`, which says the same as the head in the other byte order.
  private static func opusBox(_ head: [UInt8]) -> Box? {
    guard head.count >= 19, head.starts(with: "OpusHead".utf8) else { return nil }
    return Box("dOps") { writer in
      writer.u8(0)
      writer.u8(head[9])
      writer.append([head[11], head[10]])
      writer.append(head[12..<16].reversed())
      writer.append([head[17], head[16]])
      writer.append(head[18...])
    }
  }

  /// The box `dfLa` with the stream's information as its last block.
  private static func flacBox(_ bytes: [UInt8]) -> Box? {
    let information = bytes.starts(with: "fLaC".utf8) ? Array(bytes.dropFirst(8)) : bytes
    guard information.count >= 34 else { return nil }
    return Box("dfLa", version: 0) { writer in
      writer.u8(0x80)
      writer.u24(34)
      writer.append(information.prefix(34))
    }
  }
}
