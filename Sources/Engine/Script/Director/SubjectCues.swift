// SPDX-License-Identifier: Apache-2.0

import FocalCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A subject as it is seen at one time.
struct SubjectCues: Sendable {
  /// The preferred detection: face, then head, then torso.
  var best: Detection
  /// Share of the picture of the largest of the subject's boxes.
  var area: Double
  /// Whether it looks toward the camera: a face or a pet's head is among what is seen.
  var isFacing: Bool

  /// Of the detections of one subject in one frame; `nil` for none.
  init?(_ detections: some Sequence<Detection>) {
    var best: Detection?
    (area, isFacing) = (0, false)
    for detection in detections {
      area = max(area, detection.normalizedRect.area)
      switch detection.detectionType {
      case .humanFace, .catHead, .dogHead: isFacing = true
      default: break
      }
      let rank = (detection.detectionType.focusRank, detection.detectionID?.rawValue ?? 0)
      let bestRank = best.map { ($0.detectionType.focusRank, $0.detectionID?.rawValue ?? 0) }
      if bestRank.map({ rank < $0 }) ?? true { best = detection }
    }
    guard let best else { return nil }
    self.best = best
  }

  /// Whether a director may choose a subject of that type.
  static func isSubject(_ type: DetectionType) -> Bool {
    type != .fixedFocus && type != .autoFocus
  }

  /// The subject that a detection belongs to; `nil` where it has no id.
  static func subject(of detection: Detection) -> Decision.FocusDetectionID? {
    guard isSubject(detection.detectionType) else { return nil }
    if let group = detection.detectionGroupID { return .group(group) }
    return detection.detectionID.map { .single($0) }
  }

  /// The properties of a subject that show only over time.
  struct Course: Sendable {
    /// The share of time in which it looks toward the camera, 0 to 1.
    var facing: Double
    /// Of the centre, in shares of the picture a second.
    var speed = 0.0
    /// Of the box's side: the logarithm of its ratio, a second. Negative where it shrinks.
    var growth = 0.0
    /// Seconds since the subject appeared.
    var age = 0.0
  }

  /// The distance of the centres of two looks, in shares of the picture, and the logarithm of the
  /// ratio of their boxes' sides; none between detections of different types, whose boxes differ
  /// anyway.
  func motion(to next: SubjectCues) -> (distance: Double, growth: Double)? {
    guard best.detectionType == next.best.detectionType else { return nil }
    let (from, to) = (best.normalizedRect, next.best.normalizedRect)
    let (dx, dy) = (to.midX - from.midX, to.midY - from.midY)
    let ratio = to.area / from.area
    return (
      (dx * dx + dy * dy).squareRoot(), ratio > 0 && ratio.isFinite ? log(ratio) / 2 : 0
    )
  }

  /// - Returns: a multiple of 2⁻²⁰, so that a mirrored picture, whose numbers are rounded
  ///   differently, gets the same scores.
  func score(_ weights: DirectorWeights, _ course: Course) -> Double {
    func share(_ value: Double) -> Double { value.isNaN ? 0 : max(0, min(1, value)) }
    let rect = best.normalizedRect
    let (x, y) = (rect.midX - 0.5, rect.midY - 0.5)
    let spread = 2 * weights.centralRadius * weights.centralRadius
    let disparity = max(0, Double(best.focusDisparity))
    var score = weights.facing * share(course.facing)
    let size = share(area.squareRoot() / weights.fullSize)
    score += weights.size * size
    score += weights.nearness * share(disparity / (disparity + weights.halfNearness))
    score += weights.centrality * share(exp(-(x * x + y * y) / spread))
    score += weights.motion * share(course.speed / weights.fullSpeed)
    score += weights.approach * size * share(course.growth / weights.fullGrowth)
    score += weights.novelty * share(exp(-max(0, course.age) / weights.noveltyTime))
    // half a face at the picture's edge is half a subject
    let whole = NormalizedRect(x: 0, y: 0, width: 1, height: 1)
    score *= rect.area > 0 ? share(rect.intersection(whole).area / rect.area) : 0
    score += weights.term(of: best.detectionType)
    return (score * 0x1p20).rounded() / 0x1p20
  }

  /// How far two disparities lie apart, 0 to 1, whatever their scale and the other subjects'.
  static func difference(_ a: Double, _ b: Double) -> Double {
    let larger = max(abs(a), abs(b))
    return larger > 0 ? min(1, abs(a - b) / larger) : 0
  }
}

extension Decision.FocusDetectionID {
  /// An order that does not depend on how things were given: groups by id, then tracks by id.
  func precedes(_ other: Self) -> Bool {
    switch (self, other) {
    case (.group(let a), .group(let b)): a < b
    case (.single(let a), .single(let b)): a < b
    case (.group, .single): true
    case (.single, .group): false
    }
  }
}
