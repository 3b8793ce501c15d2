// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalSample
import Foundation

/// A subject with hair, a ring and thin bars before a textured background, whose alpha is known exactly.
struct SubjectScene {
  static let size = Dimensions(width: 480, height: 360)

  let picture: PixelBuffer
  /// As a phone makes it: small, and blurred by its pixels.
  let map: PixelBuffer
  let alpha: [Float]
  /// Linear red, green and blue of the subject, everywhere.
  let front: [SIMD3<Float>]

  /// - Parameters:
  ///   - shift: of the subject, in parts of the width.
  ///   - isThere: whether there is a subject at all.
  init(
    seed: UInt64 = 1, shift: Double = 0, noise: UInt64 = 1, isThere: Bool = true
  ) throws {
    let size = Self.size
    var random = SeededGenerator(seed: seed)
    let strands = (0..<60).map { _ in
      let angle = Double.pi * (1 + random.share())
      return (
        c: cos(angle), s: sin(angle), length: 0.03 + 0.05 * random.share(),
        lean: random.share() - 0.5
      )
    }
    let waves = (0..<12).map { _ in
      (
        x: 4 + 30 * random.share(), y: 4 + 30 * random.share(), phase: 6.28 * random.share(),
        color: SIMD3(Float(random.share()), Float(random.share()), Float(random.share())) - 0.5
      )
    }
    let samples = 3
    var alpha = [Float](repeating: 0, count: size.count)
    if isThere {
      for y in 0..<size.height {
        for x in 0..<size.width {
          var inside = 0
          for j in 0..<samples {
            for i in 0..<samples {
              let u = (Double(x) + (Double(i) + 0.5) / 3) / Double(size.width) - shift
              let v = (Double(y) + (Double(j) + 0.5) / 3) / Double(size.width)
              if Self.covers(u, v, strands) { inside += 1 }
            }
          }
          alpha[y * size.width + x] = Float(inside) / Float(samples * samples)
        }
      }
    }
    var grain = SeededGenerator(seed: noise)
    var codes = [UInt8](repeating: 255, count: 4 * size.count)
    var front: [SIMD3<Float>] = []
    for y in 0..<size.height {
      for x in 0..<size.width {
        var back = SIMD3<Float>(0.35, 0.45, 0.4)
        for wave in waves {
          let at = Float(
            sin(wave.x * Double(x) / 480 * 6.28 + wave.y * Double(y) / 480 * 6.28 + wave.phase))
          back += 0.1 * at * wave.color
        }
        let stripe = Float(sin(Double(x) / 9 - 480 * shift / 9) * sin(Double(y) / 7))
        let own = SIMD3<Float>(0.12, 0.05, 0.03) + 0.02 * stripe
        front.append(own)
        let share = alpha[y * size.width + x]
        let light = own * share + back * (1 - share)
        for c in 0..<3 {
          let code = 1.055 * pow(max(light[c], 0), 1 / 2.4) - 0.055
          let dirt = 0.012 * Float(grain.share() - 0.5)
          codes[4 * (y * size.width + x) + c] = UInt8(max(0, min(255, (code + dirt) * 255 + 0.5)))
        }
      }
    }
    picture = try PixelBuffer(dimensions: size, format: .rgba8, values: codes)
    self.alpha = alpha
    self.front = front
    map = try Self.map(alpha)
  }

  private static func covers(
    _ u: Double, _ v: Double, _ strands: [(c: Double, s: Double, length: Double, lean: Double)]
  ) -> Bool {
    let (x, y) = (u - 0.5, v - 0.32)
    if (x / 0.11) * (x / 0.11) + (y / 0.15) * (y / 0.15) < 1 { return true }
    if (x / 0.24) * (x / 0.24) + ((v - 0.7) / 0.28) * ((v - 0.7) / 0.28) < 1 { return true }
    // A ring beside the head, and a bar that holds it.
    let far = ((x - 0.19) * (x - 0.19) + y * y).squareRoot()
    if abs(far - 0.05) < 0.004 { return true }
    if abs(y) < 0.005, x > 0.1, x < 0.145 { return true }
    // Beyond the longest strand there is none.
    guard y < 0.02, (x / 0.2) * (x / 0.2) + (y / 0.24) * (y / 0.24) < 1 else { return false }
    for strand in strands {
      let (c, s) = (strand.c, strand.s)
      let (a, b) = (x - 0.108 * c, y - 0.148 * s)
      let along = a * c + b * s
      guard along > -0.02, along < strand.length else { continue }
      if abs(a * s - b * c - strand.lean * along) < 0.0016 { return true }
    }
    return false
  }

  private static func map(_ alpha: [Float]) throws -> PixelBuffer {
    let small = Dimensions(width: 120, height: 90)
    var values = [Float](repeating: 0, count: small.count)
    for y in 0..<small.height {
      for x in 0..<small.width {
        var sum: Float = 0
        for j in -2..<6 {
          for i in -2..<6 {
            let (u, v) = (max(0, min(479, 4 * x + i)), max(0, min(359, 4 * y + j)))
            sum += alpha[v * 480 + u] > 0.5 ? 1 : 0
          }
        }
        values[y * small.width + x] = 0.2 + 0.5 * sum / 64
      }
    }
    return try PixelBuffer(
      dimensions: small, format: .disparityFloat, tags: .linearBT709, values: values)
  }

  /// How much of the subject and a mask is common to both.
  func overlap(_ mask: PixelBuffer) -> Double {
    var (both, either) = (0, 0)
    for (a, b) in zip(mask.floats, alpha) {
      if a > 0.5, b > 0.5 { both += 1 }
      if a > 0.5 || b > 0.5 { either += 1 }
    }
    return either == 0 ? 1 : Double(both) / Double(either)
  }

  /// The sum of absolute differences to the true alpha.
  func difference(_ values: [Float]) -> Float {
    zip(values, alpha).reduce(0) { $0 + abs($1.0 - $1.1) }
  }
}

extension PixelBuffer {
  /// The floats of a buffer of them, rows without padding.
  var floats: [Float] {
    let count = width * planes[0].bytesPerElement / 4
    return withUnsafeBytes { bytes in
      (0..<height).flatMap { y in
        (0..<count).map {
          bytes.load(fromByteOffset: y * planes[0].bytesPerRow + 4 * $0, as: Float.self)
        }
      }
    }
  }
}

extension SeededGenerator {
  /// From 0 to 1.
  mutating func share() -> Double { Double.random(in: 0..<1, using: &self) }
}
