// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore

/// The sample entries of sound that QuickTime movies hold as it is.
enum SoundEntry {
  /// The entry of a stream; `nil` for a codec that cannot be kept.
  ///
  /// - Parameter source: the track in the file that the stream comes from, where it has boxes.
  static func entry(
    _ parameters: UnsafeMutablePointer<AVCodecParameters>, source: MovieDescription?
  ) -> Box? {
    // Packets of plain samples hold many samples at once; their tables are of another kind.
    guard av_get_bits_per_sample(parameters.pointee.codec_id) == 0 else { return nil }
    if let source, let entry = source.entry, source.entryCount == 1,
      source.isQuickTime || parameters.pointee.codec_id != AV_CODEC_ID_AAC
    {
      return entry
    }
    let channels = focal_channel_count(parameters)
    let rate = Int(parameters.pointee.sample_rate)
    let bitRate = Int(clamping: parameters.pointee.bit_rate)
    let specific = parameters.extradata
    switch parameters.pointee.codec_id {
    case AV_CODEC_ID_AAC:
      guard specific.count >= 2 else { return nil }
      let stream = SampleEntry.elementaryStream(
        objectType: 0x40, averageBitRate: bitRate, specific: specific)
      // QuickTime looks for the descriptor behind an entry of the codec's own name.
      let codec = Box("mp4a", data: [0, 0, 0, 0])
      return SampleEntry.sound(
        "mp4a", channelCount: Int(channels), sampleRate: rate, samplesPerPacket: 1024,
        extensions: [codec, stream])
    case AV_CODEC_ID_MP3:
      return SampleEntry.sound(
        ".mp3", channelCount: Int(channels), sampleRate: rate,
        samplesPerPacket: max(0, Int(parameters.pointee.frame_size)), extensions: [])
    case AV_CODEC_ID_ALAC:
      // FFmpeg keeps the whole box as it stands in files.
      guard specific.count == 36 else { return nil }
      return SampleEntry.sound(
        "alac", channelCount: Int(channels), sampleRate: rate, samplesPerPacket: 4096,
        extensions: [Box("alac", data: Array(specific.dropFirst(8)))])
    default: return nil
    }
  }
}
