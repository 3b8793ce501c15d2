// SPDX-License-Identifier: Apache-2.0

import ConformanceKit
import FocalCPU
import FocalCore
import FocalRendering
import Testing

/// Properties of every rendered picture, whatever it shows.
@Suite struct PicturePropertyTests {
  static let qualities = RenderingQuality.allCases

  /// A frame whose blur scale and f-number give a circle of confusion of `radius` pixels at a
  /// disparity difference of 1.
  private func renderCase(
    _ source: PixelBuffer, _ disparity: PixelBuffer, focus: Float, radius: Float,
    quality: RenderingQuality
  ) -> RenderCase {
    RenderCase(
      source: source, disparity: disparity, focusDisparity: focus, fNumber: 1,
      blurScale: 2 * radius / Float(source.width), quality: quality)
  }

  /// Three depths with an edge between each, textured, with bright points.
  private func scene(
    _ width: Int = 131, _ height: Int = 90, seed: UInt64 = 11, lights: Bool = true
  ) throws -> (
    PixelBuffer, PixelBuffer
  ) {
    var generator = SeededGenerator(seed: seed)
    let noise = (0..<width * height).map { _ in Float.random(in: 0...1, using: &generator) }
    func depth(_ x: Int, _ y: Int) -> Float {
      let dx = x - width / 2
      let dy = y - height / 2
      if dx * dx + dy * dy < 400 { return 0.5 }
      return x > width * 3 / 4 ? 0.9 : 0.1
    }
    return (
      try .linear(width, height) { x, y in
        let value = noise[y * width + x]
        let light: Float = lights && value > 0.995 ? 20 : value
        return SIMD3(light, light * depth(x, y), light * 0.5)
      },
      try .disparity(width, height) { depth($0, $1) }
    )
  }

  @Test(arguments: qualities)
  func theSameBitsOnAnyNumberOfThreads(_ quality: RenderingQuality) throws {
    let (source, disparity) = try scene()
    let frame = renderCase(source, disparity, focus: 0.5, radius: 24, quality: quality)
    let one = try frame.render(on: .cpu(threadCount: 1)).pixelBytes()
    for threads in [2, 7, .max] {
      #expect(try frame.render(on: .cpu(threadCount: threads)).pixelBytes() == one)
    }
  }

  /// Where the width is a multiple of the layers' blocks (8 pixels of at most 4), the two renderings
  /// cut the picture into mirrored cells and only the order of sums differs. Where a decision between
  /// two surfaces hangs on the last bit, a pixel of the noise changes sides, and a thousandth of it
  /// falls on each pixel of its circle: the bound is on the mean.
  @Test(arguments: qualities)
  func aMirroredSceneGivesAMirroredPicture(_ quality: RenderingQuality) throws {
    let differences = try mirrorDifferences(width: 96, quality)
    let mean = differences.reduce(0, +) / Float(differences.count)
    #expect(mean < 1e-3, "mean relative difference \(mean), largest \(differences.max() ?? 0)")
  }

  /// At other widths the cells of the half- and quarter-resolution layers lie otherwise in the
  /// mirrored picture: the same blur, sampled elsewhere.
  @Test(arguments: qualities, [130, 131])
  func mirrorsAgreeAtAnyWidth(_ quality: RenderingQuality, _ width: Int) throws {
    let differences = try mirrorDifferences(width: width, quality)
    let mean = differences.reduce(0, +) / Float(differences.count)
    #expect(mean < 0.02, "mean relative difference \(mean)")
  }

  private func mirrorDifferences(width: Int, _ quality: RenderingQuality) throws -> [Float] {
    let (source, disparity) = try scene(width, 90, lights: false)
    let straight = try renderCase(
      source, disparity, focus: 0.5, radius: 20, quality: quality
    ).render(on: .cpu()).mirrored().floats()
    let mirrored = try renderCase(
      source.mirrored(), disparity.mirrored(), focus: 0.5, radius: 20, quality: quality
    ).render(on: .cpu()).floats()
    return zip(straight, mirrored).map { abs($0 - $1) / max(1, abs($0)) }
  }

