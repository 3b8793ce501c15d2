// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// The outline of the simulated lens opening, and so of every out-of-focus highlight.
///
/// Every shape lies within the circle of confusion and touches it.
public struct ApertureShape: Hashable, Sendable {
  /// Blades, 3 to 16; 0 for a circle.
  public var bladeCount: Int
  /// The angle in radians by which the polygon or the ``image`` is turned, counter-clockwise as the picture
  /// shows a highlight behind the focus; at 0 one vertex points up. In front of the focus a highlight is
  /// upside down, as behind a real lens.
  public var rotation: Float
  /// How far the blades are bent outwards: 0 straight, 1 a circle.
  public var roundness: Float
  /// How much higher than wide a highlight is, as of an anamorphic lens of this squeeze: 1 to ``maximumSqueeze``.
  public var squeeze: Float
  /// An opening of any shape in place of blades.
  public var image: ApertureImage?

  /// The strongest of anamorphic lenses; 1.33 and 1.5 are usual, too.
  public static let maximumSqueeze: Float = 2

  /// A circle.
  public static let disc = ApertureShape(bladeCount: 0)

  /// A regular polygon inscribed in the circle of confusion.
  public init(bladeCount: Int, rotation: Float = 0, roundness: Float = 0, squeeze: Float = 1) {
    self.bladeCount = bladeCount
    self.rotation = rotation
    self.roundness = roundness
    self.squeeze = squeeze
  }

  /// An opening of any shape.
  public init(image: ApertureImage, rotation: Float = 0, squeeze: Float = 1) {
    self.init(bladeCount: 0, rotation: rotation, squeeze: squeeze)
    self.image = image
  }

  /// Checks what a session would refuse.
  ///
  /// - Throws: `invalidParameter`.
  func validate() throws(CinematicError) {
    guard bladeCount == 0 || (3...16).contains(bladeCount), rotation.isFinite else {
      throw CinematicError(
        .invalidParameter, "an aperture of \(bladeCount) blades turned by \(rotation)",
        remedy: "use 0 for a disc or 3 to 16 blades, and a finite rotation")
    }
    guard (0...1).contains(roundness) else {
      throw CinematicError(
        .invalidParameter, "the blades' roundness is \(roundness)",
        remedy: "use a number from 0, straight, to 1, a circle")
    }
    guard (1...Self.maximumSqueeze).contains(squeeze) else {
      throw CinematicError(
        .invalidParameter, "the aperture's squeeze is \(squeeze)",
        remedy: "use a number from 1 to \(Self.maximumSqueeze), such as 1.33")
    }
    guard image == nil || bladeCount == 0 else {
      throw CinematicError(
        .invalidParameter, "an aperture of \(bladeCount) blades and of an image",
        remedy: "use one of them")
    }
  }
}
