// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCaptions
import FocalCore
import MovieKit
import Testing

@testable import FocalMedia

/// Captions of Matroska, which has them one by one.
@Suite struct MatroskaCaptionTests {
  private struct Cue {
    /// In milliseconds.
    var start: Int64
    var end: Int64
    var text: String
    var settings = ""
    var identifier = ""
  }

  private static func time(_ milliseconds: Int64) -> Time {
    Time(value: milliseconds, timescale: 1000)
  }

  private static func write(
    _ cues: [Cue], as codec: AVCodecID, to path: String
  ) throws {
    var file = ClipFile(
      codec: "ffv1", width: 32, height: 32, pixelFormat: AV_PIX_FMT_YUV420P,
      timeBase: AVRational(num: 1, den: 10))
    var container: ClipFile.Output?
    file.describe = { stream, encoder, output in
      stream.pointee.avg_frame_rate = AVRational(num: 10, den: 1)
      let captions = avformat_new_stream(output, nil)!
      captions.pointee.codecpar.pointee.codec_type = AVMEDIA_TYPE_SUBTITLE
      captions.pointee.codecpar.pointee.codec_id = codec
      captions.pointee.time_base = AVRational(num: 1, den: 1000)
      container = output
    }
    try file.write(to: path, frames: 20) { picture, number in
      let planes = [picture.pointee.data.0, picture.pointee.data.1, picture.pointee.data.2]
      for (plane, data) in planes.enumerated() {
        let side = Int(plane == 0 ? picture.pointee.linesize.0 : picture.pointee.linesize.1)
        data?.update(repeating: UInt8(90 + number), count: side * (plane == 0 ? 32 : 16))
      }
      if number == 0, let container { for cue in cues { write(cue, to: container) } }
      return Int64(number)
    }
  }

  private static func write(_ cue: Cue, to output: ClipFile.Output) {
    var packet = av_packet_alloc()
    defer { av_packet_free(&packet) }
    guard let packet, av_new_packet(packet, Int32(cue.text.utf8.count)) >= 0 else { return }
    _ = UnsafeMutableBufferPointer(start: packet.pointee.data, count: cue.text.utf8.count)
      .initialize(from: cue.text.utf8)
    for (type, text) in [
      (AV_PKT_DATA_WEBVTT_SETTINGS, cue.settings), (AV_PKT_DATA_WEBVTT_IDENTIFIER, cue.identifier),
    ] where !text.isEmpty {
      let data = av_packet_new_side_data(packet, type, text.utf8.count)
      _ = UnsafeMutableBufferPointer(start: data, count: text.utf8.count)
        .initialize(from: text.utf8)
    }
    packet.pointee.stream_index = 1
    (packet.pointee.pts, packet.pointee.dts) = (cue.start, cue.start)
    packet.pointee.duration = cue.end - cue.start
    av_interleaved_write_frame(output, packet)
  }

  private static func read(_ path: String) async throws -> FilmCompanions {
    try await FilmCompanions(Asset(path: path), frameDuration: time(100))
  }

  /// Captions that lie over each other stay apart; in a movie's samples they are put together.
  @Test func overlaps() async throws {
    let folder = ScratchFolder()
    try Self.write(
      [
        Cue(start: 100, end: 900, text: "One"), Cue(start: 400, end: 1200, text: "Two"),
        Cue(start: 1400, end: 1800, text: "Three"),
      ], as: AV_CODEC_ID_SUBRIP, to: folder.file("a.mkv"))
    var found = try await Self.read(folder.file("a.mkv"))
    let track = try #require(found.captionTracks.first)
    let captions = try #require(track.document).captions
    #expect(captions.map(\.text) == ["One", "Two", "Three"])
    #expect(captions.map(\.timeRange.start) == [100, 400, 1400].map(Self.time))
    #expect(captions.map(\.timeRange.end) == [900, 1200, 1800].map(Self.time))
    #expect(
      track.samples.compactMap { SampleEntry.text(ofSample: $0.data) } == [
        "One", "One\nTwo", "Two", "Three",
      ])
    // They move as their samples do.
    found.cut(from: Self.time(300))
    let moved = try #require(found.captionTracks.first)
    #expect(moved.samples.first?.timeRange.start == moved.document?.captions.first?.timeRange.start)
  }

  @Test func namesAndPlaces() async throws {
    let folder = ScratchFolder()
    try Self.write(
      [
        Cue(
          start: 100, end: 900, text: "Hello", settings: "line:10% align:start", identifier: "intro"
        ), Cue(start: 1000, end: 1800, text: "World"),
      ], as: AV_CODEC_ID_WEBVTT, to: folder.file("a.mkv"))
    let track = try #require(try await Self.read(folder.file("a.mkv")).captionTracks.first)
    let captions = try #require(track.document).captions
    #expect(captions.map(\.text) == ["Hello", "World"])
    #expect(captions.map(\.identifier) == ["intro", nil])
    #expect(captions.map(\.textAlignment) == [.start, nil])
    #expect(captions[0].region?.origin?.y.value == 10 && captions[1].region == nil)
  }

  /// What would be too much text for a movie is read all the same, and named.
  @Test(.timeLimit(.minutes(10))) func crowds() async throws {
    let folder = ScratchFolder()
    let text = String(repeating: "many words ", count: 100)
    try Self.write(
      (0..<900).map { Cue(start: $0, end: $0 + 1000, text: "\($0) \(text)") },
      as: AV_CODEC_ID_SUBRIP, to: folder.file("a.mkv"))
    let found = try await Self.read(folder.file("a.mkv"))
    let track = try #require(found.captionTracks.first)
    #expect(track.document?.captions.count == 900 && track.samples.isEmpty)
    #expect(found.leftOut == ["the captions of track 2, more than 64 MB of text"])
    try CompanionTests.write(found, to: folder.file("a.mov"), folder: folder)
    #expect(try await Self.read(folder.file("a.mov")).captionTrackCount == 0)
  }
}
