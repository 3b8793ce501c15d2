// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// A real lens in front of a real sensor, for maps that are metric: disparities in 1/m.
///
/// A thin lens of focal length f and aperture f/N that is focused on the distance s maps a point at the
/// distance z to a circle on the sensor of the diameter
///
///     c = f/N · |z − s|/z · f/(s − f) = f² s / (N (s − f)) · |1/z − 1/s|.
///
/// (The point's image lies f z/(z − f) behind the lens, the sensor f s/(s − f); the cone of light between is
/// f/N wide at the lens.) So a circle's diameter is proportional to the distance of disparities, as that of
/// the renderer is, whose diameter is width · S/N · |d − focus|: with a sensor of the width w,
/// S = f² s / ((s − f) w), and the focus is 1/s.
public struct ThinLens: Hashable, Sendable {
  /// In metres, above 0.
  public var focalLength: Double
  /// In metres, above 0: that of the part of the sensor that the picture shows.
  public var sensorWidth: Double
  /// From the lens to what is sharp, in metres: more than the focal length.
  public var focusDistance: Double

  /// - Throws: `invalidParameter` for lengths that are not positive, and for a focus within the focal
  ///   length, which no sensor can have.
  public init(
    focalLength: Double, sensorWidth: Double, focusDistance: Double
  ) throws(CinematicError) {
    guard focalLength > 0, sensorWidth > 0, focalLength.isFinite, sensorWidth.isFinite else {
      throw CinematicError(
        .invalidParameter,
        "a lens of \(focalLength) m in front of a sensor of \(sensorWidth) m",
        remedy: "give lengths above zero")
    }
    guard focusDistance > focalLength, focusDistance.isFinite else {
      throw CinematicError(
        .invalidParameter,
        "a lens of \(focalLength) m cannot be focused on \(focusDistance) m",
        remedy: "give a distance beyond the focal length")
    }
    self.focalLength = focalLength
    self.sensorWidth = sensorWidth
    self.focusDistance = focusDistance
  }

  /// The blur scale S of such a lens, for disparities in 1/m.
  public var blurScale: Float {
    Float(
      focalLength * focalLength * focusDistance
        / ((focusDistance - focalLength) * sensorWidth))
  }

  /// The disparity that is sharp, in 1/m.
  public var focusDisparity: Float { Float(1 / focusDistance) }
}
