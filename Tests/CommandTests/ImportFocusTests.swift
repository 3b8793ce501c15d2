// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCore
import FocalMedia
import FocalScript
import Foundation
import Testing

@testable import FocalImport
@testable import focal

/// Focus that `import` finds itself, and what it refuses before it estimates anything.
@Suite struct ImportFocusTests {
  private static let size = Dimensions(width: 96, height: 54)

  /// Black, red with something at .4 of the range's way, blue with something at its near end: 6, 12 and 12 frames.
  private static let lengths = [6, 12, 12]

  private static func clip(in folder: Folder) throws {
    folder.make("clip")
    var number = 0
    for (scene, length) in lengths.enumerated() {
      for _ in 0..<length {
        let codes = (0..<size.count).flatMap { place -> [UInt8] in
          let grain = UInt8((place * 7 + place / 96 * 5) % 9)
          return switch scene {
          case 0: [0, 0, 0, 255]
          case 1: [240 + grain, 40, 40, 255]
          default: [20, 20, 180 + grain, 255]
          }
        }
        try PictureWriter.write(
          PixelBuffer(dimensions: size, format: .rgba8, values: codes),
          to: folder.file("clip/\(number).png"))
        number += 1
      }
    }
    folder.write(Array(estimator.utf8), to: "estimate.py")
    folder.write(Array(detector.utf8), to: "detect.py")
  }

  /// A large thing in the middle, as far as the picture's colour says; `estimated` counts the pictures.
  private static let estimator = """
    import array, sys
    i, o = sys.stdin.buffer, sys.stdout.buffer
    while line := i.readline():
        word, w, h = line.split()
        w, h = int(w), int(h)
        d = i.read(3 * w * h)
        open('estimated', 'a').write('x')
        black, red = max(d) < 40, d[0] > d[2]
        near, far = (0, 0) if black else (400, 100) if red else (950, 300)
        inside = lambda x, y: 0.3 * w < x < 0.7 * w and 0.2 * h < y < 0.9 * h
        v = array.array('f', [near if inside(x, y) else far for y in range(h) for x in range(w)])
        o.write(b'map %d %d disparity\\n' % (w, h) + v.tobytes())
        o.flush()
    """

  /// Nobody in black and red pictures, a face in blue ones; `detected` counts the pictures. With a file `slow`, it takes
  /// its time, and with `hang` it answers no picture behind the tenth: it ends with its input.
  private static let detector = """
    import os, sys, time
    i, o = sys.stdin.buffer, sys.stdout.buffer
    while line := i.readline():
        word, w, h = line.split()
        d = i.read(3 * int(w) * int(h))
        if os.path.exists('hang') and os.path.getsize('detected') >= 10: i.read(); sys.exit()
        open('detected', 'a').write('x')
        if os.path.exists('slow'): time.sleep(0.25)
        blue = d[2] > 100 and d[0] < 100
        o.write(b'objects 1\\nhumanFace 0.4 0.3 0.2 0.3 0.9\\n' if blue and not os.path.exists('nobody') else b'objects 0\\n')
        o.flush()
    """

  private static let estimate = ["--helper", "python3 estimate.py", "--every", "1"]
  private static let detect = ["--detect-helper", "python3 detect.py"]
  private static let nothing =
    "export HOME=/nowhere XDG_DATA_HOME=/nowhere FOCAL_MODELS=/no/models FOCAL_ONNXRUNTIME=/no/runtime"