  @Test(arguments: qualities, [Float(2), 9, 25])
  func aHighlightKeepsItsEnergy(_ quality: RenderingQuality, _ radius: Float) throws {
    let size = 161
    let source = try PixelBuffer.linear(size, size) { x, y in
      SIMD3(repeating: x == size / 2 && y == size / 2 ? 1000 : 0)
    }
    let disparity = try PixelBuffer.disparity(size, size) { _, _ in 0 }
    let floats = try renderCase(source, disparity, focus: 1, radius: radius, quality: quality)
      .render(on: .cpu()).floats()
    let sum = stride(from: 0, to: floats.count, by: 4).reduce(Float(0)) { $0 + floats[$1] }
    #expect(abs(sum - 1000) < 10, "\(sum) of 1000 left")
  }

  @Test(arguments: [RenderingQuality.export, .exportHigh], [Float(8), 20])
  func aHighlightBecomesACleanDisc(_ quality: RenderingQuality, _ radius: Float) throws {
    let size = 121
    let centre = size / 2
    let source = try PixelBuffer.linear(size, size) { x, y in
      SIMD3(repeating: x == centre && y == centre ? 1000 : 0)
    }
    let floats = try renderCase(
      source, .disparity(size, size) { _, _ in 0 }, focus: 1, radius: radius, quality: quality
    ).render(on: .cpu()).floats()
    let expected = 1000 / (Float.pi * radius * radius)
    var inside: [Float] = []
    for y in 0..<size {
      for x in 0..<size {
        let dx = Float(x - centre)
        let dy = Float(y - centre)
        let distance = (dx * dx + dy * dy).squareRoot()
        let value = floats[4 * (y * size + x)]
        // The rim is a few pixels soft; outside of it there is nothing.
        if distance < radius - 4 {
          inside.append(value / expected)
        } else if distance > radius + 4 {
          #expect(value < 0.02 * expected, "outside, at \(distance): \(value)")
        }
      }
    }
    // A light of one pixel is the hardest case: finitely many lens points leave a ripple, which must
    // be low and without holes or dots.
    let mean = inside.reduce(0, +) / Float(inside.count)
    let variance = inside.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Float(inside.count)
    #expect(abs(mean - 1) < 0.06, "inside the mean is \(mean) of what it should be")
    #expect(variance.squareRoot() < 0.25, "a ripple of \(variance.squareRoot())")
    #expect(inside.allSatisfy { $0 > 0.3 && $0 < 2 }, "holes or dots in the disc")
  }

  @Test(arguments: qualities)
  func anEvenPictureStaysEvenUpToItsBorders(_ quality: RenderingQuality) throws {
    let source = try PixelBuffer.linear(96, 64) { _, _ in SIMD3(0.25, 0.5, 2) }
    for focus: Float in [0, 0.5, 1] {
      let floats = try renderCase(
        source, .disparity(96, 64) { x, y in Float(x + y) / 158 }, focus: focus, radius: 24,
        quality: quality
      ).render(on: .cpu()).floats()
      for pixel in stride(from: 0, to: floats.count, by: 4) {
        let error = max(
          abs(floats[pixel] - 0.25), abs(floats[pixel + 1] - 0.5), abs(floats[pixel + 2] - 2) / 4)
        guard error > 1e-3 else { continue }
        Issue.record("\(error) off at pixel \(pixel / 4 % 96), \(pixel / 4 / 96), focus \(focus)")
        return
      }
    }
  }

  @Test(arguments: qualities)
  func aSharpSubjectIsUntouched(_ quality: RenderingQuality) throws {
    let (source, disparity) = try scene()
    let before = try source.floats()
    let after = try renderCase(source, disparity, focus: 0.5, radius: 30, quality: quality)
      .render(on: .cpu()).floats()
    for y in 0..<source.height {
      for x in 0..<source.width {
        let dx = x - source.width / 2
        let dy = y - source.height / 2
        // The inside of the subject, out of the reach of the near part on the right.
        guard dx * dx + dy * dy < 144, x < source.width * 3 / 4 - 24 else { continue }
        for channel in 0..<3 {
          let index = 4 * (y * source.width + x) + channel
          #expect(abs(before[index] - after[index]) <= 1.0 / 1023)
        }
      }
    }
  }

