// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalEyes
import FocalScript
import Foundation
import ModelKit
import Testing

/// Boxes and classes in every form that a description can say.
@Suite(.enabled(if: TestRuntime.library != nil, "no ONNX Runtime was found on this machine"))
struct ObjectDetectorTests {
  /// A box in pixels of an input of 256 x 256, and how certain three classes are.
  private struct Box {
    var x, y, width, height: Float
    var scores: [Float]
  }

  /// A person twice, one of them less certain; a dog; what is no subject; and something uncertain.
  private static let boxes = [
    Box(x: 72, y: 40, width: 32, height: 64, scores: [0.9, 0.1, 0]),
    Box(x: 80, y: 42, width: 32, height: 64, scores: [0.6, 0.1, 0]),
    Box(x: 200, y: 100, width: 40, height: 20, scores: [0.2, 0.8, 0]),
    Box(x: 136, y: 24, width: 16, height: 16, scores: [0, 0, 0.9]),
    Box(x: 24, y: 88, width: 16, height: 16, scores: [0.2, 0.3, 0]),
  ]

  /// A graph whose outputs are what is given, whatever goes in.
  private static func model(_ outputs: [([Int], [Float])]) -> [UInt8] {
    OnnxModel.file(
      inputs: [("input", [1, 3, 256, 256])],
      outputs: outputs.enumerated().map { ("out\($0.offset)", $0.element.0.map { $0 }) },
      nodes: outputs.indices.map {
        .init(kind: "Identity", inputs: ["values\($0)"], outputs: ["out\($0)"])
      },
      constants: outputs.enumerated().map { ("values\($0.offset)", $0.element.0, $0.element.1) })
  }

  private static func model(_ form: ModelDescription.Boxes) -> [UInt8] {
    let count = boxes.count
    switch form {
    case .yolox:
      // 1024, 256 and 64 cells of 8, 16 and 32 pixels; all boxes lie in cells of 16.
      var rows = [[Float]](repeating: [0, 0, 0, 0, 0, 0, 0, 0], count: 1344)
      for box in boxes {
        let (column, row) = ((box.x / 16).rounded(.down), (box.y / 16).rounded(.down))
        let place: [Float] = [
          box.x / 16 - column, box.y / 16 - row, log(box.width / 16), log(box.height / 16), 1,
        ]
        rows[1024 + 16 * Int(row) + Int(column)] = place + box.scores
      }
      return model([([1, 1344, 8], rows.flatMap { $0 })])
    case .yolov5:
      let rows: [[Float]] = boxes.map { [$0.x, $0.y, $0.width, $0.height, 1] + $0.scores }
      return model([([1, count, 8], rows.flatMap { $0 })])
    case .yolov8:
      let rows: [[Float]] = boxes.map { [$0.x, $0.y, $0.width, $0.height] + $0.scores }
      let columns: [Float] = (0..<7).flatMap { place in rows.map { $0[place] } }
      return model([([1, 7, count], columns)])
    case .corners:
      let corners: [Float] = boxes.flatMap { Self.corners(of: $0, isRowFirst: false) }
      let scores: [Float] = boxes.flatMap(\.scores)
      return model([([1, count, 4], corners), ([1, count, 3], scores)])
    case .ssd:
      let corners: [Float] = boxes.flatMap { Self.corners(of: $0, isRowFirst: true) }
      let best = boxes.map { box in box.scores.firstIndex(of: box.scores.max() ?? 0) ?? 0 }
      let classes: [Float] = best.map { Float($0) }
      let scores: [Float] = zip(boxes, best).map { $0.scores[$1] }
      return model([([1, count, 4], corners), ([1, count], classes), ([1, count], scores)])
    }
  }

  private static func corners(of box: Box, isRowFirst: Bool) -> [Float] {
    let left = (box.x - box.width / 2) / 256
    let top = (box.y - box.height / 2) / 256
    let right = (box.x + box.width / 2) / 256
    let bottom = (box.y + box.height / 2) / 256
    return isRowFirst ? [top, left, bottom, right] : [left, top, right, bottom]
  }

