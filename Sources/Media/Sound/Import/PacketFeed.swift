// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore

/// Makes the samples of a track from the packets of a stream.
protocol PacketFeed: AnyObject {
  /// When a packet is decoded, or begins, on the movie's timeline.
  func time(of packet: Packet) throws(CinematicError) -> Time
  /// The samples that a packet gives, perhaps none yet.
  func samples(of packet: Packet) throws(CinematicError) -> [MediaSample]
  /// The samples that are left once there are no more packets.
  func finish() throws(CinematicError) -> [MediaSample]
}

/// Where the packets of a sound stream lie on the movie's timeline.
struct SoundClock {
  let base: AVRational
  /// The source's time that is the movie's zero.
  let zero: Time
  /// Ticks a second of the track.
  let timescale: Int32
  /// How far the container's times may be off, in ticks: many count in milliseconds.
  let rounding: Int64

  init(_ stream: UnsafeMutablePointer<AVStream>, zero: Time, timescale: Int32) {
    base = stream.pointee.time_base
    self.zero = zero
    self.timescale = timescale
    rounding = Time(1, base: base).converted(to: timescale).value + 1
  }

  func ticks(ofStamp stamp: Int64) -> Int64 {
    (Time(stamp, base: base) - zero).ticks(timescale)
  }

  func length(_ duration: Int64) -> Int64 {
    Time(duration, base: base).ticks(timescale)
  }

  /// Where a packet begins; `nil` where the container does not say it.
  func ticks(of packet: Packet) -> Int64? {
    let stamp = packet.pointer.pointee
    let source = stamp.pts != FFmpeg.noTimestamp ? stamp.pts : stamp.dts
    return source != FFmpeg.noTimestamp ? ticks(ofStamp: source) : nil
  }

  func time(of packet: Packet, expected: Int64?) -> Time {
    Time(value: ticks(of: packet) ?? expected ?? 0, timescale: timescale)
  }

  /// The longest silence that is filled in, in ticks.
  var longestGap: Int64 { 600 * Int64(timescale) }

  func gap(_ path: String, of ticks: Int64) -> CinematicError {
    CinematicError(
      .malformed, "the sound of \(path) has a gap of \(ticks / Int64(timescale)) s",
      remedy: "make the file again, or leave the sound out with --no-sound")
  }
}

/// The coded pictures of a clip.
final class PictureFeed: PacketFeed {
  private let clip: CodedClip
  private let clock: StreamClock
  private var count = 0

  init(_ clip: CodedClip, clock: StreamClock) {
    self.clip = clip
    self.clock = clock
  }

  func time(of packet: Packet) throws(CinematicError) -> Time {
    guard count < clip.packets.count else { throw changed }
    return Time(value: clip.packets[count].decode, timescale: clip.timescale)
  }

  func samples(of packet: Packet) throws(CinematicError) -> [MediaSample] {
    guard count < clip.packets.count else { throw changed }
    let times = clip.packets[count]
    count += 1
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
    return [sample]
  }

  /// The file must still be as it was looked through.
  func finish() throws(CinematicError) -> [MediaSample] {
    guard count == clip.packets.count else { throw changed }
    return []
  }

  private var changed: CinematicError {
    CinematicError(
      .unreadable, "\(clip.path) changed while it was read", remedy: "try again once it is whole")
  }
}
