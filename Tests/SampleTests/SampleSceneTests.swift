// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Testing

@testable import FocalSample

@Suite struct SampleSceneTests {
  private let size = Dimensions(width: 48, height: 27)
  private let time = Time(value: 3, timescale: 1)

  @Test func theSameSeedGivesTheSameBitsOnAnyNumberOfThreads() throws {
    let small = Dimensions(width: 29, height: 17)
    let first = try SampleScene(seed: 7, threads: 1).frame(
      at: time, dimensions: small, samplesPerPixel: 1)
    let lens = try SampleScene(seed: 7, threads: 1).groundTruth(
      at: time, dimensions: small, focusDisparity: 0.3, fNumber: 2, lensSamples: 2)
    for threads in [2, 7] {
      let scene = SampleScene(seed: 7, threads: threads)
      let again = try scene.frame(at: time, dimensions: small, samplesPerPixel: 1)
      #expect(floats(again.image) == floats(first.image))
      #expect(floats(again.disparity) == floats(first.disparity))
      let lensAgain = try scene.groundTruth(
        at: time, dimensions: small, focusDisparity: 0.3, fNumber: 2, lensSamples: 2)
      #expect(floats(lensAgain) == floats(lens))
    }
    let other = try SampleScene(seed: 8).frame(at: time, dimensions: small, samplesPerPixel: 1)
    #expect(floats(other.image) != floats(first.image))
  }

  @Test func valuesAreFiniteAndDisparityStaysWithinItsRange() throws {
    for seconds in [0.0, 4.5, 10] {
      let frame = try SampleScene().frame(
        at: Time(seconds: seconds), dimensions: Dimensions(width: 32, height: 18),
        samplesPerPixel: 1)
      #expect(floats(frame.image).allSatisfy { $0.isFinite && $0 >= 0 })
      #expect(floats(frame.disparity).allSatisfy { $0 >= 0 && $0 <= 1 })
    }
  }

  /// Every set is within its ranges, another for another seed, and moves or stands as it says.
  @Test(arguments: SampleScene.Kind.allCases) func everySet(_ kind: SampleScene.Kind) throws {
    let small = Dimensions(width: 48, height: 27)
    let scene = SampleScene(kind, seed: 3)
    let frame = try scene.frame(at: .zero, dimensions: small, samplesPerPixel: 4)
    let light = floats(frame.image)
    #expect(light.allSatisfy { $0.isFinite && $0 >= 0 })
    let map = floats(frame.disparity)
    #expect(map.allSatisfy { $0 >= 0 && $0 <= 1 })
    // Something is far, something is near.
    #expect(try #require(map.max()) > 0.25 && #require(map.min()) < 0.05)
    let other = try SampleScene(kind, seed: 4).frame(
      at: .zero, dimensions: small, samplesPerPixel: 4)
    #expect(floats(other.image) != light)
    let later = try scene.disparity(at: Time(value: 6, timescale: 1), dimensions: small)
    #expect(floats(later) != map)
    let subjects = scene.subjects(at: .zero)
    for cue in scene.focusScript { #expect(subjects.contains { $0.groupID == cue.groupID }) }
    // The lens sees the same scene: light is moved and not made. Lamps that it brings in from outside of the
    // picture, or takes out, are what differs.
    let lens = try scene.groundTruth(
      at: .zero, dimensions: small, focusDisparity: 0.25, fNumber: 2.8, lensSamples: 32)
    let (sharp, blurred) = (light.reduce(0, +), floats(lens).reduce(0, +))
    #expect(abs(blurred / sharp - 1) < 0.15, "\(blurred / sharp)")
  }

  @Test func thePictureMoves() throws {
    let scene = SampleScene()
    let a = try scene.disparity(at: .zero, dimensions: size)
    let b = try scene.disparity(at: Time(value: 6, timescale: 1), dimensions: size)
    #expect(floats(a) != floats(b))
  }

  @Test func anInfiniteFNumberGivesThePinholePicture() throws {
    let small = Dimensions(width: 24, height: 14)
    let scene = SampleScene()
    let pinhole = try scene.frame(at: time, dimensions: small, samplesPerPixel: 16).image
    let lens = try scene.groundTruth(
      at: time, dimensions: small, focusDisparity: 0.3, fNumber: .infinity, lensSamples: 16)
    let comparison = try PictureComparison(
      PictureComparison.displayPicture(ofLinear: lens),
      reference: PictureComparison.displayPicture(ofLinear: pinhole))
    // Both are means of 16 rays at different positions in each pixel: what remains is their noise,
    // large in pixels that are fifty times as wide as the finest detail.
    #expect(comparison.psnr > 20)
    #expect(abs(comparison.meanError.y) < 0.006)
  }

  @Test func theScaleOfTheBlurDoesNotDependOnTheResolution() throws {
    for width in [160, 1920, 4096] {
      let view = LensView(
        camera: emptyStage().camera, width: width, height: width / 2,
        lensRadius: LensView.lensRadius(blurScale: 0.2, fNumber: 2.8),
        focusReciprocal: Camera.reciprocalDepth(ofDisparity: 0.3))
      let perDisparity = 2 * view.lensRadius * view.focal * Camera.disparitySpan
      #expect(near(perDisparity / Float(width), 0.2 / 2.8, within: 1e-6))
    }
  }

  @Test(arguments: [0.5, 1.0, 1.8])
  func wrongNumbersAreRefused(_ good: Double) throws {
    let scene = SampleScene()
    let tiny = Dimensions(width: 2, height: 2)
    func expect(_ focus: Double, _ f: Double, _ s: Double, _ n: Int) {
      #expect(throws: CinematicError.self) {
        try scene.groundTruth(
          at: .zero, dimensions: tiny, focusDisparity: focus, fNumber: f, blurScale: s,
          lensSamples: n)
      }
    }
    expect(.nan, good, 0.2, 1)
    expect(0.5, 0, 0.2, 1)
    expect(0.5, -good, 0.2, 1)
    expect(0.5, .nan, 0.2, 1)
    expect(0.5, good, -1, 1)
    expect(0.5, good, .infinity, 1)
    expect(0.5, good, 0.2, 0)
    expect(3, good, 0.2, 1)
    expect(0.5, 1e-9, 0.2, 1)
    expect(0.5, good, .nan, 1)
    #expect(throws: CinematicError.self) {
      try scene.frame(at: .zero, dimensions: Dimensions(width: 0, height: 4))
    }
  }
}
