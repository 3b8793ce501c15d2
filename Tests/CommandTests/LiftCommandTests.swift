// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import Foundation
import Testing

/// `focal lift`.
@Suite struct LiftCommandTests {
  @Test func writesSubjectsMasksAndBackgrounds() async throws {
    let folder = Folder()
    try LiftScene.write("in.png", "map.png", in: folder)
    let lift = ["lift", "in.png", "--disparity", "map.png"]
    for (arguments, middle, corner) in [
      (["-o", "subject.png"], Float(1), Float(0)), (["-o", "subject.exr"], 1, 0),
      (["-o", "subject.tif"], 1, 0), (["--look", "mono", "-o", "mono.jpg"], 1, 1),
      (["--background", "#00ff00", "-o", "green.png"], 1, 1),
    ] {
      let made = try await Program.focal(lift + arguments, in: folder)
      #expect(made.code == 0, "\(made.errors)")
      let values = try await LiftScene.picture(folder.file(arguments[arguments.count - 1]))
      #expect(values[4 * (70 * 192 + 90) + 3] == middle, "\(arguments)")
      #expect(values[3] == corner, "\(arguments)")
    }
    let mask = try await Program.focal(lift + ["--mask", "-o", "mask.png"], in: folder)
    #expect(mask.code == 0, "\(mask.errors)")
    let codes = try await LiftScene.picture(folder.file("mask.png"))
    #expect(codes[4 * (70 * 192 + 90)] == 1)
    #expect(codes[0] == 0)
    let tight = try await Program.focal(lift + ["--tight", "-o", "tight.png"], in: folder)
    #expect(tight.code == 0, "\(tight.errors)")
    let part = try await FrameReader.open(folder.file("tight.png")).properties.dimensions
    #expect((76...100).contains(part.width) && (76...100).contains(part.height), "\(part)")
  }

  @Test func listsSubjects() async throws {
    let folder = Folder()
    try LiftScene.write("in.png", "map.png", in: folder)
    let made = try await Program.focal(
      ["lift", "in.png", "--disparity", "map.png", "--json"], in: folder)
    #expect(made.code == 0, "\(made.errors)")
    #expect(made.output.contains("\"confidence\""))
    #expect(made.output.contains("\"instance\":1"))
  }

  /// A program that sees something near in the right half of every picture, whatever is in it, and says so by a file.
  private static let helper = """
    import array, os, sys
    i, o = sys.stdin.buffer, sys.stdout.buffer
    while line := i.readline():
        word, w, h = line.split()
        w, h = int(w), int(h)
        i.read(3 * w * h)
        open('seen', 'a').write('x')
        near = lambda x, y: 0.6 * w <= x < 0.9 * w and 0.25 * h <= y < 0.75 * h
        v = array.array('f', [1000 if near(x, y) else 50 for y in range(h) for x in range(w)])
        o.write(b'map %d %d disparity\\n' % (w, h) + v.tobytes())
        o.flush()
    """

  /// Maps of the providers', for pictures, for clips, and for a list alone.
  @Test func estimatesAMap() async throws {
    let folder = Folder().with("frames")
    try LiftScene.write("in.png", "map.png", in: folder)
    for number in 3..<6 {
      try LiftScene.write("frames/\(number).png", "map\(number).png", shift: number, in: folder)
    }
    folder.write(Array(Self.helper.utf8), to: "helper.py")
    let estimate = ["--helper", "python3 helper.py"]
    let before = folder.names
    for (input, seen) in [("in.png", 1), ("frames/%d.png", 4)] {
      let listed = try await Program.focal(["lift", input, "--json"] + estimate, in: folder)
      #expect(listed.code == 0, "\(listed.errors)")
      #expect(listed.errors.contains("disparity is estimated by command"))
      let subjects = try #require(try listed.objects().last?["subjects"] as? [[String: Any]])
      let x = try #require(subjects.first?["x"] as? Double)
      let width = try #require(subjects.first?["width"] as? Double)
      let isThere = abs(x - 0.6) < 0.03 && abs(width - 0.3) < 0.05
      #expect(isThere, "\(listed.output)")
      // For a list, the pictures that settle the range are looked at, and then the first one.
      #expect(folder.read("seen").count == seen)
      try FileManager.default.removeItem(atPath: folder.file("seen"))
      #expect(folder.names == before)
    }
    let made = try await Program.focal(
      ["lift", "frames/%d.png", "-o", "out/%d.png"] + estimate, in: folder)
    #expect(made.code == 0, "\(made.errors)")
    #expect(folder.names(in: "out") == ["3.png", "4.png", "5.png"])
    for number in 3..<6 {
      let values = try await LiftScene.picture(folder.file("out/\(number).png"))
      #expect(values[4 * (72 * 192 + 144) + 3] == 1)
      #expect(values[4 * (72 * 192 + 60) + 3] == 0)
    }
  }

