// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore

/// Takes coded pictures and sound out of a file, in the order in which they lie there.
final class PacketPump {
  /// A stream on its way into a track.
  private final class Lane {
    let track: Int
    let clock: StreamClock
    /// Of the pictures: what the look through the clip found.
    let clip: CodedClip?
    var packetCount = 0
    /// Of sound: samples a packet, and where the next packet should begin.
    let packetLength: Int64?
    var expected: Int64?
    let timescale: Int32

    init(
      track: Int, clock: StreamClock, clip: CodedClip?, packetLength: Int64?, timescale: Int32
    ) {
      self.track = track
      self.clock = clock
      self.clip = clip
      self.packetLength = packetLength
      self.timescale = timescale
    }
  }

  typealias Sink = (MediaSample, _ track: Int) throws(CinematicError) -> Void

  private let path: String
  private let input: InputContext
  private let packet: Packet
  private let timelineStart: Time
  private var lanes: [Int32: Lane] = [:]
  private var hasPacket = false
  private var isFinished = false

  /// - Parameters:
  ///   - clip: the pictures to take; `nil` for none.
  ///   - sound: whether to take the sound.
  ///   - timelineStart: the source time, counted from the container's start, that is zero.
  ///   - addTrack: adds a track and returns its number.
  /// - Throws: `unsupported` for sound that a movie cannot hold as it is.
  init(
    path: String, clip: CodedClip?, sound: Bool, timelineStart: Time = .zero,
    addTrack: (TrackSettings) -> Int
  ) throws(CinematicError) {
    self.path = path
    self.timelineStart = timelineStart
    let file = try SourceFile(path: path)
    input = try InputContext(path: path)
    guard let packet = Packet() else { throw .outOfMemory(for: path) }
    self.packet = packet
    let zero = input.startTime + timelineStart
    for stream in input.streams {
      let stream = stream!
      stream.pointee.discard = AVDISCARD_ALL
      let index = stream.pointee.index
      if let clip, clip.streamIndex == index {
        stream.pointee.discard = AVDISCARD_DEFAULT
        lanes[index] = Lane(
          track: addTrack(clip.track),
          clock: StreamClock(base: stream.pointee.time_base, zero: zero),
          clip: clip, packetLength: nil, timescale: clip.timescale)
      } else if sound, stream.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_AUDIO {
        stream.pointee.discard = AVDISCARD_DEFAULT
        lanes[index] = try soundLane(stream, file, zero, addTrack)
      }
    }
  }

  private func soundLane(
    _ stream: UnsafeMutablePointer<AVStream>, _ file: SourceFile, _ zero: Time,
    _ addTrack: (TrackSettings) -> Int
  ) throws(CinematicError) -> Lane {
    let parameters = stream.pointee.codecpar!
    let source = try MovieDescription(file, trackID: stream.pointee.id, isSound: true)
    guard let entry = SoundEntry.entry(parameters, source: source) else {
      let name = String(cString: avcodec_get_name(parameters.pointee.codec_id))
      throw CinematicError(
        .unsupported, "the sound of \(path) (\(name)) cannot be copied into a Cinematic movie",
        remedy: "convert the clip to an MP4 with AAC sound, or leave the sound out with --no-sound")
    }
    let rate = parameters.pointee.sample_rate
    var track = TrackSettings(
      handler: "soun", name: "Sound", timescale: rate > 0 ? rate : 48000, sampleEntry: entry)
    track.extraBoxes = source?.trackExtras ?? []
    if let language = source?.language { track.language = language }
    let length = Int64(parameters.pointee.frame_size)
    return Lane(
      track: addTrack(track), clock: StreamClock(base: stream.pointee.time_base, zero: zero),
      clip: nil, packetLength: length > 0 ? length : nil, timescale: track.timescale)
  }

  var isEmpty: Bool { lanes.isEmpty }

