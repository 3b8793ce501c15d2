// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore
import Synchronization
import Testing

@testable import FocalMedia

/// Sound of every kind on its way into a Cinematic movie.
@Suite struct ImportedSoundTests {
  /// A file of sound, and what becomes of it.
  struct Kind: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var file: SoundFile
    var ending: String
    /// The codec in the movie, as FFmpeg calls it.
    var stored: String

    init(
      _ encoder: String, _ format: AVSampleFormat, in container: String, _ ending: String,
      as stored: String, rate: Int32 = 48000, channels: Int32 = 2
    ) {
      file = SoundFile(
        encoder: encoder, container: container, rate: rate, channels: channels, format: format)
      self.ending = ending
      self.stored = stored
      testDescription = "\(encoder) \(channels)x\(rate) in \(container)"
    }
  }

  static let plain = [
    Kind("pcm_s16le", AV_SAMPLE_FMT_S16, in: "wav", "wav", as: "pcm_s16le"),
    Kind("pcm_u8", AV_SAMPLE_FMT_U8, in: "wav", "wav", as: "pcm_u8", rate: 8000, channels: 1),
    Kind("pcm_s24le", AV_SAMPLE_FMT_S32, in: "matroska", "mkv", as: "pcm_s24le"),
    Kind("pcm_f32le", AV_SAMPLE_FMT_FLT, in: "wav", "wav", as: "pcm_f32le", rate: 96000),
    Kind("pcm_s16be", AV_SAMPLE_FMT_S16, in: "mov", "mov", as: "pcm_s16be", channels: 1),
    Kind("pcm_s16le", AV_SAMPLE_FMT_S16, in: "mov", "mov", as: "pcm_s16le", rate: 44100),
    Kind("pcm_s24be", AV_SAMPLE_FMT_S32, in: "mov", "mov", as: "pcm_s24be"),
    Kind("pcm_f32le", AV_SAMPLE_FMT_FLT, in: "mov", "mov", as: "pcm_f32le"),
    Kind("pcm_f64le", AV_SAMPLE_FMT_DBL, in: "matroska", "mkv", as: "pcm_f64le"),
    Kind("pcm_mulaw", AV_SAMPLE_FMT_S16, in: "wav", "wav", as: "pcm_mulaw", rate: 8000),
    Kind("pcm_alaw", AV_SAMPLE_FMT_S16, in: "avi", "avi", as: "pcm_alaw", rate: 8000),
    Kind("pcm_s16le", AV_SAMPLE_FMT_S16, in: "wav", "wav", as: "pcm_s16le", channels: 6),
  ]

  static let packets = [
    Kind("aac", AV_SAMPLE_FMT_FLTP, in: "mpegts", "ts", as: "aac"),
    Kind("aac", AV_SAMPLE_FMT_FLTP, in: "adts", "aac", as: "aac", channels: 1),
    Kind("aac", AV_SAMPLE_FMT_FLTP, in: "matroska", "mkv", as: "aac", rate: 44100),
    Kind("aac", AV_SAMPLE_FMT_FLTP, in: "mov", "mov", as: "aac"),
    Kind("libmp3lame", AV_SAMPLE_FMT_S16P, in: "matroska", "mkv", as: "mp3"),
    Kind("libmp3lame", AV_SAMPLE_FMT_S16P, in: "mp4", "mp4", as: "mp3"),
    Kind("ac3", AV_SAMPLE_FMT_FLTP, in: "mpegts", "ts", as: "ac3"),
    Kind("ac3", AV_SAMPLE_FMT_FLTP, in: "matroska", "mkv", as: "ac3", channels: 6),
    Kind("ac3", AV_SAMPLE_FMT_FLTP, in: "mp4", "mp4", as: "ac3"),
    Kind("eac3", AV_SAMPLE_FMT_FLTP, in: "matroska", "mkv", as: "eac3"),
    Kind("alac", AV_SAMPLE_FMT_S16P, in: "mp4", "mp4", as: "alac"),
    Kind("alac", AV_SAMPLE_FMT_S16P, in: "matroska", "mkv", as: "alac"),
  ]

  static let converted = [
    Kind("libopus", AV_SAMPLE_FMT_FLT, in: "webm", "webm", as: "aac"),
    Kind("libopus", AV_SAMPLE_FMT_FLT, in: "mp4", "mp4", as: "aac"),
    Kind("libvorbis", AV_SAMPLE_FMT_FLTP, in: "matroska", "mkv", as: "aac", rate: 44100),
    Kind("mp2", AV_SAMPLE_FMT_S16, in: "mpegts", "ts", as: "aac"),
    Kind("libopus", AV_SAMPLE_FMT_FLT, in: "matroska", "mkv", as: "aac", channels: 6),
    Kind("flac", AV_SAMPLE_FMT_S16, in: "matroska", "mkv", as: "alac"),
    Kind("flac", AV_SAMPLE_FMT_S32, in: "flac", "flac", as: "alac", rate: 96000),
    Kind("flac", AV_SAMPLE_FMT_S16, in: "mp4", "mp4", as: "alac", channels: 6),
  ]

  /// A movie of one second with the sound of a file.
  static func movie(
    with sound: String, in folder: ScratchFolder, timelineStart: Time = .zero
  ) async throws -> (path: String, sound: [WrittenSound]) {
    let sound = try #require(try await AssetSound(Asset(path: folder.file(sound))))
    return try movie(with: .asset(sound), in: folder, timelineStart: timelineStart)
  }

  static func movie(
    with sound: Sound, in folder: ScratchFolder, timelineStart: Time = .zero
  ) throws -> (path: String, sound: [WrittenSound]) {
    var target = WriterSettings(
      dimensions: MovieWriterTests.size, pixelFormat: .yuv420Video8, tags: .bt709)
    target.timescale = 30
    target.encoderPreset = "ultrafast"
    target.timelineStart = timelineStart
    target.sound = sound
    var settings = MovieWriter.Settings(
      video: .encoded(target), disparityDimensions: MovieWriterTests.mapSize,
      disparityCoding: try DisparityCoding(0...1))
    settings.temporaryFiles = folder.temporaryFiles
    settings.fragmentSeconds = 0.3
    let path = folder.file("movie.mov")
    let writer = try MovieWriter(path, settings: settings)
    let map = try MovieWriterTests.map(0)
    let picture = try MovieWriterTests.picture(0, .yuv420Video8, .bt709)
    for index in 0..<30 {
      let (time, length) = (
        Time(value: Int64(index), timescale: 30) + timelineStart, Time(value: 1, timescale: 30)
      )
      try writer.append(video: picture, time: time, duration: length)
      try writer.append(disparity: map, time: time, duration: length)
      try writer.append(focusDisparity: 0.5, fNumber: 2, time: time, duration: length)
    }
    try writer.finish()
    return (path, writer.sound)
  }

  /// Sound in a coding that is not known, or that nothing decodes, beside AAC: one track, and a line of the other one.
  @Test(arguments: ["wxyz", "mhm1"]) func unknownSoundBesideAnother(_ format: String) async throws {
    let folder = ScratchFolder()
    try SoundFile.write(to: folder.file("a.mp4"), seconds: 1)
    func changed(_ box: Box) -> Box {
      switch box.type {
      case "tkhd":
        var data = Array(box.data)
        data[15] = 2
        return Box("tkhd", data: data)
      case "stsd":
        // Without the boxes that describe AAC.
        let entry = Box(
          FourCC(rawValue: format.utf8.reduce(0) { $0 << 8 | UInt32($1) }),
          data: Array(box.boxes[0].data.prefix(28)))
        return Box("stsd", leading: [0, 0, 0, 0, 0, 0, 0, 1], [entry])
      default:
        guard !box.boxes.isEmpty else { return box }
        var result = box
        result.boxes = box.boxes.map(changed)
        return result
      }
    }
    var boxes = try Box.parse(folder.read("a.mp4")[...])
    let place = try #require(boxes.firstIndex { $0.type == "moov" })
    try #require(boxes.firstIndex { $0.type == "mdat" }! < place)
    let track = try #require(boxes[place]["trak"])
    boxes[place].boxes.append(changed(track))
    folder.write(boxes.flatMap(\.bytes), to: "sound.mp4")

    let source = try #require(try await AssetSound(Asset(path: folder.file("sound.mp4"))))
    let (path, sound) = try await Self.movie(with: "sound.mp4", in: folder)
    #expect(sound.filter { $0.leftOut == nil } == [.init(codec: "aac")])
    let lines = source.leftOut.map(\.message) + sound.compactMap(\.leftOut)
    #expect(lines.count == 1)
    // libavformat knows the second one by name.
    #expect(lines.first?.contains(format == "wxyz" ? "'wxyz'" : "mpegh") == true, "\(lines)")
    let tracks = try await Asset(path: path).loadTracks(withMediaType: .audio)
    #expect(tracks.count == 1)
  }

  /// Entries of AC-3 say two channels in MP4, whatever there is.
  @Test(arguments: ["ac3", "eac3"]) func channelsOfDolbySound(_ encoder: String) async throws {
    let kind = Kind(encoder, AV_SAMPLE_FMT_FLTP, in: "mp4", "mp4", as: encoder, channels: 6)
    guard SoundFile.hasEncoder(kind.file.encoder) else {
      return try skip("this FFmpeg has no \(kind.file.encoder)")
    }
    let folder = ScratchFolder()
    try kind.file.write(to: folder.file("sound.mp4"), seconds: 0.5)
    let source = try await SoundSource.first(of: folder.file("sound.mp4"))
    #expect(source.parameters.channelCount == 6)
  }

  /// Entries of MPEG audio may say two channels for one: it stays one, as loud as it was.
  @Test(arguments: ["mp2", "libmp3lame"]) func monoOfMPEGAudio(_ encoder: String) async throws {
    guard SoundFile.hasEncoder(encoder) else { return try skip("this FFmpeg has no \(encoder)") }
    let folder = ScratchFolder()
    let format = encoder == "mp2" ? AV_SAMPLE_FMT_S16 : AV_SAMPLE_FMT_FLTP
    let file = SoundFile(
      encoder: encoder, container: "mp4", rate: 48000, channels: 1, format: format)
    try file.write(to: folder.file("one.mp4"), seconds: 1)
    // FFmpeg itself writes two into entries of MP4.
    func changed(_ box: Box) -> Box {
      var result = box
      if box.type == "mp4a" {
        var data = Array(box.data)
        data[17] = 2
        result = Box("mp4a", data: data)
      } else if box.type == "stsd" {
        result = Box("stsd", leading: [0, 0, 0, 0, 0, 0, 0, 1], box.boxes.map(changed))
      } else if !box.boxes.isEmpty {
        result.boxes = box.boxes.map(changed)
      }
      return result
    }
    let boxes = try Box.parse(folder.read("one.mp4")[...])
    folder.write(boxes.flatMap { changed($0).bytes }, to: "sound.mp4")
    let source = try await SoundSource.first(of: folder.file("sound.mp4"))
    #expect(source.parameters.channelCount == 1)
    #expect(source.parameters.sampleRate == 48000)
    let layout = try source.layout()
    #expect(layout.count == 1)
    guard encoder == "mp2" else { return }
    // A Cinematic movie takes no layer II, which MP4 calls MPEG audio as it does layer III.
    let (path, sound) = try await Self.movie(with: "sound.mp4", in: folder)
    #expect(sound.map(\.storedAs) == ["aac"])
    let (heard, meant) = (try DecodedSound(path), try DecodedSound(folder.file("one.mp4")))
    try #require(heard.channels.count == 1 && meant.channels.count == 1)
    func power(_ samples: [Float]) -> Float {
      samples[10_000..<40_000].reduce(0) { $0 + $1 * $1 }
    }
    // A tenth of a decibel; a mix to two channels takes three.
    let share = power(heard.channels[0]) / power(meant.channels[0])
    #expect(abs(share - 1) < 0.03, "\(share)")
  }

  /// Bit for bit, and where it was.
  @Test(arguments: plain)
  func plainSound(_ kind: Kind) async throws {
    guard SoundFile.hasEncoder(kind.file.encoder) else {
      return try skip("this FFmpeg has no \(kind.file.encoder)")
    }
    let folder = ScratchFolder()
    let name = "sound." + kind.ending
    try kind.file.write(to: folder.file(name), seconds: 1.3)
    let (path, sound) = try await Self.movie(with: name, in: folder)
    let before = try VideoPackets(folder.file(name), AVMEDIA_TYPE_AUDIO)
    let after = try VideoPackets(path, AVMEDIA_TYPE_AUDIO)
    #expect(!before.data.isEmpty)
    #expect(after.data.flatMap { $0 } == before.data.flatMap { $0 })
    #expect(after.times.first == .zero)
    #expect(sound == [.init(codec: kind.stored, storedAs: nil)])
    let (heard, meant) = (try DecodedSound(path), try DecodedSound(folder.file(name)))
    #expect(heard.codec == kind.stored)
    #expect(heard.rate == kind.file.rate)
    #expect(heard.channels == meant.channels)
    #expect(heard.channels.count == Int(kind.file.channels))
  }

  @Test(arguments: packets)
  func codedSound(_ kind: Kind) async throws {
    guard SoundFile.hasEncoder(kind.file.encoder) else {
      return try skip("this FFmpeg has no \(kind.file.encoder)")
    }
    let folder = ScratchFolder()
    let name = "sound." + kind.ending
    try kind.file.write(to: folder.file(name), seconds: 1.3)
    let (path, sound) = try await Self.movie(with: name, in: folder)
    #expect(sound == [.init(codec: kind.stored, storedAs: nil)])
    let before = try VideoPackets(folder.file(name), AVMEDIA_TYPE_AUDIO)
    let after = try VideoPackets(path, AVMEDIA_TYPE_AUDIO)
    #expect(!before.data.isEmpty)
    // Without the heads of broadcast streams.
    let expected = before.data.map { data in
      Array(data.dropFirst(before.hasHeads ? SoundFrameHeader.ADTS(data)?.size ?? 0 : 0))
    }
    #expect(after.data == expected)
    let (heard, meant) = (try DecodedSound(path), try DecodedSound(folder.file(name)))
    #expect(heard.codec == kind.stored)
    #expect(heard.rate == kind.file.rate)
    try Self.expectSame(heard, meant, exactly: true)
  }

  @Test(arguments: converted)
  func convertedSound(_ kind: Kind) async throws {
    guard SoundFile.hasEncoder(kind.file.encoder) else {
      return try skip("this FFmpeg has no \(kind.file.encoder)")
    }
    let folder = ScratchFolder()
    let name = "sound." + kind.ending
    try kind.file.write(to: folder.file(name), seconds: 1.3)
    let (path, sound) = try await Self.movie(with: name, in: folder)
    let (heard, meant) = (try DecodedSound(path), try DecodedSound(folder.file(name)))
    #expect(sound == [.init(codec: meant.codec, storedAs: kind.stored)])
    #expect(heard.codec == kind.stored)
    #expect(heard.channels.count == Int(kind.file.channels))
    try Self.expectSame(heard, meant, exactly: kind.stored == "alac")
  }

  /// Where the sound begins late, and where a part is missing, everything else stays at its time.
  @Test(arguments: [
    ("pcm_s16le", AV_SAMPLE_FMT_S16), ("libopus", AV_SAMPLE_FMT_FLT), ("flac", AV_SAMPLE_FMT_S16),
  ])
  func lateSoundWithAGap(_ encoder: String, _ format: AVSampleFormat) async throws {
    guard SoundFile.hasEncoder(encoder) else { return try skip("this FFmpeg has no \(encoder)") }
    var file = SoundFile(
      encoder: encoder, container: "matroska", rate: 48000, channels: 1, format: format)
    file.delay = 12_000
    file.gap = 24_000..<36_000
    let folder = ScratchFolder()
    let missing = try file.write(to: folder.file("sound.mkv"), seconds: 1.3)
    #expect(missing > 8000)
    // The movie begins at the container's zero, not where the sound does.
    let zero = -(try InputContext(path: folder.file("sound.mkv")).startTime)
    let (path, _) = try await Self.movie(with: "sound.mkv", in: folder, timelineStart: zero)
    let (heard, meant) = (try DecodedSound(path), try DecodedSound(folder.file("sound.mkv")))
    // Matroska's times are whole milliseconds.
    #expect(abs(heard.start - meant.start) < 0.0011)
    // The samples that Opus needs to start come before.
    #expect(abs(meant.start - 0.25) < (encoder == "libopus" ? 0.0076 : 0.0011))
    let (a, b) = (try #require(heard.channels.first), try #require(meant.channels.first))
    func error(_ range: Range<Int>, _ shift: Int) -> Float {
      range.reduce(0) { max($0, abs(a[$1] - b[$1 - shift])) }
    }
    let tolerance: Float = encoder == "libopus" ? 0.05 : 0
    #expect(error(10_000..<20_000, 0) <= tolerance)
    let after = 40_000..<56_000
    let shifts = (missing - 48)...(missing + 48)
    let best = try #require(shifts.min { error(after, $0) < error(after, $1) })
    #expect(error(after, best) <= tolerance, "shifted by \(best), not \(missing)")
    // In between there is silence.
    let silence = (24_000 + 6000)..<(24_000 + missing - 2000)
    #expect(silence.allSatisfy { abs(a[$0]) <= tolerance / 10 })
  }

  /// The sound of several files in one Cinematic movie: copied where they are alike, without loss
  /// where they are not.
  @Test(arguments: [("pcm_s16le", "pcm_s16le"), ("flac", "alac")])
  func joinedSound(_ second: String, _ stored: String) async throws {
    guard SoundFile.hasEncoder(second) else { return try skip("this FFmpeg has no \(second)") }
    let folder = ScratchFolder()
    for (name, encoder) in [("a.wav", "pcm_s16le"), ("b.mkv", second)] {
      let file = SoundFile(
        encoder: encoder, container: name == "a.wav" ? "wav" : "matroska", rate: 48000,
        channels: 1, format: AV_SAMPLE_FMT_S16)
      try file.write(to: folder.file(name), seconds: 1)
    }
    func time(_ ticks: Int64) -> Time { Time(value: ticks, timescale: 48000) }
    var segments: [SoundSegment] = []
    for (name, from, at) in [("a.wav", 100, 0), ("b.mkv", 7000, 20_000)] {
      segments.append(
        SoundSegment(
          source: try await .first(of: folder.file(name)),
          sourceTimeRange: TimeRange(start: time(Int64(from)), duration: time(20_000)),
          time: time(Int64(at))))
    }
    let (path, sound) = try Self.movie(
      with: .tracks([SoundTrack(segments: segments)]), in: folder)
    let isEncoded = stored == "alac"
    #expect(
      sound == [
        .init(
          codec: "pcm_s16le", storedAs: isEncoded ? stored : nil,
          reason: isEncoded ? .codings : nil)
      ])
    let heard = try #require(try DecodedSound(path).channels.first)
    let sources = try ["a.wav", "b.mkv"].map {
      try #require(try DecodedSound(folder.file($0)).channels.first)
    }
    #expect(heard.count == 40_000)
    #expect(heard[..<20_000] == sources[0][100..<20_100])
    #expect(heard[20_000...] == sources[1][7000..<27_000])
  }

  /// Parts without loss stay so where rates or channels differ: in the largest form, of 24 bits. Parts of that form are the
  /// same to the bit.
  @Test(
    arguments: [
      (44100, 1, WrittenSound.Reason.sampleRates), (44100, 2, .channels), (48000, 2, .channels),
    ] as [(Int32, Int32, WrittenSound.Reason)])
  func joinedForms(_ rate: Int32, _ channels: Int32, _ reason: WrittenSound.Reason) async throws {
    let folder = ScratchFolder()
    for (name, rate, channels) in [("a.wav", rate, 1), ("b.wav", 48000, channels)] {
      let file = SoundFile(
        encoder: "pcm_s16le", container: "wav", rate: rate, channels: channels,
        format: AV_SAMPLE_FMT_S16)
      try file.write(to: folder.file(name), seconds: 1)
    }
    func time(_ ticks: Int64) -> Time { Time(value: ticks, timescale: 48000) }
    var segments: [SoundSegment] = []
    for (name, at) in [("a.wav", 0), ("b.wav", 20_000)] {
      segments.append(
        SoundSegment(
          source: try await .first(of: folder.file(name)),
          sourceTimeRange: TimeRange(start: time(7000), duration: time(20_000)),
          time: time(Int64(at))))
    }
    let (path, sound) = try Self.movie(
      with: .tracks([SoundTrack(segments: segments)]), in: folder)
    #expect(sound == [.init(codec: "pcm_s16le", storedAs: "alac", reason: reason)])
    let (heard, meant) = (try DecodedSound(path), try DecodedSound(folder.file("b.wav")))
    #expect(heard.rate == 48000 && heard.channels.count == Int(channels))
    try #require(meant.channels.count == heard.channels.count)
    for (samples, source) in zip(heard.channels, meant.channels) {
      try #require(samples.count >= 40_000)
      let isSame = samples[20_000..<40_000] == source[7000..<27_000]
      let loudest = samples[..<20_000].map { abs($0) }.max() ?? 0
      #expect(isSame && loudest > 0.2)
    }
  }

  /// Matroska's times are whole milliseconds: the last samples lie behind what they say.
  @Test(
    .enabled(if: SoundFile.hasEncoder("flac"), "this FFmpeg has no flac"),
    arguments: [1.0005, 1.1017, 1.2343])
  func lastSamplesOfLosslessSound(_ seconds: Double) async throws {
    let folder = ScratchFolder()
    let file = SoundFile(
      encoder: "flac", container: "matroska", rate: 44100, channels: 2, format: AV_SAMPLE_FMT_S16)
    try file.write(to: folder.file("a.mkv"), seconds: seconds)
    let (path, sound) = try await Self.movie(with: "a.mkv", in: folder)
    #expect(sound == [.init(codec: "flac", storedAs: "alac")])
    let (heard, meant) = (try DecodedSound(path), try DecodedSound(folder.file("a.mkv")))
    #expect(meant.channels.first?.count == Int(seconds * 44100))
    #expect(heard.channels == meant.channels)
  }

  /// Packets that cannot be decoded are silent, and said with their time, or end the sound.
  @Test(.enabled(if: SoundFile.hasEncoder("flac"), "this FFmpeg has no flac"))
  func damagedSound() async throws {
    let folder = ScratchFolder()
    let file = SoundFile(
      encoder: "flac", container: "mp4", rate: 48000, channels: 1, format: AV_SAMPLE_FMT_S16)
    try file.write(to: folder.file("a.mp4"), seconds: 2)
    var bytes = folder.read("a.mp4")
    let whole = try await SoundSource.first(of: folder.file("a.mp4"))
    let index = whole.track.index
    let first = index[6].decodeTime
    let gone = index[9].decodeTime - first
    for number in 6..<9 {
      let (start, size) = (Int(index[number].offset), index[number].size)
      bytes.replaceSubrange(start..<start + size, with: [UInt8](repeating: 0, count: size))
    }
    folder.write(bytes, to: "b.mp4")
    func text(_ ticks: Int64) -> String {
      "\((Double(ticks) / Double(whole.track.timescale) * 100).rounded() / 100) s"
    }
    let message =
      "\(text(gone)) of the sound of \(folder.file("b.mp4")) at \(text(first)) cannot be decoded"
    let source = try await SoundSource.first(of: folder.file("b.mp4"))
    let stretch = try #require(source.stretches(from: .zero, length: nil, at: .zero).first)
    let form = SoundForm(
      sampleFormat: AV_SAMPLE_FMT_FLT, sampleRate: 48000,
      channelMask: SoundForm.channelMask(count: 1))
    func samples(_ damage: DamageResponse) throws(CinematicError) -> Int {
      let decoder = try SoundDecoder(stretch, form: form, skipsLead: false, damage: damage)
      var count = 0
      while let frame = try decoder.next() { count += frame.count }
      return count
    }
    let error = failure { () throws(CinematicError) in _ = try samples(.stop) }
    #expect(error?.code == .malformed && error?.message.hasPrefix(message) == true)
    let told = Told()
    #expect(try samples(.warn { told.add($0.message) }) == 96_000)
    #expect(told.messages.count == 1 && told.messages.first?.hasPrefix(message) == true)
  }

  private final class Told: Sendable {
    private let list = Mutex<[String]>([])
    var messages: [String] { list.withLock { $0 } }
    func add(_ message: String) { list.withLock { $0.append(message) } }
  }

  /// The sound is the same at every time; where a codec loses, in between of it and no further.
  private static func expectSame(
    _ heard: DecodedSound, _ meant: DecodedSound, exactly: Bool,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(heard.channels.count == meant.channels.count, sourceLocation: sourceLocation)
    for (channel, (a, b)) in zip(heard.channels, meant.channels).enumerated() {
      // AAC keeps of the channel for low frequencies only these.
      if !exactly, heard.channels.count == 6, channel == 3 { continue }
      // The codecs' last packets may be filled up.
      let count = min(a.count, b.count)
      #expect(count > 40_000 && abs(a.count - b.count) < 4096, sourceLocation: sourceLocation)
      let middle = 12_000..<(count - 6000)
      if exactly {
        #expect(a[..<count] == b[..<count], sourceLocation: sourceLocation)
        continue
      }
      // A shift by one sample changes a tone that rises through 900 Hz by 12 % of its height.
      let errors = (-3...3).map { shift in
        middle.reduce(0.0) { sum, index in
          let difference = Double(a[index] - b[index + shift])
          return sum + difference * difference
        }
      }
      #expect(errors[3] == errors.min(), "\(errors)", sourceLocation: sourceLocation)
      let power = middle.reduce(0.0) { $0 + Double(b[$1] * b[$1]) }
      #expect(errors[3] < power / 100, sourceLocation: sourceLocation)
    }
  }
}
