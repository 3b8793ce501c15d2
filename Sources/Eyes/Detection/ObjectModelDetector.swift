// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalScript
import Foundation

/// People, heads, pets and balls, by a model of boxes and classes such as YOLOX or SSD, whose form its description says
/// (``ModelDescription/Boxes``).
public final class ObjectModelDetector: ObjectDetector {
  public let name = "objects"
  /// The model's file.
  public var path: String { input.session.path }
  public var description: ModelDescription { input.description }
  private let input: ModelInput
  private let outputs: [Int]
  private let boxes: ModelDescription.Boxes

  /// Less certain objects are none.
  private static let leastConfidence: Float = 0.4
  /// Objects of a kind that share more of their area are one.
  private static let mostOverlap = 0.5
  private static let strides = [8, 16, 32]

  /// - Throws: `unsupported` for a model of another kind, as ``ModelDescription/init(ofModel:known:)`` and
  ///   ``ModelSession/init(_:library:threads:)``.
  public init(
    _ path: String, library: RuntimeLibrary,
    threads: Int = ProcessInfo.processInfo.activeProcessorCount
  ) throws(CinematicError) {
    var description = try ModelInput.description(of: path, giving: [.objects], "objects")
    boxes = description.boxes ?? .yolox
    // Cells of the coarsest stride are whole.
    if boxes == .yolox { description.multiple = max(description.multiple, 32) }
    input = try ModelInput(path, description, library: library, threads: threads)
    outputs = try input.session.outputs(description.outputNames, count: boxes.outputCount)
  }

  public func detect(
    _ picture: PixelBuffer, turn: QuarterTurn
  ) async throws(CinematicError) -> [FoundObject] {
    let view = try input.view(of: picture, turn: turn)
    let results = try input.session.run(view.tensor, input: input.index, outputs: outputs)
    let found =
      switch boxes {
      case .yolox, .yolov5, .yolov8: try fromCells(results[0], view)
      case .corners: try fromCorners(results, view)
      case .ssd: try fromLists(results, view)
      }
    return found.withoutDoubles(sharing: Self.mostOverlap).stored(turn)
  }

  private var least: Float { description.leastConfidence ?? Self.leastConfidence }

  /// One output with middle, size, perhaps certainty, and classes of each box.
  private func fromCells(
    _ result: Tensor, _ view: ModelInput.View
  ) throws(CinematicError) -> [FoundObject] {
    // Of the later form, numbers of one box lie apart.
    let isApart = boxes == .yolov8
    let head = isApart ? 4 : 5
    guard result.sides.count == 3, result.sides[0] == 1 else { throw wrong([result], view) }
    let (count, length) =
      isApart ? (result.sides[2], result.sides[1]) : (result.sides[1], result.sides[2])
    let classCount = length - head
    guard classCount > 0, description.classes.keys.allSatisfy({ $0 < classCount }) else {
      throw wrong([result], view)
    }
    let cells = boxes == .yolox ? Self.cells(of: view.dimensions) : []
    guard boxes != .yolox || cells.count == count else { throw wrong([result], view) }
    var found: [FoundObject] = []
    for index in 0..<count {
      func value(_ place: Int) -> Float {
        result.values[isApart ? place * count + index : index * length + place]
      }
      let certainty = isApart ? 1 : value(4)
      guard certainty >= least else { continue }
      guard let (type, confidence) = best({ certainty * value(head + $0) }) else { continue }
      var (x, y, width, height) = (
        Double(value(0)), Double(value(1)), Double(value(2)), Double(value(3))
      )
      if boxes == .yolox {
        let cell = cells[index]
        (x, y) = ((x + cell.x) * cell.stride, (y + cell.y) * cell.stride)
        (width, height) = (exp(width) * cell.stride, exp(height) * cell.stride)
      }
      guard let rect = view.rect(midX: x, midY: y, width: width, height: height) else { continue }
      found.append(FoundObject(type: type, rect: rect, confidence: confidence))
    }
    return found
  }

  /// Corners in shares of the input, and classes of each box.
  private func fromCorners(
    _ results: [Tensor], _ view: ModelInput.View
  ) throws(CinematicError) -> [FoundObject] {
    let (boxes, scores) = (results[0], results[1])
    guard let count = boxes.sides.dropLast().last, boxes.sides.last == 4,
      let classCount = scores.sides.last, boxes.values.count == 4 * count,
      scores.values.count == count * classCount,
      description.classes.keys.allSatisfy({ $0 < classCount })
    else { throw wrong(results, view) }
    var found: [FoundObject] = []
    for index in 0..<count {
      guard let (type, confidence) = best({ scores.values[index * classCount + $0] }),
        let rect = rect(boxes.values[4 * index..<4 * index + 4], isRowFirst: false, view)
      else { continue }
      found.append(FoundObject(type: type, rect: rect, confidence: confidence))
    }
    return found
  }

  /// Corners, one class and one certainty of each box.
  private func fromLists(
    _ results: [Tensor], _ view: ModelInput.View
  ) throws(CinematicError) -> [FoundObject] {
    let (boxes, classes, scores) = (results[0], results[1].values, results[2].values)
    guard boxes.values.count == 4 * classes.count, classes.count == scores.count else {
      throw wrong(results, view)
    }
    var found: [FoundObject] = []
    for index in classes.indices where scores[index] >= least {
      guard classes[index] >= 0, classes[index] < 100_000,
        let type = description.classes[Int(classes[index].rounded())],
        let rect = rect(boxes.values[4 * index..<4 * index + 4], isRowFirst: true, view)
      else { continue }
      found.append(FoundObject(type: type, rect: rect, confidence: min(1, scores[index])))
    }
    return found
  }

  /// The class that is looked for and most certain; `nil` if none is certain enough.
  private func best(_ score: (Int) -> Float) -> (DetectionType, Float)? {
    var best: (number: Int, score: Float)?
    for number in description.classes.keys.sorted() {
      let score = score(number)
      if score >= least, score > best?.score ?? 0 { best = (number, score) }
    }
    guard let best, let type = description.classes[best.number] else { return nil }
    return (type, min(1, best.score))
  }

  private func rect(
    _ corners: ArraySlice<Float>, isRowFirst: Bool, _ view: ModelInput.View
  ) -> NormalizedRect? {
    let values = corners.map { Double($0) }
    let (width, height) = (Double(view.dimensions.width), Double(view.dimensions.height))
    let (left, top) = isRowFirst ? (values[1], values[0]) : (values[0], values[1])
    let (right, bottom) = isRowFirst ? (values[3], values[2]) : (values[2], values[3])
    return view.rect(
      midX: (left + right) / 2 * width, midY: (top + bottom) / 2 * height,
      width: (right - left) * width, height: (bottom - top) * height)
  }

  private struct Cell {
    var x, y, stride: Double
  }

  /// The cells of all strides, row by row, the finest first.
  private static func cells(of size: Dimensions) -> [Cell] {
    strides.flatMap { stride in
      (0..<size.height / stride).flatMap { y in
        (0..<size.width / stride).map { x in
          Cell(x: Double(x), y: Double(y), stride: Double(stride))
        }
      }
    }
  }

  private func wrong(_ results: [Tensor], _ view: ModelInput.View) -> CinematicError {
    CinematicError(
      .incompatible,
      "\(path) gives \(results.map(\.sides.text).joined(separator: ", ")) numbers for a picture of"
        + " \(view.dimensions), and no boxes of the form \(boxes.rawValue) with the classes of its description",
      remedy: "check boxes, classes and output in \(ModelDescription.path(for: path))")
  }
}
