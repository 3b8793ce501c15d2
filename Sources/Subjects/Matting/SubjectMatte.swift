// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalEyes
import FocalRendering
import SubjectKernels

extension Array where Element: BitwiseCopyable {
  /// Numbers that a kernel sets, all of them: zeros would be written first.
  init(unset count: Int) {
    self.init(unsafeUninitializedCapacity: count) { $1 = count }
  }
}

/// The soft outline of subjects, at a size at which it can be worked out at once.
///
/// Around the outline of the labels, pixels are not known. Colours nearby say how much of each is the front's; alpha is then
/// a line of the colours within each small window, as nearly as it can be to that. The lines hold at the picture's size,
/// too, so that the picture's own pixels draw the outline there (``MattePainter``).
struct SubjectMatte: Sendable {
  /// As shown.
  let dimensions: Dimensions
  /// 1 for the front, 2 for the back, 0 between.
  private(set) var fixed: [UInt8]
  /// 0 to 1.
  private(set) var alpha: [Float]
  /// Four floats a pixel: slopes and offset of alpha as a line of linear light.
  private(set) var lines: [Float]
  let colours: MatteColours

  /// How far inside and outside the labels' outline alpha is not known, in parts of the longer side.
  private static let inner: Float = 7 / 1024
  private static let outer: Float = 24 / 1024
  /// From here on inside and outside, in parts of the longer side, pixels are examples of their side.
  private static let exampleInside: Float = 1 / 1024
  private static let exampleOutside: Float = 4 / 1024
  /// How many cells of examples the longer side has.
  private static let cells = 36
  /// How many cells of colours that are seen at all. In smaller ones print that ends beside a subject is not seen, in larger
  /// ones what has like colours elsewhere is.
  private static let seenCells = 10
  /// The labels count like colours that are so far apart, where colours are usual on both sides.
  private static let before: Float = 30
  /// The least weight of what is believed, and how it grows: at once, and where alpha gives the examples.
  private static let leastWeight: Float = 1e-4
  private static let weightScale: Float = 0.02
  private static let finerWeightScale: Float = 0.1
  /// How often outlines of photographs are worked out. Once, the sum of differences on hair and rims is a third larger; a
  /// fourth time takes a twentieth of it.
  private static let fineRounds = 3
  /// Of conjugate gradients; twice as many change the sum of differences by less than a hundredth.
  private static let rounds: Int32 = 8

  /// Less alpha holds nothing together: at .05 specks beside a phone's portrait hang on.
  static let haze: Float = 0.3
  /// Less lies around what holds together, up to so many pixels away.
  private static let hazeReach: Float = 3

  /// - Parameters:
  ///   - labels: 1 for the subjects, at the size of the view's analysis.
  ///   - certain: 1 for what is theirs whatever its colour, at that size; empty if nothing is.
  ///   - map: of the picture. At the size of outlines it tells strands, too.
  ///   - part: of the view, which is worked on; by default what the outline depends on.
  /// - Throws: `outOfMemory`, `cancelled`.
  init(
    view: SubjectView, labels: [UInt8], certain: [UInt8] = [], map: AnalysisMap? = nil,
    part: PixelRect? = nil
  ) throws(CinematicError) {
    let whole = view.outline
    // The first ones have the last word.
    var sides: [MatteSides] = []
    if certain.contains(1) { sides.append(MatteSides(certain, of: view.analysis)) }
    if let map { sides.append(try MatteSides(map, labels: labels, view: view)) }
    let soft = try labels.map { Float($0) }.resized(from: view.analysis, to: whole)
    let part = part ?? Self.part(of: soft, view)
    guard part != PixelRect(whole) else {
      self = try SubjectMatte(
        light: view.light, soft: soft, part: part, sides: sides, view: view)
      return
    }
    let solved = try SubjectMatte(
      light: view.light.part(part, of: whole, 3), soft: soft.part(part, of: whole, 1),
      part: part, sides: sides, view: view)
    dimensions = whole
    fixed = solved.fixed.placed(at: part, of: whole, 1, in: 2)
    alpha = solved.alpha.placed(at: part, of: whole, 1, in: 0)
    lines = solved.lines.placed(at: part, of: whole, 4, in: 0)
    colours = MatteColours(alpha: solved.alpha, of: part, in: view.light, whole)
  }

