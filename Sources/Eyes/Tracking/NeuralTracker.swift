// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalScript
import Foundation

/// Follows an object by a model that finds a template in a picture, in place of ``FocalScript/CorrelationTracker``: files
/// of the OSTrack and of the Siamese kind, such as VitTrack and NanoTrack, with their ``ModelDescription``.
///
/// ```swift
/// let neural = try NeuralTracker("vittrack.onnx", library: .find())
/// let tracker = ObjectTracker(visualTracker: neural)
/// ```
/// The template is the object's first look and never changes. An object that is lost is looked for where it was, where
/// a detector found something, and in parts of the whole picture, one a frame. Disparity is not looked at.
///
/// To be used from one thread at a time.
public final class NeuralTracker: VisualTracker {
  /// The model's file.
  public var path: String { model.path }
  public var description: ModelDescription { model.description }
  /// Why the model did not run: the object then counts as lost.
  public private(set) var failure: CinematicError?

  private let model: TrackerModel
  private let turn: QuarterTurn
  private var template: Tensor?
  /// Middle and size in pixels of the picture as shown.
  private var object = Box(x: 0, y: 0, width: 1, height: 1)
  private var startArea = 1.0
  private var framesLost = 0

  private struct Box {
    var x, y, width, height: Double

    var side: Double { (width * height).squareRoot() }
  }

  /// The square around an object over the square root of its area, of the template and of the search.
  private static let templateFactor = 2.0
  private static let searchFactor = 4.0
  /// The context that models of the Siamese kind see around an object, in shares of the sum of its sides.
  private static let context = 0.5
  /// The share of the window in the choice of a cell, that of a new size, and how much a change of size or shape tells
  /// against a cell: values of NanoTrack's makers.
  private static let windowShare = 0.455
  private static let sizeShare = 0.37
  private static let changeLoss = 0.055
  /// Less certain answers are none; the second holds for an object that was lost.
  private static let leastConfidence: Float = 0.3
  private static let foundConfidence: Float = 0.5
  private static let mostDetected = 4
  /// Pixels of the shorter side of a thing that can be told from others.
  private static let leastSide = 4.0

  /// - Parameters:
  ///   - turn: from pictures as stored to pictures as shown: the model sees them upright.
  ///   - threads: that a picture is worked on by.
  /// - Throws: `unsupported` for a model of another kind, as ``ModelDescription/init(ofModel:known:)`` and
  ///   ``ModelSession/init(_:library:threads:)``; `incompatible` for one whose inputs or answers have another form
  ///   than its description says.
  public init(
    _ path: String, library: RuntimeLibrary, turn: QuarterTurn = .identity,
    threads: Int = ProcessInfo.processInfo.activeProcessorCount
  ) throws(CinematicError) {
    model = try TrackerModel(path, library: library, threads: threads)
    self.turn = turn
  }

  public func start(
    within bounds: NormalizedRect, sourceImage: PixelBuffer, sourceDisparity: PixelBuffer?
  ) -> Bool {
    template = nil
    failure = nil
    framesLost = 0
    let rect = turn.applied(to: bounds)
    guard bounds.isFinite, bounds.width > 0, bounds.height > 0,
      bounds.intersection(.wholePicture).area > 0, !sourceImage.format.isDisparity
    else { return false }
    object = box(of: rect, in: sourceImage)
    startArea = object.width * object.height
    guard Self.canBeSeen(object, in: turn.applied(to: sourceImage.dimensions)) else { return false }
    let side = model.form == .centers ? Self.templateFactor * object.side : contextSide(of: object)
    do throws(CinematicError) {
      let view = TrackerView(x: object.x, y: object.y, side: side, pixels: model.templateSide)
      template = try model.features(of: view.tensor(of: sourceImage, turn: turn, for: model))
    } catch {
      failure = error
    }
    return template != nil
  }

  public func next(
    sourceImage: PixelBuffer, sourceDisparity: PixelBuffer?
  ) -> BoundsPrediction? {
    next(sourceImage: sourceImage, sourceDisparity: sourceDisparity, detected: [])
  }

  public func next(
    sourceImage: PixelBuffer, sourceDisparity: PixelBuffer?, detected: [NormalizedRect]
  ) -> BoundsPrediction? {
    guard let template, failure == nil, !sourceImage.format.isDisparity else { return nil }
    do throws(CinematicError) {
      var best: (box: Box, confidence: Float)?
      for place in places(in: sourceImage, detected) {
        let found = try find(template, near: place, sourceImage)
        if found.confidence > best?.confidence ?? 0 { best = found }
      }
      let least =
        framesLost > 0
        ? max(Self.foundConfidence, self.least) : self.least
      let picture = turn.applied(to: sourceImage.dimensions)
      guard let best, best.confidence >= least, isPlausible(best.box, in: picture) else {
        framesLost += 1
        return nil
      }
      object = best.box
      framesLost = 0
      return BoundsPrediction(
        normalizedBounds: rect(of: object, in: sourceImage), confidence: min(1, best.confidence))
    } catch {
      failure = error
      return nil
    }
  }

  private var least: Float { model.description.leastConfidence ?? Self.leastConfidence }

