// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore

/// Takes the coded pictures out of a clip, in the order in which they are decoded.
final class CodedPictureReader {
  private let clip: CodedClip
  private let clock: StreamClock
  private let input: InputContext
  private let packet: Packet
  private var hasPacket = false
  private var count = 0

  init(_ clip: CodedClip) throws(CinematicError) {
    self.clip = clip
    input = try InputContext(path: clip.path)
    guard let packet = Packet() else { throw .outOfMemory(for: clip.path) }
    self.packet = packet
    var base = AVRational(num: 1, den: 1)
    for stream in input.streams {
      let isClip = stream!.pointee.index == clip.streamIndex
      stream!.pointee.discard = isClip ? AVDISCARD_DEFAULT : AVDISCARD_ALL
      if isClip { base = stream!.pointee.time_base }
    }
    clock = StreamClock(base: base, zero: clip.startTime)
  }

  /// Hands over the pictures that are decoded before a time of the movie; all for `nil`.
  ///
  /// - Throws: `unreadable` for a file that is no longer as it was looked through.
  func read(
    until limit: Time?, sink: (MediaSample) throws(CinematicError) -> Void
  ) throws(CinematicError) {
    while try fill() {
      let times = try nextTimes()
      if let limit, clip.time(times.decode) >= limit { return }
      defer {
        av_packet_unref(packet.pointer)
        hasPacket = false
      }
      count += 1
      try sink(try sample(times))
    }
    guard count == clip.packets.count else { throw changed }
  }

  /// Gets the next packet; `false` at the end.
  private func fill() throws(CinematicError) -> Bool {
    while !hasPacket {
      let code = av_read_frame(input.pointer, packet.pointer)
      if code == FFmpeg.endOfFile { return false }
      guard code >= 0 else {
        throw CinematicError(
          .malformed, "\(clip.path) is damaged: \(FFmpeg.text(code))",
          remedy: "make or copy the file again")
      }
      let stored = packet.pointer.pointee
      hasPacket = stored.stream_index == clip.streamIndex && stored.size > 0
      if !hasPacket { av_packet_unref(packet.pointer) }
    }
    return true
  }

  private func nextTimes() throws(CinematicError) -> CodedClip.PacketTimes {
    guard count < clip.packets.count else { throw changed }
    return clip.packets[count]
  }

  private func sample(_ times: CodedClip.PacketTimes) throws(CinematicError) -> MediaSample {
    var data = packet.bytes
    if clip.hasStartCodes {
      do throws(CinematicError) {
        data = try clip.configuration.sample(fromStartCodes: data[...])
      } catch {
        throw error.naming(clip.path)
      }
    }
    var duration = clock.length(max(packet.pointer.pointee.duration, 0))
    if let last = clip.frames.last,
      last.time.converted(to: clip.timescale).value == times.presentation
    {
      duration = last.duration.converted(to: clip.timescale).value
    }
    var sample = MediaSample(
      data: data, decodeTime: times.decode, presentationTime: times.presentation,
      duration: duration, isSync: packet.pointer.pointee.flags & AV_PKT_FLAG_KEY != 0)
    sample.isPreroll = times.isPreroll
    return sample
  }

  private var changed: CinematicError {
    CinematicError(
      .unreadable, "\(clip.path) changed while it was read", remedy: "try again once it is whole")
  }
}
