// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalSample
import Foundation
import ModelKit
import Testing

@testable import FocalEyes

/// Models in files, on the ONNX Runtime of the machine. `make setup` puts one into .build/onnxruntime; where there is
/// none, tests that need it are skipped.
@Suite(.enabled(if: TestRuntime.library != nil, "no ONNX Runtime was found on this machine"))
struct ModelTests {
  private let library = TestRuntime.library!

  /// Luma of the picture and its neighbours: a convolution of three planes.
  private static func convolution(height: Int?, width: Int?) -> (bytes: [UInt8], weights: [Float]) {
    var random = SeededGenerator(seed: 3)
    let weights = (0..<27).map { _ in Float(random.next() % 1000) / 1000 - 0.5 }
    let bytes = OnnxModel.file(
      inputs: [("image", [1, 3, height, width])], outputs: [("map", [1, 1, height, width])],
      nodes: [
        .init(
          kind: "Conv", inputs: ["image", "weights"], outputs: ["map"],
          lists: ["pads": [1, 1, 1, 1]])
      ], constants: [("weights", [1, 3, 3, 3], weights)])
    return (bytes, weights)
  }

  /// The same sum, in floats of twice the bits.
  private static func convolved(_ tensor: Tensor, _ weights: [Float]) -> [Float] {
    let (height, width) = (tensor.sides[2], tensor.sides[3])
    return (0..<height * width).map { place in
      let (y, x) = (place / width, place % width)
      var sum = 0.0
      for channel in 0..<3 {
        for j in -1...1 where (0..<height).contains(y + j) {
          for i in -1...1 where (0..<width).contains(x + i) {
            let value = tensor.values[(channel * height + y + j) * width + x + i]
            sum += Double(weights[channel * 9 + (j + 1) * 3 + i + 1]) * Double(value)
          }
        }
      }
      return Float(sum)
    }
  }

  @Test func givesWhatTheGraphSays() throws {
    let folder = ModelFolder()
    let (bytes, weights) = Self.convolution(height: nil, width: nil)
    folder.write(bytes, to: "m.onnx")
    let session = try ModelSession(folder.file("m.onnx"), library: library, threads: 2)
    #expect(session.inputs.map(\.name) == ["image"])
    #expect(session.inputs[0].sides == [1, 3, nil, nil])
    #expect(session.inputs[0].isFloat)
    #expect(session.outputs.map(\.name) == ["map"])
    var random = SeededGenerator(seed: 7)
    for (height, width) in [(1, 1), (5, 9), (48, 64)] {
      let values = (0..<3 * height * width).map { _ in Float(random.next() % 4096) / 4096 }
      let tensor = Tensor(values: values, sides: [1, 3, height, width])
      let result = try session.run(tensor, outputs: [0])[0]
      #expect(result.sides == [1, 1, height, width])
      let expected = Self.convolved(tensor, weights)
      let largest = zip(result.values, expected).map { abs($0 - $1) }.max() ?? 1
      // Sums of 27 products below 1, in another order.
      #expect(largest <= 1e-6)
    }
  }

  @Test(arguments: [("rgb", 0), ("rgb", 2), ("bgr", 0), ("bgr", 2)])
  func putsPicturesInAsDescribed(channels: String, plane: Int) async throws {
    let folder = ModelFolder()
    folder.write(OnnxModel.plane(plane), to: "m.onnx")
    folder.write(
      """
      {"gives": "disparity", "size": 32, "multiple": 8, "channels": "\(channels)",
       "mean": [0.5, 0.25, 0.125], "deviation": [0.5, 2, 0.25]}
      """, to: "m.json")
    let provider = try ModelProvider(folder.file("m.onnx"), library: library)
    let size = Dimensions(width: 32, height: 16)
    let colors: [UInt8] = [200, 100, 50]
    let picture = try PixelBuffer(
      dimensions: size, format: .rgba8,
      values: (0..<size.count).flatMap { _ in colors + [255] })
    let map = try await provider.estimate(EstimationInput(picture: picture)).map
    #expect(map.dimensions == size)
    let component = channels == "rgb" ? plane : 2 - plane
    let code = Float(colors[component]) / 255
    let (mean, deviation): ([Float], [Float]) = ([0.5, 0.25, 0.125], [0.5, 2, 0.25])
    let expected = (code - mean[plane]) / deviation[plane]
    let largest = map.cells.map { abs($0 - expected) }.max() ?? 1
    // A code goes through linear light and back.
    #expect(largest < 1e-4)
  }

