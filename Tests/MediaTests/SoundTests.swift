// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import Dispatch
import FocalBoxes
import FocalCore
import FocalMedia
import MovieKit
import Testing

/// Sound put together from several sources: what is heard when.
@Suite struct SoundTests {
  static func time(_ milliseconds: Int) -> Time {
    Time(value: Int64(milliseconds), timescale: 1000)
  }

  static func range(_ start: Int, _ end: Int) -> TimeRange {
    TimeRange(start: time(start), end: time(end))
  }

  /// A file with clicks, `seconds` long.
  static func clicks(
    _ folder: ScratchFolder, _ name: String, codec: String = "aac", at clicks: [Double],
    seconds: Double = 3, rate: Int32 = 44100, channels: Int32 = 1
  ) throws {
    try TestSound.write(
      to: folder.file(name), codec: codec, seconds: seconds, rate: rate, channels: channels
    ) { index, _ in Clicks.value(at: Double(index) / Double(rate), clicks: clicks) }
  }

  /// A movie of 20 frames a second with some sound. Written on a thread that may wait, as sources that
  /// are read on demand need it.
  static func movie(
    _ folder: ScratchFolder, _ name: String, _ sound: Sound, seconds: Double
  ) async throws {
    let path = folder.file(name)
    let registry = folder.temporaryFiles
    try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
      DispatchQueue(label: "focal.test.writer").async {
        done.resume(with: Result { try write(path, registry, sound, seconds) })
      }
    }
  }

  private static func write(
    _ path: String, _ registry: TemporaryFiles, _ sound: Sound, _ seconds: Double
  ) throws {
    var settings = WriterSettings(
      dimensions: Dimensions(width: 32, height: 32), pixelFormat: .yuv420Video8, tags: .bt709)
    settings.timescale = 600
    settings.encoderPreset = "ultrafast"
    settings.sound = sound
    settings.temporaryFiles = registry
    let writer = try FrameWriter.create(path, settings: settings)
    let step = Time(value: 1, timescale: 20)
    let picture = try Scene.smooth(32, 32, .yuv420Video8)
    for number in 0..<Int(seconds * 20) {
      try writer.append(picture, time: step * number, duration: step)
    }
    try writer.finish()
  }

  /// The source in a local file, or in one that is read on demand.
  static func source(
    _ folder: ScratchFolder, _ name: String, isRemote: Bool
  ) async throws -> SoundSource {
    guard isRemote else { return try await .first(of: folder.file(name)) }
    let asset = Asset(source: MemorySource(folder.read(name), name: name))
    let track = try #require(try await asset.loadTracks(withMediaType: .audio).first)
    return try await SoundSource(track)
  }

  /// A trimmed track is copied, and every click stays at its time to the sample.
  @Test(arguments: [false, true])
  func trimmedSoundStaysInTime(isRemote: Bool) async throws {
    let folder = ScratchFolder()
    try Self.clicks(folder, "a.mp4", at: [0.3, 0.8, 1.25, 2.1])
    let source = try await Self.source(folder, "a.mp4", isRemote: isRemote)
    let segment = SoundSegment(
      source: source, sourceTimeRange: Self.range(707, 2203), time: .zero)
    try await Self.movie(
      folder, "b.mp4", .tracks([SoundTrack(segments: [segment], languageCode: "deu")]), seconds: 1.5
    )
    let heard = try TestSound.read(folder.file("b.mp4"))
    #expect(heard.codec == "aac")
    for click in [0.8, 1.25, 2.1] {
      let found = try #require(Clicks.found(in: heard, near: click - 0.707))
      #expect(abs(found - (click - 0.707)) <= 1.0 / 44100)
    }
    let asset = Asset(path: folder.file("b.mp4"))
    let written = try #require(try await asset.loadTracks(withMediaType: .audio).first)
    #expect(try await written.load(.languageCode) == "deu")
    // The end is within a packet of the cut, and the packets are the source's own.
    #expect(abs(Double(heard.samples.count) / 44100 - 1.496) < 1024.0 / 44100)
    let copied = try AudioTests.packets(folder.file("b.mp4")).map(\.bytes)
    #expect(
      Set(copied).isSubset(of: Set(try AudioTests.packets(folder.file("a.mp4")).map(\.bytes))))
  }

  /// Joined parts are copied; the first is exact, later ones lie within half a packet.
  @Test(arguments: [false, true])
  func joinedSoundStaysInTime(isRemote: Bool) async throws {
    let folder = ScratchFolder()
    try Self.clicks(folder, "a.mp4", at: [0.6])
    try Self.clicks(folder, "b.mp4", at: [2.0, 2.5])
    let a = try await Self.source(folder, "a.mp4", isRemote: isRemote)
    let b = try await Self.source(folder, "b.mp4", isRemote: isRemote)
    let track = SoundTrack(
      segments: [
        SoundSegment(source: a, sourceTimeRange: Self.range(301, 1111), time: .zero),
        SoundSegment(source: b, sourceTimeRange: Self.range(1903, 2601), time: Self.time(810)),
        SoundSegment(source: a, sourceTimeRange: Self.range(500, 700), time: Self.time(1508)),
      ])
    try await Self.movie(folder, "c.mov", .tracks([track]), seconds: 1.8)
    let heard = try TestSound.read(folder.file("c.mov"))
    #expect(heard.codec == "aac")
    let packet = 1024.0 / 44100
    for (place, tolerance) in [
      (0.299, 1.0 / 44100), (0.907, packet / 2), (1.407, packet / 2), (1.608, packet / 2),
    ] {
      let found = try #require(Clicks.found(in: heard, near: place), "click at \(place) s")
      #expect(abs(found - place) <= tolerance + 1.0 / 44100)
    }
    let packets = try AudioTests.packets(folder.file("c.mov"))
    let sources = try ["a.mp4", "b.mp4"].flatMap { try AudioTests.packets(folder.file($0)) }
    #expect(Set(packets.map(\.bytes)).isSubset(of: Set(sources.map(\.bytes))))
    // Without a gap: packets follow each other as those of one recording do.
    for (first, second) in zip(packets, packets.dropFirst()) {
      #expect(abs(second.time - first.time - packet) < 1e-6)
    }
  }

  /// Plain samples are cut anywhere, and holes are silent.
  @Test(arguments: [false, true])
  func plainSoundIsExact(isRemote: Bool) async throws {
    let folder = ScratchFolder()
    func value(_ index: Int) -> Int16 { Int16(truncatingIfNeeded: index &* 7919 &+ 13) }
    try TestSound.write(
      to: folder.file("a.mov"), codec: "pcm_s16le", seconds: 2, rate: 8000, channels: 1
    ) { index, _ in Float(value(index)) / 32767 }
    let source = try await Self.source(folder, "a.mov", isRemote: isRemote)
    let track = SoundTrack(segments: [
      SoundSegment(source: source, sourceTimeRange: Self.range(1001, 1300), time: Self.time(100)),
      SoundSegment(source: source, sourceTimeRange: Self.range(250, 500), time: Self.time(900)),
    ])
    try await Self.movie(folder, "b.mov", .tracks([track]), seconds: 1.2)
    let heard = try TestSound.read(folder.file("b.mov"))
    #expect(heard.codec == "pcm_s16le")
    let expected = (0..<9200).map { index -> Int16 in
      switch index {
      case 800..<3192: value(index - 800 + 8008)
      case 7200..<9200: value(index - 7200 + 2000)
      default: 0
      }
    }
    #expect(heard.samples.map { Int16(($0 * 32767).rounded()) } == expected)
  }

  /// Sound of different kinds becomes one track of AAC, every click at its time, silence in between.
  @Test func soundOfDifferentKindsIsEncoded() async throws {
    let folder = ScratchFolder()
    try Self.clicks(folder, "a.mp4", at: [0.6], channels: 2)
    try Self.clicks(folder, "b.wav", codec: "pcm_s16le", at: [2.0], rate: 16000)
    try Self.clicks(folder, "c.mp4", at: [1.0, 1.3], rate: 48000)
    let a = try await Self.source(folder, "a.mp4", isRemote: true)
    let b = try await Self.source(folder, "b.wav", isRemote: false)
    let c = try await Self.source(folder, "c.mp4", isRemote: true)
    let track = SoundTrack(segments: [
      SoundSegment(source: a, sourceTimeRange: Self.range(301, 1111), time: Self.time(50)),
      SoundSegment(source: b, sourceTimeRange: Self.range(1903, 2603), time: Self.time(860)),
      SoundSegment(source: c, sourceTimeRange: Self.range(933, 1533), time: Self.time(2000)),
    ])
    try await Self.movie(folder, "d.mp4", .tracks([track]), seconds: 2.6)
    let heard = try TestSound.read(folder.file("d.mp4"))
    #expect(heard.codec == "aac")
    #expect(heard.rate == 48000)
    #expect(heard.channels == 2)
    // A sample of each source.
    for (place, rate) in [(0.349, 44100.0), (0.957, 16000), (2.067, 48000), (2.367, 48000)] {
      let found = try #require(Clicks.found(in: heard, near: place), "click at \(place) s")
      #expect(abs(found - place) <= 1 / rate)
    }
    let hole = heard.samples[Int(1.6 * 48000)..<Int(1.95 * 48000)]
    #expect(hole.allSatisfy { abs($0) < 1e-3 })
    #expect(abs(Double(heard.samples.count) / 48000 - 2.6) < 1024.0 / 48000)
  }

  /// Coded sound with a hole: players do not agree on gaps, so it is encoded with silence.
  @Test func holesAreSilent() async throws {
    let folder = ScratchFolder()
    try Self.clicks(folder, "a.mp4", at: [0.6])
    let source = try await Self.source(folder, "a.mp4", isRemote: true)
    let track = SoundTrack(
      segments: [0, 1500].map {
        SoundSegment(source: source, sourceTimeRange: Self.range(500, 700), time: Self.time($0))
      })
    try await Self.movie(folder, "b.mp4", .tracks([track]), seconds: 2)
    let heard = try TestSound.read(folder.file("b.mp4"))
    for place in [0.1, 1.6] {
      let found = try #require(Clicks.found(in: heard, near: place))
      #expect(abs(found - place) <= 1.0 / 44100)
    }
    #expect(heard.samples[13000..<60000].allSatisfy { abs($0) < 1e-3 })
    let copied = try AudioTests.packets(folder.file("b.mp4"))
    for (first, second) in zip(copied, copied.dropFirst()) {
      #expect(abs(second.time - first.time - 1024.0 / 44100) < 1e-6)
    }
  }

  /// Over HTTP as from a file, and only the sound that is heard is transferred.
  @Test func soundOverHTTP() async throws {
    let folder = ScratchFolder()
    try Self.clicks(folder, "a.mov", codec: "pcm_s16le", at: [15.0], seconds: 60)
    let bytes = folder.read("a.mov")
    let server = try RangeServer(bytes)
    defer { server.stop() }
    let asset = try Asset.named(server.address)
    let remote = try await SoundSource(
      try #require(try await asset.loadTracks(withMediaType: .audio).first))
    let local = try await Self.source(folder, "a.mov", isRemote: true)
    for (name, source) in [("remote.mov", remote), ("local.mov", local)] {
      let segment = SoundSegment(
        source: source, sourceTimeRange: Self.range(14_900, 15_400), time: .zero)
      try await Self.movie(
        folder, name, .tracks([SoundTrack(segments: [segment])]), seconds: 0.5)
    }
    #expect(folder.read("remote.mov") == folder.read("local.mov"))
    // Sound from a server comes in blocks of some hundred kilobytes.
    #expect(server.bytesSent < bytes.count / 2)
    #expect(Clicks.found(in: try TestSound.read(folder.file("remote.mov")), near: 0.1) != nil)
  }

  /// Plain samples that no list could hold one by one are found by their chunks.
  @Test func longPlainSound() async throws {
    let folder = ScratchFolder()
    try TestSound.write(
      to: folder.file("a.mov"), codec: "pcm_s16le", seconds: 95, rate: 48000, channels: 1
    ) { index, _ in Float(index % 1000) / 32767 }
    let asset = Asset(path: folder.file("a.mov"))
    let track = try #require(try await asset.loadTracks(withMediaType: .audio).first)
    let segment = SoundSegment(
      source: try await SoundSource(track), sourceTimeRange: Self.range(93_001, 93_501),
      time: .zero)
    try await Self.movie(
      folder, "b.mov", .tracks([SoundTrack(segments: [segment])]), seconds: 0.5)
    let heard = try TestSound.read(folder.file("b.mov"))
    #expect(heard.samples.count == 24000)
    #expect(
      heard.samples.map { Int(($0 * 32767).rounded()) } == (0..<24000).map { ($0 + 48) % 1000 })
  }

  /// Tables as QuickTime writes them, which list every tick as a sample of one byte: the description says how many
  /// bytes there are.
  @Test(arguments: [
    ("pcm_s16be", AV_SAMPLE_FMT_S16, 1), ("pcm_u8", AV_SAMPLE_FMT_U8, 1),
    ("adpcm_ima_qt", AV_SAMPLE_FMT_S16P, 64),
  ]) func ticksOfOneByte(_ encoder: String, _ format: AVSampleFormat, _ ticks: Int) async throws {
    guard SoundFile.hasEncoder(encoder) else { return try skip("this FFmpeg has no \(encoder)") }
    let folder = ScratchFolder()
    let file = SoundFile(
      encoder: encoder, container: "mov", rate: 44100, channels: 2, format: format)
    try file.write(to: folder.file("a.mov"), seconds: 1.5) { index, _ in
      Double(Clicks.value(at: Double(index) / 44100, clicks: [0.3, 1.2]))
    }
    let boxes = try Box.parse(folder.read("a.mov")[...])
    folder.write(boxes.flatMap { Self.listingTicks($0, ticks).bytes }, to: "b.mov")
    let whole = try await SoundSource.first(of: folder.file("b.mov"))
    // Of packets of several ticks libavformat, which reads the result here, leaves out more than an edit does.
    let (range, kept) =
      ticks == 1 ? (Self.range(100, 1400), 4410..<61740) : (Self.range(0, 1500), 0..<66000)
    let segment = SoundSegment(source: whole, sourceTimeRange: range, time: .zero)
    try await Self.movie(
      folder, "c.mov", .tracks([SoundTrack(segments: [segment])]), seconds: range.duration.seconds)
    let meant = try DecodedSound(folder.file("a.mov")).channels.map { Array($0[kept]) }
    let found = try DecodedSound(folder.file("c.mov")).channels
    #expect(ticks > 1 || found.allSatisfy { $0.count == kept.count })
    #expect(found.map { Array($0.prefix(kept.count)) } == meant)
  }

  /// Descriptions that no sample refers to, or that say the same, change no coding.
  @Test(arguments: [("AA", 1), ("AX", 1), ("XA", 2)])
  func severalDescriptions(_ entries: String, _ used: Int) async throws {
    let folder = ScratchFolder()
    try SoundFile.write(to: folder.file("a.mp4"), seconds: 1)
    func changed(_ box: Box) -> Box {
      switch box.type {
      case "stsd":
        let entry = box.boxes[0]
        let other = Box("wxyz", data: entry.data)
        return Box(
          "stsd", leading: [0, 0, 0, 0, 0, 0, 0, 2], entries.map { $0 == "A" ? entry : other })
      case "stsc":
        var data = Array(box.data)
        for run in stride(from: 8, to: data.count, by: 12) { data[run + 11] = UInt8(used) }
        return Box("stsc", data: data)
      default:
        guard !box.boxes.isEmpty else { return box }
        var result = box
        result.boxes = box.boxes.map(changed)
        return result
      }
    }
    let boxes = try Box.parse(folder.read("a.mp4")[...])
    folder.write(boxes.flatMap { changed($0).bytes }, to: "b.mp4")
    try await Self.movie(folder, "c.mp4", try await .of(folder.file("b.mp4")), seconds: 1)
    let copied = try AudioTests.packets(folder.file("c.mp4")).map(\.bytes)
    let packets = try AudioTests.packets(folder.file("a.mp4")).map(\.bytes)
    #expect(copied == packets)
  }

  /// A box, and those in it, of a track with so many ticks in a packet.
  private static func listingTicks(_ box: Box, _ ticks: Int) -> Box {
    func number(_ place: Int) -> Int {
      box.data.dropFirst(place).prefix(4).reduce(0) { $0 << 8 | Int($1) }
    }
    switch box.type {
    case "stsz":
      return .full("stsz") { builder in
        builder.u32(1)
        builder.u32(number(8) * ticks)
      }
    case "stts":
      // One run of all samples, however they were counted.
      let count = (0..<number(4)).reduce(0) { $0 + number(8 + 8 * $1) }
      return .full("stts") { builder in
        for value in [1, count * ticks, 1] { builder.u32(value) }
      }
    case "stsc":
      return .full("stsc") { builder in
        builder.u32(number(4))
        for run in 0..<number(4) {
          builder.u32(number(8 + 12 * run))
          builder.u32(number(12 + 12 * run) * ticks)
          builder.u32(number(16 + 12 * run))
        }
      }
    case "stsd" where ticks > 1:
      var entry = Array(box.boxes[0].data)
      var fields = ByteBuilder()
      for value in [ticks, 34, 68, 2] { fields.u32(value) }
      entry.replaceSubrange(28..<44, with: fields.bytes)
      return Box("stsd", leading: Array(box.data), [Box(box.boxes[0].type, data: entry)])
    default:
      guard !box.boxes.isEmpty else { return box }
      var changed = box
      changed.boxes = box.boxes.map { listingTicks($0, ticks) }
      return changed
    }
  }
}
