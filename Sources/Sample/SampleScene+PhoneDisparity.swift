// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// How a phone's depth differs from the truth.
public struct PhoneDisparityOptions: Hashable, Sendable {
  /// Size of the map.
  public var dimensions = Dimensions(width: 320, height: 180)
  /// Standard deviation of the blur, in pixels of the map.
  public var blur = 1.2
  /// Standard deviation of a noise of two pixels' size, in relative disparity; in the outermost three pixels it is stronger.
  public var noise = 0.006
  /// Standard deviation of the whole map's scale from frame to frame.
  public var scaleJitter = 0.003
  /// Standard deviation of the whole map's offset from frame to frame, in relative disparity.
  public var offsetJitter = 0.003
  /// Levels between 0 and 1; 0 keeps floats.
  public var levels = 0

  /// The options of a phone of our day.
  public init() {}
}

extension SampleScene {
  /// The map that a phone would deliver: small, blurred over edges, noisy, and a little different
  /// in every frame.
  ///
  /// The truth at twice the map's resolution is averaged, blurred, jittered and overlaid with noise
  /// from the scene's seed and the time.
  ///
  /// - Returns: `disparityFloat`, values 0...1.
  /// - Throws: `invalidParameter` for a size that a pixel buffer cannot have or a deviation that is
  ///   negative or not finite, `outOfMemory`.
  public func phoneDisparity(
    at time: Time, options: PhoneDisparityOptions = PhoneDisparityOptions()
  ) throws(CinematicError) -> PixelBuffer {
    for deviation in [options.blur, options.noise, options.scaleJitter, options.offsetJitter]
    where !(deviation >= 0 && deviation <= 1000) {
      throw CinematicError(
        .invalidParameter, "a deviation of \(deviation) is not between 0 and 1000")
    }
    let size = options.dimensions
    let map = try PixelBuffer(dimensions: size, format: .disparityFloat)
    let fine = try disparity(
      at: time, dimensions: Dimensions(width: size.width * 2, height: size.height * 2))
    var values = FloatPlane(fine).halved()
    values.blur(sigma: Float(options.blur))
    // The time in microseconds tells frames apart, whatever their timescale.
    let moment = UInt64(bitPattern: time.converted(to: 1_000_000).value)
    var generator = SeededGenerator(seed: seed ^ (moment &* 0x9E37_79B9_7F4A_7C15))
    let scale = 1 + Float(options.scaleJitter) * generator.gaussian()
    let offset = Float(options.offsetJitter) * generator.gaussian()
    var grain = FloatPlane(width: size.width, height: size.height)
    for i in grain.values.indices { grain.values[i] = generator.gaussian() }
    // Along rows and along columns, a blur leaves the sum of its squared weights of the variance, so that of the deviation
    // both together leave as much.
    let grainSize: Float = 0.7
    grain.blur(sigma: grainSize)
    let left = FloatPlane.blurKernel(sigma: grainSize).reduce(0) { $0 + $1 * $1 }
    let gain = Float(options.noise) / left
    for i in values.values.indices {
      var value = saturate(values.values[i] * scale + offset + grain.values[i] * gain)
      if options.levels > 0 {
        let levels = Float(options.levels)
        value = Float(floorInteger(value * levels + 0.5)) / levels
      }
      values.values[i] = value
    }
    values.write(to: map)
    return map
  }
}
