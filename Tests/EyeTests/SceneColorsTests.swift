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

  /// Light of 0.67 to 1.5 times, in codes of an sRGB screen, cut at white. With far less or more of it, as in a flash, the
  /// same things lie where they were: still no other scene.
  @Test func exposuresAreNoCuts() {
    func scene(_ x: Int, _ y: Int, by shift: Int = 0, gain: Float = 1) -> SIMD3<Float> {
      let isSubject = (24..<40).contains(x + shift) && y > 9
      let code = isSubject ? SIMD3<Float>(0.85, 0.6, 0.5) : SIMD3<Float>(0.35, 0.5, 0.75)
      return (code * gain).clamped(
        lowerBound: SIMD3(repeating: 0), upperBound: SIMD3(repeating: 1))
    }
    let before = Self.colors { scene($0, $1) }
    for gain in [0.84, 0.9, 1.1, 1.19] as [Float] {
      let after = Self.colors { scene($0, $1, by: 1, gain: gain) }
      #expect(!after.beginScene(after: before), "\(gain)")
      #expect(!before.beginScene(after: after), "\(gain)")
    }
    for gain in [0.4, 0.6, 1.5] as [Float] {
      let after = Self.colors { scene($0, $1, by: 1, gain: gain) }
      #expect(!after.beginScene(after: before), "\(gain)")
      #expect(!before.beginScene(after: after), "\(gain)")
    }
  }

  /// Blocks of random colours, so bright at most, moved to the left and with noise of so many codes.
  private static func blocks(
    _ seed: UInt64, light: Float, by shift: Int = 0, noise: Float = 0
  ) -> SceneColors {
    var random = SeededGenerator(seed: seed)
    func unit() -> Float { Float(random.next() >> 40) * 0x1p-24 }
    let blocks = (0..<45).map { _ in SIMD3(unit(), unit(), unit()) }
    return colors { x, y in
      let grain = noise / 255 * SIMD3(2 * unit() - 1, 2 * unit() - 1, 2 * unit() - 1)
      let code = light * blocks[y / 8 * 9 + (x + shift) / 8] + grain
      return code.clamped(lowerBound: SIMD3(repeating: 0), upperBound: SIMD3(repeating: 1))
    }
  }

  /// Codes of a tenth to three tenths of white. Movement and noise of such a scene are no cut.
  @Test(arguments: [0.1, 0.15, 0.3] as [Float]) func darkScenesDiffer(light: Float) {
    for seed in 1...6 as ClosedRange<UInt64> {
      let scene = Self.blocks(seed, light: light, noise: 5)
      let moved = Self.blocks(seed, light: light, by: 1, noise: 5)
      #expect(!moved.beginScene(after: scene), "\(seed)")
      for other in 1...6 as ClosedRange<UInt64> where other != seed {
        let next = Self.blocks(other, light: light, noise: 5)
        #expect(next.beginScene(after: scene), "\(seed) to \(other)")
      }
    }
  }

  /// From white to black and back in eight pictures.
  @Test func fadesAreNoCuts() {
    for seed in 2...4 as ClosedRange<UInt64> {
      let fade = (0...8).map { Self.blocks(seed, light: 1 - Float($0) / 8) }
      for (before, after) in zip(fade, fade.dropFirst()) {
        #expect(!after.beginScene(after: before), "\(seed)")
        #expect(!before.beginScene(after: after), "\(seed)")
      }
    }
  }

  /// Brightness alone tells even pictures apart.
  @Test func evenPicturesDiffer() {
    func grey(_ code: Float) -> SceneColors { Self.colors { _, _ in SIMD3(repeating: code) } }
    for (dark, light) in [(0, 0.2), (0.1, 0.3), (0.3, 0.6), (0.6, 0.9)] as [(Float, Float)] {
      #expect(grey(light).beginScene(after: grey(dark)), "\(dark) to \(light)")
      #expect(grey(dark).beginScene(after: grey(light)), "\(light) to \(dark)")
    }
  }

  /// A scene that is darker, too, is no other exposure of the one before.
  @Test func darkerScenesDiffer() {
    func picture(_ ground: SIMD3<Float>, _ sky: SIMD3<Float>, _ edge: Int) -> SceneColors {
      Self.colors { _, y in y < edge ? sky : ground }
    }
    let meadow = picture(SIMD3(0.3, 0.5, 0.2), SIMD3(0.6, 0.7, 0.9), 18)
    let street = picture(SIMD3(0.35, 0.33, 0.3), SIMD3(0.5, 0.5, 0.55), 14)
    #expect(street.beginScene(after: meadow))
    #expect(meadow.beginScene(after: street))
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
