// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCaptions
import FocalCore
import MovieKit
import Testing

@testable import FocalMedia

/// Title, dates, timecode, chapters and captions, from movie to movie.
@Suite struct CompanionTests {
  static func seconds(_ value: Int64, _ timescale: Int32 = 10) -> Time {
    Time(value: value, timescale: timescale)
  }

  /// A film of two seconds with everything beside it.
  static func companions() throws -> FilmCompanions {
    var companions = FilmCompanions()
    companions.creationTime = 3_800_000_000
    companions.tags = [("title", "Ein Tag"), ("artist", "Jemand"), ("comment", "nachts")]
    companions.timecode = Timecode("10:20:30:12", frameDuration: Time(value: 1, timescale: 25))
    companions.chapters = [
      Chapter(time: .zero, title: "Morgen"), Chapter(time: seconds(7), title: "Abend…"),
    ]
    companions.texts = [
      .init(
        handler: "sbtl", entry: SampleEntry.timedText(justification: (1, -1)),
        languageCode: "deu", isEnabled: true,
        samples: [
          (TimeRange(start: seconds(2), end: seconds(6)), SampleEntry.textSample("Guten Morgen")),
          (TimeRange(start: seconds(9), end: seconds(15)), SampleEntry.textSample("Gute Nacht")),
        ])
    ]
    return companions
  }

  static func write(
    _ companions: FilmCompanions, to path: String, folder: ScratchFolder, from first: Time = .zero
  ) throws {
    var settings = WriterSettings(
      dimensions: Dimensions(width: 32, height: 32), pixelFormat: .yuv420Video8, tags: .bt709)
    settings.timescale = 25
    settings.nominalFrameDuration = Time(value: 1, timescale: 25)
    settings.encoderPreset = "ultrafast"
    settings.temporaryFiles = folder.temporaryFiles
    settings.companions = companions
    settings.timelineStart = first
    let writer = try FrameWriter.create(path, settings: settings)
    let picture = try Scene.smooth(32, 32, .yuv420Video8)
    for number in 0..<50 {
      let time = Time(value: Int64(number), timescale: 25)
      guard time >= first else { continue }
      try writer.append(picture, time: time, duration: Time(value: 1, timescale: 25))
    }
    try writer.finish()
  }

  static func read(_ path: String) async throws -> FilmCompanions {
    try await FilmCompanions(Asset(path: path), frameDuration: Time(value: 1, timescale: 25))
  }

