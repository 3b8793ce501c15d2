// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// The content of a conformance case's picture.
package enum PictureContent: String, Sendable, CaseIterable {
  /// Shapes that follow the map's edges, with a texture.
  case shapes
  /// Random light in every pixel.
  case noise
  /// Shapes with lights of up to 60 times display white.
  case bright
  /// Light below black, above what the renderer takes, infinite, and not a number.
  case broken
}

/// The content of its map. Disparities span 0 to 1.
package enum MapContent: String, Sendable, CaseIterable {
  /// Sharp shapes at several distances.
  case sharp
  /// The same, blurred.
  case blurred
  /// Blurred shapes with holes.
  case holes
  /// No disparity at all.
  case empty
  /// Infinities, absurd values and not-a-numbers among the shapes.
  case broken
  /// A slanted plane.
  case ramp
  case constant
  case noise
}

/// Draws pictures and maps that fit together, from a seed.
package struct SceneContent: Sendable {
  private struct Shape {
    var x: Float
    var y: Float
    var width: Float
    var height: Float
    var disparity: Float
    var colour: SIMD3<Float>
  }

  private let seed: UInt64
  private let shapes: [Shape]

  package init(seed: UInt64) {
    self.seed = seed
    var generator = SeededGenerator(seed: seed &* 0x9E37_79B9 &+ 1)
    shapes = (0..<7).map { _ in
      func random(_ range: ClosedRange<Float>) -> Float { .random(in: range, using: &generator) }
      return Shape(
        x: random(-0.1...0.9), y: random(-0.1...0.9), width: random(0.1...0.5),
        height: random(0.1...0.6), disparity: random(0...1),
        colour: SIMD3(random(0.02...0.9), random(0.02...0.9), random(0.02...0.9)))
    }.sorted { $0.disparity < $1.disparity }
  }

  /// The nearest shape at a point in shares of the picture.
  private func shape(_ x: Float, _ y: Float) -> Shape? {
    shapes.last { (0..<$0.width).contains(x - $0.x) && (0..<$0.height).contains(y - $0.y) }
  }

  private func disparity(_ x: Float, _ y: Float) -> Float {
    shape(x, y)?.disparity ?? 0.05 + 0.1 * y
  }

  /// A picture in linear light.
  package func picture(_ size: Dimensions, _ content: PictureContent) throws -> PixelBuffer {
    if content == .noise { return try .noise(size.width, size.height, seed: seed) }
    var generator = SeededGenerator(seed: seed ^ 0xC0FFEE)
    return try .linear(size.width, size.height) { px, py in
      let x = (Float(px) + 0.5) / Float(size.width)
      let y = (Float(py) + 0.5) / Float(size.height)
      let texture = Float((px / 3 + py / 2) % 4) / 16
      var colour = (shape(x, y)?.colour ?? SIMD3(0.3 + 0.4 * x, 0.5, 0.8 - 0.5 * y)) + texture
      let chance = UInt64.random(in: 0..<400, using: &generator)
      switch (content, chance) {
      case (.bright, 0..<4): colour *= 60
      case (.broken, 0): colour = SIMD3(.nan, 0.5, 0.5)
      case (.broken, 1): colour = SIMD3(.infinity, 1, -Float.infinity)
      case (.broken, 2): colour = SIMD3(1e30, 2e5, -1e9)
      case (.broken, 3..<9): colour = -colour
      case (.broken, 9..<14): colour *= 1e-30
      default: break
      }
      return colour
    }
  }

  /// A map of floats.
  package func map(_ size: Dimensions, _ content: MapContent) throws -> PixelBuffer {
    var generator = SeededGenerator(seed: seed ^ 0xD15)
    let reach = content == .sharp || content == .broken ? 0 : 2
    return try .disparity(size.width, size.height) { px, py in
      func point(_ dx: Int, _ dy: Int) -> Float {
        disparity(
          (Float(px + dx) + 0.5) / Float(size.width), (Float(py + dy) + 0.5) / Float(size.height))
      }
      let chance = UInt64.random(in: 0..<100, using: &generator)
      switch content {
      case .empty: return .nan
      case .constant: return 0.75
      case .ramp: return (Float(px) + 0.5) / Float(size.width)
      case .noise: return Float(chance) / 99
      case .holes where chance < 20 || (px / 5 + py / 4) % 7 == 0: return .nan
      case .broken where chance < 8:
        return [.nan, .infinity, -.infinity, 1e30, -1e30, 2e6, 1e-38, -0.0][Int(chance)]
      default: break
      }
      var sum: Float = 0
      for dy in -reach...reach { for dx in -reach...reach { sum += point(dx, dy) } }
      return sum / Float((2 * reach + 1) * (2 * reach + 1))
    }
  }
}
