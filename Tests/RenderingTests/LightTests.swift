// SPDX-License-Identifier: Apache-2.0

import ConformanceKit
import FocalCPU
import FocalCore
import FocalRendering
import Foundation
import Testing

/// Small lights out of focus are even discs with crisp edges, hidden where the lens does not see them.
///
/// The references are direct: a pixel of a disc is one point of the lens, for which the scene of a few
/// half planes is looked up.
@Suite struct LightTests {
  static let qualities = RenderingQuality.allCases
  private static let size = Dimensions(width: 192, height: 128)
  private static let middle = SIMD2<Float>(96, 64)

  /// A picture that is black but for one light, a square of `side` pixels with its corner at (x, y).
  private func picture(
    light value: Float, side: Int, x: Int = 96, y: Int = 64, around: Float = 0
  ) throws -> PixelBuffer {
    try .linear(Self.size.width, Self.size.height) { px, py in
      let isLight = (x..<x + side).contains(px) && (y..<y + side).contains(py)
      return SIMD3(repeating: around + (isLight ? value : 0))
    }
  }

  /// With a disparity of `radius` / 64 a pixel has that radius.
  private func render(
    _ picture: PixelBuffer, _ map: PixelBuffer, _ quality: RenderingQuality,
    _ aperture: ApertureShape = .disc, on device: Device = .cpu()
  ) throws -> [Float] {
    let floats = try RenderCase(
      source: picture, disparity: map, focusDisparity: 0, fNumber: 1,
      blurScale: 128 / Float(picture.width), apertureShape: aperture, quality: quality
    ).render(on: device).floats()
    return stride(from: 0, to: floats.count, by: 4).map { floats[$0] }
  }

  private func even(_ radius: Float) throws -> PixelBuffer {
    try .disparity(24, 16) { _, _ in radius / 64 }
  }

  @Test(arguments: qualities, [Float(-20), -9, -4, 5, 9, 20])
  func aLightIsAnEvenDisc(_ quality: RenderingQuality, _ radius: Float) throws {
    for side in [1, 3] {
      let size = abs(radius)
      let area = Float.pi * size * size
      let light = area / Float(side * side)
      let found = try render(picture(light: light, side: side), even(radius), quality)
      let centre = Self.middle + 0.5 * Float(side)
      var largest: Float = 0
      for y in 0..<Self.size.height {
        for x in 0..<Self.size.width {
          let away = SIMD2(Float(x) + 0.5, Float(y) + 0.5) - centre
          let distance = (away * away).sum().squareRoot()
          let value = found[y * Self.size.width + x]
          // The light's own width is that of the edge.
          if distance < size - 0.5 * Float(side) - 1 { largest = max(largest, abs(value - 1)) }
          if distance > size + 0.5 * Float(side) + 1 { largest = max(largest, abs(value)) }
        }
      }
      #expect(largest < 0.02, "a light of \(side) pixels is \(largest) off")
      let energy = found.reduce(0, +) / area
      #expect(abs(energy - 1) < 0.005, "\(energy) of the light of \(side) pixels is left")
    }
  }

  /// A bulb before a wall that is far more blurred. A map knows one of both at each pixel, and gives the rim, which the
  /// bulb covers in part, to the wall.
  @Test(arguments: qualities, [Float(-6), -9, 9])
  func aRimIsBlurredWithItsLight(_ quality: RenderingQuality, _ radius: Float) throws {
    let (bulb, wall) = (Float(2.5), radius - 15)
    func away(_ x: Float, _ y: Float) -> Float {
      let away = SIMD2(x, y) - Self.middle
      return (away * away).sum().squareRoot()
    }
    func share(_ x: Int, _ y: Int) -> Float {
      let inside = (0..<64).filter {
        away(Float(x) + (Float($0 % 8) + 0.5) / 8, Float(y) + (Float($0 / 8) + 0.5) / 8) < bulb
      }
      return Float(inside.count) / 64
    }
    let level = (radius / bulb) * (radius / bulb)
    let source = try PixelBuffer.linear(Self.size.width, Self.size.height) {
      SIMD3(repeating: 0.01 + level * share($0, $1))
    }
    let map = try PixelBuffer.disparity(Self.size.width, Self.size.height) {
      (away(Float($0) + 0.5, Float($1) + 0.5) < bulb ? radius : wall) / 64
    }
    let found = try render(source, map, quality)
    let size = abs(radius)
    var halo: Float = 0
    for y in 0..<Self.size.height {
      for x in 0..<Self.size.width {
        let distance = away(Float(x) + 0.5, Float(y) + 0.5)
        let value = found[y * Self.size.width + x] - 0.01
        if distance > size + bulb + 1 { halo = max(halo, value) }
        if distance < size - bulb - 1 {
          #expect(abs(value - 1) < 0.05, "\(value) at a distance of \(distance)")
        }
      }
    }
    // Light up to twice the wall's stays in the layers: a hundredth of the disc's.
    #expect(halo < 0.01, "\(halo) around the disc")
  }

