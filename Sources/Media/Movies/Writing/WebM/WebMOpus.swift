// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes

/// What WebM says of Opus: how much a decoder leaves out at the beginning and at the end.
enum WebMOpus {
  /// The samples a second by which both are counted, whatever the sound had before.
  static let rate: Int32 = 48000

  /// Samples of a packet at 48 kHz, by its first two bytes (RFC 6716 §3.1, §3.2); 0 for no packet.
  static func length(of packet: [UInt8]) -> Int64 {
    guard let first = packet.first else { return 0 }
    let configuration = Int(first >> 3)
    let frame: Int64 =
      switch configuration {
      case ..<12: [480, 960, 1920, 2880][configuration % 4]
      case ..<16: [480, 960][configuration % 2]
      default: [120, 240, 480, 960][configuration % 4]
      }
    switch first & 3 {
    case 0: return frame
    case 3: return packet.count > 1 ? frame * Int64(packet[1] & 0x3F) : 0
    default: return 2 * frame
    }
  }

  /// Whether libavformat's muxer itself adds to times what the head says that a decoder leaves out, which FFmpeg 5.1 leaves to
  /// its callers and later ones do not: tried with a packet.
  static let isDelayAdded: Bool = {
    guard let format = av_guess_format("webm", nil, nil), let packet = Packet() else { return true }
    var context: UnsafeMutablePointer<AVFormatContext>?
    guard avformat_alloc_output_context2(&context, format, nil, nil) >= 0, let context else {
      return true
    }
    defer { avformat_free_context(context) }
    // A head of one channel at 48 kHz, of which 4800 samples, 100 ms, are left out.
    let head: [UInt8] =
      Array("OpusHead".utf8) + [1, 1, 0xC0, 0x12, 0x80, 0xBB, 0, 0, 0, 0, 0]
    guard let stream = avformat_new_stream(context, nil),
      stream.pointee.codecpar.setExtradata(head), avio_open_dyn_buf(&context.pointee.pb) >= 0
    else { return true }
    let parameters = stream.pointee.codecpar!
    parameters.pointee.codec_type = AVMEDIA_TYPE_AUDIO
    parameters.pointee.codec_id = AV_CODEC_ID_OPUS
    parameters.pointee.sample_rate = rate
    parameters.pointee.initial_padding = 4800
    av_channel_layout_default(&parameters.pointee.ch_layout, 1)
    context.pointee.avoid_negative_ts = 0
    context.pointee.flags |= AVFMT_FLAG_BITEXACT
    // Twelve bytes that are found again, behind a block's track, time and flags.
    let mark = Array("focal's mark".utf8)
    var isWritten = avformat_write_header(context, nil) >= 0 && packet.fill(mark)
    if isWritten {
      (packet.pointer.pointee.pts, packet.pointer.pointee.dts) = (-100, -100)
      packet.pointer.pointee.flags |= AV_PKT_FLAG_KEY
      isWritten =
        av_write_frame(context, packet.pointer) >= 0 && av_write_trailer(context) >= 0
    }
    var data: UnsafeMutablePointer<UInt8>?
    let count = Int(avio_close_dyn_buf(context.pointee.pb, &data))
    context.pointee.pb = nil
    defer { av_free(data) }
    guard isWritten, let data, count > mark.count + 3 else { return true }
    let bytes = Array(UnsafeBufferPointer(start: data, count: count))
    let place = (3...(count - mark.count)).first { Array(bytes[$0..<($0 + mark.count)]) == mark }
    // Milliseconds after the cluster's beginning, which is never before zero, in two bytes before the flags.
    return place.map { bytes[$0 - 3] == 0 && bytes[$0 - 2] == 0 } ?? true
  }()
}
