// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCinematic
import FocalCore
import Foundation
import Testing

@testable import FocalMedia

/// What `focal capture` says of parts that it does not record, and of commands that it cannot do.
@Suite struct CaptureNoteTests {
  private static let size = Dimensions(width: 320, height: 180)
  private static let source = [
    "clip.mov", "--disparity", "maps/%04d.png", "--disparity-fit", "stretch", "--no-detections",
  ]
  private static let record = ["capture", "record"] + source
  /// Five seconds of twenty pictures. Of two thirds of a second, commands may find the end where the machine has much
  /// other work.
  private static let long = ["--times", "8"]

  private static func material(
    _ count: Int = 6, in folder: Folder, tags: ColorTags = .bt709
  ) throws {
    try Material.clip(
      "clip.mov", in: folder, times: Material.steady(count), size: size, tags: tags)
    try Material.numberedMaps(count, in: folder)
  }

  // MARK: - What is not recorded

  /// Eight bits of HLG stay HLG, with ten, in both movies; in H.264 they become standard, which is said.
  @Test func highDynamicRange() async throws {
    let folder = Folder()
    try Self.material(in: folder, tags: .hlg)
    let kept = try await works(
      Self.record + ["-o", "a.mov", "--baked", "a.mp4"], in: folder)
    #expect(!kept.errors.contains("standard"), "\(kept.errors)")
    for name in ["a.mov", "a.mp4"] {
      let found = try await FrameReader.open(folder.file(name)).properties
      #expect(found.tags == .hlg && found.bitDepth == 10, "\(name)")
    }
    let mapped = try await works(
      Self.record + ["--codec", "h264", "-o", "b.mov", "--baked", "b.mp4"], in: folder)
    for name in ["b.mov", "b.mp4"] {
      let line = "high dynamic range becomes standard: \(name) holds no more"
      #expect(mapped.errors.contains(line), "\(mapped.errors)")
      let found = try await FrameReader.open(folder.file(name)).properties
      #expect(found.tags.transfer == .bt709, "\(name)")
    }
  }

  /// Files that cannot say wide colours, or cut them, are named.
  @Test func wideColours() async throws {
    let folder = Folder()
    var tags = ColorTags.bt709
    tags.primaries = .bt2020
    tags.matrix = .bt2020
    try Self.material(20, in: folder, tags: tags)
    folder.write(Array("photo still.pfm\n".utf8), to: "taps.txt")
    let written = try await works(
      Self.record + Self.long + ["--frames", "out%d.dpx", "--commands", "taps.txt"], in: folder)
    for said in [
      "still.pfm does not say which colours its light has",
      "out%d.dpx does not say wider colours than BT.709's: those of clip.mov",
    ] {
      #expect(written.errors.contains(said), "\(written.errors)")
    }
  }