  /// A vertex of the opening points up behind the focus, and down in front of it.
  @Test(arguments: qualities, [3, 5, 6, 11])
  func bladesShape(_ quality: RenderingQuality, _ blades: Int) throws {
    let aperture = ApertureShape(bladeCount: blades, rotation: 0.3)
    let size: Float = 24
    let area = 0.5 * Float(blades) * sine(2 * .pi / Float(blades)) * size * size
    let apothem = size * sine(.pi / 2 - .pi / Float(blades))
    let sides = (0..<blades).map { blade in
      let angle = .pi / 2 + 0.3 + 2 * .pi * (Float(blade) + 0.5) / Float(blades)
      return SIMD2(sine(angle + .pi / 2), sine(angle))
    }
    for radius in [-size, size] {
      let found = try render(picture(light: area, side: 1), even(radius), quality, aperture)
      var squares: Float = 0
      for y in 0..<Self.size.height {
        for x in 0..<Self.size.width {
          // y up, as the highlight shows it behind the focus.
          let away = SIMD2(Float(x), Float(y)) - Self.middle
          let turned = radius > 0 ? SIMD2(-away.x, away.y) : SIMD2(away.x, -away.y)
          let difference =
            found[y * Self.size.width + x] - covered(turned, sides, apothem)
          squares += difference * difference
        }
      }
      // 40 dB of the disc's own light.
      let error = squares / Float(Self.size.count)
      #expect(error < 1e-4, "\(error)")
      let energy = found.reduce(0, +) / area
      #expect(abs(energy - 1) < 0.005, "\(energy) of the light is left")
    }
  }

  /// How much of a pixel a polygon covers, from 8 x 8 places in it.
  private func covered(_ centre: SIMD2<Float>, _ sides: [SIMD2<Float>], _ apothem: Float) -> Float {
    let far = sides.map { ($0 * centre).sum() - apothem }.max() ?? 0
    guard abs(far) < 1 else { return far < 0 ? 1 : 0 }
    var count: Float = 0
    for index in 0..<64 {
      let place = SIMD2(Float(index % 8) - 3.5, Float(index / 8) - 3.5) / 8 + centre
      count += sides.allSatisfy { ($0 * place).sum() <= apothem } ? 1 : 0
    }
    return count / 64
  }

  /// Whether a half plane from the column `edge` on hides the light from the lens point that shows it
  /// at a pixel: the ray passes the plane's radius at the pixel less the point times the radius.
  @Test(arguments: qualities, [Float(-8), 0, 12])
  func nearerEdgesCutDiscs(_ quality: RenderingQuality, _ nearer: Float) throws {
    let radius: Float = -24
    let edge = 104
    let map = try PixelBuffer.disparity(Self.size.width, Self.size.height) { x, _ in
      (x >= edge ? nearer : radius) / 64
    }
    let area = Float.pi * radius * radius
    let found = try render(picture(light: area, side: 1), map, quality)
    var wrong: Float = 0
    var seen: Float = 0
    for y in 0..<Self.size.height {
      for x in 0..<Self.size.width {
        let away = SIMD2(Float(x) + 0.5, Float(y) + 0.5) - (Self.middle + 0.5)
        let isInside = (away * away).sum() <= radius * radius
        let crossing = Float(x) + 0.5 - away.x / radius * nearer
        let expected: Float = isInside && crossing < Float(edge) ? 1 : 0
        wrong += abs(found[y * Self.size.width + x] - expected)
        seen += expected
      }
    }
    // The rim of the disc and of the cut: coverage is taken between cells, of four pixels at thumbnail quality.
    let most: Float = quality == .thumbnail ? 0.08 : 0.07
    #expect(wrong / seen < most, "\(wrong / seen) of the light is misplaced")
  }

