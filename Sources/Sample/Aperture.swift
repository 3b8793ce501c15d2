// SPDX-License-Identifier: Apache-2.0

/// The shape of a lens's opening, and so of a highlight out of focus.
public enum Aperture: Hashable, Sendable {
  /// A disc.
  case disc
  /// A regular polygon whose corners lie on the disc. `rotation` is in turns: 0 has a
  /// corner at the right, more turns it counter-clockwise, as seen in a highlight behind the focus;
  /// one in front of it is turned by half a turn.
  ///
  /// - Precondition: at least 3 blades.
  case polygon(blades: Int, rotation: Double)

  /// Its area where the disc's radius is 1.
  var area: Float {
    switch self {
    case .disc: return .pi
    case .polygon(let blades, _):
      return 0.5 * Float(blades) * sineOfTurns(1 / Float(blades))
    }
  }

  /// A point of the unit square as a point of the opening, area kept even.
  @inline(__always)
  func point(_ u: SIMD2<Float>) -> SIMD2<Float> {
    switch self {
    case .disc:
      let r = u.x.squareRoot()
      return SIMD2(r * cosineOfTurns(u.y), r * sineOfTurns(u.y))
    case .polygon(let blades, let rotation):
      // One triangle a blade: the square root spreads points evenly from its corner outwards.
      let scaled = u.y * Float(blades)
      let blade = floorInteger(scaled)
      let share = scaled - Float(blade)
      let r = u.x.squareRoot()
      let a = Float(blade) / Float(blades) + Float(rotation)
      let b = Float(blade + 1) / Float(blades) + Float(rotation)
      let x = mix(cosineOfTurns(a), cosineOfTurns(b), share)
      let y = mix(sineOfTurns(a), sineOfTurns(b), share)
      return SIMD2(r * x, r * y)
    }
  }

  /// Whether a point lies in the opening of radius 1.
  @inline(__always)
  func contains(_ p: SIMD2<Float>) -> Bool {
    let r2 = p.x * p.x + p.y * p.y
    if r2 > 1 { return false }
    switch self {
    case .disc: return true
    case .polygon(let blades, let rotation):
      let n = Float(blades)
      let inBlade = fraction((turns(p.y, p.x) - Float(rotation)) * n)
      // Inside the chord of its blade: the distance along the blade's middle is below the apothem.
      let fromMiddle = (inBlade - 0.5) / n
      return r2.squareRoot() * cosineOfTurns(fromMiddle) <= cosineOfTurns(0.5 / n)
    }
  }
}
