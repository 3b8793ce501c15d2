// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import FocalMedia
import FocalScript
import Foundation
import MovieKit
import Testing

/// Two eyes in one picture, detections, and helpers.
@Suite struct EyeCommandTests {
  private static let size = Dimensions(width: 240, height: 136)

  /// `left/%04d.png`, `right/%04d.png` and both beside or above each other in `pair/%04d.png`.
  private static func clips(_ count: Int, across: Bool, in folder: Folder) throws {
    for name in ["left", "right", "pair"] { folder.make(name) }
    for number in 0..<count {
      let eyes = try [0.0, 0.15].map { try EstimateCommandTests.picture(number, eye: $0) }
      let pair = try PixelBuffer(
        dimensions: Dimensions(
          width: across ? 2 * size.width : size.width,
          height: across ? size.height : 2 * size.height
        ), format: .rgba8, tags: .sRGB)
      for (index, eye) in eyes.enumerated() {
        let name = "\(index == 0 ? "left" : "right")/\(number).png"
        try PictureWriter.write(eye, to: folder.file(name))
        eye.withUnsafeBytes { from in
          pair.withUnsafeMutableBytes { to in
            for y in 0..<size.height {
              let row = (across ? y : y + index * size.height) * pair.planes[0].bytesPerRow
              UnsafeMutableRawBufferPointer(
                rebasing: to[(row + (across ? 4 * index * size.width : 0))...]
              ).copyBytes(from: from[(y * eye.planes[0].bytesPerRow)...].prefix(4 * size.width))
            }
          }
        }
      }
      try PictureWriter.write(pair, to: folder.file("pair/\(number).png"))
    }
  }

  /// Both eyes in one picture give what two files give, to the bit.
  @Test(arguments: ["side-by-side", "over-under"]) func rendersAnEyeOfTwo(layout: String)
    async throws
  {
    let folder = Folder()
    try Self.clips(3, across: layout == "side-by-side", in: folder)
    let commands = [
      ["render", "left/0.png", "--stereo", "right/0.png", "-o", "a.png"],
      ["render", "pair/0.png", "--layout", layout, "-o", "b.png"],
      [
        "import", "left/%d.png", "--stereo", "right/%d.png", "--f-number", "2", "--codec", "ffv1",
        "-o", "a.mov",
      ],
      [
        "import", "pair/%d.png", "--layout", layout, "--f-number", "2", "--codec", "ffv1", "-o",
        "b.mov",
      ],
    ]
    for command in commands.prefix(2) {
      let outcome = try await Program.focal(command, in: folder)
      #expect(outcome.code == 0, "\(outcome.errors)")
    }
    let isSame = folder.read("a.png") == folder.read("b.png")
    #expect(isSame)
    #expect(!folder.read("a.png").isEmpty)
    for command in commands[2...] {
      let outcome = try await Program.focal(command, in: folder)
      #expect(outcome.code == 0, "\(outcome.errors)")
    }
    for name in ["a", "b"] {
      let maps = try await Program.focal(
        ["extract", "\(name).mov", "--disparity", "-o", "\(name)/%d.pfm"], in: folder)
      #expect(maps.code == 0, "\(maps.errors)")
    }
    let first = folder.names(in: "a").map { folder.read("a/\($0)") }
    let second = folder.names(in: "b").map { folder.read("b/\($0)") }
    #expect(first.count == 3)
    let areSame = first == second
    #expect(areSame)
    let movies = try await (
      FrameReader.open(folder.file("a.mov")), FrameReader.open(folder.file("b.mov"))
    )
    #expect(movies.1.properties.dimensions == Self.size)
    for number in 0..<3 {
      let (a, b) = try await (movies.0.frame(number: number), movies.1.frame(number: number))
      let isSame = Self.bytes(a.pixelBuffer) == Self.bytes(b.pixelBuffer)
      #expect(isSame)
    }
  }

