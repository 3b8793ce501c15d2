// SPDX-License-Identifier: Apache-2.0

import FocalCore
import SubjectKernels

/// What is certain around an outline: pixels that a map's disparities, or a point that was given, make one side's, whatever their
/// colour.
struct MatteSides {
  private let dimensions: Dimensions
  /// 1 for the front, 2 for the back, 0 elsewhere.
  private let sides: [UInt8]

  /// From here on inside and outside disparities are those of the sides, in parts of the longer side.
  private static let apart: Float = 14 / 1024
  /// The least step between both, in parts of the map's range.
  private static let leastStep: Float = 0.06
  /// How deep inside the outline the front is at least, and how far around it has the front's disparity, in parts of the
  /// longer side: nearer, alphas of hair and rims would become whole.
  private static let inside: Float = 3 / 1024
  private static let around: Float = 2 / 1024
  /// A map shows strands if so much of it is thin and rises so far: of phones' and models' it is less than a thousandth, and
  /// of rendered ones a hundredth.
  private static let leastStrands: Float = 0.005
  private static let strandContrast: Float = 0.12

  /// - Parameter certain: 1 for the front, 0 for what is not known, at a size.
  init(_ certain: [UInt8], of size: Dimensions) { (sides, dimensions) = (certain, size) }

  /// - Parameters:
  ///   - map: at the size of outlines, at which strands are seen, or a smaller one.
  ///   - labels: 1 for the subjects, at the size of the view's analysis.
  /// - Throws: `outOfMemory`.
  init(_ map: AnalysisMap, labels: [UInt8], view: SubjectView) throws(CinematicError) {
    let size = map.dimensions
    dimensions = size
    let (width, height) = (Int32(size.width), Int32(size.height))
    var own = labels
    if size != view.analysis {
      own = try labels.map { Float($0) }.resized(from: view.analysis, to: size)
        .map { $0 > 0.5 ? 1 : 0 }
    }
    var distance = [Float](unset: size.count)
    try kernel(size) { focal_edge_distance(own, width, height, &distance) }
    var strands: Float = 0
    if size == view.outline {
      try kernel(size) {
        focal_map_strands(map.values, width, height, Self.strandContrast, &strands)
      }
    }
    let longer = Float(max(size.width, size.height))
    var sides = [UInt8](unset: size.count)
    try kernel(size) {
      focal_matte_sides(
        map.values, distance, width, height, max(4, Self.apart * longer), Self.leastStep,
        max(1, Self.inside * longer), Int32(max(1, Self.around * longer)),
        strands > Self.leastStrands ? 1 : 0, &sides)
    }
    self.sides = sides
  }

  /// Fixes what is certain, and makes it an example.
  ///
  /// - Parameters:
  ///   - part: of the picture at a size, to which both belong.
  func hold(
    _ fixed: inout [UInt8], _ examples: inout [UInt8], part: PixelRect, of whole: Dimensions
  ) {
    focal_matte_hold(
      sides, Int32(dimensions.width), Int32(dimensions.height), Int32(part.x), Int32(part.y),
      Int32(whole.width), Int32(whole.height), Int32(part.width), Int32(part.height), &fixed,
      &examples)
  }
}
