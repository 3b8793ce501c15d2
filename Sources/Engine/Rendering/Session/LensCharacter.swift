// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// The faults of a lens that give its blur a character: none by default.
///
/// They change how light is spread within a circle of confusion, never how large it is, and the picture becomes neither
/// darker nor brighter by them: a picture has its own falloff already.
public struct LensCharacter: Hashable, Sendable {
  /// Spherical aberration: behind the focus a highlight is brighter at its rim (up to 1: a ring whose middle is
  /// dark) or in its middle (down to -1: soft, dark at the rim); in front of the focus the other way round.
  public var profile: Float = 0
  /// Axial colour, 0 to 1: behind the focus a highlight's rim is green and its middle magenta; in front of the focus the
  /// other way round.
  public var fringes: Float = 0
  /// Cat's eyes, 0 to 1: towards the corners a second disc cuts the opening, the barrel's rim; in a corner it has
  /// moved by so many radii. Of a highlight behind the focus the side of the picture's middle is cut.
  public var catEye: Float = 0
  /// Barn doors, 0 to 1: the same by the straight edges of a square.
  public var barnDoors: Float = 0
  /// Astigmatism, 0 to 1: towards the corners highlights are narrower along the diagonal, at 1 half as wide in a
  /// corner, so that they swirl around the picture's middle.
  public var swirl: Float = 0

  public init() {}

  /// Whether lens points weigh differently.
  var isNone: Bool { self == LensCharacter() }

  /// Whether weights depend on the place in the picture.
  var isPlaced: Bool { catEye > 0 || barnDoors > 0 || swirl > 0 }

  /// Checks what a session would refuse.
  ///
  /// - Throws: `invalidParameter`.
  func validate() throws(CinematicError) {
    guard (-1...1).contains(profile) else {
      throw CinematicError(
        .invalidParameter, "the bokeh's profile is \(profile)",
        remedy: "use a number from -1, soft, to 1, a ring")
    }
    for (name, value) in [
      ("colour fringes", fringes), ("cat's eyes", catEye), ("barn doors", barnDoors),
      ("swirl", swirl),
    ] where !(0...1).contains(value) {
      throw CinematicError(
        .invalidParameter, "the lens' \(name) are set to \(value)",
        remedy: "use a number from 0, none, to 1")
    }
  }
}