  @Test(arguments: ModelDescription.Boxes.allCases, [QuarterTurn.identity, .clockwise90])
  func findsWhatTheModelSays(form: ModelDescription.Boxes, turn: QuarterTurn) async throws {
    let folder = ModelFolder()
    folder.write(Self.model(form), to: "m.onnx")
    folder.write(
      """
      {"gives": "objects", "boxes": "\(form.rawValue)", "fit": "pad",
       "classes": ["person", "dog", "toaster"]}
      """, to: "m.json")
    let detector = try ObjectModelDetector(folder.file("m.onnx"), library: TestRuntime.library!)
    // As shown, 256 x 128 or a multiple: the lower half of the input is empty.
    let shown = Dimensions(width: 512, height: 256)
    let picture = try Pairs.plain(turn.inverse.applied(to: shown), 90)
    let found = try await detector.detect(picture, turn: turn)
    #expect(found.map(\.type) == [.humanTorso, .dogBody])
    #expect(found.map(\.confidence) == [0.9, 0.8])
    let expected = [
      NormalizedRect(x: 56 / 256, y: 8 / 128, width: 32 / 256, height: 64 / 128),
      NormalizedRect(x: 180 / 256, y: 90 / 128, width: 40 / 256, height: 20 / 128),
    ]
    for (object, rect) in zip(found, expected) {
      let a = turn.applied(to: NormalizedPoint(x: object.rect.x, y: object.rect.y))
      let b = turn.applied(to: NormalizedPoint(x: object.rect.maxX, y: object.rect.maxY))
      let distances = [
        min(a.x, b.x) - rect.x, min(a.y, b.y) - rect.y, max(a.x, b.x) - rect.maxX,
        max(a.y, b.y) - rect.maxY,
      ].map { abs($0) }
      let isThere = distances.allSatisfy { $0 < 1e-5 }
      #expect(isThere, "\(object.rect)")
    }
  }

  @Test func heedsClassesByNumberAndCertainty() async throws {
    let folder = ModelFolder()
    folder.write(Self.model(.yolov8), to: "m.onnx")
    folder.write(
      #"{"gives": "objects", "boxes": "yolov8", "classes": {"2": "sports ball"}, "confidence": 0.85}"#,
      to: "m.json")
    let detector = try ObjectModelDetector(folder.file("m.onnx"), library: TestRuntime.library!)
    let picture = try Pairs.plain(Dimensions(width: 64, height: 64), 90)
    let found = try await detector.detect(picture, turn: .identity)
    #expect(found.map(\.type) == [.sportsBall])
    // Stretched: shares of the input are those of the picture.
    #expect(found.map(\.rect) == [NormalizedRect(x: 0.5, y: 0.0625, width: 0.0625, height: 0.0625)])
    // An object that two detectors find is one object.
    let twice = SeveralDetectors([detector, detector])
    let once = try await twice.detect(picture, turn: .identity)
    #expect(once == found)
  }

