// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Where a subject is by its movement alone, of clips in which neither a map nor a mask says so: what of it was seen at first,
/// and what has moved with that since. What has only its colours goes again.
struct SubjectTrace {
  /// 0 to 1 a pixel of the analysis, above a half for what is the subject's for certain.
  private(set) var own: [Float]
  /// What holds it, in pixels: the left and upper end, the right and lower one.
  private var low: SIMD2<Float>
  private var high: SIMD2<Float>
  /// Where it goes on beyond the picture's border, which tells nothing of its extent there.
  private var isCut: (low: SIMDMask<SIMD2<Int32>>, high: SIMDMask<SIMD2<Int32>>)
  /// How the subject and what is around it move, in pixels a frame.
  private var way = SIMD2<Float>.zero
  private var wayAround = SIMD2<Float>.zero

  /// How far limbs reach beyond where the subject was at first, in parts of its sides.
  private static let reach: Float = 0.2
  /// What ends so near to the picture's border goes on beyond it, in pixels.
  private static let border: Float = 2
  /// The most that a subject grows or shrinks by from one frame to the next.
  private static let mostScale: Float = 0.03
  /// Movements that differ by less tell nothing, in pixels of the analysis.
  private static let leastDifference: Float = 1
  /// A movement that is so much nearer to one than to the other is that.
  private static let nearer: Float = 0.5
  /// How much what moves with a subject once becomes its own.
  private static let trust: Float = 0.3
  /// How much of that is left a frame after colours have it no more.
  private static let fading: Float = 0.8
  /// The prior of what moves as the background does, and of what lies beyond the subject's reach.
  private static let others: Float = -4
  private static let beyond: Float = -50

  /// - Returns: `nil` of a mask without a pixel.
  init?(_ labels: [UInt8], _ size: Dimensions) {
    guard let extent = Self.extent(of: labels, size) else { return nil }
    own = labels.map { Float($0) }
    (low, high) = extent
    isCut = (low .< Self.border, high .> Self.end(size) - Self.border)
  }

  private static func extent(
    of labels: [UInt8], _ size: Dimensions
  ) -> (low: SIMD2<Float>, high: SIMD2<Float>)? {
    var (low, high) = (SIMD2<Float>(repeating: .infinity), SIMD2<Float>(repeating: -.infinity))
    for place in labels.indices where labels[place] != 0 {
      let at = SIMD2(Float(place % size.width), Float(place / size.width))
      low = pointwiseMin(low, at)
      high = pointwiseMax(high, at)
    }
    return low.x > high.x ? nil : (low, high + 1)
  }

  private static func end(_ size: Dimensions) -> SIMD2<Float> {
    SIMD2(Float(size.width), Float(size.height))
  }

  /// Follows the subject's movement.
  ///
  /// - Parameters:
  ///   - own: carried along the flow.
  ///   - flow: from this frame to the one before, two floats a pixel.
  mutating func move(own: [Float], flow: [Float], _ size: Dimensions) {
    self.own = own
    var parts: [[Float]] = [[], [], [], []]
    var outside: [[Float]] = [[], []]
    let sides = high - low
    let near = (low: low - Self.reach * sides, high: high + Self.reach * sides)
    let far = (low: near.low - sides, high: near.high + sides)
    let columns = Self.range(far.low.x, far.high.x, size.width)
    for y in Self.range(far.low.y, far.high.y, size.height) where y % 2 == 0 {
      for x in columns where x % 2 == 0 {
        let place = y * size.width + x
        let at = SIMD2(Float(x), Float(y))
        let step = SIMD2(flow[2 * place], flow[2 * place + 1])
        if own[place] > 0.5 {
          let from = at + step
          parts[0].append(at.x)
          parts[1].append(at.y)
          parts[2].append(from.x)
          parts[3].append(from.y)
        } else {
          if all(at .> near.low .& at .< near.high) { continue }
          outside[0].append(step.x)
          outside[1].append(step.y)
        }
      }
    }
    guard parts[0].count > 8 else {
      (way, wayAround) = (.zero, .zero)
      return
    }
    let middles = parts.map { Self.median($0) }
    way = SIMD2(
      Self.median(zip(parts[2], parts[0]).map { $0 - $1 }),
      Self.median(zip(parts[3], parts[1]).map { $0 - $1 }))
    let spreads = zip(parts, middles).map { part, middle in
      Self.median(part.map { abs($0 - middle) })
    }
    let scale = (spreads[0] + spreads[1]) / max(1, spreads[2] + spreads[3])
    let middle = 0.5 * (low + high) - way
    let half = 0.5 * sides * max(1 - Self.mostScale, min(1 + Self.mostScale, scale))
    (low, high) = (middle - half, middle + half)
    wayAround =
      outside[0].count > 8 ? SIMD2(Self.median(outside[0]), Self.median(outside[1])) : way
  }

  /// Bounds a seed by what holds the subject, and by what moves.
  func limit(_ seed: inout SubjectSeed, flow: [Float], _ size: Dimensions) {
    guard var prior = seed.prior else { return }
    let reach = Self.reach * (high - low)
    let infinite = SIMD2<Float>(repeating: .infinity)
    let first = (low - reach).replacing(with: -infinite, where: isCut.low)
    let last = (high + reach).replacing(with: infinite, where: isCut.high)
    for place in prior.indices {
      let at = SIMD2(Float(place % size.width), Float(place / size.width))
      if any(at .< first .| at .> last) {
        prior[place] = Self.beyond
        seed.labels[place] = 0
      } else if own[place] < 0.5, side(SIMD2(flow[2 * place], flow[2 * place + 1])) < 0 {
        prior[place] = Self.others
        seed.labels[place] = 0
      }
    }
    seed.prior = prior
  }

  /// Takes what moves with the subject for its own.
  mutating func learn(_ labels: [UInt8], flow: [Float], _ size: Dimensions) {
    if let extent = Self.extent(of: labels, size) {
      // Where it has come in whole, its extent is known.
      let comesIn = extent.low .> Self.border
      let endsIn = extent.high .< Self.end(size) - Self.border
      low.replace(with: extent.low, where: isCut.low .& comesIn)
      high.replace(with: extent.high, where: isCut.high .& endsIn)
      isCut = (isCut.low .& .!comesIn, isCut.high .& .!endsIn)
    }
    for place in own.indices {
      guard labels[place] != 0 else {
        own[place] *= Self.fading
        continue
      }
      let moves = side(SIMD2(flow[2 * place], flow[2 * place + 1]))
      if moves > 0 { own[place] = min(1, own[place] + Self.trust) }
    }
  }

  /// 1 for a movement that is the subject's, -1 for that of what is around it, 0 if that is not to be told.
  private func side(_ step: SIMD2<Float>) -> Int {
    func length(_ a: SIMD2<Float>) -> Float { (a * a).sum().squareRoot() }
    guard length(way - wayAround) > Self.leastDifference else { return 0 }
    let (with, against) = (length(step - way), length(step - wayAround))
    return with < Self.nearer * against ? 1 : against < Self.nearer * with ? -1 : 0
  }

  /// The pixels of a row or a column between two places.
  private static func range(_ low: Float, _ high: Float, _ end: Int) -> Range<Int> {
    let first = max(0, min(Float(end), low))
    return Int(first)..<Int(max(first, min(Float(end), high + 1)))
  }

  private static func median(_ values: [Float]) -> Float {
    var values = values
    return values.isEmpty ? 0 : values.value(at: values.count / 2)
  }
}
