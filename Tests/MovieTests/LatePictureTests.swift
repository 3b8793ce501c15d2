// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore
import MovieKit
import Testing

@testable import FocalMedia

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Pictures of other containers that begin after the sound does.
@Suite struct LatePictureTests {
  private static let samplesPerSecond: Int32 = 8000

  /// Adds a stream of plain samples to a file whose head is not written yet.
  private static func addSound(to output: ClipFile.Output) {
    guard let stream = avformat_new_stream(output, nil) else { return }
    stream.pointee.time_base = AVRational(num: 1, den: samplesPerSecond)
    stream.pointee.codecpar.pointee.codec_type = AVMEDIA_TYPE_AUDIO
    stream.pointee.codecpar.pointee.codec_id = AV_CODEC_ID_PCM_S16LE
    stream.pointee.codecpar.pointee.format = AV_SAMPLE_FMT_S16.rawValue
    stream.pointee.codecpar.pointee.sample_rate = samplesPerSecond
    stream.pointee.codecpar.pointee.bits_per_coded_sample = 16
    stream.pointee.codecpar.pointee.block_align = 2
    av_channel_layout_default(&stream.pointee.codecpar.pointee.ch_layout, 1)
  }

  /// Writes a second of silence that begins at zero.
  private static func writeSound(to output: ClipFile.Output) {
    var packet = av_packet_alloc()
    defer { av_packet_free(&packet) }
    guard let packet, let stream = output.pointee.streams[1],
      av_new_packet(packet, 2 * samplesPerSecond) >= 0
    else { return }
    packet.pointee.data.update(repeating: 0, count: Int(2 * samplesPerSecond))
    packet.pointee.stream_index = 1
    packet.pointee.pts = 0
    packet.pointee.dts = 0
    packet.pointee.duration = Int64(samplesPerSecond)
    av_packet_rescale_ts(
      packet, AVRational(num: 1, den: samplesPerSecond), stream.pointee.time_base)
    av_interleaved_write_frame(output, packet)
  }

  /// Their length and their rate are the pictures' own: what comes before them is of neither.
  @Test func lengthAndRate() async throws {
    let folder = TemporaryFolder.make()
    let path = folder + "/late.mkv"
    defer {
      unlink(path)
      rmdir(folder)
    }
    var output: ClipFile.Output?
    var file = ClipFile(
      format: "matroska", codec: "ffv1", width: 32, height: 32, pixelFormat: AV_PIX_FMT_YUV420P,
      timeBase: AVRational(num: 1, den: 25))
    file.describe = { _, _, made in
      output = made
      Self.addSound(to: made)
    }
    try file.write(to: path, frames: 25) { _, number in
      if number == 0, let output { Self.writeSound(to: output) }
      return Int64(number + 1)
    }
    let asset = Asset(path: path)
    #expect(try await asset.loadTracks(withMediaType: .audio).count == 1)
    let track = try #require(try await asset.loadTracks(withMediaType: .video).first)
    let (range, rate) = try await track.load(.timeRange, .nominalFrameRate)
    #expect(range.start == Time(value: 1, timescale: 25))
    #expect(range.duration == Time(value: 1, timescale: 1))
    #expect(abs(rate - 25) < 1e-9)
  }
}
