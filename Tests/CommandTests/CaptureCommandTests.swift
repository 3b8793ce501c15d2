// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCore
import FocalMedia
import Foundation
import Testing

@Suite struct CaptureCommandTests {
  /// A clip of one second, or more, and its maps.
  private static func material(in folder: Folder, frames: Int) throws {
    let size = Dimensions(width: 320, height: 180)
    let tags = ColorTags(primaries: .bt709, transfer: .bt709, matrix: .bt709)
    var settings = WriterSettings(dimensions: size, pixelFormat: .rgba8, tags: tags)
    settings.codec = .h264
    let clip = try MovieWriter(folder.file("clip.mov"), settings: settings)
    settings.codec = .ffv1
    settings.pixelFormat = .gray8
    let maps = try MovieWriter(folder.file("maps.mov"), settings: settings)
    for frame in 0..<frames {
      let time = Time(value: Int64(frame), timescale: 30)
      let codes = (0..<size.count).map { index in
        UInt8(abs(index % size.width - 160 - frame) < 40 ? 200 : 60)
      }
      let picture = try PixelBuffer(
        dimensions: size, format: .rgba8, tags: tags, values: codes.flatMap { [$0, $0, $0, 255] })
      let map = try PixelBuffer(dimensions: size, format: .gray8, tags: tags, values: codes)
      try clip.append(video: picture, time: time, duration: Time(value: 1, timescale: 30))
      try maps.append(video: map, time: time, duration: Time(value: 1, timescale: 30))
    }
    try clip.finish()
    try maps.finish()
  }

  private static let record = [
    "capture", "record", "clip.mov", "--disparity", "maps.mov", "--no-detections",
  ]

  /// Five seconds of pictures: the first one may be late, and a command without a time waits for it.
  @Test func fileIsRecordedWithCommands() async throws {
    let folder = Folder()
    try Self.material(in: folder, frames: 20)
    folder.write(
      Array("# taps\n0.1 fix 0.5,0.5 strong\nphoto still.jpg\n".utf8), to: "taps.txt")
    let outcome = try await Program.focal(
      Self.record + [
        "--times", "8", "--f-number", "4", "--commands", "taps.txt", "-o", "movie.mov", "--baked",
        "film.mp4", "--json", "--blades", "5", "--blur-scale", "0.4",
      ], in: folder)
    #expect(outcome.code == 0, "\(outcome.errors)")
    let report = try #require(try outcome.objects().last)
    let frames = try #require(report["frames"] as? Int)
    let dropped = try #require(report["droppedFrames"] as? Int)
    #expect(frames + dropped == 160)
    let movie = try await MovieScript(asset: Asset(path: folder.file("movie.mov")))
    let recording = try #require(try movie.recording())
    #expect(recording.fNumber == 4)
    #expect(recording.look.apertureBlades == 5 && recording.look.blurScale == 0.4)
    #expect(recording.userDecisions.map(\.isStrongDecision) == [true])
    #expect(try await FrameReader.open(folder.file("film.mp4")).frameNumbers.count == frames)
    #expect(folder.names.contains("still.jpg"))
    try await refuses(
      Self.record + ["-o", "movie.mov"], in: folder, naming: ["movie.mov exists already"])
  }