  /// The same of an edge that runs at an angle: along it the light is even. Cells of the layers made stairs of it.
  @Test(arguments: [RenderingQuality.preview, .export]) func edgesCutDiscsEvenly(
    _ quality: RenderingQuality
  ) throws {
    let radius: Float = -24
    let map = try PixelBuffer.disparity(Self.size.width, Self.size.height) { x, y in
      (x + y >= 170 ? 12 : radius) / 64
    }
    let area = Float.pi * radius * radius
    let found = try render(picture(light: area, side: 1), map, quality)
    var (largest, least): (Float, Float) = (0, 1)
    for y in 1..<Self.size.height {
      for x in 0..<Self.size.width - 1 {
        let away = SIMD2(Float(x) + 0.5, Float(y) + 0.5) - (Self.middle + 0.5)
        guard (away * away).sum() < 400 else { continue }
        let value = found[y * Self.size.width + x]
        largest = max(largest, abs(value - found[(y - 1) * Self.size.width + x + 1]))
        least = min(least, value)
      }
    }
    #expect(least < 0.1, "nothing is cut")
    #expect(largest < 0.3, "\(largest) along the edge")
  }

  /// Light in front of the focus covers the sharp part.
  @Test(arguments: qualities) func aNearLightCoversTheFocus(_ quality: RenderingQuality) throws {
    let radius: Float = 24
    let map = try PixelBuffer.disparity(Self.size.width, Self.size.height) { x, _ in
      x >= 104 ? 0 : radius / 64
    }
    let area = Float.pi * radius * radius
    let found = try render(picture(light: area, side: 1, x: 90), map, quality)
    #expect(abs(found.reduce(0, +) / area - 1) < 0.01)
    #expect(abs(found[64 * Self.size.width + 110] - 1) < 0.05)
  }

  /// A light that moves by eighths of a pixel, through the borders of cells and blocks, keeps its energy
  /// and evenness, and its disc moves with it.
  @Test(arguments: qualities) func aMovingLightDoesNotShimmer(_ quality: RenderingQuality) throws {
    let radius: Float = -16
    let area = Float.pi * radius * radius
    for step in 0..<40 {
      let at = 92 + Float(step) / 8
      let first = Int(at)
      let share = at - Float(first)
      let source = try PixelBuffer.linear(Self.size.width, Self.size.height) { x, y in
        guard y == 64 else { return .zero }
        return SIMD3(repeating: area * (x == first ? 1 - share : x == first + 1 ? share : 0))
      }
      let found = try render(source, even(radius), quality)
      var sum: Float = 0
      var place: Float = 0
      var largest: Float = 0
      for y in 0..<Self.size.height {
        for x in 0..<Self.size.width {
          let value = found[y * Self.size.width + x]
          sum += value
          place += value * (Float(x) + 0.5)
          let away = SIMD2(Float(x) - at, Float(y) - 64)
          if (away * away).sum() < 13 * 13 { largest = max(largest, abs(value - 1)) }
        }
      }
      #expect(abs(sum / area - 1) < 0.005, "at \(at) the energy is \(sum / area)")
      #expect(abs(place / sum - at - 0.5) < 0.05, "at \(at) the disc is at \(place / sum - 0.5)")
      #expect(largest < 0.03, "at \(at) the disc is uneven by \(largest)")
    }
  }

  /// A light that stands alone at the border is cut by it: what lies beyond is not known to have another.
  @Test(arguments: qualities, [Float(-20), 20])
  func aLightAtTheBorderHasNoTwin(_ quality: RenderingQuality, _ radius: Float) throws {
    let area = Float.pi * radius * radius
    for (x, y) in [(5, 64), (96, 124), (187, 3)] {
      let found = try render(
        picture(light: area, side: 1, x: x, y: y, around: 0.001), even(radius), quality)
      var largest: Float = 0
      for row in 0..<Self.size.height {
        for column in 0..<Self.size.width {
          let away = SIMD2(Float(column - x), Float(row - y))
          guard (away * away).sum() < 18 * 18 else { continue }
          largest = max(largest, abs(found[row * Self.size.width + column] - 1))
        }
      }
      #expect(largest < 0.03, "the light at \(x), \(y) is \(largest) off")
    }
  }

  /// A picture full of lights keeps its light, wherever it is drawn.
  @Test(arguments: qualities) func aPictureFullOfLights(_ quality: RenderingQuality) throws {
    var generator = SeededGenerator(seed: 3)
    let source = try PixelBuffer.linear(Self.size.width, Self.size.height) { _, _ in
      SIMD3(repeating: Int.random(in: 0..<6, using: &generator) == 0 ? 8 : 0.02)
    }
    let found = try render(source, even(-12), quality)
    let before = try source.floats()
    let given = stride(from: 0, to: before.count, by: 4).reduce(Float(0)) { $0 + before[$1] }
    #expect(abs(found.reduce(0, +) / given - 1) < 0.01)
  }

  private func sine(_ angle: Float) -> Float { Float(sin(Double(angle))) }
}