  /// The part of a view that the outline of its subjects depends on: as far as examples are taken from. Of photographs it is
  /// the whole, since what is asked spreads there and examples are taken from far away.
  private static func part(of soft: [Float], _ view: SubjectView) -> PixelRect {
    let size = view.outline
    guard !view.isFine, let seen = PixelRect(of: soft, size, above: 0) else {
      return PixelRect(size)
    }
    let longer = Float(max(size.width, size.height))
    let side = cellSide(longer)
    let reach = Int((max(3, outer * longer) + exampleOutside * longer).rounded(.up)) + 3 * side
    // Where cells begin in the whole view, too.
    func widened(_ range: Range<Int>, _ end: Int) -> Range<Int> {
      max(0, range.lowerBound - reach) / side
        * side..<min(end, (range.upperBound + reach + side - 1) / side * side)
    }
    return PixelRect(
      columns: widened(seen.columns, size.width), rows: widened(seen.rows, size.height))
  }

  /// The side of a cell of examples.
  private static func cellSide(_ longer: Float) -> Int { Int(max(6, longer / Float(cells))) }

  /// - Parameters:
  ///   - light: three floats a pixel of a part of the view, or of all of it.
  ///   - soft: how much of each pixel is the subjects'.
  ///   - part: which part that is.
  private init(
    light: [Float], soft: [Float], part: PixelRect, sides: [MatteSides], view: SubjectView
  ) throws(CinematicError) {
    let size = part.dimensions
    let (width, height) = (Int32(size.width), Int32(size.height))
    let longer = Float(max(view.outline.width, view.outline.height))
    let count = Int32(size.count)
    var hard = [UInt8](unset: size.count)
    _ = focal_matte_above(soft, count, 0.5, &hard)
    var distance = [Float](unset: size.count)
    try kernel(size) { [hard] in focal_edge_distance(hard, width, height, &distance) }
    // Small pictures have pixels to ask, too.
    let inner = max(2, Self.inner * longer)
    let outer = max(3, Self.outer * longer)
    let (inside, outside) = (Self.exampleInside * longer, Self.exampleOutside * longer)
    var fixed = [UInt8](unset: size.count)
    var examples = [UInt8](unset: size.count)
    focal_matte_zones(distance, count, inner, outer, inside, outside, &fixed, &examples)
    for sides in sides { sides.hold(&fixed, &examples, part: part, of: view.outline) }
    var alpha = soft
    var weight = [Float](unset: size.count)
    var lines = [Float](unset: 4 * size.count)
    var seen = [Float](unset: view.isFine ? 2 * size.count : 0)
    let rounds = view.isFine ? Self.fineRounds : 1
    for round in 0..<rounds {
      try GenerateForegroundInstanceMaskRequest.checkCancellation()
      if round > 0 {
        let wrong = try Self.thick(alpha, distance, longer, size)
        for place in wrong.indices where wrong[place] != 0 {
          alpha[place] = wrong[place] == 1 ? 1 : 0
        }
        try Self.follow(
          alpha, &fixed, &examples, inside: distance, least: inside, reach: outer, size)
        for sides in sides { sides.hold(&fixed, &examples, part: part, of: view.outline) }
        for place in wrong.indices where wrong[place] != 0 {
          fixed[place] = wrong[place]
          examples[place] = wrong[place] == 1 ? 1 : 0
        }
        alpha = soft
      }
      if view.isFine {
        try kernel(size) {
          focal_matte_seen(
            light, examples, fixed, width, height,
            Int32(max(16, longer / Float(Self.seenCells))), &seen)
        }
      }
      try kernel(size) {
        focal_matte_belief(
          light, examples, fixed, view.isFine ? seen : nil, width, height,
          Int32(Self.cellSide(longer)), Self.before, Self.leastWeight,
          view.isFine ? Self.finerWeightScale : Self.weightScale,
          &alpha, &weight)
      }
      let belief = alpha
      // The last ones count.
      let isLast = round == rounds - 1
      try kernel(size) {
        lines.withUnsafeMutableBufferPointer {
          focal_matte_solve(
            light, fixed, belief, weight, width, height, Self.rounds, &alpha,
            isLast ? $0.baseAddress : nil)
        }
      }
    }
    let wrong = try Self.thick(alpha, distance, longer, size)
    for place in wrong.indices where wrong[place] != 0 {
      fixed[place] = wrong[place]
      alpha[place] = wrong[place] == 1 ? 1 : 0
      for part in 0..<3 { lines[4 * place + part] = 0 }
      lines[4 * place + 3] = alpha[place]
    }
    // In clips what is dropped would come back from frame to frame.
    let endless =
      view.isFine ? try Self.endless(alpha, light, fixed, distance, longer, size) : []
    for place in endless.indices where endless[place] != 0 {
      fixed[place] = 2
      alpha[place] = 0
      for part in 0..<4 { lines[4 * place + part] = 0 }
    }
    // Haze that hangs together with no subject is something else of like colour.
    var visible = [UInt8](unset: size.count)
    _ = focal_matte_above(alpha, count, Self.haze, &visible)
    try kernel(size) { [hard] in focal_subject_keep(hard, width, height, &visible) }
    try kernel(size) { focal_edge_gap(visible, width, height, &distance) }
    focal_matte_drop(distance, count, Self.hazeReach, &fixed, &alpha, &lines)
    dimensions = size
    (self.fixed, self.alpha, self.lines) = (fixed, alpha, lines)
    colours = MatteColours(alpha: alpha, of: PixelRect(size), in: light, size)
  }