  /// The script of a movie, and focus in each frame.
  private static func focus(_ name: String, in folder: Folder) async throws -> (Script, [Float]) {
    let movie = try await MovieScript(asset: Asset.named(folder.file(name)))
    let script = try Script(recording: try #require(try movie.recording()))
    return (
      script,
      script.recording.frameTimes.map { script.frame(shownAt: $0)?.focusDisparity ?? .nan }
    )
  }

  /// The subject of each scene is in focus from its first frame to its last, and that of the first scene before it.
  @Test(arguments: [false, true]) func followsTheMapsSubjectOverCuts(looks: Bool) async throws {
    let folder = Folder()
    try Self.clip(in: folder)
    folder.write([1], to: "nobody")
    let made = try await Program.focal(
      ["import", "clip/%d.png", "-o", "m.mov"] + Self.estimate + (looks ? Self.detect : []),
      in: folder, after: Self.nothing)
    #expect(made.code == 0, "\(made.errors)")
    let words = looks ? "nobody was found in clip/%d.png" : "nobody is looked for"
    #expect(made.errors.contains(words), "\(made.errors)")
    let (script, focus) = try await Self.focus("m.mov", in: folder)
    #expect(script.recording.detectionTracks.map(\.detectionType) == [.autoFocus])
    let movie = try await MovieScript(asset: Asset.named(folder.file("m.mov")))
    #expect(focus.count == 30)
    for (number, place) in [(8, 0..<18), (20, 18..<30)] {
      let near = try await movie.disparity(
        at: Time(value: Int64(number), timescale: 30), point: NormalizedPoint(x: 0.5, y: 0.5))
      let isThere = focus[place].allSatisfy { abs($0 - near) < 0.01 }
      #expect(isThere, "\(near): \(focus)")
    }
    #expect(focus[29] - focus[6] > 0.3)
    try await refuses(
      ["import", "m.mov", "-o", "n.mov"], in: folder, naming: ["m.mov", "focal edit", "--estimate"])
    #expect(folder.names.filter { $0.contains(".maps") }.isEmpty)
  }

  /// One focus for the clip is settled where something is seen.
  @Test func aBlackStartDoesNotSettleOneFocus() async throws {
    let folder = Folder()
    try Self.clip(in: folder)
    let maps = try await Program.focal(
      ["estimate", "clip/%d.png", "-o", "maps/%d.pfm"] + Self.estimate, in: folder)
    #expect(maps.code == 0, "\(maps.errors)")
    let made = try await Program.focal(
      ["import", "clip/%d.png", "--disparity", "maps/%d.pfm", "-o", "m.mov"], in: folder)
    #expect(made.code == 0, "\(made.errors)")
    let map = try await FrameReader.open(
      folder.file("maps/8.pfm"), options: ReadOptions(content: .disparity(.unit))
    ).frame(number: 0).pixelBuffer
    let near = try #require(map.disparity(at: NormalizedPoint(x: 0.5, y: 0.5)))
    let (_, focus) = try await Self.focus("m.mov", in: folder)
    let isThere = focus.allSatisfy { abs($0 - near) < 0.01 }
    #expect(isThere, "\(near): \(focus)")
  }

  @Test(arguments: [
    (["-o", "r.mp4"], "not the name of a Cinematic movie"),
    (["-o", "there.mov"], "exists already"),
    (
      ["-o", "m.mov", "--lens", "50mm", "--sensor", "36mm", "--focus-distance", "2m"],
      "an estimated one is relative"
    ),
    (["-o", "m.mov", "--detect-model", "none.onnx"], "/no/runtime"),
    (["-o", "m.mov", "--detect-every", "0"], "--detect-every takes"),
    (["-o", "m.mov", "--detect-every", "2", "--focus", "0.5"], "a focus is given"),
    (["-o", "m.mov", "--captions", "gone.srt"], "gone.srt"),
  ]) func refusesBeforeMapsAreMade(arguments: [String], reason: String) async throws {
    let folder = Folder()
    try Self.clip(in: folder)
    folder.write([1], to: "there.mov")
    let before = folder.names
    let outcome = try await Program.focal(
      ["import", "clip/%d.png"] + Self.estimate + arguments, in: folder, after: Self.nothing)
    #expect(outcome.code != 0)
    #expect(outcome.errors.contains(reason), "\(outcome.errors)")
    // Not one picture was estimated, and nothing is left.
    #expect(folder.names == before)
  }

  /// Maps of other pictures than those that are read now are no use.
  @Test func makesMapsAnewWhenPicturesAreReadOtherwise() async throws {
    let folder = Folder()
    try Self.clip(in: folder)
    let table = "LUT_3D_SIZE 2\n" + (0..<8).map { "\($0 & 1) \($0 >> 1 & 1) \($0 >> 2)\n" }.joined()
    folder.write(Array(table.utf8), to: "same.cube")
    func run(_ options: [String]) async throws -> Program.Outcome {
      try await Program.focal(
        ["import", "clip/%d.png", "--detect-helper", "false", "-o", "m.mov"] + Self.estimate
          + options, in: folder)
    }
    let first = try await run([])
    #expect(first.code == 1)
    #expect(first.errors.contains("the same work goes on with them"), "\(first.errors)")
    let count = folder.read("estimated").count
    #expect(count >= 30)
    let same = try await run([])
    // Those that say what the range is.
    #expect(folder.read("estimated").count == count + EstimationJob.sampleCount)
    #expect(same.errors.contains("going on with the maps in m.mov.maps"), "\(same.errors)")
    for options in [["--transfer", "pq"], ["--lut", "same.cube"], ["--log", "slog3"]] {
      let other = try await run(options)
      #expect(other.errors.contains("they are made anew"), "\(options): \(other.errors)")
      let again = try await run(options)
      #expect(again.errors.contains("going on with the maps"), "\(options): \(again.errors)")
    }
  }

  /// Maps of pictures or of a program that are others now are no use, either.
  @Test func makesMapsAnewWhenFilesChange() async throws {
    let folder = Folder()
    try Self.clip(in: folder)
    func run() async throws -> Program.Outcome {
      try await Program.focal(
        ["import", "clip/%d.png", "--detect-helper", "false", "-o", "m.mov"] + Self.estimate,
        in: folder)
    }
    #expect(try await run().errors.contains("the same work goes on with them"))
    for (name, bytes) in [
      ("clip/3.png", folder.read("clip/29.png")),
      ("estimate.py", Array((Self.estimator + "\n").utf8)),
    ] {
      folder.write(bytes, to: name)
      let other = try await run()
      #expect(other.errors.contains("they are made anew"), "\(other.errors)")
      let same = try await run()
      #expect(same.errors.contains("going on with the maps"), "\(same.errors)")
    }
  }

  /// Every third picture and those after cuts are looked at; after a kill, those that were looked at are not again.
  @Test func looksAtSomePicturesAndGoesOn() async throws {
    let folder = Folder()
    try Self.clip(in: folder)
    func command(_ name: String, _ options: [String]) -> [String] {
      ["import", "clip/%d.png", "-o", name] + Self.estimate + Self.detect + options
    }
    let whole = try await Program.focal(command("a.mov", ["--detect-every", "3"]), in: folder)
    #expect(whole.code == 0, "\(whole.errors)")
    // 0 and 3, 6 to 15, 18 to 27: cuts lie at 6 and 18.
    #expect(folder.read("detected").count == 10)
    let (script, _) = try await Self.focus("a.mov", in: folder)
    #expect(script.recording.detectionTracks.map(\.detectionType) == [.humanFace])
    let detections = script.recording.detectionTracks[0].detections(in: script.timeRange)
    #expect(detections.map { Int(($0.time.seconds * 30).rounded()) } == [18, 21, 24, 27])

    try FileManager.default.removeItem(atPath: folder.file("detected"))
    folder.write([1], to: "hang")
    folder.write([], to: "detected")
    let ended = try await Program.run(
      [Program.path] + command("b.mov", ["--detect-every", "2"]), in: folder,
      meanwhile: { process, _ in
        // The eleventh picture hangs, and the tenth is written down some time.
        await Program.end(process, by: SIGKILL) {
          let kept = String(
            decoding: folder.read("b.mov.maps/detections.json"), as: UTF8.self)
          return folder.read("detected").count >= 10
            && kept.components(separatedBy: "\"seen\"").count > 10
        }
      })
    #expect(ended.code == -SIGKILL)
    try FileManager.default.removeItem(atPath: folder.file("hang"))
    let estimated = folder.read("estimated").count
    let resumed = try await Program.focal(command("b.mov", ["--detect-every", "2"]), in: folder)
    #expect(resumed.code == 0, "\(resumed.errors)")
    #expect(resumed.errors.contains("going on with the detections of"), "\(resumed.errors)")
    #expect(folder.read("detected").count == 15)
    #expect(folder.read("estimated").count == estimated + EstimationJob.sampleCount)
    #expect(folder.names.filter { $0.contains(".maps") }.isEmpty)
    let through = try await Program.focal(command("c.mov", ["--detect-every", "2"]), in: folder)
    #expect(through.code == 0, "\(through.errors)")
    let (b, c) = (
      try await Self.focus("b.mov", in: folder).0, try await Self.focus("c.mov", in: folder).0
    )
    #expect(b.recording.detectionTracks == c.recording.detectionTracks)
    #expect(b.recording.baseDecisions == c.recording.baseDecisions)
  }

  /// Slow detectors see fewer pictures, and that is said.
  @Test func slowDetectorsSeeFewerPictures() async throws {
    #expect(
      [0, 0.05, 0.1, 0.15, 0.29, 9, .infinity].map { DetectionJob.interval(seconds: $0) }
        == [1, 1, 1, 2, 3, 5, 5])
    let folder = Folder()
    try Self.clip(in: folder)
    folder.write([1], to: "slow")
    let made = try await Program.focal(
      ["import", "clip/%d.png", "-o", "m.mov"] + Self.estimate + Self.detect, in: folder)
    #expect(made.code == 0, "\(made.errors)")
    #expect(made.errors.contains("all of them with --detect-every 1"), "\(made.errors)")
    #expect(folder.read("detected").count < 20)
  }
}
