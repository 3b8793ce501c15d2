// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import FocalSample
import Foundation
import MovieKit
import Testing

@testable import FocalImport
@testable import focal

/// `focal estimate`, and the maps that `render` and `import` make for themselves.
@Suite struct EstimateCommandTests {
  private static let size = Dimensions(width: 240, height: 136)

  /// `left.png` and `right.png` of the terrace.
  private static func pair(in folder: Folder) throws {
    for (name, eye) in [("left.png", 0.0), ("right.png", 0.15)] {
      try PictureWriter.write(picture(0, eye: eye), to: folder.file(name))
    }
  }

  /// However long a model takes for a picture.
  @Test func framesBetweenEstimates() {
    for (seconds, interval) in [
      (0, 1), (0.04, 1), (0.1, 3), (0.2, 5), (1e18, 5), (1e300, 5), (.infinity, 5), (-1, 1),
    ] as [(Double, Int)] {
      #expect(EstimationJob.interval(seconds: seconds) == interval)
    }
  }

  static func picture(_ number: Int, eye: Double) throws -> PixelBuffer {
    let frame = try SampleScene().frame(
      at: Time(value: Int64(number), timescale: 8), dimensions: size, samplesPerPixel: 1, eye: eye)
    let light = try PixelBuffer(
      dimensions: size, format: .rgbaFloat, tags: .linearBT709, bytesPerRowAlignment: 16)
    frame.image.withUnsafeBytes { from in
      light.withUnsafeMutableBytes { to in
        for y in 0..<size.height {
          UnsafeMutableRawBufferPointer(rebasing: to[(y * light.planes[0].bytesPerRow)...])
            .copyBytes(
              from: from[(y * frame.image.planes[0].bytesPerRow)...].prefix(16 * size.width))
        }
      }
    }
    let picture = try PixelBuffer(dimensions: size, format: .rgba8, tags: .sRGB)
    try picture.store(linearRGBA: light)
    return picture
  }

  /// `left/%04d.png` and `right/%04d.png`, numbered from 7.
  private static func clips(_ count: Int, in folder: Folder) throws {
    for (name, eye) in [("left", 0.0), ("right", 0.15)] {
      folder.make(name)
      for number in 0..<count {
        try PictureWriter.write(
          picture(number, eye: eye),
          to: folder.file(String(format: "\(name)/%04d.png", number + 7)))
      }
    }
  }

  private static func map(_ path: String) async throws -> PixelBuffer {
    let reader = try await FrameReader.open(path, options: ReadOptions(content: .disparity(.unit)))
    return try await reader.frame(number: 0).pixelBuffer
  }

  /// A table that makes everything black leaves nothing to compare.
  @Test func appliesATable() async throws {
    let folder = Folder()
    try Self.pair(in: folder)
    let table = "LUT_3D_SIZE 2\n" + String(repeating: "0 0 0\n", count: 8)
    folder.write(Array(table.utf8), to: "black.cube")
    let estimate = ["estimate", "left.png", "--stereo", "right.png"]
    try await works(estimate + ["-o", "plain.pfm"], in: folder)
    try await works(estimate + ["--lut", "black.cube", "-o", "black.pfm"], in: folder)
    let plain = try await Self.map(folder.file("plain.pfm")).cells
    let black = try await Self.map(folder.file("black.pfm")).cells
    #expect(plain != black)
    try await refuses(
      estimate + ["--lut", "nowhere.cube", "-o", "out.pfm"], in: folder, naming: ["nowhere.cube"])
  }

