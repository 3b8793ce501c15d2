// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore

/// Copies the sound of one container into another, packet by packet, without decoding it.
final class AudioCopier {
  private struct Track {
    let source: UnsafeMutablePointer<AVStream>
    let destination: UnsafeMutablePointer<AVStream>
    /// Ticks of the source that are zero in the destination.
    let shift: Int64
  }

  private let path: String
  private let input: InputContext
  private let startTime: Time
  /// Times of the movie outside this range are not copied; `nil` for no end.
  private let timelineStart: Time
  private var tracks: [Int32: Track] = [:]
  private let packet: Packet
  private var hasPacket = false
  private var isFinished = false

  /// Adds a stream to `output` for every sound track that its container can hold.
  ///
  /// - Parameter timelineStart: the source time, counted from the container's start, that is zero.
  /// - Throws: `unsupported` where there is sound and the container can hold none of it.
  init(
    path: String, output: UnsafeMutablePointer<AVFormatContext>, timelineStart: Time,
    outputPath: String, otherContainer: String
  ) throws(CinematicError) {
    self.path = path
    self.timelineStart = timelineStart
    input = try InputContext(path: path)
    guard let packet = Packet() else { throw .outOfMemory(for: path) }
    self.packet = packet
    startTime = input.startTime
    var refused: [String] = []
    for stream in input.streams {
      let source = stream!
      let parameters = source.pointee.codecpar!
      source.pointee.discard = AVDISCARD_ALL
      guard parameters.pointee.codec_type == AVMEDIA_TYPE_AUDIO else { continue }
      let codec = parameters.pointee.codec_id
      guard codec != AV_CODEC_ID_NONE,
        avformat_query_codec(output.pointee.oformat, codec, FF_COMPLIANCE_NORMAL) == 1
      else {
        refused.append(String(cString: avcodec_get_name(codec)))
        continue
      }
      guard let destination = avformat_new_stream(output, nil),
        avcodec_parameters_copy(destination.pointee.codecpar, parameters) >= 0
      else { throw .outOfMemory(for: outputPath) }
      // The source container's tag may mean something else in this one.
      destination.pointee.codecpar.pointee.codec_tag = 0
      destination.pointee.time_base = source.pointee.time_base
      destination.pointee.disposition = source.pointee.disposition
      av_dict_copy(&destination.pointee.metadata, source.pointee.metadata, 0)
      source.pointee.discard = AVDISCARD_DEFAULT
      let base = source.pointee.time_base
      let zero = startTime + timelineStart
      let shift = av_rescale_q(
        zero.value, AVRational(num: 1, den: zero.timescale), base)
      tracks[source.pointee.index] = Track(source: source, destination: destination, shift: shift)
    }
    if tracks.isEmpty, !refused.isEmpty {
      throw CinematicError(
        .unsupported,
        "the sound of \(path) (\(refused.joined(separator: ", "))) cannot be copied to \(outputPath)",
        remedy: "name the output .\(otherContainer), or leave the sound out")
    }
  }

  var isEmpty: Bool { tracks.isEmpty }

  /// Hands over every packet that starts before `limit`, a time of the movie; all for `nil`.
  func copy(
    until limit: Time?, write: (UnsafeMutablePointer<AVPacket>) throws(CinematicError) -> Void
  ) throws(CinematicError) {
    while !isFinished {
      if !hasPacket {
        let code = av_read_frame(input.pointer, packet.pointer)
        if code == FFmpeg.endOfFile {
          isFinished = true
          return
        }
        guard code >= 0 else {
          throw CinematicError(
            .malformed, "the sound of \(path) is damaged: \(FFmpeg.text(code))",
            remedy: "make or copy the file again, or leave the sound out")
        }
        hasPacket = true
      }
      let index = packet.pointer.pointee.stream_index
      guard let track = tracks[index] else {
        drop()
        continue
      }
      let base = track.source.pointee.time_base
      let stamp = packet.pointer.pointee
      let ticks = stamp.pts != FFmpeg.noTimestamp ? stamp.pts : stamp.dts
      if ticks != FFmpeg.noTimestamp {
        if let limit, Time(ticks - track.shift, base: base) >= limit { return }
        // Sound that ends before the first picture of a selection is not wanted; the codec's
        // priming before the start of a whole file is.
        if timelineStart > .zero, stamp.duration > 0, ticks - track.shift + stamp.duration <= 0 {
          drop()
          continue
        }
        if stamp.pts != FFmpeg.noTimestamp { packet.pointer.pointee.pts -= track.shift }
        if stamp.dts != FFmpeg.noTimestamp { packet.pointer.pointee.dts -= track.shift }
      }
      av_packet_rescale_ts(packet.pointer, base, track.destination.pointee.time_base)
      packet.pointer.pointee.stream_index = track.destination.pointee.index
      packet.pointer.pointee.pos = -1
      hasPacket = false
      try write(packet.pointer)
      av_packet_unref(packet.pointer)
    }
  }

  private func drop() {
    av_packet_unref(packet.pointer)
    hasPacket = false
  }
}
