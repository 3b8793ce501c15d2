// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalEyes
import FocalSample
import FocalScript
import Foundation
import ModelKit
import Testing

/// Trackers in both forms: their graphs correlate the template with the search, so that they answer where the object is.
@Suite(.enabled(if: TestRuntime.library != nil, "no ONNX Runtime was found on this machine"))
struct NeuralTrackerTests {
  private let library = TestRuntime.library!
  private static let picture = Dimensions(width: 240, height: 160)
  private static let object = 32
  /// Pixels of template and search, and cells of the answer.
  private static let (template, search, cells) = (32, 64, 33)

  /// The correlation, about 6 where the object is and -6 elsewhere.
  private static let correlation: [OnnxModel.Node] = [
    .init(kind: "Conv", inputs: ["search", "template"], outputs: ["sum"]),
    .init(kind: "Mul", inputs: ["sum", "gain"], outputs: ["gained"]),
    .init(kind: "Sub", inputs: ["gained", "bias"], outputs: ["odds"]),
  ]
  private static let constants: [(String, [Int], [Float])] = [
    ("gain", [1, 1, 1, 1], [0.12]), ("bias", [1, 1, 1, 1], [6]),
  ]

  /// Numbers by plane, row and column.
  private static func planes(_ count: Int, _ value: (Int, Int, Int) -> Float) -> [Float] {
    (0..<count).flatMap { plane in
      (0..<cells).flatMap { row in (0..<cells).map { value(plane, row, $0) } }
    }
  }

  private static func centers(_ folder: ModelFolder) {
    let (side, extent) = (Float(cells), Float(search))
    // Cells lie in the search from half a template to its side less that.
    let offsets = planes(2) { plane, row, column in
      let place = Float(plane == 0 ? column : row)
      return (place + Float(template / 2)) * side / extent - place
    }
    let inputs: [(String, [Int?])] = [
      ("template", [1, 3, template, template]), ("search", [1, 3, search, search]),
    ]
    let shape: [Int?] = [1, 2, cells, cells]
    folder.write(
      OnnxModel.file(
        inputs: inputs,
        outputs: [("score", [1, 1, cells, cells]), ("size", shape), ("offset", shape)],
        nodes: correlation + [
          .init(kind: "Sigmoid", inputs: ["odds"], outputs: ["score"]),
          .init(kind: "Identity", inputs: ["sizes"], outputs: ["size"]),
          .init(kind: "Identity", inputs: ["offsets"], outputs: ["offset"]),
        ],
        constants: constants + [
          ("sizes", [1, 2, cells, cells], planes(2) { _, _, _ in 0.25 }),
          ("offsets", [1, 2, cells, cells], offsets),
        ]), to: "m.onnx")
    folder.write(
      #"{"gives": "tracks", "boxes": "centers", "mean": [0.5, 0.5, 0.5]}"#, to: "m.json")
  }

  private static func sides(_ folder: ModelFolder) {
    let identity: [Float] = [1, 0, 0, 0, 1, 0, 0, 0, 1]
    folder.write(
      OnnxModel.file(
        inputs: [("input", [1, 3, nil, nil])], outputs: [("output", [1, 3, nil, nil])],
        nodes: [.init(kind: "Conv", inputs: ["input", "weights"], outputs: ["output"])],
        constants: [("weights", [3, 3, 1, 1], identity)]), to: "backbone.onnx")
    let distances = planes(4) { plane, row, column in
      let place = Float(plane % 2 == 0 ? column : row)
      return plane < 2 ? place - 8 : 24 - place
    }
    let inputs: [(String, [Int?])] = [
      ("template", [1, 3, nil, nil]), ("search", [1, 3, nil, nil]),
    ]
    folder.write(
      OnnxModel.file(
        inputs: inputs,
        outputs: [("classes", [1, 2, cells, cells]), ("boxes", [1, 4, cells, cells])],
        nodes: correlation + [
          .init(kind: "Neg", inputs: ["odds"], outputs: ["others"]),
          .init(
            kind: "Concat", inputs: ["others", "odds"], outputs: ["classes"], integers: ["axis": 1]),
          .init(kind: "Identity", inputs: ["distances"], outputs: ["boxes"]),
        ], constants: constants + [("distances", [1, 4, cells, cells], distances)]), to: "m.onnx")
    folder.write(
      """
      {"gives": "tracks", "boxes": "sides", "mean": [0.5, 0.5, 0.5], "size": [\(template), \(search)],
       "backbone": "backbone.onnx"}
      """, to: "m.json")
  }

  /// A gray picture with an object of light and dark tiles; without one if it has no place.
  private static func frame(_ x: Int?, _ y: Int) throws -> PixelBuffer {
    var random = SeededGenerator(seed: 11)
    let tiles = (0..<64).map { _ in UInt8(random.next() % 2 == 0 ? 230 : 25) }
    var values = [UInt8](repeating: 128, count: 4 * picture.count)
    if let x {
      for row in max(0, y)..<min(picture.height, y + object) {
        for column in max(0, x)..<min(picture.width, x + object) {
          let tile = tiles[(row - y) / 4 * 8 + (column - x) / 4]
          for channel in 0..<3 { values[4 * (row * picture.width + column) + channel] = tile }
        }
      }
    }
    return try PixelBuffer(dimensions: picture, format: .rgba8, values: values)
  }

  private static func rect(_ x: Int, _ y: Int) -> NormalizedRect {
    let (width, height) = (Double(picture.width), Double(picture.height))
    return NormalizedRect(
      x: Double(x) / width, y: Double(y) / height, width: Double(object) / width,
      height: Double(object) / height)
  }

  @Test(arguments: ModelDescription.Tracking.allCases, QuarterTurn.allCases)
  func followsAnObject(form: ModelDescription.Tracking, turn: QuarterTurn) throws {
    let folder = ModelFolder()
    form == .centers ? Self.centers(folder) : Self.sides(folder)
    let tracker = try NeuralTracker(folder.file("m.onnx"), library: library, turn: turn, threads: 1)
    #expect(
      tracker.start(
        within: Self.rect(30, 50), sourceImage: try Self.frame(30, 50), sourceDisparity: nil))
    for step in 1...24 {
      // It goes to the border and halfway out.
      let (x, y) = (30 + 8 * step, 50 + 2 * step)
      let found = tracker.next(sourceImage: try Self.frame(x, y), sourceDisparity: nil)
      guard x + Self.object / 2 <= Self.picture.width - 16 else { continue }
      let overlap = found?.normalizedBounds.overlap(Self.rect(x, y)) ?? 0
      // A pixel of the search is two of the picture.
      #expect(overlap > 0.8, "step \(step)")
      #expect(found?.confidence ?? 0 > 0.5)
    }
    #expect(tracker.failure == nil)
  }

