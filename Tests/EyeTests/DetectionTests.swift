// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalEyes
import FocalScript
import ModelKit
import Testing

/// Tracks of what is found in single pictures.
@Suite struct TrackLinkerTests {
  private static func map(_ value: Float) throws -> PixelBuffer {
    try PixelBuffer(
      dimensions: Dimensions(width: 16, height: 9), format: .disparityFloat,
      values: [Float](repeating: value, count: 144))
  }

  private static func face(_ x: Double, _ y: Double = 0.4, size: Double = 0.1) -> FoundObject {
    FoundObject(
      type: .humanFace,
      rect: NormalizedRect(x: x - size / 2, y: y - size / 2, width: size, height: size),
      confidence: 0.9)
  }

  private static func tracks(
    _ frames: [[FoundObject]], cuts: Set<Int> = []
  ) throws -> [RecordedDetectionTrack] {
    var linker = TrackLinker()
    for (number, found) in frames.enumerated() {
      linker.add(
        found, at: Time(value: Int64(number), timescale: 30), disparity: try map(0.5),
        isCut: cuts.contains(number))
    }
    return try linker.tracks()
  }

  /// Two people who come near each other keep their ids, whichever is found first.
  @Test func keepsTheIdsOfTwoPeople() throws {
    let frames = (0..<60).map { number -> [FoundObject] in
      let part = Double(number) / 59
      let pair = [Self.face(0.2 + 0.22 * part), Self.face(0.8 - 0.22 * part, 0.42)]
      return number % 2 == 0 ? pair : pair.reversed()
    }
    let tracks = try Self.tracks(frames)
    #expect(tracks.map(\.detectionID) == [DetectionID(1), DetectionID(2)])
    #expect(tracks.map(\.allDetections.count) == [60, 60])
    let left = tracks[0].allDetections.allSatisfy { $0.normalizedRect.midX < 0.5 }
    #expect(left)
    let groups = Set(tracks.compactMap(\.detectionGroupID))
    #expect(groups.count == 2)
    let disparities = Set(tracks.flatMap(\.allDetections).map(\.focusDisparity))
    #expect(disparities == [0.5])
  }

  /// What has no box becomes no track, and takes none away.
  @Test func leavesOutWhatHasNoBox() throws {
    let odd = [
      NormalizedRect(x: .nan, y: 0, width: 1, height: 1),
      NormalizedRect(x: 0, y: 0, width: .infinity, height: 1),
      NormalizedRect(x: -1e300, y: 0, width: 2e300, height: 1e300),
      NormalizedRect(x: 0.2, y: 0.2, width: 0.1, height: -0.1),
    ].map { FoundObject(type: .humanFace, rect: $0, confidence: 1) }
    let frames = (0..<6).map { _ in odd + [Self.face(0.3)] }
    let tracks = try Self.tracks(frames)
    #expect(tracks.map(\.allDetections.count) == [6])
  }

  @Test func bridgesGapsAndEndsAfterThem() throws {
    var frames = (0..<60).map { number -> [FoundObject] in
      (10..<20).contains(number) || (30..<50).contains(number)
        ? [] : [Self.face(0.3 + 0.003 * Double(number))]
    }
    // Seen once: chance.
    frames[5].append(Self.face(0.9, 0.9))
    let tracks = try Self.tracks(frames)
    #expect(tracks.map(\.allDetections.count) == [20, 10])
    #expect(tracks.map(\.detectionID) == [DetectionID(1), DetectionID(2)])
  }

  @Test func endsTracksAtCuts() throws {
    let frames = (0..<20).map { _ in [Self.face(0.5)] }
    #expect(try Self.tracks(frames).count == 1)
    #expect(try Self.tracks(frames, cuts: [8]).map(\.allDetections.count) == [8, 12])
  }

  @Test func doesNotTakeAnotherSizeForTheSame() throws {
    let frames = (0..<20).map { number in [Self.face(0.5, size: number < 10 ? 0.05 : 0.3)] }
    #expect(try Self.tracks(frames).map(\.allDetections.count) == [10, 10])
  }
}