  @Test func writesAMapThatRenderTakes() async throws {
    let folder = Folder()
    try Self.pair(in: folder)
    let estimate = ["estimate", "left.png", "--stereo", "right.png"]
    for output in ["map.png", "map.exr", "map.pfm", "map.tif", "map.mov"] {
      let made = try await Program.focal(estimate + ["-o", output], in: folder)
      #expect(made.code == 0, "\(made.errors)")
    }
    let exact = try await Self.map(folder.file("map.pfm"))
    for output in ["map.png", "map.exr", "map.tif", "map.mov"] {
      let map = try await Self.map(folder.file(output))
      #expect(map.dimensions == exact.dimensions)
      let largest = zip(map.cells, exact.cells).map { abs($0 - $1) }.max() ?? 1
      // Codes of 16 bits.
      #expect(largest <= 1 / 65535, "\(output)")
    }
    let given = try await Program.focal(
      [
        "render", "left.png", "--disparity", "map.png", "--disparity-fit", "stretch", "-o", "a.png",
      ],
      in: folder)
    #expect(given.code == 0, "\(given.errors)")
    let own = try await Program.focal(
      ["render", "left.png", "--stereo", "right.png", "-o", "b.png"], in: folder)
    #expect(own.code == 0, "\(own.errors)")
    #expect(own.errors.contains("left.png has no map: disparity is estimated by stereo"))
    #expect(folder.names.filter { $0.contains(".maps") }.isEmpty)
    // Halves are coarser than codes of 16 bits: at edges a few codes of the picture.
    let pictures = [
      try await Self.pixels(folder.file("a.png")), try await Self.pixels(folder.file("b.png")),
    ]
    let differences = zip(pictures[0], pictures[1]).map { abs(Int($0) - Int($1)) }
    #expect(differences.max() ?? 255 <= 16)
    #expect(differences.reduce(0, +) * 10 <= differences.count)
  }

  /// Pictures that are shown for no time have no map, and are no frames: both are said. Matroska counts milliseconds.
  @Test func picturesOfNoTime() async throws {
    let folder = Folder()
    var options = ForeignClip.Options()
    (options.rate, options.frames) = (2000, 8)
    let bytes = try ForeignClip.bytes(format: "matroska", codec: "ffv1", options: options)
    for name in ["left.mkv", "right.mkv"] { folder.write(bytes, to: name) }
    folder.make("maps")
    let frames = try await FrameReader.open(folder.file("left.mkv")).properties.frameCount
    let words = "\(8 - frames) pictures that are shown for no time"
    try #require(frames < 7)
    let told = try await works(["info", "left.mkv"], in: folder)
    #expect(told.output.contains("\(words)"), "\(told.output)")
    let made = try await Program.focal(
      ["estimate", "left.mkv", "--stereo", "right.mkv", "--keep-values", "-o", "maps/%d.pfm"],
      in: folder)
    #expect(made.errors.contains("maps/%d.pfm has no map of \(words)"), "\(made.errors)")
  }

  private static func pixels(_ path: String) async throws -> [UInt8] {
    let frame = try await FrameReader.open(path).frame(number: 0).pixelBuffer
    return frame.withUnsafeBytes { bytes in
      (0..<frame.height).flatMap { y in
        bytes[(y * frame.planes[0].bytesPerRow)...].prefix(
          frame.width * frame.planes[0].bytesPerElement)
      }
    }
  }

  @Test func keepsTheWaysOwnValues() async throws {
    let folder = Folder()
    try Self.pair(in: folder)
    let made = try await Program.focal(
      [
        "estimate", "left.png", "--stereo", "right.png", "--keep-values", "--json", "-o", "own.pfm",
      ],
      in: folder)
    #expect(made.code == 0, "\(made.errors)")
    let done = try #require(try made.objects().last)
    #expect(done["kind"] as? String == "shift")
    #expect(done["low"] == nil)
    // Nothing is nearer than 1.3 at a focal length of 1.3737 widths, and the eyes are 0.15 apart.
    let values = try await Self.map(folder.file("own.pfm")).cells
    let largest = try #require(values.max())
    #expect((0.02...0.17).contains(largest))
  }

