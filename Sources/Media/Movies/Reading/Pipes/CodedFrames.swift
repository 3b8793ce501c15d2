// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore

/// The pictures of a container that comes through a pipe, by libavformat: in order, without a way back.
final class CodedFrames: PipedFrames {
  private let input: InputContext
  private let stream: StreamDescription.Stream
  private let decoder: CodecContext
  private let packet: Packet
  private let damage: DamageResponse
  private let name: String
  private var isDraining = false
  /// Where the last packet ends in the stream.
  private var lastEnd: Int64?
  private var last: Time?
  private var count: Int64 = 0

  let facts: PictureFacts
  let codecName: String
  let hasSound: Bool
  let companions: FilmCompanions
  var timescale: Int32 { stream.clock.timescale }
  let frameDuration: Time

  /// - Throws: `unsupported` for what cannot be read as it comes, or holds no pictures.
  init(_ pipe: InputPipe, _ options: ReadOptions) throws(CinematicError) {
    name = pipe.name
    if let layer = options.layer ?? options.channel { throw .hasNoLayers(pipe.name, layer) }
    input = try InputContext(SourceIO(pipe, Interruption()))
    let code = avformat_find_stream_info(input.pointer, nil)
    guard code >= 0 else { throw input.io.error(code) }
    let description = try StreamDescription(input, name: pipe.name)
    guard let stream = description.streams.first(where: { $0.mediaType == .video }) else {
      throw .holdsNoPictures(pipe.name)
    }
    self.stream = stream
    try stream.entry.checkBase(name: pipe.name)
    input.keepOnly(stream.index)
    hasSound = description.streams.contains { $0.mediaType == .audio }
    frameDuration = stream.frameDuration ?? options.stillDuration
    companions = FilmCompanions(description, frameDuration: frameDuration)
    decoder = try stream.parameters.makeDecoder(
      name: pipe.name, base: stream.clock.base, hasAlphaApart: stream.hasAlphaApart,
      damage: options.damage)
    codecName = String(cString: avcodec_get_name(stream.parameters.values.codec_id))
    guard let packet = Packet() else { throw .outOfMemory(for: pipe.name) }
    self.packet = packet
    damage = options.damage
    facts = PictureFacts(stream)
  }

  func next(_ interruption: Interruption) throws(CinematicError) -> PipedFrame? {
    input.io.interruption = interruption
    while true {
      guard let frame = PictureFrame() else { throw .outOfMemory(for: name) }
      let code = avcodec_receive_frame(decoder.pointer, frame.pointer)
      if code == FFmpeg.endOfFile { return nil }
      if code == FFmpeg.again {
        try feed()
        continue
      }
      guard code >= 0 else {
        guard code != FFmpeg.outOfMemory else { throw .outOfMemory(for: name) }
        try damage.meet(damaged(code))
        continue
      }
      if focal_frame_is_damaged(frame.pointer) != 0 {
        try damage.meet(damaged(FFmpeg.invalidData))
      }
      if frame.lacksPalette { try damage.meet(.lacksPalette(name)) }
      return timed(frame)
    }
  }

  /// Gives a picture its time: the container's, else one frame after the picture before.
  private func timed(_ frame: PictureFrame) -> PipedFrame {
    let stamp = frame.pointer.pointee.best_effort_timestamp
    let next = last.map { $0 + frameDuration } ?? .zero
    var time = next
    if stamp != FFmpeg.noTimestamp {
      time = Time(value: stream.clock.ticks(stamp), timescale: timescale)
    }
    // Times rise, whatever a stream says.
    if let last, time <= last { time = next }
    last = time
    // As in other sources, it is the number of the picture.
    frame.pointer.pointee.pts = count
    count += 1
    let length = focal_frame_duration(frame.pointer)
    let duration =
      length > 0 ? Time(value: stream.clock.length(length), timescale: timescale) : frameDuration
    return PipedFrame(picture: frame, time: time, duration: duration)
  }

  /// Hands one more packet to the decoder, or tells it that there is none.
  private func feed() throws(CinematicError) {
    guard !isDraining else { throw damaged(FFmpeg.invalidData) }
    while true {
      av_packet_unref(packet.pointer)
      let code = av_read_frame(input.pointer, packet.pointer)
      if code == FFmpeg.endOfFile {
        try checkEnd()
        isDraining = true
        avcodec_send_packet(decoder.pointer, nil)
        return
      }
      if code == FFmpeg.again { continue }
      guard code >= 0 else { throw input.io.error(code) }
      guard packet.pointer.pointee.flags & AV_PKT_FLAG_CORRUPT == 0 else {
        throw damaged(FFmpeg.invalidData)
      }
      guard packet.pointer.pointee.stream_index == stream.index else { continue }
      lastEnd = packet.pointer.pointee.pos + Int64(packet.pointer.pointee.size)
      let sent = avcodec_send_packet(decoder.pointer, packet.pointer)
      guard sent >= 0 else { throw damaged(sent) }
      return
    }
  }

  /// - Throws: `malformed` for a stream that was cut.
  private func checkEnd() throws(CinematicError) {
    try input.io.checkPipeEnd()
    guard input.endsWithinFrame(lastPacketEnd: lastEnd) else { return }
    throw CinematicError(
      .malformed, "\(name) is cut short: it ends within a frame",
      remedy: "check the program that writes it")
  }

  private func damaged(_ code: Int32) -> CinematicError {
    CinematicError(
      .malformed,
      "\(name) is damaged or cut short" + (FFmpeg.damage(code).map { ": \($0)" } ?? ""),
      remedy: "check the program that writes it")
  }
}