  @Test func namesWhatIsWrong() async throws {
    let folder = ModelFolder()
    let picture = try Pairs.plain(Dimensions(width: 64, height: 64), 90)
    func problem(_ json: String) async -> CinematicError? {
      folder.write(Self.model(.yolov8), to: "m.onnx")
      folder.write(json, to: "m.json")
      do {
        let detector = try ObjectModelDetector(folder.file("m.onnx"), library: TestRuntime.library!)
        _ = try await detector.detect(picture, turn: .identity)
        return nil
      } catch {
        return error
      }
    }
    let cases = [
      (#"{"gives": "objects", "classes": ["person"]}"#, "objects need boxes"),
      (#"{"gives": "objects", "boxes": "round", "classes": ["person"]}"#, "boxes is yolox"),
      (#"{"gives": "objects", "boxes": "yolov8"}"#, "objects need classes"),
      (#"{"gives": "objects", "boxes": "yolov8", "classes": ["spoon"]}"#, "objects need classes"),
      (#"{"gives": "objects", "boxes": "yolov8", "classes": {"0": "spoon"}}"#, "the class spoon"),
      (#"{"gives": "objects", "boxes": "yolov8", "classes": {"x": "person"}}"#, "x is no number"),
      (
        #"{"gives": "objects", "boxes": "yolov8", "classes": {"7": "person"}}"#,
        "no boxes of the form"
      ),
      (
        #"{"gives": "objects", "boxes": "yolox", "classes": {"0": "person"}}"#,
        "no boxes of the form"
      ),
      (#"{"gives": "objects", "boxes": "ssd", "classes": {"0": "person"}}"#, "1 outputs of floats"),
      (
        #"{"gives": "objects", "boxes": "ssd", "output": ["a"], "classes": ["cat"]}"#,
        "in 3 outputs"
      ),
      (#"{"gives": "depth", "fit": "pad"}"#, "fit is for faces and objects"),
      (#"{"gives": "depth"}"#, "and no objects"),
    ]
    for (json, reason) in cases {
      let error = await problem(json)
      #expect(
        error?.description.contains(reason) == true, "\(reason): \(String(describing: error))")
    }
  }
}

/// People before a floor, by a model whose mask is the picture itself.
@Suite(.enabled(if: TestRuntime.library != nil, "no ONNX Runtime was found on this machine"))
struct PeopleProviderTests {
  /// White is a person: one plane of shares, or two of logarithms of odds.
  private static func model(planes: Int) -> [UInt8] {
    model(
      weights: planes == 1 ? [1, 0, 0] : [-20, 0, 0, 20, 0, 0],
      offsets: planes == 1 ? [0] : [10, -10])
  }

  /// - Parameters:
  ///   - weights: of red, green and blue, plane by plane.
  ///   - offsets: one a plane.
  private static func model(weights: [Float], offsets: [Float]) -> [UInt8] {
    let planes = offsets.count
    return OnnxModel.file(
      inputs: [("image", [1, 3, nil, nil])], outputs: [("mask", [1, planes, nil, nil])],
      nodes: [.init(kind: "Conv", inputs: ["image", "weights", "offsets"], outputs: ["mask"])],
      constants: [("weights", [planes, 3, 1, 1], weights), ("offsets", [planes], offsets)])
  }

  @Test(arguments: [1, 2]) func putsPeopleBeforeAFloor(planes: Int) async throws {
    let folder = ModelFolder()
    folder.write(Self.model(planes: planes), to: "m.onnx")
    folder.write(#"{"gives": "people", "size": 192}"#, to: "m.json")
    let provider = try PeopleProvider(folder.file("m.onnx"), library: TestRuntime.library!)
    let size = Dimensions(width: 192, height: 96)
    // One of half the height at the left, one of a quarter at the right.
    let picture = try PixelBuffer(
      dimensions: size, format: .rgba8,
      values: (0..<size.count).flatMap { place -> [UInt8] in
        let (x, y) = (place % 192, place / 192)
        let isPerson =
          (20..<50).contains(x) && (40..<88).contains(y)
          || (130..<150).contains(x) && (30..<54).contains(y)
        let code: UInt8 = isPerson ? 255 : 0
        return [code, code, code, 255]
      })
    let input = EstimationInput(picture: picture)
    let notes = try await provider.prepare(for: [input])
    #expect(notes.count == 1 && notes[0].contains("a stand-in"))
    let estimate = try await provider.estimate(input)
    #expect(estimate.kind == .relative)
    #expect(estimate.map.dimensions == size)
    let map = estimate.map.cells
    // 48 and 24 rows of 96, give or take one at the outline.
    #expect(abs(map[60 * 192 + 35] - 0.6) < 0.02)
    #expect(abs(map[42 * 192 + 140] - 0.475) < 0.02)
    #expect(map[10 * 192 + 90] == 0.08)
    let floor = map[95 * 192 + 90]
    #expect(abs(floor - 0.63) < 0.02)
    #expect(map[70 * 192 + 90] < floor)
  }

  /// Logarithms of odds are not clamped to shares, and shares of two planes that do not add up are not taken for odds.
  @Test(
    arguments: [
      // White gives the first number plus the second, black the second.
      ([8, -4], nil, "numbers of -4.0 to 4.0"),
      ([8, -4], true, nil),
      ([1.15, -0.05], nil, nil),
      ([-1, 1, 1, 0], nil, nil),
      ([0.4, 0.3, 0.2, 0.6], nil, "do not add up"),
      ([-8, 4, 8, -4], nil, nil),
      ([-8, 4, 8, -4], true, nil),
      ([.nan, .nan], nil, "no number that is finite"),
      ([.nan, .nan, .nan, .nan], nil, "no number that is finite"),
    ] as [([Float], Bool?, String?)])
  func tellsSharesFromOdds(numbers: [Float], logits: Bool?, problem: String?) async throws {
    let folder = ModelFolder()
    let planes = numbers.count / 2
    folder.write(
      Self.model(
        weights: (0..<planes).flatMap { [numbers[2 * $0], 0, 0] },
        offsets: (0..<planes).map { numbers[2 * $0 + 1] }), to: "m.onnx")
    let flag = logits.map { value in #", "logits": \#(value)"# } ?? ""
    folder.write(#"{"gives": "people", "size": 32\#(flag)}"#, to: "m.json")
    let provider = try PeopleProvider(folder.file("m.onnx"), library: TestRuntime.library!)
    let picture = try PixelBuffer(
      dimensions: Dimensions(width: 32, height: 32), format: .rgba8,
      values: (0..<32 * 32).flatMap { place -> [UInt8] in
        let code: UInt8 = place % 32 < 16 ? 0 : 255
        return [code, code, code, 255]
      })
    guard let problem else {
      let shares = try provider.shares(of: picture, turn: .identity).cells
      #expect(shares[16 * 32 + 4] < 0.1 && shares[16 * 32 + 28] > 0.9)
      return
    }
    let error = #expect(throws: CinematicError.self) {
      _ = try provider.shares(of: picture, turn: .identity)
    }
    #expect(error?.code == .incompatible)
    #expect(error?.message.contains(problem) == true, "\(error?.message ?? "")")
    #expect(error?.remedy?.contains("m.json") == true)
  }

  /// The example of a description is one of what was wanted.
  @Test func missingDescriptionsAreExplained() {
    let folder = ModelFolder()
    folder.write(Self.model(planes: 1), to: "m.onnx")
    let error = #expect(throws: CinematicError.self) {
      _ = try PeopleProvider(folder.file("m.onnx"), library: TestRuntime.library!)
    }
    #expect(error?.remedy?.contains(#"{"gives": "people""#) == true)
  }

  @Test func refusesAModelOfAnotherKind() {
    let folder = ModelFolder()
    folder.write(Self.model(planes: 1), to: "m.onnx")
    folder.write(#"{"gives": "disparity", "size": 32}"#, to: "m.json")
    let error = #expect(throws: CinematicError.self) {
      _ = try PeopleProvider(folder.file("m.onnx"), library: TestRuntime.library!)
    }
    #expect(error?.code == .unsupported)
  }
}

/// Files that are known by their checksum.
@Suite struct KnownModelTests {
  /// The examples of FIPS 180-4, and lengths around those of a block.
  @Test func checksumsAreThoseOfTheStandard() {
    let cases: [([UInt8], String)] = [
      ([], "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      (Array("abc".utf8), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        Array("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8),
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
      (
        [UInt8](repeating: 0x61, count: 1_000_000),
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
      ),
    ]
    for (bytes, digits) in cases { #expect(SHA256.digits(of: Data(bytes)) == digits) }
  }

  @Test func theTableIsWhole() {
    let models = KnownModel.all
    #expect(Set(models.map(\.checksum)).count == models.count)
    for model in models {
      let isDigits = model.checksum.allSatisfy { "0123456789abcdef".contains($0) }
      #expect(isDigits && model.checksum.count == 64)
      #expect(!model.licence.isEmpty && !model.source.isEmpty)
      #expect((model.description.output == .objects) == (model.description.boxes != nil))
    }
    // Two models of depth, and one each of faces, objects and people.
    for (outputs, count) in [
      (ModelDescription.depth, 2), ([.faces], 1), ([.objects], 1), ([.people], 1),
    ] {
      let there = models.filter { outputs.contains($0.description.output) }
      #expect(there.count == count)
      let advice = KnownModel.advice(for: outputs)
      let isNamed = there.allSatisfy {
        advice.contains($0.name) && advice.contains($0.licence) && advice.contains($0.checksum)
      }
      #expect(isNamed)
    }
  }

  @Test func aKnownFileNeedsNoDescription() throws {
    let folder = ModelFolder()
    let bytes = (0..<1000).map { UInt8($0 % 251) }
    folder.write(bytes, to: "renamed.onnx")
    var other = bytes
    other[500] ^= 1
    folder.write(other, to: "a.onnx")
    var description = ModelDescription(output: .faces)
    description.size = [320]
    let known = KnownModel(
      name: "A model", licence: "MIT", source: "example.org", byteCount: bytes.count,
      checksum: SHA256.digits(of: Data(bytes)), description: description)
    let path = folder.file("renamed.onnx")
    let found = try ModelDescription(ofModel: path, known: [known])
    #expect(found.output == .faces && found.size == [320] && found.name == "A model")
    #expect(KnownModel.identify(folder.file("a.onnx"), among: [known]) == nil)
    let search = ModelSearch(environment: ["FOCAL_MODELS": folder.path, "HOME": "/none"])
    #expect(search.model(giving: [.faces], known: [known]) == path)
    #expect(search.model(giving: [.people], known: [known]) == nil)
    // The caller's own words come first.
    folder.write(#"{"gives": "people"}"#, to: "renamed.json")
    #expect(try ModelDescription(ofModel: path, known: [known]).output == .people)
    let error = #expect(throws: CinematicError.self) {
      _ = try ModelDescription(ofModel: folder.file("a.onnx"), known: [known])
    }
    #expect(error?.code == .incomplete)
  }

  /// A description that a known model gives.
  struct Wrong: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var output = ModelDescription.Output.disparity
    var change: @Sendable (inout ModelDescription) -> Void
  }

  static let wrongs: [Wrong] = [
    Wrong(testDescription: "multiple") { $0.multiple = 0 },
    Wrong(testDescription: "multiple") { $0.multiple = 513 },
    Wrong(testDescription: "size") { $0.size = [] },
    Wrong(testDescription: "size") { $0.size = [7] },
    Wrong(testDescription: "size") { $0.size = [64, 64, 64] },
    Wrong(testDescription: "size", output: .tracks) { $0.size = [64] },
    Wrong(testDescription: "scale") { $0.scale = .infinity },
    Wrong(testDescription: "mean") { $0.mean = [] },
    Wrong(testDescription: "mean") { $0.mean = [0, .nan, 0] },
    Wrong(testDescription: "deviation") { $0.deviation = [1, 1] },
    Wrong(testDescription: "deviation") { $0.deviation = [1, 0, 1] },
    Wrong(testDescription: "confidence", output: .faces) { $0.leastConfidence = .nan },
    Wrong(testDescription: "class", output: .objects) { $0.classes = [-1: .humanTorso] },
  ]

  @Test(arguments: wrongs) func aKnownModelsNumbersAreChecked(_ wrong: Wrong) {
    let folder = ModelFolder()
    let bytes: [UInt8] = [1, 2, 3]
    folder.write(bytes, to: "a.onnx")
    var description = ModelDescription(output: wrong.output)
    wrong.change(&description)
    let known = KnownModel(
      name: "A model", licence: "MIT", source: "example.org", byteCount: bytes.count,
      checksum: SHA256.digits(of: Data(bytes)), description: description)
    let error = #expect(throws: CinematicError.self) {
      _ = try ModelDescription(ofModel: folder.file("a.onnx"), known: [known])
    }
    #expect(error?.code == .malformed)
    #expect(error?.message.contains("A model: ") == true)
    #expect(error?.message.contains(wrong.testDescription) == true)
  }

  @Test func theTablesNumbersAreInRange() throws {
    let folder = ModelFolder()
    let bytes: [UInt8] = [4, 5, 6]
    folder.write(bytes, to: "a.onnx")
    for model in KnownModel.all {
      let known = KnownModel(
        name: model.name, licence: "MIT", source: "example.org", byteCount: bytes.count,
        checksum: SHA256.digits(of: Data(bytes)), description: model.description)
      let found = try ModelDescription(ofModel: folder.file("a.onnx"), known: [known])
      #expect(found == model.description)
    }
  }
}