  /// Of a clip that gets lighter, with lighter things nearer: some frames alone are what they are in the whole clip.
  @Test(arguments: [["--focus", "0.3"], ["--focus-at", "0.2,0.5"]])
  func chosenFramesAreThoseOfTheWholeClip(focus: [String]) async throws {
    let folder = Folder().with("clip")
    let size = Dimensions(width: 64, height: 48)
    for number in 0..<18 {
      let picture = try PixelBuffer(
        dimensions: size, format: .rgba8,
        values: (0..<size.count).flatMap { place -> [UInt8] in
          let (x, y) = (place % size.width, place / size.width)
          let code = UInt8(20 + 9 * number + (7 * x + 3 * y) % 20)
          return [code, code, code, 255]
        })
      try PictureWriter.write(picture, to: folder.file("clip/\(number).png"))
    }
    folder.writeMapHelper("x / w + p[3 * (y * w + x)] / 255")
    let input = ["clip/%d.png", "--helper", "python3 helper.py", "--every", "3"]
    let part = ["--frames", "9-11"]
    let render = ["render"] + input + focus + ["--f-number", "2"]
    try await works(render + ["-o", "all/%d.png"], in: folder)
    try await works(render + part + ["-o", "some/%d.png"], in: folder)
    #expect(folder.names(in: "some") == ["10.png", "11.png", "9.png"])
    let estimate = ["estimate"] + input
    try await works(estimate + ["-o", "maps/%d.pfm"], in: folder)
    try await works(estimate + part + ["-o", "few/%d.pfm"], in: folder)
    for number in 9...11 {
      let isPicture = folder.read("some/\(number).png") == folder.read("all/\(number).png")
      #expect(isPicture, "picture \(number)")
      let isMap = folder.read("few/\(number).pfm") == folder.read("maps/\(number).pfm")
      #expect(isMap, "map \(number)")
    }
  }

  @Test func mapsBesideThoseOfChosenFrames() {
    let clip = 0..<30
    func parts(_ chosen: Range<Int>, _ beginsWithClip: Bool, _ reach: Int) -> [Range<Int>] {
      EstimationSurroundings(beginsWithClip: beginsWithClip, reach: reach)
        .parts(around: chosen, of: clip)
    }
    #expect(parts(10..<12, false, 0) == [10..<12])
    #expect(parts(10..<12, true, 0) == [0..<1, 10..<12])
    #expect(parts(20..<22, true, 5) == [0..<6, 15..<27])
    #expect(parts(8..<9, true, 5) == [0..<14])
    #expect(parts(27..<30, false, 5) == [22..<30])
    #expect(parts(0..<30, true, 5) == [0..<30])
  }

  @Test func numbersMapsAsTheirPictures() async throws {
    let folder = Folder()
    try Self.clips(3, in: folder)
    let command = [
      "estimate", "left/%04d.png", "--stereo", "right/%04d.png", "-o", "maps/%04d.exr",
    ]
    let made = try await Program.focal(command, in: folder)
    #expect(made.code == 0, "\(made.errors)")
    #expect(folder.names(in: "maps") == ["0007.exr", "0008.exr", "0009.exr"])
    let again = try await Program.focal(command, in: folder)
    #expect(again.code == 1)
    #expect(again.errors.contains("exists already"))
    // Maps of a part have a record, and whole ones have none.
    let part = ["--frames", "7-8", "-o", "part/%04d.exr"]
    try await works(Array(command.dropLast(2)) + part, in: folder)
    let resumed = try await works(
      Array(command.dropLast(2)) + ["-o", "part/%04d.exr", "--resume"], in: folder)
    #expect(resumed.output.contains("part/%04d.exr: 1 map made, 2 kept, of "), "\(resumed.output)")
    for name in folder.names(in: "maps") {
      let isSame = folder.read("part/\(name)") == folder.read("maps/\(name)")
      #expect(isSame, "\(name)")
    }
    #expect(folder.names(in: "part") == folder.names(in: "maps"))
    try FileManager.default.removeItem(atPath: folder.file("part/0008.exr"))
    try await refuses(
      Array(command.dropLast(2)) + ["-o", "part/%04d.exr", "--resume"], in: folder,
      naming: ["part/%04d.exr holds maps, and no record", "--force"])
    // Of one map, the file is told, not the pattern.
    let one = try await works(
      [
        "estimate", "left/%04d.png", "--stereo", "right/%04d.png", "--frames", "8-8", "--json",
        "-o", "100%done.exr",
      ], in: folder)
    let done = try #require(try one.objects().last)
    #expect(done["output"] as? String == "1008one.exr")
    #expect(folder.names.contains("1008one.exr"))
  }