  /// Models of whole numbers get the codes of the picture, 0 to 255.
  @Test func givesBytesToModelsOfBytes() async throws {
    let folder = ModelFolder()
    let graph = OnnxModel.file(
      inputs: [("image", [1, 3, nil, nil])], outputs: [("map", [1, 1, nil, nil])],
      nodes: [
        .init(kind: "Cast", inputs: ["image"], outputs: ["floats"], integers: ["to": 1]),
        .init(kind: "Conv", inputs: ["floats", "weights"], outputs: ["map"]),
      ], constants: [("weights", [1, 3, 1, 1], [0, 1, 0])], takesBytes: true)
    folder.write(graph, to: "m.onnx")
    folder.write(#"{"gives": "disparity", "size": 32}"#, to: "m.json")
    let provider = try ModelProvider(folder.file("m.onnx"), library: library)
    let size = Dimensions(width: 32, height: 16)
    let picture = try PixelBuffer(
      dimensions: size, format: .rgba8,
      values: (0..<size.count).flatMap { _ in [200, 100, 50, 255] as [UInt8] })
    let map = try await provider.estimate(EstimationInput(picture: picture)).map
    let areCodes = map.cells.allSatisfy { $0 == 100 }
    #expect(areCodes)
  }

  @Test(arguments: [("depth", DisparityEstimate.Kind.relative), ("metric-depth", .metric)])
  func turnsDepthIntoDisparity(gives: String, kind: DisparityEstimate.Kind) async throws {
    let folder = ModelFolder()
    folder.write(OnnxModel.plane(0), to: "m.onnx")
    // White is 2, black is below zero, where nothing is known.
    folder.write(
      #"{"gives": "\#(gives)", "size": [16, 8], "mean": [0.5, 0, 0], "deviation": [0.25, 1, 1]}"#,
      to: "m.json")
    let provider = try ModelProvider(folder.file("m.onnx"), library: library)
    let size = Dimensions(width: 64, height: 32)
    let white = try await provider.estimate(EstimationInput(picture: Pairs.plain(size, 255)))
    #expect(white.kind == kind)
    #expect(white.map.dimensions == Dimensions(width: 16, height: 8))
    let areHalves = white.map.cells.allSatisfy { abs($0 - 0.5) < 1e-5 }
    #expect(areHalves)
    let black = try await provider.estimate(EstimationInput(picture: Pairs.plain(size, 0)))
    let areHoles = black.map.cells.allSatisfy(\.isNaN)
    #expect(areHoles)
  }

  /// A model of one size sees every picture stretched; the map has the picture's shape again, upright.
  @Test func keepsThePicturesShape() async throws {
    let folder = ModelFolder()
    let (bytes, _) = Self.convolution(height: 24, width: 24)
    folder.write(bytes, to: "m.onnx")
    folder.write(#"{"gives": "disparity"}"#, to: "m.json")
    let provider = try ModelProvider(folder.file("m.onnx"), library: library)
    let picture = try Pairs.plain(Dimensions(width: 96, height: 48), 90)
    let lying = try await provider.estimate(EstimationInput(picture: picture)).map
    #expect(lying.dimensions == Dimensions(width: 24, height: 12))
    let standing = try await provider.estimate(
      EstimationInput(picture: picture, turn: .clockwise90)
    ).map
    #expect(standing.dimensions == Dimensions(width: 12, height: 24))
  }

  @Test func namesWhatIsWrongWithAModel() async throws {
    let folder = ModelFolder()
    let good = OnnxModel.plane(0)
    let picture = try Pairs.plain(Dimensions(width: 32, height: 16), 90)
    let description = #"{"gives": "disparity", "size": 32}"#
    func problem(_ bytes: [UInt8]?, _ json: String?) async -> CinematicError? {
      let model = folder.file("m.onnx")
      try? FileManager.default.removeItem(atPath: model)
      try? FileManager.default.removeItem(atPath: folder.file("m.json"))
      if let bytes { folder.write(bytes, to: "m.onnx") }
      if let json { folder.write(json, to: "m.json") }
      do {
        let provider = try ModelProvider(model, library: library)
        _ = try await provider.estimate(EstimationInput(picture: picture))
        return nil
      } catch {
        return error
      }
    }
    #expect(await problem(good, description) == nil)
    let cases: [([UInt8]?, String?, String)] = [
      (nil, description, "there is no model"),
      (good, nil, "no description"),
      (good, "[]", "no JSON object"),
      (good, #"{"gives": "beauty"}"#, "gives must be"),
      (good, #"{"gives": "disparity", "sise": 32}"#, "the key sise"),
      (good, #"{"gives": "disparity", "size": 5}"#, "size takes"),
      (good, #"{"gives": "disparity", "size": 32, "mean": [1, 2]}"#, "mean has other"),
      (good, #"{"gives": "disparity", "size": 32, "deviation": [1, 0, 1]}"#, "deviation"),
      (good, #"{"gives": "disparity"}"#, "any size"),
      (good, #"{"gives": "disparity", "size": 32, "input": "x"}"#, "no input of floats called x"),
      (good, #"{"gives": "disparity", "size": 32, "output": "y"}"#, "no output of floats called y"),
      (good, #"{"gives": "faces", "size": 32}"#, "gives faces, and no disparity"),
      ([], description, "cannot open"),
      (Array("hello".utf8), description, "cannot open"),
      (Array(good.prefix(good.count / 2)), description, "cannot open"),
      (
        OnnxModel.file(
          inputs: [("image", [1, 3, nil, nil])], outputs: [("map", [1, 3, nil, nil])],
          nodes: [.init(kind: "Relu", inputs: ["image"], outputs: ["map"])]), description, "no map"
      ),
      (
        OnnxModel.file(
          inputs: [("image", [1, 7])], outputs: [("map", [1, 7])],
          nodes: [.init(kind: "Relu", inputs: ["image"], outputs: ["map"])]), description,
        "not one picture"
      ),
      (
        OnnxModel.file(
          inputs: [("image", [1, 3, nil, nil])], outputs: [("map", [1, 1, nil, nil])],
          nodes: [.init(kind: "NoSuchThing", inputs: ["image"], outputs: ["map"])]), description,
        "NoSuchThing"
      ),
      (
        OnnxModel.file(
          inputs: [("image", [1, 3, 100_000, 100_000])], outputs: [("map", [1, 3, nil, nil])],
          nodes: [.init(kind: "Relu", inputs: ["image"], outputs: ["map"])]), description,
        "no size to look"
      ),
    ]
    for (bytes, json, reason) in cases {
      let error = await problem(bytes, json)
      #expect(
        error?.description.contains(reason) == true, "\(reason): \(String(describing: error))")
      #expect(error?.remedy != nil)
    }
  }

  /// Damaged anywhere, a model is refused or gives a map; the program goes on.
  @Test func survivesDamagedModels() async throws {
    let folder = ModelFolder()
    let (good, _) = Self.convolution(height: nil, width: nil)
    folder.write(#"{"gives": "disparity", "size": 16}"#, to: "m.json")
    let picture = try Pairs.plain(Dimensions(width: 16, height: 16), 90)
    var random = SeededGenerator(seed: 11)
    for _ in 0..<200 {
      var bytes = good
      for _ in 0..<3 {
        bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
      }
      folder.write(bytes, to: "m.onnx")
      // Typed: nothing but this package's error can be thrown.
      let provider = try? ModelProvider(folder.file("m.onnx"), library: library)
      _ = try? await provider?.estimate(EstimationInput(picture: picture))
    }
  }
}

/// What a run is given is checked before the runtime reads it.
@Suite struct RunTests {
  private func problem(
    _ sides: [Int], input: Int = 0, outputs: [Int] = [0]
  ) -> CinematicError? {
    var tensor = Tensor(values: [1, 2, 3, 4, 5, 6], sides: [6])
    tensor.sides = sides
    do throws(CinematicError) {
      try ModelSession.check([(input, tensor)], outputs: outputs, of: "m.onnx", (2, 3))
      return nil
    } catch {
      return error
    }
  }

  @Test func takesWhatFits() {
    #expect(problem([6]) == nil)
    #expect(problem([1, 1, 1, 1, 1, 1, 2, 3]) == nil)
    #expect(problem([2, 3], input: 1, outputs: [2, 0]) == nil)
    #expect(problem([2, 3], outputs: []) == nil)
  }

  @Test(arguments: [-1, 3, Int.max, Int.min]) func refusesIndicesOutOfRange(index: Int) {
    for error in [problem([6], input: index), problem([6], outputs: [0, index])] {
      #expect(error?.code == .invalidParameter)
      #expect(error?.message.contains("m.onnx") == true)
    }
  }

  /// Of none, too many, none above zero, another product, and products that do not fit.
  @Test(
    arguments: [
      [], [1, 1, 1, 1, 1, 1, 1, 2, 3], [6, 0], [-2, -3], [5], [1_000_000], [Int.max, 2],
      [1 << 32, 1 << 32, 6],
    ] as [[Int]])
  func refusesSidesOfOtherValues(sides: [Int]) {
    #expect(problem(sides)?.code == .invalidParameter)
  }
}

/// The places of the search for a library, and the error where none is found.
@Suite struct ModelSearchTests {
  @Test func namesEveryPlaceThatWasSearched() {
    let environment = ["HOME": "/nowhere", "LD_LIBRARY_PATH": "/no/libraries"]
    let places = RuntimeLibrary.searchedPlaces(environment)
    #expect(places.contains("/no/libraries"))
    #expect(places.contains("/nowhere/.local/share/focal"))
    let only = ["FOCAL_ONNXRUNTIME": "/nowhere/libonnxruntime.so"]
    let error = #expect(throws: CinematicError.self) {
      _ = try RuntimeLibrary.find(environment: only)
    }
    #expect(error?.code == .incomplete)
    #expect(error?.message.contains("/nowhere/libonnxruntime.so") == true)
    #expect(error?.remedy?.contains(RuntimeLibrary.installation) == true)
  }

  /// Both folders of a Python are one name; all others stay as they are.
  @Test func namesBothFoldersOfAPythonOnce() {
    func capi(_ packages: String) -> String { "/py/lib/python3*/\(packages)/onnxruntime/capi" }
    let alone = ["/a", "/b/site-packages/capi", "/c/dist-packages/capi"]
    #expect(RuntimeLibrary.joinedPairs(alone) == alone)
    #expect(
      RuntimeLibrary.joinedPairs(["/a", capi("site-packages"), capi("dist-packages"), "/b"])
        == ["/a", capi("{site,dist}-packages"), "/b"])
    let places = RuntimeLibrary.searchedPlaces(["HOME": "/nowhere"])
    let named = RuntimeLibrary.joinedPairs(places)
    #expect(named.count + named.count { $0.contains("{site,dist}") } == places.count)
  }

  /// Where the command of the message, pyenv and conda put the library, without anything being activated.
  @Test(
    arguments: [
      ("HOME", ".local/share/focal/runtime/lib/python3.12/site-packages/onnxruntime/capi"),
      ("HOME", ".pyenv/versions/3.11.9/lib/python3.11/site-packages/onnxruntime/capi"),
      ("PYENV_ROOT", "versions/3.11.9/lib/python3.11/site-packages/onnxruntime/capi"),
      ("CONDA_PREFIX", "lib/python3.13/site-packages/onnxruntime/capi"),
      ("CONDA_PREFIX", "lib"),
      ("XDG_DATA_HOME", "focal/runtime/lib/python3.9/site-packages/onnxruntime/capi"),
    ]) func looksWhereItIsInstalled(variable: String, place: String) throws
  {
    let folder = ModelFolder()
    try FileManager.default.createDirectory(
      atPath: folder.file(place), withIntermediateDirectories: true)
    folder.write(Array("no library".utf8), to: place + "/libonnxruntime.so.1.99")
    var environment = ["HOME": "/nowhere"]
    environment[variable] = folder.path
    // It is found, and only then refused.
    let error = #expect(throws: CinematicError.self) {
      _ = try RuntimeLibrary.find(environment: environment)
    }
    #expect(error?.code == .unsupported)
    #expect(error?.message.contains(folder.file(place)) == true)
  }

  @Test func refusesALibraryOfAnother() throws {
    let folder = ModelFolder()
    folder.write(Array("no library".utf8), to: "libonnxruntime.so.1.99")
    // Found by pattern in the folder that is named, then refused.
    let error = #expect(throws: CinematicError.self) {
      _ = try RuntimeLibrary.find(environment: ["FOCAL_ONNXRUNTIME": folder.path])
    }
    #expect(error?.code == .unsupported)
    #expect(error?.message.contains("libonnxruntime.so.1.99") == true)
  }

  @Test func takesTheFirstDescribedModelThatFits() throws {
    let folder = ModelFolder()
    for name in ["a.onnx", "b.onnx", "c.onnx", "d.onnx"] { folder.write([1], to: name) }
    folder.write(#"{"gives": "faces"}"#, to: "b.json")
    folder.write(#"{"gives": "depth"}"#, to: "c.json")
    folder.write(#"{"gives": "disparity"}"#, to: "d.json")
    let search = ModelSearch(environment: [
      "FOCAL_MODELS": "/nowhere:\(folder.path)", "HOME": "/none",
    ])
    #expect(search.folders == ["/nowhere", folder.path, "/none/.local/share/focal/models"])
    #expect(search.model(giving: ModelDescription.depth) == folder.file("c.onnx"))
    #expect(search.model(giving: [.faces]) == folder.file("b.onnx"))
    let none = ModelSearch(environment: ["HOME": "/none"])
    #expect(none.model(giving: ModelDescription.depth) == nil)
  }

  /// A description of no use hides no other model; of a model that is named it is an error.
  @Test func passesOverWhatItCannotRead() throws {
    let folder = ModelFolder()
    for name in ["aaa.onnx", "bbb.onnx", "good.onnx"] { folder.write([1], to: name) }
    folder.write(#"{"gives": "tracksss"}"#, to: "aaa.json")
    folder.write("{", to: "bbb.json")
    folder.write(#"{"gives": "disparity"}"#, to: "good.json")
    let search = ModelSearch(environment: ["FOCAL_MODELS": folder.path, "HOME": "/none"])
    var skipped: [String] = []
    let found = search.model(giving: ModelDescription.depth) { skipped.append($0.message) }
    #expect(found == folder.file("good.onnx"))
    #expect(skipped.count == 2)
    #expect(skipped.first?.contains("aaa.json") == true)
    let named = #expect(throws: CinematicError.self) {
      _ = try ModelDescription(ofModel: folder.file("aaa.onnx"))
    }
    #expect(named?.message.contains("aaa.json") == true)
  }
}

/// A folder of one test that goes away with its last reference.
final class ModelFolder: Sendable {
  let path = NSTemporaryDirectory() + "/focal-eyes-\(UUID().uuidString)"

  init() {
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String) -> String { "\(path)/\(name)" }

  func write(_ bytes: [UInt8], to name: String) {
    _ = FileManager.default.createFile(atPath: file(name), contents: Data(bytes))
  }

  func write(_ text: String, to name: String) { write(Array(text.utf8), to: name) }
}
