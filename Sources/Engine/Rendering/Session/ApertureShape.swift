// SPDX-License-Identifier: Apache-2.0

/// The outline of the simulated lens opening, and so of every out-of-focus highlight.
public struct ApertureShape: Hashable, Sendable {
  /// Straight blades, 3 to 16; 0 for a circle.
  public var bladeCount: Int
  /// The angle in radians by which the polygon is turned, counter-clockwise as the picture shows a
  /// highlight behind the focus; at 0 one vertex points up. In front of the focus a highlight is
  /// upside down, as behind a real lens.
  public var rotation: Float

  /// A circle.
  public static let disc = ApertureShape(bladeCount: 0)

  /// A regular polygon inscribed in the circle of confusion.
  public init(bladeCount: Int, rotation: Float = 0) {
    self.bladeCount = bladeCount
    self.rotation = rotation
  }
}
