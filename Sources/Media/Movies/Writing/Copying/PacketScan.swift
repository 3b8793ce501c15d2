// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore

/// Turns a stream's ticks into those of a movie that starts with the container.
struct StreamClock: Sendable {
  let base: AVRational
  let zero: Time
  /// Ticks a second in which the results are exact, where 32 bits allow.
  let timescale: Int32

  init(base: AVRational, zero: Time) {
    self.base = base
    self.zero = zero
    timescale = (Time(1, base: base) - zero).timescale
  }

  func ticks(_ stamp: Int64) -> Int64 {
    (Time(stamp, base: base) - zero).ticks(timescale)
  }

  func length(_ duration: Int64) -> Int64 {
    Time(duration, base: base).ticks(timescale)
  }

  func time(_ ticks: Int64) -> Time { Time(value: ticks, timescale: timescale) }
}

extension Time {
  /// In ticks of a timescale, kept so far from the largest number that sums of a few do not overflow.
  func ticks(_ timescale: Int32) -> Int64 {
    min(max(converted(to: timescale).value, -Int64.max / 8), Int64.max / 8)
  }
}

/// The times of a stream's packets, sorted out.
struct PacketScan {
  let packets: [CodedClip.PacketTimes]
  let frames: [CodedClip.Frame]

  /// - Returns: `nil` where the times cannot be kept.
  init?(
    _ input: InputContext, _ stream: UnsafeMutablePointer<AVStream>, path: String,
    clock: StreamClock
  ) throws(CinematicError) {
    guard let packet = Packet() else { throw .outOfMemory(for: path) }
    for other in input.streams where other != stream { other!.pointee.discard = AVDISCARD_ALL }
    var packets: [CodedClip.PacketTimes] = []
    // Of the packet shown last so far.
    var latest: (presentation: Int64, duration: Int64) = (.min, 0)
    var hasDecodeTimes = true
    while true {
      let code = av_read_frame(input.pointer, packet.pointer)
      if code == FFmpeg.endOfFile { break }
      guard code >= 0 else {
        throw CinematicError(
          .malformed, "\(path) is damaged: \(FFmpeg.text(code))",
          remedy: "make or copy the file again")
      }
      defer { av_packet_unref(packet.pointer) }
      let stamp = packet.pointer.pointee
      guard stamp.stream_index == stream.pointee.index, stamp.size > 0 else { continue }
      guard stamp.pts != FFmpeg.noTimestamp,
        av_packet_get_side_data(packet.pointer, AV_PKT_DATA_NEW_EXTRADATA, nil) == nil,
        stamp.flags & AV_PKT_FLAG_CORRUPT == 0
      else { return nil }
      let presentation = clock.ticks(stamp.pts)
      var decode = presentation
      if stamp.dts == FFmpeg.noTimestamp {
        hasDecodeTimes = false
      } else {
        decode = clock.ticks(stamp.dts)
        if let last = packets.last?.decode, decode <= last { hasDecodeTimes = false }
      }
      if decode > presentation { hasDecodeTimes = false }
      packets.append(
        .init(
          decode: decode, presentation: presentation,
          isPreroll: stamp.flags & AV_PKT_FLAG_DISCARD != 0 || presentation < 0))
      if presentation > latest.presentation {
        latest = (presentation, clock.length(max(stamp.duration, 0)))
      }
    }
    let order = packets.map(\.presentation).sorted()
    guard !order.isEmpty, zip(order, order.dropFirst()).allSatisfy({ $0 < $1 }) else { return nil }
    if !hasDecodeTimes {
      // Pictures can be decoded one a frame, as many frames early as the order demands.
      let delay = zip(order, packets).map { $0 - $1.presentation }.max() ?? 0
      for index in packets.indices { packets[index].decode = order[index] - max(delay, 0) }
    }
    let shown = packets.filter { !$0.isPreroll }.map(\.presentation).sorted()
    guard let last = shown.last else { return nil }
    var end = last + (latest.presentation == last ? latest.duration : 0)
    if stream.pointee.duration > 0, stream.pointee.start_time != FFmpeg.noTimestamp,
      input.formatName.hasPrefix("mov,")
    {
      end = max(
        last, clock.ticks(stream.pointee.start_time) + clock.length(stream.pointee.duration))
    }
    if end <= last { end = last + (shown.count > 1 ? last - shown[shown.count - 2] : 1) }
    self.packets = packets
    let ends = shown.dropFirst() + [end]
    frames = zip(shown, ends).map {
      CodedClip.Frame(time: clock.time($0), duration: clock.time($1 - $0))
    }
  }
}
