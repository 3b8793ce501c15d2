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

  /// Thick parts in which alpha is not the labels': 1 for what is the front's by them, 2 for what is not, 0 elsewhere; empty if
  /// there are none.
  ///
  /// - Parameter distance: how far inside the labels' outline each pixel is.
  static func thick(
    _ alpha: [Float], _ distance: [Float], _ longer: Float, _ size: Dimensions
  ) throws(CinematicError) -> [UInt8] {
    let (width, height) = (Int32(size.width), Int32(size.height))
    // Of small pictures, strands are a few pixels thick.
    let radius = max(3, thickness * longer)
    let reach = max(2.5, labelsReach * longer)
    var result: [UInt8] = []
    var differs = [UInt8](unset: size.count)
    for side in [UInt8(1), 2] {
      guard focal_matte_differs(alpha, distance, Int32(size.count), reach, side, &differs) != 0
      else { continue }
      var depth = [Float](unset: size.count)
      try kernel(size) { [differs] in focal_edge_depth(differs, width, height, &depth) }
      var cores = [UInt8](unset: size.count)
      guard focal_matte_above(depth, Int32(size.count), radius.nextDown, &cores) != 0 else {
        continue
      }
      var gap = depth
      try kernel(size) { focal_edge_gap(cores, width, height, &gap) }
      if result.isEmpty { result = [UInt8](repeating: 0, count: size.count) }
      for place in differs.indices where differs[place] != 0 && gap[place] < radius + 1.5 {
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
    var away = [Float](unset: size.count)
    try kernel(size) {
      focal_edge_gap(goesOn, Int32(size.width), Int32(size.height), &away)
    }
    for place in fixed.indices where fixed[place] == 2 && away[place] < reach {
      fixed[place] = 0
    }
  }

  /// Lines that lead from the outline out of everything that was asked, and go on there: strands end.
  ///
  /// - Parameters:
  ///   - light: three floats a pixel.
  ///   - distance: how far inside the labels' outline each pixel is.
  /// - Returns: 1 for their pixels, 0 elsewhere; empty if there are none.
  static func endless(
    _ alpha: [Float], _ light: [Float], _ fixed: [UInt8], _ distance: [Float], _ longer: Float,
    _ size: Dimensions
  ) throws(CinematicError) -> [UInt8] {
    // Nearer to the outline they hang together with its own softness.
    let reach = 2 * max(2.5, labelsReach * longer)
    let mostWidth = 2 * max(3, thickness * longer)
    let (width, height) = (size.width, size.height)
    var isOpen = fixed.indices.map {
      fixed[$0] == 0 && alpha[$0] > haze && distance[$0] < -reach
    }
    var lines: [(part: [Int], line: Line)] = []
    for start in fixed.indices where isOpen[start] {
      isOpen[start] = false
      var part = [start]
      var next = 0
      while next < part.count {
        let (x, y) = (part[next] % width, part[next] / width)
        next += 1
        for v in max(0, y - 1)...min(height - 1, y + 1) {
          for u in max(0, x - 1)...min(width - 1, x + 1) where isOpen[v * width + u] {
            isOpen[v * width + u] = false
            part.append(v * width + u)
          }
        }
      }
      guard Float(part.count) > mostWidth, let line = Line(part, distance, size),
        line.length > mostWidth, Float(part.count) < mostWidth * line.length
      else { continue }
      lines.append((part, line))
    }
    guard !lines.isEmpty else { return [] }
    var result = fixed.map { $0 == 2 ? UInt8(1) : 0 }
    var away = [Float](unset: size.count)
    try kernel(size) { [result] in
      focal_edge_gap(result, Int32(width), Int32(height), &away)
    }
    result = [UInt8](repeating: 0, count: size.count)
    for (part, line) in lines {
      // Alpha fades towards what was not asked.
      guard part.contains(where: { away[$0] < mostWidth }),
        line.goesOn(in: light, size, aside: mostWidth)
      else { continue }
      for place in part { result[place] = 1 }
    }
    guard result.contains(1) else { return [] }
    // And how they begin.
    try kernel(size) { focal_edge_gap(result, Int32(width), Int32(height), &away) }
    for place in result.indices where away[place] < reach && distance[place] < -0.5 {
      result[place] = 1
    }
    return result
  }

  /// The axis of a thin part that leads away from an outline.
  private struct Line {
    let root: SIMD2<Float>
    let direction: SIMD2<Float>
    let length: Float

    /// How far ahead it is looked for, in parts of what is beside it.
    private static let ahead: Float = 4

    /// - Returns: `nil` of a part that leads nowhere.
    init?(_ part: [Int], _ distance: [Float], _ size: Dimensions) {
      let sorted = part.sorted { distance[$0] > distance[$1] }
      let share = max(1, part.count / 4)
      func middle(_ places: ArraySlice<Int>) -> SIMD2<Float> {
        let sum = places.reduce(SIMD2<Float>.zero) {
          $0 + SIMD2(Float($1 % size.width), Float($1 / size.width))
        }
        return sum / Float(places.count)
      }
      let (root, tip) = (middle(sorted.prefix(share)), middle(sorted.suffix(share)))
      let way = tip - root
      let gap = (way * way).sum().squareRoot()
      guard gap > 1 else { return nil }
      (self.root, direction) = (root, way / gap)
      let direction = direction
      length =
        part.map { place in
          ((SIMD2(Float(place % size.width), Float(place / size.width)) - root) * direction).sum()
        }.max() ?? 0
    }

    /// Whether a line of the same light follows beyond the part's end.
    ///
    /// - Parameter aside: how far from its middle is beside it, in pixels.
    func goesOn(in light: [Float], _ size: Dimensions, aside: Float) -> Bool {
      let across = SIMD2(-direction.y, direction.x)
      func color(_ place: SIMD2<Float>) -> SIMD3<Float>? {
        let (x, y) = (Int(place.x.rounded()), Int(place.y.rounded()))
        guard x >= 0, x < size.width, y >= 0, y < size.height else { return nil }
        let at = 3 * (y * size.width + x)
        return SIMD3(light[at], light[at + 1], light[at + 2])
      }
      /// How the line differs from what is beside it.
      func contrast(_ way: Float, _ shift: Float) -> SIMD3<Float>? {
        let place = root + way * direction + shift * across
        guard let on = color(place), let left = color(place - aside * across),
          let right = color(place + aside * across)
        else { return nil }
        return on - 0.5 * (left + right)
      }
      var own = SIMD3<Float>.zero
      let steps = max(1, Int(length))
      for step in 0..<steps {
        guard let found = contrast(Float(step), 0) else { return false }
        own += found / Float(steps)
      }
      let strength = (own * own).sum()
      guard strength > 1e-6 else { return false }
      let asked = Int(Self.ahead * aside)
      var (following, before, run, gap) = (0, 0, 0, 0)
      for step in 1...asked {
        // It may bend a little.
        let found = [Float(-1), 0, 1].compactMap { shift -> Float? in
          contrast(length + Float(step), shift).map { ($0 * own).sum() / strength }
        }
        let isSeen = found.contains { $0 > 0.5 }
        following += isSeen ? 1 : 0
        run = isSeen ? 0 : run + 1
        gap = max(gap, run)
        if step == asked / 2 { before = following }
      }
      // Something may lie before it once.
      gap = min(gap, asked / 2)
      return 4 * before >= 3 * (asked / 2) || 4 * following >= 3 * (asked - gap)
    }
  }
}
