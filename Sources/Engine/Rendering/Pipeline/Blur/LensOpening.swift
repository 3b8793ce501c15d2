// SPDX-License-Identifier: Apache-2.0

import ShaderTypes
import Synchronization

/// A lens opening as the kernels take it: its outline, how light is spread over it, and tables of both.
struct LensOpening: Sendable {
  let outline: Outline
  private let character: LensCharacter
  /// The opening's area in units of the radius squared, where it is half open half of it: pi for a disc.
  let area: Float
  /// A disc's variance over that of the opening, along x and y.
  let narrowness: SIMD2<Float>
  /// The light at the distance r from the middle, on the disc before the squeeze, is base + slope · r²: 1 in
  /// the mean. Red, green and blue behind the focus, and in front of it.
  let base: [Float]
  let slope: [Float]
  /// The floats of `opening`, as light_shape.h reads them: directions of straight sides, tables, places, widths.
  let floats: [Float]
  let tables: Int32
  let places: Int32
  let widths: Int32

  /// Whether lights are drawn from the opening's tables.
  var isTable: Bool { !outline.isPlain }
  /// Whether the light is spread unevenly over the opening.
  var isProfiled: Bool { character.profile != 0 || isColoured }
  var isColoured: Bool { character.fringes > 0 }
  var isPlaced: Bool { character.isPlaced }
  /// Whether lights need more than drawLights draws.
  var isShaped: Bool { isTable || isProfiled || isPlaced }
  /// Whether lens points weigh differently, or are moved differently along x and y.
  let isWeighted: Bool

  /// The opening of a session. Kept for as long as others are not asked for.
  static func opening(_ shape: ApertureShape, _ character: LensCharacter) -> LensOpening {
    let key = Key(shape: shape, character: character)
    if let known = cache.withLock({ $0[key] }) { return known }
    let made = LensOpening(shape, character)
    cache.withLock {
      if $0.count >= 16 { $0 = [:] }
      $0[key] = made
    }
    return made
  }

  private struct Key: Hashable {
    var shape: ApertureShape
    var character: LensCharacter
  }

  private static let cache = Mutex<[Key: LensOpening]>([:])

  private init(_ shape: ApertureShape, _ character: LensCharacter) {
    let outline = Outline(of: shape)
    self.outline = outline
    self.character = character
    isWeighted =
      shape.squeeze != 1 || shape.image != nil || !character.isNone
    let directions = outline.directions.isEmpty ? [SIMD2(0, 0)] : outline.directions
    var floats = directions.flatMap { [Float($0.x), Float($0.y)] }
    guard !outline.isPlain || !character.isNone else {
      area = outline.plainArea
      narrowness = SIMD2(1, 1)
      (base, slope) = ([1, 1, 1, 1, 1, 1], [0, 0, 0, 0, 0, 0])
      (tables, places, widths) = (0, 0, 0)
      self.floats = floats
      return
    }
    let mask = OpeningMask(outline, side: 4 * Int(FOCAL_OPENING_SIDE))
    let whole = mask.area
    area = outline.isPlain ? outline.plainArea : Float(whole)
    let centre = mask.centre
    let spread = SIMD2(
      mask.integral { ($0.x - centre.x) * ($0.x - centre.x) },
      mask.integral { ($0.y - centre.y) * ($0.y - centre.y) })
    // That of a disc is a quarter.
    narrowness =
      isWeighted && !outline.isPlain
      ? SIMD2(Float(0.25 * whole / spread.x), Float(0.25 * whole / spread.y)) : SIMD2(1, 1)

    // Rings and soft discs by the square of the distance, so that one is what the other lacks.
    let fringes: [Float] = [-character.fringes, character.fringes, -character.fringes]
    let amounts = (fringes + fringes.map { -$0 }).enumerated().map { index, fringe in
      Double(min(max((index < 3 ? character.profile : -character.profile) + fringe, -1), 1))
    }
    func distance(_ point: SIMD2<Double>) -> Double {
      let q = outline.unsqueezed(point)
      return q.x * q.x + q.y * q.y
    }
    let mean = mask.integral(distance) / whole
    let profiles = amounts.map { amount -> SIMD2<Double> in
      let profile = amount > 0 ? SIMD2(1 - amount, amount) : SIMD2(1, amount)
      return profile / (profile.x + profile.y * mean)
    }
    base = profiles.map { Float($0.x) }
    slope = profiles.map { Float($0.y) }

    tables = Int32(floats.count)
    if !outline.isPlain { floats += Self.pyramid(of: outline) }
    places = Int32(floats.count)
    if character.isPlaced {
      floats += Self.placeGains(
        mask: OpeningMask(outline, side: 48), profiles, distance,
        Self.barrel(character, width: 1, height: 1, scale: 1))
    }
    widths = Int32(floats.count)
    if character.profile != 0 || character.fringes > 0 {
      floats += Self.widthGains(outline, profiles, distance)
    }
    self.floats = floats
  }

  /// The kernels' parameters of the barrel, for a picture of this size and a grid of `scale` pixels.
  func barrel(width: Int, height: Int, scale: Int32) -> FocalBarrel {
    Self.barrel(character, width: width, height: height, scale: scale)
  }

