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
  public var path: String { input.session.path }
  public var description: ModelDescription { input.description }
  private let input: ModelInput
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

  /// - Parameter threads: that a picture is worked on by. Such models are small: several threads mostly wait for
  ///   each other.
  /// - Throws: `unsupported` for a model of another kind, as ``ModelDescription/init(ofModel:known:)`` and
  ///   ``ModelSession/init(_:library:threads:)``.
  public init(
    _ path: String, library: RuntimeLibrary, threads: Int = 1
  ) throws(CinematicError) {
    var description = try ModelInput.description(of: path, giving: [.faces], "faces")
    // Cells of the coarsest stride are whole.
    description.multiple = max(description.multiple, 32)
    if description.size == nil { description.size = [640] }
    input = try ModelInput(path, description, library: library, threads: threads)
    var heads: [Head] = []
    for stride in Self.strides {
      var outputs: [Int] = []
      for part in ["cls", "obj", "bbox"] {
        outputs.append(
          try input.session.index(
            of: "\(part)_\(stride)", among: input.session.outputs, "output"))
      }
      heads.append(Head(stride: stride, outputs: outputs))
    }
    self.heads = heads
  }

  public func detect(
    _ picture: PixelBuffer, turn: QuarterTurn
  ) async throws(CinematicError) -> [FoundObject] {
    let view = try input.view(of: picture, turn: turn)
    let results = try input.session.run(
      view.tensor, input: input.index, outputs: heads.flatMap(\.outputs))
    var faces: [FoundObject] = []
    for (index, head) in heads.enumerated() {
      faces += try self.faces(head.stride, Array(results[3 * index..<3 * index + 3]), view)
    }
    return faces.withoutDoubles(sharing: Self.mostOverlap).stored(turn)
  }

  /// The faces of one stride, in shares of the picture as shown.
  private func faces(
    _ stride: Int, _ results: [Tensor], _ view: ModelInput.View
  ) throws(CinematicError) -> [FoundObject] {
    let (columns, rows) = (view.dimensions.width / stride, view.dimensions.height / stride)
    let (classes, objects, boxes) = (results[0].values, results[1].values, results[2].values)
    guard classes.count == columns * rows, objects.count == columns * rows,
      boxes.count == 4 * columns * rows
    else {
      throw CinematicError(
        .incompatible,
        "\(path) gives \(results.map(\.sides.text).joined(separator: ", ")) numbers for cells of \(stride) pixels in"
          + " a picture of \(view.dimensions)",
        remedy: "use a model with the outputs of YuNet")
    }
    let least = description.leastConfidence ?? Self.leastConfidence
    var faces: [FoundObject] = []
    for cell in 0..<columns * rows {
      let product = max(0, min(1, classes[cell])) * max(0, min(1, objects[cell]))
      let confidence = product.squareRoot()
      guard confidence >= least else { continue }
      let box = boxes[4 * cell..<4 * cell + 4].map { Double($0) * Double(stride) }
      let rect = view.rect(
        midX: Double(cell % columns * stride) + box[0],
        midY: Double(cell / columns * stride) + box[1],
        width: exp(box[2] / Double(stride)) * Double(stride),
        height: exp(box[3] / Double(stride)) * Double(stride))
      guard let rect else { continue }
      faces.append(FoundObject(type: .humanFace, rect: rect, confidence: confidence))
    }
    return faces
  }
}

extension ModelInput.View {
  /// A box in pixels of the input, in shares of the picture; `nil` for one that is none, or mostly outside.
  func rect(midX: Double, midY: Double, width: Double, height: Double) -> NormalizedRect? {
    let (columns, rows) = (Double(content.width), Double(content.height))
    let rect = NormalizedRect(
      x: (midX - width / 2) / columns, y: (midY - height / 2) / rows, width: width / columns,
      height: height / rows)
    let whole = NormalizedRect(x: 0, y: 0, width: 1, height: 1)
    guard rect.isFinite, rect.area > 0, rect.area < 4,
      rect.intersection(whole).area > 0.25 * rect.area
    else { return nil }
    return rect
  }
}
