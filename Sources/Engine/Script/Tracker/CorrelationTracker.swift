// SPDX-License-Identifier: Apache-2.0

import FocalCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The built-in ``VisualTracker``: a correlation filter over edges, brightness and, where there is a
/// map, disparity; a second one over size. It learns only while it is sure, and says when it is not.
///
/// The constants are tuned. `SampleTrackingTests` follows three subjects of the sample scene through 59
/// frames each: the mean overlap with the true boxes is 0.878, and none is lost. The figures below are
/// what another value of a constant gives in that test.
public struct CorrelationTracker: VisualTracker {
  /// Cells of the searched square's side, pixels of a cell's side when sampled. A side is a power of two
  /// for the transform; 64 cells over three times the object give it 21.
  static let cells = 64
  static let cellSize = 3
  /// The searched square over the square root of the object's area: larger follows faster moves,
  /// smaller sees more detail. 2: 0.745; 4.5: 0.845.
  static let padding = 3.0
  /// The same over the object's longer side, for long objects: the box with a fifth to each side.
  static let longPadding = 1.4
  static let channels = GradientFeatures.directions + 2
  /// The share of the new look in what is known. None: 0.719; a third: 0.772; three times: 0.859.
  private static let rate: Float = 0.03
  /// Peak to side lobe ratios: below the first nothing is learnt, below the second the object is not
  /// there. Twice the first: 0.740 and 38 lost; twice the second: 39 lost. How low they may be,
  /// `TrackerTests` says, where an object disappears.
  private static let sureRatio: Float = 7
  private static let lostRatio: Float = 4.5
  /// By how much more an object that was lost has to stand out, and the ratio of a clear view.
  private static let foundMargin: Float = 1
  private static let clearRatio: Float = 15
  /// Of the box, the least share that has to have the object's disparity: what is covered, or left
  /// behind, has none. From 0 to 0.4 nothing changes in the scene, where nothing is covered.
  private static let leastShare: Float = 0.1
  /// How far a disparity may be from the object's, in shares of it, to be a 1/e as likely the object's.
  /// A third: 0.859; three times: 0.872.
  static let disparityGate: Float = 0.12
  /// Weight of the disparity's channel. None: 0.768 and 7 lost; twice: 0.883.
  static let disparityWeight: Float = 0.5
  /// The rest of the filter's mask where the disparity is not the object's. None: 0.793; all: 0.876.
  static let maskFloor: Float = 0.15
  static let maskRange: Float = 0.85
  /// Standard deviation of the wanted peak, in cells. Half: 0.745; twice: 0.760.
  private static let labelWidth = 1.2

  private var filter = CorrelationFilter(
    side: cells, channels: channels, labelWidth: labelWidth)
  private var scaleFilter = ScaleFilter()
  let hann: [Float]
  /// In pixels of the picture.
  var centerX = 0.0
  var centerY = 0.0
  var width = 0.0
  var height = 0.0
  /// In pixels a frame.
  private var velocityX = 0.0
  private var velocityY = 0.0
  private var startArea = 1.0
  var objectDisparity: Float?
  private var framesLost = 0
  private var isStarted = false
  /// The last answer's ratio of peak to side lobes.
  public private(set) var peakRatio: Float = 0

  /// A tracker that follows nothing yet.
  public init() {
    hann = (0..<Self.cells).map { index in
      Float(0.5 - 0.5 * cos(2 * .pi * (Double(index) + 0.5) / Double(Self.cells)))
    }
  }

  public mutating func start(
    within bounds: NormalizedRect, sourceImage: PixelBuffer, sourceDisparity: PixelBuffer?
  ) -> Bool {
    self = CorrelationTracker()
    guard bounds.isFinite, bounds.width > 0, bounds.height > 0,
      bounds.intersection(NormalizedRect(x: 0, y: 0, width: 1, height: 1)).area > 0,
      var luma = LumaPyramid(sourceImage)
    else { return false }
    centerX = bounds.midX * Double(luma.width)
    centerY = bounds.midY * Double(luma.height)
    width = bounds.width * Double(luma.width)
    height = bounds.height * Double(luma.height)
    startArea = width * height
    // an object of a few pixels has no shape
    guard width >= 4, height >= 4, width <= Double(4 * luma.width),
      height <= Double(4 * luma.height)
    else { return false }
    updateDisparity(bounds, sourceDisparity)
    let map = objectDisparity == nil ? nil : sourceDisparity
    let fields = fields(&luma, map)
    let spectra = filter.spectra(of: fields.values)
    filter.train(spectra, mask: mask(fields.likelihood), rate: 1)
    scaleFilter.train(
      ScaleFilter.sample(
        &luma, centerX: centerX, centerY: centerY, width: width, height: height))
    isStarted = true
    return true
  }

