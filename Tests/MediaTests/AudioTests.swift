// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore
import FocalMedia
import MovieKit
import Testing

@Suite struct AudioTests {
  /// One packet of sound.
  struct Packet: Equatable {
    let time: Double
    let bytes: [UInt8]
  }

  /// A WAV of 16-bit noise, 8 kHz, one channel.
  static func wave(seconds: Double, seed: UInt64 = 3) -> [UInt8] {
    var random = Seeded(seed)
    let samples = (0..<Int(seconds * 8000)).flatMap { _ in
      let bits = random.next()
      return [UInt8(truncatingIfNeeded: bits), UInt8(truncatingIfNeeded: bits >> 8)]
    }
    func little(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    let format = little(1, 2) + little(1, 2) + little(8000, 4) + little(16000, 4) + little(2, 2)
    return Array("RIFF".utf8) + little(36 + samples.count, 4) + Array("WAVEfmt ".utf8)
      + little(16, 4) + format + little(16, 2) + Array("data".utf8) + little(samples.count, 4)
      + samples
  }

  static func packets(_ path: String) throws -> [Packet] {
    var context: UnsafeMutablePointer<AVFormatContext>?
    guard avformat_open_input(&context, "file:" + path, nil, nil) == 0,
      avformat_find_stream_info(context, nil) >= 0, let context
    else { throw ClipFile.Failure("read \(path)") }
    defer {
      var context: UnsafeMutablePointer<AVFormatContext>? = context
      avformat_close_input(&context)
    }
    var packet = av_packet_alloc()
    defer { av_packet_free(&packet) }
    var packets: [Packet] = []
    while av_read_frame(context, packet) >= 0 {
      defer { av_packet_unref(packet) }
      let stream = context.pointee.streams[Int(packet!.pointee.stream_index)]!.pointee
      guard stream.codecpar.pointee.codec_type == AVMEDIA_TYPE_AUDIO else { continue }
      let base = stream.time_base
      packets.append(
        Packet(
          time: Double(packet!.pointee.pts) * Double(base.num) / Double(base.den),
          bytes: Array(
            UnsafeBufferPointer(start: packet!.pointee.data, count: Int(packet!.pointee.size)))))
    }
    return packets
  }

  static func movie(
    _ folder: ScratchFolder, _ name: String, sound: Sound?, times: [Time],
    start: Time = .zero
  ) throws {
    var settings = WriterSettings(
      dimensions: Dimensions(width: 32, height: 32), pixelFormat: .yuv420Video8, tags: .bt709)
    settings.timescale = 30
    settings.encoderPreset = "ultrafast"
    settings.timelineStart = start
    settings.sound = sound
    settings.temporaryFiles = folder.temporaryFiles
    let writer = try FrameWriter.create(folder.file(name), settings: settings)
    for time in times {
      try writer.append(
        Scene.smooth(32, 32, .yuv420Video8, phase: time.seconds), time: time,
        duration: Time(value: 1, timescale: 30))
    }
    try writer.finish()
  }

  @Test func soundIsCopiedByteForByte() async throws {
    let folder = ScratchFolder()
    folder.write(Self.wave(seconds: 1.5), to: "a.wav")
    try Self.movie(
      folder, "a.mov", sound: try await .of(folder.file("a.wav")), times: MovieTests.steady(30))
    let before = try Self.packets(folder.file("a.wav")).flatMap(\.bytes)
    let first = try Self.packets(folder.file("a.mov"))
    #expect(first.flatMap(\.bytes) == before)
    #expect(first.first?.time == 0)
    let properties = try await FrameReader.open(folder.file("a.mov")).properties
    #expect(properties.hasAudio)
    #expect(properties.frameCount == 30)
    // From a movie to a movie, packet by packet.
    try Self.movie(
      folder, "b.mov", sound: try await .of(folder.file("a.mov")), times: MovieTests.steady(30))
    #expect(try Self.packets(folder.file("b.mov")) == first)
  }

  /// A selection from 0.5 s to 1 s has the sound from 0.5 s to 1 s, at its start.
  @Test func soundIsTrimmedToASelection() async throws {
    let folder = ScratchFolder()
    folder.write(Self.wave(seconds: 2), to: "a.wav")
    try Self.movie(
      folder, "a.mov", sound: try await .of(folder.file("a.wav")), times: MovieTests.steady(60))
    let times = (15..<30).map { Time(value: $0, timescale: 30) }
    try Self.movie(
      folder, "b.mov", sound: try await .of(folder.file("a.mov"), extent: .whilePictures),
      times: times, start: times[0])
    let whole = try Self.packets(folder.file("a.mov")).flatMap(\.bytes)
    let trimmed = try Self.packets(folder.file("b.mov"))
    // Plain samples of two bytes, 8000 a second, are cut anywhere.
    #expect(trimmed.first?.time == 0)
    #expect(trimmed.flatMap(\.bytes) == Array(whole[8000..<16000]))
  }

  /// MP4 holds no plain samples: they become AAC of the same length.
  @Test func soundThatTheContainerCannotHoldIsEncoded() async throws {
    let folder = ScratchFolder()
    folder.write(Self.wave(seconds: 1.5), to: "a.wav")
    try Self.movie(
      folder, "a.mp4", sound: try await .of(folder.file("a.wav")), times: MovieTests.steady(30))
    let heard = try TestSound.read(folder.file("a.mp4"))
    #expect(heard.codec == "aac")
    #expect(heard.rate == 8000)
    #expect(abs(heard.samples.count - 12000) < 1024)
  }

  @Test func soundOfAnUnknownKind() async throws {
    let folder = ScratchFolder()
    var wave = Self.wave(seconds: 0.2)
    // An unregistered form.
    (wave[20], wave[21]) = (0x34, 0x12)
    folder.write(wave, to: "a.wav")
    let error = await failure { () async throws(CinematicError) in
      _ = try await AssetSound(Asset(path: folder.file("a.wav")))
    }
    #expect(error?.code == .unsupported)
    #expect(error?.message.contains("a.wav") == true)
    #expect(error?.remedy != nil)
    #expect(folder.names == ["a.wav"])
  }

  /// Segments that overlap or last no time are refused before anything is written.
  @Test func segmentsThatDoNotFollowEachOther() async throws {
    let folder = ScratchFolder()
    folder.write(Self.wave(seconds: 1), to: "a.wav")
    let source = try await SoundSource.first(of: folder.file("a.wav"))
    let second = TimeRange(start: .zero, duration: Time(value: 1, timescale: 1))
    for (range, start) in [(second, Time(value: 1, timescale: 2)), (.zero, second.end)] {
      let track = SoundTrack(segments: [
        SoundSegment(source: source, sourceTimeRange: second, time: .zero),
        SoundSegment(source: source, sourceTimeRange: range, time: start),
      ])
      let error = failure { () throws(CinematicError) in
        var settings = WriterSettings(
          dimensions: Dimensions(width: 32, height: 32), pixelFormat: .yuv420Video8, tags: .bt709)
        settings.sound = .tracks([track])
        _ = try MovieWriter(folder.file("a.mov"), settings: settings)
      }
      #expect(error?.code == .invalidParameter)
      #expect(error?.message.contains("a.mov") == true)
    }
    #expect(folder.names == ["a.wav"])
  }
}

extension Sound {
  /// The sound of a file.
  static func of(
    _ path: String, extent: Extent = .whole
  ) async throws -> Sound {
    .asset(try #require(try await AssetSound(Asset(path: path))), extent: extent)
  }
}

extension SoundSource {
  /// The first track of sound of a file.
  static func first(of path: String) async throws -> SoundSource {
    let tracks = try await Asset(path: path).loadTracks(withMediaType: .audio)
    return try await SoundSource(try #require(tracks.first))
  }
}