  /// Nothing.
  static let empty = SubjectMatte()

  private init() {
    dimensions = Dimensions(width: 1, height: 1)
    (fixed, alpha, lines) = ([2], [0], [0, 0, 0, 0])
    colours = .none
  }

  /// Keeps outlines as they were where nothing moves.
  ///
  /// - Parameters:
  ///   - last: of the frame before, of the same size.
  ///   - still: 0 to 1, of a size of its own.
  ///   - was: where subjects were, of that size.
  ///   - moved: where they have come or gone.
  mutating func steady(
    after last: SubjectMatte, still: [Float], was: [UInt8], moved: [UInt8], size: Dimensions
  ) {
    let certain = fixed
    focal_matte_steady(
      &lines, &alpha, &fixed, certain, last.lines, last.alpha, last.fixed, still, was, moved,
      Int32(dimensions.width), Int32(dimensions.height), Int32(size.width), Int32(size.height),
      Self.kept)
  }

  /// How much of an outline is kept where all is still: at .8, edges flicker by twice as much.
  private static let kept: Float = 0.92

  /// The smallest part of a picture of a size in which alpha is not zero; `nil` where it is zero everywhere.
  ///
  /// - Parameter accent: lies around the front, and is in the part as well.
  func extent(in size: Dimensions, with accent: SubjectEffect.Accent = .none) -> PixelRect? {
    guard let rect = PixelRect(of: alpha, dimensions, above: Self.visible) else { return nil }
    let reach = accent.cover(in: dimensions).reach
    // A pixel more, since finer ones may reach further.
    func scaled(
      _ range: Range<Int>, before: Int, after: Int, _ from: Int, _ to: Int
    ) -> Range<Int> {
      let low = max(0, range.lowerBound - before - 1) * to / from
      let high = (min(from, range.upperBound + after + 1) * to + from - 1) / from
      return low..<min(to, max(low + 1, high))
    }
    return PixelRect(
      columns: scaled(
        rect.columns, before: reach.left, after: reach.right, dimensions.width, size.width),
      rows: scaled(
        rect.rows, before: reach.up, after: reach.down, dimensions.height, size.height))
  }

  /// Less is nothing.
  private static let visible: Float = 0.02

  /// The same as the picture is stored.
  func turned(by turn: QuarterTurn) -> SubjectMatte {
    turn == .identity ? self : SubjectMatte(self, turn)
  }

  private init(_ shown: SubjectMatte, _ turn: QuarterTurn) {
    let size = shown.dimensions
    dimensions = turn.inverse.applied(to: size)
    fixed = turn.stored(shown.fixed, size, 1)
    alpha = turn.stored(shown.alpha, size, 1)
    lines = turn.stored(shown.lines, size, 4)
    colours = shown.colours.turned(by: turn, size)
  }
}
