// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore

/// A sound stream of a file, read by FFmpeg.
struct FileSound: Sendable {
  let path: String
  /// The stream's number among all of the file.
  let streamIndex: Int32
  /// The number that the file gives it.
  let trackID: UInt32
  let parameters: SoundParameters
  let languageCode: String?

  /// The sound streams of a file, in its order; those of unknown coding are left out where others
  /// are known.
  ///
  /// - Throws: `unsupported` where no coding is known, and the error of a file that cannot be read.
  static func tracks(of path: String) throws(CinematicError) -> [FileSound] {
    let input = try InputContext(path: path)
    var tracks: [FileSound] = []
    var unknownCount = 0
    for stream in input.streams {
      let stream = stream!
      let found = stream.pointee.codecpar!
      guard found.pointee.codec_type == AVMEDIA_TYPE_AUDIO else { continue }
      guard found.pointee.codec_id != AV_CODEC_ID_NONE, found.pointee.sample_rate > 0 else {
        unknownCount += 1
        continue
      }
      guard let parameters = SoundParameters(copying: found) else { throw .outOfMemory(for: path) }
      let language = av_dict_get(stream.pointee.metadata, "language", nil, 0)
      tracks.append(
        FileSound(
          path: path, streamIndex: stream.pointee.index,
          trackID: UInt32(truncatingIfNeeded: stream.pointee.id), parameters: parameters,
          languageCode: language.map { String(cString: $0.pointee.value) }))
    }
    guard tracks.isEmpty, unknownCount > 0 else { return tracks }
    throw CinematicError(
      .unsupported, "the sound of \(path) is coded in a way that this FFmpeg does not know",
      remedy: "convert its sound to AAC, or leave the sound out")
  }
}

extension FileSound {
  /// What the file's boxes say of the track; `nil` for a file without boxes.
  func storedDescription() throws(CinematicError) -> StoredSound? {
    let file = try SourceFile(path: path)
    let stored = try StoredDescription(
      file, trackID: Int32(bitPattern: trackID), isSound: true)
    return stored.map {
      StoredSound(entry: $0.entryCount == 1 ? $0.entry : nil, extras: $0.trackExtras)
    }
  }
}

/// Takes a stream's packets out of a file, in the order in which they lie there.
final class FileSoundReader: SoundReader {
  private let sound: FileSound
  private let input: InputContext
  private let stream: UnsafeMutablePointer<AVStream>
  private let packet: Packet
  private let startTime: Time
  /// Where the next packet should begin.
  private var expected: Time?

  var beginsWithFile: Bool { true }

  init(_ sound: FileSound) throws(CinematicError) {
    self.sound = sound
    input = try InputContext(path: sound.path)
    let index = Int(sound.streamIndex)
    guard input.streams.indices.contains(index), let stream = input.streams[index],
      let packet = Packet()
    else { throw .outOfMemory(for: sound.path) }
    for other in input.streams where other != stream {
      other!.pointee.discard = AVDISCARD_ALL
    }
    self.stream = stream
    self.packet = packet
    startTime = input.startTime
  }

  func next() throws(CinematicError) -> SoundPacket? {
    while true {
      let code = av_read_frame(input.pointer, packet.pointer)
      if code == FFmpeg.endOfFile { return nil }
      guard code >= 0 else {
        throw CinematicError(
          .malformed, "the sound of \(sound.path) is damaged: \(FFmpeg.text(code))",
          remedy: "make or copy the file again, or leave the sound out")
      }
      defer { av_packet_unref(packet.pointer) }
      let stored = packet.pointer.pointee
      guard stored.stream_index == sound.streamIndex, stored.size > 0 else { continue }
      let (time, duration) = place(stored)
      expected = time + duration
      var result = SoundPacket(data: packet.bytes, time: time, duration: duration)
      var hidden: (start: UInt32, end: UInt32) = (0, 0)
      if focal_packet_hidden_samples(packet.pointer, &hidden.start, &hidden.end) != 0 {
        result.hiddenStart = Time(
          value: Int64(hidden.start), timescale: sound.parameters.sampleRate)
        result.hiddenEnd = Time(value: Int64(hidden.end), timescale: sound.parameters.sampleRate)
      }
      return result
    }
  }

  /// When a packet is heard. Containers that count in milliseconds round; sound without gaps is exact.
  private func place(_ stored: AVPacket) -> (time: Time, duration: Time) {
    let base = stream.pointee.time_base
    let rate = sound.parameters.sampleRate
    let tick = Time(1, base: base)
    // In ticks of the rate.
    let rounding = tick.ticks(rate) + 1
    let ticks = stored.pts != FFmpeg.noTimestamp ? stored.pts : stored.dts
    var time = expected ?? .zero
    if ticks != FFmpeg.noTimestamp {
      let said = Time(ticks, base: base) - startTime
      if let expected, abs((said - expected).ticks(rate)) <= rounding {
        time = expected
      } else {
        time = said.converted(to: rate)
      }
    }
    var length = sound.parameters.packetLength
    if sound.parameters.bytesPerFrame > 0 {
      length = Int64(Int(stored.size) / sound.parameters.bytesPerFrame)
    }
    var duration = Time(value: length, timescale: rate)
    if stored.duration > 0 {
      let said = Time(stored.duration, base: base)
      if length == 0 || abs((said - duration).ticks(rate)) > rounding {
        duration = said.converted(to: rate)
      }
    }
    return (time, duration)
  }
}

/// The length of a time, whatever its sign.
func abs(_ time: Time) -> Time { time < .zero ? -time : time }
