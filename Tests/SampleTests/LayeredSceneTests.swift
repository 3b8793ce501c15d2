// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Testing

@testable import FocalSample

@Suite struct LayeredSceneTests {
  private let size = Dimensions(width: 96, height: 55)

  @Test func radiiAreThoseOfTheBenchmark() throws {
    let scene = try LayeredScene(dimensions: Dimensions(width: 480, height: 8))
    for (index, radius) in [-32, -19.2, 0, 25.6].enumerated() {
      #expect(near(scene.radius(ofPlane: index) * 4, radius, within: 1e-9))
    }
    #expect(LayeredScene.disparities.allSatisfy { $0 >= 0 && $0 <= 1 })
  }

  @Test func theSameSeedGivesTheSameBitsOnAnyNumberOfThreads() throws {
    func render(_ seed: UInt64, _ threads: Int) throws -> [Float] {
      floats(
        try LayeredScene(seed: seed, dimensions: size, threads: threads)
          .groundTruth(lensPoints: 5))
    }
    let first = try render(3, 1)
    #expect(try render(3, 2) == first)
    #expect(try render(3, 7) == first)
    #expect(try render(4, 2) != first)
  }

  @Test func anInfiniteFNumberGivesTheSharpPicture() throws {
    let scene = try LayeredScene(dimensions: size)
    let sharp = floats(try scene.image())
    let wide = floats(try scene.groundTruth(lensPoints: 7, fNumber: .infinity))
    for (a, b) in zip(sharp, wide) { #expect(abs(a - b) < 1e-5) }
  }

  @Test func theSharpSubjectStaysSharp() throws {
    let scene = try LayeredScene(dimensions: size)
    let sharp = floats(try scene.image())
    let truth = floats(try scene.groundTruth(lensPoints: 24))
    let mask = scene.mask(.focus)
    #expect(mask.contains(true))
    for (i, inside) in mask.enumerated() where inside {
      for c in 0..<3 { #expect(abs(sharp[i * 4 + c] - truth[i * 4 + c]) < 1e-5) }
    }
  }

  @Test func theBlurKeepsThePicturesLight() throws {
    let scene = try LayeredScene(dimensions: size)
    let sharp = floats(try scene.image())
    let truth = floats(try scene.groundTruth(lensPoints: 48))
    // Light crosses the borders both ways, so the sums are near and not equal.
    let ratio: Float = truth.reduce(0, +) / sharp.reduce(0, +)
    #expect(near(ratio, 1, within: 0.02))
    #expect(truth.allSatisfy { $0.isFinite && $0 >= 0 })
  }

  @Test func regionsAreDisjointWhereTheyMustBe() throws {
    let scene = try LayeredScene(dimensions: Dimensions(width: 192, height: 108))
    let focus = scene.mask(.focus)
    let outline = scene.mask(.outline)
    let near = scene.mask(.near)
    let far = scene.mask(.far)
    for mask in [focus, outline, near, far] { #expect(mask.contains(true)) }
    let disparity = floats(try scene.disparity())
    for i in focus.indices {
      #expect(!(focus[i] && far[i]) && !(near[i] && far[i]) && !(near[i] && focus[i]))
      if focus[i] { #expect(disparity[i] == Float(LayeredScene.focusDisparity)) }
      if far[i] { #expect(disparity[i] == Float(LayeredScene.disparities[0])) }
    }
  }

  @Test func theBlurredMapHasTheExactMapsMean() throws {
    let scene = try LayeredScene(dimensions: size)
    let exact = floats(try scene.disparity())
    let small = floats(
      try scene.blurredDisparity(size: Dimensions(width: 32, height: 18), blur: 0))
    let a = exact.reduce(0, +) / Float(exact.count)
    let b = small.reduce(0, +) / Float(small.count)
    #expect(near(a, b, within: 1e-4))
  }

  @Test func brightLightsAreBrighter() throws {
    let low = try LayeredScene(dimensions: size, lights: .standard).image()
    let high = try LayeredScene(dimensions: size, lights: .highDynamicRange).image()
    #expect(floats(low).max()! <= 1)
    #expect(floats(high).max()! > 4)
  }

  /// Lights behind something nearer go; those that are seen stay, and so does what hides the others.
  @Test func hiddenLightsGo() throws {
    let scene = try LayeredScene(dimensions: size, lights: .highDynamicRange)
    let seen = scene.withoutHiddenLights()
    let all = floats(try scene.image()), left = floats(try seen.image())
    let light = floats(try scene.groundTruth(lensPoints: 20))
    let remaining = floats(try seen.groundTruth(lensPoints: 20))
    // The sharp pictures differ by the hidden parts of pixels that an edge cuts, which are less than half of them.
    let changed = all.indices.filter { all[$0] != left[$0] }
    #expect(changed.count < all.count / 100)
    #expect(left.max() == all.max())
    let lost = light.indices.filter { remaining[$0] < light[$0] - 0.05 }
    #expect(lost.count > light.count / 500)
    let isNowhereBrighter = light.indices.allSatisfy { remaining[$0] <= light[$0] + 1e-5 }
    #expect(isNowhereBrighter)
  }

  @Test func wrongNumbersAreRefused() throws {
    let scene = try LayeredScene(dimensions: Dimensions(width: 16, height: 9))
    #expect(throws: CinematicError.self) { try scene.groundTruth(lensPoints: 0) }
    #expect(throws: CinematicError.self) { try scene.groundTruth(lensPoints: 1, fNumber: 2) }
    #expect(throws: CinematicError.self) { try scene.groundTruth(lensPoints: 1, fNumber: .nan) }
    #expect(throws: CinematicError.self) {
      try scene.groundTruth(lensPoints: 1, focusDisparity: .nan)
    }
    #expect(throws: CinematicError.self) {
      try LayeredScene(dimensions: Dimensions(width: 0, height: 9))
    }
  }
}
