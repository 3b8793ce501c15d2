// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// The benchmark scene: four planes of constant disparity, whose picture through a lens is known
/// exactly.
///
/// From far to near: a wall of lights, pillars, a head in focus with 160 strands of hair of 1 to
/// 2 px, and leaves. At f/2.8 the signed radii of their circles of confusion are -32, -19.2, 0 and
/// 25.6 px for a width of 1920, and scale with the width.
///
/// Constant planes ask one question alone, occlusion; slanted surfaces are ``SampleScene``'s part.
public struct LayeredScene: Sendable {
  /// How bright the lights of the far plane are.
  public enum Lights: String, Hashable, Sendable, CaseIterable {
    /// Up to display white.
    case standard
    /// 4 to 30 times display white.
    case highDynamicRange
    /// None at all.
    case none
  }

  /// Decides the details.
  public let seed: UInt64
  /// The size of the pictures.
  public let dimensions: Dimensions
  /// How bright the lights are.
  public let lights: Lights
  /// Threads that a render uses; `nil` leaves it to the system.
  public var threads: Int?

  /// The blur scale, the f-number and the focus for which the radii above hold.
  public static let blurScale = 0.21
  /// The f-number of the truth.
  public static let fNumber = 2.8
  /// The disparity that is sharp in the truth.
  public static let focusDisparity = disparities[2]
  /// Relative disparities of the planes, far to near: 0.1, 0.2778, 0.5444, 0.9.
  public static let disparities: [Double] = [-32, -19.2, 0, 25.6].map { radius in
    // radius / 1920 = S/N · (d - d_f) / 2, with the farthest at 0.1.
    let perUnit = blurScale / fNumber / 2 * 1920
    return 0.1 + (radius + 32) / perUnit
  }

  var planes: [LayeredPlane]

  /// Draws the planes, which take 64 bytes a pixel of the frame and of its margins.
  ///
  /// - Throws: `invalidParameter` for a size that a pixel buffer cannot have.
  public init(
    seed: UInt64 = 1, dimensions: Dimensions = Dimensions(width: 1920, height: 1080),
    lights: Lights = .standard, threads: Int? = nil
  ) throws(CinematicError) {
    let valid = 1...PixelBuffer.maximumDimension
    guard valid.contains(dimensions.width), valid.contains(dimensions.height) else {
      throw CinematicError(
        .invalidParameter, "a scene of \(dimensions) pixels cannot be made",
        remedy: "width and height must be 1 to \(PixelBuffer.maximumDimension)")
    }
    self.seed = seed
    self.dimensions = dimensions
    self.lights = lights
    self.threads = threads
    planes = LayeredArtist(
      seed: seed, dimensions: dimensions, lights: lights, threads: threads
    ).planes()
  }

  /// Signed radius in pixels of a plane's circle of confusion, positive = nearer than the focus.
  public func radius(
    ofPlane index: Int, focusDisparity: Double = LayeredScene.focusDisparity,
    fNumber: Double = LayeredScene.fNumber
  ) -> Double {
    Double(dimensions.width) * Self.blurScale / fNumber
      * (Self.disparities[index] - focusDisparity) / 2
  }

  /// Everything in focus: linear light, `rgbaFloat`, alpha 1, edges with their true coverage.
  public func image() throws(CinematicError) -> PixelBuffer {
    try render(points: [SIMD2(0, 0)], focusDisparity: 0, fNumber: .infinity)
  }

  /// Relative disparity of the nearest plane that covers at least half of a pixel;
  /// `disparityFloat`.
  public func disparity() throws(CinematicError) -> PixelBuffer {
    let map = try PixelBuffer(dimensions: dimensions, format: .disparityFloat)
    exactDisparity().write(to: map)
    return map
  }

  /// The exact map averaged down, blurred and averaged no further: what a phone gives at best.
  ///
  /// - Parameters:
  ///   - size: the map's size.
  ///   - blur: standard deviation in pixels of the small map.
  public func blurredDisparity(
    size: Dimensions = Dimensions(width: 320, height: 180), blur: Double = 1.5
  ) throws(CinematicError) -> PixelBuffer {
    let map = try PixelBuffer(dimensions: size, format: .disparityFloat)
    var small = exactDisparity().resampled(width: size.width, height: size.height)
    small.blur(sigma: Float(blur))
    small.write(to: map)
    return map
  }

  private func exactDisparity() -> FloatPlane {
    var plane = FloatPlane(width: dimensions.width, height: dimensions.height)
    for y in 0..<dimensions.height {
      for x in 0..<dimensions.width {
        var value = Float(Self.disparities[0])
        for index in 1..<4 where planes[index].coverage(x, y) >= 0.5 {
          value = Float(Self.disparities[index])
        }
        plane.values[y * dimensions.width + x] = value
      }
    }
    return plane
  }
}