  /// What is recorded holds the maps that are imported, whatever the scale of their maker.
  @Test(arguments: [1, 1000]) func recordsWhatIsImported(scale: Int) async throws {
    let folder = Folder()
    try Self.material(in: folder, frames: 6)
    folder.writeMapHelper("\(scale) * p[3 * (y * w + x)] / 255", cell: 4)
    let helper = ["--helper", "python3 helper.py"]
    try await works(
      ["import", "clip.mov", "--every", "1", "-o", "a.mov"] + helper, in: folder)
    let outcome = try await Program.focal(
      ["capture", "record", "clip.mov", "--no-detections", "--json", "-o", "b.mov"] + helper,
      in: folder)
    #expect(outcome.code == 0, "\(outcome.errors)")
    let report = try #require(try outcome.objects().last)
    #expect(report["clampedMaps"] as? Int == 0)
    let low = try #require(report["estimatedLow"] as? Double)
    // The wall's code is a quarter of white, less in a screen's codes or more.
    #expect((0.1...0.35).contains(low / Double(scale)), "\(low)")
    var near: [Float] = []
    for name in ["a.mov", "b.mov"] {
      let movie = try await MovieScript(asset: Asset(path: folder.file(name)))
      let map = try #require(try await movie.reader.disparity(number: 0))
      near.append(try #require(map.disparity(at: NormalizedPoint(x: 0.5, y: 0.5))))
      near.append(try #require(map.disparity(at: NormalizedPoint(x: 0.1, y: 0.5))))
    }
    #expect(near[0] > 0.9 && near[1] < 0.1, "\(near)")
    // Compression has its noise.
    #expect(abs(near[0] - near[2]) < 0.03 && abs(near[1] - near[3]) < 0.03, "\(near)")
  }

  /// Four frames of what the eyes of a name see: L, R, LR or RL.
  private static func writeEyes(_ name: String, in folder: Folder) throws {
    let codes = try TwoEyes.picture(name)
    var settings = WriterSettings(
      dimensions: codes.dimensions, pixelFormat: .rgba8, tags: .sRGB)
    settings.codec = .h264
    let clip = try MovieWriter(folder.file("\(name).mov"), settings: settings)
    let picture = try PixelBuffer(
      dimensions: codes.dimensions, format: .rgba8, tags: .sRGB,
      values: codes.codes().flatMap { [$0, $0, $0, 255] })
    for frame in 0..<4 {
      try clip.append(
        video: picture, time: Time(value: Int64(frame), timescale: 30),
        duration: Time(value: 1, timescale: 30))
    }
    try clip.finish()
  }

  /// Both eyes in one picture or in two files, in either order, with a range that is given. What is recorded is the picture
  /// of the left eye, or of the right one where the input is that.
  @Test(arguments: [
    (["LR", "--layout", "side-by-side"], false),
    (["RL", "--layout", "side-by-side", "--swap-eyes"], false), (["L", "--stereo", "R"], false),
    (["R", "--stereo", "L", "--swap-eyes"], true),
  ])
  func recordsAnEyeOfTwo(_ eyes: [String], isRight: Bool) async throws {
    let folder = Folder()
    let names = Set(["L", "R", "LR", "RL"])
    for name in eyes where names.contains(name) { try Self.writeEyes(name, in: folder) }
    let source = eyes.map { names.contains($0) ? "\($0).mov" : $0 }
    let outcome = try await Program.focal(
      ["capture", "record"] + source + [
        "--disparity-range", "-0.05,0.15", "--no-detections", "--json", "-o", "m.mov",
      ], in: folder)
    #expect(outcome.code == 0, "\(outcome.errors)")
    let report = try #require(try outcome.objects().last)
    #expect(report["estimatedHigh"] as? Double == 0.15)
    let movie = try await MovieScript(asset: Asset(path: folder.file("m.mov")))
    let shown = try await FrameReader.open(folder.file("m.mov")).properties.dimensions
    #expect(shown == Dimensions(width: 320, height: 180))
    let map = try #require(try await movie.reader.disparity(number: 0))
    for (column, isNear) in [
      (TwoEyes.both, true), (TwoEyes.left, !isRight), (TwoEyes.right, isRight),
      (TwoEyes.wall, false),
    ] {
      let found = try #require(map.disparity(at: TwoEyes.place(column)))
      // A tenth of the width, and nothing, in the range of -.05 to .15.
      let expected: Float = isNear ? 0.75 : 0.25
      #expect(abs(found - expected) < 0.05, "\(column): \(found)")
    }
  }

  /// Commands of every kind, one after another once focus has gone most of its way, and what becomes of each. Focus follows weakly where no
  /// strength is said.
  @Test func commandsDecide() async throws {
    let folder = Folder()
    try Self.material(in: folder, frames: 20)
    let commands = """
      0.4 tap 0.5,0.5
      1.3 press 0.1,0.5
      2.2 track 0.5,0.5 strong
      3.1 auto
      4.0 track 0.5,0.5
      4.9 fix 0.9,0.5
      5.8 fix 0.1,0.5 strong

      """
    folder.write(Array(commands.utf8), to: "taps.txt")
    try await works(
      Self.record + ["--times", "11", "--commands", "taps.txt", "-o", "movie.mov"], in: folder)
    let movie = try await MovieScript(asset: Asset(path: folder.file("movie.mov")))
    let recording = try #require(try movie.recording())
    let decided = recording.userDecisions.map { decision -> String in
      let track = recording.detectionTracks.first { $0.detectionID == decision.detectionID }
      let kind = track.map { "\($0.detectionType)" } ?? "nothing"
      return (decision.isStrongDecision ? "strong " : "weak ") + kind
    }
    #expect(
      decided == [
        "weak custom", "strong fixedFocus", "strong custom", "weak autoFocus", "weak custom",
        "weak fixedFocus", "strong fixedFocus",
      ])
  }

  /// What is followed is drawn yellow over the gray pictures, unless nothing is to be drawn.
  @Test(arguments: [true, false]) func previews(isDrawn: Bool) async throws {
    let folder = Folder()
    try Self.material(in: folder, frames: 20)
    folder.write(Array("track 0.5,0.5 strong\n".utf8), to: "taps.txt")
    let source = ["capture", "preview"] + Array(Self.record[2...])
    let options = isDrawn ? [] : ["--no-overlay"]
    try await works(
      source + ["--times", "3", "--commands", "taps.txt", "-o", "p%04d.png"] + options, in: folder)
    let pictures = folder.names.filter { $0.hasSuffix(".png") }.sorted()
    try #require(!pictures.isEmpty)
    // Where the clip begins again, what is followed may be lost for a while.
    var colored: Float = 0
    for picture in pictures {
      let frame = try #require(try await Material.frames(folder.file(picture)).frames.first)
      let light = try frame.pixelBuffer.linearRGBA()
      light.withUnsafeBytes { bytes in
        for y in 0..<light.height {
          for x in 0..<light.width {
            let pixel = bytes.loadUnaligned(
              fromByteOffset: y * light.planes[0].bytesPerRow + 16 * x, as: SIMD4<Float>.self)
            colored = max(colored, pixel.x - pixel.z)
          }
        }
      }
    }
    #expect(isDrawn ? colored > 0.5 : colored < 0.05, "\(colored)")
  }

  /// Maps of a turned clip lie as it is shown, as those that are imported do.
  @Test func mapsOfATurnedClip() async throws {
    let folder = Folder()
    let shown = Dimensions(width: 180, height: 320)
    var settings = WriterSettings(
      dimensions: Dimensions(width: 320, height: 180), pixelFormat: .yuv420Video8, tags: .bt709)
    settings.preferredTransform = .clockwise90
    settings.encoderPreset = "ultrafast"
    settings.temporaryFiles = TemporaryFiles()
    let writer = try FrameWriter.create(folder.file("clip.mov"), settings: settings)
    folder.make("maps")
    for number in 0..<6 {
      try writer.append(
        Material.picture(settings.dimensions, .yuv420Video8, tags: .bt709),
        time: Time(value: Int64(number), timescale: 30), duration: Time(value: 1, timescale: 30))
      // Near on the right of what is shown.
      try PictureWriter.write(
        Material.map(shown), to: folder.file(String(format: "maps/%04d.png", number)))
    }
    try writer.finish()
    try await works(
      [
        "capture", "record", "clip.mov", "--disparity", "maps/%04d.png", "--no-detections", "-o",
        "m.mov",
      ], in: folder)
    try await works(["extract", "m.mov", "--disparity", "-o", "out/%04d.pfm"], in: folder)
    let reader = try await FrameReader.open(
      folder.file("out/0000.pfm"), options: ReadOptions(content: .disparity(.unit)))
    let map = try await reader.frame(number: 0).pixelBuffer
    #expect(map.dimensions == shown)
    for y in [0.1, 0.9] {
      for x in [0.1, 0.9] {
        let found = try #require(map.disparity(at: NormalizedPoint(x: x, y: y)))
        #expect(abs(found - Float(x)) < 0.03, "\(found) at \(x), \(y)")
      }
    }
  }

  @Test func secondFileThatEndsFirstIsNamed() async throws {
    let folder = Folder()
    try Self.material(in: folder, frames: 6)
    try FileManager.default.moveItem(
      atPath: folder.file("maps.mov"), toPath: folder.file("short.mov"))
    try FileManager.default.removeItem(atPath: folder.file("clip.mov"))
    try Self.material(in: folder, frames: 12)
    let outcome = try await Program.focal(
      [
        "capture", "record", "clip.mov", "--disparity", "short.mov", "--no-detections", "-o",
        "m.mov",
      ], in: folder)
    #expect(outcome.code != 0)
    #expect(
      outcome.errors.contains("short.mov ended at 0.2 s, before clip.mov"), "\(outcome.errors)")
    // What came before is whole.
    #expect(try await FrameReader.open(folder.file("m.mov")).frameNumbers.count > 0)
  }

