// SPDX-License-Identifier: Apache-2.0

import ConformanceKit
import FocalCPU
import FocalCore
import FocalRendering
import Foundation
import Testing

/// A blurred map becomes one whose edges are the picture's.
@Suite struct RefinementTests {
  private static let size = Dimensions(width: 480, height: 270)
  private static let map = Dimensions(width: 80, height: 45)

  /// A disc with strands two pixels wide around it, before a dark wall with lit windows of the disc's colours.
  private enum Scene {
    static func distance(_ x: Int, _ y: Int) -> Float {
      let (dx, dy) = (Float(x) - 239.5, Float(y) - 134.5)
      return (dx * dx + dy * dy).squareRoot()
    }

    static func angle(_ x: Int, _ y: Int) -> Float { atan2(Float(y) - 134.5, Float(x) - 239.5) }

    static func isStrand(_ x: Int, _ y: Int) -> Bool {
      let step = 2 * Float.pi / 24
      let angle = angle(x, y)
      let offset = distance(x, y) * sin(angle - (angle / step).rounded() * step)
      return (70..<86).contains(distance(x, y)) && abs(offset) < 0.9
    }

    static func isFront(_ x: Int, _ y: Int) -> Bool { distance(x, y) < 70 || isStrand(x, y) }

    static func light(_ x: Int, _ y: Int) -> SIMD3<Float> {
      if isFront(x, y) {
        return SIMD3(0.2, 0.1, 0.04) + (0.5 + 0.5 * sin(angle(x, y) * 40)) * SIMD3(0.25, 0.14, 0.06)
      }
      return x % 16 < 7 && y % 18 < 9 ? SIMD3(0.5, 0.3, 0.12) : SIMD3(0.04, 0.035, 0.06)
    }

    /// 0.8 in front and 0.2 behind, blurred by a Gaussian of 7 pixels.
    static func disparity(_ column: Int, _ row: Int) -> Float {
      let cell = size.width / map.width
      var (weights, sum): (Float, Float) = (0, 0)
      for y in max(cell * row - 18, 0)..<min(cell * row + 24, size.height) {
        for x in max(cell * column - 18, 0)..<min(cell * column + 24, size.width) {
          let (dx, dy) = (
            Float(x - cell * column) - 2.5, Float(y - cell * row) - 2.5
          )
          let weight = exp(-(dx * dx + dy * dy) / (2 * 49))
          weights += weight
          if isFront(x, y) { sum += weight }
        }
      }
      return 0.2 + 0.6 * sum / weights
    }
  }

  /// Windows beside the disc stay behind, though the disc has their colours: a map says more of a pixel than its colour
  /// does. By colours of twice the weight 2,500 pixels were on the wrong side, nearly all of them windows', of 5,800
  /// within reach of the blurred edge.
  @Test(arguments: [.preview, .export] as [RenderingQuality])
  func windowsOfLikeColourStayBehind(_ quality: RenderingQuality) throws {
    let size = Self.size
    var item = RenderCase(
      source: try .linear(size.width, size.height, color: Scene.light),
      disparity: try .disparity(Self.map.width, Self.map.height, value: Scene.disparity),
      focusDisparity: 0.8, fNumber: 2, quality: quality)
    item.frame.view = .refined
    let floats = try item.render(on: .cpu()).floats()
    var (ahead, behind) = (0, 0)
    for y in 0..<size.height {
      for x in 0..<size.width {
        let isInFront = floats[4 * (y * size.width + x) + 1] > 0.25
        guard isInFront != Scene.isFront(x, y) else { continue }
        if isInFront { ahead += 1 } else { behind += 1 }
      }
    }
    #expect(ahead + behind < 1800, "\(ahead) in front, \(behind) behind")
  }

  /// A dark disc with a blue rim, antialiased, before a bright textured wall; a map knows the disc without its rim.
  private enum Rimmed {
    /// How much of a pixel lies within this distance of the middle.
    static func share(_ x: Int, _ y: Int, within radius: Float) -> Float {
      min(max(radius - Scene.distance(x, y) + 0.5, 0), 1)
    }

    static func light(_ x: Int, _ y: Int) -> SIMD3<Float> {
      let wave = sin(Float(x) * 0.9) * sin(Float(y) * 0.7)
      let wall = SIMD3<Float>(0.6, 0.62, 0.64) + wave * SIMD3(0.12, 0.12, 0.12)
      let (disc, inner) = (share(x, y, within: 70), share(x, y, within: 64))
      let rim = SIMD3<Float>(0.02, 0.2, 0.45)
      let front = rim + inner * (SIMD3(0.03, 0.025, 0.03) - rim)
      return wall + disc * (front - wall)
    }

    /// 0.8 in front and 0.2 behind, blurred over 16 pixels around the rim's inner border.
    static func disparity(_ column: Int, _ row: Int) -> Float {
      let distance = Scene.distance(6 * column + 2, 6 * row + 2)
      return 0.2 + 0.6 * min(max((64 + 8 - distance) / 16, 0), 1)
    }
  }

  /// The rim of a blurred disc goes with it, and does not stay sharp at the wall in focus behind it, whose own pixels stay
  /// there, but for a third of a pixel along the outline. Without the ring of `focal_beyond` all 1,700 pixels of the rim
  /// stayed.
  @Test(arguments: [.preview, .export] as [RenderingQuality])
  func rimsGoWithBlurredThings(_ quality: RenderingQuality) throws {
    let size = Self.size
    var item = RenderCase(
      source: try .linear(size.width, size.height, color: Rimmed.light),
      disparity: try .disparity(Self.map.width, Self.map.height, value: Rimmed.disparity),
      focusDisparity: 0.2, fNumber: 0.6, quality: quality)
    item.frame.view = .refined
    let floats = try item.render(on: .cpu()).floats()
    var (rim, left, taken) = (0, 0, 0)
    for y in 0..<size.height {
      for x in 0..<size.width {
        let isInFront = floats[4 * (y * size.width + x) + 1] > 0.25
        let distance = Scene.distance(x, y)
        if (65..<69).contains(distance) {
          rim += 1
          if !isInFront { left += 1 }
        } else if distance > 71, isInFront {
          taken += 1
        }
      }
    }
    #expect(20 * left < rim, "\(left) of \(rim) behind")
    #expect(taken < 200, "\(taken) of the wall in front")
  }
}
