// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import MovieKit
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Sound of FFmpeg's own making, to be read by the package, and the other way round.
enum TestSound {
  /// Sound in the container that the path's ending names.
  ///
  /// - Parameters:
  ///   - codec: `aac`, `pcm_s16le`…; one that takes 32-bit floats a plane a channel or 16 bits.
  ///   - value: a sample of a channel.
  static func write(
    to path: String, codec: String = "aac", seconds: Double, rate: Int32, channels: Int32,
    value: @escaping (_ index: Int, _ channel: Int) -> Float
  ) throws {
    let format = codec.hasPrefix("pcm") ? AV_SAMPLE_FMT_S16 : AV_SAMPLE_FMT_FLTP
    let file = SoundFile(
      encoder: codec, container: nil, rate: rate, channels: channels, format: format,
      bitRate: 128_000 / Int64(channels))
    try file.write(to: path, seconds: seconds) { Double(value($0, $1)) }
  }

  /// A file's first sound track as FFmpeg decodes it: its first channel from time zero on.
  struct Heard {
    var codec: String
    var rate: Int32
    var channels: Int32
    var samples: [Float]
  }

  static func read(_ path: String) throws -> Heard {
    var opened: UnsafeMutablePointer<AVFormatContext>?
    guard avformat_open_input(&opened, "file:" + path, nil, nil) == 0,
      avformat_find_stream_info(opened, nil) >= 0, let input = opened
    else { throw ClipFile.Failure("read \(path)") }
    defer { avformat_close_input(&opened) }
    let number = av_find_best_stream(input, AVMEDIA_TYPE_AUDIO, -1, -1, nil, 0)
    guard number >= 0, let stream = input.pointee.streams[Int(number)] else {
      throw ClipFile.Failure("\(path) has no sound")
    }
    let codec = try #require(avcodec_find_decoder(stream.pointee.codecpar.pointee.codec_id))
    var made = avcodec_alloc_context3(codec)
    defer { avcodec_free_context(&made) }
    let context = try #require(made)
    avcodec_parameters_to_context(context, stream.pointee.codecpar)
    context.pointee.pkt_timebase = stream.pointee.time_base
    guard avcodec_open2(context, codec, nil) >= 0 else { throw ClipFile.Failure("decode \(path)") }
    var heard = Heard(
      codec: String(cString: codec.pointee.name), rate: context.pointee.sample_rate,
      channels: context.pointee.ch_layout.nb_channels, samples: [])
    var packet = av_packet_alloc()
    var frame = av_frame_alloc()
    defer {
      av_packet_free(&packet)
      av_frame_free(&frame)
    }
    func drain() {
      while avcodec_receive_frame(context, frame) >= 0 {
        let base = stream.pointee.time_base
        let start = Int(
          av_rescale_q(frame!.pointee.pts, base, AVRational(num: 1, den: heard.rate)))
        let count = Int(frame!.pointee.nb_samples)
        if heard.samples.count < start + count {
          heard.samples += repeatElement(0, count: max(0, start + count - heard.samples.count))
        }
        for index in 0..<count where start + index >= 0 {
          heard.samples[start + index] = Self.sample(frame!, index)
        }
      }
    }
    while av_read_frame(input, packet) >= 0 {
      if packet!.pointee.stream_index == number {
        avcodec_send_packet(context, packet)
        drain()
      }
      av_packet_unref(packet)
    }
    avcodec_send_packet(context, nil)
    drain()
    return heard
  }

  private static func sample(_ frame: UnsafeMutablePointer<AVFrame>, _ index: Int) -> Float {
    let plane = UnsafeRawPointer(frame.pointee.extended_data[0]!)
    let channels = Int(frame.pointee.ch_layout.nb_channels)
    switch AVSampleFormat(rawValue: frame.pointee.format) {
    case AV_SAMPLE_FMT_FLTP: return plane.load(fromByteOffset: 4 * index, as: Float.self)
    case AV_SAMPLE_FMT_FLT:
      return plane.load(fromByteOffset: 4 * index * channels, as: Float.self)
    case AV_SAMPLE_FMT_S16:
      return Float(plane.load(fromByteOffset: 2 * index * channels, as: Int16.self)) / 32767
    default: return .nan
    }
  }
}

/// Short bursts at known times in silence: what shows whether sound keeps its time.
enum Clicks {
  /// A burst of 4 ms around a time: a tone under a bell.
  static func value(at seconds: Double, clicks: [Double]) -> Float {
    var sum = 0.0
    for click in clicks {
      let t = seconds - click
      guard abs(t) < 0.004 else { continue }
      sum += 0.7 * exp(-pow(t / 0.001, 2)) * cos(2 * Double.pi * 1500 * t)
    }
    return Float(sum)
  }

  /// Where a click is heard near a time, in seconds: where the burst fits best, to a quarter of a
  /// sample; `nil` where there is none within 50 ms.
  static func found(in heard: TestSound.Heard, near time: Double) -> Double? {
    let rate = Double(heard.rate)
    var best = (score: 0.0, time: 0.0)
    func score(_ candidate: Double) -> Double {
      let first = Int((candidate - 0.003) * rate)
      let last = Int((candidate + 0.003) * rate)
      guard first >= 0, last < heard.samples.count else { return 0 }
      return (first...last).reduce(0.0) { sum, index in
        sum + Double(heard.samples[index])
          * Double(value(at: Double(index) / rate, clicks: [candidate]))
      }
    }
    for step in stride(from: -0.05, through: 0.05, by: 0.25 / rate) {
      let found = score(time + step)
      if found > best.score { best = (found, time + step) }
    }
    // A whole click has this energy; half of it is one.
    let whole = stride(from: -0.003, through: 0.003, by: 1 / rate).reduce(0.0) {
      $0 + pow(Double(value(at: $1, clicks: [0])), 2)
    }
    return best.score > whole / 2 ? best.time : nil
  }
}