  /// Hands over the packets up to a time of the movie; all for `nil`.
  func pump(until limit: Time?, sink: Sink) throws(CinematicError) {
    while !isFinished {
      if !hasPacket {
        let code = av_read_frame(input.pointer, packet.pointer)
        if code == FFmpeg.endOfFile {
          isFinished = true
          try checkCounts()
          return
        }
        guard code >= 0 else {
          throw CinematicError(
            .malformed, "\(path) is damaged: \(FFmpeg.text(code))",
            remedy: "make or copy the file again")
        }
        hasPacket = true
      }
      guard let lane = lanes[packet.pointer.pointee.stream_index], packet.pointer.pointee.size > 0
      else {
        drop()
        continue
      }
      let sample = lane.clip == nil ? sound(lane) : try picture(lane)
      guard let sample else {
        drop()
        continue
      }
      if let limit, Time(value: sample.decodeTime, timescale: lane.timescale) >= limit { return }
      lane.packetCount += 1
      if lane.packetLength != nil { lane.expected = sample.decodeTime + sample.duration }
      drop()
      try sink(sample, lane.track)
    }
  }

  /// The file must still be as it was looked through.
  private func checkCounts() throws(CinematicError) {
    for lane in lanes.values {
      if let clip = lane.clip, lane.packetCount < clip.packets.count { throw changed }
    }
  }

  private var changed: CinematicError {
    CinematicError(
      .unreadable, "\(path) changed while it was read", remedy: "try again once it is whole")
  }

  private func picture(_ lane: Lane) throws(CinematicError) -> MediaSample? {
    guard let clip = lane.clip else { return nil }
    guard lane.packetCount < clip.packets.count else { throw changed }
    let times = clip.packets[lane.packetCount]
    var data = packet.bytes
    if clip.hasStartCodes {
      do throws(CinematicError) {
        data = try clip.configuration.sample(fromStartCodes: data[...])
      } catch {
        throw error.naming(path)
      }
    }
    var duration = lane.clock.length(max(packet.pointer.pointee.duration, 0))
    if let last = clip.frames.last,
      last.time.converted(to: lane.timescale).value == times.presentation
    {
      duration = last.duration.converted(to: lane.timescale).value
    }
    var sample = MediaSample(
      data: data, decodeTime: times.decode, presentationTime: times.presentation,
      duration: duration, isSync: packet.pointer.pointee.flags & AV_PKT_FLAG_KEY != 0)
    sample.isPreroll = times.isPreroll
    return sample
  }

  private func sound(_ lane: Lane) -> MediaSample? {
    let stamp = packet.pointer.pointee
    let source = stamp.pts != FFmpeg.noTimestamp ? stamp.pts : stamp.dts
    let base = lane.clock.base
    var ticks = lane.expected ?? 0
    if source != FFmpeg.noTimestamp {
      ticks = (Time(source, base: base) - lane.clock.zero).converted(to: lane.timescale).value
      // Containers that count in milliseconds round; sound without gaps is exact.
      let rounding = Time(1, base: base).converted(to: lane.timescale).value + 1
      if let expected = lane.expected, abs(ticks - expected) <= rounding { ticks = expected }
    }
    var duration = lane.packetLength ?? 0
    if stamp.duration > 0 {
      let said = Time(stamp.duration, base: base).converted(to: lane.timescale).value
      let rounding = Time(1, base: base).converted(to: lane.timescale).value
      if abs(said - duration) > rounding { duration = said }
    }
    // Sound that ends before the first picture of a selection is not wanted; the codec's priming
    // before the start of a whole file is.
    if timelineStart > .zero, duration > 0, ticks + duration <= 0 { return nil }
    if let expected = lane.expected, ticks < expected { ticks = expected }
    return MediaSample(data: packet.bytes, time: ticks, duration: max(duration, 1))
  }

  private func drop() {
    av_packet_unref(packet.pointer)
    hasPacket = false
  }
}
