// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore
import Testing

@testable import FocalMedia

/// A file's first sound stream as a player hears it.
struct DecodedSound {
  /// When the first sample is heard, in seconds on the container's clock.
  var start = 0.0
  var rate: Int32 = 0
  var codec = ""
  /// Samples of each channel, -1 to 1.
  var channels: [[Float]] = []

  /// How long it is heard.
  var seconds: Double { Double(channels.first?.count ?? 0) / Double(max(rate, 1)) }

  init(_ path: String) throws {
    let input = try InputContext(path: path)
    let index = av_find_best_stream(input.pointer, AVMEDIA_TYPE_AUDIO, -1, -1, nil, 0)
    let stream = try #require(index >= 0 ? input.streams[Int(index)] : nil)
    let id = stream.pointee.codecpar.pointee.codec_id
    self.codec = String(cString: avcodec_get_name(id))
    let codec = try #require(avcodec_find_decoder(id))
    let decoder = try #require(CodecContext(codec))
    avcodec_parameters_to_context(decoder.pointer, stream.pointee.codecpar)
    decoder.pointer.pointee.pkt_timebase = stream.pointee.time_base
    try #require(avcodec_open2(decoder.pointer, nil, nil) >= 0)
    let packet = try #require(Packet())
    let frame = try #require(PictureFrame())
    var isFirst = true
    func receive() {
      while avcodec_receive_frame(decoder.pointer, frame.pointer) >= 0 {
        if isFirst {
          start =
            Time(frame.pointer.pointee.best_effort_timestamp, base: stream.pointee.time_base)
            .seconds
          isFirst = false
        }
        take(frame.pointer)
        av_frame_unref(frame.pointer)
      }
    }
    while av_read_frame(input.pointer, packet.pointer) >= 0 {
      if packet.pointer.pointee.stream_index == index {
        avcodec_send_packet(decoder.pointer, packet.pointer)
        receive()
      }
      av_packet_unref(packet.pointer)
    }
    avcodec_send_packet(decoder.pointer, nil)
    receive()
  }

  private mutating func take(_ frame: UnsafeMutablePointer<AVFrame>) {
    rate = frame.pointee.sample_rate
    let count = Int(frame.pointee.ch_layout.nb_channels)
    let format = AVSampleFormat(rawValue: frame.pointee.format)
    let isPlanar = av_sample_fmt_is_planar(format) != 0
    let size = Int(av_get_bytes_per_sample(format))
    while channels.count < count { channels.append([]) }
    for channel in 0..<count {
      let plane = UnsafeRawPointer(frame.pointee.extended_data[isPlanar ? channel : 0]!)
      for index in 0..<Int(frame.pointee.nb_samples) {
        let place = plane + size * (isPlanar ? index : index * count + channel)
        let value: Float =
          switch format {
          case AV_SAMPLE_FMT_U8, AV_SAMPLE_FMT_U8P: (Float(place.load(as: UInt8.self)) - 128) / 128
          case AV_SAMPLE_FMT_S16, AV_SAMPLE_FMT_S16P: Float(place.load(as: Int16.self)) / 32768
          // 24 bits are whole in a float.
          case AV_SAMPLE_FMT_S32, AV_SAMPLE_FMT_S32P: Float(place.load(as: Int32.self)) * 0x1p-31
          case AV_SAMPLE_FMT_DBL, AV_SAMPLE_FMT_DBLP: Float(place.load(as: Double.self))
          default: place.load(as: Float.self)
          }
        channels[channel].append(value)
      }
    }
  }
}

extension InputContext {
  /// A file as libavformat alone reads it.
  convenience init(path: String) throws(CinematicError) {
    try self.init(SourceIO(FileByteSource(path: path), Interruption()))
    guard avformat_find_stream_info(pointer, nil) >= 0 else {
      throw CinematicError(.malformed, "libavformat does not read \(path)")
    }
  }
}