/// Faces by a model with the outputs of YuNet.
@Suite(.enabled(if: TestRuntime.library != nil, "no ONNX Runtime was found on this machine"))
struct FaceDetectorTests {
  /// A model whose faces are wherever the picture is white: the certainty of a cell is the mean of its pixels, and
  /// boxes are four cells wide around the cell's middle.
  private static func model() -> [UInt8] {
    var nodes: [OnnxModel.Node] = []
    var constants: [(String, [Int], [Float])] = [
      // The mean of three planes of 0 to 255.
      ("third", [1, 3, 1, 1], [1 / 765, 1 / 765, 1 / 765]),
      ("boxes", [4, 1, 1, 1], [0, 0, 0, 0]),
      // Half a cell from the corner; logarithm of 4.
      ("offsets", [4], [0.5, 0.5, 1.386_294_4, 1.386_294_4]),
    ]
    nodes.append(.init(kind: "Conv", inputs: ["input", "third"], outputs: ["gray"]))
    var outputs: [(String, [Int?])] = []
    for stride in [8, 16, 32] {
      nodes.append(
        .init(
          kind: "AveragePool", inputs: ["gray"], outputs: ["pool\(stride)"],
          lists: ["kernel_shape": [stride, stride], "strides": [stride, stride]]))
      nodes.append(
        .init(
          kind: "Conv", inputs: ["pool\(stride)", "boxes", "offsets"], outputs: ["box\(stride)"]))
      // Cells one behind the other, each with its numbers.
      nodes.append(
        .init(
          kind: "Transpose", inputs: ["pool\(stride)"], outputs: ["cells\(stride)"],
          lists: ["perm": [0, 2, 3, 1]]))
      nodes.append(
        .init(
          kind: "Transpose", inputs: ["box\(stride)"], outputs: ["bbox_\(stride)"],
          lists: ["perm": [0, 2, 3, 1]]))
      // Only cells of 16 pixels are faces.
      constants.append(("factor\(stride)", [1], [stride == 16 ? 1 : 0]))
      nodes.append(
        .init(
          kind: "Mul", inputs: ["cells\(stride)", "factor\(stride)"], outputs: ["cls_\(stride)"]))
      nodes.append(
        .init(
          kind: "Mul", inputs: ["cells\(stride)", "factor\(stride)"], outputs: ["obj_\(stride)"]))
      for part in ["cls", "obj", "bbox"] {
        outputs.append(("\(part)_\(stride)", [nil, nil, nil, nil]))
      }
    }
    return OnnxModel.file(
      inputs: [("input", [1, 3, nil, nil])], outputs: outputs, nodes: nodes, constants: constants)
  }

  @Test(arguments: QuarterTurn.allCases) func findsFacesWhereTheyAre(turn: QuarterTurn) async throws
  {
    let folder = ModelFolder()
    folder.write(Self.model(), to: "faces.onnx")
    folder.write(
      #"{"gives": "faces", "size": 256, "multiple": 32, "channels": "bgr", "scale": 255}"#,
      to: "faces.json")
    let detector = try FaceDetector(folder.file("faces.onnx"), library: TestRuntime.library!)
    // White cells of 16 pixels of the picture as stored, which is 256 x 128.
    let size = Dimensions(width: 256, height: 128)
    let cells = [(3, 2), (12, 5)]
    let picture = try PixelBuffer(
      dimensions: size, format: .rgba8,
      values: (0..<size.count).flatMap { place in
        let cell = (place % 256 / 16, place / 256 / 16)
        let code: UInt8 = cells.contains { $0 == cell } ? 255 : 0
        return [code, code, code, 255]
      })
    let faces = try await detector.detect(picture, turn: turn)
    let found = faces.sorted { $0.rect.x < $1.rect.x }
    #expect(found.count == 2)
    for (face, cell) in zip(found, cells) {
      #expect(face.type == .humanFace)
      #expect(abs(face.confidence - 1) < 1e-3)
      // Four cells around the middle, in the picture as stored however it is shown.
      let expected = NormalizedRect(
        x: (Double(cell.0) - 1.5) / 16, y: (Double(cell.1) - 1.5) / 8, width: 4.0 / 16,
        height: 4.0 / 8)
      let distances = [
        face.rect.x - expected.x, face.rect.y - expected.y, face.rect.width - expected.width,
        face.rect.height - expected.height,
      ].map { abs($0) }
      let isThere = distances.allSatisfy { $0 < 1e-5 }
      #expect(isThere, "\(face.rect)")
    }
  }

  @Test func refusesAModelOfAnotherKind() throws {
    let folder = ModelFolder()
    folder.write(Self.model(), to: "faces.onnx")
    folder.write(#"{"gives": "depth"}"#, to: "faces.json")
    let error = #expect(throws: CinematicError.self) {
      _ = try FaceDetector(folder.file("faces.onnx"), library: TestRuntime.library!)
    }
    #expect(error?.code == .unsupported)
    folder.write(#"{"gives": "faces"}"#, to: "other.json")
    folder.write(
      OnnxModel.file(
        inputs: [("input", [1, 3, nil, nil])], outputs: [("cls_8", [1, 3, nil, nil])],
        nodes: [.init(kind: "Relu", inputs: ["input"], outputs: ["cls_8"])]), to: "other.onnx")
    let other = #expect(throws: CinematicError.self) {
      _ = try FaceDetector(folder.file("other.onnx"), library: TestRuntime.library!)
    }
    #expect(other?.message.contains("obj_8") == true)
  }
}