  /// A movie in one command; after a kill the same command goes on and makes the same bytes.
  @Test func importsInOneCommandAndGoesOn() async throws {
    let folder = Folder()
    try Self.clips(40, in: folder)
    func command(_ output: String) -> [String] {
      [
        "import", "left/%04d.png", "--stereo", "right/%04d.png", "--f-number", "2", "-o", output,
      ]
    }
    let whole = try await Program.focal(command("whole.mov"), in: folder)
    #expect(whole.code == 0, "\(whole.errors)")
    #expect(folder.names.filter { $0.contains(".maps") }.isEmpty)
    let info = try await Program.focal(["info", "whole.mov"], in: folder)
    #expect(info.code == 0)

    // Ended while maps are made: some are there. A run may be at its end before that.
    let oneOfThem = folder.file("cut.mov.maps/000008.exr")
    var code: Int32 = 0
    for _ in 0..<10 where code == 0 {
      try? FileManager.default.removeItem(atPath: folder.file("cut.mov"))
      let ended = try await Program.run([Program.path] + command("cut.mov"), in: folder) {
        process, _ in
        await Program.end(process, by: SIGKILL) { access(oneOfThem, F_OK) == 0 }
      }
      code = ended.code
    }
    #expect(code == -SIGKILL)
    #expect(!folder.names.contains("cut.mov"))
    let left = folder.names(in: "cut.mov.maps").filter { $0.hasSuffix(".exr") }
    #expect(!left.isEmpty)
    let resumed = try await Program.focal(command("cut.mov"), in: folder)
    #expect(resumed.code == 0, "\(resumed.errors)")
    #expect(resumed.errors.contains("going on with the maps in cut.mov.maps"))
    #expect(folder.names.filter { $0.contains(".maps") }.isEmpty)
    for name in ["whole.mov", "cut.mov"] {
      let maps = try await Program.focal(
        ["extract", name, "--disparity", "-o", "\(name)-maps/%04d.pfm"], in: folder)
      #expect(maps.code == 0, "\(maps.errors)")
    }
    let (first, second) = (
      folder.names(in: "whole.mov-maps").map { folder.read("whole.mov-maps/\($0)") },
      folder.names(in: "cut.mov-maps").map { folder.read("cut.mov-maps/\($0)") }
    )
    let isSame = first == second
    #expect(isSame)
    #expect(first.count == 40)
  }

  /// While one command makes maps for numbered pictures, another one of the same name is refused, and one of another name
  /// in the same folder makes its own.
  @Test func oneCommandAtATimeHasAFolderOfMaps() async throws {
    let folder = Folder()
    try Material.clip("clip.mp4", in: folder, times: Material.steady(2))
    folder.writeMapHelper("x / w")
    let outcome = try await Program.shell(
      """
      focal() { "$0" render clip.mp4 --progress none "$@"; }
      "$0" render clip.mp4 --helper 'touch begun; exec sleep 1000' -o 'out/%04d.png' 2>first &
      first=$!
      # Helpers begin before the folder is held.
      for n in $(seq 6000); do
        [ -e begun ] && [ -s 'out/%04d.png.maps/estimate.json' ] && break
        sleep .02
      done
      focal --helper 'python3 helper.py' -o 'out/%04d.png' 2>second; echo $?
      ls out/%04d.png.maps
      focal --helper 'python3 helper.py' -o 'out/L%04d.png' 2>third >&2; echo $?
      kill -TERM $first; wait $first; echo $?
      """, in: folder)
    #expect(outcome.outputLines == ["1", "estimate.json", "0", "143"], "\(outcome.output)")
    let said = String(decoding: folder.read("second"), as: UTF8.self)
    #expect(said.contains("other work is making maps in out/%04d.png.maps"), "\(said)")
    #expect(said.contains("; wait for its end"), "\(said)")
    #expect(folder.names(in: "out") == ["L0000.png", "L0001.png"], "\(folder.names)")
  }

