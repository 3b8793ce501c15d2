// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import FocalSample
import Foundation
import ModelKit
import Testing

/// Models that commands are given.
@Suite(.enabled(if: TestRuntime.library != nil, "no ONNX Runtime was found on this machine"))
struct ModelCommandTests {
  /// What names the runtime of the tests to the program.
  private static var preparation: String {
    "export FOCAL_ONNXRUNTIME='\(TestRuntime.library?.path ?? "")'"
  }

  /// Runs `focal`, which must do its work by a model that it names.
  @discardableResult
  private static func succeeds(
    _ arguments: [String], by model: String, in folder: Folder
  ) async throws -> Program.Outcome {
    let outcome = try await Program.focal(arguments, in: folder, after: preparation)
    try #require(outcome.code == 0, "\(arguments): \(outcome.errors)")
    #expect(outcome.errors.contains("model: \(model), on ONNX Runtime"), "\(outcome.errors)")
    return outcome
  }

  private static func write(
    _ model: [UInt8], _ description: String, _ name: String, in folder: Folder
  ) {
    folder.write(model, to: "\(name).onnx")
    folder.write(Array(description.utf8), to: "\(name).json")
  }

  /// Pictures of codes that are given by their place and number.
  private static func write(
    _ count: Int, _ size: Dimensions, to pattern: String, in folder: Folder,
    _ codes: (_ x: Int, _ y: Int, _ number: Int) -> [UInt8]
  ) throws {
    for number in 0..<count {
      let values = (0..<size.count).flatMap { place -> [UInt8] in
        codes(place % size.width, place / size.width, number) + [255]
      }
      try PictureWriter.write(
        PixelBuffer(dimensions: size, format: .rgba8, values: values),
        to: folder.file("\(pattern)\(number).png"))
    }
  }

  private static func light(_ path: String) async throws -> PixelBuffer {
    try await FrameReader.open(path).frame(number: 0).pixelBuffer.linearRGBA()
  }