  /// Where the object is looked for.
  private func places(in picture: PixelBuffer, _ detected: [NormalizedRect]) -> [Box] {
    guard framesLost > 0 else { return [object] }
    var places = [object]
    let shown = turn.applied(to: picture.dimensions)
    for rect in detected.prefix(Self.mostDetected) where rect.isFinite && rect.area > 0 {
      let place = box(of: turn.applied(to: rect), in: picture)
      if Self.canBeSeen(place, in: shown) { places.append(place) }
    }
    // Parts that overlap by half, one a frame.
    let side = searchSide(of: object)
    let columns = max(1, Int((2 * Double(shown.width) / side).rounded(.up)) - 1)
    let rows = max(1, Int((2 * Double(shown.height) / side).rounded(.up)) - 1)
    let part = (framesLost - 1) % (columns * rows)
    places.append(
      Box(
        x: (Double(part % columns) + 0.5) * Double(shown.width) / Double(columns),
        y: (Double(part / columns) + 0.5) * Double(shown.height) / Double(rows),
        width: object.width, height: object.height))
    return places
  }

  /// The likeliest place of the template near another.
  private func find(
    _ template: Tensor, near place: Box, _ picture: PixelBuffer
  ) throws(CinematicError) -> (box: Box, confidence: Float) {
    let view = TrackerView(
      x: place.x, y: place.y, side: searchSide(of: place), pixels: model.searchSide)
    let answer = try model.answer(
      to: try view.tensor(of: picture, turn: turn, for: model), template: template)
    let window = Self.window(answer.side)
    var best: (index: Int, weight: Double, share: Double)?
    for (index, score) in answer.scores.enumerated() where score.isFinite {
      let box = answer.boxes[index]
      let (width, height) = (box.right - box.left, box.bottom - box.top)
      guard width > 0, height > 0, width.isFinite, height.isFinite, box.left.isFinite,
        box.top.isFinite
      else { continue }
      var weight = Double(score) * window[index]
      var share = 1.0
      if model.form == .sides {
        let own = Box(
          x: 0, y: 0, width: place.width * view.scale, height: place.height * view.scale)
        let other = Box(x: 0, y: 0, width: width, height: height)
        let growth = contextSide(of: other) / contextSide(of: own)
        let shape = (own.width / own.height) / (width / height)
        let change = max(growth, 1 / growth) * max(shape, 1 / shape)
        let kept = exp(-Self.changeLoss * (change - 1)) * Double(score)
        weight = kept * (1 - Self.windowShare) + window[index] * Self.windowShare
        share = kept * Self.sizeShare
      }
      if weight > best?.weight ?? -1 { best = (index, weight, share) }
    }
    guard let best else { return (place, 0) }
    let found = answer.boxes[best.index]
    let (width, height) = (
      (found.right - found.left) / view.scale, (found.bottom - found.top) / view.scale
    )
    let box = Box(
      x: view.left + (found.left + found.right) / 2 / view.scale,
      y: view.top + (found.top + found.bottom) / 2 / view.scale,
      width: place.width + (width - place.width) * best.share,
      height: place.height + (height - place.height) * best.share)
    return (box, answer.scores[best.index])
  }

  /// Falls from 1 in the middle to nearly 0 at the border, cell by cell.
  private static func window(_ side: Int) -> [Double] {
    let line = (0..<side).map { 0.5 - 0.5 * cos(2 * .pi * Double($0 + 1) / Double(side + 1)) }
    return (0..<side * side).map { line[$0 / side] * line[$0 % side] }
  }

  private func contextSide(of box: Box) -> Double {
    let more = Self.context * (box.width + box.height)
    return ((box.width + more) * (box.height + more)).squareRoot()
  }

  private func searchSide(of box: Box) -> Double {
    let ratio = Double(model.searchSide) / Double(model.templateSide)
    return model.form == .centers ? Self.searchFactor * box.side : ratio * contextSide(of: box)
  }

  /// Whether a box is of a size that a view is made of: a speck would be made as large as the model's input, and what is around
  /// it far larger.
  private static func canBeSeen(_ box: Box, in shown: Dimensions) -> Bool {
    min(box.width, box.height) >= leastSide && box.width <= Double(4 * shown.width)
      && box.height <= Double(4 * shown.height)
  }

  /// Whether something can be an object that was followed: mostly in the picture, and of a size.
  private func isPlausible(_ box: Box, in picture: Dimensions) -> Bool {
    let rect = NormalizedRect(
      x: (box.x - box.width / 2) / Double(picture.width),
      y: (box.y - box.height / 2) / Double(picture.height),
      width: box.width / Double(picture.width), height: box.height / Double(picture.height))
    let area = box.width * box.height
    return rect.isFinite && min(box.width, box.height) >= Self.leastSide && area > startArea / 100
      && area < startArea * 100 && rect.intersection(.wholePicture).area > 0.3 * rect.area
  }

  private func box(of rect: NormalizedRect, in picture: PixelBuffer) -> Box {
    let shown = turn.applied(to: picture.dimensions)
    return Box(
      x: rect.midX * Double(shown.width), y: rect.midY * Double(shown.height),
      width: rect.width * Double(shown.width), height: rect.height * Double(shown.height))
  }

  /// In shares of the picture as stored.
  private func rect(of box: Box, in picture: PixelBuffer) -> NormalizedRect {
    let shown = turn.applied(to: picture.dimensions)
    let (width, height) = (Double(shown.width), Double(shown.height))
    return turn.inverse.applied(
      to: NormalizedRect(
        x: (box.x - box.width / 2) / width, y: (box.y - box.height / 2) / height,
        width: box.width / width, height: box.height / height))
  }
}