  @Test func leavesAFolderOfAnotherAlone() async throws {
    let folder = Folder().with("out.png.maps")
    try Self.pair(in: folder)
    folder.write([1], to: "out.png.maps/mine.txt")
    let outcome = try await Program.focal(
      ["render", "left.png", "--stereo", "right.png", "-o", "out.png"], in: folder)
    #expect(outcome.code == 1)
    #expect(outcome.errors.contains("out.png.maps is there"))
    #expect(folder.names(in: "out.png.maps") == ["mine.txt"])
  }

  @Test(arguments: [
    (["estimate", "left.png", "--stereo", "right.png", "-o", "map.jpg"], "would lose"),
    (["estimate", "left.png", "--stereo", "right.png", "--keep-values", "-o", "m.png"], "shares"),
    (["estimate", "left.png", "--stereo", "right.png", "--resume", "-o", "m.png"], "--resume"),
    (["estimate", "left.png", "--stereo", "gone.png", "-o", "m.png"], "gone.png"),
    (["estimate", "left.png", "--stereo", "./left.png", "-o", "m.png"], "one file"),
    (["estimate", "left.png", "--stereo", "small.png", "-o", "m.png"], "two shapes"),
    (["estimate", "left.png", "--stereo", "other.png", "-o", "m.png"], "not of one scene"),
    (["estimate", "left.png", "--estimate", "stereo", "-o", "m.png"], "second eye"),
    (["estimate", "-", "--stereo", "right.png", "-o", "m.png"], "pipe"),
    (["estimate", "left.png", "--stereo", "right.png", "-o", "left.png"], "never written over"),
    (
      ["render", "left.png", "--stereo", "right.png", "--disparity", "m.png", "-o", "o.png"],
      "a map is given"
    ),
    (
      ["render", "left.png", "--stereo", "right.png", "--disparity-range", "0,2", "-o", "o.png"],
      "describe a map"
    ),
    (["render", "-", "--stereo", "right.png", "-o", "o.png"], "several times"),
    (["import", "left.png", "--stereo", "right.png", "-o", "o.mov"], "one picture"),
  ]) func refusesWhatCannotBe(arguments: [String], reason: String) async throws {
    let folder = Folder()
    try Self.pair(in: folder)
    try PictureWriter.write(
      Material.picture(Dimensions(width: 64, height: 64)), to: folder.file("small.png"))
    var random = SeededGenerator(seed: 9)
    try PictureWriter.write(
      PixelBuffer(
        dimensions: Self.size, format: .rgba8,
        values: (0..<4 * Self.size.count).map { _ in UInt8(truncatingIfNeeded: random.next()) }),
      to: folder.file("other.png"))
    let before = folder.names
    let outcome = try await Program.focal(arguments, in: folder)
    #expect(outcome.code == 1)
    let error = outcome.errorLines.filter { $0.contains("error:") }
    #expect(error.count == 1)
    #expect(error.first?.contains(reason) == true, "\(outcome.errors)")
    #expect(folder.names == before)
  }

  /// Without models or a runtime, whatever this machine has.
  private static let nothing =
    "export HOME=/nowhere XDG_DATA_HOME=/nowhere FOCAL_MODELS=/no/models FOCAL_ONNXRUNTIME=/no/runtime"

