// SPDX-License-Identifier: Apache-2.0

import EyeKernels
import FocalCore
import SubjectKernels

/// A map of disparity for the analysis: upright, 0 to 1, without holes.
struct AnalysisMap: Sendable {
  let dimensions: Dimensions
  /// At the size of the analysis.
  let values: [Float]
  /// The size at which parts of the map are looked for.
  let coarse: Dimensions
  /// At that size.
  let coarseValues: [Float]
  /// How far they rise above the ground of their row.
  let prominence: [Float]
  /// The same at the size of the analysis.
  let risen: [Float]

  /// Parts of a map are no smaller than what is seen at this longer side.
  static let coarseSide = 256
  /// The shares of a map's disparities below and above which they are outliers.
  private static let outliers = (0.01, 0.99)
  /// How many disparities tell the range.
  private static let sampleCount = 50_000
  /// Of a row that is at least ground: at a third, subjects that fill much of a row are taken for ground; below a tenth a
  /// single far place in a row makes all of its floor stand out.
  private static let groundShare: Float = 0.15

  /// How many codes the range has at least: where fewer hold all of a map, the steps between them, as of a ramp, are no
  /// outlines.
  private static let leastCodes: Float = 32
  /// Wider steps are not codes, but places of a map that has few distances.
  private static let widestCode: Float = 1 / 200
  /// What the range is at least, in parts of the disparities themselves: less is noise.
  private static let leastRange: Float = 0.02
  /// How many disparities tell the codes.
  private static let codeSampleCount = 2000

  /// - Parameter map: as stored, in a disparity format.
  /// - Throws: `outOfMemory`.
  init(
    _ map: PixelBuffer, turn: QuarterTurn, dimensions: Dimensions
  ) throws(CinematicError) {
    let upright = turn == .identity ? map : try map.turnedDisparity(by: turn)
    let cells = upright.format == .disparityFloat ? upright.cells : upright.disparityValues
    let step = max(1, cells.count / Self.sampleCount)
    var known: [Float] = []
    known.reserveCapacity(cells.count / step + 1)
    for place in stride(from: 0, to: cells.count, by: step)
    where abs(cells[place]) <= PixelBuffer.largestDisparity {
      known.append(cells[place])
    }
    let code = Self.code(of: known)
    // Without a disparity all is ground.
    let low = known.isEmpty ? 0 : known.value(at: Int(Double(known.count - 1) * Self.outliers.0))
    let high = known.isEmpty ? 0 : known.value(at: Int(Double(known.count - 1) * Self.outliers.1))
    let least = max(
      code <= Self.widestCode ? Self.leastCodes * code : 0,
      Self.leastRange * max(abs(low), abs(high)))
    let scale = high > low ? 1 / max(high - low, least) : 0
    // Holes are mostly what one eye does not see behind an edge.
    var shares = [Float](unset: cells.count)
    focal_map_shares(
      cells, Int32(cells.count), low, scale, PixelBuffer.largestDisparity, &shares)
    self.dimensions = dimensions
    values = try shares.resized(from: upright.dimensions, to: dimensions)
    coarse = dimensions.fitting(longerSide: Self.coarseSide)
    let small = try shares.resized(from: upright.dimensions, to: coarse)
    coarseValues = small
    var prominence = [Float](repeating: 0, count: coarse.count)
    try kernel(coarse) { [coarse] in
      focal_subject_ground(
        small, Int32(coarse.width), Int32(coarse.height), Self.groundShare, &prominence)
    }
    self.prominence = prominence
    risen = try prominence.resized(from: coarse, to: dimensions)
  }

  /// The smallest step between disparities: a code of whole numbers, next to nothing of others.
  private static func code(of known: [Float]) -> Float {
    let stride = max(1, known.count / codeSampleCount)
    let sorted = Swift.stride(from: 0, to: known.count, by: stride).map { known[$0] }.sorted()
    var least = Float.infinity
    for (value, next) in zip(sorted, sorted.dropFirst()) where next > value {
      least = min(least, next - value)
    }
    return least
  }
}

extension [Float] {
  /// The cells of a map at another size, as ``FocalCore/PixelBuffer/resizedMap(to:)`` gives them, without a map for either.
  ///
  /// - Throws: `outOfMemory`.
  func resized(from size: Dimensions, to other: Dimensions) throws(CinematicError) -> [Float] {
    guard size != other else { return self }
    var values = [Float](unset: other.count)
    try kernel(other) {
      focal_resize_map(
        self, Int32(size.width), Int32(size.height), &values, Int32(other.width),
        Int32(other.height))
    }
    return values
  }

  /// The value that lies at a place when they are sorted; moves them about.
  ///
  /// - Precondition: numbers, and a place among them.
  mutating func value(at rank: Int) -> Float {
    var (first, last) = (0, count - 1)
    while first < last {
      let (a, b, c) = (self[first], self[first + (last - first) / 2], self[last])
      let middle = Swift.max(Swift.min(a, b), Swift.min(Swift.max(a, b), c))
      var (low, high) = (first, last)
      while low <= high {
        while self[low] < middle { low += 1 }
        while self[high] > middle { high -= 1 }
        guard low <= high else { break }
        swapAt(low, high)
        low += 1
        high -= 1
      }
      // What lies between both is the middle.
      if rank <= high {
        last = high
      } else if rank >= low {
        first = low
      } else {
        return middle
      }
    }
    return self[first]
  }
}

extension PixelBuffer {
  /// Disparities row by row; not a number where there is none.
  ///
  /// - Precondition: a disparity format.
  var disparityValues: [Float] {
    if format == .disparityFloat {
      return cells.map { abs($0) <= Self.largestDisparity ? $0 : .nan }
    }
    var values = [Float](repeating: .nan, count: dimensions.count)
    for y in 0..<height {
      for x in 0..<width { values[y * width + x] = disparity(x: x, y: y) ?? .nan }
    }
    return values
  }
}

/// Runs a kernel that says whether memory was refused.
///
/// - Throws: `outOfMemory`.
func kernel(_ size: Dimensions, _ body: () -> Int32) throws(CinematicError) {
  guard body() == 0 else {
    throw CinematicError(
      .outOfMemory, "no memory to look for subjects in a picture of \(size)",
      remedy: "use a smaller picture")
  }
}