  @Test(arguments: [RenderingQuality.preview, .export, .exportHigh])
  func backgroundLightDoesNotBleedOverASharpSubject(_ quality: RenderingQuality) throws {
    // A black subject in focus before a white background far out of focus.
    let inside = { (x: Int, y: Int) in x >= 40 && x < 90 && y >= 30 }
    let source = try PixelBuffer.linear(130, 90) { x, y in
      SIMD3(repeating: inside(x, y) ? 0 : 1)
    }
    let after = try renderCase(
      source, .disparity(130, 90) { inside($0, $1) ? 0.8 : 0 }, focus: 0.8, radius: 30,
      quality: quality
    ).render(on: .cpu()).floats()
    for y in 34..<86 {
      for x in 44..<86 { #expect(after[4 * (y * 130 + x)] < 0.004, "bleeding at \(x), \(y)") }
    }
    for y in 34..<86 {
      // Nor does the subject darken the background beyond its own antialiased outline.
      #expect(after[4 * (y * 130 + 35)] > 0.98, "dark fringe at 35, \(y)")
    }
  }

  @Test(arguments: [RenderingQuality.preview, .export, .exportHigh])
  func nearThingsBlurSoftlyOverWhatIsBehind(_ quality: RenderingQuality) throws {
    // A white bar near the lens over a black background in focus.
    let source = try PixelBuffer.linear(160, 60) { x, _ in
      SIMD3(repeating: x >= 60 && x < 100 ? 1 : 0)
    }
    let radius: Float = 16
    let after = try renderCase(
      source, .disparity(160, 60) { x, _ in x >= 60 && x < 100 ? 1 : 0 }, focus: 0,
      radius: radius, quality: quality
    ).render(on: .cpu()).floats()
    for x in 36..<124 {
      let value = after[4 * (30 * 160 + x)]
      // The share of a disc that lies over the bar.
      let exact = discShare(left: 60 - Float(x) - 0.5, right: 100 - Float(x) - 0.5, radius: radius)
      #expect(abs(value - exact) < 0.06, "\(value) in place of \(exact) at \(x)")
    }
  }

  /// The share of a disc of `radius` around 0 that lies between two vertical lines.
  private func discShare(left: Float, right: Float, radius: Float) -> Float {
    var inside: Float = 0
    var all: Float = 0
    for step in 0..<2000 {
      let x = radius * (Float(step) + 0.5) / 1000 - radius
      let height = (radius * radius - x * x).squareRoot()
      all += height
      if x > left && x < right { inside += height }
    }
    return inside / all
  }

  @Test(arguments: qualities)
  func extremeBlurStaysFinite(_ quality: RenderingQuality) throws {
    let (source, disparity) = try scene(70, 50)
    for radius: Float in [0.3, 1, 3.9, 60, 500, 50_000] {
      let floats = try RenderCase(
        source: source, disparity: disparity, focusDisparity: 0.5,
        fNumber: max(0.1, 16 * 35 / radius), blurScale: 16, quality: quality
      ).render(on: .cpu()).floats()
      #expect(floats.allSatisfy { $0.isFinite && $0 >= -1e-3 })
    }
  }

  @Test(arguments: qualities)
  func oddAndTinySizesRender(_ quality: RenderingQuality) throws {
    for (width, height) in [(1, 1), (1, 40), (33, 1), (3, 5), (65, 63), (128, 2)] {
      let source = try PixelBuffer.noise(width, height, seed: 4)
      let floats = try renderCase(
        source, .disparity(7, 5) { x, y in Float(x * y) / 24 }, focus: 0.3,
        radius: min(12, 7 * Float(width)),
        quality: quality
      ).render(on: .cpu()).floats()
      #expect(floats.allSatisfy { $0.isFinite && $0 >= -1e-3 && $0 <= 1.01 })
    }
  }
}
