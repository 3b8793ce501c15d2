// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// A picture with everything in focus, and its disparity.
public struct SampleFrame: Sendable {
  /// Linear light, BT.709 primaries, display white 1, lamps up to 40; `rgbaFloat`, alpha 1.
  public let image: PixelBuffer
  /// Relative disparity at the pixels' centres; `disparityFloat`. Affine in reciprocal depth: 0
  /// is the backdrop, 1 nothing reaches.
  public let disparity: PixelBuffer
}

/// A procedural film set with exact ground truth: by default a terrace above a city at dusk, with people, a
/// cat, a ball, hair-thin grass and bright lamps at many depths. They move. Other sets have what is hard for a
/// renderer of depth of field: see ``Kind``.
///
/// Everything follows from the seed and the time: the same picture on every machine, for any number
/// of threads, and the same scene at every resolution (the width spans 40 degrees; the height
/// follows from the aspect). The scene goes on past the picture's borders, so that the lens sees
/// there what a real one would.
public struct SampleScene: Sendable {
  /// The sets.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// A terrace above a city at dusk.
    case terrace
    /// A street at night: hundreds of small lights of all colours and depths, cars that move, little other
    /// light.
    case street
    /// Turning wheels with spokes of one to three pixels, near, in focus and far, a fence of wire, and lamps behind
    /// them.
    case spokes
    /// Large bright lamps far behind bars, slats, rings and heads in focus, whose edges cut their discs; lamps close
    /// to the camera; lamps that the picture's border cuts.
    case edges
  }

  public let kind: Kind
  /// Changes lamps, plants, hair and the surfaces' grain; not who stands where.
  public let seed: UInt64
  /// Threads that a render uses; `nil` leaves it to the system.
  public var threads: Int?

  /// How long the action lasts; before and after it everyone stands still but for the wind.
  public static let duration = Time(value: 10, timescale: 1)
  /// A blur scale that suits the scene: at f/2.8 the lamps behind a focused person become discs of
  /// about 2 % of the picture's width.
  public static let suggestedBlurScale = 0.22

  let noise: NoiseField

  /// - Parameters:
  ///   - seed: any number.
  ///   - threads: at least 1, or `nil` for all cores.
  public init(_ kind: Kind = .terrace, seed: UInt64 = 1, threads: Int? = nil) {
    self.kind = kind
    self.seed = seed
    self.threads = threads
    noise = NoiseField(seed: seed)
  }

  /// The picture of a pinhole camera.
  ///
  /// - Parameters:
  ///   - samplesPerPixel: rays whose mean a pixel is; at least 1. Edges are smooth from 4 on.
  ///   - eye: how far the camera stands to the right of its place, in the scene's units (the nearest things are at
  ///     1.3): two frames are a stereo pair, whose axes are parallel.
  /// - Throws: `invalidParameter` for a size that a pixel buffer cannot have, `outOfMemory`.
  public func frame(
    at time: Time, dimensions: Dimensions, samplesPerPixel: Int = 4, eye: Double = 0
  ) throws(CinematicError) -> SampleFrame {
    let image = try PixelBuffer(
      dimensions: dimensions, format: .rgbaFloat, tags: .linearBT709)
    var stage = stage(at: time)
    stage.camera.position = stage.camera.position + stage.camera.right * Float(eye)
    let renderer = SceneRenderer(
      stage: stage, view: pinholeView(stage, dimensions), threads: threads)
    renderer.pinhole(into: image, samples: samplesPerPixel)
    let disparity = try PixelBuffer(dimensions: dimensions, format: .disparityFloat)
    renderer.disparity(into: disparity)
    return SampleFrame(image: image, disparity: disparity)
  }

  /// Relative disparity alone, at the pixels' centres.
  public func disparity(
    at time: Time, dimensions: Dimensions
  ) throws(CinematicError) -> PixelBuffer {
    let map = try PixelBuffer(dimensions: dimensions, format: .disparityFloat)
    let stage = stage(at: time)
    SceneRenderer(stage: stage, view: pinholeView(stage, dimensions), threads: threads)
      .disparity(into: map)
    return map
  }

  /// The picture of a lens, by rays from all over it: the measure for every renderer of
  /// ``frame(at:dimensions:samplesPerPixel:)``.
  ///
  /// A surface of relative disparity d is seen with a circle of confusion of diameter
  /// width · `blurScale` / `fNumber` · |d − `focusDisparity`|, exactly; what hides what is traced.
  ///
  /// - Parameters:
  ///   - focusDisparity: the relative disparity in focus, -1...2.
  ///   - fNumber: above 0; infinity is a pinhole.
  ///   - blurScale: at least 0, and no more than `fNumber`: a circle of confusion as wide as the
  ///     picture for a difference of 1.
  ///   - aperture: the shape of the highlights.
  ///   - lensSamples: rays a pixel, each from its own point of lens and pixel. The noise falls with
  ///     their root; lamps out of focus have next to none.
  /// - Throws: `invalidParameter` for numbers outside their ranges, `outOfMemory`.
  public func groundTruth(
    at time: Time, dimensions: Dimensions, focusDisparity: Double, fNumber: Double,
    blurScale: Double = SampleScene.suggestedBlurScale, aperture: Aperture = .disc,
    lensSamples: Int = 256
  ) throws(CinematicError) -> PixelBuffer {
    guard focusDisparity >= -1, focusDisparity <= 2 else {
      throw CinematicError(
        .invalidParameter, "a focus disparity of \(focusDisparity) is not between -1 and 2")
    }
    guard fNumber > 0 else {
      throw CinematicError(.invalidParameter, "an f-number of \(fNumber) is not above 0")
    }
    guard blurScale >= 0, blurScale / fNumber <= 1 else {
      throw CinematicError(
        .invalidParameter,
        "a blur scale of \(blurScale) at an f-number of \(fNumber) is not between 0 and 1",
        remedy: "use a smaller blur scale or a larger f-number")
    }
    guard lensSamples >= 1 else {
      throw CinematicError(.invalidParameter, "\(lensSamples) lens samples are too few")
    }
    let image = try PixelBuffer(
      dimensions: dimensions, format: .rgbaFloat, tags: .linearBT709)
    let stage = stage(at: time)
    let view = LensView(
      camera: stage.camera, width: dimensions.width, height: dimensions.height,
      lensRadius: LensView.lensRadius(blurScale: Float(blurScale), fNumber: Float(fNumber)),
      focusReciprocal: Camera.reciprocalDepth(ofDisparity: Float(focusDisparity)))
    SceneRenderer(stage: stage, view: view, threads: threads)
      .lens(into: image, aperture: aperture, samples: lensSamples)
    return image
  }

  private func pinholeView(_ stage: Stage, _ dimensions: Dimensions) -> LensView {
    LensView(
      camera: stage.camera, width: dimensions.width, height: dimensions.height, lensRadius: 0,
      focusReciprocal: 0)
  }
}