  @Test func badInputsAreNamed() async throws {
    let folder = Folder()
    try Self.material(in: folder, frames: 2)
    folder.write(Array("tap here\n".utf8), to: "wrong.txt")
    let cases: [(arguments: [String], words: [String])] = [
      (["clip.mov", "--disparity", "none.mov", "-o", "m.mov"], ["none.mov"]),
      (["none.mov", "--disparity", "maps.mov", "-o", "m.mov"], ["none.mov"]),
      (
        ["/dev/video987", "--disparity", "maps.mov", "-o", "m.mov"],
        ["video987", "capture devices"]
      ),
      (["clip.mov", "--disparity", "maps.mov", "-o", "m.mp4"], ["m.mp4", ".mov"]),
      (
        ["clip.mov", "--disparity", "maps.mov", "--f-number", "40", "-o", "m.mov"],
        ["f/40", "f/16"]
      ),
      (["clip.mov", "--disparity", "maps.mov", "--size", "640x480", "-o", "m.mov"], ["--size"]),
      (
        ["clip.mov", "--disparity", "maps.mov", "--commands", "wrong.txt", "-o", "m.mov"],
        ["tap here"]
      ),
      (["clip.mov", "--disparity", "maps.mov", "--sound", "nosuch:x", "-o", "m.mov"], ["nosuch"]),
      (["clip.mov", "--helper", "false", "-o", "m.mov"], ["false"]),
      (["clip.mov", "--disparity", "maps.mov", "-o", "no/such/m.mov"], ["no/such/m.mov"]),
    ]
    for (arguments, words) in cases {
      try await refuses(
        ["capture", "record", "--no-detections"] + arguments, in: folder, naming: words)
    }
    for (options, word) in [
      (["--disparity-range", "1,0"], "what is near"),
      (["--disparity-kind", "depth"], "--disparity"),
    ] {
      let outcome = try await Program.focal(
        ["capture", "record", "clip.mov", "--helper", "false", "-o", "m.mov"] + options, in: folder)
      #expect(outcome.code == 64)
      #expect(outcome.errors.contains(word), "\(outcome.errors)")
    }
    try await refuses(["capture", "recover", "clip.mov"], in: folder, naming: ["clip.mov"])
    let names = folder.names
    #expect(!names.contains { $0.contains("recording") || $0.hasPrefix("m.") }, "\(names)")
  }

