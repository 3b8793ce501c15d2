// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Foundation

extension PixelBuffer {
  /// The disparity of what most likely is a picture's subject, by its map alone: the one rule for
  /// everything about whose focus nothing is said.
  ///
  /// Of all disparities it takes the one at which a lens shows the largest and nearest part of the
  /// picture: the share of the picture that lies within a twelfth of the map's span of it, times the
  /// square of its nearness, where the middle of the picture counts more than its edges (a bell curve
  /// of a quarter of the width and the height). The span goes from the fiftieth part of the map that
  /// is farthest to the fiftieth that is nearest, whose nearness is 1. The result is the mean of the
  /// disparities of that part.
  ///
  /// - Returns: `nil` for a map of holes, and for a buffer that is no disparity map.
  public var subjectDisparity: Float? { mapSubject?.disparity }

  /// The same, with the span of disparities that it was found in, which is empty in a map of one disparity.
  package var mapSubject: (disparity: Float, range: ClosedRange<Float>)? {
    guard format.isDisparity else { return nil }
    // One weighed value for each element of a grid that is fine enough for a subject.
    var samples: [(value: Float, weight: Double)] = []
    let columns = min(width, SubjectRule.gridSide)
    let rows = min(height, SubjectRule.gridSide)
    samples.reserveCapacity(columns * rows)
    for row in 0..<rows {
      let y = (Double(row) + 0.5) / Double(rows)
      for column in 0..<columns {
        let x = (Double(column) + 0.5) / Double(columns)
        let place = NormalizedPoint(x: x, y: y).pixel(in: dimensions)
        guard let value = disparity(x: place.x, y: place.y) else { continue }
        samples.append((value, SubjectRule.weight(x: x - 0.5, y: y - 0.5)))
      }
    }
    return SubjectRule.subject(of: samples)
  }
}

/// The numbers of ``FocalCore/PixelBuffer/subjectDisparity``. They were chosen on photographs, phone
/// clips and traced scenes of one to many people, of things on tables and of landscapes.
private enum SubjectRule {
  static let gridSide = 160
  /// The bell curve's width, as a share of the picture's sides. A wider one lets what leans into the
  /// picture at an edge win.
  static let centreWidth = 0.25
  /// The depth of focus, on either side, as a share of the map's span.
  static let depthOfField: Float = 1 / 12
  /// The share of a map at either end that may be errors.
  static let outliers = 0.02
  static let candidates = 128

  static func weight(x: Double, y: Double) -> Double {
    exp(-(x * x + y * y) / (2 * centreWidth * centreWidth))
  }

  static func subject(
    of samples: [(value: Float, weight: Double)]
  ) -> (disparity: Float, range: ClosedRange<Float>)? {
    let sorted = samples.sorted { $0.value < $1.value }
    guard let first = sorted.first, let last = sorted.last else { return nil }
    let cut = Int(outliers * Double(sorted.count))
    let (low, high) = (sorted[cut].value, sorted[sorted.count - 1 - cut].value)
    let range = low...high
    guard high > low else { return (first.value == last.value ? first.value : low, range) }
    let span = high - low
    /// 0 for the farthest, 1 for the nearest.
    let nearness = sorted.map { max(0, min(1, ($0.value - low) / span)) }
    var best: (score: Double, nearness: Float) = (-1, 0)
    for candidate in 0...candidates {
      let centre = Float(candidate) / Float(candidates)
      var share = 0.0
      let start = nearness.partitionPoint { $0 <= centre - depthOfField }
      for index in start..<nearness.count {
        let distance = abs(nearness[index] - centre)
        guard nearness[index] < centre + depthOfField else { break }
        share += sorted[index].weight * Double(1 - distance / depthOfField)
      }
      let score = share * Double(centre * centre)
      if score > best.score { best = (score, centre) }
    }
    var (sum, total) = (0.0, 0.0)
    for index in nearness.indices where abs(nearness[index] - best.nearness) < depthOfField {
      sum += Double(sorted[index].value) * sorted[index].weight
      total += sorted[index].weight
    }
    return (total > 0 ? Float(sum / total) : low, range)
  }
}
