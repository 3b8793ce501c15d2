// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore

/// Sound of a codec that QuickTime movies do not hold: decoded, and encoded as one that they do.
///
/// Every sample stays at its time. Gaps of the source become silence, what overlaps is heard once.
final class ConvertedSound: PacketFeed {
  private let path: String
  private let source: SoundClock
  private let decoder: CodecContext
  private let frame: PictureFrame
  private let encoder: SoundTrackEncoder
  /// Where the next decoded sample should lie, in samples of the source after the movie's zero.
  private var expected: Int64?
  private var firstError: CinematicError?

  /// - Parameter zero: the source's time that is the movie's zero. What lies before is left out.
  /// - Throws: `unsupported` where this FFmpeg lacks the decoder or the encoder.
  init(
    _ path: String, _ stream: UnsafeMutablePointer<AVStream>, zero: Time
  ) throws(CinematicError) {
    self.path = path
    let parameters = stream.pointee.codecpar!
    let name = String(cString: avcodec_get_name(parameters.pointee.codec_id))
    let unsupported = CinematicError(
      .unsupported, "the sound of \(path) (\(name)) can be neither copied nor decoded",
      remedy: "convert the clip to an MP4 with AAC sound, or leave the sound out with --no-sound")
    guard let codec = avcodec_find_decoder(parameters.pointee.codec_id) else { throw unsupported }
    guard let decoder = CodecContext(codec), let frame = PictureFrame() else {
      throw .outOfMemory(for: path)
    }
    guard avcodec_parameters_to_context(decoder.pointer, parameters) >= 0 else {
      throw unsupported
    }
    decoder.pointer.pointee.pkt_timebase = stream.pointee.time_base
    guard avcodec_open2(decoder.pointer, codec, nil) >= 0,
      decoder.pointer.pointee.sample_rate > 0, decoder.pointer.pointee.ch_layout.nb_channels > 0
    else { throw unsupported }
    self.decoder = decoder
    self.frame = frame
    source = SoundClock(stream, zero: zero, timescale: decoder.pointer.pointee.sample_rate)
    encoder = try SoundTrackEncoder(for: decoder, path: path)
  }

  /// The encoder's name for what it makes.
  var codecName: String { encoder.codecName }
  var sampleEntry: Box { encoder.sampleEntry }
  /// Samples a second of what comes out.
  var timescale: Int32 { encoder.sampleRate }

  func time(of packet: Packet) -> Time { source.time(of: packet, expected: expected) }

  func samples(of packet: Packet) throws(CinematicError) -> [MediaSample] {
    try decode(packet.pointer)
  }

  func finish() throws(CinematicError) -> [MediaSample] {
    var samples = try decode(nil)
    if expected == nil, let firstError { throw firstError }
    samples += try encoder.finish()
    return samples
  }

  private func decode(
    _ packet: UnsafeMutablePointer<AVPacket>?
  ) throws(CinematicError) -> [MediaSample] {
    var samples: [MediaSample] = []
    var code = avcodec_send_packet(decoder.pointer, packet)
    while code >= 0 {
      code = avcodec_receive_frame(decoder.pointer, frame.pointer)
      guard code >= 0 else { break }
      defer { av_frame_unref(frame.pointer) }
      samples += try take()
    }
    if code == FFmpeg.outOfMemory { throw .outOfMemory(for: path) }
    // A damaged packet leaves a gap, which the next one fills with silence.
    if code != FFmpeg.again, code != FFmpeg.endOfFile {
      firstError =
        firstError
        ?? CinematicError(
          .malformed, "the sound of \(path) is damaged: \(FFmpeg.text(code))",
          remedy: "make or copy the file again, or leave the sound out with --no-sound")
    }
    return samples
  }

  /// Hands the decoded frame to the encoder, at its time.
  private func take() throws(CinematicError) -> [MediaSample] {
    let count = Int64(frame.pointer.pointee.nb_samples)
    let stamp = frame.pointer.pointee.best_effort_timestamp
    var start = stamp != FFmpeg.noTimestamp ? source.ticks(ofStamp: stamp) : expected ?? 0
    if expected == nil {
      expected = max(start, 0)
      encoder.begin(at: Time(value: max(start, 0), timescale: source.timescale))
    }
    let next = expected ?? 0
    // Containers' times are rounded; what is off by less cannot be heard, a click can.
    let slack = max(2 * source.rounding, Int64(source.timescale) / 100)
    if next > 0, abs(start - next) <= slack { start = next }
    var samples: [MediaSample] = []
    if start > next {
      guard start - next <= source.longestGap else { throw source.gap(path, of: start - next) }
      samples = try encoder.addSilence(start - next, like: frame)
    }
    let skipped = max(0, next - start)
    guard skipped < count else { return samples }
    expected = max(start, next) + count - skipped
    return try samples + encoder.add(frame, from: Int(skipped))
  }
}