  public mutating func next(
    sourceImage: PixelBuffer, sourceDisparity: PixelBuffer?
  ) -> BoundsPrediction? {
    guard isStarted, var luma = LumaPyramid(sourceImage) else { return nil }
    let map = objectDisparity == nil ? nil : sourceDisparity
    let (lastX, lastY) = (centerX, centerY)
    guard let peak = search(&luma, map) else {
      framesLost += 1
      (centerX, centerY) = (lastX, lastY)
      return nil
    }
    centerX = max(0, min(Double(luma.width), peak.x))
    centerY = max(0, min(Double(luma.height), peak.y))
    if framesLost == 0 {
      velocityX = (velocityX + centerX - lastX) / 2
      velocityY = (velocityY + centerY - lastY) / 2
    } else {
      (velocityX, velocityY) = (0, 0)
    }
    let look = ScaleFilter.sample(
      &luma, centerX: centerX, centerY: centerY, width: width, height: height)
    if peak.ratio >= Self.sureRatio { resize(by: scaleFilter.factor(of: look), luma) }
    let bounds = NormalizedRect(
      x: (centerX - width / 2) / Double(luma.width),
      y: (centerY - height / 2) / Double(luma.height),
      width: width / Double(luma.width), height: height / Double(luma.height))
    framesLost = 0
    if peak.ratio >= Self.sureRatio {
      updateDisparity(bounds, sourceDisparity)
      learn(&luma, map)
    }
    let confidence = max(
      0, min(1, (peak.ratio - Self.lostRatio) / (Self.clearRatio - Self.lostRatio)))
    return BoundsPrediction(normalizedBounds: bounds, confidence: confidence)
  }

  /// The object's place in pixels; around where it is expected, and when it is lost also beside.
  private mutating func search(
    _ luma: inout LumaPyramid, _ map: PixelBuffer?
  ) -> (x: Double, y: Double, ratio: Float)? {
    let (startX, startY, side) = (centerX, centerY, searchSide)
    var places = [(startX + velocityX, startY + velocityY)]
    if framesLost > 0 {
      places = [(startX, startY)]
      for (dx, dy) in [(-1.0, 0.0), (1, 0), (0, -1), (0, 1)] {
        places.append((startX + dx * side * 0.4, startY + dy * side * 0.4))
      }
    }
    var best: (x: Double, y: Double, ratio: Float)?
    for (x, y) in places {
      (centerX, centerY) = (x, y)
      let fields = fields(&luma, map)
      let peak = ResponsePeak(
        of: filter.response(to: filter.spectra(of: fields.values)), side: Self.cells)
      guard peak.ratio > (best?.ratio ?? -1) else { continue }
      let cell = side / Double(Self.cells)
      if let likelihood = fields.likelihood,
        share(of: likelihood, atX: peak.x, y: peak.y) < Self.leastShare
      {
        continue
      }
      best = (x + peak.x * cell, y + peak.y * cell, peak.ratio)
    }
    peakRatio = best?.ratio ?? 0
    // an object that was lost has to be found clearly
    guard let best,
      best.ratio >= (framesLost > 0 ? Self.sureRatio + Self.foundMargin : Self.lostRatio)
    else {
      return nil
    }
    return best
  }

  private mutating func learn(_ luma: inout LumaPyramid, _ map: PixelBuffer?) {
    let fields = fields(&luma, map)
    filter.train(
      filter.spectra(of: fields.values), mask: mask(fields.likelihood), rate: Self.rate)
    scaleFilter.train(
      ScaleFilter.sample(
        &luma, centerX: centerX, centerY: centerY, width: width, height: height))
  }

  private mutating func resize(by factor: Double, _ luma: LumaPyramid) {
    let area = width * height * factor * factor
    guard area > startArea / 100, area < startArea * 100, width * factor >= 4, height * factor >= 4,
      width * factor <= Double(2 * luma.width), height * factor <= Double(2 * luma.height)
    else { return }
    width *= factor
    height *= factor
  }

  private mutating func updateDisparity(_ bounds: NormalizedRect, _ map: PixelBuffer?) {
    guard let map else { return }
    let value = Detection.disparity(
      in: bounds, sourceDisparity: map, detectionType: .unknown, priorDisparity: objectDisparity)
    if value.isFinite { objectDisparity = value }
  }
}