  /// Halves that may be squeezed are said in words that hold for every size of the result.
  @Test func narrowHalves() async throws {
    let folder = Folder()
    let eyes = try [0.0, 0.15].map { eye in
      try EstimateCommandTests.picture(0, eye: eye).part(
        columns: 60..<180, rows: 0..<Self.size.height
      ).codes()
    }
    let rowBytes = 4 * 120
    let codes = (0..<Self.size.height).flatMap { y -> [UInt8] in
      eyes.flatMap { Array($0[(y * rowBytes)..<((y + 1) * rowBytes)]) }
    }
    try PictureWriter.write(
      PixelBuffer(
        dimensions: Dimensions(width: 240, height: Self.size.height), format: .rgba8, tags: .sRGB,
        values: codes), to: folder.file("pair.png"))
    let made = try await works(
      [
        "render", "pair.png", "--layout", "side-by-side", "--focus", "0.5", "--size", "60x68", "-o",
        "out.png",
      ], in: folder)
    let line =
      "each eye's half is 120x136, and the result has that shape; if halves are squeezed, scale it to twice its width"
    #expect(made.errors.contains(line), "\(made.errors)")
  }

  /// `L.png`, `R.png`, `LR.png` and `RL.png`.
  private static func writeEyes(in folder: Folder) throws {
    for name in ["L", "R", "LR", "RL"] {
      try PictureWriter.write(TwoEyes.picture(name), to: folder.file("\(name).png"))
    }
  }

  /// Eyes that lie the other way round are the same two eyes.
  @Test func exchangesHalves() async throws {
    let folder = Folder()
    try Self.writeEyes(in: folder)
    let (usual, exchanged) = (
      ["LR.png", "--layout", "side-by-side"], ["RL.png", "--layout", "side-by-side", "--swap-eyes"]
    )
    for (command, ending) in [("estimate", "pfm"), ("render", "png")] {
      try await works([command] + usual + ["-o", "a.\(ending)"], in: folder)
      try await works([command] + exchanged + ["-o", "b.\(ending)"], in: folder)
      let (first, second) = (folder.read("a.\(ending)"), folder.read("b.\(ending)"))
      let areSame = first == second
      #expect(areSame && !first.isEmpty, "\(command)")
    }
  }

  /// The map is that of the input, which may be what the right eye sees.
  @Test(arguments: [
    (["L.png", "--stereo", "R.png"], false), (["R.png", "--stereo", "L.png", "--swap-eyes"], true),
  ])
  func exchangesFiles(_ arguments: [String], isRight: Bool) async throws {
    let folder = Folder()
    try Self.writeEyes(in: folder)
    try await works(["estimate"] + arguments + ["--keep-values", "-o", "map.pfm"], in: folder)
    let reader = try await FrameReader.open(
      folder.file("map.pfm"), options: ReadOptions(content: .disparity(.unit)))
    let map = try await reader.frame(number: 0).pixelBuffer
    for (column, isNear) in [
      (TwoEyes.both, true), (TwoEyes.left, !isRight), (TwoEyes.right, isRight),
      (TwoEyes.wall, false),
    ] {
      let found = try #require(map.disparity(at: TwoEyes.place(column)))
      // 32 of 320 columns.
      let expected: Float = isNear ? 0.1 : 0
      #expect(abs(found - expected) < 0.005, "\(column): \(found)")
    }
  }

  private static func bytes(_ picture: PixelBuffer) -> [UInt8] {
    picture.withUnsafeBytes { bytes in
      (0..<picture.height).flatMap { y in
        bytes[(y * picture.planes[0].bytesPerRow)...].prefix(
          picture.width * picture.planes[0].bytesPerElement)
      }
    }
  }