  /// A name that another program records to is refused at once.
  @Test func nameThatIsBeingRecorded() async throws {
    let folder = Folder()
    try Self.material(in: folder, frames: 30)
    let record = Self.record.joined(separator: " ")
    let outcome = try await Program.shell(
      """
      "$0" \(record) --times 1000 -o m.mov 2>first &
      first=$!
      for n in $(seq 6000); do [ -s m.recording.mov ] && break; sleep .02; done
      focal \(record) --times 1000 -o m.mov 2>second; echo $?
      kill -TERM $first; wait $first; echo $?
      """, in: folder)
    #expect(outcome.outputLines.first == "1", "\(outcome.output)")
    let said = String(decoding: folder.read("second"), as: UTF8.self)
    #expect(said.contains("m.mov is being recorded already"), "\(said)")
    #expect(try await FrameReader.open(folder.file("m.mov")).frameNumbers.count > 0)
  }

  /// A recording of which nothing can be written any more ends, and says where the rest is.
  @Test func moviesThatFail() async throws {
    let folder = Folder()
    try Self.material(in: folder, frames: 30)
    // The largest file that the shell allows, in blocks of 1024 bytes.
    let outcome = try await Program.focal(
      Self.record + ["--times", "60", "-o", "m.mov", "--json"], in: folder, after: "ulimit -f 40")
    #expect(outcome.code == 1)
    let report = try #require(try outcome.objects().last)
    let arrived = try #require(report["arrivedFrames"] as? Int)
    #expect(arrived < 900, "of 1800")
    let movie = try #require((report["movies"] as? [[String: Any]])?.first)
    let frames = try #require(movie["frames"] as? Int)
    #expect(frames > 0 && frames < arrived && report["frames"] as? Int == frames)
    let note =
      "what was recorded is kept in m.recording.mov: finish it with 'focal capture recover m.recording.mov'"
    #expect(outcome.errors.contains(note), "\(outcome.errors)")
    try await works(["capture", "recover", "m.recording.mov"], in: folder)
    let kept = try await FrameReader.open(folder.file("m.mov")).frameNumbers.count
    #expect(kept > 0 && kept <= frames)
  }