  /// Five pictures of the whole clip settle the range. Maps are made of the chosen frames and those on which they depend.
  @Test func estimatesWhatChosenFramesNeed() async throws {
    let folder = Folder()
    try Material.clip(
      "clip.mp4", in: folder, times: Material.steady(12), size: Dimensions(width: 192, height: 144))
    folder.write(Array(Self.helper.utf8), to: "helper.py")
    func seen(_ arguments: [String]) async throws -> (count: Int, outcome: Program.Outcome) {
      folder.write([], to: "seen")
      let outcome = try await works(
        arguments + ["--frames", "9-10", "--helper", "python3 helper.py", "--every", "1"],
        in: folder)
      return (folder.read("seen").count, outcome)
    }
    let listed = try await seen(["lift", "clip.mp4", "--json"])
    #expect((6...15).contains(listed.count), "\(listed.count)")
    let subjects = try listed.outcome.objects().last?["subjects"] as? [[String: Any]]
    let x = try #require(subjects?.first?["x"] as? Double)
    #expect(abs(x - 0.6) < 0.03, "\(listed.outcome.output)")
    let lifted = try await seen(["lift", "clip.mp4", "-o", "out/%d.png"])
    #expect((7...16).contains(lifted.count), "\(lifted.count)")
    #expect(folder.names(in: "out").count == 2)
    for name in folder.names(in: "out") {
      let values = try await LiftScene.picture(folder.file("out/" + name))
      #expect(values[4 * (72 * 192 + 144) + 3] > 0.9 && values[4 * (72 * 192 + 60) + 3] < 0.1)
    }
    let sharp = try await seen(["render", "clip.mp4", "--focus", "0.9", "-o", "a.mp4"])
    #expect((13...17).contains(sharp.count), "\(sharp.count)")
    let settled = try await seen(["render", "clip.mp4", "--focus-at", "0.7,0.5", "-o", "b.mp4"])
    #expect(settled.count == 17, "\(settled.count)")
  }

  @Test(arguments: [
    (["--stereo", "map.png", "--disparity", "map.png"], "a map is given"),
    (["--estimate", "stereo"], "second eye"), (["--estimate", "auto"], "none can be estimated"),
    (["--helper", "cat", "--disparity-range", "0,2"], "describe a map"),
    (["--helper-timeout", "3"], "for a helper"),
  ]) func refusesWhatCannotBeEstimated(arguments: [String], reason: String) async throws {
    let folder = Folder()
    try LiftScene.write("in.png", "map.png", in: folder)
    let before = folder.names
    let outcome = try await Program.focal(
      ["lift", "in.png", "-o", "out.png"] + arguments, in: folder,
      after: "export HOME=/nowhere XDG_DATA_HOME=/nowhere FOCAL_MODELS= FOCAL_ONNXRUNTIME=/no")
    #expect(outcome.code != 0)
    #expect(outcome.errors.contains(reason), "\(outcome.errors)")
    #expect(folder.names == before)
  }

