// SPDX-License-Identifier: Apache-2.0

import EyeKernels
import FocalCore
import Foundation

/// A stand-in for disparity: people, found by a segmentation model, before a floor that comes nearer towards the lower
/// edge. Nothing else is told apart, and how near a person stands is guessed by the share of the picture's height.
///
/// On five pictures with reference maps the mean error was .08 to .16 of their range, where a floor alone had .16 to .27;
/// edges are a person's outline, and people who overlap are at one depth.
public final class PeopleProvider: DisparityProvider {
  public let name = "people"
  /// The model's file.
  public var path: String { input.session.path }
  public var description: ModelDescription { input.description }
  private let input: ModelInput
  private let output: Int

  /// Pixels of a map's longer side.
  private static let side = 400
  /// Smaller people, in parts of the picture, are specks.
  private static let leastShare = 0.003

  /// - Throws: `unsupported` for a model of another kind, as ``ModelDescription/init(ofModel:known:)`` and
  ///   ``ModelSession/init(_:library:threads:)``.
  public init(
    _ path: String, library: RuntimeLibrary,
    threads: Int = ProcessInfo.processInfo.activeProcessorCount
  ) throws(CinematicError) {
    let description = try ModelInput.description(of: path, giving: [.people], "people")
    input = try ModelInput(path, description, library: library, threads: threads)
    output = try input.session.index(
      of: description.outputNames.first, among: input.session.outputs, "output")
  }

  public func prepare(for samples: [EstimationInput]) async throws(CinematicError) -> [String] {
    ["a stand-in: people before a rising floor, as near as they are tall; nothing is measured"]
  }

  public func estimate(_ input: EstimationInput) async throws(CinematicError) -> DisparityEstimate {
    let people = try shares(of: input.picture, turn: input.turn)
    return DisparityEstimate(
      map: try .map(Self.scene(people.cells, people.dimensions), people.dimensions), kind: .relative
    )
  }

  /// How surely each pixel shows a person, 0 to 1, as the picture is shown; outlines lie on the picture's edges.
  package func shares(
    of picture: PixelBuffer, turn: QuarterTurn
  ) throws(CinematicError) -> PixelBuffer {
    let view = try input.view(of: picture, turn: turn)
    let result = try input.session.run(view.tensor, input: input.index, outputs: [output])[0]
    let size = turn.applied(to: picture.dimensions).fitting(longerSide: Self.side)
    var shares = try Self.shares(
      result, isLogit: description.givesLogits, path
    ).resizedMap(to: size).cells
    let guide = try EyePicture(picture, turn: turn, dimensions: size).luma
    try Self.refine(&shares, along: guide, size)
    return try .map(shares, size)
  }

  /// What stands for a share of one while medians are found: they come in sixteenths, pass over what differs by less
  /// than one, and are counted in 16 bits.
  private static let refinedScale: Float = 1024

  /// Brings outlines to the edges of the picture.
  ///
  /// - Parameter guide: the picture's luma, of the same size.
  /// - Throws: `outOfMemory`.
  static func refine(
    _ shares: inout [Float], along guide: [UInt8], _ size: Dimensions
  ) throws(CinematicError) {
    for place in shares.indices { shares[place] *= refinedScale }
    guard focal_stereo_refine(guide, Int32(size.width), Int32(size.height), &shares) == 0 else {
      throw .noMemory(for: size)
    }
    for place in shares.indices { shares[place] /= refinedScale }
  }