  /// A movie of two views is said to be one, and never taken for two eyes or, silently, for one.
  @Test(.enabled(if: EncodedClip.isPossible, "this FFmpeg has no libx265"))
  func namesTheSecondView() async throws {
    let folder = Folder()
    var layout = try EncodedMovie.layout(frames: 3)
    layout.tracks.removeLast(2)
    let entry = try #require(layout.tracks[0].entry)
    layout.tracks[0].entry = Box(
      entry.type, data: Array(entry.data) + Box("lhvC", data: [UInt8](repeating: 0, count: 8)).bytes
    )
    folder.write(layout.bytes(), to: "spatial.mov")
    let refused = try await Program.focal(
      ["estimate", "spatial.mov", "--estimate", "stereo", "-o", "m/%d.pfm"], in: folder)
    #expect(refused.code == 1)
    let words = ["spatial.mov holds both eyes as MV-HEVC", "FFmpeg 7.1", "--layout side-by-side"]
    for word in words { #expect(refused.errors.contains(word), "\(refused.errors)") }
    let helper = try Example.path("estimate-helper.py")
    let told = try await Program.focal(
      ["estimate", "spatial.mov", "--helper", "python3 '\(helper)'", "-o", "m/%d.pfm"], in: folder)
    #expect(told.code == 0, "\(told.errors)")
    for word in words { #expect(told.errors.contains(word), "\(told.errors)") }
    #expect(folder.names(in: "m").count == 3)
  }

  /// The example programs end without a word when their command was killed: before it took the answer, within a picture and
  /// within a line.
  @Test(arguments: ["estimate-helper.py", "detect-helper.py"])
  func examplesEndQuietly(name: String) async throws {
    let folder = Folder()
    let outcome = try await Program.shell(
      """
      helper='\(try Example.path(name))'
      { printf 'frame 640 480\\n'; head -c 921600 /dev/zero; } | python3 "$helper" | true
      printf 'frame 640 480\\nrest' | python3 "$helper"
      printf 'frame 6' | python3 "$helper"
      """, in: folder)
    #expect(outcome.code == 0)
    #expect(outcome.errors.isEmpty, "\(outcome.errors)")
  }

  /// A helper that goes on after its work ends with the command, and so does one that nothing was asked of. Without the
  /// redirection, readers of the command's standard error would wait for it.
  @Test(arguments: [true, false]) func endsAHelperThatGoesOn(isAsked: Bool) async throws {
    let folder = Folder()
    folder.writeMapHelper("x / w")
    try Self.square(1, in: folder)
    let input = isAsked ? "clip/0.png" : "missing.png"
    let outcome = try await Program.focal(
      [
        "estimate", input, "--helper",
        "exec 2>/dev/null; echo $$ > number; python3 helper.py; sleep 600", "-o", "map.pfm",
      ], in: folder)
    #expect(outcome.code == (isAsked ? 0 : 1), "\(outcome.errors)")
    // One of which nothing was asked may have been ended before it began.
    guard isAsked || folder.names.contains("number") else { return }
    let number = String(decoding: folder.read("number").dropLast(), as: UTF8.self)
    guard isAsked || !number.isEmpty else { return }
    let process = try #require(Int32(number))
    // Its parent is gone, so that the system hears of its end, some time.
    for _ in 0..<3000 where Self.isRunning(process) {
      try await Task.sleep(for: .milliseconds(20))
    }
    #expect(!Self.isRunning(process))
  }

  /// Of a program that nobody has waited for, there is a number without a command.
  private static func isRunning(_ process: Int32) -> Bool {
    guard let file = fopen("/proc/\(process)/cmdline", "r") else { return false }
    defer { fclose(file) }
    return fgetc(file) != EOF
  }

  /// A red square that moves over gray.
  private static func square(_ count: Int, in folder: Folder) throws {
    folder.make("clip")
    for number in 0..<count {
      let picture = try PixelBuffer(
        dimensions: size, format: .rgba8,
        values: (0..<size.count).flatMap { place -> [UInt8] in
          let (x, y) = (place % size.width, place / size.width)
          let isRed = (40 + 6 * number..<72 + 6 * number).contains(x) && (50..<82).contains(y)
          return isRed ? [255, 0, 0, 255] : [UInt8(90 + (x * 7 + y * 3) % 40), 100, 100, 255]
        })
      try PictureWriter.write(picture, to: folder.file("clip/\(number).png"))
    }
  }

  @Test func detectsByAHelper() async throws {
    let folder = Folder()
    try Self.square(8, in: folder)
    let detect = "python3 '\(try Example.path("detect-helper.py"))'"
    let estimate = "python3 '\(try Example.path("estimate-helper.py"))'"
    let maps = try await Program.focal(
      ["estimate", "clip/%d.png", "--helper", estimate, "--every", "1", "-o", "maps/%d.pfm"],
      in: folder)
    #expect(maps.code == 0, "\(maps.errors)")
    let found = try await Program.focal(
      [
        "script", "detect", "clip/%d.png", "--disparity", "maps/%d.pfm", "--detect-helper", detect,
        "--detect-every", "1", "--json", "-o", "script.json",
      ], in: folder)
    #expect(found.code == 0, "\(found.errors)")
    let done = try #require(try found.objects().last)
    #expect(done["tracks"] as? Int == 1)
    #expect(done["subjects"] as? Int == 1)
    #expect(done["detections"] as? Int == 8)
    let script = try Script(
      recording: Recording(jsonRepresentation: Data(folder.read("script.json"))))
    let track = try #require(script.recording.detectionTracks.first)
    #expect(track.detectionType == .sportsBall)
    for (number, time) in script.recording.frameTimes.enumerated() {
      let rect = try #require(track.detection(nearest: time)?.normalizedRect)
      let distances = [
        rect.x - Double(40 + 6 * number) / 240, rect.y - 50.0 / 136, rect.width - 32.0 / 240,
        rect.height - 32.0 / 136,
      ].map { abs($0) }
      let isThere = distances.allSatisfy { $0 < 0.005 }
      #expect(isThere, "\(rect)")
    }
    let movie = try await Program.focal(
      [
        "import", "clip/%d.png", "--helper", estimate, "--every", "1", "--detect-helper", detect,
        "--detect-every", "1", "-o", "m.mov",
      ], in: folder)
    #expect(movie.code == 0, "\(movie.errors)")
    #expect(movie.errors.contains("1 track of 1 subject, and 1 decision by the director"))
    // A helper that hangs ends the command, and leaves nothing under a final name.
    let before = folder.names
    let hung = try await Program.focal(
      [
        "script", "detect", "clip/%d.png", "--disparity", "maps/%d.pfm", "--detect-helper",
        "sleep 600", "--helper-timeout", "0.3", "-o", "late.json",
      ], in: folder)
    #expect(hung.code == 1)
    #expect(hung.errors.contains("sleep 600 did not answer a picture within 0.3 s"))
    #expect(folder.names == before)
  }

  @Test(arguments: [
    (["render", "left/0.png", "--layout", "side-by-side", "--stereo", "right/0.png"], "not both"),
    (
      ["render", "pair/0.png", "--layout", "side-by-side", "--disparity", "left/0.png"], "a map is"
    ),
    (["render", "pair/0.png", "--layout", "side-by-side", "--estimate", "model"], "no model"),
    (["render", "left/0.png", "--helper-timeout", "3"], "for a helper"),
    (["render", "left/0.png", "--helper", "cat", "--helper-timeout", "0"], "above 0"),
    (["render", "left/0.png", "--estimate", "people"], "no model of people"),
  ]) func refusesWhatCannotBe(arguments: [String], reason: String) async throws {
    let folder = Folder()
    try Self.clips(1, across: true, in: folder)
    let before = folder.names
    let outcome = try await Program.focal(
      arguments + ["-o", "o.png"], in: folder,
      after: "export HOME=/nowhere XDG_DATA_HOME=/nowhere FOCAL_MODELS= FOCAL_ONNXRUNTIME=/no")
    #expect(outcome.code != 0)
    #expect(outcome.errors.contains(reason), "\(outcome.errors)")
    #expect(folder.names == before)
  }
}

/// The examples of the repository.
enum Example {
  static func path(_ name: String, file: String = #filePath) throws -> String {
    var folder = URL(fileURLWithPath: file).deletingLastPathComponent()
    while folder.path != "/" {
      let place = folder.appendingPathComponent("Examples/\(name)").path
      if FileManager.default.fileExists(atPath: place) { return place }
      folder.deleteLastPathComponent()
    }
    throw CinematicError(.unreadable, "there is no example \(name)")
  }
}
