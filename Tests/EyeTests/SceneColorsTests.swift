// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalEyes
import FocalSample
import Testing

@Suite struct SceneColorsTests {
  private static let size = Dimensions(width: 64, height: 36)

  private static func colors(_ code: (_ x: Int, _ y: Int) -> SIMD3<Float>) -> SceneColors {
    var codes: [Float] = []
    for y in 0..<size.height {
      for x in 0..<size.width {
        let pixel = code(x, y)
        codes += [pixel.x, pixel.y, pixel.z]
      }
    }
    return SceneColors(codes, size)
  }

  /// Of one luma by BT.601, .25.
  @Test func scenesOfEqualBrightnessDiffer() {
    let red = Self.colors { _, _ in SIMD3(0.6, 0.1, 0.1) }
    let green = Self.colors { _, _ in SIMD3(0.1, 0.3547, 0.1) }
    #expect(green.beginScene(after: red))
    #expect(red.beginScene(after: green))
    #expect(!red.beginScene(after: red))
  }

  /// A subject that moves by a twelfth of the width, fine noise, and a little less light.
  @Test func movementNoiseAndExposureAreNoCuts() {
    func scene(_ x: Int, _ y: Int, by shift: Int = 0) -> SIMD3<Float> {
      let (u, v) = (x + shift, y)
      let isSubject = (24..<40).contains(u) && v > 9
      return isSubject ? SIMD3(0.7, 0.5, 0.4) : SIMD3(0.2, 0.3, 0.4 + 0.005 * Float(v))
    }
    let before = Self.colors { scene($0, $1) }
    var random = SeededGenerator(seed: 5)
    #expect(!Self.colors { scene($0, $1, by: 5) }.beginScene(after: before))
    #expect(
      !Self.colors { scene($0, $1) + SIMD3(repeating: .random(in: -0.2...0.2, using: &random)) }
        .beginScene(after: before))
    #expect(!Self.colors { 0.85 * scene($0, $1) }.beginScene(after: before))
  }

  /// Fewer pixels than tiles.
  @Test(arguments: [Dimensions(width: 1, height: 1), Dimensions(width: 5, height: 300)])
  func takesAnySize(_ size: Dimensions) {
    let dark = SceneColors([Float](repeating: 0, count: 3 * size.count), size)
    let light = SceneColors([Float](repeating: 1, count: 3 * size.count), size)
    #expect(light.beginScene(after: dark))
    #expect(!dark.beginScene(after: dark))
  }
}