  /// How surely each pixel shows a person, 0 to 1.
  private static func shares(
    _ result: Tensor, isLogit: Bool, _ path: String
  ) throws(CinematicError) -> PixelBuffer {
    var sides = result.sides
    while sides.count > 3, sides.first == 1 { sides.removeFirst() }
    if sides.count == 2 { sides.insert(1, at: 0) }
    // Planes come first, or last.
    let isLast = sides.count == 3 && sides[0] > 2
    if isLast { sides = [sides[2], sides[0], sides[1]] }
    let isInside = sides.dropFirst().allSatisfy { (2...4096).contains($0) }
    guard sides.count == 3, (1...2).contains(sides[0]), isInside else {
      throw CinematicError(
        .incompatible, "\(path) gives \(result.sides.text) numbers, and no plane of people",
        remedy: "name the output that is one in \(ModelDescription.path(for: path))")
    }
    let (planes, count) = (sides[0], sides[1] * sides[2])
    func value(_ plane: Int, _ place: Int) -> Float {
      result.values[isLast ? place * planes + plane : plane * count + place]
    }
    let first = (0..<count).map { value(0, $0) }
    let shares: [Float]
    if planes == 1 {
      if !isLogit { try checkShares(first, path) }
      shares = isLogit ? first.map { 1 / (1 + exp(-$0)) } : first.map { max(0, min(1, $0)) }
    } else {
      let people = (0..<count).map { value(1, $0) }
      let areShares = isLogit ? false : try addUp(first, people, path)
      shares = areShares ? people : zip(first, people).map { 1 / (1 + exp($0 - $1)) }
    }
    return try .map(
      shares.map { $0.isNaN ? 0 : $0 }, Dimensions(width: sides[2], height: sides[1]))
  }

  /// One plane of shares may leave 0 to 1 by this much: a model that was trained on them overshoots.
  private static let overshoot: Float = 0.25

  /// - Throws: `incompatible` for numbers that are no shares.
  private static func checkShares(
    _ values: [Float], _ path: String
  ) throws(CinematicError) {
    let finite = values.filter(\.isFinite)
    guard let least = finite.min(), let most = finite.max() else { throw notFinite(path) }
    guard least < -overshoot || most > 1 + overshoot else { return }
    throw CinematicError(
      .incompatible,
      "\(path) gives numbers of \(least) to \(most), and shares of people are 0 to 1",
      remedy: "if they are logarithms of odds, write \"logits\": true in "
        + ModelDescription.path(for: path))
  }

  private static func notFinite(_ path: String) -> CinematicError {
    CinematicError(
      .incompatible, "\(path) gives no number that is finite",
      remedy: "check mean, deviation and scale in \(ModelDescription.path(for: path))")
  }

  /// Whether two planes are shares, which add up to one everywhere; else they are logarithms of odds.
  ///
  /// - Throws: `incompatible` for planes that are neither: within 0 to 1, and not adding up.
  private static func addUp(
    _ others: [Float], _ people: [Float], _ path: String
  ) throws(CinematicError) -> Bool {
    let pairs = zip(others, people).filter { $0.isFinite && $1.isFinite }
    guard !pairs.isEmpty else { throw notFinite(path) }
    if pairs.allSatisfy({ $0 >= 0 && $1 >= 0 && abs($0 + $1 - 1) < 0.01 }) { return true }
    if pairs.contains(where: { min($0, $1) < 0 || max($0, $1) > 1 }) { return false }
    throw CinematicError(
      .incompatible,
      "\(path) gives two planes of 0 to 1 that do not add up to one",
      remedy: "if they are logarithms of odds, write \"logits\": true in "
        + "\(ModelDescription.path(for: path)); else name an output that is one plane")
  }

  /// People before a floor.
  static func scene(_ shares: [Float], _ size: Dimensions) -> [Float] {
    var map = [Float](repeating: 0, count: size.count)
    for y in 0..<size.height {
      let below = max(0, (Float(y) + 0.5) / Float(size.height) - 0.55) / 0.45
      let floor = 0.08 + 0.55 * pow(below, 1.3)
      for x in 0..<size.width { map[y * size.width + x] = floor }
    }
    var isSeen = shares.map { !($0 > 0.5) }
    for start in shares.indices where !isSeen[start] {
      // One person, or several who touch each other.
      var (members, next) = ([start], 0)
      isSeen[start] = true
      var rows = start / size.width...start / size.width
      while next < members.count {
        let place = members[next]
        next += 1
        let (x, y) = (place % size.width, place / size.width)
        rows = min(rows.lowerBound, y)...max(rows.upperBound, y)
        for (i, j) in [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)]
        where (0..<size.width).contains(i) && (0..<size.height).contains(j) {
          let other = j * size.width + i
          guard !isSeen[other] else { continue }
          isSeen[other] = true
          members.append(other)
        }
      }
      guard Double(members.count) >= Self.leastShare * Double(size.count) else { continue }
      let nearness = 0.35 + 0.5 * Float(rows.count) / Float(size.height)
      for place in members { map[place] = nearness }
    }
    return map
  }
}
