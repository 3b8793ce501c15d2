// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore

/// Takes coded pictures and sound out of a file, in the order in which they lie there.
final class PacketPump {
  /// A stream on its way into a track.
  private struct Lane {
    let track: Int
    let feed: any PacketFeed
  }

  typealias Sink = (MediaSample, _ track: Int) throws(CinematicError) -> Void

  private let path: String
  private let input: InputContext
  private let packet: Packet
  private let isSelection: Bool
  private var lanes: [Int32: Lane] = [:]
  private var hasPacket = false
  private var isFinished = false
  /// What becomes of each sound stream, in the order of the file.
  private(set) var sound: [MovieWriter.SoundTrack] = []

  /// - Parameters:
  ///   - clip: the pictures to take; `nil` for none.
  ///   - sound: whether to take the sound.
  ///   - timelineStart: the source time, counted from the container's start, that is zero.
  ///   - addTrack: adds a track and returns its number.
  /// - Throws: `unsupported` for sound that can be neither copied nor decoded.
  init(
    path: String, clip: CodedClip?, sound: Bool, timelineStart: Time = .zero,
    addTrack: (TrackSettings) -> Int
  ) throws(CinematicError) {
    self.path = path
    isSelection = timelineStart > .zero
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
          feed: PictureFeed(
            clip, clock: StreamClock(base: stream.pointee.time_base, zero: zero)))
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
    let source = try StoredDescription(file, trackID: stream.pointee.id, isSound: true)
    let entry = try SoundEntry(parameters, source: source) { () throws(CinematicError) in
      try Self.firstPacket(path, stream.pointee.index)
    }
    let rate = parameters.pointee.sample_rate
    let clock = SoundClock(stream, zero: zero, timescale: rate > 0 ? rate : 48000)
    let (feed, box): (any PacketFeed, Box)
    var storedAs: String?
    switch entry {
    case .packets(let entry, let length, let head):
      let usual = Int64(parameters.pointee.frame_size)
      feed = CopiedSound(
        path, clock, packetLength: usual > 0 ? usual : length, head: head,
        isSelection: isSelection)
      box = entry
    case .plain(let entry, let size, let silence):
      feed = PlainSound(
        path, clock, frameSize: size, silence: silence, isSelection: isSelection)
      box = entry
    case .foreign:
      let converted = try ConvertedSound(path, stream, zero: zero)
      feed = converted
      box = converted.sampleEntry
      storedAs = converted.codecName
    }
    sound.append(
      .init(
        codec: String(cString: avcodec_get_name(parameters.pointee.codec_id)), storedAs: storedAs)
    )
    var track = TrackSettings(
      handler: "soun", name: "Sound",
      timescale: (feed as? ConvertedSound)?.timescale ?? clock.timescale, sampleEntry: box)
    if case .plain(_, let size, _) = entry { track.plainFrameSize = size }
    track.extraBoxes = source?.trackExtras ?? []
    if let language = source?.language { track.language = language }
    return Lane(track: addTrack(track), feed: feed)
  }

  /// A stream's first packet, read apart from all others.
  private static func firstPacket(_ path: String, _ index: Int32) throws(CinematicError) -> [UInt8]
  {
    let input = try InputContext(path: path)
    guard let packet = Packet() else { throw .outOfMemory(for: path) }
    for stream in input.streams where stream!.pointee.index != index {
      stream!.pointee.discard = AVDISCARD_ALL
    }
    while av_read_frame(input.pointer, packet.pointer) >= 0 {
      defer { av_packet_unref(packet.pointer) }
      if packet.pointer.pointee.stream_index == index, packet.pointer.pointee.size > 0 {
        return packet.bytes
      }
    }
    return []
  }

  var isEmpty: Bool { lanes.isEmpty }

  /// Hands over the packets up to a time of the movie; all for `nil`.
  func pump(until limit: Time?, sink: Sink) throws(CinematicError) {
    while !isFinished {
      if !hasPacket {
        let code = av_read_frame(input.pointer, packet.pointer)
        if code == FFmpeg.endOfFile {
          try finish(sink: sink)
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
      if let limit, try lane.feed.time(of: packet) >= limit { return }
      let samples = try lane.feed.samples(of: packet)
      drop()
      for sample in samples { try sink(sample, lane.track) }
    }
  }

  /// Hands over what the packets so far still have to give; no others are taken from then on.
  func finish(sink: Sink) throws(CinematicError) {
    guard !isFinished else { return }
    isFinished = true
    for lane in lanes.values.sorted(by: { $0.track < $1.track }) {
      for sample in try lane.feed.finish() { try sink(sample, lane.track) }
    }
  }

  private func drop() {
    av_packet_unref(packet.pointer)
    hasPacket = false
  }
}