  @Test(arguments: ["a.mov", "a.mp4"])
  func everythingComesBack(_ name: String) async throws {
    let folder = ScratchFolder()
    let written = try Self.companions()
    try Self.write(written, to: folder.file(name), folder: folder)
    let found = try await Self.read(folder.file(name))
    #expect(found.leftOut.isEmpty)
    #expect(found.creationTime == written.creationTime)
    #expect(found.timecode?.text == "10:20:30:12")
    #expect(found.chapters == written.chapters)
    let text = try #require(found.texts.first)
    #expect(found.texts.count == 1 && text.languageCode == "deu" && text.handler == "sbtl")
    let shown = text.samples.compactMap { sample in
      SampleEntry.text(ofSample: sample.data).map { ($0, sample.timeRange) }
    }.filter { !$0.0.isEmpty }
    #expect(shown.map(\.0) == ["Guten Morgen", "Gute Nacht"])
    #expect(shown.map(\.1) == written.texts[0].samples.map(\.timeRange))
    // Neither the last chapter nor the clock outlasts the pictures.
    let tracks = try await Asset(path: folder.file(name)).load(.tracks)
    let pictures = try #require(tracks.first { $0.mediaType == .video })
    let end = try await pictures.load(.timeRange).end
    for track in tracks { #expect(try await track.load(.timeRange).end <= end) }
    let items = try await Asset(path: folder.file(name)).load(.metadata)
    var values: [String] = []
    for item in items { values.append(try await item.load(.stringValue) ?? "") }
    for value in ["Ein Tag", "Jemand", "nachts"] { #expect(values.contains(value)) }
    // A film of the film says the same, in either kind of file.
    for other in ["b.mov", "b.mp4"] {
      try Self.write(found, to: folder.file(other), folder: folder)
      let again = try await Self.read(folder.file(other))
      #expect(again.chapters == written.chapters && again.timecode?.text == "10:20:30:12")
      #expect(again.creationTime == written.creationTime && again.texts.count == 1)
      let names = try await Asset(path: folder.file(other)).load(.metadata).count
      #expect(names == items.count)
    }
  }

  /// A part begins with what holds at its first picture.
  @Test func parts() async throws {
    let folder = ScratchFolder()
    try Self.write(
      Self.companions(), to: folder.file("a.mov"), folder: folder, from: Self.seconds(10))
    let found = try await Self.read(folder.file("a.mov"))
    #expect(found.timecode?.text == "10:20:31:12")
    #expect(found.chapters == [Chapter(time: .zero, title: "Abend…")])
    let shown = try #require(found.texts.first).samples.filter { $0.data.count > 2 }
    #expect(shown.map(\.timeRange) == [TimeRange(start: .zero, end: Self.seconds(5))])
  }

  /// A part that begins within a cue of WebVTT has its parts when they come in the whole.
  @Test func partsWithinCues() async throws {
    let folder = ScratchFolder()
    let document = try CaptionDocument(
      reading: Array(
        "WEBVTT\n\n00:00.200 --> 00:01.600\nHi <00:01.200>later\n\n00:00.600 --> 00:01.800\nOther\n"
          .utf8))
    let track = try CaptionTrack(document, kind: .webVTT)
    var companions = FilmCompanions()
    companions.addCaptions([
      .init(
        handler: track.handler, entry: track.entry, languageCode: nil, isEnabled: true,
        samples: track.samples)
    ])
    try Self.write(companions, to: folder.file("a.mp4"), folder: folder, from: Self.seconds(10))
    let text = try #require(try await Self.read(folder.file("a.mp4")).texts.first)
    let found = try CaptionTrack.captions(entry: text.entry, samples: text.samples).captions
    #expect(found.map(\.text) == ["Hi later", "Other"])
    #expect(found.map(\.timeRange.start) == [.zero, .zero])
    #expect(found.first?.revealTimes.last == Self.seconds(2))
  }

  /// Samples follow each other, also those that were given otherwise.
  @Test(arguments: ["a.mov", "a.mp4"]) func overlappingSamples(_ name: String) async throws {
    let folder = ScratchFolder()
    var companions = try Self.companions()
    func caption(
      _ start: Int64, _ end: Int64, _ text: String
    ) -> (timeRange: TimeRange, data: [UInt8]) {
      (
        TimeRange(start: Self.seconds(start), end: Self.seconds(end)),
        SampleEntry.textSample(text)
      )
    }
    companions.texts[0].samples = [
      caption(2, 10, "A"), caption(4, 6, "B"), caption(4, 6, "C"), caption(8, 8, "D"),
      caption(12, 14, "E"),
    ]
    #expect(companions.losses(in: .mov).isEmpty)
    try Self.write(companions, to: folder.file(name), folder: folder)
    let shown = try #require(try await Self.read(folder.file(name)).texts.first).samples
      .compactMap { sample -> (String, TimeRange)? in
        guard let text = SampleEntry.text(ofSample: sample.data), !text.isEmpty else { return nil }
        return (text, sample.timeRange)
      }
    #expect(shown.map(\.0) == ["A", "B", "E"])
    #expect(
      shown.map(\.1.start) == [2, 4, 12].map { Self.seconds($0) }
        && shown.map(\.1.end) == [4, 6, 14].map { Self.seconds($0) })
  }

  /// Metadata of tracks, of the file and the whole name of a language come back.
  @Test(arguments: ["b.mov", "b.mp4"]) func metadataOfTracks(_ name: String) async throws {
    let folder = ScratchFolder()
    try SoundFile.write(to: folder.file("a.mp4"), seconds: 1)
    // A microphone, said of the track of sound.
    let boxes = try Box.parse(folder.read("a.mp4")[...]).map { box -> Box in
      guard box.type == "moov" else { return box }
      var movie = box
      movie.boxes = box.boxes.map { box in
        guard box.type == "trak" else { return box }
        var track = box
        track.boxes.append(.metadata([.text("com.example.microphone", "lavalier")]))
        for index in track.boxes.indices where track.boxes[index].type == "mdia" {
          track.boxes[index].boxes.append(Box.full("elng") { $0.text("de-AT\0") })
        }
        return track
      }
      return movie
    }
    folder.write(boxes.flatMap(\.bytes), to: "s.mp4")
    var packet = Box("uuid", data: Array("<x:xmpmeta/>".utf8))
    packet.extendedType = [
      0xBE, 0x7A, 0xCF, 0xCB, 0x97, 0xA9, 0x42, 0xE8, 0x9C, 0x71, 0x99, 0x94, 0x91, 0xE3, 0xAF,
      0xAC,
    ]
    var settings = WriterSettings(
      dimensions: Dimensions(width: 32, height: 32), pixelFormat: .yuv420Video8, tags: .bt709)
    settings.encoderPreset = "ultrafast"
    settings.temporaryFiles = folder.temporaryFiles
    settings.sound = try await .of(folder.file("s.mp4"))
    settings.companions = try Self.companions()
    settings.companions.fileBoxes = [packet]
    settings.companions.pictureBoxes = [.metadata([.text("com.example.lens", "26 mm")])]
    settings.companions.pictureLabels = TrackLabels(name: "Kamera A")
    settings.companions.pictureLabels.extendedLanguage = "zh-Hant-TW"
    settings.companions.texts[0].labels.extendedLanguage = "de-CH"
    let writer = try FrameWriter.create(folder.file(name), settings: settings)
    try writer.append(
      Scene.smooth(32, 32, .yuv420Video8), time: .zero, duration: Time(value: 2, timescale: 1))
    try writer.finish()
    let found = try await Self.read(folder.file(name))
    #expect(found.leftOut.isEmpty && found.fileBoxes.map(\.bytes) == [packet.bytes])
    #expect(found.pictureLabels == settings.companions.pictureLabels)
    #expect(found.texts.first?.labels.extendedLanguage == "de-CH")
    for (type, value) in [(MediaType.video, "26 mm"), (.audio, "lavalier")] {
      let track = try #require(
        try await Asset(path: folder.file(name)).loadTracks(withMediaType: type).first)
      var values: [String?] = []
      for item in try await track.load(.metadata) {
        values.append(try await item.load(.stringValue))
      }
      #expect(values.contains(value))
    }
    #expect(found.losses(in: .webM).contains("the metadata of the pictures' track"))
    #expect(found.losses(in: .webM).contains("the metadata of the sound track 2"))
    // Three letters are all that WebM gets of a language.
    #expect(found.losses(in: .webM).contains("the language zh-Hant-TW of the pictures' track"))
    #expect(found.losses(in: .webM).contains("the language de-AT of the sound track 2"))
  }