  @Test func namesAllThatIsMissing() async throws {
    let folder = Folder()
    try Self.pair(in: folder)
    let before = folder.names
    let commands = [
      (["estimate", "left.png", "-o", "map.png"], "the disparity of left.png cannot be estimated"),
      (["render", "left.png", "-o", "out.png"], "left.png holds no disparity map"),
    ]
    for (arguments, reason) in commands {
      let outcome = try await Program.focal(arguments, in: folder, after: Self.nothing)
      #expect(outcome.code == 1)
      let words = [
        reason, "/no/models", "/nowhere/focal/models", "/no/runtime",
        "/focal/runtime/bin/pip install onnxruntime", "MIT", "Apache-2.0", "--disparity",
        "--stereo", "--helper",
      ]
      for word in words { #expect(outcome.errors.contains(word), "\(word): \(outcome.errors)") }
    }
    let faces = try await Program.focal(
      ["script", "detect", "left.png", "--disparity", "right.png", "-o", "s.json"], in: folder,
      after: Self.nothing)
    #expect(faces.code == 1)
    #expect(faces.errors.contains("/no/models"))
    #expect(faces.errors.contains("YuNet"))
    #expect(folder.names == before)
  }

  /// Arguments are checked before detectors are looked for, and of what is missing the maps' model is named, once.
  @Test func nothingToImportWith() async throws {
    let folder = Folder()
    try Self.clips(2, in: folder)
    let command = try await Program.focal(
      ["import", "left/%04d.png", "--estimate", "command", "-o", "m.mov"], in: folder,
      after: Self.nothing)
    #expect(command.code == 64, "\(command.errors)")
    #expect(command.errors.contains("--estimate command needs --helper"), "\(command.errors)")
    #expect(!command.errors.contains("nobody is looked for"), "\(command.errors)")
    let people = try await Program.focal(
      ["import", "left/%04d.png", "--estimate", "people", "-o", "m.mov"], in: folder,
      after: Self.nothing)
    let line = "disparity by people cannot be estimated: no model of people"
    #expect(people.code == 1 && people.errors.contains(line), "\(people.errors)")
    #expect(people.errors.ranges(of: "/no/models").count == 1, "\(people.errors)")
  }

  /// Of what holds a map nothing says that it holds none.
  @Test func nothingToEstimateWithBesideAMap() async throws {
    let folder = Folder()
    try Self.clips(2, in: folder)
    try await works(
      ["import", "left/%04d.png", "--stereo", "right/%04d.png", "--f-number", "2", "-o", "m.mov"],
      in: folder)
    for (way, words) in [("people", "disparity by people"), ("auto", "the disparity of m.mov")] {
      let outcome = try await Program.focal(
        ["render", "m.mov", "--estimate", way, "-o", "out.mp4"], in: folder, after: Self.nothing)
      #expect(outcome.code == 1)
      #expect(outcome.errors.contains("\(words) cannot be estimated: "), "\(outcome.errors)")
      let remedy = "or leave out --estimate: m.mov holds a map"
      #expect(outcome.errors.contains(remedy), "\(outcome.errors)")
    }
  }

  /// A movie of one eye's pictures, by a program of the caller's; nobody is found, and that is said.
  @Test func importsWithAHelper() async throws {
    let folder = Folder()
    try Self.clips(6, in: folder)
    folder.writeMapHelper("x / w")
    let outcome = try await Program.focal(
      [
        "import", "left/%04d.png", "--helper", "python3 helper.py", "--every", "3", "-o", "m.mov",
      ], in: folder, after: Self.nothing)
    #expect(outcome.code == 0, "\(outcome.errors)")
    #expect(outcome.errors.contains("disparity is estimated by command"))
    let nobody = """
      nobody is looked for, and the largest and nearest part is in focus; focal script detect says \
      what is missing
      """
    #expect(outcome.errorLines.contains("focal: \(nobody)"), "\(outcome.errors)")
    #expect(folder.names.filter { $0.contains(".maps") }.isEmpty)
    let maps = try await Program.focal(
      ["extract", "m.mov", "--disparity", "-o", "maps/%04d.pfm"], in: folder)
    #expect(maps.code == 0, "\(maps.errors)")
    // A ramp from left to right, in every picture.
    for number in 0..<6 {
      let map = try await Self.map(folder.file(String(format: "maps/%04d.pfm", number)))
      let cells = map.cells
      let (left, right) = (cells[map.width * map.height / 2], cells[map.width * map.height / 2 - 1])
      let isRamp = left < 0.15 && right > 0.85
      #expect(isRamp, "\(left) \(right)")
    }
  }
}