  /// Stills and frames of standard range say so; previews always have it.
  @Test func highDynamicRangeOfPictures() async throws {
    let folder = Folder()
    try Self.material(20, in: folder, tags: .hlg)
    folder.write(Array("photo still.jpg\n".utf8), to: "taps.txt")
    let written = try await works(
      Self.record + Self.long + ["--frames", "out%d.png", "--commands", "taps.txt"], in: folder)
    for name in ["still.jpg", "out%d.png"] {
      let line = "high dynamic range becomes standard: \(name) holds no more"
      #expect(written.errors.contains(line), "\(written.errors)")
    }
    let preview = try await works(
      ["capture", "preview"] + Self.source + ["-o", "p%d.jpg"], in: folder)
    #expect(
      preview.errors.contains("high dynamic range becomes standard: previews show no more"),
      "\(preview.errors)")
  }

  /// A clip with two tracks of French sound, a timecode, chapters and captions.
  private static func toldClip(in folder: Folder) async throws {
    folder.write(Material.wave(seconds: 0.2), to: "sound.wav")
    let asset = try Asset.named(folder.file("sound.wav"))
    let track = try #require(try await asset.loadTracks(withMediaType: .audio).first)
    let part = TimeRange(start: .zero, duration: Time(value: 1, timescale: 5))
    let sound = SoundTrack(
      segments: [
        SoundSegment(source: try await SoundSource(track), sourceTimeRange: part, time: .zero)
      ], languageCode: "fra")
    var companions = FilmCompanions()
    companions.timecode = Timecode("01:00:00:00", frameDuration: Time(value: 1, timescale: 30))
    companions.chapters = [Chapter(time: .zero, title: "one")]
    companions.addCaptions([
      FilmCompanions.TextTrack(
        handler: "sbtl", entry: SampleEntry.timedText(justification: (1, -1)),
        languageCode: "deu", isEnabled: true,
        samples: [(part, SampleEntry.textSample("Guten Tag"))])
    ])
    var settings = WriterSettings(dimensions: size, pixelFormat: .yuv420Video8, tags: .bt709)
    settings.encoderPreset = "ultrafast"
    settings.sound = .tracks([sound, sound])
    settings.companions = companions
    settings.temporaryFiles = TemporaryFiles()
    let writer = try FrameWriter.create(folder.file("clip.mov"), settings: settings)
    for number in 0..<6 {
      try writer.append(
        Material.picture(size, .yuv420Video8, tags: .bt709),
        time: Time(value: Int64(number), timescale: 30), duration: Time(value: 1, timescale: 30))
    }
    try writer.finish()
  }

  /// Numbered maps go with the pictures of a clip, whatever its rate.
  @Test(arguments: [24, 50] as [Int32]) func numberedMapsHaveTheClipsRate(rate: Int32) async throws
  {
    let folder = Folder()
    try Material.clip(
      "clip.mov", in: folder, times: (0..<12).map { Time(value: $0, timescale: rate) },
      last: Time(value: 1, timescale: rate), size: Self.size)
    try Material.numberedMaps(12, in: folder)
    let outcome = try await works(Self.record + ["-o", "m.mov", "--json"], in: folder)
    let report = try #require(try outcome.objects().last)
    let frames = try #require(report["frames"] as? Int)
    let dropped = try #require(report["droppedFrames"] as? Int)
    #expect(frames + dropped == 12, "\(outcome.errors)")
  }

  /// They are a map a picture, too, where a clip's frames are not equally long.
  @Test func numberedMapsHaveTheClipsTimes() async throws {
    let folder = Folder()
    let times: [Int64] = [0, 1, 2, 3, 9, 10, 11, 12, 20, 21, 22, 23]
    try Material.clip(
      "clip.mov", in: folder, times: times.map { Time(value: $0, timescale: 30) }, size: Self.size)
    try Material.numberedMaps(12, in: folder)
    let outcome = try await works(
      Self.record + ["--times", "2", "-o", "m.mov", "--json"], in: folder)
    let report = try #require(try outcome.objects().last)
    #expect(report["unpairedFrames"] as? Int == 0)
    #expect(report["unreadFrames"] as? Int == 0)
    let frames = try #require(report["frames"] as? Int)
    let dropped = try #require(report["droppedFrames"] as? Int)
    #expect(frames + dropped == 24, "\(outcome.errors)")
    try FileManager.default.removeItem(atPath: folder.file("maps/0011.png"))
    try await refuses(
      Self.record + ["-o", "n.mov"], in: folder,
      naming: ["maps/%04d.png has 11 files for 12 frames of clip.mov"])
  }

  /// Pixels that are no squares, and colours, which frames in pictures and pipes do not say.
  @Test(arguments: [QuarterTurn.identity, .clockwise90])
  func shapeAndColours(turn: QuarterTurn) async throws {
    let folder = Folder()
    var tags = ColorTags.bt709
    tags.primaries = .bt2020
    try Material.numberedMaps(20, in: folder)
    var settings = WriterSettings(
      dimensions: Self.size, pixelFormat: .yuv420Video8, tags: tags)
    settings.encoderPreset = "ultrafast"
    settings.pixelAspectRatio = PixelAspectRatio(horizontal: 4, vertical: 3)
    settings.preferredTransform = turn
    settings.temporaryFiles = TemporaryFiles()
    let writer = try FrameWriter.create(folder.file("clip.mov"), settings: settings)
    for number in 0..<20 {
      try writer.append(
        Material.picture(Self.size, .yuv420Video8, tags: tags),
        time: Time(value: Int64(number), timescale: 30), duration: Time(value: 1, timescale: 30))
    }
    try writer.finish()
    folder.write(Array("photo still.png\n".utf8), to: "taps.txt")
    let shape = turn == .identity ? "4 wide and 3 high" : "3 wide and 4 high"
    let pictures = try await works(
      Self.record + Self.long + ["--frames", "out%d.png", "--commands", "taps.txt"], in: folder)
    for name in ["out%d.png", "still.png"] {
      #expect(
        pictures.errors.contains("\(name) does not say that pixels are \(shape)"),
        "\(pictures.errors)")
    }
    let sent = try await works(Self.record + ["--frames", "-", "--format", "y4m"], in: folder)
    #expect(sent.errors.contains("y4m does not say that the colours are"), "\(sent.errors)")
    #expect(sent.output.prefix(200).contains(turn == .identity ? " A4:3 " : " A3:4 "))
  }

  /// Options that would say nothing are refused by name.
  @Test func optionsThatSayNothing() async throws {
    let folder = Folder()
    try Self.material(2, in: folder)
    for (options, word) in [
      (["-o", "m.mov", "--helper-timeout", "3"], "--helper-timeout"),
      (["-o", "m.mov", "--format", "nut"], "--format"),
      (["--frames", "f%d.png", "--codec", "hevc"], "--codec"),
      (["--frames", "-", "--rate-factor", "20"], "--rate-factor"),
    ] {
      let outcome = try await Program.focal(Self.record + options, in: folder)
      #expect(outcome.code == 64 && outcome.errors.contains(word), "\(outcome.errors)")
    }
    #expect(!folder.names.contains { $0.hasPrefix("m.") })
  }

  /// The front of a movie is written again at its end, which no pipe has.
  @Test(arguments: [("-o", "Cinematic movie"), ("--baked", "film")])
  func moviesInPipes(_ option: String, _ kind: String) async throws {
    let folder = Folder()
    try Self.material(2, in: folder)
    try await refuses(
      Self.record + [option, "-"], in: folder,
      naming: [kind, "cannot go into a pipe", "--frames -"])
  }

  /// Colours that the played file does not say, and the movie does.
  @Test func assumedColours() async throws {
    let folder = Folder()
    try Self.material(in: folder)
    try FileManager.default.removeItem(atPath: folder.file("clip.mov"))
    var settings = WriterSettings(
      dimensions: Self.size, pixelFormat: .yuv420Video8, tags: .bt709)
    settings.encoderPreset = "ultrafast"
    settings.colorCodes = ColorCodes(primaries: 2, transfer: 2, matrix: 2)
    settings.temporaryFiles = TemporaryFiles()
    let writer = try FrameWriter.create(folder.file("clip.mov"), settings: settings)
    for number in 0..<6 {
      try writer.append(
        Material.picture(Self.size, .yuv420Video8, tags: .bt709),
        time: Time(value: Int64(number), timescale: 30), duration: Time(value: 1, timescale: 30))
    }
    try writer.finish()
    let outcome = try await works(Self.record + ["-o", "m.mov"], in: folder)
    #expect(outcome.errors.contains("clip.mov does not say its colours"), "\(outcome.errors)")
  }

  /// One line names all that is in the played file and in no movie.
  @Test func companions() async throws {
    let folder = Folder()
    try Self.material(in: folder)
    let plain = try await works(Self.record + ["-o", "plain.mov"], in: folder)
    #expect(!plain.errors.contains("not keep"), "\(plain.errors)")
    try FileManager.default.removeItem(atPath: folder.file("clip.mov"))
    try await Self.toldClip(in: folder)
    let sounds = ["1 further track of sound", "the language of the sound"]
    let others = ["the timecode", "the chapters", "the captions"]
    let both = try await works(
      Self.record + ["-o", "m.mov", "--baked", "m.mp4"], in: folder)
    let lines = both.errorLines.filter { $0.contains("not keep") }
    #expect(lines.count == 1, "\(both.errors)")
    let line = try #require(lines.first)
    #expect(line.hasPrefix("focal: m.mov and m.mp4 do not keep ") && line.hasSuffix(" of clip.mov"))
    for part in sounds + others { #expect(line.contains(part), "\(part): \(line)") }
    // Sound that is not wanted is not missed.
    let silent = try await works(
      Self.record + ["--sound", "none", "-o", "silent.mov"], in: folder)
    #expect(silent.errors.contains("silent.mov does not keep the timecode"), "\(silent.errors)")
    for part in sounds { #expect(!silent.errors.contains(part), "\(silent.errors)") }
  }

  /// A recording ends with the pictures.
  @Test func soundBehindTheLastPicture() async throws {
    let folder = Folder()
    folder.write(Material.wave(seconds: 0.6), to: "sound.wav")
    let sound = try #require(try await AssetSound(Asset(path: folder.file("sound.wav"))))
    try Material.clip(
      "clip.mov", in: folder, times: Material.steady(6), size: Self.size, sound: sound)
    try Material.numberedMaps(6, in: folder)
    let outcome = try await works(Self.record + ["-o", "m.mov"], in: folder)
    let isSaid = outcome.errors.contains("m.mov does not keep the sound behind the last picture")
    #expect(isSaid, "\(outcome.errors)")
  }

  // MARK: - Commands

  /// The recording goes on, and so do the lines behind.
  @Test func commandsThatCannotBeDone() async throws {
    let folder = Folder()
    try Self.material(20, in: folder)
    folder.write(
      Array(
        "# taps\nfollow 77 weak\n0.1 fix 0.5,0.5 strong\n\nphoto still.png\n60 auto\n60 stop\n"
          .utf8),
      to: "taps.txt")
    let outcome = try await works(
      Self.record + Self.long + ["--commands", "taps.txt", "-o", "m.mov", "--json"], in: folder)
    for said in [
      "the command 'follow 77 weak' (line 2) is not done: nothing of the id 77 is in the picture",
      "the session ended before the command '60 auto' (line 6)",
      "the session ended before the command '60 stop' (line 7)",
    ] {
      #expect(outcome.errors.contains(said), "\(outcome.errors)")
    }
    // A machine that is busy may be late besides.
    let told = outcome.errorLines.filter { $0.contains("the command") && !$0.contains(" s late") }
    #expect(told.count == 3, "\(outcome.errors)")
    let report = try #require(try outcome.objects().last)
    let frames = try #require(report["frames"] as? Int)
    let dropped = try #require(report["droppedFrames"] as? Int)
    #expect(frames + dropped == 160)
    let movie = try await MovieScript(asset: Asset(path: folder.file("m.mov")))
    let recording = try #require(try movie.recording())
    #expect(recording.userDecisions.map(\.isStrongDecision) == [true])
    #expect(folder.names.contains("still.png"))
  }

  /// What can be known before is found before, and named with its line.
  @Test func commandsThatAreRefused() async throws {
    let folder = Folder()
    try Self.material(20, in: folder)
    folder.write([1], to: "there.png")
    let cases: [(commands: String, options: [String], words: [String])] = [
      ("auto\ntap here", [], ["'tap here' (line 2) is not understood"]),
      ("0.1 aperture 4", [], ["'0.1 aperture 4' (line 1)", "keeps its aperture", "--f-number"]),
      ("1 photo there.png", [], ["'1 photo there.png' (line 1)", "there.png exists already"]),
      ("photo a.png\nphoto a.png", [], ["(line 2)", "a.png is taken"]),
      ("photo none/a.png", [], ["none/a.png", "folder"]),
      ("photo a.mov", [], ["a.mov is not the name of one picture"]),
      ("photo /dev/full", [], ["/dev/full is not the name of one picture"]),
      ("photo maps/0000.png", ["--force"], ["maps/0000.png is read"]),
    ]
    for (commands, options, words) in cases {
      folder.write(Array(commands.utf8), to: "taps.txt")
      for output in [["-o", "m.mov"], ["--baked", "m.mp4"]] {
        try await refuses(
          Self.record + output + ["--commands", "taps.txt"] + options, in: folder, naming: words)
      }
    }
    folder.write(Array("photo there.png\nstop".utf8), to: "taps.txt")
    try await works(
      Self.record + ["--times", "30", "-o", "m.mov", "--commands", "taps.txt", "--force"],
      in: folder)
    #expect(folder.read("there.png").count > 1)
  }

  /// Lines that are typed cannot be checked beforehand.
  @Test func commandsOfStandardInput() async throws {
    let folder = Folder()
    try Self.material(40, in: folder)
    folder.write([1], to: "there.png")
    let record = (["focal"] + Self.record).joined(separator: " ")
    let outcome = try await Program.shell(
      "printf 'aperture 4\\nfollow 77 weak\\nphoto there.png\\ntap here\\nstop\\n' | "
        + "\(record) --times 30 -o m.mov --commands -", in: folder)
    #expect(outcome.code == 0, "\(outcome.errors)")
    for said in [
      "the command 'aperture 4' is not done: a movie that is recorded keeps its aperture",
      "the command 'follow 77 weak' is not done: nothing of the id 77",
      "the command 'photo there.png' is not done: there.png exists already",
      "the command 'tap here' is not understood",
    ] {
      #expect(outcome.errors.contains(said), "\(outcome.errors)")
    }
    #expect(folder.read("there.png") == [1])
    #expect(try await FrameReader.open(folder.file("m.mov")).frameNumbers.count > 0)
  }

  /// Typed lines have times, and wait for a picture, as those of a file do.
  @Test func typedCommandsWait() async throws {
    let folder = Folder()
    try Self.material(40, in: folder)
    let record = (["focal"] + Self.record).joined(separator: " ")
    let outcome = try await Program.shell(
      "printf 'photo still.png\\n1 stop\\n' | \(record) --times 1000 -o m.mov --commands -",
      in: folder)
    #expect(outcome.code == 0, "\(outcome.errors)")
    #expect(folder.names.contains("still.png"), "\(outcome.errors)")
    let missed = try await Program.shell(
      "printf '60 stop\\n' | \(record) --times 4 -o n.mov --commands -", in: folder)
    #expect(missed.code == 0, "\(missed.errors)")
    #expect(
      missed.errors.contains("the session ended before the command '60 stop'"),
      "\(missed.errors)")
  }

  /// Clocks cannot count to them.
  @Test func timesOfNoSession() async throws {
    let folder = Folder()
    try Self.material(20, in: folder)
    folder.write(Array("auto\n1e30 stop\n".utf8), to: "taps.txt")
    try await refuses(
      Self.record + ["-o", "m.mov", "--commands", "taps.txt"], in: folder,
      naming: ["'1e30 stop' (line 2)", "100000000 seconds"])
    for command in [["record"] + Self.source + ["-o", "m.mov"], ["preview"] + Self.source] {
      for duration in ["1e30", "nan", "0"] {
        let outcome = try await Program.focal(
          ["capture"] + command + ["--duration", duration], in: folder)
        #expect(outcome.code == 64 && outcome.errors.contains("--duration"), "\(outcome.errors)")
      }
    }
  }

  /// The aperture changes where no movie is recorded.
  @Test func apertures() async throws {
    let folder = Folder()
    try Self.material(20, in: folder)
    folder.write(Array("aperture 4\naperture 40\n".utf8), to: "taps.txt")
    for command in [
      ["capture", "preview"] + Self.source + ["-o", "p%d.jpg"],
      Self.record + ["--frames", "f%d.jpg"],
    ] {
      let outcome = try await works(command + Self.long + ["--commands", "taps.txt"], in: folder)
      let lines = outcome.errorLines.filter { $0.contains("aperture") }
      #expect(lines.count == 1, "\(outcome.errors)")
      #expect(lines.first?.contains("the command 'aperture 40' (line 2) is not done") == true)
    }
    for (command, isMovie) in [("record", true), ("preview", false)] {
      let help = try await works(["capture", command, "--help"], in: folder)
      let text = help.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      #expect(text.contains("auto; aperture N; photo FILE") != isMovie)
      #expect(text.contains("with --frames alone there is aperture N") == isMovie)
    }
  }

  @Test func mapsOfAnotherShape() async throws {
    let folder = Folder()
    try Self.material(2, in: folder)
    try await refuses(
      ["capture", "record", "clip.mov", "--disparity", "maps/%04d.png", "-o", "m.mov"], in: folder,
      naming: ["the shapes differ", "--disparity-fit stretch"])
  }
}
