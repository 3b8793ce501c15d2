// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCaptions
import FocalCore
import MovieKit
import Testing

@testable import FocalMedia

/// Chapters, captions and clocks that last longer than a sample can.
@Suite struct LongCompanionTests {
  static func seconds(_ value: Int64) -> Time { Time(value: value, timescale: 1) }

  static func captions(
    _ samples: [(start: Int64, end: Int64, text: String)]
  ) -> FilmCompanions.TextTrack {
    .init(
      handler: "sbtl", entry: SampleEntry.timedText(justification: (1, -1)), languageCode: nil,
      isEnabled: true,
      samples: samples.map { sample in
        (
          TimeRange(start: seconds(sample.start), end: seconds(sample.end)),
          SampleEntry.textSample(sample.text)
        )
      })
  }

  /// A film of three pictures, and its companions as they come back.
  static func film(
    _ companions: FilmCompanions, timescale: Int32, pictureLasts length: Int64
  ) async throws -> FilmCompanions {
    let folder = ScratchFolder()
    var settings = WriterSettings(
      dimensions: Dimensions(width: 32, height: 32), pixelFormat: .yuv420Video8, tags: .bt709)
    settings.timescale = timescale
    settings.nominalFrameDuration = Time(value: 1, timescale: 25)
    settings.encoderPreset = "ultrafast"
    settings.temporaryFiles = folder.temporaryFiles
    settings.companions = companions
    let writer = try FrameWriter.create(folder.file("a.mp4"), settings: settings)
    let picture = try Scene.smooth(32, 32, .yuv420Video8)
    for number in 0..<3 {
      try writer.append(
        picture, time: seconds(Int64(number) * length), duration: seconds(length))
    }
    try writer.finish()
    return try await CompanionTests.read(folder.file("a.mp4"))
  }

  static func shown(_ companions: FilmCompanions) throws -> [Caption] {
    let text = try #require(companions.texts.first)
    return try CaptionTrack.captions(entry: text.entry, samples: text.samples).captions
  }

  /// Ticks of ten millionths of a second: 31 bits of them are not four minutes.
  @Test func fineTicks() async throws {
    var companions = FilmCompanions()
    companions.chapters = [
      Chapter(time: .zero, title: "A"), Chapter(time: Self.seconds(400), title: "B"),
    ]
    companions.texts = [Self.captions([(1, 290, "one"), (590, 595, "two")])]
    let found = try await Self.film(companions, timescale: 10_000_000, pictureLasts: 200)
    #expect(found.leftOut.isEmpty)
    #expect(found.chapters == companions.chapters)
    let captions = try Self.shown(found)
    #expect(captions.map(\.text) == ["one", "two"])
    #expect(captions.map(\.timeRange) == companions.texts[0].samples.map(\.timeRange))
    #expect(found.texts.first?.samples.count { $0.data.count > 2 } == 2)
  }

  /// A chapter that begins with a picture does not begin within the one before, whatever the ticks are.
  @Test func fineTicksAreRoundedUp() throws {
    var companions = FilmCompanions()
    let second = Time(value: 100_000_001, timescale: 1_000_000)
    companions.chapters = [
      Chapter(time: .zero, title: "A"), Chapter(time: second, title: "B"),
    ]
    var tracks = CompanionTracks(
      companions, timelineStart: .zero, timescale: 1_000_000, size: (32, 32))
    var starts: [Time] = []
    let timescale = try #require(tracks.tracks.first?.timescale)
    try tracks.finish(picturesEnd: Self.seconds(200), end: Self.seconds(200)) { sample, _ in
      starts.append(Time(value: sample.presentationTime, timescale: timescale))
    }
    #expect(starts.count == 2)
    let start = try #require(starts.last)
    #expect(start >= second && start - second < Time(value: 1, timescale: 80_000))
  }

  /// What is longer than 31 bits of ticks is written in pieces, which are one again when they are read.
  @Test func pieces() async throws {
    var companions = FilmCompanions()
    companions.timecode = Timecode("01:00:00:00", frameDuration: Time(value: 1, timescale: 25))
    companions.chapters = [
      Chapter(time: .zero, title: "A"), Chapter(time: Self.seconds(2_500_000), title: "B"),
      Chapter(time: Self.seconds(2_500_001), title: "B"),
    ]
    companions.texts = [
      Self.captions([(10, 2_400_000, "one"), (2_900_000, 2_950_000, "two")]),
      Self.captions([(2_900_000, 2_950_000, "late")]),
    ]
    let found = try await Self.film(companions, timescale: 25, pictureLasts: 1_000_000)
    #expect(found.leftOut.isEmpty)
    #expect(found.chapters == companions.chapters)
    let captions = try Self.shown(found)
    #expect(captions.map(\.text) == ["one", "two"])
    #expect(captions.map(\.timeRange) == companions.texts[0].samples.map(\.timeRange))
    #expect(found.texts.count == 2)
    #expect(found.timecode?.text == "01:00:00:00")
  }

  /// Pieces of a clock say the numbers of their frames; codes of line 21 are sent once.
  @Test func piecesGoOn() throws {
    var companions = FilmCompanions()
    companions.timecode = Timecode("01:00:00:00", frameDuration: Time(value: 1, timescale: 25))
    let codes = Box("cdat", data: [0x94, 0x2C]).bytes
    companions.texts = [
      .init(
        handler: "clcp", entry: Box("c608", data: [UInt8](repeating: 0, count: 8)),
        languageCode: nil, isEnabled: true,
        samples: [(TimeRange(start: Self.seconds(10), end: Self.seconds(2_400_000)), codes)])
    ]
    var tracks = CompanionTracks(companions, timelineStart: .zero, timescale: 25, size: (32, 32))
    var samples: [[MediaSample]] = [[], []]
    let end = Self.seconds(3_000_000)
    try tracks.finish(picturesEnd: end, end: end) { sample, track in samples[track].append(sample) }
    let clock = samples[0]
    #expect(clock.count == 2)
    let later = try #require(clock.last)
    // 1000 ticks a second.
    let frames = Int64(90_000) + later.presentationTime / 40
    var number = ByteWriter()
    number.i32(Int32(frames))
    #expect(later.presentationTime % 40 == 0 && later.data == number.bytes)
    let sent = samples[1].filter { $0.data == codes }
    #expect(sent.count == 1)
    for track in samples {
      var time: Int64 = 0
      for sample in track {
        #expect(sample.presentationTime == time && sample.duration <= Int64(Int32.max))
        time += sample.duration
      }
      #expect(time == 3_000_000_000)
    }
  }
}
