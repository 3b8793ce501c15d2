// SPDX-License-Identifier: Apache-2.0

import FocalCore
import SubjectKernels

/// What is learned from an alpha before outlines are worked out once more.
extension SubjectMatte {
  /// Of an alpha, what is above and below is an example for the next.
  private static let examples: ClosedRange<Float> = 0.3...0.7
  /// More at the border of what is asked goes on beyond it: the end of a strand, a rim.
  private static let goingOn: Float = 0.4
  /// Parts that differ from the labels and are thicker than twice this, in parts of the longer side, are no hair and no rim:
  /// they have the colour of the other side, and the labels know better. So far from their outline they do.
  private static let thickness: Float = 3 / 1024
  private static let labelsReach: Float = 2.5 / 1024

  /// Thick parts in which alpha is not the labels': 1 for what is the front's by them, 2 for what is not, 0 elsewhere.
  ///
  /// - Parameter distance: how far inside the labels' outline each pixel is.
  static func thick(
    _ alpha: [Float], _ distance: [Float], _ longer: Float, _ size: Dimensions
  ) throws(CinematicError) -> [UInt8] {
    let (width, height) = (Int32(size.width), Int32(size.height))
    // Of small pictures, strands are a few pixels thick.
    let radius = max(3, thickness * longer)
    let reach = max(2.5, labelsReach * longer)
    var result = [UInt8](repeating: 0, count: size.count)
    for side in [UInt8(1), 2] {
      let differs = alpha.indices.map { place -> UInt8 in
        side == 1
          ? (alpha[place] < 0.5 && distance[place] > reach ? 1 : 0)
          : (alpha[place] > 0.5 && distance[place] < -reach ? 1 : 0)
      }
      guard differs.contains(1) else { continue }
      var depth = [Float](repeating: 0, count: size.count)
      try kernel(size) { focal_edge_distance(differs, width, height, &depth) }
      let cores = depth.map { $0 >= radius ? UInt8(1) : 0 }
      guard cores.contains(1) else { continue }
      try kernel(size) { focal_edge_distance(cores, width, height, &depth) }
      for place in differs.indices where differs[place] != 0 && depth[place] > -(radius + 1.5) {
        result[place] = side
      }
    }
    return result
  }

  /// Takes examples from an alpha, and asks further where that goes on beyond what was asked.
  ///
  /// - Parameters:
  ///   - distance: how far inside the labels' outline each pixel is, of which more than `least` stays an example.
  ///   - reach: how far is asked around what goes on.
  static func follow(
    _ alpha: [Float], _ fixed: inout [UInt8], _ examples: inout [UInt8], inside distance: [Float],
    least: Float, reach: Float, _ size: Dimensions
  ) throws(CinematicError) {
    var goesOn = [UInt8](repeating: 0, count: size.count)
    var isAnywhere = false
    for y in 1..<max(1, size.height - 1) {
      for place in y * size.width + 1..<max(y * size.width + 1, (y + 1) * size.width - 1)
      where fixed[place] == 0 && alpha[place] > goingOn && distance[place] < 0 {
        let above = place - size.width, below = place + size.width
        guard
          fixed[place - 1] == 2 || fixed[place + 1] == 2 || fixed[above] == 2 || fixed[below] == 2
        else { continue }
        goesOn[place] = 1
        isAnywhere = true
      }
    }
    for place in fixed.indices where fixed[place] == 0 && distance[place] <= least {
      let share = alpha[place]
      examples[place] =
        share > Self.examples.upperBound ? 1 : share < Self.examples.lowerBound ? 0 : 2
    }
    guard isAnywhere else { return }
    var away = [Float](repeating: 0, count: size.count)
    try kernel(size) {
      focal_edge_distance(goesOn, Int32(size.width), Int32(size.height), &away)
    }
    for place in fixed.indices where fixed[place] == 2 && away[place] > -reach {
      fixed[place] = 0
    }
  }
}
