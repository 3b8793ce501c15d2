// SPDX-License-Identifier: Apache-2.0

import EyeKernels
import FocalCore
import Synchronization

/// Disparity from two eyes, by semi-global matching.
///
/// The pictures are compared at a moderate size; points that only one eye sees take the disparity of the farther
/// thing beside them, and edges follow the picture's. Pictures of cameras that do not stand quite level are put
/// right: rows are shifted, turned and stretched as points of the pair say that shows most of them. Pictures that show too
/// few, such as black ones, decide nothing.
///
/// At the usual size a pair costs about 80 ms of one core. On two public pairs with known disparity the
/// correlation is .940 on both, the mean error .043 and .029 of the range (`StereoTests` has pairs of its own).
public final class StereoProvider: DisparityProvider {
  /// Pixels of the longer side at which pictures are compared.
  public static let usualSide = 400
  /// Disparities that are looked for, as shares of the picture's width. Below zero lies what is behind the screen
  /// of a stereo film.
  public static let searched: ClosedRange<Double> = -0.03...0.26
  /// Rows by which points of one pair may differ, as a share of the height.
  private static let rowReach = 0.05
  /// Fewer points, or points that scatter more, say nothing about the cameras.
  private static let leastPoints: Int32 = 16
  private static let mostSpread: Float = 1
  /// Shifts below this many pixels do no harm.
  private static let leastShift: Float = 0.3
  /// Mean confidence of a pair. Pictures of two scenes have .22 to .27, exchanged eyes .35 to .52, two moments of a
  /// scene that hardly moves .76, and the two public pairs .85 and .90.
  private static let leastConfidence = 0.3
  private static let usualConfidence = 0.65
  /// Pairs that are compared to know the order of the eyes, with those that are compared anyway.
  private static let mostOrderPairs = 3
  /// Pixels between far and near below which a map shows how exactly points are found, and nothing of the scene: half a
  /// pixel either way is such noise.
  private static let leastExtent: Float = 1.5

  public let name = "stereo"
  private let side: Int
  /// How the cameras stand; `nil` as long as no pair has said it.
  private let known = Mutex<Alignment?>(nil)

  /// - Parameter side: the longer side at which pictures are compared, 64 to 800 pixels.
  public init(side: Int = usualSide) {
    self.side = max(64, min(800, side))
  }

  /// Finds how the cameras stand, in the pair that says it best. Where none does, as of black pictures, the first that
  /// does among those that are estimated later settles it.
  ///
  /// - Throws: `incompatible` for pictures that are not of one scene.
  public func prepare(for samples: [EstimationInput]) async throws(CinematicError) -> [String] {
    var notes: [String] = []
    var pairs: [EyePair] = []
    var settled: Alignment?
    for sample in samples {
      let pair = try EyePair(sample, side: side)
      // Of one thing everywhere, there is nothing to compare.
      guard !pair.isPlain else { continue }
      pairs.append(pair)
      guard let found = try alignment(of: pair) else { continue }
      if found.certainty > settled?.certainty ?? 0 { settled = found }
    }
    known.withLock { $0 = settled }
    guard !pairs.isEmpty else {
      return samples.isEmpty
        ? notes : ["the pictures that were looked at first are too plain to compare both eyes"]
    }
    let shift = settled?.shift ?? [0, 0, 0]
    if shift != [0, 0, 0] {
      notes.append(
        "the right eye's rows lie \(Self.rounded(100 * shift[0])) % of the height lower"
          + (shift[1] == 0 && shift[2] == 0
            ? "" : " and are turned by \(Self.rounded(57.29578 * shift[1])) degrees")
          + "; they are put right")
    }
    // The best of the samples: one may be dark, and one of a far thing alone.
    var best: (pair: EyePair, confidence: Double)?
    var extent: Float = 0
    var order = EyeOrder()
    for sample in pairs
    where (best?.confidence ?? 0) < Self.usualConfidence || extent < Self.leastExtent
      || !order.isKnown && order.pairCount < Self.mostOrderPairs
    {
      var pair = sample
      pair.straighten(shift)
      let found = try match(pair)
      extent = max(extent, found.extent)
      order.add(luma: pair.left, disparities: found.disparities, width: pair.dimensions.width)
      if found.meanConfidence >= best?.confidence ?? 0 { best = (pair, found.meanConfidence) }
    }
    if extent < Self.leastExtent {
      notes.append(
        "both eyes show nearly the same picture: between far and near lie \(Self.rounded(extent)) pixels of"
          + " \(pairs[0].dimensions.width), so that maps are of noise, without parallax")
    }
    guard let best, best.confidence < Self.usualConfidence else {
      if order.isExchanged { notes.append(order.note) }
      return notes
    }
    let exchanged = try match(best.pair.exchanged).meanConfidence
    if exchanged > 1.3 * best.confidence {
      notes.append(
        "the eyes seem to be exchanged: \(Int(100 * best.confidence)) % is certain, and"
          + " \(Int(100 * exchanged)) % the other way round")
    } else if best.confidence < Self.leastConfidence {
      throw CinematicError(
        .incompatible,
        "the pictures of both eyes are not of one scene and moment: \(Int(100 * best.confidence)) % is"
          + " certain",
        remedy: "give the left eye and the right eye of the same recording")
    } else {
      notes.append(
        "only \(Int(100 * best.confidence)) % is certain, where pairs usually have \(Int(100 * Self.usualConfidence))"
          + " and more: the eyes may be of two moments, or see too little alike")
    }
    return notes
  }

