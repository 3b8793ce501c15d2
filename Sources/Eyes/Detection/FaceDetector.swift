// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalScript
import Foundation

/// Faces, by a model with the outputs of YuNet.
///
/// For each stride s of 8, 16 and 32 pixels the model gives, cell by cell, `cls_s` and `obj_s` (whose product's root is
/// how certain a face is), and `bbox_s`: where the middle lies beside the cell's corner, and the logarithms of width and
/// height, all in cells.
public final class FaceDetector: ObjectDetector {
  public let name = "faces"
  /// The model's file.
  public var path: String { session.path }
  public let description: ModelDescription
  private let session: ModelSession
  private let input: Int
  private let isInterleaved: Bool
  /// Indices of the outputs, by stride.
  private let heads: [Head]

  private struct Head {
    var stride: Int
    var outputs: [Int]
  }

  /// Less certain faces are none.
  private static let leastConfidence: Float = 0.6
  /// Faces that share more of their area are one.
  private static let mostOverlap = 0.3
  private static let strides = [8, 16, 32]

  /// - Throws: `unsupported` for a model of another kind, as ``ModelDescription/init(besideModel:)`` and
  ///   ``ModelSession/init(_:library:threads:)``.
  public init(
    _ path: String, library: RuntimeLibrary,
    threads: Int = ProcessInfo.processInfo.activeProcessorCount
  ) throws(CinematicError) {
    guard FileManager.default.fileExists(atPath: path) else {
      throw CinematicError(
        .unreadable, "there is no model \(path)", remedy: "check the file's name")
    }
    var description = try ModelDescription(besideModel: path)
    guard description.output == .faces else {
      throw CinematicError(
        .unsupported, "\(path) gives \(description.output.rawValue), and no faces",
        remedy: "give a model of faces")
    }
    // Cells of the coarsest stride are whole.
    description.multiple = max(description.multiple, 32)
    if description.size == nil { description.size = [640] }
    self.description = description
    session = try ModelSession(path, library: library, threads: threads)
    input = try session.index(of: description.inputName, among: session.inputs, "input")
    isInterleaved = try session.takesInterleavedPictures(input)
    var heads: [Head] = []
    for stride in Self.strides {
      var outputs: [Int] = []
      for part in ["cls", "obj", "bbox"] {
        outputs.append(
          try session.index(of: "\(part)_\(stride)", among: session.outputs, "output"))
      }
      heads.append(Head(stride: stride, outputs: outputs))
    }
    self.heads = heads
  }

  public func detect(
    _ picture: PixelBuffer, turn: QuarterTurn
  ) async throws(CinematicError) -> [FoundObject] {
    let shown = turn.applied(to: picture.dimensions)
    let size = try session.inputSize(description, input: input, isInterleaved, for: shown)
    let eye = try EyePicture(picture, turn: turn, dimensions: size)
    let results = try session.run(
      eye.tensor(description, isInterleaved: isInterleaved), input: input,
      outputs: heads.flatMap(\.outputs))
    var faces: [FoundObject] = []
    for (index, head) in heads.enumerated() {
      faces += try self.faces(head.stride, Array(results[3 * index..<3 * index + 3]), size)
    }
    faces.sort { $0.confidence > $1.confidence }
    var kept: [FoundObject] = []
    for face in faces where kept.allSatisfy({ $0.rect.overlap(face.rect) <= Self.mostOverlap }) {
      kept.append(face)
    }
    for index in kept.indices { kept[index].rect = kept[index].rect.turned(by: turn.inverse) }
    return kept
  }

  /// The faces of one stride, in shares of the picture as shown.
  private func faces(
    _ stride: Int, _ results: [Tensor], _ size: Dimensions
  ) throws(CinematicError) -> [FoundObject] {
    let (columns, rows) = (size.width / stride, size.height / stride)
    let (classes, objects, boxes) = (results[0].values, results[1].values, results[2].values)
    guard classes.count == columns * rows, objects.count == columns * rows,
      boxes.count == 4 * columns * rows
    else {
      throw CinematicError(
        .incompatible,
        "\(path) gives \(results.map(\.sides.text).joined(separator: ", ")) numbers for cells of \(stride) pixels in"
          + " a picture of \(size)",
        remedy: "use a model with the outputs of YuNet")
    }
    var faces: [FoundObject] = []
    for cell in 0..<columns * rows {
      let product = max(0, min(1, classes[cell])) * max(0, min(1, objects[cell]))
      let confidence = product.squareRoot()
      guard confidence >= Self.leastConfidence else { continue }
      let box = boxes[4 * cell..<4 * cell + 4].map { Double($0) }
      let width = exp(box[2]) * Double(stride) / Double(size.width)
      let height = exp(box[3]) * Double(stride) / Double(size.height)
      let x = (Double(cell % columns) + box[0]) * Double(stride) / Double(size.width)
      let y = (Double(cell / columns) + box[1]) * Double(stride) / Double(size.height)
      let rect = NormalizedRect(x: x - width / 2, y: y - height / 2, width: width, height: height)
      guard rect.isFinite, rect.area > 0, rect.area < 4 else { continue }
      faces.append(FoundObject(type: .humanFace, rect: rect, confidence: confidence))
    }
    return faces
  }
}

extension NormalizedRect {
  /// Where it lies once the picture has been turned.
  func turned(by turn: QuarterTurn) -> NormalizedRect {
    let a = turn.applied(to: NormalizedPoint(x: x, y: y))
    let b = turn.applied(to: NormalizedPoint(x: maxX, y: maxY))
    return NormalizedRect(
      x: min(a.x, b.x), y: min(a.y, b.y), width: abs(a.x - b.x), height: abs(a.y - b.y))
  }
}