  @Test(arguments: ModelDescription.Tracking.allCases)
  func losesAndFindsAgain(form: ModelDescription.Tracking) throws {
    let folder = ModelFolder()
    form == .centers ? Self.centers(folder) : Self.sides(folder)
    let tracker = try NeuralTracker(folder.file("m.onnx"), library: library, threads: 1)
    _ = tracker.start(
      within: Self.rect(20, 30), sourceImage: try Self.frame(20, 30), sourceDisparity: nil)
    for _ in 0..<5 {
      #expect(tracker.next(sourceImage: try Self.frame(nil, 0), sourceDisparity: nil) == nil)
    }
    // It comes back elsewhere; the parts of the picture are soon searched.
    var frames = 0
    var found: BoundsPrediction?
    while found == nil, frames < 30 {
      found = tracker.next(sourceImage: try Self.frame(170, 100), sourceDisparity: nil)
      frames += 1
    }
    #expect(found?.normalizedBounds.overlap(Self.rect(170, 100)) ?? 0 > 0.7)
    // At once where a detector points to it.
    _ = tracker.start(
      within: Self.rect(20, 30), sourceImage: try Self.frame(20, 30), sourceDisparity: nil)
    _ = tracker.next(sourceImage: try Self.frame(nil, 0), sourceDisparity: nil)
    let pointed = tracker.next(
      sourceImage: try Self.frame(180, 90), sourceDisparity: nil, detected: [Self.rect(176, 92)])
    #expect(pointed?.normalizedBounds.overlap(Self.rect(180, 90)) ?? 0 > 0.7)
  }

  /// A detector's speck is no place to look at: the picture would be made a hundred thousand pixels wide.
  @Test(arguments: ModelDescription.Tracking.allCases)
  func passesOverSpecks(form: ModelDescription.Tracking) throws {
    let folder = ModelFolder()
    form == .centers ? Self.centers(folder) : Self.sides(folder)
    let tracker = try NeuralTracker(folder.file("m.onnx"), library: library, threads: 1)
    _ = tracker.start(
      within: Self.rect(20, 30), sourceImage: try Self.frame(20, 30), sourceDisparity: nil)
    _ = tracker.next(sourceImage: try Self.frame(nil, 0), sourceDisparity: nil)
    let speck = NormalizedRect(x: 0.5, y: 0.5, width: 1e-6, height: 1e-6)
    let found = tracker.next(
      sourceImage: try Self.frame(180, 90), sourceDisparity: nil,
      detected: [speck, Self.rect(176, 92)])
    #expect(tracker.failure == nil)
    #expect(found?.normalizedBounds.overlap(Self.rect(180, 90)) ?? 0 > 0.7)
  }

  @Test(arguments: [
    (#"{"gives": "tracks"}"#, "tracks need boxes, one of centers, sides"),
    (#"{"gives": "tracks", "boxes": "yolox"}"#, "boxes is centers or sides"),
    (#"{"gives": "tracks", "boxes": "centers", "output": "score"}"#, "are in 3 outputs"),
    (#"{"gives": "tracks", "boxes": "centers", "size": 64}"#, "other than 2 numbers"),
    (#"{"gives": "tracks", "boxes": "sides"}"#, "no answer of the form sides"),
    (
      #"{"gives": "tracks", "boxes": "centers", "template": "other"}"#,
      "no input of floats called other"
    ),
    (#"{"gives": "tracks", "boxes": "centers", "backbone": "gone.onnx"}"#, "gone.onnx"),
    (#"{"gives": "tracks", "boxes": "centers", "classes": ["person"]}"#, "classes is for objects"),
    (#"{"gives": "disparity", "backbone": "backbone.onnx"}"#, "backbone is for tracks"),
    (#"{"gives": "disparity"}"#, "gives disparity, and no tracks"),
  ])
  func namesWhatIsWrong(description: String, part: String) {
    let folder = ModelFolder()
    Self.centers(folder)
    folder.write(description, to: "m.json")
    let error = #expect(throws: CinematicError.self) {
      _ = try NeuralTracker(folder.file("m.onnx"), library: library)
    }
    #expect(error?.description.contains(part) == true, "\(error?.description ?? "")")
  }
}