  public func estimate(_ input: EstimationInput) async throws(CinematicError) -> DisparityEstimate {
    var pair = try EyePair(input, side: side)
    var alignment = known.withLock { $0 }
    if alignment == nil, !pair.isPlain {
      alignment = try self.alignment(of: pair)
      known.withLock { $0 = alignment }
    }
    pair.straighten(alignment?.shift ?? [0, 0, 0])
    let found = try match(pair)
    var values = found.disparities
    let size = pair.dimensions
    let failed = pair.left.withUnsafeBufferPointer { guide in
      values.withUnsafeMutableBufferPointer { values in
        focal_stereo_fill(
          guide.baseAddress, Int32(size.width), Int32(size.height), values.baseAddress)
          | focal_stereo_refine(
            guide.baseAddress, Int32(size.width), Int32(size.height), values.baseAddress)
      }
    }
    guard failed == 0 else { throw .noMemory(for: size) }
    let scale = 1 / Float(size.width)
    for index in values.indices { values[index] *= scale }
    var confidence = found.confidence
    if input.isRightEye {
      values.mirrorRows(of: size.width)
      confidence.mirrorRows(of: size.width)
    }
    return DisparityEstimate(
      map: try .map(values, size), confidence: try .map(confidence, size), kind: .shift)
  }

  private static func rounded(_ value: Float) -> Float { (100 * value).rounded() / 100 + 0 }

  /// How two cameras stand to each other, as one pair says.
  private struct Alignment {
    /// How the right picture's rows lie, as shares: lower by [0] of the height, by [1] of a width farther right, by
    /// [2] of a height farther down; zeros where they lie right.
    var shift: [Float]
    /// Of points that were found in both pictures.
    var points: Int32
    /// How far half of them at least lie from what the shift says, in rows.
    var spread: Float

    /// Many points, and such that agree; a quarter of a row is as well as single ones are known.
    var certainty: Float { Float(points) / (0.25 + spread) }
  }

  /// - Returns: `nil` where nothing can be said.
  private func alignment(of pair: EyePair) throws(CinematicError) -> Alignment? {
    let size = pair.dimensions
    let reach = Int32(max(2, (Double(size.height) * Self.rowReach).rounded()))
    var shift: [Float] = [0, 0, 0]
    var spread: Float = 0
    var points: Int32 = 0
    let failed = pair.withKernel(Self.searched) { kernel in
      shift.withUnsafeMutableBufferPointer {
        focal_stereo_align(&kernel, reach, $0.baseAddress, &spread, &points)
      }
    }
    guard failed == 0 else { throw .noMemory(for: size) }
    guard points >= Self.leastPoints, spread <= Self.mostSpread else { return nil }
    let corner =
      abs(shift[0]) + abs(shift[1]) * Float(size.width) / 2 + abs(shift[2]) * Float(size.height) / 2
    let isLevel = corner <= Self.leastShift
    return Alignment(
      shift: isLevel ? [0, 0, 0] : [shift[0] / Float(size.height), shift[1], shift[2]],
      points: points, spread: spread)
  }

  /// The disparities that were found, before anything is filled.
  private struct Match {
    var disparities: [Float]
    var confidence: [Float]
    var meanConfidence: Double

    /// Pixels between the farthest and the nearest points, without outliers.
    var extent: Float {
      let sorted = disparities.filter { !$0.isNaN }.sorted()
      guard !sorted.isEmpty else { return 0 }
      let outliers = sorted.count / 500
      return sorted[sorted.count - 1 - outliers] - sorted[outliers]
    }
  }