  /// The map is what the graph makes of the picture: its codes of one colour.
  @Test(arguments: [(0, 200, 40), (1, 100, 180), (2, 50, 220)])
  func estimates(plane: Int, left: Int, right: Int) async throws {
    let folder = Folder()
    try Self.write(1, Dimensions(width: 64, height: 32), to: "in", in: folder) { x, _, _ in
      x < 32 ? [200, 100, 50] : [40, 180, 220]
    }
    Self.write(
      OnnxModel.plane(plane), #"{"gives": "disparity", "size": 32}"#, "given", in: folder)
    try await Self.succeeds(
      ["estimate", "in0.png", "--model", "given.onnx", "--keep-values", "-o", "map.pfm"],
      by: "given.onnx", in: folder)
    let reader = try await FrameReader.open(
      folder.file("map.pfm"), options: ReadOptions(content: .disparity(.unit)))
    let map = try await reader.frame(number: 0).pixelBuffer
    for (x, code) in [(0.2, left), (0.8, right)] {
      let found = try #require(map.disparity(at: NormalizedPoint(x: x, y: 0.5)))
      // Single precision, and back from linear light.
      #expect(abs(found - Float(code) / 255) < 1e-4, "\(x): \(found)")
    }
  }

  /// Maps that a command left are those of its model: of another one, also of the same name, they are made anew.
  @Test func maps() async throws {
    let folder = Folder().with("in")
    var random = SeededGenerator(seed: 2)
    try Self.write(2, Dimensions(width: 320, height: 180), to: "in/", in: folder) { _, _, _ in
      (0..<3).map { _ in UInt8(random.next() % 256) }
    }
    let description = #"{"gives": "disparity", "size": 32}"#
    Self.write(OnnxModel.plane(0), description, "first", in: folder)
    Self.write(OnnxModel.plane(0), description, "given", in: folder)
    Self.write(OnnxModel.plane(1), description, "second", in: folder)
    func render(_ model: String, _ output: String) -> [String] {
      ["render", "in/%d.png", "--every", "1", "--model", model, "-o", "\(output)/%d.exr"]
    }
    // Pictures of 690 kB are too large where files may have 100 kB, and maps of 1 kB are not.
    let limits = Self.preparation + "; ulimit -f 100"
    let ended = try await Program.focal(render("given.onnx", "out"), in: folder, after: limits)
    #expect(ended.code == 1, "\(ended.errors)")
    #expect(ended.errors.contains("the estimated maps stay in out/%d.exr.maps"), "\(ended.errors)")
    let again = try await Program.focal(render("given.onnx", "out"), in: folder, after: limits)
    #expect(again.errors.contains("going on with the maps in out/%d.exr.maps"), "\(again.errors)")
    let other = try await Program.focal(render("first.onnx", "out"), in: folder, after: limits)
    #expect(other.errors.contains("they are made anew"), "\(other.errors)")
    let back = try await Program.focal(render("given.onnx", "out"), in: folder, after: limits)
    #expect(back.errors.contains("they are made anew"), "\(back.errors)")
    // Another model under the name of the first one, whose description is the same file.
    folder.write(OnnxModel.plane(1), to: "given.onnx")
    let changed = try await Self.succeeds(
      render("given.onnx", "out"), by: "given.onnx", in: folder)
    #expect(changed.errors.contains("they are made anew"), "\(changed.errors)")
    try await Self.succeeds(render("second.onnx", "expected"), by: "second.onnx", in: folder)
    for name in ["0.exr", "1.exr"] {
      let areSame = folder.read("out/\(name)") == folder.read("expected/\(name)")
      #expect(areSame && !folder.read("out/\(name)").isEmpty, "\(name)")
    }
  }

  /// A model of tracks that sees its object where it was, whatever there is: correlation would follow it.
  @Test func tracks() async throws {
    let folder = Folder().with("in").with("maps")
    let size = Dimensions(width: 240, height: 160)
    try Self.write(3, size, to: "in/", in: folder) { x, y, number in
      let (u, v) = (x - 60 - 8 * number, y - 50 - 2 * number)
      let isObject = (0..<32).contains(u) && (0..<32).contains(v)
      let code: UInt8 = isObject ? ((u / 4 * 5 + v / 4 * 3) % 7 < 3 ? 230 : 25) : 128
      return [code, code, code]
    }
    try Self.write(3, size, to: "maps/", in: folder) { _, _, _ in [128, 128, 128] }
    // Answers of 33 x 33 cells, certain in the middle one alone; the object has half of the template's side.
    let (cells, middle) = (33 * 33, 16 * 33 + 16)
    let score = (0..<cells).map { $0 == middle ? Float(0.9) : 0 }
    let answers: [(String, [Int], [Float])] = [
      ("a", [1, 1, 33, 33], score),
      ("b", [1, 2, 33, 33], [Float](repeating: 0.25, count: 2 * cells)),
      ("c", [1, 2, 33, 33], [Float](repeating: 0.5, count: 2 * cells)),
    ]
    let model = OnnxModel.file(
      inputs: [("template", [1, 3, 32, 32]), ("search", [1, 3, 64, 64])],
      outputs: [
        ("score", [1, 1, 33, 33]), ("size", [1, 2, 33, 33]), ("offset", [1, 2, 33, 33]),
      ],
      nodes: zip(["a", "b", "c"], ["score", "size", "offset"]).map { input, output in
        OnnxModel.Node(kind: "Identity", inputs: [input], outputs: [output])
      }, constants: answers)
    Self.write(model, #"{"gives": "tracks", "boxes": "centers"}"#, "still", in: folder)
    let track = [
      "script", "track", "in/%d.png", "--disparity", "maps/%d.png", "--rect",
      "0.25,0.3125,0.13333,0.2", "--force", "-o", "script.json", "--boxes",
    ]
    try await Self.succeeds(
      track + ["still.csv", "--tracker", "still.onnx"], by: "still.onnx", in: folder)
    let table = String(decoding: folder.read("still.csv"), as: UTF8.self)
    let lines = table.split(separator: "\n").map(String.init)
    #expect(
      lines.dropFirst() == [
        "0,0.000000,0.25000,0.31250,0.13333,0.20000,1.000",
        "1,0.033333,0.25000,0.31250,0.13333,0.20000,0.900",
        "2,0.066667,0.25000,0.31250,0.13333,0.20000,0.900",
      ], "\(table)")
    try await works(track + ["moved.csv"], in: folder)
    let moved = String(decoding: folder.read("moved.csv"), as: UTF8.self)
    let last = try #require(moved.split(separator: "\n").last)
    let x = try #require(last.split(separator: ",").dropFirst(2).first.flatMap { Double($0) })
    // Sixteen of 240 columns further right.
    #expect(abs(x - (0.25 + 16.0 / 240)) < 0.005, "\(moved)")
  }

  /// A model of people whose people are red.
  private static func writeRedPeople(in folder: Folder) {
    write(
      OnnxModel.plane(0),
      """
      {"gives": "people", "size": [96, 72], "mean": [0.5, 0, 0], "deviation": [0.01, 1, 1],
       "logits": true}
      """, "people", in: folder)
  }

  /// The subject is what the model says, and not what the picture's colours do: a red square, left of a bright one.
  @Test func masks() async throws {
    let folder = Folder()
    let size = Dimensions(width: 96, height: 72)
    try Self.write(1, size, to: "in", in: folder) { x, y, _ in
      let isRow = (20..<52).contains(y)
      if isRow, (12..<40).contains(x) { return [140, 60, 60] }
      if isRow, (56..<84).contains(x) { return [110, 250, 250] }
      return [20, 90, 70]
    }
    Self.writeRedPeople(in: folder)
    try await Self.succeeds(
      ["lift", "in0.png", "--all", "--mask-model", "people.onnx", "-o", "out.png"],
      by: "people.onnx", in: folder)
    let light = try await Self.light(folder.file("out.png"))
    for (x, alpha) in [(26, 1), (70, 0), (4, 0)] as [(Int, Float)] {
      #expect(LiftOptionTests.pixel(x, 36, of: light).w == alpha, "\(x)")
    }
  }

  /// The model sees as many frames as are asked for: until it sees a frame, that is as with fewer.
  @Test func masksOfChosenFrames() async throws {
    let folder = Folder().with("in")
    var random = SeededGenerator(seed: 4)
    let size = Dimensions(width: 96, height: 72)
    // What moves cannot be followed by its looks: every picture has other noise.
    try Self.write(3, size, to: "in/", in: folder) { x, y, number in
      let isSubject = (12..<39).contains(x - 14 * number) && (20..<51).contains(y)
      let noise = UInt8(60 + random.next() % 120)
      return [isSubject ? 140 : 115, noise, noise]
    }
    Self.writeRedPeople(in: folder)
    for every in ["1", "2", "50"] {
      try await Self.succeeds(
        [
          "lift", "in/%d.png", "--mask-model", "people.onnx", "--mask-every", every, "-o",
          "out\(every)/%d.png",
        ], by: "people.onnx", in: folder)
    }
    func isSame(_ every: String, _ number: Int) -> Bool {
      folder.read("out\(every)/\(number).png") == folder.read("out50/\(number).png")
    }
    #expect(folder.names(in: "out50") == ["0.png", "1.png", "2.png"])
    let all = [isSame("1", 0), isSame("1", 1)]
    #expect(all == [true, false])
    let everySecond = [isSame("2", 0), isSame("2", 1), isSame("2", 2)]
    #expect(everySecond == [true, true, false])
  }
}