  /// The next recording of a name finishes what a killed one left, says so, and goes on.
  @Test func leftoverOfTheName() async throws {
    let folder = Folder()
    try Self.material(in: folder, frames: 20)
    _ = try await Program.run(
      [Program.path] + Self.record + ["--times", "100", "-o", "m.mov"], in: folder
    ) { process, _ in
      await Program.end(process, by: SIGKILL) { folder.read("m.recording.mov").count > 20000 }
    }
    let next = try await works(Self.record + ["-o", "m.mov"], in: folder)
    let said = "m-recovered.mov: recovered from an interrupted recording"
    #expect(next.errors.contains(said), "\(next.errors)")
    for name in ["m.mov", "m-recovered.mov"] {
      #expect(try await FrameReader.open(folder.file(name)).frameNumbers.count > 0)
    }
    #expect(folder.names.sorted() == ["clip.mov", "m-recovered.mov", "m.mov", "maps.mov"])
  }

  /// More moments in FOCAL_KILLS.
  @Test func killed() async throws {
    let folder = Folder()
    try Self.material(in: folder, frames: 30)
    let kills = ProcessInfo.processInfo.environment["FOCAL_KILLS"].flatMap { Int($0) } ?? 2
    for round in 0..<kills {
      let recording = "m\(round).recording.mov"
      let wanted = 20000 + round * 40000 % 200_000
      _ = try await Program.run(
        [Program.path] + Self.record + ["--times", "100", "-o", "m\(round).mov"], in: folder
      ) { process, _ in
        await Program.end(process, by: SIGKILL) { folder.read(recording).count > wanted }
      }
      #expect(!folder.names.contains("m\(round).mov"))
      // It plays as it is.
      #expect(try await FrameReader.open(folder.file(recording)).frameNumbers.count > 0)
      try await works(["capture", "recover", recording], in: folder)
      let movie = try await MovieScript(asset: Asset(path: folder.file("m\(round).mov")))
      #expect(movie.info.capability == .renderable)
      // The encoder of maps holds two back on two cores; the last ones are held where they are missing.
      #expect(try await movie.reader.disparity(number: 0) != nil)
      try await works(
        ["thumbnail", "m\(round).mov", "--at", "0", "-o", "t\(round).png"], in: folder)
      #expect(!folder.names.contains(recording))
    }
  }
}