  private func match(_ pair: EyePair) throws(CinematicError) -> Match {
    let count = pair.dimensions.count
    var disparities = [Float](repeating: .nan, count: count)
    var confidence = [Float](repeating: 0, count: count)
    let failed = pair.withKernel(Self.searched) { kernel in
      disparities.withUnsafeMutableBufferPointer { disparities in
        confidence.withUnsafeMutableBufferPointer { confidence in
          focal_stereo_match(&kernel, disparities.baseAddress, confidence.baseAddress)
        }
      }
    }
    guard failed == 0 else { throw .noMemory(for: pair.dimensions) }
    let mean = Double(confidence.reduce(0, +)) / Double(count)
    return Match(disparities: disparities, confidence: confidence, meanConfidence: mean)
  }
}

/// Both pictures at the size at which they are compared.
struct EyePair {
  var left: [UInt8]
  var right: [UInt8]
  var dimensions: Dimensions

  /// - Throws: `incomplete` without a second eye, `incompatible` for pictures of two shapes.
  init(_ input: EstimationInput, side: Int) throws(CinematicError) {
    guard let other = input.otherEye else {
      throw CinematicError(
        .incomplete, "a picture of one eye has no second view",
        remedy: "give the other eye's picture, too")
    }
    let (a, b) = (input.picture.dimensions, other.dimensions)
    let fitting = Double(b.height) * Double(a.width) / Double(a.height)
    guard abs(fitting - Double(b.width)) <= 1.5 + 0.005 * Double(b.width) else {
      throw CinematicError(
        .incompatible, "the eyes' pictures have two shapes, \(a) and \(b)",
        remedy: "give both as one camera recorded them")
    }
    dimensions = input.turn.applied(to: a).fitting(longerSide: side)
    left = try EyePicture(input.picture, turn: input.turn, dimensions: dimensions).luma
    right = try EyePicture(other, turn: input.turn, dimensions: dimensions).luma
    // In a mirror, the right eye is the left one.
    if input.isRightEye {
      left.mirrorRows(of: dimensions.width)
      right.mirrorRows(of: dimensions.width)
    }
  }

  private init(left: [UInt8], right: [UInt8], dimensions: Dimensions) {
    (self.left, self.right, self.dimensions) = (left, right, dimensions)
  }

  /// Codes between the second and the 98th hundredth of a picture; fewer show nothing that could be compared.
  private static let leastContrast = 8

  /// Whether both pictures show one thing everywhere, as black ones do.
  var isPlain: Bool { Self.isPlain(left) && Self.isPlain(right) }

  private static func isPlain(_ codes: [UInt8]) -> Bool {
    var counts = [Int](repeating: 0, count: 256)
    for code in codes { counts[Int(code)] += 1 }
    func code(at share: Double) -> Int {
      var rest = Int(share * Double(codes.count))
      return counts.firstIndex { count in
        rest -= count
        return rest < 0
      } ?? 255
    }
    return code(at: 0.98) - code(at: 0.02) < leastContrast
  }

  /// The other way round.
  var exchanged: EyePair { EyePair(left: right, right: left, dimensions: dimensions) }

  /// Shifts the right picture's columns up or down, between rows.
  mutating func straighten(_ shift: [Float]) {
    guard shift != [0, 0, 0] else { return }
    let (width, height) = (dimensions.width, dimensions.height)
    let source = right
    for y in 0..<height {
      for x in 0..<width {
        let row =
          Float(y) + shift[0] * Float(height) + shift[1] * (Float(x) - Float(width) / 2)
          + shift[2] * (Float(y) - Float(height) / 2)
        let place = max(0, min(Float(height - 1), row))
        let above = min(Int(place), max(0, height - 2))
        let part = place - Float(above)
        let (upper, lower) = (
          Float(source[above * width + x]), Float(source[min(above + 1, height - 1) * width + x])
        )
        right[y * width + x] = UInt8(upper + part * (lower - upper) + 0.5)
      }
    }
  }

  func withKernel(
    _ searched: ClosedRange<Double>, _ body: (inout FocalStereoPair) -> Int32
  ) -> Int32 {
    left.withUnsafeBufferPointer { left in
      right.withUnsafeBufferPointer { right in
        var pair = FocalStereoPair()
        pair.left = left.baseAddress
        pair.right = right.baseAddress
        pair.width = Int32(dimensions.width)
        pair.height = Int32(dimensions.height)
        let least = (Double(dimensions.width) * searched.lowerBound).rounded(.down)
        let most = (Double(dimensions.width) * searched.upperBound).rounded(.up)
        pair.least = Int32(least)
        // The kernel works on so many together.
        pair.count = Int32((Int(most - least) + 32) / 32 * 32)
        return body(&pair)
      }
    }
  }
}

extension Array {
  /// - Precondition: rows of `width` elements.
  fileprivate mutating func mirrorRows(of width: Int) {
    for start in stride(from: 0, to: count, by: width) { self[start..<start + width].reverse() }
  }
}