  /// Chapters and captions last as long as the sound, also without pictures; the clock is that of the pictures.
  @Test func companionsAfterTheLastPicture() async throws {
    let folder = ScratchFolder()
    try SoundFile.write(to: folder.file("a.mp4"), seconds: 4)
    var settings = WriterSettings(
      dimensions: Dimensions(width: 32, height: 32), pixelFormat: .yuv420Video8, tags: .bt709)
    settings.encoderPreset = "ultrafast"
    settings.temporaryFiles = folder.temporaryFiles
    settings.sound = try await .of(folder.file("a.mp4"))
    settings.companions = try Self.companions()
    settings.companions.chapters.append(Chapter(time: Self.seconds(25), title: "Abspann"))
    settings.companions.texts[0].samples.append(
      (TimeRange(start: Self.seconds(22), end: Self.seconds(31)), SampleEntry.textSample("Ende")))
    let writer = try FrameWriter.create(folder.file("b.mov"), settings: settings)
    try writer.append(
      Scene.smooth(32, 32, .yuv420Video8), time: .zero, duration: Time(value: 2, timescale: 1))
    try writer.finish()
    let found = try await Self.read(folder.file("b.mov"))
    #expect(found.chapters.map(\.title) == ["Morgen", "Abend…", "Abspann"])
    let shown = try #require(found.texts.first).samples.filter { $0.data.count > 2 }
    #expect(shown.last?.timeRange == TimeRange(start: Self.seconds(22), end: Self.seconds(31)))
    let clock = try #require(
      try await Asset(path: folder.file("b.mov")).loadTracks(withMediaType: .timecode).first)
    #expect(try await clock.load(.timeRange).end == Time(value: 2, timescale: 1))
  }

  @Test func timecodes() throws {
    let ntsc = Time(value: 1001, timescale: 30000)
    for (text, number) in [
      ("00:00:59;29", 1799), ("00:01:00;02", 1800), ("00:10:00;00", 17982), ("01:00:00;00", 107892),
      ("23:59:59;29", 2_589_407),
    ] as [(String, Int64)] {
      let code = try #require(Timecode(text, frameDuration: ntsc))
      #expect(code.frameNumber == number && code.isDropFrame)
      #expect(code.text == text)
      let copy = try Timecode(entry: code.sampleEntry, sample: code.sample)
      #expect(copy == code)
    }
    let film = try #require(Timecode("01:00:00:00", frameDuration: Time(value: 1, timescale: 24)))
    #expect(film.frameNumber == 86400)
    #expect(film.advanced(by: Time(value: 3, timescale: 2)).text == "01:00:01:12")
    for text in ["", "1:2:3", "01:00:61:00", "01:00:00:24", "aa:00:00:00"] {
      #expect(Timecode(text, frameDuration: Time(value: 1, timescale: 24)) == nil)
    }
    #expect(throws: CinematicError.self) {
      try Timecode(
        entry: Box("tmcd", data: [UInt8](repeating: 0, count: 26)), sample: [0, 0, 0, 0])
    }
    #expect(throws: CinematicError.self) { try Timecode(entry: film.sampleEntry, sample: [1]) }
  }

  /// Numbers are dropped at 29.97 frames a second and its multiples alone.
  @Test func dropFrameNeedsItsRate() {
    for (value, timescale) in [(1, 25), (1, 24), (1, 30), (1001, 24000), (1, 60), (1, 50)]
      as [(Int64, Int32)]
    {
      let frame = Time(value: value, timescale: timescale)
      #expect(Timecode("01:00:00;00", frameDuration: frame) == nil)
      #expect(Timecode("01:00:00:00", frameDuration: frame)?.text == "01:00:00:00")
    }
    for (value, timescale) in [(1001, 30000), (1001, 60000), (33_366_667, 1_000_000_000)]
      as [(Int64, Int32)]
    {
      let frame = Time(value: value, timescale: timescale)
      #expect(Timecode("01:00:00;00", frameDuration: frame)?.text == "01:00:00;00")
    }
  }

  /// Public numbers that count nothing are not trapped on.
  @Test func clocksThatCountNothing() throws {
    let frame = Time(value: 1001, timescale: 30000)
    var clock = try #require(Timecode("01:00:00;00", frameDuration: frame))
    for number in [0, -1, Int32.min, Int32.max] {
      clock.framesPerSecond = Int(number)
      clock.timescale = number
      clock.frameDuration = number
      for place in [Int64.min, 0, .max] {
        clock.frameNumber = place
        #expect(!clock.text.isEmpty && !clock.sampleEntry.bytes.isEmpty)
        #expect(clock.advanced(by: Self.seconds(.max)).sample.count == 4)
        #expect(clock.advanced(by: Self.seconds(.min)).sample.count == 4)
      }
    }
  }

  /// Times and numbers that no clock has.
  @Test func timecodesAtTheEnds() throws {
    let frame = Time(value: 1001, timescale: 30000)
    let code = try #require(Timecode("23:59:59;29", frameDuration: frame))
    let late: Int64 = 1 << 50
    for value in [Int64.min, -late, late, Int64.max] {
      let moved = code.advanced(by: Time(value: value, timescale: 1))
      #expect((moved.frameNumber < 0) == (value < 0))
      #expect(!moved.text.isEmpty && moved.sample.count == 4)
    }
    let wide = Box("tc64", data: code.sampleEntry.data)
    #expect(try Timecode(entry: wide, sample: [0, 0, 0, 0, 0, 0, 0, 9]).frameNumber == 9)
    for first in [0x7F, 0x80, 0x01] as [UInt8] {
      let sample = [first] + [UInt8](repeating: 0xFF, count: 7)
      #expect(throws: CinematicError.self) { try Timecode(entry: wide, sample: sample) }
    }
  }

  /// Content inside the pictures is named.
  @Test(.enabled(if: TestClip.hasEncoder("libx264"), "this FFmpeg has no libx264"))
  func captionsInsidePictures() async throws {
    let folder = ScratchFolder()
    var clip = TestClip(
      codec: "libx264", format: AV_PIX_FMT_YUV420P, size: Dimensions(width: 64, height: 64)
    ) { frame, _, x, y in 60 + (frame + x + y) % 100 }
    try clip.write(to: folder.file("a.mp4"))
    clip.captions = [0xFC, 0x94, 0x2C]
    try clip.write(to: folder.file("b.mp4"))
    for (name, extras) in [("a.mp4", []), ("b.mp4", ["the captions inside the pictures"])] {
      #expect(
        try await FrameReader.open(folder.file(name)).properties.unkeptExtras == extras as [String])
    }
  }

  @Test func dates() {
    #expect(FilmCompanions.seconds(since1904: "1904-01-01T00:00:00.000000Z") == 0)
    #expect(FilmCompanions.seconds(since1904: "1970-01-01T00:00:00Z") == 2_082_844_800)
    #expect(FilmCompanions.seconds(since1904: "2024-02-29 12:34:56") == 3_792_054_896)
    for text in ["", "yesterday", "2024-13-01T00:00:00Z", "1800-01-01T00:00:00Z"] {
      #expect(FilmCompanions.seconds(since1904: text) == nil)
    }
  }

  /// Another container's title, timecode and chapters.
  @Test func matroska() async throws {
    let folder = ScratchFolder()
    var file = ClipFile(
      codec: "ffv1", width: 32, height: 32, pixelFormat: AV_PIX_FMT_YUV420P,
      timeBase: AVRational(num: 1, den: 25))
    file.describe = { stream, encoder, output in
      stream.pointee.avg_frame_rate = AVRational(num: 25, den: 1)
      for (key, value) in [
        ("title", "Nachtfahrt"), ("timecode", "01:02:03:04"), ("mood", "grey"),
        ("creation_time", "2024-02-29T12:34:56.000000Z"),
      ] {
        av_dict_set(&output.pointee.metadata, key, value, 0)
      }
      let memory = av_mallocz(MemoryLayout<AVChapter>.size)!
      let chapter = memory.bindMemory(to: AVChapter.self, capacity: 1)
      chapter.pointee.id = 1
      chapter.pointee.time_base = AVRational(num: 1, den: 1000)
      (chapter.pointee.start, chapter.pointee.end) = (200, 400)
      av_dict_set(&chapter.pointee.metadata, "title", "Tunnel", 0)
      let list = av_malloc(MemoryLayout<UnsafeMutableRawPointer>.size)!
      output.pointee.chapters = list.bindMemory(
        to: UnsafeMutablePointer<AVChapter>?.self, capacity: 1)
      output.pointee.chapters[0] = chapter
      output.pointee.nb_chapters = 1
    }
    try file.write(to: folder.file("a.mkv"), frames: 25) { frame, number in
      for plane in 0..<3 {
        let data = [frame.pointee.data.0, frame.pointee.data.1, frame.pointee.data.2][plane]
        data?.update(repeating: UInt8(90 + number), count: plane == 0 ? 32 * 32 : 16 * 16)
      }
      return Int64(number)
    }
    let found = try await Self.read(folder.file("a.mkv"))
    #expect(found.timecode?.text == "01:02:03:04")
    #expect(found.chapters == [Chapter(time: Time(value: 1, timescale: 5), title: "Tunnel")])
    #expect(found.creationTime == 3_792_054_896)
    #expect(found.tags.map { $0.key.lowercased() }.sorted() == ["mood", "title"])
    #expect(found.timecodeTime == .zero)
    #expect(found.losses(in: .mov).isEmpty)
    #expect(found.losses(in: .mp4) == ["the metadata mood"])
    // Through a pipe its head comes, too.
    let streams = try #require(
      try await Asset(path: folder.file("a.mkv")).container() as? StreamContainer)
    let piped = FilmCompanions(
      try await streams.description(), frameDuration: Time(value: 1, timescale: 25))
    #expect(piped.chapters == found.chapters && piped.timecode == found.timecode)
    #expect(piped.tags.map(\.value) == found.tags.map(\.value) && piped.leftOut.isEmpty)
  }
}
