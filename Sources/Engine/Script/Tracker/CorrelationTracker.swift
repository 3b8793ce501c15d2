// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// The built-in ``VisualTracker``: a correlation filter over edges, colours and brightness beside
/// histograms of colour; other filters over size and shape. Disparity tells what is in front of the object or
/// behind it, and an object that turns from one that is gone. It learns only while it is sure. An object that is covered, has left or was cut away is lost; it is then looked
/// for in the whole picture, a part of it a frame, and taken up again where it is seen clearly.
///
/// The constants are tuned. `focal script track --truth` measures on any clip with true boxes,
/// `TrackerFailureTests` says what must not happen, and `SampleTrackingTests` follows subjects of the sample scene.
public struct CorrelationTracker: VisualTracker {
  /// Standard deviation of the wanted peak, in cells: of the near filter, and of the wide one, for
  /// which the object is half as large.
  private static let labelWidths = [1.7, 1.0]
  /// The searched square over the square root of the object's area: larger follows faster moves,
  /// smaller sees more detail.
  private static let padding = 2.8
  /// The same over the object's longer side, for long objects: the box with a fifth to each side.
  private static let longPadding = 1.4
  /// The share of the new look in what the filters know, and that of new colours. Five times as much
  /// learns what covers the object.
  private static let rate: Float = 0.015
  private static let colorRate: Float = 0.02
  /// The wide filter learns once in so many frames.
  private static let wideInterval = 3
  /// The shape is looked at once in so many frames, follows this part of a change (people swing their arms), and stays
  /// within this factor of the first one. Without it the mean overlap of five objects of public clips is .790 instead
  /// of .805, and in the same clips squeezed and stretched as they play .737 instead of .750.
  private static let shapeInterval = 2
  private static let shapePart = 0.5
  private static let mostShape = 2.0
  /// How far a disparity may be from the object's, in shares of it, to be a 1/e as likely the object's.
  private static let disparityGate: Float = 0.12

  /// The share of a new answer in the usual one.
  private static let usualRate: Float = 0.05
  /// The same in the first frames. Filters answer best to what they have just been made of: an object that is compared
  /// with that is in doubt, and no more learnt, as soon as it moves.
  private static let settlingFrames = 40
  private static let settlingRate: Float = 0.3
  /// The least share of a box inside the picture: with less the object has left, and with less than the
  /// second nothing is learnt.
  private static let leastVisible = 0.3
  private static let wellVisible = 0.6
  /// The filter over the near surroundings, and one over twice as much, most of which is not the object.
  var filters = labelWidths.enumerated().map {
    CorrelationFilter(
      side: ObjectWindow.cells, channels: ObjectWindow.channels, labelWidth: $1, endsMasked: $0 > 0)
  }
  private var scaleFilter = ScaleFilter()
  private var shapeFilter = ScaleFilter()
  var colors = ColorModel()
  var weights = [Float](repeating: 0, count: ObjectWindow.channels)
  /// In pixels of the picture.
  var centerX = 0.0
  var centerY = 0.0
  var width = 0.0
  var height = 0.0
  /// In pixels a frame.
  var velocityX = 0.0
  var velocityY = 0.0
  private(set) var startArea = 1.0
  private var startShape = 1.0
  private(set) var objectDisparity: Float?
  /// The filters' answer while all is well.
  private(set) var usual = Answer(x: 0, y: 0, peak: 1, color: 0, share: 0)
  private(set) var framesLearnt = 0
  var framesInDoubt = 0
  private(set) var framesLost = 0
  /// The part of the picture that was searched last, and how often the whole of it was, since the
  /// object was lost.
  var part = 0
  var sweep = 0
  private var thumbnail: SceneThumbnail?

  /// A tracker that follows nothing yet.
  public init() {}

  var searchSide: Double {
    max(Self.padding * (width * height).squareRoot(), Self.longPadding * max(width, height))
  }

  public mutating func start(
    within bounds: NormalizedRect, sourceImage: PixelBuffer, sourceDisparity: PixelBuffer?
  ) -> Bool {
    self = CorrelationTracker()
    guard bounds.isFinite, bounds.width > 0, bounds.height > 0,
      bounds.intersection(.wholePicture).area > 0, let picture = PicturePlanes(sourceImage)
    else { return false }
    centerX = bounds.midX * Double(picture.width)
    centerY = bounds.midY * Double(picture.height)
    width = bounds.width * Double(picture.width)
    height = bounds.height * Double(picture.height)
    startArea = width * height
    startShape = width / height
    // an object of a few pixels has no shape
    guard width >= 4, height >= 4, width <= Double(4 * picture.width),
      height <= Double(4 * picture.height)
    else { return false }
    // a map of one value tells nothing from anything
    if let map = sourceDisparity, map.format.isDisparity, DisparitySampling.spread(of: map) > 0 {
      updateDisparity(bounds, map)
    }
    var window = window(
      picture, sourceDisparity, x: centerX, y: centerY, side: searchSide)
    if !window.tellsByDisparity(width: width, height: height) {
      objectDisparity = nil
      window = self.window(picture, nil, x: centerX, y: centerY, side: searchSide)
    }
    weights = window.balancedWeights()
    learn(picture, objectDisparity == nil ? nil : sourceDisparity, window)
    thumbnail = SceneThumbnail(picture)
    return true
  }

  public mutating func next(
    sourceImage: PixelBuffer, sourceDisparity: PixelBuffer?
  ) -> BoundsPrediction? {
    next(sourceImage: sourceImage, sourceDisparity: sourceDisparity, detected: [])
  }

