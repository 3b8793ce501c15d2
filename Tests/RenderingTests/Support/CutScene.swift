// SPDX-License-Identifier: Apache-2.0

import ConformanceKit
import FocalCore
import FocalRendering

/// A tall, narrow picture: many strips, few pixels. Discs and bands at several disparities.
enum CutScene {
  /// The disparity at a place given in shares of the height; the picture is `aspect` as wide as high.
  static func disparity(_ x: Float, _ y: Float) -> Float {
    let wave = y * 9
    let near = wave - wave.rounded(.down) < 0.35 && abs(x - 0.4) < 0.3
    let slanted = 0.15 + 0.3 * y
    let band = y > 0.47 && y < 0.58
    return near ? 0.95 - 0.2 * y : band ? 0.6 : slanted
  }

  enum MapKind: CaseIterable, Sendable {
    /// Sharp, of the picture's own size, without and with holes.
    case exact, exactWithHoles
    /// Sharp, with near lines narrower than a pixel, which it has in dashes.
    case exactWithLines
    /// A phone's: small, blurred, and with holes.
    case blurred, blurredWithHoles
    /// Sharp and smaller, sharp and larger, and of a few cells.
    case sharpSmall, sharpLarge, tiny
  }

  /// How far a pixel is from the nearest of the lines: one in 40 rows, of slopes up to 0.45, and one that goes down.
  static func distanceToLines(_ x: Int, _ y: Int, width: Int) -> Float {
    let slope: Float = [0.07, -0.2, 0.45][y / 40 % 3]
    let flat = abs(Float(y % 40) - 20.2 - slope * Float(x - width / 2))
    let steep = abs(Float(x) - 0.3 * Float(width) - 0.07 * abs(Float(y % 400) - 200))
    return min(flat, steep)
  }

  static func picture(_ width: Int, _ height: Int, hasLines: Bool = false) throws -> PixelBuffer {
    var generator = SeededGenerator(seed: 5)
    return try .linear(width, height) { x, y in
      let d = disparity(Float(x) / Float(width), Float(y) / Float(height))
      let light = SIMD3<Float>(0.2 + 0.7 * d, 0.9 - 0.8 * d, 0.5 * d)
      let lamp: Float = (x * 7 + y * 13) % 211 == 0 ? 12 : 1
      let grain = Float.random(in: 0.7...1.1, using: &generator)
      let ground = lamp * grain * light
      guard hasLines else { return ground }
      let share = min(max(0.85 - distanceToLines(x, y, width: width), 0), 0.7)
      return (1 - share) * ground + share * SIMD3(6, 7, 8)
    }
  }

  static func map(_ kind: MapKind, _ width: Int, _ height: Int) throws -> PixelBuffer {
    let (columns, rows) =
      switch kind {
      case .exact, .exactWithHoles, .exactWithLines: (width, height)
      case .blurred, .blurredWithHoles: ((width + 4) / 5, (height + 4) / 5)
      case .sharpSmall: ((width + 2) / 3, (height + 2) / 3)
      case .sharpLarge: (width + width / 2, height + height / 2)
      case .tiny: (5, 9)
      }
    let blur = kind == .blurred || kind == .blurredWithHoles ? 2 : 0
    let hasHoles = kind == .exactWithHoles || kind == .blurredWithHoles
    return try .disparity(columns, rows) { x, y in
      if hasHoles, (x / 7 + y / 23) % 5 == 0 { return .nan }
      if kind == .exactWithLines, distanceToLines(x, y, width: width) < 0.35 { return 1.3 }
      var sum: Float = 0
      for j in -blur...blur {
        sum += disparity(
          (Float(x) + 0.5) / Float(columns), (Float(y + j) + 0.5) / Float(rows))
      }
      return sum / Float(2 * blur + 1)
    }
  }

  static func renderCase(
    _ kind: MapKind, _ quality: RenderingQuality, width: Int = 60, height: Int = 1601,
    radius: Float = 5
  ) throws -> RenderCase {
    // The largest radius: half of width * S / N * 0.55.
    let scale = 2 * radius / (0.55 * Float(width))
    return RenderCase(
      source: try picture(width, height, hasLines: kind == .exactWithLines),
      disparity: try map(kind, width, height),
      focusDisparity: 0.4, fNumber: 1, blurScale: scale, quality: quality)
  }
}