  private static func barrel(
    _ character: LensCharacter, width: Int, height: Int, scale: Int32
  ) -> FocalBarrel {
    let far: Float = 1000
    let diagonal = (Float(width) * Float(width) + Float(height) * Float(height)).squareRoot()
    return FocalBarrel(
      isThere: character.isPlaced ? 1 : 0, pictureWidth: Int32(width),
      pictureHeight: Int32(height), scale: scale, perPixel: 1 / diagonal,
      rimShift: character.catEye, rimRoom: character.catEye > 0 ? 1 : far,
      doorShift: character.barnDoors, doorRoom: character.barnDoors > 0 ? 1 : far,
      // A half axis of 1/2 at 1: (u / (1/2))² = u² + 3 u².
      swirl: 3 * character.swirl, swirlRoom: character.swirl > 0 ? 1 : far)
  }

  /// The weights of lens points, FOCAL_LENS_WEIGHTS each.
  func weights(of lens: LensPoints) -> [Float] {
    guard lens.points.count > 1 else { return [1, 1, 1, 1, 1, 1] }
    return zip(lens.points, lens.shares).flatMap { point, share in
      let q = SIMD2(point.x * Float(outline.squeeze), point.y)
      let distance = q.x * q.x + q.y * q.y
      return (0..<6).map { share * max(base[$0] + slope[$0] * distance, 0) }
    }
  }

  /// The opening's transmission in cells of the square around the disc, and in ever coarser ones.
  private static func pyramid(of outline: Outline) -> [Float] {
    var side = Int(FOCAL_OPENING_SIDE)
    let places = 4
    var level = (0..<side * side).map { index -> Float in
      let corner = SIMD2(Double(index % side), Double(index / side))
      let sum = (0..<places * places).reduce(0.0) { sum, place in
        let inCell =
          SIMD2(Double(place % places) + 0.5, Double(place / places) + 0.5) / Double(places)
        return sum + outline.transmission(2 * (corner + inCell) / Double(side) - 1)
      }
      return Float(sum / Double(places * places))
    }
    var all = level
    for _ in 1..<FOCAL_OPENING_LEVELS {
      let fine = level
      let width = side
      side /= 2
      level = (0..<side * side).map { index in
        let o = 2 * (index / side) * width + 2 * (index % side)
        return (fine[o] + fine[o + 1] + fine[o + width] + fine[o + width + 1]) / 4
      }
      all += level
    }
    return all
  }

  /// For each channel and place, the light of the whole opening over that of what the barrel leaves.
  private static func placeGains(
    mask: OpeningMask, _ profiles: [SIMD2<Double>], _ distance: (SIMD2<Double>) -> Double,
    _ barrel: FocalBarrel
  ) -> [Float] {
    let count = Int(FOCAL_OPENING_PLACES)
    // Where the channels are alike, so are their gains.
    var known: [SIMD2<Double>: [Float]] = [:]
    return profiles.flatMap { profile -> [Float] in
      if let gains = known[profile] { return gains }
      let cells = mask.cells.map { cell -> SIMD3<Float> in
        let light = max(profile.x + profile.y * distance(SIMD2(cell.x, cell.y)), 0)
        return SIMD3(Float(cell.x), Float(cell.y), Float(cell.z * light))
      }
      let all = cells.reduce(0) { $0 + $1.z }
      let gains = (0..<count * count).map { index -> Float in
        let px = 2 * Float(index % count) / Float(count - 1) - 1
        let py = 2 * Float(index / count) / Float(count - 1) - 1
        let left = cells.reduce(0) {
          $0 + $1.z * focal_openness(focal_withinBarrel(barrel, $1.x, $1.y, px, py), 24)
        }
        return all / left
      }
      known[profile] = gains
      return gains
    }
  }

  /// For each channel and width of an edge, what an even disc holds over what the profile makes of it.
  private static func widthGains(
    _ outline: Outline, _ profiles: [SIMD2<Double>], _ distance: (SIMD2<Double>) -> Double
  ) -> [Float] {
    let count = Int(FOCAL_OPENING_WIDTHS)
    let side = 128
    // The square of three radii around the opening.
    let places = (0..<side * side).map {
      3 * (2 * SIMD2(Double($0 % side) + 0.5, Double($0 / side) + 0.5) / Double(side) - 1)
    }
    let distances = places.map(distance)
    let within = places.map(outline.within)
    var gains = [Float](repeating: 1, count: profiles.count * count)
    for index in 1..<count {
      let width = 2 * Double(index) / Double(count - 1)
      // A disc's outline lies further in, the wider its edge is.
      let apothem = outline.distance
      let inset =
        outline.isPlain
        ? apothem * (1 - Double(focal_discOutline(1, Float(width), Float(apothem)))) : 0
      let shares = within.map { min(max(($0 - inset) / width + 0.5, 0), 1) }
      let even = shares.reduce(0, +)
      for (channel, profile) in profiles.enumerated() {
        let sum = zip(shares, distances).reduce(0.0) {
          $0 + $1.0 * max(profile.x + profile.y * $1.1, 0)
        }
        gains[channel * count + index] = Float(even / sum)
      }
    }
    return gains
  }
}