  /// A channel of depth that is taken for disparity is told.
  @Test func doubtsDepth() async throws {
    let folder = Folder()
    try LiftScene.write("in.png", "map.png", in: folder)
    let map = try PixelBuffer(
      dimensions: LiftScene.size, format: .disparityFloat, tags: .linearBT709,
      bytesPerRowAlignment: 4)
    map.withUnsafeMutableBytes { bytes in
      let values = bytes.bindMemory(to: Float.self)
      for index in values.indices { values[index] = index % 192 < 96 ? 0.9 : 0.2 }
    }
    try PictureWriter.write(map, to: folder.file("y.exr"))
    var bytes = folder.read("y.exr")
    let text = Array("chlist\0".utf8)
    let place = try #require(
      (0..<(bytes.count - text.count)).first { bytes[$0...].starts(with: text) })
    bytes[place + text.count + 4] = UInt8(ascii: "Z")
    folder.write(bytes, to: "z.exr")
    for (name, isDoubtful) in [("y.exr", false), ("z.exr", true)] {
      let listed = try await works(["lift", "in.png", "--disparity", name], in: folder)
      #expect(listed.errors.contains("is called depth") == isDoubtful, "\(listed.errors)")
      let tracked = try await works(
        [
          "script", "track", "in.png", "--disparity", name, "--point", "0.4,0.5", "--force",
          "-o", "script.json",
        ], in: folder)
      #expect(tracked.errors.contains("is called depth") == isDoubtful, "\(tracked.errors)")
    }
    try await refuses(
      [
        "script", "track", "in.png", "--disparity", "z.exr", "--disparity-channel", "depth.Z",
        "--point", "0.4,0.5", "-o", "x.json",
      ], in: folder, naming: ["depth.Z"])
  }

  /// Out of focus behind the subject, and a clip behind a clip, which begins again.
  @Test func blursBackgroundsAndTakesClips() async throws {
    let folder = Folder()
    for name in ["in", "maps", "back"] { folder.make(name) }
    for number in 0..<3 {
      try LiftScene.write(
        "in/000\(number).png", "maps/000\(number).png", shift: 6 * number, in: folder)
    }
    for (number, code) in [UInt8(40), 200].enumerated() {
      try PictureWriter.write(
        PixelBuffer(
          dimensions: LiftScene.size, format: .gray8,
          values: [UInt8](repeating: code, count: LiftScene.size.count)),
        to: folder.file("back/000\(number).png"))
    }
    let still = ["lift", "in/0000.png", "--disparity", "maps/0000.png"]
    try await works(still + ["--bokeh", "--halo", "1", "-o", "glow.png"], in: folder)
    try await works(still + ["--bokeh", "-o", "bokeh.png"], in: folder)
    let (glow, bokeh) = (
      try await LiftScene.picture(folder.file("glow.png")),
      try await LiftScene.picture(folder.file("bokeh.png"))
    )
    let beside = 4 * (70 * 192 + 132)
    #expect(glow[beside] > bokeh[beside] + 0.02)
    let clip = ["lift", "in/%04d.png", "--disparity", "maps/%04d.png"]
    let looped = try await works(
      clip + ["--background", "back/%04d.png", "-o", "out/%04d.png"], in: folder)
    #expect(
      looped.errors.contains("back/%04d.png is shorter than in/%04d.png, and begins again"),
      "\(looped.errors)")
    for (number, code) in [40, 200, 40].enumerated() {
      let light = try await LiftScene.picture(folder.file("out/000\(number).png"))[0]
      let shown: Float = 255 * (1.055 * pow(light, 1 / 2.4) - 0.055)
      #expect(abs(shown - Float(code)) < 4, "\(number): \(shown)")
    }
    try await refuses(
      still + ["--background", "back/%04d.png", "-o", "no.png"], in: folder, naming: ["is a clip"])
    try await refuses(
      still + ["--bokeh", "--background", "transparent", "-o", "no.png"], in: folder, code: 64,
      naming: ["--bokeh"])
    try await refuses(
      still + ["--bokeh-size", "2", "-o", "no.png"], in: folder, code: 64, naming: ["0 to 0.2"])
  }

  /// The subject of the script's decision, and all that it has detected.
  @Test func takesAScriptsSubjects() async throws {
    let folder = Folder()
    try await ScriptMaterial.sample(in: folder, frames: 2)
    let script = try ScriptMaterial.script("s/script.json", in: folder)
    let frame = try #require(script.frame(at: .zero))
    let subject = try #require(frame.focusDetection).normalizedRect.center
    let lift = ["lift", "s/clip.mp4", "--disparity", "s/disparity/%04d.png"]
    try await works(lift + ["--script", "s/script.json", "-o", "one/%04d.png"], in: folder)
    let (x, y) = subject.pixel(in: Dimensions(width: 192, height: 108))
    let one = try await LiftScene.picture(folder.file("one/0000.png"))
    #expect(one[4 * (y * 192 + x) + 3] > 0.9)
    try await works(
      lift + ["--script", "s/script.json", "--all", "-o", "all/%04d.png"], in: folder)
    let all = try await LiftScene.picture(folder.file("all/0000.png"))
    func area(_ picture: [Float]) -> Float {
      stride(from: 3, to: picture.count, by: 4).reduce(0) { $0 + picture[$1] }
    }
    #expect(area(all) > 1.2 * area(one))
    try await refuses(
      lift + ["--script", "s/script.json", "--at", "0.5,0.5", "-o", "no/%04d.png"], in: folder,
      code: 64, naming: ["--script"])
    try await refuses(
      lift + ["--script", "nowhere.json", "-o", "no/%04d.png"], in: folder,
      naming: ["nowhere.json"])
  }

  /// A table that swaps red and blue.
  @Test func appliesATable() async throws {
    let folder = Folder()
    try LiftScene.write("in.png", "map.png", in: folder)
    let table = "LUT_3D_SIZE 2\n0 0 0\n0 0 1\n0 1 0\n0 1 1\n1 0 0\n1 0 1\n1 1 0\n1 1 1\n"
    folder.write(Array(table.utf8), to: "swap.cube")
    let lift = ["lift", "in.png", "--disparity", "map.png"]
    try await works(lift + ["-o", "plain.png"], in: folder)
    try await works(lift + ["--lut", "swap.cube", "-o", "swapped.png"], in: folder)
    let plain = try await LiftScene.picture(folder.file("plain.png"))
    let swapped = try await LiftScene.picture(folder.file("swapped.png"))
    let middle = 4 * (70 * 192 + 90)
    for channel in 0..<3 {
      #expect(abs(swapped[middle + channel] - plain[middle + 2 - channel]) < 0.01)
    }
    try await refuses(
      lift + ["--lut", "nowhere.cube", "-o", "out.png"], in: folder, naming: ["nowhere.cube"])
  }

  /// A map of another shape that covers the same view.
  @Test func stretchesAMap() async throws {
    let folder = Folder()
    try LiftScene.write("in.png", "map.png", in: folder)
    let square = Dimensions(width: 96, height: 96)
    let near = (0..<square.count).map { place -> UInt8 in
      let (u, v) = (2 * (place % 96) + 1 - 90, (3 * (place / 96) + 1) / 2 - 70)
      return u * u + v * v < 1600 ? 200 : 60
    }
    try PictureWriter.write(
      PixelBuffer(dimensions: square, format: .gray8, values: near), to: folder.file("square.png"))
    let lift = ["lift", "in.png", "--disparity", "square.png", "-o", "out.png"]
    try await refuses(lift, in: folder, naming: ["square.png", "--disparity-fit stretch"])
    try await works(lift + ["--disparity-fit", "stretch"], in: folder)
    let stretched = try await LiftScene.picture(folder.file("out.png"))
    try await works(
      ["lift", "in.png", "--disparity", "map.png", "-o", "plain.png"], in: folder)
    let plain = try await LiftScene.picture(folder.file("plain.png"))
    let different = stride(from: 3, to: plain.count, by: 4).count {
      abs(plain[$0] - stretched[$0]) > 0.5
    }
    #expect(different < 60)
    try await works(
      lift + ["--disparity-fit", "stretch", "--bokeh", "--force"], in: folder)
  }

  /// A wall is no subject, with a map and without one; what is found beside it is said to be elsewhere.
  @Test func liftsNoBackground() async throws {
    let folder = Folder()
    try LiftScene.write("in.png", "map.png", in: folder)
    for map in [["--disparity", "map.png"], []] {
      let listed = try await Program.focal(
        ["lift", "in.png", "--at", "0.05,0.1", "--json"] + map, in: folder)
      #expect(listed.code == 0, "\(listed.errors)")
      let subjects = try #require(try listed.objects().last?["subjects"] as? [[String: Any]])
      #expect(subjects.isEmpty, "\(listed.output)")
      #expect(listed.errors.contains("no subject is at 0.05,0.1"), "\(listed.errors)")
      let both = try await Program.focal(
        ["lift", "in.png", "--at", "0.05,0.1", "--at", "0.47,0.48"] + map, in: folder)
      #expect(both.output.contains("subject 1") && !both.output.contains("subject 2"))
      #expect(both.errors.contains("no subject is at 0.05,0.1"), "\(both.errors)")
    }
    // A box that holds nothing of a subject that another box has.
    let boxes = try await Program.focal(
      ["lift", "in.png", "--disparity", "map.png", "--box", "0.3,0.2,0.4,0.7"]
        + ["--box", "0.9,0,0.05,0.05"], in: folder)
    #expect(boxes.code == 0 && boxes.output.contains("subject 1"), "\(boxes.output)")
    #expect(!boxes.errors.contains("no subject is in 0.3,0.2,0.4,0.7"), "\(boxes.errors)")
  }

  /// An error advises nothing that the command does not take.
  @Test func advisesWhatThereIs() async throws {
    let folder = Folder().with("frames")
    for number in 0..<3 {
      try LiftScene.write("frames/\(number).png", "map\(number).png", in: folder)
    }
    try PictureWriter.write(
      PixelBuffer(
        dimensions: LiftScene.size, format: .rgba8,
        values: [UInt8](repeating: 90, count: 4 * LiftScene.size.count)),
      to: folder.file("flat.png"))
    let before = folder.names
    let one = try await Program.focal(
      ["lift", "frames/%d.png", "--disparity", "map0.png", "-o", "%d.png"], in: folder)
    #expect(one.code == 1 && one.errors.contains("is one map"), "\(one.errors)")
    #expect(!one.errors.contains("--on-missing"), "\(one.errors)")
    let piped = try await Program.focal(
      ["lift", "frames/0.png", "--disparity", "map0.png", "-o", "-"], in: folder)
    #expect(piped.code == 1 && piped.errors.contains("written to files"), "\(piped.errors)")
    let nothing = try await Program.focal(
      ["lift", "flat.png", "--at", "0.5,0.5", "-o", "out.png"], in: folder)
    #expect(nothing.code == 1 && !nothing.errors.contains("--at"), "\(nothing.errors)")
    #expect(folder.names == before)
  }

  @Test func refusesWhatCannotBe() async throws {
    let folder = Folder()
    try LiftScene.write("in.png", "map.png", in: folder)
    let cases: [([String], String)] = [
      (["-o", "out.jpg"], "holds no alpha"), (["-o", "out.mp4"], "holds no alpha"),
      (["-o", "in.png"], "never written over"), (["--mask", "-o", "out.mov"], "is a movie"),
      (["--at", "2,0.5"], "0 to 1"), (["--tight"], "give -o"),
      (["--box", "1.9,0,5,1", "-o", "out.png"], "the box 1.9,0,5,1 lies outside the picture"),
      (["--box", "0,-2,1,1", "-o", "out.png"], "lies outside the picture"),
      (["--codec", "ffv1"], "--codec is for an output: give -o"),
      (["--chroma", "444", "--bit-depth", "10"], "--chroma, --bit-depth are for an output"),
      (["--rate-factor", "20"], "--rate-factor is"),
      (["--picture-quality", "90"], "--picture-quality is"),
      (["--force"], "--force is"), (["--no-sound"], "--no-sound is"),
      (["--background", "#12", "-o", "out.png"], "#rrggbb"),
      (["--background", "#+12345", "-o", "out.png"], "#rrggbb"),
      (["--background", "b000001", "-o", "out.png"], "b000001"),
      (["--background", "red", "-o", "out.png"], "a colour as #rrggbb"),
      (["--at", "0.05,0.1", "-o", "out.png"], "no subject was found"),
      // The name says it before any work.
      (["--at", "0.05,0.1", "-o", "out.jpg"], "holds no alpha"),
      (["--mask", "--look", "mono", "-o", "out.png"], "--mask"),
      (["--background", "nothing.png", "-o", "out.png"], "nothing.png"),
    ]
    for (arguments, words) in cases {
      let made = try await Program.focal(
        ["lift", "in.png", "--disparity", "map.png"] + arguments, in: folder)
      #expect(made.code != 0)
      #expect(made.errors.contains(words), "\(arguments): \(made.errors)")
    }
    // Options about a map, where there is none.
    for options in [["--disparity-fit", "stretch"], ["--disparity-range", "1,0"]] {
      try await refuses(
        ["lift", "in.png", "-o", "out.png"] + options, in: folder,
        naming: ["describe a map", "-fit"])
    }
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.file("."))
    #expect(left.sorted() == ["in.png", "map.png"])
  }
}