  public mutating func next(
    sourceImage: PixelBuffer, sourceDisparity: PixelBuffer?, detected: [NormalizedRect]
  ) -> BoundsPrediction? {
    guard let before = thumbnail, let picture = PicturePlanes(sourceImage) else { return nil }
    let after = SceneThumbnail(picture)
    thumbnail = after
    if before.isCut(to: after) {
      framesLost = max(1, framesLost)
      (velocityX, velocityY) = (0, 0)
    }
    let map = objectDisparity == nil ? nil : sourceDisparity
    guard
      let (answer, factor) = search(
        picture, framesLost > Self.forgetfulness ? nil : map, detected)
    else {
      framesLost += 1
      framesInDoubt = 0
      return nil
    }
    move(to: answer, factor: factor)
    let bounds = bounds(in: picture)
    let visible = bounds.intersection(.wholePicture).area / bounds.area
    guard visible >= Self.leastVisible else {
      framesLost += 1
      framesInDoubt = 0
      return nil
    }
    if framesLost > Self.forgetfulness { objectDisparity = nil }
    (framesLost, part, sweep) = (0, 0, 0)
    if framesInDoubt == 0, visible >= Self.wellVisible {
      resize(by: scaleFilter.factor(of: look(picture, .size)), picture)
      if looksAtShape { reshape(by: shapeFilter.factor(of: look(picture, .shape))) }
      let rate = framesLearnt < Self.settlingFrames ? Self.settlingRate : Self.usualRate
      usual.approach(answer, share: max(rate, 1 / Float(framesLearnt)))
      if let map { updateDisparity(self.bounds(in: picture), map) }
      learn(
        picture, map, window(picture, map, x: centerX, y: centerY, side: searchSide))
    }
    return BoundsPrediction(
      normalizedBounds: self.bounds(in: picture), confidence: max(0, min(1, quality(answer))))
  }

  /// A square of the picture with what is known of its disparity.
  func window(
    _ picture: PicturePlanes, _ map: PixelBuffer?, x: Double, y: Double, side: Double
  ) -> ObjectWindow {
    var window = ObjectWindow(picture, centerX: x, centerY: y, side: side)
    if let map, let objectDisparity, map.format.isDisparity {
      window.measure(
        map, of: picture, disparity: objectDisparity,
        gate: max(abs(objectDisparity) * Self.disparityGate, 1e-3))
    }
    return window
  }

  private mutating func learn(
    _ picture: PicturePlanes, _ map: PixelBuffer?, _ near: ObjectWindow
  ) {
    teach(0, near, rate: Self.rate)
    if framesLearnt % Self.wideInterval == 0 {
      let wide = window(picture, map, x: centerX, y: centerY, side: 2 * searchSide)
      teach(1, wide, rate: Self.rate * Float(Self.wideInterval))
    }
    scaleFilter.train(look(picture, .size))
    if looksAtShape { shapeFilter.train(look(picture, .shape)) }
    let samples = 2 / near.cell
    colors.train(
      bins: near.bins, side: 2 * ObjectWindow.cells, width: width * samples,
      height: height * samples, rate: Self.colorRate)
    framesLearnt += 1
  }

  private mutating func teach(_ filter: Int, _ window: ObjectWindow, rate: Float) {
    let spectra = filters[filter].spectra(
      of: window.weighted(weights, window: ObjectWindow.hann))
    filters[filter].train(
      spectra, mask: window.mask(width: width, height: height), rate: rate)
  }

  private mutating func move(to answer: Answer, factor: Double) {
    if framesLost > 0 {
      (velocityX, velocityY) = (0, 0)
    } else if framesInDoubt == 0 {
      velocityX = (velocityX + answer.x - centerX) / 2
      velocityY = (velocityY + answer.y - centerY) / 2
    }
    (centerX, centerY) = (answer.x, answer.y)
    width *= factor
    height *= factor
  }

  private mutating func resize(by factor: Double, _ picture: PicturePlanes) {
    let area = width * height * factor * factor
    guard area > startArea / 100, area < startArea * 100, width * factor >= 4, height * factor >= 4,
      width * factor <= Double(2 * picture.width), height * factor <= Double(2 * picture.height)
    else { return }
    width *= factor
    height *= factor
  }

  private var looksAtShape: Bool { framesLearnt % Self.shapeInterval == 0 }

  private func look(_ picture: PicturePlanes, _ axis: ScaleFilter.Axis) -> ScaleFilter.Sample {
    ScaleFilter.sample(
      picture, axis, centerX: centerX, centerY: centerY, width: width, height: height)
  }

  private mutating func reshape(by factor: Double) {
    let factor = 1 + (factor - 1) * Self.shapePart
    let change = width / height * factor / startShape
    guard change < Self.mostShape, change > 1 / Self.mostShape else { return }
    width *= factor.squareRoot()
    height /= factor.squareRoot()
  }

  private func bounds(in picture: PicturePlanes) -> NormalizedRect {
    NormalizedRect(
      x: (centerX - width / 2) / Double(picture.width),
      y: (centerY - height / 2) / Double(picture.height),
      width: width / Double(picture.width), height: height / Double(picture.height))
  }

  private mutating func updateDisparity(_ bounds: NormalizedRect, _ map: PixelBuffer) {
    let value = Detection.disparity(
      in: bounds, sourceDisparity: map, detectionType: .unknown, priorDisparity: objectDisparity)
    if value.isFinite { objectDisparity = value }
  }
}

extension NormalizedRect {
  package static let wholePicture = NormalizedRect(x: 0, y: 0, width: 1, height: 1)
}
